"""What `rl_training/validate_training_metrics.py`, `check_regression.py` and `generate_report.py` judge.

All of it is `sandlot gate` under the guide's names. A file that only says mean_reward, mean_episode_length
and success_rate, as the guide's own scripts would write it, is read too.
"""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import ConfigError, Damaged
from ...evaluate.report_file import KIND as REPORT
from ...evaluate.report_file import LENGTH, REWARD, SUCCESS, EvalReport, Group, Metric, Summary, read_report
from ...gates import evaluation_page, markdown
from ...gates.regression import Question, compare
from ...gates.settings import Regression
from ...gates.sides import ReportSide
from ...gates.validate import open_source, validate
from ...gates.verdict import KIND as VERDICT
from ...gates.verdict import UNDECIDED, Number, Verdict, read_verdict
from ...version import __version__

FRAME_MS = 1000 / 90
REWARD_TAG, PHYSICS_TAG = "rollout/ep_rew_mean", "performance/physics_frame_time_ratio"
PHYSICS_FRAME = "slowest physics frame, ms"
ALPHA = 0.01  # of jobs of ten episodes: a build that loses all of them fails
NO_DATA_CODE = 3  # of a training in which no episode ended: neither good nor bad
PLAIN = {
    "mean_reward": Metric(name=REWARD, better="higher"),
    "success_rate": Metric(name=SUCCESS, kind="rate", better="higher", low=0, high=1, headline=True),
    "mean_episode_length": Metric(name=LENGTH, unit="steps"),  # longer is neither better nor worse
}


# ---------------------------------------------------------------- validate_training_metrics.py


def validate_training(logs: Path, min_reward: float, max_physics_ms: float) -> Verdict:
    """The last mean reward and the slowest physics frame of the newest events below a folder."""
    if not logs.is_dir():
        raise ConfigError(f"There is no folder {logs}: nothing was trained under this name.")
    source = open_source(str(logs))
    slowest = source.largest.get(PHYSICS_TAG)
    if slowest is None:
        return validate(source, {REWARD_TAG: min_reward}, {})
    number = Number(value=FRAME_MS * slowest)
    measured = replace(
        source,
        numbers={**source.numbers, PHYSICS_FRAME: number},
        largest={**source.largest, PHYSICS_FRAME: number.value},
    )
    return validate(measured, {REWARD_TAG: min_reward}, {PHYSICS_FRAME: max_physics_ms})


# ---------------------------------------------------------------- check_regression.py


def check_regression(baseline: Path, current: Path, tolerance: float) -> Verdict:
    """Paired on the seeds that both have, where the current ones are among the baseline's; else by means."""
    one, two = _alike(read_metrics(baseline), read_metrics(current))
    seeds = two.groups[0].seeds
    if not set(seeds) <= set(one.groups[0].seeds):
        one, two, seeds = _without_rows(one), _without_rows(two), []
    elif seeds:
        one = _cut(one, set(seeds))
    question = Question(Regression(alpha=ALPHA), tolerance, accept_undecided=True)
    verdict = compare(ReportSide(one, str(baseline)), ReportSide(two, str(current)), question)
    if verdict.result == UNDECIDED:
        verdict.notes.append(describe_pairs(len(seeds)))
    return verdict


def _alike(one: EvalReport, two: EvalReport) -> tuple[EvalReport, EvalReport]:
    """A file that does not name its game is taken to be of the other's."""
    if one.game and two.game:
        return one, two
    named = one if one.game else two
    same = {name: getattr(named, name) for name in ("game", "interface_hash", "rules_hash", "engine")}
    return one.model_copy(update=same), two.model_copy(update=same)


def describe_pairs(pairs: int) -> str:
    """What so many pairs can decide, and what they cannot."""
    least = 100 * (1 - 0.005 ** (1 / pairs))  # of pairs without a single difference, at 1 %
    return (
        f"{pairs} paired episodes find a build that loses most of them, and nothing finer: even if no pair "
        f"differs, only a drop of more than {least:.0f} points of success is excluded. That is undecided, "
        "not red. For 10 points evaluate about 400 episodes, for 5 points 1,200."
    )


def _without_rows(report: EvalReport) -> EvalReport:
    groups = [group.model_copy(update={"rows": []}) for group in report.groups]
    return report.model_copy(update={"groups": groups})


def _cut(report: EvalReport, seeds: set[int]) -> EvalReport:
    """Only the episodes of these seeds."""
    groups = [
        group.model_copy(update={"rows": [row for row in group.rows if row["seed"] in seeds]})
        for group in report.groups
    ]
    return report.model_copy(update={"groups": groups})


def read_metrics(path: Path) -> EvalReport:
    """A report of `sandlot eval` or evaluate_model.py, or any JSON object with the guide's three fields."""
    given = _json(path)
    if given.get("kind") == REPORT:
        return read_report(path)
    found = {}
    for name, metric in PLAIN.items():
        if given.get(name) is not None:
            found[metric.name] = _summary(given, name, path)
    if not found:
        raise Damaged(f"{path} has none of {', '.join(PLAIN)}. Make it with evaluate_model.py.")
    return _plain_report(path, given, found)


def _summary(given: dict[str, Any], name: str, path: Path) -> Summary:
    value = given[name]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise Damaged(f"{path}: {name} is {value!r}; expected a number. Make it with evaluate_model.py.")
    spread = given.get("std_reward") if name == "mean_reward" else None
    spread = float(spread) if isinstance(spread, (int, float)) and math.isfinite(spread) else 0.0
    return Summary(value=value, low=value, high=value, std=spread, episodes=_episodes(given))


def _episodes(given: dict[str, Any]) -> int:
    count = given.get("episodes")
    return count if isinstance(count, int) and count > 0 else 1


def _plain_report(path: Path, given: dict[str, Any], found: dict[str, Summary]) -> EvalReport:
    group = Group(role="agent", requested=_episodes(given), metrics=found)
    unknown = dict.fromkeys(
        ("game_version", "interface_hash", "rules_hash", "engine", "git", "scenario", "created"), ""
    )
    fields: dict[str, Any] = dict(unknown)
    fields |= {name: given[name] for name in unknown if isinstance(given.get(name), str)}
    fields |= {name: found[metric.name].value for name, metric in PLAIN.items() if metric.name in found}
    return EvalReport(
        **fields, model=str(given.get("model", path.stem)), game=str(given.get("game", "")),
        sandlot=__version__, seed=0, episodes=_episodes(given), metrics=list(PLAIN.values()), groups=[group],
    )  # fmt: skip


# ---------------------------------------------------------------- generate_report.py


def page_of(path: Path) -> str:
    """Markdown of a report or of a verdict."""
    if _json(path).get("kind") == VERDICT:
        return markdown.to_markdown(read_verdict(path))
    return evaluation_page.to_markdown(read_metrics(path))


def _json(path: Path) -> dict[str, Any]:
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"There is no file {path}. Make it with evaluate_model.py.") from None
    except OSError as problem:
        raise ConfigError(f"{path} could not be read ({problem.strerror or problem}).") from None
    except (ValueError, RecursionError):
        raise Damaged(f"{path} is not JSON, or cut off. Make it again.") from None
    if not isinstance(given, dict):
        raise Damaged(f"{path} is no JSON object. Make it with evaluate_model.py.")
    return given


def print_changes(verdict: Verdict, print_line: Callable[[str], None]) -> None:
    """Baseline, current and change of every metric, then what follows from it."""
    for check in verdict.checks:
        old, new = check.baseline, check.current
        if old is None or new is None:
            print_line(f"{check.title}: not in both")
            continue
        judged = check.result if check.gating else "not judged"
        numbers = f"baseline {old.value:.4g}, current {new.value:.4g}, change {new.value - old.value:+.4g}"
        print_line(f"{check.title}: {numbers} ({judged})")
    for note in verdict.notes:
        print_line(f"Note: {note}")
    print_line(verdict.sentence)
