"""Retrained agents: is what this version of the code trains worse than what the baseline's trained?

The unit is a training with its own seed, not an episode: trainings of one configuration differ by far more
than episodes of one agent do. Two groups of trainings are compared by exact permutation tests, in looks that
were fixed in advance; each look has its share of the error, so that the gate may stop at any of them.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from ..errors import ConfigError, SpecMismatch
from ..evaluate.report_file import EvalReport, Metric
from .judge import default_margin, gates_by_default
from .settings import Training
from .verdict import FAIL, PASS, UNDECIDED, Check, Identity, Number, Verdict, make_verdict

GATE = "training"
MOST_ORDERS = 20_000  # permutations; more are drawn at random


def judge_trainings(
    baseline: Sequence[EvalReport],
    current: Sequence[EvalReport],
    settings: Training,
    looks: int = 1,
    tolerance: float | None = None,
    command: str = "",
) -> Verdict:
    """One report per training and side. looks: in how many equal parts they are looked at, in their order."""
    _check_same(baseline, current)
    groups = min(len(baseline), len(current))
    _check_enough(groups, settings, looks)
    metrics = [metric for metric in current[0].metrics if _gates(metric, settings)]
    if not metrics:
        raise ConfigError("No metric gates. Give one a margin in gates.toml: [training.margins].")
    known = {name for metric in current[0].metrics for name in (metric.name, metric.field) if name}
    unknown = sorted(set(settings.margins) - known)
    if unknown:
        raise ConfigError(f"gates.toml has a training margin for {unknown[0]!r}, which no report has.")
    checks = [_check(metric, baseline, current, settings, looks, len(metrics)) for metric in metrics]
    notes = [f"{len(baseline)} and {len(current)} trainings, {looks} look{'s' if looks > 1 else ''}."]
    identities = [
        Identity(
            name=f"{len(side)} trainings, such as {side[0].model}",
            kind="trainings",
            game=side[0].game,
            game_version=side[0].game_version,
            interface_hash=side[0].interface_hash,
            rules_hash=side[0].rules_hash,
            git=side[0].git,
        )
        for side in (baseline, current)
    ]
    return make_verdict(
        GATE,
        checks,
        notes=notes,
        baseline=identities[0],
        current=identities[1],
        command=command,
        pairs=groups,
    )


def _check_same(baseline: Sequence[EvalReport], current: Sequence[EvalReport]) -> None:
    if not baseline or not current:
        raise ConfigError(
            "Both sides need reports of trainings: --baseline a.json,b.json --current c.json,d.json."
        )
    first = baseline[0]
    for report in (*baseline, *current):
        if (report.game, report.rules_hash) != (first.game, first.rules_hash):
            raise SpecMismatch(
                f"{report.model} was evaluated on {report.game} ({report.rules_hash}), {first.model} on "
                f"{first.game} "
                f"({first.rules_hash}). Evaluate all trainings under the same rules."
            )
        if sorted(report.groups[0].seeds) != sorted(first.groups[0].seeds):
            raise ConfigError(
                f"{report.model} and {first.model} were evaluated on different seeds. Use the same --seeds "
                "and --episodes."
            )
    digests = [report.model_sha256 for report in (*baseline, *current) if report.model_sha256]
    if len(set(digests)) < len(digests):
        raise ConfigError(
            "A training occurs twice (the same model_sha256): each report has to be one of its own."
        )


def _check_enough(groups: int, settings: Training, looks: int) -> None:
    """The smallest p-value that so many trainings can have."""
    if looks < 1 or groups < looks:
        raise ConfigError(f"{looks} looks at {groups} trainings: expected at least one training per look.")
    wanted = min(settings.alpha, settings.beta) / looks
    if 1 / math.comb(2 * groups, groups) > wanted:
        enough = next(n for n in range(1, 64) if 1 / math.comb(2 * n, n) <= wanted)
        raise ConfigError(
            f"{groups} trainings a side cannot show anything at {wanted:.3g}, whatever their results: at "
            "least "
            f"{enough} are needed, and 5 to 10 are usual. Train more seeds."
        )


def _gates(metric: Metric, settings: Training) -> bool:
    if settings.margins:
        return metric.name in settings.margins or metric.field in settings.margins
    return gates_by_default(metric) and metric.name != "finished"


def _check(
    metric: Metric,
    baseline: Sequence[EvalReport],
    current: Sequence[EvalReport],
    settings: Training,
    looks: int,
    metrics: int,
) -> Check:
    before, after = (np.array([_mean(report, metric) for report in side]) for side in (baseline, current))
    given = settings.margins.get(metric.name, settings.margins.get(metric.field))
    margin, note = (given, "") if given is not None else default_margin(metric, before)
    sign = -1 if metric.better == "lower" else 1
    result, used, p_worse, p_beyond = UNDECIDED, len(before), 1.0, 1.0
    for look in range(1, looks + 1):
        sides = [sign * side[: math.ceil(len(side) * look / looks)] for side in (before, after)]
        p_worse = min(1.0, looks * permutation_p(sides[0], sides[1]))
        p_beyond = min(1.0, looks * permutation_p(sides[1] + margin, sides[0]))
        used = min(len(side) for side in sides)
        result = (
            PASS if p_beyond <= settings.beta else FAIL if p_worse <= settings.alpha / metrics else UNDECIDED
        )
        if result != UNDECIDED:
            break
    unit = f" {metric.unit}" if metric.unit else ""
    spread = max(float(before.std(ddof=1)) if len(before) > 1 else 0.0, 1e-12)
    further = math.ceil(2 * (4.0 * spread / margin) ** 2) if result == UNDECIDED else None
    further = max(1, further - used) if further is not None else None
    text = f"{metric.name} {before.mean():.4g} (± {spread:.3g} between trainings) -> {after.mean():.4g}{unit}"
    ends = {
        PASS: "a drop of the margin is excluded",
        FAIL: "worse, and a drop of the margin is not excluded",
        UNDECIDED: f"not decided; about {further} more trainings a side would",
    }
    return Check(
        name=metric.name,
        result=result,  # type: ignore[arg-type]
        sentence=f"{text}, margin {margin:.4g}{unit}{f' ({note})' if note else ''}: {ends[result]}.",
        unit=metric.unit,
        better=metric.better,
        test="permutation of trainings",
        baseline=Number(value=float(before.mean()), low=float(before.min()), high=float(before.max())),
        current=Number(value=float(after.mean()), low=float(after.min()), high=float(after.max())),
        difference=Number(value=float(after.mean() - before.mean())),
        margin=margin,
        samples=used,
        further=further,
        p_worse=p_worse,
        p_beyond=p_beyond,
    )


def _mean(report: EvalReport, metric: Metric) -> float:
    found = report.groups[0].metrics.get(metric.name)
    if found is None:
        raise ConfigError(
            f"The report of {report.model} has no {metric.name}: no episode ended. Train longer."
        )
    return found.value


def permutation_p(high: np.ndarray, low: np.ndarray) -> float:
    """How unlikely it is that `high` is above `low` by so much, if both come from the same trainings."""
    both, n = np.concatenate([high, low]), len(high)
    found = high.mean() - low.mean()
    if math.comb(len(both), n) <= MOST_ORDERS:
        picks = np.array(list(itertools.combinations(range(len(both)), n)))
    else:
        rng = np.random.default_rng(0)
        picks = np.argsort(rng.random((MOST_ORDERS, len(both))), axis=1)[:, :n]
    sums = both[picks].sum(axis=1)
    means = sums / n - (both.sum() - sums) / (len(both) - n)
    hits = int((means >= found - 1e-12).sum())
    exact = len(picks) == math.comb(len(both), n)
    return hits / len(picks) if exact else (hits + 1) / (len(picks) + 1)
