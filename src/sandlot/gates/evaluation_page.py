"""A report of `sandlot eval` as Markdown: what played, the metrics with intervals, the worst episodes."""

from ..evaluate.report_file import FINISHED, REWARD, EvalReport, Group, Metric, Summary
from .markdown import cell

WORST = 5


def to_markdown(report: EvalReport) -> str:
    """The whole page."""
    lines = [f"# Evaluation: {report.model}", "", _sentence(report), "", "| | |", "|---|---|"]
    facts = {
        "game": f"{report.game} {report.game_version}".strip(),
        "scenario": report.scenario,
        "engine": f"{report.engine} {report.engine_version or ''}".strip(),
        "revision": report.git,
        "model": f"{report.model} ({report.model_sha256[:12]})" if report.model_sha256 else report.model,
        "made": report.created,
    }
    lines += [f"| {name} | {cell(text)} |" for name, text in facts.items() if text]
    for group in report.groups:
        lines += ["", *_group(report, group)]
    return "\n".join([*lines, ""])


def _sentence(report: EvalReport) -> str:
    group = report.groups[0]
    if report.mean_reward is None:
        return f"None of {group.requested:,} episodes ended: there is nothing to say about this model yet."
    count = f"{report.episodes:,} episode{'s' if report.episodes > 1 else ''}"
    parts = [count, f"mean reward {_number(group.metrics.get(REWARD))}"]
    if report.success_rate is not None:
        parts.append(f"success {100 * report.success_rate:.1f} %")
    return f"{', '.join(parts)}."


def _group(report: EvalReport, group: Group) -> list[str]:
    who = f"{group.role} against {group.opponent}" if group.opponent else group.role
    head = ["metric", "mean (95 %)", "spread", "better", "episodes"]
    lines = [f"## {who}", "", f"| {' | '.join(head)} |", "|---|---|---|---|---|"]
    for metric in report.metrics:
        found = group.metrics.get(metric.name)
        if found is not None:
            lines.append(f"| {' | '.join(map(cell, _row(metric, found)))} |")
    return lines + _worst(group)


def _row(metric: Metric, found: Summary) -> list[str]:
    name = f"{metric.name}, {metric.unit}" if metric.unit else metric.name
    better = "" if metric.better == "none" else metric.better
    return [name, _number(found), f"{found.std:.4g}", better, f"{found.episodes:,}"]


def _number(found: Summary | None) -> str:
    if found is None:
        return "–"
    known = found.low < found.high
    return f"{found.value:.4g} ({found.low:.4g} to {found.high:.4g})" if known else f"{found.value:.4g}"


def _worst(group: Group) -> list[str]:
    """The episodes with the lowest reward, and those that did not end."""
    ended = [row for row in group.rows if row.get(REWARD) is not None]
    rows = sorted(ended, key=lambda row: row[REWARD] or 0.0)[:WORST]
    if not rows:
        return []
    lines = ["", "Lowest rewards:", "", "| seed | reward | steps |", "|---|---|---|"]
    for row in rows:
        length = row.get("episode_length")
        lines.append(f"| {row['seed']} | {row[REWARD]:.4g} | {'' if length is None else int(length)} |")
    unfinished = [str(row["seed"]) for row in group.rows if row.get(FINISHED) == 0.0][:WORST]
    if unfinished:
        lines += ["", f"Not ended: seeds {', '.join(unfinished)}."]
    return lines
