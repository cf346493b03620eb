"""Agents meet: under play that knows nothing yet, and under scripted play."""

import numpy as np
import pytest

import sandlot

EPISODES = 200


def untrained(rng, shape):
    """A fresh policy's actions: normal noise around nothing, cut to the legal range."""
    return np.clip(rng.normal(0, 1, shape), -1, 1).astype(np.float32)


def encounters(config, hold_steps):
    """Shares of matches in which the two came within 2 m, and in which a touch happened."""
    batch = sandlot.make("tag", worlds=EPISODES, seed=5, config=config)
    batch.reset()
    rng = np.random.default_rng(0)
    near, done = np.zeros(EPISODES, bool), np.zeros(EPISODES, bool)
    for step in range(200):
        if step % hold_steps == 0:
            actions = untrained(rng, batch.actions.shape)
        batch.step(actions)
        done |= batch.terminated.reshape(EPISODES, -1).any(axis=1)
        place = batch.observations[:, [0, 2]].reshape(EPISODES, 2, 2) * batch.spec.config["arena_half"]
        near |= (np.linalg.norm(place[:, 0] - place[:, 1], axis=1) < 2) & ~done
    first = [episode for episode in batch.finished() if episode["episode"] == 0]
    assert len(first) == EPISODES
    return near.mean(), np.mean([episode["reason"] == 1 for episode in first])


@pytest.mark.parametrize("config", [{}, {"profile": "reference"}], ids=["default", "reference"])
def test_untrained_agents_meet_and_touch(config):
    """New noise every step comes near in some 10 % of matches, noise held for a quarter second in 20 %."""
    near, touched = encounters(config, hold_steps=1)
    assert near > 0.04 and touched > 0.02
    near, touched = encounters(config, hold_steps=5)
    assert near > 0.12 and touched > 0.08


def test_most_untrained_seekers_have_the_hider_in_view_at_some_time():
    """Otherwise there would be nothing to learn from."""
    batch = sandlot.make("tag", worlds=EPISODES, seed=5)
    batch.reset()
    rng = np.random.default_rng(0)
    for _ in range(200):
        batch.step(untrained(rng, batch.actions.shape))
    first_seen = np.array([e["first_seen_s"] for e in batch.finished() if e["episode"] == 0])
    assert (first_seen >= 0).mean() > 0.8


# ---- scripted players --------------------------------------------------------------------------------------


class Pair:
    """Two scripted players in many matches: one drives the rows that seek, the other those that hide."""

    def __init__(self, batch, seeker, hider, level=3):
        config = batch.spec.config
        self.batch = batch
        self.players = [sandlot.bot("tag", name, level, config, seed=4) for name in (hider, seeker)]
        self.memories = [player.start(batch.rows) for player in self.players]

    def step(self):
        batch = self.batch
        seeks = batch.observations[:, batch.spec.field("roles")][:, 0] == 1
        directions = [
            p.act(batch.observations, state=m)[0] for p, m in zip(self.players, self.memories, strict=True)
        ]
        batch.step(np.where(seeks[:, None], directions[1], directions[0]))
        for player, memory in zip(self.players, self.memories, strict=True):
            player.restart(memory, batch.terminated | batch.truncated)


def seeker_wins(seeker, hider, level=3):
    """The seeker's share of a hundred matches."""
    batch = sandlot.make("tag", worlds=100, seed=8)
    batch.reset()
    pair = Pair(batch, seeker, hider, level)
    for _ in range(200):
        pair.step()
    first = [episode for episode in batch.finished() if episode["episode"] == 0]
    return np.mean([episode["winner"] == 1 for episode in first])


def test_a_scripted_seeker_catches_a_wanderer_and_an_evader_does_better():
    against_wanderer, against_evader = seeker_wins("chase", "wander"), seeker_wins("chase", "evade")
    assert against_wanderer > 0.6
    assert against_evader < against_wanderer - 0.1


def test_a_chaser_does_better_than_a_wanderer_in_the_same_role():
    assert seeker_wins("chase", "evade") > seeker_wins("wander", "evade") + 0.15


def test_scripted_players_follow_the_role_they_have_at_the_moment():
    """In `switch` each row is driven by turns as seeker and as hider, and the role keeps passing."""
    batch = sandlot.make("tag", worlds=50, seed=3, config={"mode": "switch"})
    batch.reset()
    pair = Pair(batch, "chase", "evade")
    seekers = []
    for _ in range(200):
        pair.step()
        seekers.append(batch.observations[:, batch.spec.field("roles")][:, 0].reshape(50, 2).copy())
    roles = np.array(seekers)
    assert np.all(roles.sum(axis=2) == 1), "one seeker at any time"
    assert (roles[:, :, 0].min(axis=0) < roles[:, :, 0].max(axis=0)).mean() > 0.5


def test_sudden_changes_of_place_leave_nobody_under_the_floor():
    """Twenty seconds of scripted play in which worlds are thrown into moments of other worlds."""
    config = {"mode": "switch", "time_limit": 25, "ticks_per_step": 1}
    batch = sandlot.make("tag", worlds=8, seed=6, config=config)
    batch.reset()
    pair, rng = Pair(batch, "chase", "evade"), np.random.default_rng(6)
    in_the_air = 0
    for tick in range(1200):
        pair.step()
        own = batch.observations[:, batch.spec.field("self")]
        assert own[:, 1].min() >= 0
        assert np.all((own[:, 6] == 1) | (own[:, 1] > 0)), "who is not on something is above the floor"
        in_the_air += int((own[:, 6] == 0).sum())
        if tick % 20 == 0:
            source, target = rng.integers(0, 8, 2)
            batch.fork(int(source), int(target))
    assert in_the_air > 100
