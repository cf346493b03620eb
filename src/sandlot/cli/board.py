"""The page of the live dashboard: what has been heard of a run, and how it is laid out."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from ..train import events
from ..train.stopwatch import bottleneck

SPARKS = "▁▂▃▄▅▆▇█"
SPARK_WIDTH = 24  # windows in a small curve
BAR_WIDTH = 44
NOTES = 6  # last events that stay in sight
CALM = 0.8  # how much of a speed is remembered from one iteration to the next: single ones jump about

TIME_COLOURS = {"world": "green", "policy": "blue", "learner": "magenta", "rivals": "yellow", "files": "red"}
ROLE_COLOURS = {"seeker": "red", "hider": "blue"}
# Figures of an update that are worth a line, and how they are said.
LEARNING = (
    ("policy_loss", "policy loss"), ("value_loss", "value loss"), ("entropy", "entropy"), ("kl", "KL"),
    ("clipped", "clipped"), ("explained", "explained"), ("learning_rate", "learning rate"),
)  # fmt: skip
# Outcomes of a window, as far as the game has them.
OUTCOMES = (
    ("profit_mean", "profit"), ("survival_rate", "survival"), ("return_mean", "return"),
    ("duration_s_mean", "seconds a match"),
)  # fmt: skip


class Seen:
    """What has been heard so far."""

    def __init__(self) -> None:
        self.started: events.Started | None = None
        self.now: events.Progressed | None = None
        self.decisions_per_second = self.ticks_per_second = 0.0
        self.shares: dict[str, float] = {}
        self.windows: deque[dict[str, Any]] = deque(maxlen=SPARK_WIDTH)
        self.judged: deque[dict[str, Any]] = deque(maxlen=SPARK_WIDTH)
        self.notes: deque[tuple[float, str]] = deque(maxlen=NOTES)

    def hear(self, event: events.Event) -> None:
        if isinstance(event, events.Progressed):
            self._calm(event)
            self.now = event
        elif isinstance(event, events.Started):
            self.started = event
            self._note("begins" if event.resumed_at is None else f"goes on after window {event.resumed_at}")
        elif isinstance(event, events.WindowClosed):
            self.windows.append(event.row.to_json())
            self._note(f"window {event.row.window_id} closed, {event.row.episodes_completed:,} episodes")
        elif isinstance(event, events.StageEntered):
            self._note(f"lesson {event.stage + 1}: {event.name}")
        elif isinstance(event, events.Ended):
            self._note(f"{event.status}: {event.reason}")

    def judge(self, rows: Iterable[dict[str, Any]]) -> None:
        """Judgements that arrived from the evaluator."""
        for row in rows:
            self.judged.append(row)
            self._note(f"window {row['window_id']} judged: {said(row)}")

    def _note(self, text: str) -> None:
        self.notes.append((self.now.seconds if self.now else 0.0, text))

    def _calm(self, event: events.Progressed) -> None:
        keep = CALM if self.now else 0.0
        self.decisions_per_second = keep * self.decisions_per_second + (1 - keep) * event.decisions_per_second
        self.ticks_per_second = keep * self.ticks_per_second + (1 - keep) * event.ticks_per_second
        self.shares = {k: keep * self.shares.get(k, 0.0) + (1 - keep) * v for k, v in event.shares.items()}


# ---------------------------------------------------------------- words and small pictures


def said(row: Mapping[str, Any]) -> str:
    """A judgement in a few words: ratings of the roles, or the value with its interval."""
    ratings = [f"{name.removesuffix('_rating')} {row[name]:.0f}" for name in row if name.endswith("_rating")]
    if ratings:
        return ", ".join(ratings)
    value = f"{row['value']:,.1f}"
    return f"{value} ({row['value_low']:,.1f} to {row['value_high']:,.1f})" if "value_low" in row else value


def left(now: events.Progressed) -> str:
    """How long the run will still take; nothing when it has no end or has hardly begun."""
    if not 0.005 < now.run_share < 1:
        return ""
    return f"{clock(now.seconds * (1 - now.run_share) / now.run_share)} left"


def clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def count(value: float) -> str:
    """Three digits and a letter: 950, 34.2 k, 1.20 M."""
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= size:
            shown = value / size
            return f"{shown:.{2 if shown < 10 else 1 if shown < 100 else 0}f}{letter}"
    return f"{value:.0f}"


def figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def spark(values: Sequence[float | None]) -> str:
    """A curve of one line, from the lowest to the highest value; a dot where there is none."""
    known = [value for value in values if value is not None]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    steps = len(SPARKS) - 1
    return "".join(
        "·" if v is None else SPARKS[round(steps * (v - low) / (high - low)) if high > low else steps // 2]
        for v in values
    )


def _bar(share: float, colour: str) -> Text:
    full = round(BAR_WIDTH * min(1.0, max(0.0, share)))
    return Text.assemble(("━" * full, colour), ("━" * (BAR_WIDTH - full), "grey30"))


def _split(shares: Mapping[str, float]) -> Text:
    """Where the time goes: one bar of colours, and below it which is which."""
    total = max(1e-9, sum(shares.values()))
    bar, legend = Text(), Text()
    for name, share in shares.items():
        colour = TIME_COLOURS.get(name, "white")
        bar.append("█" * round(BAR_WIDTH * share / total), colour)
        if share >= 0.005:
            legend.append(f"{name} {100 * share:.0f} %  ", colour)
    bar.truncate(BAR_WIDTH, pad=True)
    return bar.append("\n").append(legend)


# ---------------------------------------------------------------- the page


def page(seen: Seen) -> RenderableType:
    """All of it. Reads top to bottom: how far, how fast, how good, how it learns, what happened."""
    halves = Table.grid(expand=True, padding=(0, 1))
    halves.add_column(ratio=1)
    halves.add_column(ratio=1)
    halves.add_row(_framed("Play", _play(seen)), _framed("Learning", _learning(seen)))
    rows: list[RenderableType] = [_framed(_title(seen), _progress(seen)), halves]
    if seen.now and seen.now.rivals:
        rows.append(_framed("Rivals, and how often they win", _rivals(seen.now.rivals)))
    rows.append(_framed("Last events", _notes(seen)))
    return Group(*rows)


def _framed(title: str, inside: RenderableType) -> Panel:
    return Panel(
        inside, title=title, title_align="left", box=box.ROUNDED, border_style="grey50", padding=(0, 1)
    )


def _title(seen: Seen) -> str:
    if seen.started is None:
        return "sandlot"
    return f"[bold]sandlot[/] · {seen.started.config.get('game', '')} · {seen.started.run_id}"


def _progress(seen: Seen) -> RenderableType:
    now = seen.now
    if now is None:
        return Text("The first steps are being played …", "grey62")
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="grey62")
    grid.add_column()
    if now.run_share > 0:
        passed = " · ".join(
            part for part in (f"{100 * now.run_share:.0f} %", clock(now.seconds), left(now)) if part
        )
        grid.add_row("run", _bar(now.run_share, "cyan").append(f"  {passed}", "default"))
    grid.add_row(
        "window",
        _bar(now.share, "green").append(f"  {100 * now.share:.0f} % of window {now.window_id}", "default"),
    )
    grid.add_row("speed", _speed(seen))
    grid.add_row("so far", _totals(now))
    grid.add_row("time", _split(seen.shares))
    grid.add_row("", Text(bottleneck(seen.shares), "grey62"))
    return grid


def _speed(seen: Seen) -> Text:
    decisions, ticks = count(seen.decisions_per_second), count(seen.ticks_per_second)
    return Text.assemble((f"{decisions} decisions/s", "bold"), " · ", (f"{ticks} ticks/s", "bold"))


def _totals(now: events.Progressed) -> Text:
    done = f"{count(now.env_steps_total)} env steps · {count(now.ticks_total)} ticks"
    return Text(f"{done} · {now.episodes_total:,} episodes")


def _play(seen: Seen) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="grey62")
    grid.add_column(justify="right")
    grid.add_column()
    for name, values, percent, colour in _curves(seen):
        newest = values[-1]
        shown = "–" if newest is None else f"{100 * newest:.0f} %" if percent else figure(newest)
        grid.add_row(name, Text(shown, "bold"), Text(spark(values), colour))
    return grid if grid.row_count else Text("No window has closed yet.", "grey62")


def _curves(seen: Seen) -> Iterable[tuple[str, list[float | None], bool, str]]:
    """Name, values, whether a share, colour: win rates and outcomes of training, then what the judge says."""
    if seen.windows:
        roles = roles_in(seen.windows[-1])
        for role in roles:
            colour = ROLE_COLOURS.get(role, "cyan")
            yield f"{role} wins", _values(seen.windows, f"{role}_win_rate"), True, colour
            yield f"{role} return", _values(seen.windows, f"{role}_return_mean"), False, colour
        for column, name in OUTCOMES:
            if column in seen.windows[-1] and not (roles and column == "return_mean"):
                yield name, _values(seen.windows, column), column.endswith("_rate"), "cyan"
    if seen.judged:
        rated = [column for column in seen.judged[-1] if column.endswith("_rating")]
        for column in rated:
            role = column.removesuffix("_rating")
            yield f"{role} rating", _values(seen.judged, column), False, ROLE_COLOURS.get(role, "cyan")
        if not rated:
            yield "judged", _values(seen.judged, "value"), False, "green"


def roles_in(row: Mapping[str, Any]) -> list[str]:
    """The roles of a window row, of a game with several: those whose wins it tells."""
    return [name.removesuffix("_win_rate") for name in row if name.endswith("_win_rate")]


def _values(rows: Iterable[Mapping[str, Any]], column: str) -> list[float | None]:
    return [row.get(column) for row in rows]


def _learning(seen: Seen) -> RenderableType:
    figures = seen.now.figures if seen.now else {}
    if not figures:
        return Text("No update yet.", "grey62")
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="grey62")
    for _ in figures:
        grid.add_column(justify="right")
    grid.add_row("", *(Text(role, ROLE_COLOURS.get(role, "cyan")) for role in figures))
    for key, name in LEARNING:
        if any(key in told for told in figures.values()):
            grid.add_row(name, *(figure(told[key]) if key in told else "–" for told in figures.values()))
    return grid


def _rivals(rivals: Mapping[str, float]) -> RenderableType:
    """The strongest first, four to a line."""
    ordered = sorted(rivals.items(), key=lambda pair: -pair[1])
    grid = Table.grid(padding=(0, 3))
    for start in range(0, min(len(ordered), 8), 4):
        cells = ordered[start : start + 4]
        grid.add_row(*(Text.assemble((name, "grey62"), f" {100 * wins:.0f} %") for name, wins in cells))
    return grid


def _notes(seen: Seen) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    for seconds, text in seen.notes:
        grid.add_row(Text(clock(seconds), "grey62"), Text(text))
    return grid
