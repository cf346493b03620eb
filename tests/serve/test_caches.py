"""What the server keeps in memory or on disk: it is what it would be if made anew, and it is bounded."""

import os
import threading
from types import SimpleNamespace

import pytest

from sandlot.runs import Store
from sandlot.serve import context, exports, frames, scores
from sandlot.serve.errors import ApiError
from sandlot.serve.frames import FrameCache
from sandlot.serve.scores import ScoreCache


def test_scores_are_kept_up_to_a_number_and_the_oldest_go(monkeypatch):
    monkeypatch.setattr(scores, "MAX_ENTRIES", 3)
    book = ScoreCache()
    for seed in range(4):
        assert book.keep(("rules", seed), [seed]) == [seed]
    assert len(book) == 3 and book.get(("rules", 0)) is None
    assert [book.get(("rules", seed)) for seed in (1, 2, 3)] == [[1], [2], [3]]
    assert book.get(("other rules", 3)) is None


def test_exported_policies_are_kept_up_to_a_number_and_the_oldest_go(tmp_path, monkeypatch):
    monkeypatch.setattr(exports, "MAX_ENTRIES", 2)
    kept = exports.ExportCache(tmp_path)
    (tmp_path / "onnx").mkdir()
    for age, name in enumerate(("new", "older", "oldest")):
        path = tmp_path / "onnx" / f"{name}.onnx"
        path.write_bytes(b"x")
        os.utime(path, (1000 - age, 1000 - age))
    kept._remove_oldest()
    assert sorted(p.stem for p in (tmp_path / "onnx").iterdir()) == ["new", "older"]
    kept._remove_oldest()
    assert len(list((tmp_path / "onnx").iterdir())) == 2


def test_an_exported_policy_is_another_for_other_weights_and_for_another_role(tmp_path):
    first, second = tmp_path / "a.pt", tmp_path / "b.pt"
    first.write_bytes(b"weights")
    second.write_bytes(b"weightz")
    names = {exports._fingerprint(path, role) for path in (first, second) for role in ("seeker", "hider")}
    assert len(names) == 4 and all(len(name) == 32 for name in names)
    second.write_bytes(b"weights")
    assert exports._fingerprint(first, "seeker") == exports._fingerprint(second, "seeker")


def test_a_record_that_changed_is_read_again_and_one_that_did_not_is_not(tmp_path):
    run = Store(tmp_path).create({}, game="tag", trainer_backend="ppo", window_env_steps=10)
    run.close()
    read, path = context.read_record, run.paths.record
    first = read(path)
    assert (first.status, first.game) == ("running", "tag") and read(path) is first
    path.write_text(path.read_text().replace('"running"', '"stopped"'))
    assert read(path).status == "stopped"
    path.write_text("{")
    assert read(path) is None and read(path) is None
    path.unlink()
    assert read(path) is None


# ---------------------------------------------------------------- frames


class FakeReader:
    """A reader whose chunks are numbered, and counted when made."""

    def __init__(self, steps):
        self.replay = SimpleNamespace(end=SimpleNamespace(steps=steps))
        self.lock, self.made = threading.Lock(), []

    def chunk(self, number, info):
        self.made.append((number, info))
        begin = number * frames.CHUNK_FRAMES
        last = min(begin + frames.CHUNK_FRAMES, self.replay.end.steps)
        return [f"{'i' if info else ''}{frame:05}".encode() for frame in range(begin, last)]


@pytest.mark.parametrize(
    ("offset", "count", "expected"),
    [
        (0, 3, range(3)), (60, 10, range(60, 70)), (195, 10, range(195, 200)), (200, 5, range(0)),
        (0, 0, range(0)), (64, 64, range(64, 128)),
    ],
)  # fmt: skip
def test_frames_are_the_ones_asked_for_across_chunks_and_up_to_the_end(offset, count, expected):
    cache, reader = FrameCache(1 << 20), FakeReader(200)
    assert cache.frames(("a", 1, 1, 1), reader, offset, count) == [f"{i:05}".encode() for i in expected]


def test_a_chunk_is_made_once_for_each_replay_and_kind():
    cache, reader = FrameCache(1 << 20), FakeReader(200)
    for identity in (("a", 1, 1, 1), ("a", 1, 1, 1), ("a", 2, 1, 1)):  # the last one: the file was replaced
        for info in (False, True):
            cache.chunk(identity, reader, 1, info)
    assert reader.made == [(1, False), (1, True), (1, False), (1, True)]


def test_the_least_recently_used_chunk_goes_when_the_bytes_are_used_up():
    chunk_bytes = 5 * frames.CHUNK_FRAMES
    cache, reader, name = FrameCache(2 * chunk_bytes), FakeReader(64 * 5), ("a", 1, 1, 1)
    for number in (0, 1, 0, 2, 0):  # 1 is the one nobody wanted for longest when 2 comes
        cache.chunk(name, reader, number)
    assert [number for number, _ in reader.made] == [0, 1, 2] and cache.bytes == 2 * chunk_bytes
    cache.chunk(name, reader, 1)
    assert [number for number, _ in reader.made] == [0, 1, 2, 1]


def test_one_chunk_is_kept_however_large_it_is():
    cache, reader = FrameCache(1), FakeReader(128)
    for _ in range(2):
        cache.chunk(("a", 1, 1, 1), reader, 0)
    assert len(reader.made) == 1 and cache.bytes == 320
    cache.close()
    cache.chunk(("a", 1, 1, 1), reader, 0)
    assert len(reader.made) == 2, "closed is empty"


def test_a_replay_whose_file_was_replaced_is_another(tmp_path):
    path = tmp_path / "r.gz"
    path.write_bytes(b"one")
    first = frames._identity(path, "r")
    assert frames._identity(path, "r") == first
    (tmp_path / "new").write_bytes(b"two")
    os.utime(tmp_path / "new", ns=(first[1], first[1]))
    (tmp_path / "new").replace(path)
    assert frames._identity(path, "r") != first, "same size, same time, another file"
    path.unlink()
    with pytest.raises(ApiError) as refused:
        frames._identity(path, "r")
    assert refused.value.status == 404
