"""The page of the live dashboard: the state of a run, and its layout."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from ..media.film import format_count
from ..train import events
from ..train.stopwatch import bottleneck
from ..worlds import known_spec

SPARKS = "▁▂▃▄▅▆▇█"
SPARK_WIDTH = 24  # windows in a small curve
BAR_WIDTH = 44
NOTES = 6  # last events that stay in sight
SMOOTHING = 0.8  # exponential moving average of speeds: weight of the past

TIME_COLOURS = {
    "world": "green", "policy": "blue", "learner": "magenta", "opponents": "yellow", "files": "red",
}  # fmt: skip
ROLE_COLOURS = ("red", "blue", "green", "yellow")  # of the roles of a game of several, in their order
# Learner metrics that the page shows, with their labels.
LEARNING = (
    ("policy_loss", "policy loss"), ("value_loss", "value loss"), ("entropy", "entropy"), ("approx_kl", "KL"),
    ("clip_fraction", "clipped"), ("explained_variance", "explained"), ("learning_rate", "learning rate"),
)  # fmt: skip


def outcomes_of(game: str) -> dict[str, str]:
    """By metric, the label of what a game's windows are shown by: its headline, and flags that are good."""
    spec = known_spec(game)
    return {field.metric: field.name.replace("_", " ") for field in spec.results} if spec else {}


def colour_of(role: str, roles: Sequence[str]) -> str:
    """The colour of a role among those of its game."""
    several = len(roles) > 1 and role in roles
    return ROLE_COLOURS[list(roles).index(role) % len(ROLE_COLOURS)] if several else "cyan"


class DashboardState:
    """What the dashboard shows, collected from events."""

    def __init__(self) -> None:
        self.started: events.Started | None = None
        self.now: events.Progressed | None = None
        self.decisions_per_second = self.ticks_per_second = 0.0
        self.shares: dict[str, float] = {}
        self.windows: deque[dict[str, Any]] = deque(maxlen=SPARK_WIDTH)
        self.evaluations: deque[dict[str, Any]] = deque(maxlen=SPARK_WIDTH)
        self.notes: deque[tuple[float, str]] = deque(maxlen=NOTES)

    def handle(self, event: events.Event) -> None:
        """Update the state by an event of the trainer."""
        if isinstance(event, events.Progressed):
            self._smooth(event)
            self.now = event
        elif isinstance(event, events.Started):
            self.started = event
            self._note("begins" if event.resumed_at is None else f"continues after window {event.resumed_at}")
        elif isinstance(event, events.WindowClosed):
            self.windows.append(event.row.to_json())
            self._note(f"window {event.row.window_id} closed, {event.row.episodes_completed:,} episodes")
        elif change := format_change(event):
            self._note(change)

    def add_evaluations(self, rows: Iterable[dict[str, Any]]) -> None:
        """Add evaluations that arrived from the evaluator."""
        for row in rows:
            self.evaluations.append(row)
            self._note(f"window {row['window_id']} evaluated: {format_evaluation(row)}")

    def _note(self, text: str) -> None:
        self.notes.append((self.now.seconds if self.now else 0.0, text))

    def _smooth(self, event: events.Progressed) -> None:
        keep = SMOOTHING if self.now else 0.0
        self.decisions_per_second = keep * self.decisions_per_second + (1 - keep) * event.decisions_per_second
        self.ticks_per_second = keep * self.ticks_per_second + (1 - keep) * event.ticks_per_second
        self.shares = {k: keep * self.shares.get(k, 0.0) + (1 - keep) * v for k, v in event.shares.items()}


# ---------------------------------------------------------------- formatting


def format_change(event: events.Event) -> str:
    """A new stage of the curriculum, a warning, or the end of the run; empty for other events."""
    if isinstance(event, events.Warned):
        return event.text
    if isinstance(event, events.StageEntered):
        return f"stage {event.stage + 1}: {event.name}"
    return f"{event.status}: {event.reason}" if isinstance(event, events.Ended) else ""


def format_speed(decisions_per_second: float, ticks_per_second: float) -> str:
    """34.2 k decisions/s · 103 k ticks/s"""
    return f"{format_count(decisions_per_second)} decisions/s · {format_count(ticks_per_second)} ticks/s"


def format_memory(metrics: Mapping[str, Any]) -> str:
    """memory 512 MB, engines 131 + 130 MB; nothing where it was not measured."""
    if metrics.get("memory_trainer_mb") is None:
        return ""
    engines = [value for name, value in metrics.items() if name.startswith("memory_engine_")]
    text = f"memory {metrics['memory_trainer_mb']:.0f} MB"
    return text + (f", engines {' + '.join(f'{size:.0f}' for size in engines)} MB" if engines else "")


def format_evaluation(row: Mapping[str, Any]) -> str:
    """An evaluation in short: ratings of the roles, or the value with its interval."""
    ratings = [f"{name.removesuffix('_rating')} {row[name]:.0f}" for name in row if name.endswith("_rating")]
    if ratings:
        return ", ".join(ratings)
    value = f"{row['value']:,.1f}"
    return f"{value} ({row['value_low']:,.1f} to {row['value_high']:,.1f})" if "value_low" in row else value


def format_progress(now: events.Progressed) -> str:
    """Where a training is, in one line."""
    speed = format_speed(now.decisions_per_second, now.ticks_per_second)
    parts = (f"window {now.window_id} {100 * now.share:.0f} %", speed, time_left(now))
    return " · ".join(part for part in parts if part)


def time_left(now: events.Progressed) -> str:
    """Time until the end of the run; empty when it has no end or has just begun."""
    if not 0.005 < now.run_share < 1:
        return ""
    return f"{format_clock(now.seconds * (1 - now.run_share) / now.run_share)} left"


def format_clock(seconds: float) -> str:
    """Seconds as h:mm:ss."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def format_number(value: float) -> str:
    """A number with as many digits as fit a table."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def sparkline(values: Sequence[float | None]) -> str:
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
    """Where the time goes: one coloured bar and its legend."""
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


def page(state: DashboardState) -> RenderableType:
    """The whole page, top to bottom: progress, speed, play, learning, events."""
    halves = Table.grid(expand=True, padding=(0, 1))
    halves.add_column(ratio=1)
    halves.add_column(ratio=1)
    halves.add_row(_framed("Play", _play(state)), _framed("Learning", _learning(state)))
    begun = state.started
    where = f" · {begun.config.get('game', '')} · {begun.run_id}" if begun else ""
    title = Text.assemble(("sandlot", "bold"), where)
    rows: list[RenderableType] = [_framed(title, _progress(state)), halves]
    if state.now and state.now.opponents:
        rows.append(_framed("Opponents and their win rates", _opponents(state.now.opponents)))
    rows.append(_framed("Last events", _notes(state)))
    return Group(*rows)


def _framed(title: str | Text, inside: RenderableType) -> Panel:
    return Panel(inside, title=title, title_align="left", border_style="grey50", padding=(0, 1))


def _progress(state: DashboardState) -> RenderableType:
    now = state.now
    if now is None:
        return Text("The first steps are being played …", "grey62")
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="grey62")
    grid.add_column()
    if now.run_share > 0:
        parts = (f"{100 * now.run_share:.0f} %", format_clock(now.seconds), time_left(now))
        passed = " · ".join(part for part in parts if part)
        grid.add_row("run", _bar(now.run_share, "cyan").append(f"  {passed}", "default"))
    share = f"  {100 * now.share:.0f} % of window {now.window_id}"
    grid.add_row("window", _bar(now.share, "green").append(share, "default"))
    grid.add_row("speed", Text(format_speed(state.decisions_per_second, state.ticks_per_second), "bold"))
    done = f"{format_count(now.env_steps_total)} env steps · {format_count(now.ticks_total)} ticks"
    grid.add_row("so far", Text(f"{done} · {now.episodes_total:,} episodes"))
    grid.add_row("time", _split(state.shares))
    grid.add_row("", Text(bottleneck(state.shares), "grey62"))
    return grid


def _play(state: DashboardState) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="grey62")
    grid.add_column(justify="right")
    grid.add_column()
    for name, values, percent, colour in _curves(state):
        newest = values[-1]
        shown = "–" if newest is None else f"{100 * newest:.0f} %" if percent else format_number(newest)
        grid.add_row(name, Text(shown, "bold"), Text(sparkline(values), colour))
    return grid if grid.row_count else Text("No window has closed yet.", "grey62")


def _curves(state: DashboardState) -> Iterable[tuple[str, list[float | None], bool, str]]:
    """Name, values, whether a share, colour: win rates and outcomes of training, then evaluations."""
    if state.windows:
        roles = roles_in(state.windows[-1])
        for role in roles:
            colour = colour_of(role, roles)
            yield f"{role} wins", [row.get(f"{role}_win_rate") for row in state.windows], True, colour
            yield f"{role} return", [row.get(f"{role}_return_mean") for row in state.windows], False, colour
        game = state.started.config["game"] if state.started else ""
        for column, name in (
            outcomes_of(game) | {"return_mean": "return", "duration_s_mean": "seconds"}
        ).items():
            if column in state.windows[-1] and not (roles and column == "return_mean"):
                values = [row.get(column) for row in state.windows]
                yield name, values, column.endswith("_rate"), "cyan"
    if state.evaluations:
        rated = [column for column in state.evaluations[-1] if column.endswith("_rating")]
        roles = [column.removesuffix("_rating") for column in rated]
        for column in rated or ["value"]:
            role = column.removesuffix("_rating")
            name = f"{role} rating" if rated else "evaluated"
            colour = colour_of(role, roles) if rated else "green"
            yield name, [row.get(column) for row in state.evaluations], False, colour


def roles_in(row: Mapping[str, Any]) -> list[str]:
    """The roles with a win rate in a window row; empty for a game with one role."""
    return [name.removesuffix("_win_rate") for name in row if name.endswith("_win_rate")]


def _learning(state: DashboardState) -> RenderableType:
    by_role = state.now.metrics if state.now else {}
    if not by_role:
        return Text("No update yet.", "grey62")
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="grey62")
    for _ in by_role:
        grid.add_column(justify="right")
    grid.add_row("", *(Text(role, colour_of(role, [*by_role])) for role in by_role))
    for key, name in LEARNING:
        if any(key in metrics for metrics in by_role.values()):
            values = [format_number(row[key]) if key in row else "–" for row in by_role.values()]
            grid.add_row(name, *values)
    return grid


def _opponents(opponents: Mapping[str, float]) -> RenderableType:
    """The strongest first, four to a line."""
    ordered = sorted(opponents.items(), key=lambda pair: -pair[1])
    grid = Table.grid(padding=(0, 3))
    for start in range(0, min(len(ordered), 8), 4):
        cells = ordered[start : start + 4]
        grid.add_row(*(Text.assemble((name, "grey62"), f" {100 * wins:.0f} %") for name, wins in cells))
    return grid


def _notes(state: DashboardState) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    for seconds, text in state.notes:
        grid.add_row(Text(format_clock(seconds), "grey62"), Text(text))
    return grid
