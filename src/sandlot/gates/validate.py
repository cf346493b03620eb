"""Thresholds on a report, a run or a TensorBoard folder. "No finished episode" is a status of its own.

A plain comparison of one number with a limit, as a smoke test wants it; the interval is said beside it where
there is one, and `sure=True` asks that the whole interval keeps the limit.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import ConfigError, UnknownName
from ..evaluate.report_file import EvalReport, read_report
from ..runs.store import open_run
from .events import PATTERN, Scalars, read_scalars
from .verdict import FAIL, PASS, UNDECIDED, Check, Identity, Number, Verdict, make_verdict

GATE = "validate"
OF_EPISODES = ("rollout/", "episode", "ep_rew", "ep_len", "return", "success", "win_rate")


@dataclass(frozen=True)
class Source:
    """Numbers by name: what a limit from below looks at, and what one from above does."""

    identity: Identity
    numbers: Mapping[str, Number]
    largest: Mapping[str, float]  # over the training; a limit from above is for the worst moment
    samples: int
    missing: str  # why a known number may have no value


def open_source(word: str, runs: Path | str = "runs") -> Source:
    """A report, a run, or a folder of events."""
    path = Path(word)
    if path.suffix == ".json":
        return _of_report(read_report(path))
    if path.is_file() or (path.is_dir() and not (path / "run.json").is_file() and _has_events(path)):
        return _of_events(read_scalars(path))
    if path.is_dir() and not (path / "run.json").is_file():
        raise ConfigError(
            f"{path} holds neither a run (run.json) nor TensorBoard events. Name a report or a run."
        )
    return _of_run(word, runs)


def _has_events(folder: Path) -> bool:
    return next(folder.rglob(PATTERN), None) is not None


def _of_report(report: EvalReport) -> Source:
    first = report.groups[0]
    numbers = {}
    for metric in report.metrics:
        found = first.metrics.get(metric.name)
        for name in filter(None, (metric.name, metric.field)):
            if found is not None:
                numbers[name] = Number(value=found.value, low=found.low, high=found.high)
    for alias, name in ALIASES.items():
        if name in numbers:
            numbers[alias] = numbers[name]
    identity = Identity(name=report.model, kind="report", game=report.game, created=report.created)
    ended = first.requested - first.unfinished
    why = f"none of {first.requested} episodes ended" if not ended else "no episode has it"
    return Source(identity, numbers, {k: n.value for k, n in numbers.items()}, ended, why)


# the report's own fields at its top
ALIASES = {"mean_reward": "reward", "mean_episode_length": "episode_length", "success_rate": "success"}


def _of_events(scalars: Scalars) -> Source:
    numbers = {tag: Number(value=rows[-1][1]) for tag, rows in scalars.by_tag.items()}
    largest = {tag: max(value for _, value in rows) for tag, rows in scalars.by_tag.items()}
    identity = Identity(name=str(scalars.path), kind="events")
    why = f"no episode ended in {scalars.last_step:,} steps"
    return Source(identity, numbers, largest, max(map(len, scalars.by_tag.values()), default=0), why)


def _of_run(word: str, runs: Path | str) -> Source:
    run = open_run(word, Path(runs))
    rows = [row.to_json() for row in run.windows()]
    numbers: dict[str, Number] = {}
    largest: dict[str, float] = {}
    for row in rows:
        for name, value in row.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
                numbers[name] = Number(value=float(value))
                largest[name] = max(largest.get(name, -math.inf), float(value))
    identity = Identity(name=run.run_id, kind="checkpoint", game=run.record.game or "")
    return Source(identity, numbers, largest, len(rows), f"no window of {len(rows)} has it: no episode ended")


# ---------------------------------------------------------------- judging


def validate(
    source: Source,
    minimum: Mapping[str, float],
    maximum: Mapping[str, float],
    sure: bool = False,
    command: str = "",
) -> Verdict:
    """One check per limit."""
    if not minimum and not maximum:
        raise ConfigError(
            "Nothing to check: give --min NAME=NUMBER or --max NAME=NUMBER, or [validate] in gates.toml."
        )
    checks = [_check(source, name, limit, 1, sure) for name, limit in minimum.items()]
    checks += [_check(source, name, limit, -1, sure) for name, limit in maximum.items()]
    return make_verdict(GATE, checks, current=source.identity, command=command)


def _check(source: Source, name: str, limit: float, sign: int, sure: bool) -> Check:
    """sign: 1 for a limit from below, -1 for one from above."""
    found = source.numbers.get(name)
    word = "at least" if sign > 0 else "at most"
    if found is None:
        if source.numbers and not any(part in name for part in OF_EPISODES):
            raise UnknownName("number to check", name, sorted(source.numbers))
        sentence = f"{name} has no value: {source.missing}. Expected {word} {limit:g}."
        return Check(name=name, result="no_data", sentence=sentence, limit=limit)
    value = found.value if sign > 0 else source.largest[name]
    if not math.isfinite(value):
        sentence = f"{name} is {value}, expected {word} {limit:g}."
        return Check(name=name, result="fail", sentence=sentence, limit=limit)
    good = sign * value >= sign * limit
    edge = found.low if sign > 0 else found.high
    other = found.high if sign > 0 else found.low
    nearest = edge if good else other  # the end of the interval on the other answer's side
    certain = nearest is None or (sign * nearest >= sign * limit) == good
    result = UNDECIDED if sure and not certain else PASS if good else FAIL
    text = f"{name} is {value:.4g}, expected {word} {limit:g}"
    if found.low is not None and found.high is not None:
        text += (
            f" (95 %: {found.low:.4g} to {found.high:.4g}{'' if certain else ', which holds both answers'})"
        )
    return Check(
        name=name,
        result=result,  # type: ignore[arg-type]
        sentence=f"{text}.",
        current=Number(value=value, low=found.low, high=found.high),
        better="higher" if sign > 0 else "lower",
        limit=limit,
        samples=source.samples,
        test="threshold",
    )
