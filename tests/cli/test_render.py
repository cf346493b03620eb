"""`sandlot render` as a person types it: a trajectory becomes a film in the size of its quality."""

import pytest
from media.filming import check_pictures, need_a_camera

from sandlot.cli.episode import play_one, trained_or_scripted
from sandlot.media.mp4 import facts, pictures


@pytest.mark.slow
def test_a_trajectory_is_drawn_small_at_true_speed_and_its_frames_go(sandlot, tmp_path):
    need_a_camera()
    played = play_one(trained_or_scripted(), "native", "seeker", 3, 15)
    done = sandlot("render", str(played), "--quality", "low", "--fps", "5")
    assert done.code == 0, done.err
    film = tmp_path / done.out.strip()
    told = facts(film)
    assert (told.size, told.fps) == ((960, 540), 5.0)
    lines = played.read_text().count('"step"')
    assert told.frames == pytest.approx((lines / 2 * 0.05 + 2.5) * 5, abs=5)
    check_pictures([picture.astype(float) for picture in pictures(film)])
    assert not list(tmp_path.rglob("frame_*"))
