"""serve/frames.py: how many replays stay open, and what is closed when one more comes."""

from types import SimpleNamespace

import pytest
from leaks import nothing_left_open

from sandlot import bot
from sandlot.errors import NotReset, SpecMismatch
from sandlot.evaluate.replay_recorder import record
from sandlot.serve import frames as module
from sandlot.serve.frames import CHUNK_FRAMES, FrameCache, FrameReader


@pytest.fixture(scope="module")
def replay():
    return record("tag", {"seeker": bot("tag", "chase"), "hider": bot("tag", "evade")}, 7)


class Closing:
    """A reader that remembers that it was closed."""

    def __init__(self, replay):
        self.replay, self.closed = replay, 0

    def close(self):
        self.closed += 1


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """`open(name)` opens the replay of that name in a cache of frames; files are read as their names."""
    made = FrameCache(1 << 20)
    monkeypatch.setattr(module, "FrameReader", Closing)
    monkeypatch.setattr(module.Replay, "read", lambda path: path.name)
    run = SimpleNamespace(replay_path=lambda entry: tmp_path / entry.replay_id)

    def open_one(name):
        if not (tmp_path / name).exists():
            (tmp_path / name).touch()
        return made.open(run, SimpleNamespace(replay_id=name))[1]

    return SimpleNamespace(open=open_one, close=made.close)


def test_32_replays_stay_open_and_the_one_unused_for_longest_is_closed(cache):
    first, second, *others = [cache.open(f"{n}") for n in range(32)]
    assert cache.open("0") is first and not any(reader.closed for reader in (first, second, *others))
    cache.open("one more")
    assert (first.closed, second.closed) == (0, 1) and not any(reader.closed for reader in others)
    assert cache.open("0") is first and cache.open("1") is not second


def test_closing_closes_every_open_replay_once(cache):
    readers = [cache.open(f"{n}") for n in range(3)]
    cache.close()
    cache.close()
    assert [reader.closed for reader in readers] == [1, 1, 1] and cache.open("0") is not readers[0]


def test_a_replay_plays_on_where_the_last_chunk_ended_and_closes_its_world(replay):
    with nothing_left_open():
        reader = FrameReader(replay)
        first = reader.chunk(0, info=False)
        opened = reader.reader
        reader.chunk(1, info=False)
        assert len(first) == CHUNK_FRAMES == 64 and reader.reader is opened
        reader.close()
        reader.close()
        assert reader.reader is None
        assert reader.chunk(0, info=False) == first, "a closed one opens again"
        reader.close()


def test_frames_have_running_metrics_only_when_asked(replay):
    reader = FrameReader(replay)
    assert b'"info":' not in reader.chunk(0, info=False)[0] and b'"info":{' in reader.chunk(0, info=True)[0]
    reader.close()


def test_a_replay_that_ends_too_early_here_is_of_another_engine(replay):
    class Ends:
        def page(self, *_):
            raise NotReset("ended")

        def close(self):
            pass

    with pytest.raises(SpecMismatch, match="ends earlier here"):
        FrameReader(replay, reader=Ends()).chunk(0, info=False)
