"""metrics/evaluations.jsonl: one line per evaluated checkpoint, appended by the one evaluator of a run.

A checkpoint is known by the SHA-256 of its file: a window that was committed again (a run that went on within
it) is evaluated again, and its newest line counts. A line that cannot be read is left out with a warning that
names file and line, so that one broken line stops neither the evaluator nor the site.
"""

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field, ValidationError

from .atomic import read_lines
from .records import Count, Record, Window

log = logging.getLogger(__name__)


class Evaluation(Record):
    """One line: these fields, then any number of metrics by name."""

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)

    window_id: Window
    checkpoint_sha256: str = ""
    env_steps_total: Count | None = None
    value: float | None = None  # by which checkpoints are compared; higher is better
    intervals: dict[str, tuple[float, float]] = Field(default_factory=dict)  # 95 %, of shares and ratings


def read_evaluations(path: Path) -> list[dict[str, Any]]:
    """Rows by window, oldest first; of a window that was evaluated twice the newest."""
    rows, problems = parse_evaluations(path)
    for problem in problems:
        log.warning("%s", problem)
    return rows


def parse_evaluations(path: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows, and a sentence about each line that holds none."""
    rows: dict[int, dict[str, Any]] = {}
    problems = []
    for number, line in enumerate(read_lines(path), start=1):
        try:
            row = _row(line)
        except (ValueError, TypeError, RecursionError) as problem:
            why = problem.errors()[0]["msg"] if isinstance(problem, ValidationError) else str(problem)
            problems.append(f"{path}, line {number}, is not an evaluation and is left out ({why[:120]})")
        else:
            rows[row["window_id"]] = row
    return [rows[window] for window in sorted(rows)], problems


def _row(line: str) -> dict[str, Any]:
    """A line as plain values; only numbers and text are kept."""
    value = json.loads(line, parse_constant=lambda _: None)
    if not isinstance(value, Mapping):
        raise TypeError("it holds no object")
    record = Evaluation.model_validate(dict(value))
    fields = record.model_fields_set & Evaluation.model_fields.keys()
    given = {name: getattr(record, name) for name in Evaluation.model_fields if name in fields}
    more = {k: v for k, v in (record.model_extra or {}).items() if isinstance(v, (int, float, str))}
    return given | more
