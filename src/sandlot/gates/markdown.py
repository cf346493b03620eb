"""A verdict as Markdown: the verdict first, what changed, the table, what to look at, how to repeat it."""

from .verdict import FAIL, NO_DATA, PASS, UNDECIDED, Check, Failure, Identity, Number, Verdict

MARKS = {
    PASS: "✅ pass",
    FAIL: "❌ fail",
    UNDECIDED: "❔ undecided",
    NO_DATA: "⚠️ no data",
    "reported": "–",
    "worse": "– worse",
}
MOST_ACTIONS = 40  # of a shrunk failure that are shown


def to_markdown(verdict: Verdict) -> str:
    """The whole page."""
    lines = [f"# {MARKS[verdict.result]}: gate {verdict.gate}", "", verdict.sentence, ""]
    changed = [check for check in verdict.checks if check.result == FAIL]
    changed += [check for check in verdict.checks if check.result in (UNDECIDED, NO_DATA)]
    if changed:
        lines += ["## What changed", "", *(f"- {check.sentence}" for check in changed), ""]
    lines += _sides(verdict)
    lines += _table("## Judged", [check for check in verdict.checks if check.gating])
    lines += _table("## Also measured", [check for check in verdict.checks if not check.gating])
    for failure in verdict.failures:
        lines += _failure(failure)
    if verdict.worst:
        lines += ["## Worst episodes", "", "| metric | seed | baseline | current |", "|---|---|---|---|"]
        lines += [
            f"| {cell(_title(e.group, e.metric))} | {e.seed} | {e.baseline:.4g} | {e.current:.4g} |"
            for e in verdict.worst
        ]
        lines.append("")
    if verdict.notes:
        lines += ["## Notes", "", *(f"- {note}" for note in verdict.notes), ""]
    if verdict.command:
        lines += ["## Run it again", "", "```sh", verdict.command, "```", ""]
    return "\n".join(lines)


def _title(group: str, metric: str) -> str:
    return f"{group}: {metric}" if group else metric


def cell(text: str) -> str:
    """Text that cannot break out of a table's cell."""
    return text.replace("|", "\\|").replace("\n", " ")


def _sides(verdict: Verdict) -> list[str]:
    rows = [
        (name, side) for name, side in (("baseline", verdict.baseline), ("current", verdict.current)) if side
    ]
    if not rows:
        return []
    lines = ["| | what | game | engine | revision |", "|---|---|---|---|---|"]
    lines += [f"| {name} | {cell(' | '.join(describe(side)))} |".replace("\\|", "|") for name, side in rows]
    return [*lines, ""]


def describe(side: Identity) -> list[str]:
    """What, game, engine and revision of a side."""
    game = f"{side.game} {side.game_version}".strip()
    engine = f"{side.engine} {side.engine_version or ''}".strip()
    digest = f" ({side.sha256[:12]})" if side.sha256 else ""
    return [f"{side.kind} {side.name}{digest}".replace("|", "/"), game, engine, side.git or "–"]


def _table(title: str, checks: list[Check]) -> list[str]:
    if not checks:
        return []
    head = "| verdict | metric | baseline | current | difference (95 %) | allowed | samples | test |"
    lines = [title, "", head, "|---|---|---|---|---|---|---|---|"]
    for check in checks:
        cells = [MARKS[check.mark], check.title, *numbers(check), f"{check.samples:,}", check.test]
        lines.append("| " + " | ".join(cell(text) for text in cells) + " |")
    return [*lines, ""]


def numbers(check: Check) -> list[str]:
    """Baseline, current, difference and what is allowed, as text."""
    unit = f" {check.unit}" if check.unit else ""
    allowed = ""
    if check.margin is not None:
        allowed = f"{check.margin:.4g}{unit} worse"
    elif check.limit is not None:
        allowed = f"{check.limit:.4g}{unit}"
    return [number(check.baseline), number(check.current), number(check.difference, "+"), allowed]


def number(found: Number | None, sign: str = "") -> str:
    """A value with its interval."""
    if found is None:
        return ""
    text = f"{found.value:{sign}.4g}"
    if found.low is None or found.high is None:
        return text
    return f"{text} ({found.low:{sign}.4g} to {found.high:{sign}.4g})"


def _failure(failure: Failure) -> list[str]:
    lines = [
        f"## Failure: seed {failure.seed}",
        "",
        f"- expected: {failure.expected_behavior}",
        f"- observed: {failure.observed_fault}",
        f"- minimal reproduction: {failure.minimal_reproduction}",
        f"- actions: {failure.actions_before} -> {failure.actions_after} in {failure.tries} tries",
    ]
    if failure.diverges_at_step is not None:
        lines.append(
            f"- given the same actions, the two builds differ from step {failure.diverges_at_step} on"
        )
    if failure.duplicates:
        lines.append(f"- {failure.duplicates} more episodes failed in the same way ({failure.fingerprint})")
    lines += [f"- {name}: `{replay}`" for name, replay in failure.replays.items()]
    lines += ["", "| step | action |", "|---|---|"]
    lines += [f"| {row['step']} | {cell(str(row['action']))} |" for row in failure.rows[:MOST_ACTIONS]]
    if len(failure.rows) > MOST_ACTIONS:
        lines.append(f"| … | {len(failure.rows) - MOST_ACTIONS} more |")
    return [*lines, ""]
