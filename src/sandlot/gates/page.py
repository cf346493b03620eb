"""A verdict as one HTML file without any other: the Markdown page's content with plots as inline SVG."""

from html import escape

from .markdown import MARKS, describe, number, numbers
from .verdict import FAIL, NO_DATA, UNDECIDED, Check, Curve, Failure, Verdict

COLOURS = {"pass": "#2f855a", "fail": "#c53030", "undecided": "#b7791f", "no_data": "#6b46c1"}
BASELINE, CURRENT = "#6b7785", "#2b6cb0"
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 420, 190, 44, 30, 14

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem;
       color: #1d2733; background: #fff; }
h1 { font-size: 1.5rem; border-left: .4rem solid var(--verdict); padding-left: .7rem; }
h2 { font-size: 1.1rem; margin-top: 2rem; }
.sentence { font-size: 1.1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #dfe4ea; vertical-align: top; }
td.n { white-space: nowrap; }
.plots { display: flex; flex-wrap: wrap; gap: 1rem; }
figure { margin: 0; } figcaption { font-weight: 600; }
pre { background: #f3f5f8; padding: .8rem; overflow-x: auto; }
svg text { font: 11px system-ui, sans-serif; fill: #6b7785; }
@media (prefers-color-scheme: dark) {
  body { color: #e2e8f0; background: #141a22; } pre { background: #1e2733; }
  th, td { border-color: #2c3846; }
}
"""


def to_html(verdict: Verdict) -> str:
    """The whole page."""
    title = f"{verdict.result.replace('_', ' ')}: gate {verdict.gate}"
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>",
        f'<body style="--verdict:{COLOURS[verdict.result]}"><h1>{escape(title)}</h1>',
        f'<p class="sentence">{escape(verdict.sentence)}</p>',
        _changed(verdict),
        _sides(verdict),
        _table("Judged", [check for check in verdict.checks if check.gating]),
        _plots(verdict),
        _table("Also measured", [check for check in verdict.checks if not check.gating]),
        *(_failure(failure) for failure in verdict.failures),
        _worst(verdict),
        _list("Notes", verdict.notes),
        f"<h2>Run it again</h2><pre>{escape(verdict.command)}</pre>" if verdict.command else "",
        f"<p>{escape(verdict.created)}, {verdict.seconds:.1f} s, Sandlot {escape(verdict.sandlot)}</p>",
        "</body></html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _list(title: str, sentences: list[str]) -> str:
    if not sentences:
        return ""
    return f"<h2>{title}</h2><ul>" + "".join(f"<li>{escape(s)}</li>" for s in sentences) + "</ul>"


def _changed(verdict: Verdict) -> str:
    wanted = (FAIL, UNDECIDED, NO_DATA)
    return _list("What changed", [c.sentence for r in wanted for c in verdict.checks if c.result == r])


def _sides(verdict: Verdict) -> str:
    sides = (("baseline", verdict.baseline), ("current", verdict.current))
    rows = [[name, *describe(side)] for name, side in sides if side]
    return _rows("Compared", ["", "what", "game", "engine", "revision"], rows)


def _table(title: str, checks: list[Check]) -> str:
    head = ["verdict", "metric", "baseline", "current", "difference (95 %)", "allowed", "samples", "test"]
    rows = [[MARKS[c.mark], c.title, *numbers(c), f"{c.samples:,}", c.test] for c in checks]
    return _rows(title, head, rows)


def _rows(title: str, head: list[str], rows: list[list[str]]) -> str:
    if not rows:
        return ""
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f'<td class="n">{escape(t)}</td>' for t in row) + "</tr>" for row in rows)
    return f'<h2>{escape(title)}</h2><div class="scroll"><table><tr>{top}</tr>{body}</table></div>'


def _worst(verdict: Verdict) -> str:
    rows = [
        [
            f"{e.group}: {e.metric}" if e.group else e.metric,
            str(e.seed),
            f"{e.baseline:.4g}",
            f"{e.current:.4g}",
        ]
        for e in verdict.worst
    ]
    return _rows("Worst episodes", ["metric", "seed", "baseline", "current"], rows)


def _failure(failure: Failure) -> str:
    facts = [
        f"expected: {failure.expected_behavior}",
        f"observed: {failure.observed_fault}",
        f"minimal reproduction: {failure.minimal_reproduction}",
        f"actions: {failure.actions_before} -> {failure.actions_after} in {failure.tries} tries",
        *(f"{name}: {replay}" for name, replay in failure.replays.items()),
    ]
    if failure.diverges_at_step is not None:
        facts.append(f"given the same actions, the two builds differ from step {failure.diverges_at_step} on")
    rows = [[str(row["step"]), str(row["action"])] for row in failure.rows]
    actions = _rows(f"Actions of seed {failure.seed} that are left", ["step", "action"], rows)
    return _list(f"Failure: seed {failure.seed}", facts) + actions


# ---------------------------------------------------------------- plots


def _plots(verdict: Verdict) -> str:
    drawn = [_differences(verdict.checks), *(_distribution(curve) for curve in verdict.curves)]
    drawn = [one for one in drawn if one]
    return f'<h2>Baseline and current</h2><div class="plots">{"".join(drawn)}</div>' if drawn else ""


def _distribution(curve: Curve) -> str:
    """Sorted episodes of both sides, one over the other: the share of episodes with at most this value."""
    both = [*curve.baseline, *curve.current]
    if len(set(both)) < 3:  # a rate: the table says all there is
        return ""
    low, high = min(both), max(both)
    lines = []
    for values, colour in ((curve.baseline, BASELINE), (curve.current, CURRENT)):
        last = max(1, len(values) - 1)
        points = " ".join(
            f"{_x(value, low, high):.1f},{HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * i / last:.1f}"
            for i, value in enumerate(values)
        )
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
    name = f"{curve.group}: {curve.name}" if curve.group else curve.name
    unit = f", {curve.unit}" if curve.unit else ""
    legend = (
        f'<text x="{LEFT + 6}" y="{TOP + 8}" style="fill:{BASELINE}">baseline</text>'
        f'<text x="{LEFT + 6}" y="{TOP + 22}" style="fill:{CURRENT}">current</text>'
    )
    body = _axes(low, high, "0 %", "100 %") + "".join(lines) + legend
    return _figure(f"{name}{unit}: share of episodes up to a value", body, HEIGHT)


def _differences(checks: list[Check]) -> str:
    """Each judged difference in margins: left of -1 is a drop that must not be missed."""
    shown = [c for c in checks if c.gating and c.margin and c.difference and c.difference.low is not None]
    if not shown:
        return ""
    reach, row_height = 3.0, 24
    height = TOP + row_height * len(shown) + BOTTOM
    parts = []
    for i, check in enumerate(shown):
        assert check.difference and check.margin
        sign = -1 if check.better == "lower" else 1
        ends = [sign * (v or 0.0) / check.margin for v in (check.difference.low, check.difference.high)]
        low, value, high = min(ends), sign * check.difference.value / check.margin, max(ends)
        y = TOP + row_height * i + row_height / 2
        x = [_x(max(-reach, min(reach, v)), -reach, reach) for v in (low, value, high)]
        colour = COLOURS.get(check.result, BASELINE)
        hover = f"<title>{escape(check.title)}: {number(check.difference, '+')}</title>"
        parts.append(
            f'<g>{hover}<line x1="{x[0]:.1f}" x2="{x[2]:.1f}" y1="{y}" y2="{y}" stroke="{colour}" '
            'stroke-width="3"/>'
            f'<circle cx="{x[1]:.1f}" cy="{y}" r="4" fill="{colour}"/>'
            f'<text x="{LEFT + 2}" y="{y - 6}">{escape(check.title)}</text></g>'
        )
    for at, dash in ((-1.0, "4 3"), (0.0, "none")):
        x0 = _x(at, -reach, reach)
        parts.append(
            f'<line x1="{x0:.1f}" x2="{x0:.1f}" y1="{TOP}" y2="{height - BOTTOM}" stroke="#aab4c0" '
            f'stroke-dasharray="{dash}"/><text x="{x0:.1f}" y="{height - 12}" text-anchor="middle">'
            f"{'no change' if not at else '-1 margin'}</text>"
        )
    return _figure("Change in margins, 95 % (left is worse)", "".join(parts), height)


def _figure(caption: str, body: str, height: float) -> str:
    picture = f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">{body}</svg>'
    return f"<figure><figcaption>{escape(caption)}</figcaption>{picture}</figure>"


def _x(value: float, low: float, high: float) -> float:
    return LEFT + (WIDTH - LEFT - 12) * (value - low) / (high - low or 1.0)


def _axes(low: float, high: float, bottom: str, top: str) -> str:
    base = HEIGHT - BOTTOM
    return (
        f'<line x1="{LEFT}" x2="{WIDTH - 12}" y1="{base}" y2="{base}" stroke="#aab4c0"/>'
        f'<text x="{LEFT}" y="{HEIGHT - 12}">{low:.4g}</text>'
        f'<text x="{WIDTH - 12}" y="{HEIGHT - 12}" text-anchor="end">{high:.4g}</text>'
        f'<text x="{LEFT - 6}" y="{base}" text-anchor="end">{bottom}</text>'
        f'<text x="{LEFT - 6}" y="{TOP + 8}" text-anchor="end">{top}</text>'
    )
