"""Films as files: whole or not at all, and what a player finds in them."""

import errno
import resource
import sys

import numpy as np
import pytest
from leaks import nothing_left_open
from refusals import refused

from sandlot.errors import ConfigError, Damaged, DiskFull, MissingExtra, StoreError
from sandlot.media.mp4 import Mp4, check_encoder, read_frames, read_image, video_info

from .filming import make_clip

pytest.importorskip("av")


def test_a_film_has_the_pictures_the_rate_and_the_note_it_was_given(tmp_path):
    path = make_clip(tmp_path / "a.mp4", frames=25, fps=30, note="a note")
    result = video_info(path)
    assert (result.size, result.fps, result.frames, result.note) == ((64, 36), 30.0, 25, "a note")
    found = list(read_frames(path))
    assert len(found) == 25 and found[0].shape == (36, 64, 3)


def test_colours_survive(tmp_path):
    path = make_clip(tmp_path / "a.mp4", frames=3, colour=(230, 60, 50))
    assert np.abs(next(read_frames(path))[18, 40].astype(int) - (230, 60, 50)).max() <= 4


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
    every = list(read_frames(path))
    part = list(read_frames(path, first=4, count=3))
    assert len(part) == 3 and all((a == b).all() for a, b in zip(part, every[4:7], strict=True))


def test_pictures_of_another_size_are_scaled(tmp_path):
    with Mp4(tmp_path / "a.mp4", (64, 36), 10) as film:
        film.add(np.zeros((90, 160, 3), np.uint8))
    assert video_info(tmp_path / "a.mp4").size == (64, 36)


def test_an_error_in_the_middle_leaves_the_old_film(tmp_path):
    path = make_clip(tmp_path / "a.mp4", frames=5)
    before = path.read_bytes()
    with pytest.raises(KeyboardInterrupt), Mp4(path, (64, 36), 10) as film:
        film.add(np.zeros((36, 64, 3), np.uint8))
        raise KeyboardInterrupt
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["a.mp4"]


def test_a_film_of_nothing_is_refused_and_leaves_nothing(tmp_path):
    with pytest.raises(ConfigError, match="no frames"), Mp4(tmp_path / "a.mp4", (64, 36), 10):
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
        video_info(tmp_path / "a.mp4")
    with pytest.raises(Damaged, match="no film"):
        list(read_frames(tmp_path / "a.mp4"))
    with pytest.raises(ConfigError, match="no picture"):
        read_image(tmp_path / "a.mp4")


def encoded(path):
    import av

    with av.open(str(path)) as film:
        return [(frame.key_frame, frame.pts * frame.time_base) for frame in film.decode(video=0)]


def test_a_player_can_jump_to_every_second_second(tmp_path):
    path = tmp_path / "a.mp4"
    with Mp4(path, (64, 36), 10) as film:
        for _ in range(50):
            film.add(np.full((36, 64, 3), 90, np.uint8))
    keys = [number for number, (key, _) in enumerate(encoded(path)) if key]
    assert keys == [0, 20, 40]
    assert [float(time) for _, time in encoded(path)][:3] == pytest.approx([0.0, 0.1, 0.2])


def test_quality_and_preset_are_asked_of_the_encoder(tmp_path):
    film = Mp4(tmp_path / "a.mp4", (64, 36), 10)
    assert film._options == {"crf": "18", "preset": "medium", "g": "20"}
    film = Mp4(tmp_path / "a.mp4", (64, 36), 30, quality=30, preset="veryfast")
    assert film._options == {"crf": "30", "preset": "veryfast", "g": "60"}
    rough, fine = (noise(tmp_path / f"{quality}.mp4", quality).stat().st_size for quality in (40, 10))
    assert rough < fine / 2


def noise(path, quality):
    rng = np.random.default_rng(1)
    with Mp4(path, (64, 36), 10, quality) as film:
        for _ in range(5):
            film.add(rng.integers(0, 255, (36, 64, 3), np.uint8))
    return path


def test_colours_are_said_to_be_those_of_hd(tmp_path):
    import av

    with av.open(str(make_clip(tmp_path / "a.mp4", frames=2))) as film:
        context = film.streams.video[0].codec_context
        assert (context.color_primaries, context.color_trc, context.colorspace) == (1, 1, 1)
        assert context.color_range == 1


@pytest.mark.parametrize("size", [(64, 35), (63, 36), (0, 36), (64, 0), (-2, 36)])
def test_a_size_that_h264_cannot_hold_is_refused(tmp_path, size):
    with refused(tmp_path, ConfigError, "even numbers"):
        Mp4(tmp_path / "a.mp4", size, 10)


def test_the_smallest_film_has_two_pixels_a_side(tmp_path):
    with Mp4(tmp_path / "a.mp4", (2, 2), 10) as film:
        assert film.frames == 0
        film.add(np.zeros((2, 2, 3), np.uint8))
        assert film.frames == 1
    assert video_info(tmp_path / "a.mp4").size == (2, 2)


def test_a_part_of_no_pictures_or_beyond_the_end_is_empty(tmp_path):
    path = make_clip(tmp_path / "a.mp4", frames=4)
    assert list(read_frames(path, first=1, count=0)) == [] and list(read_frames(path, first=9)) == []
    assert len(list(read_frames(path, first=3))) == 1 and len(list(read_frames(path, first=2, count=9))) == 2


def test_a_film_without_a_note_has_none(tmp_path):
    assert video_info(make_clip(tmp_path / "a.mp4", frames=2)).note == ""


def test_films_are_closed_also_after_an_error_and_half_way_through(tmp_path):
    path = make_clip(tmp_path / "a.mp4", frames=5)
    (tmp_path / "broken.mp4").write_bytes(b"no film")
    with nothing_left_open():
        video_info(path)
        next(read_frames(path))
        with refused(tmp_path, Damaged, "no film"):
            video_info(tmp_path / "broken.mp4")
        with refused(tmp_path, Damaged, "no film"):
            next(read_frames(tmp_path / "broken.mp4"))
        with refused(tmp_path, RuntimeError, "stop"), Mp4(path, (64, 36), 10) as film:
            film.add(np.zeros((36, 64, 3), np.uint8))
            raise RuntimeError("stop")
        with refused(tmp_path, ConfigError, "no frames"), Mp4(tmp_path / "b.mp4", (64, 36), 10):
            pass


def test_a_film_whose_last_step_fails_leaves_the_old_one(tmp_path, monkeypatch):
    path = make_clip(tmp_path / "a.mp4", frames=5)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(type(path), "replace", full)
    with nothing_left_open(), refused(tmp_path, DiskFull, r"a\.mp4"):
        make_clip(path, frames=3)


def test_without_the_package_the_extra_is_named_before_anything_is_drawn(monkeypatch):
    check_encoder()
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(MissingExtra, match=r"sandlot\[godot\]"):
        check_encoder()
