"""`sandlot render` as a person types it: a trajectory becomes a film in the size of its quality."""

import pytest
from media.filming import check_pictures, need_a_camera

from sandlot.cli.episode import play_one, trained_or_scripted
from sandlot.media.clips import HOLD_S
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
