"""cli/drawing.py: how long drawing will take, as people read it, and what a finished film says."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from sandlot.cli import drawing as module
from sandlot.cli.drawing import (
    check_target,
    describe_replay,
    drawing_cost_s,
    estimate,
    format_duration,
    format_estimate,
    picture_progress,
    print_film,
)
from sandlot.errors import ConfigError


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "5 s"),
        (7.4, "5 s"),
        (8, "10 s"),
        (58, "60 s"),
        (89.9, "90 s"),
        (90, "2 minutes"),
        (600, "10 minutes"),
    ],
)
def test_a_time_is_rounded_to_five_seconds_or_to_minutes(seconds, text):
    assert format_duration(seconds) == text
    assert format_estimate(seconds) == f"about {text} on one free core without a graphics card"


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass only when a test says so."""
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def test_the_time_left_is_said_after_some_pictures_at_the_pace_of_the_last_ones(clock):
    shown = []
    count = picture_progress(lambda *what: shown.append(what), total=1000, before=100)
    for done in range(1, module.LEAST_PICTURES + 2):
        clock[0] += 0.5
        count(done, 900)
    silent, last = shown[:-1], shown[-1]
    assert {text for text, _, _ in silent} == {""}
    assert last == (f"{format_duration((900 - done) * 0.5)} left", 100 + done, 1000)


def test_only_the_last_pictures_count_for_the_pace(clock):
    shown = []
    count = picture_progress(lambda *what: shown.append(what), total=10_000)
    for done in range(1, module.RATE_OVER + 2):
        clock[0] += 60.0  # slow at first
        count(done, 10_000)
    for done in range(module.RATE_OVER + 2, 2 * module.RATE_OVER + 4):
        clock[0] += 0.1
        count(done, 10_000)
    assert shown[-1][0] == f"{format_duration((10_000 - done) * 0.1)} left"


def test_a_film_is_named_and_described_for_machines(capsys):
    print_film(Path("a.mp4"), 90, 30, as_machine=False)
    assert capsys.readouterr().out == "a.mp4\n"
    print_film(Path("a.mp4"), 90, 30, as_machine=True)
    assert json.loads(capsys.readouterr().out) == {"film": "a.mp4", "frames": 90, "fps": 30, "seconds": 3.0}


@pytest.mark.parametrize(("quality", "seconds"), [("high", 5 + 100 * 0.58), ("low", 5 + 100 * 0.23)])
def test_a_picture_costs_a_fixed_part_and_one_per_million_pixels(quality, seconds):
    assert drawing_cost_s(100, quality, (1000, 1000)) == pytest.approx(seconds)
    assert drawing_cost_s(0, quality, (1000, 1000)) == 5, "the engine's start"


def test_the_estimate_of_several_shots_is_that_of_all():
    shot = SimpleNamespace(frames=100, video=SimpleNamespace(quality="low", size=(1000, 1000)))
    assert estimate([shot, shot, shot, shot]) == f", {format_estimate(4 * 28)}"


@pytest.mark.parametrize(
    ("winner", "words"), [("seeker", "won by the seeker"), ("nobody", "nobody won"), (None, "nobody won")]
)
def test_a_replay_is_named_with_its_winner(winner, words):
    episode = {} if winner is None else {"winner": winner}
    replay = SimpleNamespace(
        header=SimpleNamespace(replay_id="replay-1", window_id=7), end=SimpleNamespace(episode=episode)
    )
    assert describe_replay(replay) == f"replay-1, window 7, {words}"


def test_a_film_goes_into_an_mp4_in_a_folder_that_is_there(tmp_path):
    check_target(None), check_target(tmp_path / "film.mp4"), check_target(tmp_path / "film.MP4")
    (tmp_path / "folder.mp4").mkdir()
    for bad in ("film.avi", "film", "folder.mp4"):
        with pytest.raises(ConfigError, match=r"ends in \.mp4"):
            check_target(tmp_path / bad)
    with pytest.raises(ConfigError, match="there is no folder"):
        check_target(tmp_path / "none" / "film.mp4")
