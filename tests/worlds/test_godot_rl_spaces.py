"""Spaces of stock godot-rl games: both shapes of them, what is refused, rows of numbers."""

import numpy as np
import pytest

from sandlot.errors import BadMessage, Refused
from sandlot.spec import Document
from sandlot.worlds.godot_rl_spaces import read_spaces, stack

OBSERVED = {"obs": {"size": [3], "space": "box"}}
MOVED = {"move": {"size": 2, "action_type": "continuous"}, "jump": {"size": 3, "action_type": "discrete"}}
INFO = {"type": "env_info", "n_agents": 2, "observation_space": OBSERVED, "action_space": MOVED}


def spaces(**changes):
    return read_spaces(INFO | changes)


def rows_of(observed, given):
    only = spaces(observation_space=observed).of(0)
    row = np.zeros(only.observation_size, np.float32)
    only.decode(given, row, "Agent 0")
    return row


@pytest.mark.parametrize("several", [False, True], ids=["one for all", "one each"])
def test_spaces_come_as_one_for_all_agents_or_one_each(several):
    lists = {"observation_space": [OBSERVED] * 2, "action_space": [MOVED] * 2} if several else {}
    read = spaces(**lists)
    assert read.roles == ("agent", "agent") and read.of(1) == read.of(0)
    assert read.of(0).observation_size == 3
    kinds = [(a["name"], a["kind"]) for a in read.of(0).actions()]
    assert kinds == [("move_0", "axis"), ("move_1", "axis"), ("jump", "choice")]


def test_policies_become_roles_with_sizes_of_their_own():
    small = {"obs": {"size": [1], "space": "box"}}
    read = spaces(
        agent_policy_names=["red", "blue"],
        observation_space=[OBSERVED, small],
        action_space=[MOVED, {"hit": {"size": 1, "action_type": "continuous"}}],
    )
    assert read.roles == ("red", "blue")
    assert [read.of(i).observation_size for i in range(2)] == [3, 1]


def test_an_action_is_a_list_of_floats_or_a_whole_number_by_head():
    made = spaces().of(0).encode(np.array([0.5, -1.0, 2.0], np.float32))
    assert made == {"move": [0.5, -1.0], "jump": 2} and isinstance(made["jump"], int)
    alone = spaces(action_space={"go": {"size": 4, "action_type": "discrete"}}).of(0)
    assert alone.encode(np.int32(3)) == {"go": 3}


def test_a_discrete_observation_is_one_of_n():
    observed = {"level": {"size": 3, "space": "discrete"}, "obs": {"size": [1], "space": "box"}}
    assert rows_of(observed, {"obs": [7.0], "level": 2}).tolist() == [0, 0, 1, 7]
    for wrong in (3, -1, "2", None):
        with pytest.raises(BadMessage, match=f"Agent 0 sent {wrong!r} in level, expected 0 to 2"):
            rows_of(observed, {"obs": [7.0], "level": wrong})


@pytest.mark.parametrize("alpha", [0, 1], ids=["as declared", "with an alpha channel"])
def test_a_picture_is_hex_in_rows_of_pixels_and_is_declared_channels_first(alpha):
    observed = {"camera_2d": {"size": [3, 2, 2], "space": "box"}}
    pixels = np.arange(4 * 3, dtype=np.uint8).reshape(2, 2, 3)
    sent = np.concatenate([pixels, np.full((2, 2, alpha), 255, np.uint8)], axis=2)
    read = spaces(observation_space=observed)
    assert read.pictures
    field = Document.parse({"name": "x", "observation": read.of(0).fields(), "actions": read.of(0).actions()})
    assert field.observation[0].image and field.observation[0].shape == (2, 2, 3)
    row = rows_of(observed, {"camera_2d": sent.tobytes().hex()})
    assert row.tolist() == pixels.reshape(-1).tolist()


def test_many_observations_are_written_as_one_block():
    only = spaces().of(0)
    rows = np.zeros((2, 3), np.float32)
    stack(only, [{"obs": [1, 2, 3]}, {"obs": [4, 5, 6]}], rows, ["Agent 0", "Agent 1"])
    assert rows.tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"obs": [1, 2]}, ["Agent 1", "2 numbers in obs", "declares 3"]),
        ({"obs": [1, 2, float("nan")]}, ["Agent 1", r"obs\[2\]"]),
        ({"other": [1, 2, 3]}, ["Agent 1", "'obs'"]),
        ({"obs": ["a", "b", "c"]}, ["Agent 1", "not a list of numbers"]),
        ([1, 2, 3], ["Agent 1", "expected an object"]),
    ],
)
def test_a_wrong_observation_names_agent_and_key(given, words):
    only, rows = spaces().of(0), np.zeros((2, 3), np.float32)
    with pytest.raises(BadMessage, match=".*".join(words)):
        stack(only, [{"obs": [1, 2, 3]}, given], rows, ["Agent 0", "Agent 1"])


def test_a_camera_without_a_screen_is_named():
    observed = {"camera_2d": {"size": [3, 2, 2], "space": "box"}}
    with pytest.raises(BadMessage, match="camera_2d: cameras see nothing without a screen"):
        rows_of(observed, {"camera_2d": None})
    with pytest.raises(BadMessage, match="no hex text in camera_2d"):
        rows_of(observed, {"camera_2d": "zz"})
    with pytest.raises(BadMessage, match="sent 1 bytes in camera_2d"):
        rows_of(observed, {"camera_2d": "00"})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"n_agents": 0}, "group AGENT"),
        ({"n_agents": 1e300}, "expected 1 to 4096"),
        ({"n_agents": "two"}, "expected 1 to 4096"),
        ({"agent_policy_names": ["a"]}, "names policies of 1"),
        ({"observation_space": [OBSERVED]}, "observation_space"),
        ({"observation_space": {}}, "observation_space"),
        ({"action_space": None}, "action_space"),
        ({"observation_space": {"obs": {"size": [0], "space": "box"}}}, "size 0"),
        ({"observation_space": {"obs": {"size": [1 << 19, 4], "space": "box"}}}, "more than 1048576 numbers"),
        ({"observation_space": {"obs": {"size": [3], "space": "text"}}}, "box or discrete"),
        ({"observation_space": {"cam_2d": {"size": [36, 36], "space": "box"}}}, "channels, height, width"),
        ({"action_space": {"move": {"size": 2}}}, "'move'.*action_type"),
        ({"action_space": {"move": {"size": True, "action_type": "discrete"}}}, "'move' has the size True"),
        ({"observation_space": [OBSERVED, {"obs": {"size": [4], "space": "box"}}]}, "Agents 0 and 1 share"),
    ],
)  # fmt: skip
def test_spaces_that_cannot_be_are_refused_in_a_sentence(changes, words):
    with pytest.raises(Refused, match=words):
        spaces(**changes)
