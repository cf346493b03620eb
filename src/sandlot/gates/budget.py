"""Budgets of time and memory, p50 and p95: of what episodes measured, and of the steps of two builds.

Two builds are measured in turns, A B B A, because a machine's speed drifts within minutes; blocks are
then resampled as a whole, so that the drift is in the interval.
"""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from ..errors import ConfigError, UnknownName
from ..evaluate.report_file import EvalReport
from ..evaluate.statistics import bootstrap
from .resampled import percentile_difference
from .settings import Budget
from .sides import PlayedSide
from .verdict import FAIL, PASS, UNDECIDED, Check, Identity, Number, Verdict, make_verdict

GATE = "budget"
STEP = "step_us"
WORLDS, STEPS = 64, 40
ROUNDS = 12  # of A B B A
PERCENTILES = {"p50": 50.0, "p95": 95.0}
LEAST_SAMPLES = {"p50": 10, "p95": 60}  # fewer than that say nothing about the tail
Progress = Callable[[str, int, int], None]


def judge_report(report: EvalReport, budget: Budget, command: str = "") -> Verdict:
    """Each limit against the episodes of a report, such as frame times that a scene measured."""
    values = _values(report)
    checks = []
    for percentile, limits in (("p50", budget.p50), ("p95", budget.p95)):
        for name, limit in limits.items():
            if name not in values:
                raise UnknownName("number of an episode", name, sorted(values))
            unit = next((m.unit for m in report.metrics if name in (m.name, m.field)), "")
            checks.append(_limit_check(name, percentile, values[name], limit, unit))
    if not checks:
        raise ConfigError(
            "No budget: give --p95 NAME=NUMBER, or [budget.p50] and [budget.p95] in gates.toml. "
            f"Episodes have {', '.join(sorted(values))}."
        )
    identity = Identity(name=report.model, kind="report", game=report.game, created=report.created)
    return make_verdict(GATE, checks, current=identity, command=command)


def _values(report: EvalReport) -> dict[str, np.ndarray]:
    rows = [row for group in report.groups for row in group.rows]
    made = {}
    for metric in report.metrics:
        found = [row[metric.name] for row in rows if row.get(metric.name) is not None]
        made[metric.name] = np.array(found, np.float64)
        if metric.field:
            made[metric.field] = made[metric.name]
    return made


def _limit_check(name: str, percentile: str, values: np.ndarray, limit: float, unit: str) -> Check:
    title = f"{name} {percentile}"
    if not len(values):
        return Check(name=title, result="no_data", sentence=f"{title}: no episode measured it.", limit=limit)
    found = bootstrap(values, partial(np.percentile, q=PERCENTILES[percentile]))
    enough = len(values) >= LEAST_SAMPLES[percentile]
    result = PASS if found.high <= limit else FAIL if found.low > limit else UNDECIDED
    result = result if enough else UNDECIDED
    text = f"{title} is {found.value:.4g} {unit} (95 %: {found.low:.4g} to {found.high:.4g})"
    more = "" if enough else f"; {len(values)} measurements, at least {LEAST_SAMPLES[percentile]} are needed"
    return Check(
        name=title,
        result=result,  # type: ignore[arg-type]
        sentence=f"{text}, the budget is {limit:g}{more}.",
        unit=unit,
        better="lower",
        test="bootstrap",
        current=Number.of(found),
        limit=limit,
        samples=len(values),
    )


# ---------------------------------------------------------------- two builds


def judge_steps(
    baseline: PlayedSide,
    current: PlayedSide,
    budget: Budget,
    rounds: int = ROUNDS,
    worlds: int = WORLDS,
    command: str = "",
    progress: Progress | None = None,
) -> Verdict:
    """Is a step of the current side slower than the baseline's by more than the share allowed?"""
    one, two = _in_turns(baseline, current, rounds, worlds, progress)
    checks = [_share_check(name, one, two, budget.slower) for name in PERCENTILES]
    for percentile, limits in (("p50", budget.p50), ("p95", budget.p95)):
        if STEP in limits:
            checks.append(_limit_check(STEP, percentile, two.ravel(), limits[STEP], "us"))
    notes = [
        f"{rounds} rounds of A B B A, {worlds} worlds, {STEPS} steps a block, microseconds per step of a "
        "world."
    ]
    return make_verdict(
        GATE, checks, notes=notes, baseline=baseline.identity, current=current.identity, command=command
    )


def _in_turns(
    baseline: PlayedSide, current: PlayedSide, rounds: int, worlds: int, progress: Progress | None
) -> tuple[np.ndarray, np.ndarray]:
    """Blocks of both sides, [rounds, samples]: each row holds two blocks of one A B B A."""
    for side in (baseline, current):
        side.time_steps(worlds, STEPS)  # the first one warms caches
    found: dict[bool, list[np.ndarray]] = {False: [], True: []}
    for i in range(rounds):
        if progress:
            progress("A B B A", i, rounds)
        turns = [(second, (current if second else baseline).time_steps(worlds, STEPS)) for second in ABBA]
        for which, blocks in found.items():
            blocks.append(np.concatenate([times for second, times in turns if second == which]))
    return np.array(found[False]), np.array(found[True])


ABBA = (False, True, True, False)


def _share_check(percentile: str, baseline: np.ndarray, current: np.ndarray, slower: float) -> Check:
    def statistic(values: np.ndarray) -> float:
        return float(np.percentile(values, PERCENTILES[percentile]))

    value, low, high = percentile_difference(baseline, current, statistic)
    before, after = statistic(baseline.ravel()), statistic(current.ravel())
    margin = slower * before
    result = PASS if high < margin else FAIL if low > 0 else UNDECIDED
    name = f"{STEP} {percentile}"
    text = f"{name} {before:.4g} -> {after:.4g} us, difference {value:+.4g} ({low:+.4g} to {high:+.4g})"
    return Check(
        name=name,
        result=result,  # type: ignore[arg-type]
        sentence=f"{text}; {100 * slower:g} % slower is allowed, {margin:.4g} us.",
        unit="us",
        better="lower",
        test="paired bootstrap of blocks, A B B A",
        baseline=Number(value=before),
        current=Number(value=after),
        difference=Number(value=value, low=low, high=high),
        margin=margin,
        samples=baseline.size,
        further=None if result != UNDECIDED else len(baseline),
    )


def limits_of(
    budget: Budget, p50: Mapping[str, float], p95: Mapping[str, float], slower: float | None
) -> Budget:
    """The file's limits with those of the command line over them."""
    changes = {"p50": {**budget.p50, **p50}, "p95": {**budget.p95, **p95}}
    return budget.model_copy(update=changes | ({} if slower is None else {"slower": slower}))
