"""One streaming connection without a socket: what is answered, counted, refused and remembered."""

import json

import numpy as np
import pytest

from sandlot.bridge import limits, messages
from sandlot.bridge.matches import MatchTracker
from sandlot.bridge.quarantine import Quarantine
from sandlot.bridge.random_policy import RandomPolicy
from sandlot.bridge.streaming import Acknowledgement, ConnectionHandler
from sandlot.errors import BadMessage
from sandlot.worlds import load_spec

SPEC = load_spec("tag")
SIZE, ACTIONS = SPEC.observation_size, SPEC.action_size
WELCOME = messages.welcome(SPEC, 1, messages.STREAMING, messages.JSON)


class RecordingPolicy:
    """Answers with a counter and keeps what it was asked and given."""

    version, observation_size, action_size = 7, SIZE, ACTIONS

    def __init__(self):
        self.asked, self.given = [], []

    def act(self, agent_slots, observations, steps):
        self.asked.append((list(agent_slots), [row.copy() for row in observations], list(steps)))
        return np.arange(len(agent_slots) * ACTIONS, dtype=np.float32).reshape(len(agent_slots), ACTIONS)

    def add_transitions(self, transitions):
        self.given.extend(transitions)
        return Acknowledgement(stale=2, unmatched=1)

    def accepts(self, length):
        return length in (SIZE, 84)

    def disconnected(self, connection):
        pass


@pytest.fixture
def policy():
    return RecordingPolicy()


@pytest.fixture
def quarantine(tmp_path):
    return Quarantine(tmp_path / "refused.jsonl")


@pytest.fixture
def handler(policy, quarantine):
    return ConnectionHandler(3, policy, WELCOME, MatchTracker(), quarantine)


def numbers(count, value=0.5):
    return [value] * count


def transition(**changes):
    row = {
        "obs": numbers(SIZE),
        "action": numbers(ACTIONS),
        "reward": 1.0,
        "done": False,
        "next_obs": numbers(SIZE, 0.25),
        "info": {"agent": "A", "role": "seeker"},
    }
    return row | changes


def kept(quarantine):
    """What the file of refusals holds; nothing where there is none."""
    if not quarantine.file.exists():
        return []
    return [json.loads(line) for line in quarantine.file.read_text().splitlines()]


# ---------------------------------------------------------------- hello


def test_a_hello_that_fits_is_welcomed_with_the_version_of_the_policy(handler, quarantine):
    reply = handler.answer({"type": "hello", "protocol": messages.PROTOCOL, "observation_size": SIZE})
    assert reply == WELCOME | {"policy_version": 7} and quarantine.total == 0


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"protocol": messages.PROTOCOL + 1}, "protocol_mismatch"),
        ({"mode": "lockstep"}, "wrong_mode"),
        ({"encodings": ["binary"]}, "wrong_encoding"),
        ({"encodings": "json"}, "wrong_encoding"),
        ({"game": "chess"}, "spec_mismatch"),
        ({"game_version": 999}, "spec_mismatch"),
        ({"spec_hash": "0"}, "spec_mismatch"),
        ({"action_size": ACTIONS + 1}, "spec_mismatch"),
        ({"observation_size": SIZE + 1}, "spec_mismatch"),
        ({"observation_size": "many"}, "spec_mismatch"),
    ],
)
def test_a_hello_that_does_not_fit_is_refused_and_kept_aside(handler, quarantine, changes, code):
    reply = handler.answer({"type": "hello"} | changes)
    assert (reply["type"], reply["code"]) == ("error", code)
    assert quarantine.counts == {code: 1} and kept(quarantine)[0]["connection"] == 3


@pytest.mark.parametrize("changes", [{}, {"observation_size": 84}, {"observation_size": float(SIZE)}])
def test_a_hello_may_leave_things_out_and_may_have_an_older_layout(handler, changes):
    assert handler.answer({"type": "hello"} | changes)["type"] == "welcome"


def test_a_server_without_a_spec_asks_no_game_to_fit_it(policy):
    bare = ConnectionHandler(1, policy, {"type": "welcome"}, MatchTracker())
    assert bare.answer({"type": "hello", "game": "anything"})["type"] == "welcome"


# ---------------------------------------------------------------- acting


def test_one_action_is_counted_and_answered_with_version_and_step(handler, policy):
    reply = handler.answer({"type": "act", "obs": numbers(SIZE), "step": 12})
    assert reply == {"type": "action", "action": [0.0, 1.0, 2.0], "info": {}, "policy_version": 7, "step": 12}
    ((slots, rows, steps),) = policy.asked
    assert slots == [(3, "agent")] and rows[0].shape == (SIZE,) and steps == [12] and handler.acted == 1


def test_a_reply_names_no_step_where_the_message_had_none(handler):
    assert "step" not in handler.answer({"type": "act", "obs": numbers(SIZE)})
    assert "step" not in handler.answer({"type": "act_batch", "obs": {}})


@pytest.mark.parametrize("obs", [None, [], numbers(SIZE - 1), numbers(SIZE, limits.LARGEST_OBSERVATION + 1)])
def test_an_observation_that_cannot_be_used_gets_zeros_and_reaches_no_player(
    handler, policy, quarantine, obs
):
    reply = handler.answer({"type": "act", "obs": obs, "step": 4})
    assert reply["action"] == [0.0] * ACTIONS and reply["info"]["error"] == "invalid_obs"
    assert (reply["step"], reply["policy_version"]) == (4, 7)
    assert policy.asked == [] and handler.acted == 0 and quarantine.counts == {"invalid_obs": 1}


def test_a_batch_is_played_without_its_wrong_rows(handler, policy, quarantine):
    given = {"A": numbers(SIZE), "B": [1.0], "C": numbers(84)}
    reply = handler.answer({"type": "act_batch", "obs": given, "step": 5})
    assert reply["actions"] == {"A": [0.0, 1.0, 2.0], "B": [0.0] * ACTIONS, "C": [3.0, 4.0, 5.0]}
    assert reply["info"]["error"] == "invalid_obs" and list(reply["info"]["errors"]) == ["B"]
    ((slots, _, steps),) = policy.asked
    assert slots == [(3, "A"), (3, "C")] and steps == [5, 5] and handler.acted == 2
    assert [row["code"] for row in kept(quarantine)] == ["invalid_obs"]


def test_a_batch_without_one_good_row_asks_the_player_nothing(handler, policy):
    reply = handler.answer({"type": "act_batch", "obs": {"A": [1.0]}})
    assert reply["actions"] == {"A": [0.0] * ACTIONS} and policy.asked == [] and handler.acted == 0


def test_a_good_batch_has_no_error_in_its_info(handler):
    assert handler.answer({"type": "act_batch", "obs": {"A": numbers(SIZE)}})["info"] == {}


@pytest.mark.parametrize("obs", [None, [], {f"a{i}": [] for i in range(limits.MOST_AGENTS + 1)}])
def test_a_batch_is_an_object_of_so_many_agents(handler, policy, obs):
    with pytest.raises(BadMessage) as problem:
        handler.answer({"type": "act_batch", "obs": obs})
    assert problem.value.code == "invalid_obs" and policy.asked == []


def test_a_batch_of_as_many_agents_as_are_allowed_is_answered(handler):
    names = [f"a{i}" for i in range(limits.MOST_AGENTS)]
    reply = handler.answer({"type": "act_batch", "obs": dict.fromkeys(names, numbers(SIZE))})
    assert len(reply["actions"]) == handler.acted == limits.MOST_AGENTS and reply["info"] == {}
    one_more = handler.answer({"type": "act_batch", "obs": {"another": numbers(SIZE)}})
    assert "another" in one_more["info"]["errors"], "a connection cannot name agents without end"
    known = handler.answer({"type": "act_batch", "obs": {"a0": numbers(SIZE)}})
    assert known["info"] == {}, "those that it named before are still answered"


@pytest.mark.parametrize(("length", "taken"), [(0, False), (1, True), (100, True), (101, False)])
def test_an_agents_name_has_one_to_a_hundred_characters(handler, length, taken):
    reply = handler.answer({"type": "act_batch", "obs": {"n" * length: numbers(SIZE)}})
    assert (reply["info"] == {}) == taken
    assert limits.MOST_NAME == 100


# ---------------------------------------------------------------- transitions


def test_a_batch_of_transitions_is_handed_over_and_acknowledged(handler, policy):
    given = [transition(step=1, policy_version=6), transition(done=True, next_obs=None)]
    reply = handler.answer({"type": "transition_batch", "transitions": given, "step": 9})
    assert reply == {
        "type": "ack",
        "stored": 2,
        "stale": 2,
        "unmatched": 1,
        "refused": 0,
        "policy_version": 7,
        "step": 9,
    }
    first, last = policy.given
    assert (first.agent_slot, first.reward, first.version, first.step) == ((3, "A"), 1.0, 6, 1)
    assert (first.terminated, first.truncated) == (False, False) and first.next_observation[0] == 0.25
    assert (last.terminated, last.truncated, last.version, last.step) == (True, False, None, None)
    assert last.next_observation is None and handler.stored == 2


def test_nothing_is_stored_stale_unmatched_or_refused_to_begin_with():
    assert (
        Acknowledgement().stored,
        Acknowledgement().stale,
        Acknowledgement().unmatched,
        Acknowledgement().refused,
    ) == (0, 0, 0, 0)
    assert Acknowledgement().errors == [] and Acknowledgement().errors is not Acknowledgement().errors


def test_good_transitions_add_up_to_a_match(policy):
    matches = MatchTracker()
    handler = ConnectionHandler(3, policy, WELCOME, matches)
    handler.answer({"type": "transition_batch", "transitions": [transition(), transition(done=True)]})
    (match,) = matches.finished()
    assert match.rewards == {"seeker": 2.0} and match.steps == 2


def test_a_player_answers_every_agent(handler, policy):
    policy.act = lambda agent_slots, observations, steps: np.zeros((1, ACTIONS), np.float32)
    with pytest.raises(ValueError, match="shorter"):
        handler.answer({"type": "act_batch", "obs": {"A": numbers(SIZE), "B": numbers(SIZE)}})


def test_wrong_transitions_are_counted_named_by_place_and_kept_from_the_player(handler, policy, quarantine):
    given = [transition(), "no object", transition(reward="much"), *[None] * 6]
    reply = handler.answer({"type": "transition_batch", "transitions": given})
    assert (reply["stored"], reply["refused"]) == (1, 8) and len(reply["errors"]) == 5
    assert reply["errors"][0].startswith("transitions[1]: ") and "reward" in reply["errors"][1]
    assert len(policy.given) == handler.stored == 1 and quarantine.counts == {"invalid_transition": 8}


def test_a_batch_without_a_good_transition_reaches_no_player(handler, policy):
    reply = handler.answer({"type": "transition_batch", "transitions": [None]})
    assert (reply["stored"], reply["stale"], reply["unmatched"]) == (0, 0, 0) and policy.given == []


@pytest.mark.parametrize("given", [None, {}, [None] * (limits.MOST_TRANSITIONS + 1)])
def test_a_batch_of_transitions_is_a_list_of_bounded_length(handler, policy, given):
    with pytest.raises(BadMessage) as problem:
        handler.answer({"type": "transition_batch", "transitions": given})
    assert problem.value.code == "invalid_transition" and policy.given == []


def test_a_batch_as_long_as_is_allowed_is_read(handler):
    given = [None] * limits.MOST_TRANSITIONS
    reply = handler.answer({"type": "transition_batch", "transitions": given})
    assert reply["refused"] == limits.MOST_TRANSITIONS


def test_a_single_transition_is_answered_when_asked_or_wrong(handler):
    assert handler.answer({"type": "transition", **transition()}) is None
    reply = handler.answer({"type": "transition", "ack": True, "step": 2, **transition()})
    assert (reply["type"], reply["stored"], reply["step"]) == ("ack", 1, 2)
    wrong = handler.answer({"type": "transition", "step": 8, **transition(obs=[])})
    assert (wrong["type"], wrong["code"], wrong["step"]) == ("error", "invalid_transition", 8)


@pytest.mark.parametrize(
    ("flags", "terminated", "truncated"),
    [
        ({}, False, False),
        ({"done": True}, True, False),
        ({"terminated": True}, True, False),
        ({"truncated": True}, False, True),
        ({"done": True, "truncated": True}, False, True),
        ({"done": True, "terminated": True}, True, False),
        ({"terminated": True, "truncated": True}, True, False),
    ],
)
def test_done_alone_means_that_the_game_ended(handler, policy, flags, terminated, truncated):
    row = transition() | flags
    if "done" not in flags:
        del row["done"]
    handler.answer({"type": "transition", **row})
    (got,) = policy.given
    assert (got.terminated, got.truncated) == (terminated, truncated)


@pytest.mark.parametrize("name", ["done", "terminated", "truncated"])
def test_an_ending_is_true_or_false(handler, policy, name):
    assert handler.answer({"type": "transition", **transition(**{name: "yes"})})["type"] == "error"
    assert policy.given == []


def test_a_transition_of_an_unnamed_agent_is_the_agents(handler, policy):
    handler.answer({"type": "transition", **transition(info={})})
    assert policy.given[0].agent_slot == (3, "agent")


@pytest.mark.parametrize(
    ("reward", "limit", "code"),
    [(100.0, 100.0, None), (100.5, 100.0, "not_finite"), (150.0, 150.0, None), ("1", 100.0, "not_numbers")],
)
def test_a_reward_is_taken_up_to_its_limit_and_the_refusal_says_how_to_raise_it(policy, reward, limit, code):
    handler = ConnectionHandler(1, policy, WELCOME, MatchTracker(), largest_reward=limit)
    reply = handler.answer({"type": "transition", **transition(reward=reward)})
    assert (reply is None) == (code is None)
    if reply:
        assert ("--reward-limit" in reply["text"]) == (code == "not_finite")


def test_info_keeps_what_is_known_and_drops_the_rest(handler, policy):
    info = {"agent": "A", "winner": "seeker", "terminal_reason": "tag", "role": None, "secret": "x" * 999}
    info |= {"distance_to_other": 2, "time_elapsed": 3.5}
    handler.answer({"type": "transition", **transition(info=info)})
    assert policy.given[0].info == {
        "agent": "A",
        "winner": "seeker",
        "terminal_reason": "tag",
        "distance_to_other": 2.0,
        "time_elapsed": 3.5,
    }


@pytest.mark.parametrize(
    "info",
    [
        [],
        {"role": 1},
        {"winner": "x" * 101},
        {"distance_to_other": 2 * limits.LARGEST_DISTANCE},
        {"time_elapsed": 2 * limits.LONGEST_EPISODE_S},
        {"time_elapsed": "long"},
    ],
)
def test_info_that_makes_no_sense_refuses_the_transition(handler, policy, info):
    assert handler.answer({"type": "transition", **transition(info=info)})["type"] == "error"
    assert policy.given == []


def test_a_text_of_info_may_be_empty(handler, policy):
    handler.answer({"type": "transition", **transition(info={"winner": ""})})
    assert policy.given[0].info == {"winner": ""}


def test_a_message_of_an_unknown_type_comes_back(handler):
    assert handler.answer({"type": "ping", "x": 1}) == {"type": "echo", "recv": {"type": "ping", "x": 1}}


def test_a_connection_without_a_quarantine_file_counts_only(policy):
    handler = ConnectionHandler(1, policy, WELCOME, MatchTracker())
    assert handler.answer({"type": "act", "obs": []})["info"]["error"] == "invalid_obs"


def test_a_player_that_takes_any_length_is_given_any_but_an_empty_one():
    handler = ConnectionHandler(1, RandomPolicy(SPEC), WELCOME, MatchTracker())
    assert handler.answer({"type": "act", "obs": [0.0] * 5})["info"] == {}
    assert handler.answer({"type": "act", "obs": []})["info"]["error"] == "invalid_obs"
