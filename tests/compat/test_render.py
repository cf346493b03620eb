"""`sandlot render` as a person types it: a trajectory becomes a film in the size of its quality."""

import json
from pathlib import Path

import pytest
from media.filming import check_pictures, need_a_camera

from sandlot.cli import camera
from sandlot.cli.camera import draw_frames
from sandlot.compat.episode import play_one, trained_or_scripted
from sandlot.compat.trajectories import read_trajectory
from sandlot.compat.variables import frames_folder
from sandlot.errors import GodotFailed
from sandlot.media.clips import HOLD_S, VideoSettings
from sandlot.media.frames import read_rate
from sandlot.media.mp4 import read_frames, video_info


@pytest.mark.slow
def test_a_trajectory_is_drawn_small_at_true_speed_and_its_frames_go(compat, tmp_path):
    need_a_camera()
    played = play_one(trained_or_scripted(), "native", "seeker", seed=3, duration=2, shorten=True)
    done = compat("render", str(played), "--quality", "low", "--fps", "5")
    assert done.code == 0, done.err
    film = tmp_path / done.out.strip()
    video = video_info(film)
    assert (video.size, video.fps) == ((960, 540), 5.0)
    lines = played.read_text().count('"step"')
    assert video.frames == pytest.approx((lines / 2 * 0.05 + HOLD_S) * 5, abs=1)
    check_pictures([picture.astype(float) for picture in read_frames(film)])
    assert not list(tmp_path.rglob("frame_*"))


def test_a_match_that_is_played_for_a_film_is_no_longer_than_asked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    played = play_one(trained_or_scripted(), "native", "seeker", seed=1, duration=2, shorten=True)
    start, *_, end = read_trajectory(played)
    assert start["players"] == ["scripted", "scripted"]
    assert 0 < end["duration_s"] <= 2


@pytest.mark.slow
def test_a_scene_that_ends_early_keeps_the_frames_it_drew(tmp_path, monkeypatch):
    """As when somebody closes the window: the engine leaves with code 0 before every picture is drawn."""
    need_a_camera()
    monkeypatch.chdir(tmp_path)
    played = play_one(trained_or_scripted(), "native", "seeker", seed=3, duration=1, shorten=True)
    video = VideoSettings((320, 180), 2, "low")
    drawn = draw_frames(played, "tag/Replay", video, 100, tmp_path, limit_s=200)
    kept = sorted(path.name for path in tmp_path.glob("frame_*.png"))
    assert 3 <= drawn < 100 and kept[:drawn] == [f"frame_{i:05d}.png" for i in range(drawn)]
    assert read_rate(tmp_path) == 2


def test_a_scene_that_cannot_play_leaves_an_error_and_no_frames(tmp_path, monkeypatch):
    need_a_camera()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.jsonl").write_text("{}\n")
    video = VideoSettings((320, 180), 2, "low")
    with pytest.raises(GodotFailed, match="holds no frames"):
        draw_frames(tmp_path / "empty.jsonl", "tag/Replay", video, 5, tmp_path, limit_s=100)
    assert [path.name for path in tmp_path.iterdir()] == ["empty.jsonl"]


# ---------------------------------------------------------------- what is asked of the camera


@pytest.fixture
def played(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return play_one(trained_or_scripted(), "native", "seeker", seed=3, duration=2, shorten=True)


@pytest.fixture
def asked(monkeypatch):
    """Everything that the camera is asked to draw; nothing is."""
    calls = []

    def draw_film(scene, video, frames, target, limit_s, tell, keep=None):
        calls.append((Path(scene.words[0]), video, frames, limit_s, keep))
        return target

    def draw_pictures(path, scene, video, frames, folder, limit_s, tell):
        calls.append((path, video, frames, limit_s, folder))
        return frames

    monkeypatch.setattr(camera, "draw_scene", draw_film)
    monkeypatch.setattr(camera, "draw_frames", draw_pictures)
    return calls


def shown_s(played):
    """Every state of a match is shown for a step, and the last one is held."""
    return 0.05 * played.read_text().count('"step"') / 2 + HOLD_S


def test_without_words_the_newest_match_is_filmed_large_at_60_pictures_a_second(compat, played, asked):
    done = compat("render")
    assert done.code == 0, done.err
    ((path, video, frames, limit_s, keep),) = asked
    assert path.resolve() == played.resolve() and keep is None
    assert (video, limit_s) == (VideoSettings((1920, 1080), 60, "high"), 3600)
    assert frames == round(shown_s(played) * 60) and f": {frames} pictures, about" in done.err
    assert "learn_progress-" in done.out


def test_words_go_before_variables(compat, played, asked, monkeypatch):
    monkeypatch.setenv("AI_RECORD_FPS", "20")
    monkeypatch.setenv("AI_RENDER_QUALITY", "low")
    monkeypatch.setenv("AI_PRESERVE_FRAMES", "1")
    assert (
        compat("render").code
        == compat("render", "--fps", "7", "--quality", "high", "--timeout", "99").code
        == 0
    )
    by_variables, by_words = asked
    assert by_variables[1] == VideoSettings((960, 540), 20, "low")
    assert (by_words[1], by_words[3]) == (VideoSettings((1920, 1080), 7, "high"), 99)
    assert by_variables[4].resolve() == frames_folder().resolve()


def test_frames_alone_are_left_in_an_emptied_folder_and_the_next_command_is_named(compat, played, asked):
    frames_folder().mkdir(parents=True)
    (frames_folder() / "frame_00000.png").touch(), (frames_folder() / "mine.txt").touch()
    done = compat("render", str(played), "--frames", "--fps", "5")
    assert done.code == 0, done.err
    assert done.out.strip() == (
        f"{frames_folder()}: {round(shown_s(played) * 5)} frames at 5 a second. "
        "A film: bash scripts/encode_frames.sh"
    )
    assert [path.name for path in frames_folder().iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("variables", "words", "sentence"),
    [
        ({"AI_RECORD_FPS": "0"}, (), "AI_RECORD_FPS=0: expected 1 to 240"),
        ({"AI_RECORD_FPS": "241"}, (), "AI_RECORD_FPS=241: expected 1 to 240"),
        ({"AI_RENDER_QUALITY": "best"}, (), "AI_RENDER_QUALITY=best: expected low or high"),
        ({}, ("--role", "goalkeeper"), "--role goalkeeper: expected seeker, chaser, hider, runner"),
        ({}, ("none.jsonl",), "There is no trajectory none.jsonl"),
        ({"AI_REPLAY_PATH": "other.jsonl"}, (), "There is no trajectory other.jsonl"),
    ],
)
def test_what_cannot_be_filmed_is_refused_before_anything_is_drawn(
    compat, played, asked, monkeypatch, variables, words, sentence
):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    done = compat("render", *words)
    assert done.code == 2 and sentence in done.err and asked == []


@pytest.mark.parametrize(("step_s", "good"), [(1.0, True), (1.01, False), (0, False), ("long", False)])
def test_a_step_lasts_at_most_a_second(compat, played, asked, step_s, good):
    first, *lines = played.read_text().splitlines()
    played.write_text("\n".join([json.dumps(json.loads(first) | {"step_s": step_s}), *lines]))
    done = compat("render", str(played), "--fps", "1")
    assert (done.code == 0) is good and len(asked) == good
    assert good or f"says step_s = {step_s!r}: expected seconds, at most 1" in done.err
