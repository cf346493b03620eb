"""Films as files: whole or not at all, and what a player finds in them."""

import resource
import sys

import numpy as np
import pytest

from sandlot.errors import ConfigError, Damaged, DiskFull, StoreError
from sandlot.media.mp4 import Mp4, facts, picture, pictures

from .filming import make_clip

pytest.importorskip("av")


def test_a_film_has_the_pictures_the_rate_and_the_note_it_was_given(tmp_path):
    path = make_clip(tmp_path / "a.mp4", frames=25, fps=30, note="a note")
    told = facts(path)
    assert (told.size, told.fps, told.frames, told.note) == ((64, 36), 30.0, 25, "a note")
    found = list(pictures(path))
    assert len(found) == 25 and found[0].shape == (36, 64, 3)


def test_colours_survive(tmp_path):
    path = make_clip(tmp_path / "a.mp4", frames=3, colour=(230, 60, 50))
    assert np.abs(next(pictures(path))[18, 40].astype(int) - (230, 60, 50)).max() <= 4


def test_every_player_takes_it_and_a_browser_begins_at_once(tmp_path):
    import av

    path = make_clip(tmp_path / "a.mp4", frames=5)
    with av.open(str(path)) as film:
        context = film.streams.video[0].codec_context
        assert (context.name, context.pix_fmt, context.colorspace) == ("h264", "yuv420p", 1)
    data = path.read_bytes()
    assert data.find(b"moov") < data.find(b"mdat")


def test_a_part_of_a_film_is_that_part(tmp_path):
    path = make_clip(tmp_path / "a.mp4", frames=12)
    every = list(pictures(path))
    part = list(pictures(path, first=4, count=3))
    assert len(part) == 3 and all((a == b).all() for a, b in zip(part, every[4:7], strict=True))


def test_pictures_of_another_size_are_scaled(tmp_path):
    with Mp4(tmp_path / "a.mp4", (64, 36), 10) as film:
        film.add(np.zeros((90, 160, 3), np.uint8))
    assert facts(tmp_path / "a.mp4").size == (64, 36)


def test_an_error_in_the_middle_leaves_the_old_film(tmp_path):
    path = make_clip(tmp_path / "a.mp4", frames=5)
    before = path.read_bytes()
    with pytest.raises(KeyboardInterrupt), Mp4(path, (64, 36), 10) as film:
        film.add(np.zeros((36, 64, 3), np.uint8))
        raise KeyboardInterrupt
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["a.mp4"]


def test_a_film_of_nothing_is_refused_and_leaves_nothing(tmp_path):
    with pytest.raises(ConfigError, match="no pictures"), Mp4(tmp_path / "a.mp4", (64, 36), 10):
        pass
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit there")
def test_a_full_disk_is_said_and_leaves_nothing(tmp_path):
    """A limit on the size of files stands for the disk; the system answers in the same way."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    noise = np.random.default_rng(1)
    try:
        with pytest.raises(DiskFull, match=r"a\.mp4"), Mp4(tmp_path / "a.mp4", (256, 144), 10) as film:
            for _ in range(200):
                film.add(noise.integers(0, 255, (144, 256, 3), np.uint8))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not list(tmp_path.iterdir())


def test_a_place_where_nothing_can_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"), Mp4(tmp_path / "file" / "a.mp4", (64, 36), 10):
        pass


def test_odd_sizes_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="even"):
        Mp4(tmp_path / "a.mp4", (65, 36), 10)


@pytest.mark.parametrize("content", [b"", b"no film", b"\0" * 5000])
def test_what_is_no_film_is_said_to_be_none(tmp_path, content):
    (tmp_path / "a.mp4").write_bytes(content)
    with pytest.raises(Damaged, match="no film"):
        facts(tmp_path / "a.mp4")
    with pytest.raises(Damaged, match="no film"):
        list(pictures(tmp_path / "a.mp4"))
    with pytest.raises(ConfigError, match="no picture"):
        picture(tmp_path / "a.mp4")
