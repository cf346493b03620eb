"""Matches recorded through the wire: the frames that are kept are those that were shown."""

from dataclasses import replace

import numpy as np
import pytest

from sandlot.errors import SpecMismatch
from sandlot.evaluate.replay_reader import open_replay, open_world
from sandlot.evaluate.replay_recorder import record, verify
from sandlot.games import bot
from sandlot.runs import Replay
from sandlot.worlds.make import ENGINES

from .playing import remote

SETTINGS = {"time_limit": 4.0}


@pytest.fixture(scope="module")
def both():
    """One match natively, and the same through a process that plays native worlds behind the wire."""
    players = {"seeker": bot("tag", "chase", config=SETTINGS), "hider": bot("tag", "evade", config=SETTINGS)}
    ENGINES["elsewhere"] = lambda game, worlds, threads, seed, config, **more: remote(
        game, worlds=worlds, seed=seed, config=config, **more
    )
    try:
        native = record("tag", players, 11, SETTINGS)
        return native, Replay.from_bytes(record("tag", players, 11, SETTINGS, engine="elsewhere").to_bytes())
    finally:
        del ENGINES["elsewhere"]


def test_kept_frames_show_what_playing_again_shows_to_the_last_one(both):
    native, kept = both
    assert kept.header.played_in == "elsewhere" and kept.hashes == []
    assert np.array_equal(native.actions, kept.actions) and native.events == kept.events
    with open_replay(native) as one, open_replay(kept) as other:
        _same_state(one.initial_state(), other.initial_state())
        pages = [player.page(0, 5000, info=True).frames for player in (one, other)]
        assert len(pages[0]) == len(pages[1]) == native.end.steps
        for again, stored in zip(*pages, strict=True):
            for name in ("frame_index", "t", "dt", "action", "reward", "terminated", "truncated", "events"):
                assert getattr(again, name) == getattr(stored, name), name
            _same_state(again.render_state, stored.render_state)
            _same_state(again.info, stored.info)
        assert pages[1][-1].terminated and pages[1][-1].render_state["winner"] != "nobody"
        page = other.page(native.end.steps - 2, 10)
        assert (len(page.frames), page.has_more, other.page(10**6).frames) == (2, False, [])


def _same_state(one, other):
    assert one.keys() == other.keys()
    for name, value in one.items():
        if isinstance(value, str):
            assert value == other[name]
        else:
            np.testing.assert_allclose(value, other[name], atol=2e-3, err_msg=name)


def test_a_kept_match_is_not_played_again_but_must_not_contradict_itself(both):
    _, kept = both
    verdict = verify(kept)
    assert verdict.agrees and not verdict.simulated
    with pytest.raises(SpecMismatch, match="cannot be played again"):
        open_world(kept)


@pytest.mark.parametrize(
    ("what", "word"),
    [({"ticks": 1}, "ticks"), ({"returns": [1.0, 2.0]}, "add up")],
)
def test_sums_that_the_frames_contradict_are_reported(both, what, word):
    _, kept = both
    verdict = verify(replace(kept, end=kept.end.model_copy(update=what)))
    assert not verdict.agrees and word in verdict.differences[0]


def test_frames_of_another_layout_are_not_shown(both):
    _, kept = both
    blocks = dict(kept.frames.blocks) | {"render": kept.frames.blocks["info"]}
    with pytest.raises(SpecMismatch, match="another layout"):
        open_replay(replace(kept, frames=replace(kept.frames, blocks=blocks)))
