"""What one sees while training: the live page, plain lines, JSON."""

import io
import json
from types import SimpleNamespace

import pytest
from media.making import pilot_metrics, tag_metrics, window_row
from rich.console import Console

from sandlot.cli import dashboard as module
from sandlot.cli.dashboard import dashboard
from sandlot.cli.dashboard_page import (
    DashboardState,
    format_clock,
    format_count,
    format_evaluation,
    outcomes_of,
    page,
    sparkline,
)
from sandlot.train import events

from .progress_events import progressed

STARTED = events.Started("run-7", "runs/run-7", {"game": "tag"}, None)


def drawn(state, width=100):
    console = Console(width=width, file=io.StringIO(), record=True)
    console.print(page(state))
    return console.export_text()


def test_the_page_shows_speed_split_progress_and_time_left():
    state = DashboardState()
    state.handle(STARTED)
    state.handle(progressed())
    text = drawn(state)
    assert "34.2 k decisions/s" in text and "103 k ticks/s" in text
    assert "learner 60 %" in text and "learning takes most of the time" in text
    assert "50 % of window 3" in text and "3:00 left" in text and "run-7" in text


def test_the_page_shows_losses_by_role_and_opponents():
    state = DashboardState()
    state.handle(progressed())
    text = drawn(state)
    assert "3.25" in text and "2.5" in text and "seeker chase:3 88 %" in text


def test_the_page_shows_win_rates_and_ratings_as_they_arrive():
    state = DashboardState()
    for window in range(3):
        state.handle(events.WindowClosed(window_row("run-7", window, **tag_metrics(window))))
    assert "seeker wins" in drawn(state) and "seeker rating" not in drawn(state)
    state.add_evaluations([{"window_id": 1, "seeker_rating": 912.3, "hider_rating": 1000.0, "value": 956.0}])
    assert "seeker rating" in drawn(state) and "window 1 evaluated: seeker 912, hider 1000" in drawn(state)


def test_the_page_shows_profit_and_survival_of_a_pilot():
    state = DashboardState()
    state.handle(events.Started("run-7", "runs/run-7", {"game": "prospector"}, None))
    state.handle(events.WindowClosed(window_row("run-7", 1, **pilot_metrics(1))))
    text = drawn(state, width=80)
    assert "profit" in text and "50 %" in text and "wins" not in text


def test_the_page_stands_before_anything_has_happened():
    assert "first steps" in drawn(DashboardState()) and "No window has closed yet" in drawn(DashboardState())


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_the_page_fits_its_terminal(width):
    state = DashboardState()
    state.handle(STARTED)
    state.handle(progressed())
    state.handle(events.WindowClosed(window_row("run-7", 1, **tag_metrics(1))))
    assert max(len(line) for line in drawn(state, width).splitlines()) <= width


def test_drawing_takes_a_hundredth_of_the_time_at_most(tmp_path, monkeypatch):
    now, pictures = [0.0], []
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])

    class SlowTerminal:
        def __init__(self, *_, **__): ...
        def start(self): ...
        def stop(self): ...

        def update(self, *_, **__):
            pictures.append(now[0])
            now[0] += 0.02

    monkeypatch.setattr(module, "Live", SlowTerminal)
    display = module._LivePage(module.EvaluationFollower(tmp_path / "none"), Console(file=io.StringIO()))
    for _ in range(1000):
        now[0] += 0.01
        display(progressed())
    assert 4 <= len(pictures) <= 6  # ten seconds, 0.02 s a picture


# ---------------------------------------------------------------- the other displays


def test_a_pipe_gets_plain_lines(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(module, "PLAIN_SECONDS", 0.0)
    evaluations = tmp_path / "evaluations.jsonl"
    with dashboard(False, evaluations) as listener:
        listener(STARTED)
        listener(progressed())
        listener(events.WindowClosed(window_row("run-7", 1, **tag_metrics(1))))
        evaluations.write_text('{"window_id": 1, "value": 5.0}\n')
    said_lines = capsys.readouterr().err.splitlines()
    assert said_lines[0] == "run run-7 in runs/run-7"
    assert said_lines[1] == "window 3 50 % · 34.2 k decisions/s · 103 k ticks/s · 3:00 left"
    assert said_lines[2] == "window 1 closed: seeker return 0.3, wins 40 % · hider return -0.2, wins 60 %"
    assert said_lines[3] == "window 1 evaluated: 5.0"


def test_machines_get_one_json_event_a_line_judgements_included(tmp_path, capsys):
    evaluations = tmp_path / "evaluations.jsonl"
    evaluations.write_text('{"window_id": 0, "value": 5.0}\n')  # evaluated before a resume
    with dashboard(True, evaluations) as listener:
        evaluations.write_text('{"window_id": 0, "value": 5.0}\n{"window_id": 1, "value": 6.0}\n')
        listener(STARTED)
        listener(events.WindowClosed(window_row("run-7", 0)))
    report = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["event"] for event in report] == ["Started", "Evaluated", "WindowClosed"]
    assert report[1]["row"]["window_id"] == 1


# ---------------------------------------------------------------- words


def test_small_curves_go_from_lowest_to_highest():
    assert (
        sparkline([0.0, None, 0.5, 1.0]) == "▁·▅█" and sparkline([2.0, 2.0]) == "▄▄" and sparkline([]) == ""
    )


@pytest.mark.parametrize(
    ("value", "text"), [(950, "950"), (34_200, "34.2 k"), (1_200_000, "1.20 M"), (0, "0")]
)
def test_counts_have_three_digits(value, text):
    assert format_count(value) == text


def test_times_and_judgements_in_words():
    assert format_clock(61) == "1:01" and format_clock(3661) == "1:01:01"
    assert format_evaluation({"value": 12.34, "value_low": 10.0, "value_high": 14.0}) == "12.3 (10.0 to 14.0)"


# ---------------------------------------------------------------- which display, and its end


class Closing:
    """A display that remembers what it was made of and that it was closed."""

    def __init__(self, judged, console=None):
        self.follower, self.console, self.closed = judged, console, 0

    def close(self):
        self.closed += 1


@pytest.mark.parametrize(
    ("machine", "terminal", "wanted", "display"),
    [
        (True, True, True, "_JsonLines"),
        (False, True, True, "_LivePage"),
        (False, True, False, "_PlainLines"),
        (False, False, True, "_PlainLines"),
    ],
)
def test_who_looks_decides_what_is_shown_and_it_is_closed_after_a_failure(
    tmp_path, monkeypatch, machine, terminal, wanted, display
):
    evaluations = tmp_path / "evaluations.jsonl"
    evaluations.write_text('{"window_id": 0, "value": 5.0}\n')
    monkeypatch.setattr(module, "err", SimpleNamespace(is_terminal=terminal))
    monkeypatch.setattr(module, display, Closing)
    with pytest.raises(ZeroDivisionError), dashboard(machine, evaluations, wanted) as shown:
        raise ZeroDivisionError
    assert isinstance(shown, Closing) and shown.closed == 1
    rows = [row["window_id"] for row in shown.follower.new()]
    assert rows == ([0] if display == "_LivePage" else []), "only curves begin at the beginning"


def test_the_live_page_is_drawn_at_its_end_and_stops(tmp_path, monkeypatch):
    calls = []

    class Screen:
        def __init__(self, *_, **words):
            assert words["auto_refresh"] is False and words["vertical_overflow"] == "visible"

        def start(self):
            calls.append("start")

        def stop(self):
            calls.append("stop")

        def update(self, picture, refresh):
            assert refresh is True
            calls.append("drawn")

    monkeypatch.setattr(module, "Live", Screen)
    display = module._LivePage(module.EvaluationFollower(tmp_path / "none"), Console(file=io.StringIO()))
    display.close()
    assert calls == ["start", "drawn", "stop"]


def test_plain_lines_come_every_ten_seconds_within_a_window(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    display, lines = module._PlainLines(module.EvaluationFollower(tmp_path / "none")), []
    for moment in (9.9, 10.0, 19.9, 20.0):
        now[0] = moment
        lines.append(bool(display._line(progressed())))
    assert lines == [False, True, False, True]


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (events.StageEntered(1, "obstacles", {}), "stage 2: obstacles"),
        (events.Ended("completed", 3, "3 windows"), "completed: 3 windows"),
        (events.Committed(1, "ckpt"), ""),
    ],
)
def test_other_events_are_a_line_or_nothing(tmp_path, event, line):
    assert module._PlainLines(module.EvaluationFollower(tmp_path / "none"))._line(event) == line


def test_a_window_of_a_pilot_is_reported_by_return_profit_and_survival():
    assert (
        module._outcomes(window_row("r", 2, **pilot_metrics(2)), outcomes_of("prospector"))
        == "return 0.5 · net profit 20 · survival 0.5"
    )
    metrics = {"seeker_win_rate": None, "hider_win_rate": 0.25}
    assert module._outcomes(window_row("r", 2, **metrics), outcomes_of("tag")) == "hider wins 25 %"


def test_every_json_line_is_flushed_at_once(tmp_path, monkeypatch):
    calls = []
    out = SimpleNamespace(write=lambda text: calls.append(text[-1]), flush=lambda: calls.append("flush"))
    monkeypatch.setattr(module, "sys", SimpleNamespace(stdout=out))
    with dashboard(True, tmp_path / "none") as listener:
        listener(STARTED)
        listener(events.Ended("completed", 1, "done"))
    assert calls == ["\n", "flush"] * 2
