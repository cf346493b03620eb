"""Judges paired episodes metric by metric: pass, fail or undecided, at every look, with error rates kept.

The margin is the drop that must not be missed. A metric *passes* when a drop of the margin or more is
excluded (error at most beta), and *fails* when a drop is shown and a drop of the margin is not excluded
(error at most alpha over all gating metrics together, by Holm's procedure). A drop that is shown to be
smaller than the margin passes. Differences are turned so that below zero is worse.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np

from ..errors import ConfigError
from ..evaluate.report_file import FINISHED, SUCCESS, Metric, Summary
from ..evaluate.statistics import paired_difference
from ..rating import Estimate
from . import rates, resampled, scores
from .settings import Regression
from .verdict import FAIL, PASS, REPORTED, UNDECIDED, Check, Number

GSPRT, BETTING, BOOTSTRAP = "GSPRT", "betting", "paired bootstrap"
GROWTH = 2.0  # of the number of pairs from look to look
MOST_COPIES = 1 << 16  # further pairs beyond that are not worth a number
USUAL_DISCORDANT = 0.2  # share of pairs that differ, where nothing is known yet
DEFAULT_RATE_MARGIN = 0.05
DEFAULT_RANGE_SHARE = 0.05
DEFAULT_STD_SHARE = 0.25
Values = tuple[np.ndarray, np.ndarray]  # baseline and current, of the pairs that have both


@dataclass(frozen=True)
class Target:
    """A metric of a group, and how much worse it may be."""

    group: str
    metric: Metric
    better: str
    margin: float
    gating: bool
    note: str = ""  # where the margin comes from, if nobody gave it

    @property
    def key(self) -> tuple[str, str]:
        """The pairs that it judges."""
        return self.group, self.metric.name

    @property
    def sign(self) -> int:
        """+1 where more is better."""
        return -1 if self.better == "lower" else 1

    @property
    def test(self) -> str:
        """Which test its kind of number takes."""
        return {"rate": GSPRT, "bounded": BETTING}.get(self.metric.kind, BOOTSTRAP)

    def p_values(
        self, differences: np.ndarray, copies: float = 1.0, values: Values | None = None
    ) -> tuple[float, float]:
        """How unlikely the pairs are if nothing dropped, and if the drop is the margin or more.

        values: both sides', of a metric without bounds: a pair may lose as much as they lie apart.
        """
        halves = (
            self.test == GSPRT and not np.isin(differences, (-1.0, 0.0, 1.0)).all()
        )  # a draw is half a win
        if self.test == GSPRT and not halves:
            return rates.p_values(differences, self.margin, copies)
        if self.test == BETTING or halves:
            return scores.p_values(differences, self.margin, self.metric.range, copies)
        reach = float(np.ptp(np.concatenate(values))) if values and len(values[0]) else 0.0
        return resampled.p_values(differences, self.margin, copies, reach=reach)

    def check_values(self, values: np.ndarray, side: str) -> None:
        """Refuse numbers that the test's arithmetic does not hold for."""
        low, high = self.metric.low, self.metric.high
        if self.test == BOOTSTRAP or low is None or high is None or not len(values):
            return
        outside = (values < low - 1e-6) | (values > high + 1e-6)
        if self.test == GSPRT:
            outside |= ~np.isin(values, (0.0, 0.5, 1.0))
        if outside.any():
            wanted = "0 or 1" if self.test == GSPRT else f"{low:g} to {high:g}"
            raise ConfigError(
                f"{self.metric.name} of the {side} is {values[outside][0]:g} in an episode; the game "
                "declares "
                f"{wanted}. Correct the game's spec, or leave the metric out."
            )


# ---------------------------------------------------------------- which metrics, and by how much


def default_margin(metric: Metric, baseline: np.ndarray) -> tuple[float, str]:
    """A margin for a metric that has none in gates.toml, and how it came about."""
    if metric.kind == "rate" or metric.name == SUCCESS:
        return DEFAULT_RATE_MARGIN, f"{100 * DEFAULT_RATE_MARGIN:g} points by default"
    if metric.kind == "bounded":
        return DEFAULT_RANGE_SHARE * metric.range, f"{100 * DEFAULT_RANGE_SHARE:g} % of its range by default"
    std = float(baseline.std()) if len(baseline) else 0.0
    text = f"{DEFAULT_STD_SHARE:g} standard deviations of the baseline by default"
    return (DEFAULT_STD_SHARE * std or DEFAULT_STD_SHARE * max(1e-9, abs(_mean(baseline)))), text


def tolerance_margin(metric: Metric, baseline: Summary | None, tolerance: float) -> tuple[float, str] | None:
    """A relative tolerance as a margin in the metric's unit; None where nothing can be taken a share of."""
    if baseline is None:
        return None
    share = f"{100 * tolerance:g} %"
    if abs(baseline.value) > 1e-9:
        return tolerance * abs(baseline.value), f"{share} of the baseline's {baseline.value:.4g}"
    if math.isfinite(metric.range):
        return tolerance * metric.range, f"{share} of its range: the baseline is 0"
    if baseline.std > 1e-9:
        return tolerance * baseline.std, f"{share} of a standard deviation: the baseline is 0"
    return None


def gates_by_default(metric: Metric) -> bool:
    """The headline, success, whether episodes end, and comfort: what a player would notice."""
    if metric.better == "none":
        return False
    return metric.headline or metric.name in (SUCCESS, FINISHED) or metric.group == "comfort"


def targets_of(
    group: str,
    metrics: Sequence[Metric],
    settings: Regression,
    baseline: Mapping[str, np.ndarray],
    summaries: Mapping[str, Summary],
    tolerance: float | None = None,
) -> list[Target]:
    """Every metric that has a direction or a margin of its own; those of gates.toml alone decide, if any."""
    chosen = settings.margins
    known = {name for metric in metrics for name in (metric.name, metric.field) if name}
    unknown = sorted(set(chosen) - known)
    if unknown:
        names = ", ".join(metric.name for metric in metrics)
        raise ConfigError(f"gates.toml has a margin for {unknown[0]!r}, which no episode has: {names}.")
    made = []
    for metric in metrics:
        own = chosen.get(metric.name) or chosen.get(metric.field)
        better = (own.better if own else None) or metric.better
        if better == "none":
            if own:
                raise ConfigError(
                    f"gates.toml has a margin for {metric.name}, of which the game does not say whether "
                    "higher is "
                    f'better. Write {metric.name} = {{ margin = {own.margin:g}, better = "lower" }}, or '
                    '"higher".'
                )
            continue
        if own:
            margin, gating, note = own.margin, own.gating, ""
        else:
            gating = not any(m.gating for m in chosen.values()) and gates_by_default(metric)
            gating = gating or metric.name == FINISHED
            found = tolerance and tolerance_margin(metric, summaries.get(metric.name), tolerance)
            margin, note = found or default_margin(metric, baseline.get(metric.name, np.zeros(0)))
        made.append(Target(group, metric, better, margin, gating, note))
    return made


# ---------------------------------------------------------------- how many pairs it takes


def fewest_pairs(target: Target, beta: float) -> int:
    """Pairs after which even a current build without a single difference passes."""
    return _first(lambda n: target.p_values(np.zeros(1), n)[1] <= beta)


def usual_pairs(target: Target, settings: Regression, variance: float = USUAL_DISCORDANT) -> int:
    """Pairs that decide, by a normal approximation with power 0.95."""
    normal = NormalDist()
    reach = normal.inv_cdf(1 - settings.alpha) + normal.inv_cdf(0.95)
    return math.ceil(reach**2 * variance / target.margin**2)


def check_resolvable(targets: Sequence[Target], settings: Regression, pairs: int) -> list[str]:
    """A sentence for each gating margin that so many pairs cannot resolve, however they turn out."""
    found = []
    for target in targets:
        least = fewest_pairs(target, settings.beta) if target.gating else 0
        if least > pairs:
            usual = ""
            if target.test == GSPRT:
                many = usual_pairs(target, settings)
                usual = f", usually about {many:,}" if many > least else ""
            unit = f" {target.metric.unit}" if target.metric.unit else ""
            found.append(
                f"{pairs} pairs cannot exclude a drop of {target.margin:g}{unit} in {target.metric.name}, "
                "even if "
                f"no pair differs: that takes {least:,}{usual}. Play more episodes, or widen the margin."
            )
    return found


def _first(decided: Callable[[int], bool]) -> int:
    """The smallest number for which it is decided, of a function that stays true."""
    high = 1
    while not decided(high):
        high *= 2
        if high > 1 << 40:
            return high
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if decided(middle) else (middle, high)
    return high


def looks_of(settings: Regression, pairs: int) -> list[int]:
    """Numbers of pairs at which the gate looks: growing, the last one all of them."""
    looks, at = [], min(settings.first_look, pairs)
    while at < pairs:
        looks.append(at)
        at = math.ceil(at * GROWTH)
    return [*looks, pairs]


def holm(p_values: Mapping[tuple[str, str], float], alpha: float) -> set[tuple[str, str]]:
    """The keys that are rejected with a family-wise error of at most alpha."""
    rejected: set[tuple[str, str]] = set()
    for place, key in enumerate(sorted(p_values, key=lambda k: p_values[k])):
        if p_values[key] > alpha / (len(p_values) - place):
            break
        rejected.add(key)
    return rejected


# ---------------------------------------------------------------- looks


@dataclass
class Measured:
    """What is known of one target."""

    values: Values = (np.zeros(0), np.zeros(0))
    differences: np.ndarray = field(default_factory=lambda: np.zeros(0))  # below zero is worse
    worse: float = 1.0  # the smallest p-value of any look
    beyond: float = 1.0
    result: str = UNDECIDED


class Judge:
    """Looks at growing lists of pairs. The number of looks is fixed before the first."""

    def __init__(self, targets: Sequence[Target], settings: Regression, looks: int):
        self.targets, self.settings, self.looks = list(targets), settings, looks
        self.measured = {target.key: Measured() for target in self.targets}

    def look(self, pairs: Mapping[tuple[str, str], Values]) -> bool:
        """Judge all pairs so far; returns whether every gating metric is decided, or one has failed."""
        for target in self.targets:
            self._measure(target, *pairs[target.key])
        gating = [target for target in self.targets if target.gating]
        rejected = holm({t.key: self.measured[t.key].worse for t in gating}, self.settings.alpha)
        for target in self.targets:
            found = self.measured[target.key]
            if found.result != UNDECIDED:
                continue
            if found.beyond <= self.settings.beta:
                found.result = PASS
            elif target.key in rejected or (not target.gating and found.worse <= self.settings.alpha):
                found.result = FAIL
        results = {self.measured[target.key].result for target in gating}
        return FAIL in results or UNDECIDED not in results

    def _measure(self, target: Target, baseline: np.ndarray, current: np.ndarray) -> None:
        target.check_values(baseline, "baseline")
        target.check_values(current, "current build")
        found = self.measured[target.key]
        found.values, found.differences = (baseline, current), target.sign * (current - baseline)
        worse, beyond = target.p_values(found.differences, values=found.values)
        # the bootstrap holds for one look: several share its error
        shared = self.looks if target.test == BOOTSTRAP else 1
        found.worse = min(found.worse, shared * worse)
        found.beyond = min(found.beyond, shared * beyond)

    # ------------------------------------------------------------ the checks of a verdict

    def checks(self) -> list[Check]:
        """One per target, those that decide first."""
        ordered = sorted(self.targets, key=lambda target: not target.gating)
        return [self._check(target, self.measured[target.key]) for target in ordered]

    def _check(self, target: Target, found: Measured) -> Check:
        result = found.result if target.gating else REPORTED
        further = self._further(target, found) if found.result == UNDECIDED else None
        baseline, current = found.values
        return Check(
            name=target.metric.name,
            group=target.group,
            result=result,  # type: ignore[arg-type]
            gating=target.gating,
            sentence=_sentence(target, found, further),
            unit=target.metric.unit,
            better=target.better,  # type: ignore[arg-type]
            test=target.test,
            baseline=_number(baseline),
            current=_number(current),
            difference=_difference(target, found),
            margin=target.margin,
            samples=len(baseline),
            further=further,
            p_worse=min(1.0, found.worse),
            p_beyond=min(1.0, found.beyond),
        )

    def _further(self, target: Target, found: Measured) -> int | None:
        """Pairs that would decide if the next ones are like these; None if no number would."""
        n = len(found.differences)
        shared = self.looks if target.test == BOOTSTRAP else 1
        alpha = self.settings.alpha / max(1, sum(t.gating for t in self.targets))

        def decided(copies: float) -> bool:
            worse, beyond = target.p_values(found.differences, copies, found.values)
            return shared * beyond <= self.settings.beta or shared * worse <= alpha

        if not n or not decided(MOST_COPIES):
            return None
        low, high = 1.0, float(MOST_COPIES)
        for _ in range(24):
            middle = math.sqrt(low * high)
            low, high = (low, middle) if decided(middle) else (middle, high)
        return max(1, math.ceil(n * high) - n)


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else 0.0


def _number(values: np.ndarray) -> Number | None:
    return Number(value=float(values.mean())) if len(values) else None


def _difference(target: Target, found: Measured) -> Number | None:
    """current - baseline with a 95 % interval."""
    if not len(found.differences):
        return None
    change = target.sign * found.differences
    if target.test == BETTING:
        estimate: Estimate = scores.interval(change, target.metric.range)
    else:
        baseline, current = found.values
        estimate = paired_difference(current, baseline)
    return Number.of(estimate)


def _sentence(target: Target, found: Measured, further: int | None) -> str:
    name, pairs = target.metric.name, len(found.differences)
    unit = f" {target.metric.unit}" if target.metric.unit else ""
    allowed = f"{target.margin:.4g}{unit}" + (f" ({target.note})" if target.note else "")
    if not pairs:
        return f"{name}: no pair has it."
    before, after = (_mean(values) for values in found.values)
    change = f"{name} {before:.4g} -> {after:.4g}{unit} over {pairs:,} pairs"
    if found.result == PASS:
        return f"{change}: a drop of {allowed} is excluded."
    if found.result == FAIL:
        return f"{change}: worse, and a drop of {allowed} is not excluded."
    if further is None:
        why = f"neither shown to be worse nor a drop of {allowed} excluded"
        return f"{change}: {why}; no number of pairs like these would decide."
    return f"{change}: not decided for a margin of {allowed}; about {further:,} further pairs would."
