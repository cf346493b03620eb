"""The learner's rows of a batch: what they see, who else plays, how rewards are scaled, what is closed."""

import numpy as np
import pytest

from sandlot import seeding
from sandlot.errors import UnknownName
from sandlot.policies.normalize import ReturnScale
from sandlot.train.adapters.agent_slots import AgentSlots, roles_of
from sandlot.worlds import NativeWorld

WORLDS, SEED = 4, 7


@pytest.fixture
def slots_of(tiny):
    """slots_of(game, *words): the learner's rows of four worlds, reset; closed at the end."""
    made = []

    def make(game, *words, worlds=WORLDS):
        made.append(AgentSlots(tiny(game, "sb3", *words), worlds, SEED))
        made[-1].reset(SEED)
        return made[-1]

    yield make
    for one in made:
        one.close()


def still(slots):
    return np.zeros(slots.rows, np.int64)  # rest


def test_the_role_that_learns_is_the_only_one_the_one_asked_for_or_all(tiny):
    def learns(role, roles):
        return roles_of(tiny("tag", "sb3", f"adapter.role={role}"), roles)

    assert learns("anything", ("pilot",)) == ["pilot"]
    assert learns("hider", ("seeker", "hider", "hider")) == ["hider"]
    assert learns("both", ("seeker", "hider", "hider")) == ["seeker", "hider"]
    for word, meant in (("seekr", "seeker"), ("bot", "both")):
        with pytest.raises(UnknownName, match=rf"\(adapter\.role\) called .* Did you mean '{meant}'"):
            learns(word, ("seeker", "hider"))


@pytest.mark.parametrize(
    ("role", "rows"), [("seeker", [0, 2, 4, 6]), ("hider", [1, 3, 5, 7]), ("both", range(8))]
)
def test_a_learner_has_the_rows_of_its_role_and_moves_no_other(slots_of, role, rows):
    slots = slots_of("tag", f"adapter.role={role}")
    assert slots.rows == len(rows)
    seen = slots.world.observations[rows]
    assert np.array_equal(slots.observations[:, : seen.shape[1]], seen)
    slots.world.actions[:] = 0.5
    slots.step(still(slots))
    assert (slots.world.actions[rows] == slots._head.table.numpy()[0]).all()
    others = np.setdiff1d(np.arange(8), rows)
    assert not len(others) or (slots.world.actions[others] != 0.5).any(), "a scripted player moved them"


def test_the_scripted_opponent_is_the_one_asked_for_at_its_level(slots_of):
    asked = slots_of("tag", "adapter.opponent=wander", "adapter.opponent_level=2")._opponents._bots["hider"]
    usual = slots_of("tag")._opponents._bots["hider"]
    assert (asked.name, asked.level) == ("wander", 2) and usual.name == "evade"
    assert usual.level == usual.spec.bots["evade"]["levels"], "its top level"


def test_observations_are_new_arrays_at_every_step_with_masks_beside_them(slots_of):
    slots = slots_of("prospector")
    before, size = slots.observations, slots.spec.observation_size
    kept = before.copy()
    slots.step(slots.world.masks.argmax(axis=1))
    assert slots.observations is not before and np.array_equal(before, kept)
    assert np.array_equal(slots.observations[:, size:], slots.world.masks)
    assert np.array_equal(slots.observations[:, :size], slots.world.observations)


def test_the_normaliser_is_shown_every_eighth_step_and_about_256_rows(slots_of):
    for worlds, rows in ((4, 4), (300, 300), (512, 256)):
        slots = slots_of("tag", worlds=worlds)
        first = slots.observation_sample()  # of the reset
        assert first.shape == (rows, slots.spec.observation_size)
        shown = []
        for _ in range(17):
            slots.step(still(slots))
            shown.append(len(slots._raw_observations))
        assert shown == [0] * 7 + [1] * 8 + [2] * 2
        assert len(slots.observation_sample()) == 2 * rows
        assert len(slots.observation_sample()) == rows, "none was kept since: what is seen now"


@pytest.mark.parametrize("scaled", [True, False])
def test_rewards_are_divided_by_the_std_of_discounted_returns(slots_of, scaled):
    slots = slots_of(
        "tag", "settings.time_limit=2", f"ppo.normalize_rewards={str(scaled).lower()}", "adapter.gamma=0.9"
    )
    scale, running, ends = ReturnScale(), np.zeros(WORLDS), 0
    for _ in range(60):
        slots.step(still(slots))
        rewards = slots.world.rewards[slots._slots]
        running = running * 0.9 + rewards
        scale.update(running.astype(np.float32))
        assert slots.rewards == pytest.approx(rewards / scale.std if scaled else rewards, rel=1e-4, abs=1e-6)
        ended = slots.terminated | slots.truncated
        running[ended] = 0.0
        ends += ended.sum()
    assert ends > 0


def test_a_reset_forgets_the_running_returns(slots_of):
    slots = slots_of("tag")
    slots.step(still(slots))
    slots.reset(SEED)
    assert not slots._running_returns.any()


def test_the_same_seed_repeats_every_episode_opponents_included(slots_of):
    def played(slots):
        seen = []
        for _ in range(80):
            slots.step(still(slots))
            seen.append(slots.world.observations.copy())
        return np.array(seen)

    slots = slots_of("tag", "settings.time_limit=2", "adapter.opponent=wander")
    first = played(slots)
    slots.reset(SEED)
    assert np.array_equal(played(slots), first)
    slots.reset(SEED + 1)
    assert not np.array_equal(played(slots), first)


def test_an_opponents_stream_begins_anew_with_the_seed_of_each_episode(slots_of):
    slots, begun = slots_of("tag", "settings.time_limit=1"), []
    slots._opponents.begin = lambda world, seed: begun.append((world, seed))
    slots.reset(SEED)
    roots = seeding.for_worlds(SEED, WORLDS)
    assert begun == [(w, seeding.for_episode(int(roots[w]), 0)) for w in range(WORLDS)]
    begun.clear()
    while not begun:
        ended = slots.step(still(slots))
    assert [world for world, _ in begun] == ended.heads["world"].tolist()
    assert all(seed == seeding.for_episode(int(roots[world]), 1) for world, seed in begun)


def test_steps_and_episodes_that_do_not_count_are_not_in_the_ledger(slots_of):
    slots = slots_of("tag", "settings.time_limit=1")
    counts = np.array([True, False, True, True])
    ended = None
    while ended is None:
        ended = slots.step(still(slots), counts)
    assert 1 not in ended.heads["world"].tolist() and slots.recorder.ready == 0


def test_a_held_world_is_put_back_with_its_opponents(slots_of):
    slots = slots_of("tag")
    slots.hold(np.array([2]))
    before = [slots.world.hash(w) for w in range(WORLDS)]
    slots.step(still(slots))
    slots.restore_held()
    after = [slots.world.hash(w) for w in range(WORLDS)]
    assert [a == b for a, b in zip(after, before, strict=True)] == [False, False, True, False]
    size = slots.spec.observation_size
    assert np.array_equal(slots.observations[:, :size], slots.world.observations[slots._slots])
    slots.step(still(slots))
    slots.restore_held()
    assert slots.world.hash(2) != before[2], "held for one step only"


def test_the_last_observation_of_an_episode_is_given_with_every_action_legal(slots_of):
    slots = slots_of("prospector", "settings.time_max=60")
    while slots.step(slots.world.masks.argmax(axis=1)) is None:
        pass
    rows = np.flatnonzero(slots.terminated | slots.truncated)
    last, size = slots.final_observations(rows), slots.spec.observation_size
    assert last.shape == (len(rows), size + slots.spec.action_count)
    assert (
        np.array_equal(last[:, :size], slots.world.final_observations[rows]) and (last[:, size:] == 1).all()
    )


def test_closing_gives_the_engines_memory_back(slots_of):
    slots = slots_of("tag")
    assert isinstance(slots.world, NativeWorld)
    slots.close()
    assert "closed" in repr(slots.world)
