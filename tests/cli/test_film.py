"""`sandlot film` as a person types it: the real engine draws, one film comes out."""

import json
from pathlib import Path

import numpy as np
import pytest
from media.filming import cubes_seen, make_filmed_run, need_a_camera

from sandlot.media.mp4 import read_frames, video_info

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _drawn_here():
    need_a_camera()


def test_a_quick_film_shows_how_a_run_learned_and_uses_its_clips_again(sandlot, tmp_path, monkeypatch):
    run = make_filmed_run(tmp_path / "runs", windows=3, each=1)
    done = sandlot("film", run.run_id, "--runs", "runs", "--quick", "--json")
    assert done.code == 0, done.err
    assert "First window: replay-000000" in done.err and "Last window: replay-000002" in done.err
    assert "pictures to draw, about" in done.err
    film = Path(json.loads(done.out)["film"])
    assert film.name.startswith("learn_progress-") and film.parent.resolve() == run.paths.videos.resolve()
    video = video_info(film)
    assert (video.size, video.fps) == ((320, 180), 10.0) and 8 <= video.frames / 10 <= 13
    every = list(read_frames(film))
    assert len(every) == video.frames and all(picture.std() > 3 for picture in every)
    assert np.mean([cubes_seen(picture.astype(float)) for picture in every]) > 0.3, "matches are missing"

    from sandlot.cli import camera

    monkeypatch.setattr(camera, "draw", lambda *_: pytest.fail("a clip was drawn again"))
    again = sandlot("film", run.run_id, "--runs", "runs", "--quick", "--out", "again.mp4")
    assert again.code == 0 and again.err.count("is drawn already") == 2
    assert video_info(tmp_path / "again.mp4").frames == video.frames
    assert all((a == b).all() for a, b in zip(every, read_frames(tmp_path / "again.mp4"), strict=True))


def test_a_film_uses_what_was_recorded_as_a_whole(sandlot, tmp_path, monkeypatch):
    run = make_filmed_run(tmp_path / "runs", windows=1, each=1)
    video = ("--size", "160x90", "--fps", "5", "--quality", "low")
    assert sandlot("film", run.run_id, "--runs", "runs", "--match", "newest", *video).code == 0

    from sandlot.cli import camera

    monkeypatch.setattr(camera, "draw", lambda *_: pytest.fail("it was drawn again"))
    done = sandlot("film", run.run_id, "--runs", "runs", *video, "--seconds", "10")
    assert done.code == 0, done.err
