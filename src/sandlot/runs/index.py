"""The replay catalogue of a run: one SQLite file, written by evaluators while the site reads it.

WAL mode lets readers continue during a write. Every call opens its own connection, which costs well
under a millisecond and makes the index safe to use from any thread and after a fork. The replays themselves
hold all of it: a catalogue that is lost or broken is rebuilt from their folder.
"""

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from ..errors import ConfigError, Damaged, DiskFull, NewerSchema, UnknownName
from .atomic import temporary
from .records import IndexEntry

SCHEMA = 2
WAIT_S = 30.0  # how long a writer waits for another
RETRY_S = 0.01  # between two tries where SQLite does not wait by itself
MAX_LIMIT = 5000  # entries in one answer

_CREATE = """
CREATE TABLE IF NOT EXISTS replays (
    replay_id TEXT PRIMARY KEY, run_id TEXT NOT NULL, window_id INTEGER NOT NULL, replay_path TEXT NOT NULL,
    checkpoint_path TEXT, trainer_backend TEXT, return_total REAL NOT NULL, steps INTEGER NOT NULL,
    measures TEXT NOT NULL, terminated INTEGER NOT NULL, truncated INTEGER NOT NULL,
    checkpoint_env_steps_total INTEGER, created_at TEXT NOT NULL, seed TEXT NOT NULL,
    engine_version TEXT NOT NULL, config_hash TEXT NOT NULL, policy_name TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS newest ON replays (window_id DESC, created_at DESC, replay_id DESC);
CREATE TABLE IF NOT EXISTS tags (
    replay_id TEXT NOT NULL REFERENCES replays (replay_id) ON DELETE CASCADE, position INTEGER NOT NULL,
    tag TEXT NOT NULL, PRIMARY KEY (replay_id, tag)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_tag ON tags (tag, replay_id);
"""
_TAGS = """(SELECT group_concat(tag, char(10)) FROM
    (SELECT tag FROM tags t WHERE t.replay_id = r.replay_id ORDER BY position))"""
_COLUMNS = tuple(name for name in IndexEntry.model_fields if name not in ("schema_version", "tags"))


class ReplayIndex:
    """The catalogue of one run. Usable from any thread and process."""

    def __init__(self, path: Path):
        self.path = path

    # ------------------------------------------------------------ reading

    def find(
        self,
        tag: str | None = None,
        tags_any: Sequence[str] = (),
        tags_all: Sequence[str] = (),
        window_id: int | None = None,
        limit: int = 100,
    ) -> list[IndexEntry]:
        """Entries that fit every filter, newest first by window, then time, then id.

        A tag that ends in * stands for all that begin so: milestone:*.
        """
        if not 1 <= limit <= MAX_LIMIT:
            raise ConfigError(f"limit = {limit}: expected 1 to {MAX_LIMIT}.")
        where, values = _conditions(tag, tags_any, tags_all, window_id)
        order = "ORDER BY window_id DESC, created_at DESC, replay_id DESC LIMIT ?"
        return self._entries(f"{where} {order}", [*values, limit])

    def get(self, replay_id: str) -> IndexEntry:
        """The entry of a replay; UnknownName if there is none."""
        found = self.find_one(replay_id)
        if found is None:
            raise UnknownName("replay", replay_id, [e.replay_id for e in self.find(limit=5)])
        return found

    def find_one(self, replay_id: str) -> IndexEntry | None:
        """The entry of a replay, or None."""
        return next(iter(self._entries("WHERE replay_id = ?", [replay_id])), None)

    def tags(self) -> dict[str, int]:
        """All tags with their number of replays, by name."""
        return dict(self._ask("SELECT tag, count(*) FROM tags GROUP BY tag ORDER BY tag", []))

    def count(self) -> int:
        """Number of entries."""
        rows = self._ask("SELECT count(*) FROM replays", [])
        return rows[0][0] if rows else 0

    def paths(self) -> list[tuple[str, str]]:
        """Path (relative to the run folder) and id of every replay."""
        return self._ask("SELECT replay_path, replay_id FROM replays", [])

    def newest_id(self) -> str | None:
        """Id of the newest replay."""
        found = self.find(limit=1)
        return found[0].replay_id if found else None

    def problem(self) -> str | None:
        """A sentence about damage of the file; None if it is intact or does not exist."""
        if not self.path.exists():
            return None
        try:
            with self._reported(), closing(self._connect_to_read()) as database:
                found = [row[0] for row in database.execute("PRAGMA integrity_check")]
            self._entries("", [])  # rows may be whole and hold what no entry is
        except NewerSchema:
            raise
        except Damaged as problem:
            return str(problem)
        # SQLite 3.40 sees NULL where a table without row ids has none; entries were looked at above
        found = [line for line in found if line != "ok" and not line.startswith("NULL value in")]
        return f"{self.path} is damaged ({found[0].splitlines()[0]})." if found else None

    def best_return(self) -> float | None:
        """The highest return so far, for the tag `best_so_far`; None without replays."""
        rows = self._ask("SELECT max(return_total) FROM replays", [])
        return rows[0][0] if rows else None

    # ------------------------------------------------------------ writing

    def add(self, entry: IndexEntry) -> None:
        """Add or replace the entry of a replay, atomically."""
        self.add_all([entry])

    def add_all(self, entries: Iterable[IndexEntry]) -> None:
        """Add or replace several entries in one transaction."""
        with self._transaction() as database:
            for entry in entries:
                _insert(database, entry)

    def rebuild(self, entries: Iterable[IndexEntry]) -> int:
        """Replace the whole catalogue by these entries; returns their number.

        Not while an evaluator writes: the file is made beside the old one and renamed over it.
        """
        fresh = ReplayIndex(temporary(self.path))
        try:
            fresh.add_all(entries)
            total = fresh.count()
            with fresh._reported(), closing(fresh._connect()) as database:
                # everything into the one file that is renamed
                database.execute("PRAGMA journal_mode = DELETE")
            for suffix in ("-wal", "-shm"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
            fresh.path.replace(self.path)
        finally:
            for suffix in ("", "-wal", "-shm", "-journal"):
                fresh.path.with_name(fresh.path.name + suffix).unlink(missing_ok=True)
        return total

    # ------------------------------------------------------------ SQLite

    def _entries(self, tail: str, values: list[Any]) -> list[IndexEntry]:
        rows = self._ask(f"SELECT {', '.join(_COLUMNS)}, {_TAGS} FROM replays r {tail}", values)
        try:
            return [_entry(row) for row in rows]
        except ValueError as problem:  # also pydantic's
            raise self._damaged(str(problem).splitlines()[0]) from None

    def _ask(self, question: str, values: list[Any]) -> list[Any]:
        if not self.path.exists():
            return []
        with self._reported(), closing(self._connect_to_read()) as database:
            return database.execute(question, values).fetchall()

    def remove(self, replay_id: str) -> None:
        """Remove the entry of a replay, not its file."""
        with self._transaction() as database:
            database.execute("DELETE FROM replays WHERE replay_id = ?", [replay_id])

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._reported(), closing(self._connect()) as database:
            # take the writer's place at once, or two may wait for each other
            database.execute("BEGIN IMMEDIATE")
            with database:
                yield database

    def _connect_to_read(self) -> sqlite3.Connection:
        """The usual connection; without write permission (a site in a container) a read-only one.

        SQLite keeps a small file beside a catalogue that is read, and cannot in such a folder. While somebody
        else writes, that file is there and is used.
        """
        try:
            return self._connect()
        except sqlite3.OperationalError:
            if os.access(self.path.parent, os.W_OK):
                raise
        database = sqlite3.connect(f"{self.path.resolve().as_uri()}?immutable=1", uri=True)
        found = database.execute("PRAGMA user_version").fetchone()[0]
        if found > SCHEMA:
            database.close()
            raise NewerSchema(str(self.path), found, SCHEMA)
        return database

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, timeout=WAIT_S, isolation_level=None)
        try:
            database.execute("PRAGMA foreign_keys = ON")
            found = database.execute("PRAGMA user_version").fetchone()[0]
            if found > SCHEMA:
                raise NewerSchema(str(self.path), found, SCHEMA)
            if found < SCHEMA:
                _switch_to_wal(database)
                create = f"BEGIN IMMEDIATE; {_CREATE} PRAGMA user_version = {SCHEMA}; COMMIT;"
                database.executescript(create)
            database.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            database.close()
            raise
        return database

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OverflowError, UnicodeDecodeError) as problem:
            if isinstance(problem, sqlite3.OperationalError) and "locked" in str(problem):
                raise Damaged(f"{self.path} is held by another process for over {WAIT_S:.0f} s.") from problem
            if isinstance(problem, sqlite3.OperationalError) and "full" in str(problem):
                raise DiskFull(f"The disk is full: {self.path} could not be written.") from problem
            raise self._damaged(str(problem)) from problem

    def _damaged(self, why: str) -> Damaged:
        return Damaged(
            f"{self.path} cannot be read or written as a replay catalogue ({why}). The replays themselves "
            f"are safe: rebuild it with `sandlot replay {self.path.parent} --reindex`."
        )


def _switch_to_wal(database: sqlite3.Connection) -> None:
    """SQLite does not wait for this switch by itself: who opens the file at the same moment is refused."""
    deadline = time.monotonic() + WAIT_S
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as problem:
            if "locked" not in str(problem) or time.monotonic() > deadline:
                raise
            time.sleep(RETRY_S)


def _insert(database: sqlite3.Connection, entry: IndexEntry) -> None:
    row = entry.to_json()
    row["measures"] = json.dumps(row["measures"])
    database.execute("DELETE FROM replays WHERE replay_id = ?", [entry.replay_id])
    marks = ", ".join("?" * len(_COLUMNS))
    insert = f"INSERT INTO replays ({', '.join(_COLUMNS)}) VALUES ({marks})"
    database.execute(insert, [row[name] for name in _COLUMNS])
    tags = [(entry.replay_id, place, tag) for place, tag in enumerate(dict.fromkeys(entry.tags))]
    database.executemany("INSERT INTO tags VALUES (?, ?, ?)", tags)


def _entry(row: tuple[Any, ...]) -> IndexEntry:
    *values, tags = row
    fields = dict(zip(_COLUMNS, values, strict=True))
    measures = json.loads(fields.pop("measures"))
    return IndexEntry(**fields, measures=measures, tags=tags.split("\n") if tags else [])


def _conditions(
    tag: str | None, tags_any: Sequence[str], tags_all: Sequence[str], window_id: int | None
) -> tuple[str, list[Any]]:
    """The WHERE part and its values."""
    has = "EXISTS (SELECT 1 FROM tags t WHERE t.replay_id = r.replay_id AND ({}))"
    parts: list[str] = []
    values: list[Any] = []
    groups = [[tag] if tag else [], list(tags_any), *([name] for name in tags_all)]
    for group in filter(None, groups):
        families = [name.removesuffix("*") for name in group if name.endswith("*")]
        names = [name for name in group if not name.endswith("*")]
        begins = ["substr(t.tag, 1, length(?)) = ?"] * len(families)
        parts.append(has.format(" OR ".join(["t.tag = ?"] * len(names) + begins)))
        values += [*names, *(value for family in families for value in (family, family))]
    if window_id is not None:
        parts.append("window_id = ?")
        values.append(window_id)
    return ("WHERE " + " AND ".join(parts) if parts else ""), values
