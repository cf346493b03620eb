"""The page of the live dashboard, line by line."""

import io

import pytest
from media.making import pilot_metrics, tag_metrics, window_row
from rich.console import Console

from sandlot.cli import dashboard_page as board
from sandlot.cli.dashboard_page import (
    DashboardState,
    format_clock,
    format_count,
    format_number,
    page,
    sparkline,
    time_left,
)
from sandlot.train import events

from . import progress_events

LOSSES = {"seeker": {"entropy": 3.25, "approx_kl": 0.0015}, "hider": {"entropy": 2.5, "value_loss": 1234.5}}
TAG_PAGE = """\
╭─ sandlot · tag · run-7 ──────────────────────────────────────────────────────────────────────────╮
│ run     ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  25 % · 1:00 · 3:00 left                    │
│ window  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  50 % of window 3                           │
│ speed   34.2 k decisions/s · 103 k ticks/s                                                       │
│ so far  1.20 M env steps · 3.60 M ticks · 2,327 episodes                                         │
│ time    ████████████████████████████████████████████                                             │
│         world 25 %  policy 25 %  learner 50 %                                                    │
│         the slowest part                                                                         │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
╭─ Play ────────────────────────────────────────╮ ╭─ Learning ─────────────────────────────────────╮
│ seeker wins     20 %  ▁▅█                     │ │             seeker  hider                      │
│ seeker return    0.3  ▄▄▄                     │ │ value loss       –  1,234                      │
│ hider wins      60 %  ▄▄▄                     │ │ entropy       3.25    2.5                      │
│ hider return    -0.2  ▄▄▄                     │ │ KL          0.0015      –                      │
│ seeker rating    912  ▁█                      │ ╰────────────────────────────────────────────────╯
│ hider rating   1,000  ▄▄                      │
╰───────────────────────────────────────────────╯
╭─ Opponents and their win rates ──────────────────────────────────────────────────────────────────╮
│ seeker chase:9 90 %   seeker chase:8 80 %   seeker chase:7 70 %   seeker chase:6 60 %            │
│ seeker chase:5 50 %   seeker chase:4 40 %   seeker chase:3 30 %   seeker chase:2 20 %            │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
╭─ Last events ────────────────────────────────────────────────────────────────────────────────────╮
│ 0:00  window 0 closed, 5 episodes                                                                │
│ 0:00  window 1 closed, 5 episodes                                                                │
│ 0:00  window 2 closed, 5 episodes                                                                │
│ 1:00  window 0 evaluated: seeker 900, hider 1000                                                 │
│ 1:00  window 1 evaluated: seeker 912, hider 1000                                                 │
│ 1:00  stopped: Ctrl-C                                                                            │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
"""


def progressed(**changes):
    page_values = {
        "ticks_total": 3_600_000,
        "shares": {"world": 0.25, "policy": 0.25, "learner": 0.5},
        "metrics": LOSSES,
        "opponents": {f"seeker chase:{level}": level / 10 for level in range(1, 10)},
    }
    return progress_events.progressed(**(page_values | changes))


def drawn(state, width=100):
    console = Console(width=width, file=io.StringIO(), record=True)
    console.print(page(state))
    return "".join(f"{line.rstrip()}\n" for line in console.export_text().splitlines())


def test_the_page_of_a_game_with_two_roles_is_this(monkeypatch):
    monkeypatch.setattr(board, "bottleneck", lambda shares: "the slowest part")
    state = DashboardState()
    state.handle(events.Started("run-7", "runs/run-7", {"game": "tag"}, None))
    for window in range(3):
        metrics = tag_metrics(window) | {"seeker_win_rate": 0.1 * window}
        state.handle(events.WindowClosed(window_row("run-7", window, **metrics)))
    state.handle(progressed())
    for window, rating in ((0, 900.2), (1, 912.3)):
        state.add_evaluations(
            [{"window_id": window, "seeker_rating": rating, "hider_rating": 1000.0, "value": 9.0}]
        )
    state.handle(events.Ended("stopped", 3, "Ctrl-C"))
    assert drawn(state) == TAG_PAGE


def test_the_page_of_a_pilot_shows_outcomes_as_shares_or_numbers_and_the_evaluated_value():
    state = DashboardState()
    state.handle(events.Started("run-7", "runs/run-7", {"game": "prospector"}, None))
    state.handle(events.WindowClosed(window_row("run-7", 2, **pilot_metrics(2))))
    state.add_evaluations([{"window_id": 2, "value": 0.75}])
    lines = [" ".join(line.split()) for line in drawn(state).splitlines()]
    assert [line.split(" │")[0].strip("│ ") for line in lines if "▄" in line] == [
        "net profit 20 ▄",
        "survival 50 % ▄",
        "return 0.5 ▄",
        "evaluated 0.75 ▄",
    ]


def test_a_page_without_windows_updates_or_opponents_says_so_and_leaves_the_panel_out():
    state = DashboardState()
    state.handle(progressed(metrics={}, opponents={}, run_share=0.0))
    text = drawn(state)
    assert "No update yet." in text and "No window has closed yet." in text
    assert "Opponents" not in text and "left" not in text and "run " not in text.replace("run-7", "")
    assert text.startswith("╭─ sandlot ─")


def test_a_value_that_a_window_lacks_is_a_dash():
    state = DashboardState()
    for metrics in (tag_metrics(0), tag_metrics(1) | {"seeker_return_mean": None}):
        state.handle(events.WindowClosed(window_row("run-7", 0, **metrics)))
    line = next(line for line in drawn(state).splitlines() if "seeker return" in line)
    assert line.split()[3:5] == ["–", "▄·"]


@pytest.mark.parametrize(
    ("event", "note"),
    [
        (events.Started("run-7", "f", {"game": "tag"}, None), "begins"),
        (events.Started("run-7", "f", {"game": "tag"}, 4), "continues after window 4"),
        (events.StageEntered(1, "obstacles", {}), "stage 2: obstacles"),
        (events.Ended("completed", 3, "3 windows"), "completed: 3 windows"),
    ],
)
def test_an_event_is_noted_with_its_time(event, note):
    state = DashboardState()
    state.handle(event)
    assert list(state.notes) == [(0.0, note)]


def test_a_commit_is_no_note_and_the_oldest_notes_go():
    state = DashboardState()
    state.handle(events.Committed(1, "ckpt"))
    assert not state.notes
    for stage in range(board.NOTES + 1):
        state.handle(events.StageEntered(stage, "s", {}))
    assert [text for _, text in state.notes] == [f"stage {stage}: s" for stage in range(2, board.NOTES + 2)]


def test_speeds_and_shares_move_a_fifth_of_the_way_to_the_newest():
    state = DashboardState()
    state.handle(progressed(decisions_per_second=100.0, ticks_per_second=300.0, shares={"world": 0.5}))
    assert (state.decisions_per_second, state.ticks_per_second, state.shares) == (
        100.0,
        300.0,
        {"world": 0.5},
    )
    changed = progressed(
        decisions_per_second=200.0, ticks_per_second=0.0, shares={"world": 1.0, "files": 0.5}
    )
    state.handle(changed)
    assert state.decisions_per_second == pytest.approx(120.0) and state.ticks_per_second == pytest.approx(
        240.0
    )
    assert state.shares == pytest.approx({"world": 0.6, "files": 0.1})


@pytest.mark.parametrize(
    ("share", "full"), [(0.0, 0), (0.5, 22), (1.0, 44), (-0.5, 0), (1.5, 44), (0.25, 11)]
)
def test_a_bar_is_filled_by_its_share_and_never_beyond(share, full):
    bar = board._bar(share, "cyan")
    assert len(bar.plain) == board.BAR_WIDTH == 44
    assert sum(span.end - span.start for span in bar.spans if span.style == "cyan") == full


def test_the_time_bar_is_full_whatever_the_shares_sum_to_and_small_ones_are_not_named():
    bar = board._split({"world": 0.1, "policy": 0.3, "files": 0.0049, "opponents": 0.005})
    line, legend = bar.plain.split("\n")
    assert line.rstrip() == "█" * 44 and legend.split("  ") == [
        "world 10 %",
        "policy 30 %",
        "opponents 0 %",
        "",
    ]
    lengths = {span.style: span.end - span.start for span in bar.spans if span.start < 44}
    assert lengths["green"] == 11 and lengths["blue"] == 32
    assert board._split({}).plain.split("\n")[0] == " " * 44


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.005, ""), (0.0051, "3:15:05 left"), (0.5, "1:00 left"), (0.999, "0:00 left"), (1.0, "")],
)
def test_the_time_left_is_shown_once_it_can_be_known_and_until_the_end(share, text):
    assert time_left(progressed(run_share=share)) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (59.6, "1:00"), (3599, "59:59"), (3600, "1:00:00"), (3661, "1:01:01")]
)
def test_a_clock_shows_hours_only_when_there_are_some(seconds, text):
    assert format_clock(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (999, "999"), (1000, "1.00 k"), (9990, "9.99 k"), (10_000, "10.0 k"), (100_000, "100 k"),
        (1_000_000, "1.00 M"), (2.5e9, "2.50 G"),
    ],
)  # fmt: skip
def test_counts_have_three_digits_and_a_letter(value, text):
    assert format_count(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(999.4, "999"), (1000, "1,000"), (-1000, "-1,000"), (0.01234, "0.0123")]
)
def test_large_numbers_are_whole_and_small_ones_have_three_digits(value, text):
    assert format_number(value) == text


def test_a_small_curve_is_a_row_of_blocks_from_lowest_to_highest():
    assert (
        sparkline([0.0, None, 0.5, 1.0]) == "▁·▅█"
        and sparkline([None]) == "·"
        and sparkline([2.0, 2.0]) == "▄▄"
    )


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"seeker_rating": 912.3, "hider_rating": 1000.0, "value": 5.0}, "seeker 912, hider 1000"),
        ({"value": 1234.56}, "1,234.6"),
        ({"value": 12.34, "value_low": 10.0, "value_high": 14.0}, "12.3 (10.0 to 14.0)"),
    ],
)
def test_an_evaluation_in_a_few_words(row, text):
    assert board.format_evaluation(row) == text
