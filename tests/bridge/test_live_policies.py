"""Policies that only act: random, scripted and fixed weights, each agent with its own recurrent state."""

import numpy as np
import pytest

from sandlot.bridge.matches import Transition
from sandlot.bridge.random_policy import RandomPolicy
from sandlot.bridge.streaming import Acknowledgement
from sandlot.games.live_policies import FixedPolicy, observed_roles, specs_by_length
from sandlot.worlds import load_spec

SPEC = load_spec("tag")
SIZE = SPEC.observation_size
NO_STEPS = [None]


def row(role=1.0, size=SIZE, spec=SPEC):
    seen = np.zeros(size, np.float32)
    seen[spec.field("roles").start] = role
    return seen


def ended(slot, terminated=False, truncated=False):
    blank = np.zeros(SIZE, np.float32)
    return Transition(slot, blank, blank, 0.0, None, terminated, truncated, None, None)


class CountingPolicy:
    """Its state is how often it was asked; its action is that number."""

    def act(self, observations, mask, state):
        assert observations.shape == (1, SIZE) and mask is None
        count = 0 if state is None else state
        return np.full((1, SPEC.action_size), count, np.float32), count + 1


@pytest.fixture
def policy():
    return FixedPolicy(SPEC, {"seeker": CountingPolicy(), "hider": CountingPolicy()})


def count(policy, slot, role=1.0):
    (action,) = policy.act([slot], [row(role)], NO_STEPS)
    assert action.dtype == np.float32 and action.shape == (SPEC.action_size,)
    return action[0]


def test_each_agent_has_a_state_of_its_own(policy):
    assert [count(policy, (1, "A")) for _ in range(3)] == [0, 1, 2]
    assert count(policy, (1, "B")) == 0 and count(policy, (2, "A")) == 0
    assert count(policy, (1, "A"), role=0.0) == 0, "and each role that it plays"
    assert count(policy, (1, "A")) == 3


@pytest.mark.parametrize("ending", ["terminated", "truncated"])
def test_an_ended_episode_is_forgotten_and_only_that_one(policy, ending):
    for slot in ((1, "A"), (1, "B"), (2, "A")):
        count(policy, slot)
    assert policy.add_transitions([ended((1, "A"), **{ending: True}), ended((1, "B"))]) == Acknowledgement()
    assert [count(policy, slot) for slot in ((1, "A"), (1, "B"), (2, "A"))] == [0, 1, 1]


def test_both_roles_of_an_agent_are_forgotten_at_its_end(policy):
    count(policy, (1, "A"), 1.0), count(policy, (1, "A"), 0.0)
    policy.add_transitions([ended((1, "A"), terminated=True)])
    assert count(policy, (1, "A"), 1.0) == count(policy, (1, "A"), 0.0) == 0


def test_a_connection_that_left_is_forgotten_and_the_others_are_not(policy):
    for slot in ((1, "A"), (1, "B"), (2, "A")):
        count(policy, slot)
    policy.disconnected(1)
    assert [count(policy, slot) for slot in ((1, "A"), (1, "B"), (2, "A"))] == [0, 0, 1]


def test_a_policy_plays_one_length_and_scripts_play_every_layout(policy):
    lengths = sorted(specs_by_length(SPEC))
    assert [policy.accepts(length) for length in lengths] == [length == SIZE for length in lengths]
    scripted = FixedPolicy(SPEC)
    assert len(lengths) == 3 and all(scripted.accepts(length) for length in lengths)
    assert not scripted.accepts(SIZE + 1) and not policy.accepts(SIZE + 1)


def test_layouts_are_found_by_their_length_and_keep_the_settings():
    spec = load_spec("tag", {"time_limit": 2})
    found = specs_by_length(spec)
    assert found[spec.observation_size] is spec
    assert all(length == one.observation_size for length, one in found.items())
    assert {one.config["time_limit"] for one in found.values()} == {2}
    assert {(one.config["layout"], one.config["privileged"]) for one in found.values()} == {
        ("rays", False),
        ("reference84", False),
        ("rays", True),
    }


def test_layouts_are_found_whichever_of_them_the_game_has():
    spec = load_spec("tag", {"layout": "rays", "privileged": True})
    assert sorted(specs_by_length(spec)) == sorted(specs_by_length(SPEC))


def test_each_agent_has_an_observation(policy):
    with pytest.raises(ValueError, match="shorter"):
        policy.act([(1, "A"), (1, "B")], [row()], NO_STEPS)


def test_a_game_without_layouts_is_played_as_it_is():
    spec = load_spec("prospector")
    assert specs_by_length(spec) == {spec.observation_size: spec}


def test_roles_are_read_from_the_flag_in_the_observation():
    rows = np.stack([row(1.0), row(0.0), row(0.5), row(0.4)])
    assert observed_roles(SPEC, rows) == ["seeker", "hider", "seeker", "hider"]
    solo = load_spec("prospector")
    assert observed_roles(solo, np.zeros((2, solo.observation_size))) == [solo.roles[0]] * 2


def test_a_role_without_weights_is_played_by_its_script():
    mixed, scripted = FixedPolicy(SPEC, {"seeker": CountingPolicy()}), FixedPolicy(SPEC)
    assert count(mixed, (1, "A")) == 0 and count(mixed, (1, "A")) == 1
    slots, hider = [(1, "B")], [row(0.0)]
    assert np.array_equal(mixed.act(slots, hider, NO_STEPS), scripted.act(slots, hider, NO_STEPS))


def test_scripts_chase_and_evade():
    """They read where the opponent is: the seeker goes there, the hider goes away."""
    from sandlot.games import bot

    seen = np.random.default_rng(1).uniform(-1, 1, (1, SIZE)).astype(np.float32)
    for flag, name in ((1.0, "chase"), (0.0, "evade")):
        seen[0, SPEC.field("roles").start] = flag
        (ours,) = FixedPolicy(SPEC).act([(1, "A")], [seen[0]], NO_STEPS)
        config = {"profile": SPEC.profile, **SPEC.config}
        theirs, _ = bot("tag", name, config=config).act(seen, None, None)
        assert np.allclose(ours, np.asarray(theirs).reshape(-1))


def test_random_play_is_repeatable_within_bounds_and_never_jumps():
    slots = [(1, str(i)) for i in range(200)]
    rows = [row()] * 200
    first = RandomPolicy(SPEC, 5).act(slots, rows, [None] * 200)
    assert first.dtype == np.float32 and first.shape == (200, SPEC.action_size)
    assert np.array_equal(first, RandomPolicy(SPEC, 5).act(slots, rows, [None] * 200))
    assert not np.array_equal(first, RandomPolicy(SPEC, 6).act(slots, rows, [None] * 200))
    assert np.array_equal(RandomPolicy(SPEC).act(slots, rows, []), RandomPolicy(SPEC, 0).act(slots, rows, []))
    jump = SPEC.action_names.index("jump")
    moves = np.delete(first, jump, axis=1)
    assert not first[:, jump].any() and -1 <= moves.min() < -0.9 and 0.9 < moves.max() <= 1


def test_a_random_policy_takes_any_length_and_learns_nothing():
    policy = RandomPolicy(SPEC)
    assert policy.accepts(1) and policy.accepts(10_000)
    assert policy.add_transitions([ended((1, "A"), True)]) == Acknowledgement() and policy.version == 0
    assert FixedPolicy(SPEC).version == 0
