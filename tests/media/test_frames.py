"""Numbered pictures as a film: the rate beside them, their order, nothing half done."""

import json

import numpy as np
import pytest
from leaks import nothing_left_open
from PIL import Image
from refusals import refused

from sandlot.errors import ConfigError
from sandlot.media.frames import encode, read_rate, write_rate
from sandlot.media.mp4 import read_frames, video_info


def test_a_rate_is_read_as_it_was_written_and_absent_where_nobody_wrote_it(tmp_path):
    assert read_rate(tmp_path) is None
    write_rate(tmp_path, 30)
    assert json.loads((tmp_path / "frames.json").read_text()) == {"fps": 30} and read_rate(tmp_path) == 30


@pytest.mark.parametrize(("fps", "read"), [("1", 1), ("240", 240), ("59.94", 60)])
def test_a_rate_within_its_bounds_is_taken(tmp_path, fps, read):
    (tmp_path / "frames.json").write_text('{"fps": ' + fps + "}")
    assert read_rate(tmp_path) == read


@pytest.mark.parametrize(
    "text", ['{"fps": 0.9}', '{"fps": 241}', '{"fps": true}', '{"fps": "60"}', "{}", "[", "[]"]
)
def test_a_rate_that_is_none_is_refused_with_what_to_do(tmp_path, text):
    (tmp_path / "frames.json").write_text(text)
    with pytest.raises(ConfigError, match="Give --fps, or remove the file"):
        read_rate(tmp_path)


def test_frames_become_a_film_of_even_size_and_progress_is_reported(tmp_path):
    paths = []
    for i in range(3):
        paths.append(tmp_path / f"frame_{i}.png")
        Image.fromarray(np.full((33, 49, 3), 80 * i, np.uint8)).save(paths[-1])
    reported = []
    made = encode(paths, tmp_path / "film.mp4", 10, progress=lambda done, of: reported.append((done, of)))
    assert made.stat().st_size > 0 and reported == [(1, 3), (2, 3), (3, 3)]
    with pytest.raises(ConfigError, match="no frames"):
        encode([], tmp_path / "none.mp4")
    assert not (tmp_path / "none.mp4").exists()


def frame(folder, number, colour, size=(32, 48)):
    path = folder / f"{number}.png"
    Image.fromarray(np.full((*size, 3), colour, np.uint8)).save(path)
    return path


def test_a_film_has_the_frames_in_their_order_and_the_size_of_the_first(tmp_path):
    paths = [frame(tmp_path, 3, 200, (33, 49)), frame(tmp_path, 1, 90), frame(tmp_path, 2, 10)]
    film = encode(paths, tmp_path / "film.mp4")
    assert (video_info(film).size, video_info(film).fps, video_info(film).frames) == ((48, 32), 60.0, 3)
    assert [int(p.mean()) for p in read_frames(film)] == pytest.approx([200, 90, 10], abs=3)


def test_a_broken_frame_leaves_the_film_before(tmp_path):
    paths = [frame(tmp_path, 1, 90), tmp_path / "2.png"]
    paths[1].write_bytes(b"no picture")
    (tmp_path / "film.mp4").write_bytes(b"the film before")
    with nothing_left_open(), refused(tmp_path, ConfigError, "no picture"):
        encode(paths, tmp_path / "film.mp4")
