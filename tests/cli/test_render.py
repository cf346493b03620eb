"""`sandlot render` as a person types it: a trajectory becomes a film in the size of its quality."""

import pytest
from media.filming import check_pictures, need_a_camera

from sandlot.cli.camera import draw_frames
from sandlot.cli.episode import play_one, trained_or_scripted
from sandlot.errors import GodotFailed
from sandlot.media.clips import HOLD_S, Look
from sandlot.media.frames import read_rate
from sandlot.media.mp4 import facts, pictures
from sandlot.runs.trajectories import read_trajectory


@pytest.mark.slow
def test_a_trajectory_is_drawn_small_at_true_speed_and_its_frames_go(sandlot, tmp_path):
    need_a_camera()
    played = play_one(trained_or_scripted(), "native", "seeker", seed=3, duration=2, shorten=True)
    done = sandlot("render", str(played), "--quality", "low", "--fps", "5")
    assert done.code == 0, done.err
    film = tmp_path / done.out.strip()
    told = facts(film)
    assert (told.size, told.fps) == ((960, 540), 5.0)
    lines = played.read_text().count('"step"')
    assert told.frames == pytest.approx((lines / 2 * 0.05 + HOLD_S) * 5, abs=1)
    check_pictures([picture.astype(float) for picture in pictures(film)])
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
    look = Look((320, 180), 2, "low")
    drawn = draw_frames(played, look, 100, tmp_path, limit_s=200)
    kept = sorted(path.name for path in tmp_path.glob("frame_*.png"))
    assert 3 <= drawn < 100 and kept[:drawn] == [f"frame_{i:05d}.png" for i in range(drawn)]
    assert read_rate(tmp_path) == 2


def test_a_scene_that_cannot_play_leaves_an_error_and_no_frames(tmp_path, monkeypatch):
    need_a_camera()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.jsonl").write_text("{}\n")
    with pytest.raises(GodotFailed, match="holds no frames"):
        draw_frames(tmp_path / "empty.jsonl", Look((320, 180), 2, "low"), 5, tmp_path, limit_s=100)
    assert [path.name for path in tmp_path.iterdir()] == ["empty.jsonl"]
