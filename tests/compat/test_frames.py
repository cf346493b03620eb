"""`python -m sandlot.compat frames`: where frames are looked for, and what is left of them."""

import pytest
from calling import caller
from PIL import Image

from sandlot.compat.__main__ import app
from sandlot.media.clips import video_info


@pytest.fixture
def compat(monkeypatch, capsys, tmp_path):
    for name in ("AI_PRESERVE_FRAMES", "AI_RECORD_FPS", "AI_DATA_ROOT"):
        monkeypatch.delenv(name, raising=False)
    return caller(monkeypatch, capsys, tmp_path, app, "compat")


@pytest.fixture
def frames(tmp_path):
    """Three frames at the recorder's names, and the rate they were drawn at."""
    folder = tmp_path / "drawn"
    folder.mkdir()
    for i in range(3):
        Image.new("RGB", (64, 48), (60 * i, 60, 90)).save(folder / f"frame_{i:05d}.png")
    (folder / "frames.json").write_text('{"fps": 10}')
    return folder


def test_the_film_goes_into_folders_that_are_not_there_yet_and_the_frames_go_with_their_rate(
    compat, frames, tmp_path
):
    done = compat("frames", str(frames), "--output", "a/b/film.mp4")
    assert done.code == 0, done.err
    assert "3 frames, 0.3 s" in done.out
    assert (video_info(tmp_path / "a/b/film.mp4").fps, list(frames.iterdir())) == (10.0, [])


@pytest.mark.parametrize(
    ("words", "preserve", "kept"),
    [(("--keep",), "0", True), (("--remove",), "1", False), ((), "1", True), ((), "0", False)],
)
def test_the_word_counts_more_than_the_variable(words, preserve, kept, compat, frames, monkeypatch):
    monkeypatch.setenv("AI_PRESERVE_FRAMES", preserve)
    assert compat("frames", str(frames), "--output", "film.mp4", *words).code == 0
    assert bool(list(frames.iterdir())) == kept


def test_the_recorders_frames_come_before_those_of_the_movie_maker(compat, frames, tmp_path):
    for i in range(2):
        Image.new("RGB", (64, 48)).save(frames / f"frame{i:08d}.png")
    assert compat("frames", str(frames), "--output", "film.mp4", "--keep").code == 0
    assert video_info(tmp_path / "film.mp4").frames == 3
    for path in frames.glob("frame_*.png"):
        path.unlink()
    assert compat("frames", str(frames), "--output", "other.mp4", "--fps", "5").code == 0
    assert (video_info(tmp_path / "other.mp4").frames, video_info(tmp_path / "other.mp4").fps) == (2, 5.0)


def test_a_folder_without_frames_is_refused_and_nothing_is_written(compat, tmp_path):
    (tmp_path / "empty").mkdir()
    done = compat("frames", str(tmp_path / "empty"), "--output", "film.mp4")
    assert done.code == 2 and "no frames" in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty"]
