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
