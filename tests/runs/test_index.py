import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from leaks import nothing_left_open
from making import make_replay
from refusals import refused

from sandlot.errors import ConfigError, Damaged, DiskFull, NewerSchema, UnknownName
from sandlot.runs.index import ReplayIndex


def entry(number, window=0, tags=(), created="2026-01-31T09:05:00.000Z", returned=0.0):
    return make_replay(f"replay-{window:06d}-{number:08x}", window, returned, tags, created_at=created).entry(
        f"replays/replay-{window:06d}-{number:08x}.jsonl.gz"
    )


@pytest.fixture
def index(tmp_path):
    return ReplayIndex(tmp_path / "replay_index.sqlite")


def test_an_entry_comes_back_as_it_was_with_its_64_bit_seed_and_ordered_tags(index):
    reported = entry(1, tags=["every_window", "best_so_far", "milestone:profit:100"])
    index.add(reported)
    assert index.get(reported.replay_id) == reported
    assert (
        reported.seed == 2**64 - 1
        and reported.measures["net_profit"] == 120.0
        and reported.policy_name == "chase vs evade"
    )


def test_a_catalogue_that_does_not_exist_is_empty_and_stays_so(index):
    assert (
        index.find() == []
        and index.count() == 0
        and index.newest_id() is None
        and index.best_return() is None
    )
    assert not index.path.exists()


def test_newest_means_window_then_time_then_id(index):
    wanted = [
        entry(1, window=2),
        entry(2, window=1, created="2026-01-31T09:06:00.000Z"),
        entry(9, window=1),
        entry(3, window=1),
    ]
    index.add_all(wanted[::-1])
    assert index.find() == wanted
    assert index.find(limit=2) == wanted[:2] and index.newest_id() == wanted[0].replay_id


def test_filters_by_one_tag_any_all_and_window(index):
    a, b, c = entry(1, 0, ["x"]), entry(2, 1, ["x", "y"]), entry(3, 2, ["y", "z"])
    index.add_all([a, b, c])
    assert index.find(tag="x") == [b, a]
    assert index.find(tags_any=["x", "z"]) == [c, b, a]
    assert index.find(tags_all=["x", "y"]) == [b]
    assert index.find(tag="y", tags_any=["x"], window_id=1) == [b]
    assert index.find(window_id=7) == [] and index.find(tag="x' OR 1=1 --") == []


def test_adding_again_replaces(index):
    index.add(entry(1, tags=["x"]))
    index.add(entry(1, tags=["y"], returned=4.0))
    assert index.count() == 1 and index.find(tag="x") == [] and index.best_return() == 4.0


def test_unknown_replays_and_limits_out_of_range_are_refused(index):
    index.add(entry(1))
    with pytest.raises(UnknownName, match="Did you mean"):
        index.get("replay-000000-00000002")
    for limit in (0, 5001):
        with pytest.raises(ConfigError, match="expected 1 to 5000"):
            index.find(limit=limit)


@pytest.mark.parametrize(
    "content", [b"x" * 5000, b"SQLite format 3\0" + b"\xff" * 5000], ids=["garbage", "half right"]
)
def test_a_broken_file_says_how_to_rebuild_it(index, content):
    index.path.write_bytes(content)
    for use in (index.find, index.count, lambda: index.add(entry(1))):
        with pytest.raises(
            Damaged, match=r"The replays themselves are safe: rebuild it with `sandlot replay .* --reindex`"
        ):
            use()
    assert index.rebuild([entry(1), entry(2)]) == 2
    assert index.count() == 2


def test_a_catalogue_of_a_later_schema_is_refused(index):
    index.add(entry(1))
    database = sqlite3.connect(index.path)
    database.execute("PRAGMA user_version = 3")
    database.close()
    with pytest.raises(NewerSchema, match="schema version 3"):
        index.find()


def test_a_rebuilt_catalogue_forgets_what_the_old_one_had_not_yet_merged(index):
    index.add(entry(1))
    assert index.rebuild([entry(5)]) == 1
    assert [e.replay_id for e in index.find()] == [entry(5).replay_id]
    assert [p.name for p in index.path.parent.iterdir() if p.name.endswith(".tmp")] == []


def test_it_is_in_wal_mode_so_that_readers_do_not_wait(index):
    index.add(entry(1))
    database = sqlite3.connect(index.path)
    assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    database.close()


WRITER = """
import sys
sys.path[:0] = [sys.argv[3], sys.argv[3] + "/.."]
from test_index import entry
from sandlot.runs.index import ReplayIndex
from pathlib import Path
for number in range(60):
    ReplayIndex(Path(sys.argv[1])).add(entry(number, window=int(sys.argv[2]), tags=["x", "y"]))
"""


def test_writers_and_readers_in_several_processes_agree(index):
    here = str(__file__.rsplit("/", 1)[0])
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(index.path), str(window), here])
        for window in range(3)
    ]
    seen = [0]
    deadline = time.monotonic() + 120
    while any(writer.poll() is None for writer in writers) and time.monotonic() < deadline:
        entries = index.find(tags_all=["x", "y"], limit=5000)
        assert all(e.tags == ["x", "y"] for e in entries)  # never an entry without its tags
        seen.append(len(entries))
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert seen == sorted(seen) and index.count() == 180


def test_many_may_open_a_new_catalogue_at_the_same_moment(tmp_path):
    def open_together(path, barrier):
        barrier.wait(timeout=30)
        index = ReplayIndex(path)
        index.add(entry(1))
        return index.count()

    for attempt in range(25):
        barrier = threading.Barrier(6)
        with ThreadPoolExecutor(6) as pool:
            path = tmp_path / f"{attempt}.sqlite"
            counts = [pool.submit(open_together, path, barrier) for _ in range(6)]
            assert {count.result(timeout=60) for count in counts} == {1}


# ---------------------------------------------------------------- bounds, families of tags, clean-up


def named(replay_id, window=0, tags=()):
    return entry(1, window, tags).model_copy(
        update={"replay_id": replay_id, "replay_path": f"replays/{replay_id}"}
    )


def test_an_answer_has_one_entry_at_least_and_five_thousand_at_most(index):
    index.add_all([named(f"r{i}", window=i) for i in range(3)])
    assert len(index.find(limit=1)) == 1 and len(index.find(limit=5000)) == 3
    for limit in (0, -1, 5001):
        with refused(index.path.parent, ConfigError, f"limit = {limit}: expected 1 to 5000"):
            index.find(limit=limit)


def test_a_family_of_tags_is_reported_by_its_beginning(index):
    index.add(named("a", tags=["milestone:profit:100"]))
    index.add(named("b", tags=["milestones"]))
    index.add(named("c", tags=["best_so_far", "milestone:return:10"]))

    def found(**filters):
        return sorted(each.replay_id for each in index.find(**filters))

    assert found(tag="milestone:*") == ["a", "c"] and found(tag="milestone*") == ["a", "b", "c"]
    assert found(tags_any=["best_so_far", "milestone:profit:*"]) == ["a", "c"]
    assert found(tags_all=["best_so_far", "milestone:*"]) == ["c"]
    assert found(tag="*") == ["a", "b", "c"] and found(tag="%") == [] and found(tag="mile_tones") == []


def test_counts_tags_and_paths_are_those_of_the_entries(index):
    assert (index.count(), index.tags(), index.paths(), index.newest_id()) == (0, {}, [], None)
    index.add(named("a", window=1, tags=["x", "y"]))
    index.add(named("b", window=2, tags=["x"]))
    assert (index.count(), index.tags(), index.newest_id()) == (2, {"x": 2, "y": 1}, "b")
    assert sorted(index.paths()) == sorted((e.replay_path, e.replay_id) for e in index.find())
    index.remove("b")
    assert (index.count(), index.tags(), index.newest_id()) == (1, {"x": 1, "y": 1}, "a")
    index.remove("b")


def test_the_best_return_is_the_highest(index):
    assert index.best_return() is None
    for i, value in enumerate((-3.0, -1.5, -2.0)):
        index.add(named(f"r{i}").model_copy(update={"return_total": value}))
    assert index.best_return() == -1.5


def test_no_call_leaves_a_connection_open_also_after_a_refusal(index):
    index.add(named("a"))
    with nothing_left_open():
        index.find()
        index.add(named("b"))
        index.problem()
        index.rebuild([named("c")])
        with pytest.raises(UnknownName):
            index.get("none")
    with closing(sqlite3.connect(index.path)) as database:
        database.execute("PRAGMA user_version = 9")
    with nothing_left_open(), pytest.raises(NewerSchema):
        index.find()
    index.path.write_bytes(b"no catalogue" * 100)
    with nothing_left_open(), refused(index.path.parent, Damaged, "--reindex"):
        index.find()


def test_a_rebuild_that_fails_leaves_the_old_catalogue_and_nothing_beside_it(index, monkeypatch):
    index.add(named("a"))
    monkeypatch.setattr(
        type(index), "count", lambda self: (_ for _ in ()).throw(OSError(28, "No space left"))
    )
    with nothing_left_open(), pytest.raises(OSError, match="No space"):
        index.rebuild([named("b")])
    monkeypatch.undo()
    assert [each.replay_id for each in index.find()] == ["a"]
    assert {path.name.partition("-")[0] for path in index.path.parent.iterdir()} == {index.path.name}


def test_a_whole_catalogue_has_no_problem_and_a_rebuilt_one_says_how_many_it_has(index):
    assert index.problem() is None
    assert index.rebuild([named("a"), named("b")]) == 2 and index.problem() is None
    with closing(sqlite3.connect(index.path)) as database, database:
        database.execute("UPDATE replays SET steps = -1")
    assert "rebuild it with" in index.problem(), "rows that hold what no entry is"


def test_damage_that_no_entry_shows_is_a_problem_too(index):
    """Of a page that no table uses any more, only SQLite's own check knows."""
    index.rebuild([named("a")])
    with closing(sqlite3.connect(index.path)) as database, database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute("DELETE FROM sqlite_master WHERE name = 'by_tag'")
    assert [each.replay_id for each in index.find()] == ["a"]
    assert index.problem().startswith(f"{index.path} is damaged (")


def test_where_the_folder_cannot_be_written_the_catalogue_is_read_as_it_lies_there(index, monkeypatch):
    """As for a site in a container that mounts the runs read-only."""
    index.rebuild([named("a")])

    def read_only(self):
        raise sqlite3.OperationalError("attempt to write a readonly database")

    monkeypatch.setattr(type(index), "_connect", read_only)
    with pytest.raises(Damaged, match="readonly"):
        index.find()
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with nothing_left_open():
        assert [each.replay_id for each in index.find()] == ["a"]


def test_a_full_disk_and_a_busy_catalogue_are_reported_apart(index, monkeypatch):
    for text, error, words in (
        ("database or disk is full", DiskFull, "The disk is full"),
        ("database is locked", Damaged, "held by another process for over 30 s"),
        ("malformed", Damaged, "--reindex"),
    ):
        with pytest.raises(error, match=words), index._reported():
            raise sqlite3.OperationalError(text)
