"""learning/: how play changed over a run: the same seeds before training and at every evaluated checkpoint.

    learning/stages.jsonl              LearningRow, one line per stage
    learning/initial-0.jsonl.gz, …     its replays: one per seed, before the first step
    learning/000012-0.jsonl.gz, …      and after window 12

Nobody chose the seeds: they are fixed before a run begins, so what they show is not picked. There are at most
MOST_STAGES: then every second one in between is removed, and the whole of training stays covered.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from .atomic import read_lines, write_text
from .paths import REPLAY_SUFFIX, RunPaths, check_name
from .records import Count, IndexEntry, Record, Seed, Window, parse
from .replays import Replay

MOST_STAGES = 48
SEEDS = 2  # matches that every stage plays


class LearningResult(BaseModel):
    """One number about a stage, with its 95 % interval, measured on many held-out seeds."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, json_schema_serialization_defaults_required=True
    )

    label: str  # in plain words
    role: str = ""  # whose result it is; empty where all play together
    value: float
    low: float | None = None
    high: float | None = None
    share: bool = True  # of matches, from 0 to 1; else in `unit`
    unit: str = ""
    better: str = "none"  # higher, lower, or none: neither


class LearningReplay(BaseModel):
    """A match of a stage."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: Seed
    replay_id: str
    steps: Count
    ending: str  # of the episode, in the game's words; empty where it has none


class LearningRow(Record):
    """One line: a stage of training."""

    window_id: Window | None  # None: before the first step
    env_steps_total: Count
    trained_s: float | None = None  # None where the run does not say
    episodes: Count = 0  # on which the results were measured
    results: list[LearningResult] = Field(default_factory=list)
    replays: list[LearningReplay] = Field(default_factory=list)
    checkpoint_sha256: str = ""

    @property
    def order(self) -> int:
        """Before the first step comes before window 0."""
        return -1 if self.window_id is None else self.window_id


class Learning:
    """The folder. Written by the one evaluator of a run; read by anybody."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.stages_file = folder / "stages.jsonl"

    @classmethod
    def of(cls, paths: RunPaths) -> "Learning":
        """That of a run."""
        return cls(paths.learning)

    def stages(self) -> list[LearningRow]:
        """From the beginning to the end. A line that cannot be read is left out."""
        rows: dict[int, LearningRow] = {}
        for number, line in enumerate(read_lines(self.stages_file), start=1):
            try:
                row = parse(LearningRow, json.loads(line), f"{self.stages_file}, line {number}")
            except (ValueError, RecursionError):  # Damaged is a ValueError
                continue
            rows[row.order] = row
        return [rows[order] for order in sorted(rows)]

    def knows(self, window_id: int | None, digest: str) -> bool:
        """Whether a stage with these weights is there."""
        return any(row.window_id == window_id and row.checkpoint_sha256 == digest for row in self.stages())

    def add(self, row: LearningRow, replays: Sequence[Replay]) -> None:
        """Write the replays, then the line; a kill in between leaves files that the next try overwrites."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for replay in replays:
            replay.write(self.replay(replay.header.replay_id))
        rows = [each for each in self.stages() if each.order != row.order] + [row]
        rows.sort(key=lambda each: each.order)
        kept = rows if len(rows) <= MOST_STAGES else [*rows[:-1:2], rows[-1]]
        write_text(self.stages_file, "".join(json.dumps(each.to_json()) + "\n" for each in kept))
        for thinned in (each for each in rows if each not in kept):
            for one in thinned.replays:
                self.replay(one.replay_id).unlink(missing_ok=True)

    def replay(self, replay_id: str) -> Path:
        """The file of a replay, whether it is there or not."""
        return self.folder / f"{check_name('replay', replay_id)}{REPLAY_SUFFIX}"


def learning_replay_id(window_id: int | None, number: int) -> str:
    """The id of a stage's match, which is also the name of its file."""
    return f"{'initial' if window_id is None else f'{window_id:06d}'}-{number}"


def entry_of(paths: RunPaths, replay_id: str) -> IndexEntry | None:
    """A replay of learning/ as an entry of the catalogue, in which it is not; None if there is none."""
    known = {one.replay_id: row for row in Learning.of(paths).stages() for one in row.replays}
    row = known.get(replay_id)
    path = Learning.of(paths).replay(replay_id) if row else None
    if row is None or path is None or not path.is_file():
        return None
    return Replay.read(path).entry(paths.relative(path))
