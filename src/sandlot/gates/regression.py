"""Is the current side worse than the baseline? Both play the same seeds until every metric is clear."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import seeding
from ..errors import ConfigError, GameFailed, SpecMismatch
from ..evaluate.report_file import REWARD, SUCCESS, Metric, Row, Summary
from .judge import Judge, Target, Values, check_resolvable, looks_of, targets_of, tolerance_margin
from .settings import Regression
from .sides import BuildCrashed, Key, ReportSide, Side, check_comparable
from .verdict import FAIL, PASS, Check, Curve, Episode, Number, Verdict, make_verdict

GATE = "regression"
SEEDS = "gate"  # the purpose of its seeds
CURVE_POINTS = 101
WORST = 5
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Question:
    """How to compare."""

    settings: Regression = field(default_factory=Regression)
    tolerance: float | None = None  # relative, translated into margins
    seed_key: int = 0  # another one gives other seeds
    minutes: float | None = None  # after which the gate says what it knows
    across_rules: bool = False
    accept_undecided: bool = False  # then a margin that cannot be resolved is a note, not an error
    command: str = ""


@dataclass
class Pairs:
    """The episodes of both sides so far, by group, in the order of the seeds."""

    keys: list[Key]
    baseline: dict[Key, list[Row]] = field(default_factory=dict)
    current: dict[Key, list[Row]] = field(default_factory=dict)

    def label(self, key: Key) -> str:
        """How a group is called; nothing where there is only one."""
        role, opponent = key
        return "" if len(self.keys) == 1 else f"{role} against {opponent}" if opponent else role

    def values(self, key: Key, name: str) -> Values:
        """A metric of the pairs that both have."""
        pairs = zip(self.baseline[key], self.current[key], strict=True)
        both = [(b[name], c[name]) for b, c in pairs if b.get(name) is not None and c.get(name) is not None]
        array = np.array(both, np.float64).reshape(len(both), 2)
        return array[:, 0], array[:, 1]


def compare(
    baseline: Side, current: Side, question: Question | None = None, progress: Progress | None = None
) -> Verdict:
    """The verdict on two sides."""
    started, question = time.monotonic(), question or Question()
    notes = check_comparable(baseline, current, question.across_rules)
    if any(isinstance(side, ReportSide) and not side.seeds for side in (baseline, current)):
        return _compare_means(baseline, current, question, notes)
    digests = {baseline.identity.sha256, current.identity.sha256}
    if isinstance(baseline, ReportSide) and len(digests) == 1 and None not in digests:
        notes.append("Both sides have the same policy: it is the game that is judged, against the report.")
    return _Comparison(baseline, current, question, notes, started, progress).verdict()


class _Comparison:
    """One comparison under way."""

    def __init__(
        self,
        baseline: Side,
        current: Side,
        question: Question,
        notes: list[str],
        started: float,
        progress: Progress | None,
    ):
        self.baseline, self.current, self.question, self.notes = baseline, current, question, notes
        self.started, self.progress = started, progress
        self.pairs = Pairs(_common_groups(baseline, current))
        if not self.pairs.keys:
            raise SpecMismatch("The two sides have no role and opponent in common.")
        for key in self.pairs.keys:
            self.pairs.baseline[key], self.pairs.current[key] = [], []
        self.metrics = _common_metrics(baseline, current)
        self.seeds = self._seeds()
        both_reports = baseline.seeds is not None and current.seeds is not None
        settings = question.settings
        self.looks = [len(self.seeds)] if both_reports else looks_of(settings, len(self.seeds))
        self.judge: Judge | None = None

    def _seeds(self) -> list[int]:
        lists = [side.seeds for side in (self.baseline, self.current) if side.seeds is not None]
        if not lists:
            return seeding.held_out(SEEDS, self.question.settings.pairs, self.question.seed_key)
        if len(lists) == 2 and set(lists[0]) != set(lists[1]):
            both = len(set(lists[0]) & set(lists[1]))
            raise ConfigError(
                f"The baseline has {len(lists[0])} episodes, the current report {len(lists[1])}, and "
                f"{both} seeds "
                "are in both: pairs need the same seeds. Evaluate both with the same --seeds and --episodes."
            )
        return lists[0] if len(lists) == 2 else lists[0][: self.question.settings.pairs]

    def verdict(self) -> Verdict:
        """Play and judge until it is decided."""
        done, looks = 0, 0
        for look in self.looks:
            try:
                self._play(self.seeds[done:look])
            except BuildCrashed as crash:
                return self._crashed(str(crash), done)
            done, looks = look, looks + 1
            if self._judged():
                break
            minutes = self.question.minutes
            if (
                minutes is not None
                and time.monotonic() - self.started > 60 * minutes
                and look < len(self.seeds)
            ):
                self.notes.append(
                    f"Stopped after {minutes:g} minutes and {done:,} of {len(self.seeds):,} pairs."
                )
                break
        assert self.judge is not None
        return self._made(self.judge.checks(), done, looks)

    def _play(self, seeds: Sequence[int]) -> None:
        for i, key in enumerate(self.pairs.keys):
            if self.progress:
                done = len(self.pairs.baseline[key])
                self.progress(f"{done + len(seeds):,} pairs", i, len(self.pairs.keys))
            try:
                self.pairs.baseline[key] += self.baseline.rows(key, seeds)
            except BuildCrashed as crash:
                raise GameFailed(f"The baseline cannot be played: {crash}") from None
            self.pairs.current[key] += self.current.rows(key, seeds)

    def _judged(self) -> bool:
        if self.judge is None:
            targets = self._targets()
            problems = check_resolvable(targets, self.question.settings, len(self.seeds))
            if problems and not self.question.accept_undecided:
                raise ConfigError(" ".join(problems))
            self.notes += problems
            self.judge = Judge(targets, self.question.settings, len(self.looks))
        values = {
            (self.pairs.label(key), metric.name): self.pairs.values(key, metric.name)
            for key in self.pairs.keys
            for metric in self.metrics
        }
        return self.judge.look(values)

    def _targets(self) -> list[Target]:
        made: list[Target] = []
        tolerance = self.question.tolerance
        for key in self.pairs.keys:
            rows = self.pairs.baseline[key]
            values = {m.name: _present(rows, m.name) for m in self.metrics}
            summaries = {
                m.name: Summary.of(m, v) for m, v in ((m, values[m.name]) for m in self.metrics) if len(v)
            }
            label = self.pairs.label(key)
            made += targets_of(label, self.metrics, self.question.settings, values, summaries, tolerance)
        for target in made:
            if target.gating and not len(
                _present(self._rows(target, self.pairs.baseline), target.metric.name)
            ):
                raise ConfigError(
                    f"The baseline has no value of {target.metric.name} in any episode, so nothing can be "
                    "compared "
                    "with it. Make a new baseline, or take the margin out of gates.toml."
                )
        if tolerance is not None:
            self.notes.append(_translated(tolerance, [t for t in made if t.gating]))
        if not any(target.gating for target in made):
            raise ConfigError("No metric gates. Give one a margin in gates.toml: [regression.margins].")
        return made

    def _rows(self, target: Target, side: dict[Key, list[Row]]) -> list[Row]:
        return next(rows for key, rows in side.items() if self.pairs.label(key) == target.group)

    # ------------------------------------------------------------ what the verdict shows

    def _made(self, checks: list[Check], pairs: int, looks: int, **more: Any) -> Verdict:
        return make_verdict(
            GATE,
            checks,
            notes=self.notes,
            baseline=self.baseline.identity,
            current=self.current.identity,
            pairs=pairs,
            looks=looks,
            worst=self._worst(checks),
            curves=self._curves(checks),
            command=self.question.command,
            seconds=round(time.monotonic() - self.started, 3),
            **more,
        )

    def _crashed(self, why: str, done: int) -> Verdict:
        sentence = f"Fail: the current build stopped while it played pairs after the first {done:,}. {why}"
        check = Check(name="no crash", result="fail", sentence=sentence, samples=done)
        checks = [check, *(self.judge.checks() if self.judge else [])]
        self.pairs = Pairs([])  # the sides no longer hold the same episodes
        return self._made(checks, done, 0, sentence=sentence)

    def _worst(self, checks: list[Check]) -> list[Episode]:
        """Pairs in which a failed metric fell most; of the first gating metric where none failed."""
        failed = [c for c in checks if c.result == FAIL] or [c for c in checks if c.gating][:1]
        found: list[Episode] = []
        for check in failed:
            for key in self.pairs.keys:
                if self.pairs.label(key) == check.group:
                    found += self._worst_of(check, key)
        return found

    def _worst_of(self, check: Check, key: Key) -> list[Episode]:
        sign = -1 if check.better == "lower" else 1
        rows = []
        for before, after in zip(self.pairs.baseline[key], self.pairs.current[key], strict=True):
            old, new = before.get(check.name), after.get(check.name)
            if old is not None and new is not None and sign * (new - old) < 0:
                rows.append((sign * (new - old), int(before["seed"] or 0), old, new))
        rows.sort()
        return [
            Episode(group=check.group, metric=check.name, seed=seed, baseline=old, current=new)
            for _, seed, old, new in rows[:WORST]
        ]

    def _curves(self, checks: list[Check]) -> list[Curve]:
        made = []
        for check in (c for c in checks if c.gating):
            for key in self.pairs.keys:
                if self.pairs.label(key) == check.group:
                    sides = [_curve(values) for values in self.pairs.values(key, check.name)]
                    about = {"name": check.name, "group": check.group, "unit": check.unit}
                    made.append(Curve(**about, baseline=sides[0], current=sides[1]))
        return made

    def key_of(self, group: str) -> Key:
        """The group of a check."""
        return next(key for key in self.pairs.keys if self.pairs.label(key) == group)


def key_of(side: Side, group: str) -> Key:
    """The role and opponent behind a group's label in a verdict."""
    labels = Pairs(side.groups)
    return next((key for key in side.groups if labels.label(key) == group), side.groups[0])


def _curve(values: np.ndarray) -> list[float]:
    """Sorted values, at most CURVE_POINTS of them."""
    if len(values) <= CURVE_POINTS:
        return [float(value) for value in np.sort(values)]
    return [float(value) for value in np.percentile(values, np.linspace(0, 100, CURVE_POINTS))]


def _common_groups(baseline: Side, current: Side) -> list[Key]:
    """What both can play: a report its own groups, a policy its roles against any opponent."""
    if baseline.seeds is None and current.seeds is not None:
        return [key for key in current.groups if key[0] in {role for role, _ in baseline.groups}]
    if current.seeds is None:
        return [key for key in baseline.groups if key[0] in {role for role, _ in current.groups}]
    return [key for key in baseline.groups if key in current.groups]


def _present(rows: Sequence[Row], name: str) -> np.ndarray:
    return np.array([row[name] for row in rows if row.get(name) is not None], np.float64)


def _common_metrics(baseline: Side, current: Side) -> list[Metric]:
    """As the current side describes them, of those that the baseline has too."""
    known = {metric.name for metric in baseline.metrics}
    return [metric for metric in current.metrics if metric.name in known]


def _translated(tolerance: float, targets: Sequence[Target]) -> str:
    parts = [f"{t.metric.name} {t.margin:.4g}{' ' + t.metric.unit if t.metric.unit else ''}" for t in targets]
    return (
        f"--tolerance {tolerance:g} is taken as a margin in each metric's own unit: {', '.join(parts)}. A "
        "margin in "
        "gates.toml says it directly, and stays the same when the baseline changes."
    )


# ---------------------------------------------------------------- reports without episodes


def _compare_means(baseline: Side, current: Side, question: Question, notes: list[str]) -> Verdict:
    """Means alone: a relative tolerance, in the direction that the game says is better."""
    if not (isinstance(baseline, ReportSide) and isinstance(current, ReportSide)):
        raise ConfigError("A report without episodes can only be compared with another report.")
    if question.tolerance is None:
        raise ConfigError(
            f"{baseline.where if not baseline.seeds else current.where} has no row per episode, so the "
            "sides cannot "
            "be paired. Make it again with `sandlot eval --output`, or compare the means with --tolerance "
            "0.1."
        )
    metrics = {metric.name: metric for metric in _common_metrics(baseline, current)}
    old, new = baseline.report.groups[0].metrics, current.report.groups[0].metrics
    checks = [
        _mean_check(metric, old.get(name), new.get(name), question.tolerance)
        for name, metric in metrics.items()
        if (name in old or name in new) and metric.better != "none"
    ]
    notes = [
        *notes,
        "The reports hold no episodes: their means were compared, which takes noise for a change and a "
        "change for "
        "noise. A paired gate over the same seeds says how sure it is.",
    ]
    return make_verdict(
        GATE,
        checks,
        notes=notes,
        baseline=baseline.identity,
        current=current.identity,
        command=question.command,
    )


def _mean_check(metric: Metric, before: Summary | None, after: Summary | None, tolerance: float) -> Check:
    gating = metric.name in (REWARD, SUCCESS) or metric.headline
    if before is None or after is None:
        side = "baseline" if before is None else "current report"
        text = f"The {side} has no {metric.name}: nothing can be compared. Evaluate it until episodes end."
        return Check(
            name=metric.name, result="no_data" if gating else "reported", gating=gating, sentence=text
        )
    found = tolerance_margin(metric, before, tolerance)
    drop = (before.value - after.value) * (-1 if metric.better == "lower" else 1)
    margin, note = found or (0.0, "nothing: the baseline is 0 and has no spread")
    result = PASS if drop <= margin else FAIL
    text = f"{metric.name} {before.value:.4g} -> {after.value:.4g} {metric.unit}".rstrip()
    allowed = f"{margin:.4g} ({note})"
    return Check(
        name=metric.name,
        result=result,  # type: ignore[arg-type]
        gating=gating,
        sentence=f"{text}: {'worse by no more than' if result == PASS else 'worse by more than'} {allowed}.",
        unit=metric.unit,
        better=metric.better,
        test="tolerance",
        baseline=Number(value=before.value, low=before.low, high=before.high),
        current=Number(value=after.value, low=after.low, high=after.high),
        difference=Number(value=after.value - before.value),
        margin=margin,
        samples=min(before.episodes, after.episodes),
    )
