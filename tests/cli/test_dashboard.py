"""What one sees while training: the live page, plain lines, JSON."""

import io
import json

import pytest
from media.making import pilot_figures, tag_figures, window_row
from rich.console import Console

from sandlot.cli import dashboard as module
from sandlot.cli.board import Seen, clock, count, page, said, spark
from sandlot.cli.dashboard import dashboard
from sandlot.train import events

STARTED = events.Started("run-7", "runs/run-7", {"game": "tag"}, None)
FIGURES = {"seeker": {"entropy": 3.25, "kl": 0.0015}, "hider": {"entropy": 2.5, "kl": 0.002}}


def progressed(**changes):
    told = {
        "window_id": 3,
        "share": 0.5,
        "run_share": 0.25,
        "decisions_per_second": 34_200.0,
        "ticks_per_second": 102_600.0,
        "env_steps_total": 1_200_000,
        "ticks_total": 1_200_000,
        "episodes_total": 2327,
        "seconds": 60.0,
        "shares": {"world": 0.2, "policy": 0.1, "learner": 0.6, "rivals": 0.05, "files": 0.0},
        "figures": FIGURES,
        "rivals": {"seeker chase:3": 0.88},
    }
    return events.Progressed(**(told | changes))


def drawn(seen, width=100):
    console = Console(width=width, file=io.StringIO(), record=True)
    console.print(page(seen))
    return console.export_text()


def test_the_page_shows_speed_split_progress_and_time_left():
    seen = Seen()
    seen.hear(STARTED)
    seen.hear(progressed())
    text = drawn(seen)
    assert "34.2 k decisions/s" in text and "103 k ticks/s" in text
    assert "learner 60 %" in text and "learning takes most of the time" in text
    assert "50 % of window 3" in text and "3:00 left" in text and "run-7" in text


def test_the_page_shows_losses_by_role_and_rivals():
    seen = Seen()
    seen.hear(progressed())
    text = drawn(seen)
    assert "3.25" in text and "2.5" in text and "seeker chase:3 88 %" in text


def test_the_page_shows_win_rates_and_ratings_as_they_arrive():
    seen = Seen()
    for window in range(3):
        seen.hear(events.WindowClosed(window_row("run-7", window, **tag_figures(window))))
    assert "seeker wins" in drawn(seen) and "seeker rating" not in drawn(seen)
    seen.judge([{"window_id": 1, "seeker_rating": 912.3, "hider_rating": 1000.0, "value": 956.0}])
    assert "seeker rating" in drawn(seen) and "window 1 judged: seeker 912, hider 1000" in drawn(seen)


def test_the_page_shows_profit_and_survival_of_a_pilot():
    seen = Seen()
    seen.hear(events.WindowClosed(window_row("run-7", 1, **pilot_figures(1))))
    text = drawn(seen, width=80)
    assert "profit" in text and "50 %" in text and "wins" not in text


def test_the_page_stands_before_anything_has_happened():
    assert "first steps" in drawn(Seen()) and "No window has closed yet" in drawn(Seen())


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_the_page_fits_its_terminal(width):
    seen = Seen()
    seen.hear(STARTED)
    seen.hear(progressed())
    seen.hear(events.WindowClosed(window_row("run-7", 1, **tag_figures(1))))
    assert max(len(line) for line in drawn(seen, width).splitlines()) <= width


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
    face = module._Page(module.Follower(tmp_path / "none"), Console(file=io.StringIO()))
    for _ in range(1000):
        now[0] += 0.01
        face(progressed())
    assert 4 <= len(pictures) <= 6  # ten seconds, 0.02 s a picture


# ---------------------------------------------------------------- the other faces


def test_a_pipe_gets_plain_lines(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(module, "PLAIN_SECONDS", 0.0)
    evaluations = tmp_path / "evaluations.jsonl"
    with dashboard(False, evaluations) as listener:
        listener(STARTED)
        listener(progressed())
        listener(events.WindowClosed(window_row("run-7", 1, **tag_figures(1))))
        evaluations.write_text('{"window_id": 1, "value": 5.0}\n')
    said_lines = capsys.readouterr().err.splitlines()
    assert said_lines[0] == "run run-7 in runs/run-7"
    assert said_lines[1] == "window 3 50 % · 34.2 k decisions/s · 103 k ticks/s · 3:00 left"
    assert said_lines[2] == "window 1 closed: seeker return 0.3, wins 40 % · hider return -0.2, wins 60 %"
    assert said_lines[3] == "window 1 judged: 5.0"


def test_machines_get_one_json_event_a_line_judgements_included(tmp_path, capsys):
    evaluations = tmp_path / "evaluations.jsonl"
    evaluations.write_text('{"window_id": 0, "value": 5.0}\n')  # judged before a resume: told already
    with dashboard(True, evaluations) as listener:
        evaluations.write_text('{"window_id": 0, "value": 5.0}\n{"window_id": 1, "value": 6.0}\n')
        listener(STARTED)
        listener(events.WindowClosed(window_row("run-7", 0)))
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["event"] for event in told] == ["Started", "Judged", "WindowClosed"]
    assert told[1]["row"]["window_id"] == 1


# ---------------------------------------------------------------- words


def test_small_curves_go_from_lowest_to_highest():
    assert spark([0.0, None, 0.5, 1.0]) == "▁·▅█" and spark([2.0, 2.0]) == "▄▄" and spark([]) == ""


@pytest.mark.parametrize(
    ("value", "text"), [(950, "950"), (34_200, "34.2 k"), (1_200_000, "1.20 M"), (0, "0")]
)
def test_counts_have_three_digits(value, text):
    assert count(value) == text


def test_times_and_judgements_in_words():
    assert clock(61) == "1:01" and clock(3661) == "1:01:01"
    assert said({"value": 12.34, "value_low": 10.0, "value_high": 14.0}) == "12.3 (10.0 to 14.0)"
