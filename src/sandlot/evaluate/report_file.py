"""The report file of `sandlot eval --output`: what gates compare, and what a baseline is.

One *group* per role that was evaluated and opponent that it met: one row per episode with its seed, and each
metric's mean with a 95 % interval. What a metric means (rate, bounded or not, which direction is better,
comfort or performance) comes from the game's spec. The fields at the top repeat the first group under names
that other tools read: mean_reward, std_reward, mean_episode_length, success_rate.
"""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..clock import Clock, iso, now
from ..documents import read_document
from ..rating import Estimate
from ..runs.atomic import write_json
from ..runs.paths import git_revision
from ..spec import EpisodeField, Spec
from ..version import __version__
from ..worlds import Episodes
from ..worlds.library import load
from .statistics import bootstrap, proportion

KIND = "sandlot-eval-report"
MAX_FILE_BYTES = 256 << 20
SUCCESS, FINISHED, REWARD, LENGTH = "success", "finished", "reward", "episode_length"
COMFORT, PERFORMANCE = "comfort", "performance"

# of one episode: seed, and each metric; None where an episode did not end
Row = dict[str, int | float | None]


class Part(BaseModel):
    """A part of a report; keys of other versions are kept."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Metric(Part):
    """A metric of every episode, and what it means."""

    name: str
    field: str = ""  # the game's own episode field, where the metric has a general name
    kind: Literal["rate", "bounded", "unbounded"] = "unbounded"  # 0 or 1; within low..high; neither
    better: Literal["higher", "lower", "none"] = "none"
    unit: str = ""
    low: float | None = None
    high: float | None = None
    group: str = ""
    headline: bool = False

    @property
    def range(self) -> float:
        """Width of its bounds; infinite where it has none."""
        return math.inf if self.low is None or self.high is None else self.high - self.low


class Summary(Part):
    """A metric's mean over the episodes that have it, with a 95 % interval."""

    value: float
    low: float
    high: float
    std: float
    episodes: int

    @classmethod
    def of(cls, metric: Metric, values: np.ndarray) -> "Summary":
        """Of values without gaps: exact for rates, by the bootstrap for means."""
        found = _estimate(metric, values)
        return cls(
            value=found.value, low=found.low, high=found.high, std=float(values.std()), episodes=len(values)
        )


def _estimate(metric: Metric, values: np.ndarray) -> Estimate:
    whole = metric.kind == "rate" and bool(np.isin(values, (0.0, 1.0)).all())
    return proportion(float(values.sum()), len(values)) if whole else bootstrap(values)


class Group(Part):
    """Episodes of one role against one opponent."""

    role: str
    opponent: str | None = None
    player: str = ""
    requested: int
    unfinished: int = 0
    metrics: dict[str, Summary] = Field(default_factory=dict)
    rows: list[Row] = Field(default_factory=list)

    @property
    def key(self) -> tuple[str, str | None]:
        """Groups of two reports with the same key are compared."""
        return self.role, self.opponent

    @property
    def seeds(self) -> list[int]:
        """In the order of the rows."""
        return [int(row["seed"] or 0) for row in self.rows]

    @model_validator(mode="after")
    def _check_rows(self) -> "Group":
        for row in self.rows:
            if row.get("seed") is None:
                raise ValueError("a row without seed")
            for name, value in row.items():
                if value is not None and not math.isfinite(value):
                    raise ValueError(f"{name} = {value} in the row of seed {row['seed']}")
        if len(set(self.seeds)) != len(self.rows):
            raise ValueError("a seed that occurs twice")
        return self


class EvalReport(Part):
    """What `sandlot eval --output` writes."""

    schema_version: Literal[1] = 1
    kind: Literal["sandlot-eval-report"] = KIND  # type: ignore[assignment]
    created: str
    model: str
    model_sha256: str | None = None
    game: str
    scenario: str  # what opens the game
    game_version: str
    profile: str = ""
    settings: dict[str, Any] = Field(default_factory=dict)
    interface_hash: str
    rules_hash: str
    engine: str
    engine_version: str | None = None
    git: str
    sandlot: str
    seed: int  # the first one; each row has its own
    episodes: int = Field(ge=1)
    seconds: float | None = None  # that playing took
    mean_reward: float | None = None
    std_reward: float | None = None
    mean_episode_length: float | None = None
    success_rate: float | None = None
    comfort: dict[str, Summary] | None = None
    performance: dict[str, Summary] | None = None
    metrics: list[Metric]
    groups: list[Group] = Field(min_length=1)

    @model_validator(mode="after")
    def _check_numbers(self) -> "EvalReport":
        known = {metric.name for metric in self.metrics}
        for group in self.groups:
            unknown = set().union(*(row.keys() for row in group.rows)) - known - {"seed"}
            if unknown:
                raise ValueError(f"rows have {sorted(unknown)[0]!r}, which `metrics` does not describe")
        return self

    def metric(self, name: str) -> Metric | None:
        """By its name, or by the name of the game's own field."""
        return next((m for m in self.metrics if name in (m.name, m.field)), None)

    def write(self, path: Path, more: Mapping[str, Any] | None = None) -> None:
        """Write the file whole or not at all; more: other fields beside the report's own."""
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, {**(more or {}), **self.model_dump(mode="json")})


# ---------------------------------------------------------------- reading


def is_report(path: Path) -> bool:
    """Whether a file says that it is one; whether it is a whole one is for `read_report` to say."""
    try:
        given = json.loads(path.read_bytes()) if path.stat().st_size <= MAX_FILE_BYTES else None
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(given, dict) and given.get("kind") == KIND


def read_report(path: Path) -> EvalReport:
    """A report file; Damaged names the field that is wrong, so that no gate judges an incomplete report."""
    command = f"sandlot eval RUN --output {path.name}"
    return read_document(
        path,
        EvalReport,
        kind=KIND,
        called="report of `sandlot eval --output`",
        limit=MAX_FILE_BYTES,
        make=f"Make one: {command}",
        again=f"Make it again: {command}",
    )


# ---------------------------------------------------------------- metrics of a game


def metrics_of(spec: Spec, role: str) -> list[Metric]:
    """The metrics of an episode of this game, for one role."""
    success = _success(spec, role)
    made = [success] if success else []
    made.append(Metric(name=FINISHED, kind="rate", better="higher", low=0, high=1))
    made.append(_reward(spec, role))
    made.append(Metric(name=LENGTH, unit="steps"))
    taken = {metric.field for metric in made if metric.field} | {metric.name for metric in made}
    own = (f for f in spec.episode if f.size == 1 and f.kind in ("measure", "flag") and f.name not in taken)
    made += [_metric(field, field.name) for field in own]
    if any(metric.headline for metric in made):
        return made
    # a game that declares no headline is ranked by its return
    return [m.model_copy(update={"headline": True}) if m.name == REWARD else m for m in made]


def _metric(field: EpisodeField, name: str) -> Metric:
    bounded = field.low is not None and field.high is not None and field.low < field.high
    flag = field.kind == "flag"
    return Metric(
        name=name,
        field=field.name,
        kind="rate" if flag else "bounded" if bounded else "unbounded",
        better=field.better,
        unit=field.unit,
        low=0.0 if flag else field.low if bounded else None,
        high=1.0 if flag else field.high if bounded else None,
        group=field.group,
        headline=field.headline,
    )


def _success(spec: Spec, role: str) -> Metric | None:
    """The headline if it is a flag, else the outcome that is a win, else the first good flag."""
    if spec.winning_codes(role) and not (spec.headline and spec.headline.headline):
        return Metric(name=SUCCESS, kind="rate", better="higher", low=0, high=1, headline=True)
    flags = [f for f in spec.episode if f.kind == "flag" and f.better == "higher"]
    flags.sort(key=lambda field: not field.headline)
    return _metric(flags[0], SUCCESS) if flags else None


def _reward(spec: Spec, role: str) -> Metric:
    field = next((f for f in spec.episode if f.name == "return" and f.size == 1), None)
    if field is not None:
        return _metric(field, REWARD).model_copy(update={"better": "higher"})
    return Metric(name=REWARD, better="higher")


def rows_of(spec: Spec, role: str, played: Episodes, seeds: Sequence[int]) -> list[Row]:
    """One row per seed, in their order; an episode that did not end has no success and no measures."""
    metrics = metrics_of(spec, role)
    columns = {metric.name: _column(spec, role, metric, played) for metric in metrics}
    place = {seed: i for i, seed in enumerate(played.heads["seed"].tolist())}
    made = []
    for seed in seeds:
        i = place.get(seed)
        row: Row = {"seed": seed}
        for name, values in columns.items():
            missing = 0.0 if name in (FINISHED, SUCCESS) else None
            row[name] = missing if i is None or values is None else float(values[i])
        made.append(row)
    return made


def _column(spec: Spec, role: str, metric: Metric, played: Episodes) -> np.ndarray | None:
    if metric.name == FINISHED:
        return np.ones(len(played))
    if metric.name == LENGTH:
        return played.column("length").astype(np.float64)
    if metric.name == SUCCESS and not metric.field:
        return _points(spec, role, played)
    if metric.name == REWARD and not metric.field:
        return _role_returns(spec, role, played)
    return played.column(metric.field).astype(np.float64)


def _points(spec: Spec, role: str, played: Episodes) -> np.ndarray:
    """1 for a win, a half for a draw."""
    outcome = spec.outcome
    assert outcome is not None
    codes = played.column(outcome.name).astype(int)
    won, drawn = spec.winning_codes(role), spec.winning_codes(role, "draw")
    return np.isin(codes, won) + np.isin(codes, drawn) / 2


def _role_returns(spec: Spec, role: str, played: Episodes) -> np.ndarray | None:
    if not played.has("returns"):
        return None
    rows = [i for i, one in enumerate(spec.roles) if one == role]
    return played.column("returns").reshape(len(played), -1)[:, rows].mean(axis=1).astype(np.float64)


# ---------------------------------------------------------------- making


def group_of(
    metrics: Sequence[Metric], role: str, opponent: str | None, player: str, rows: Sequence[Row]
) -> Group:
    """Summaries of rows."""
    summaries = {}
    for metric in metrics:
        values = np.array([row[metric.name] for row in rows if row.get(metric.name) is not None], np.float64)
        if len(values):
            summaries[metric.name] = Summary.of(metric, values)
    return Group(
        role=role,
        opponent=opponent,
        player=player,
        requested=len(rows),
        unfinished=sum(row.get(FINISHED) == 0.0 for row in rows),
        metrics=summaries,
        rows=list(rows),
    )


def make_report(
    spec: Spec,
    engine: str,
    model: str,
    groups: Sequence[Group],
    metrics: Sequence[Metric],
    model_sha256: str | None = None,
    seconds: float | None = None,
    clock: Clock = now,
) -> EvalReport:
    """A report of finished episodes; the fields at the top repeat the first group."""
    about = {
        "name": model,
        "sha256": model_sha256,
        "game": spec.game,
        "scenario": spec.address,
        "game_version": spec.version,
        "profile": spec.profile,
        "settings": spec.config,
        "interface_hash": spec.interface_hash,
        "rules_hash": spec.hash,
        "engine": engine,
        "engine_version": load().sl_build().decode() if engine == "native" else None,
    }
    return report_from(about, groups, metrics, seconds, clock)


def report_from(
    about: Mapping[str, Any],
    groups: Sequence[Group],
    metrics: Sequence[Metric],
    seconds: float | None = None,
    clock: Clock = now,
) -> EvalReport:
    """A report about players described by plain values: name, sha256, game, scenario, hashes, engine."""
    first = groups[0].metrics
    blocks = {
        name: {m.name: first[m.name] for m in metrics if m.group == name and m.name in first} or None
        for name in (COMFORT, PERFORMANCE)
    }
    own = ("game", "scenario", "game_version", "profile", "settings", "interface_hash", "rules_hash")
    return EvalReport(
        created=iso(clock()),
        model=about["name"],
        model_sha256=about["sha256"],
        **{name: about[name] for name in (*own, "engine", "engine_version")},
        git=git_revision(Path.cwd()),
        sandlot=__version__,
        seed=groups[0].seeds[0] if groups[0].rows else 0,
        episodes=max(group.requested for group in groups),
        seconds=seconds,
        mean_reward=_mean(first, REWARD),
        std_reward=first[REWARD].std if REWARD in first else None,
        mean_episode_length=_mean(first, LENGTH),
        success_rate=_mean(first, SUCCESS),
        metrics=list(metrics),
        groups=list(groups),
        comfort=blocks[COMFORT],
        performance=blocks[PERFORMANCE],
    )


def _mean(summaries: Mapping[str, Summary], name: str) -> float | None:
    return summaries[name].value if name in summaries else None
