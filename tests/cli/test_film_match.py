"""`sandlot film RUN --match …` as a person types it: one match, drawn by the real engine."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from media.filming import MATCH_S, check_pictures, make_filmed_run, need_a_camera
from media.making import make_tag_run

from sandlot.media.clips import HOLD_S
from sandlot.media.mp4 import read_frames, video_info

from .conftest import PLAIN, PROGRAM
from .documented import assert_documented

SMALL = ("--size", "320x180", "--fps", "10", "--quality", "low")
LIMIT_S = 240


@pytest.fixture
def drawn_here():
    need_a_camera()


@pytest.fixture
def run(tmp_path):
    return make_filmed_run(tmp_path / "runs", windows=2, each=1)


def left_over(run) -> list[str]:
    """What a try that failed should not leave."""
    return [str(path) for path in run.paths.videos.rglob("*")] if run.paths.videos.exists() else []


def test_options_defaults_and_ranges_are_as_documented():
    assert_documented("film")


@pytest.mark.slow
def test_a_match_becomes_a_film_at_true_speed_and_is_not_drawn_twice(drawn_here, sandlot, run, monkeypatch):
    done = sandlot("film", run.run_id, "--runs", "runs", "--window", "0", *SMALL, "--json")
    assert done.code == 0, done.err
    report = json.loads(done.out)
    film = Path(report["film"])
    assert film.parent.resolve() == run.paths.videos.resolve()
    found = video_info(film)
    assert (found.size, found.fps, found.frames) == ((320, 180), 10.0, report["frames"])
    seconds = run_seconds(run, 0) + HOLD_S
    assert report["seconds"] == pytest.approx(seconds, abs=0.1) and seconds <= MATCH_S + HOLD_S + 0.1
    every = [picture.astype(float) for picture in read_frames(film)]
    check_pictures(every)

    from sandlot.cli import camera

    monkeypatch.setattr(camera, "draw", lambda *_: pytest.fail("it was drawn again"))
    again = sandlot("film", run.run_id, "--runs", "runs", "--window", "0", *SMALL)
    assert again.code == 0 and Path(again.out.strip()).resolve() == film.resolve()


def run_seconds(run, window) -> float:
    from sandlot.media.clips import choose, match_seconds

    return match_seconds(choose(run, window_id=window))


@pytest.mark.slow
def test_ctrl_c_leaves_no_film_no_pictures_and_no_engine(drawn_here, run, tmp_path):
    rooms = tmp_path / "rooms"
    rooms.mkdir()
    words = [*PROGRAM, "film", run.run_id, "--runs", "runs", "--match", "newest", *SMALL]
    program = subprocess.Popen(
        words, cwd=tmp_path, env=PLAIN | {"TMPDIR": str(rooms)}, stderr=subprocess.PIPE, text=True
    )
    end_at = time.monotonic() + LIMIT_S
    while not list(rooms.glob("sandlot-film-*/frame_*.png")):
        assert program.poll() is None and time.monotonic() < end_at
        time.sleep(0.05)
    engines = _children(program.pid)
    program.send_signal(signal.SIGINT)
    _, sentence = program.communicate(timeout=60)
    assert program.returncode == 130 and "Stopped." in sentence
    assert left_over(run) == [] and list(rooms.iterdir()) == []
    assert engines and not any(Path(f"/proc/{pid}").exists() for pid in engines)


def _children(pid: int) -> list[str]:
    if sys.platform != "linux":
        pytest.skip("looks into /proc")
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def test_an_engine_that_dies_is_reported_and_leaves_nothing(sandlot, run, pretender):
    pretender('echo "out of paint"; exit 7')
    done = sandlot("film", run.run_id, "--runs", "runs", "--match", "newest", *SMALL)
    assert done.code == 2 and "exit code 7" in done.err and "out of paint" in done.err
    assert left_over(run) == []


@pytest.mark.slow
def test_an_engine_that_draws_nothing_is_ended_at_the_limit(sandlot, run, pretender):
    pretender("exec sleep 300")
    began = time.monotonic()
    done = sandlot("film", run.run_id, "--runs", "runs", "--match", "newest", *SMALL, "--timeout", "10")
    assert done.code == 2 and "--timeout" in done.err and time.monotonic() - began < 60
    assert left_over(run) == []


@pytest.mark.parametrize("which", [(), ("--match", "newest")])
def test_without_an_engine_it_ends_with_exit_code_3_and_one_sentence(
    which, sandlot, run, monkeypatch, tmp_path
):
    monkeypatch.setenv("GODOT_BIN", str(tmp_path / "nothing"))
    done = sandlot("film", run.run_id, "--runs", "runs", *which)
    assert (done.code, done.out) == (3, "")
    assert done.err.count("\n") == 1 and "sandlot godot install" in done.err


@pytest.mark.parametrize("which", [(), ("--match", "newest")])
def test_a_run_without_matches_is_refused(which, sandlot, tmp_path):
    run = make_tag_run(tmp_path / "runs")
    done = sandlot("film", run.run_id, "--runs", "runs", *which)
    assert done.code == 2 and "no recorded matches" in done.err and "--no-evaluate" in done.err


@pytest.mark.parametrize("which", [(), ("--match", "newest")])
@pytest.mark.parametrize(
    "words, sentence",
    [
        (("--size", "641x360"), "even"),
        (("--size", "big"), "1280x720"),
        (("--fps", "0"), "1"),
        (("--out", "film.avi"), ".mp4"),
        (("--out", "no/such/folder/film.mp4"), "no folder"),
    ],
)  # fmt: skip
def test_bad_words_are_refused_before_anything_is_drawn(which, words, sentence, sandlot, run):
    done = sandlot("film", run.run_id, "--runs", "runs", *which, *words)
    assert done.code == 2 and sentence in done.err
    assert left_over(run) == []


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("--match", "replay-000000-ffffffff"), "replay-000000"),
        (("--match", "../../etc/passwd"), "no replay"),
        (("--window", "44"), "0–1"),
        (("--window", "0", "--match", "x"), "one of them"),
        (("--window", "0", "--seconds", "20"), "a match is filmed as a whole"),
    ],
)  # fmt: skip
def test_a_match_that_is_not_there_is_named(words, sentence, sandlot, run):
    done = sandlot("film", run.run_id, "--runs", "runs", *words)
    assert done.code == 2 and sentence in done.err


def test_a_film_without_what_its_cards_need_is_refused_before_anything_is_drawn(sandlot, run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = sandlot("film", run.run_id, "--runs", "runs", "--quick")
    assert done.code == 2 and "matplotlib" in done.err and "sandlot[train]" in done.err
    assert left_over(run) == []


def test_a_run_that_is_not_there_is_named(sandlot):
    for which in ((), ("--match", "newest")):
        done = sandlot("film", "nosuch", *which)
        assert done.code == 2 and "nosuch" in done.err
