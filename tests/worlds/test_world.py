"""Finished episodes as rows and as columns, and what a world is assumed to be able to do."""

import numpy as np
import pytest

from sandlot.errors import UnknownName
from sandlot.spec import EpisodeField
from sandlot.worlds.world import HEAD, Capabilities, Episodes

FIELDS = (EpisodeField(name="return", start=0, shape=(2,)), EpisodeField(name="points", start=2))


@pytest.fixture
def episodes():
    heads = np.zeros(3, HEAD)
    heads["seed"], heads["length"] = [5, 6, 2**64 - 1], [10, 20, 30]
    heads["terminated"] = [True, False, True]
    return Episodes(FIELDS, heads, np.arange(9, dtype=np.float32).reshape(3, 3))


def test_an_episode_is_a_mapping_of_plain_values(episodes):
    last = episodes[2]
    assert (last["seed"], last["length"], last["terminated"], last["points"]) == (2**64 - 1, 30, True, 8.0)
    assert [type(last[name]) for name in ("seed", "terminated", "points")] == [int, bool, float]
    assert last["return"].tolist() == [6, 7] and len(list(episodes)) == len(episodes) == 3


def test_some_episodes_are_episodes_again(episodes):
    assert episodes[1:].column("points").tolist() == [5, 8]
    assert episodes[episodes.heads["terminated"]].column("length").tolist() == [10, 30]


def test_a_column_is_of_the_head_or_of_the_game(episodes):
    assert episodes.column("length").tolist() == [10, 20, 30]
    assert episodes.column("points").tolist() == [2, 5, 8]
    assert episodes.column("return").tolist() == [[0, 1], [3, 4], [6, 7]]
    assert episodes.has("points") and not episodes.has("length")
    with pytest.raises(UnknownName, match="no episode column called 'point'"):
        episodes.column("point")


def test_episodes_are_joined_in_their_order(episodes):
    joined = Episodes.concatenate([episodes[2:], episodes[:1]])
    assert joined.column("seed").tolist() == [2**64 - 1, 5] and joined.fields == FIELDS


def test_a_world_on_the_cpu_can_do_everything_but_draw_unless_it_says_otherwise():
    able = {name for name, can in vars(Capabilities()).items() if can}
    assert set(vars(Capabilities())) - able == {"picture", "tensors"}
