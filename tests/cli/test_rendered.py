"""cli/rendered.py: films of native games that have no Godot scene."""

import numpy as np
import pytest

from sandlot.cli import rendered
from sandlot.errors import SpecMismatch
from sandlot.evaluate.replay_recorder import record
from sandlot.games import bot, rendering
from sandlot.media.clips import VideoSettings, full_shot, last_seconds
from sandlot.media.mp4 import read_frames, video_info

VIDEO = VideoSettings((200, 200), 10, "low")
CONFIG = {"time_limit": 5}


@pytest.fixture
def replay():
    return record("landing", bot("landing", "idle", config=CONFIG), 3, CONFIG)


def test_a_match_is_drawn_by_the_games_own_renderer_at_true_speed(replay, tmp_path):
    shot = full_shot(replay, VIDEO, rendered.digest(replay))
    path = rendered.draw(replay, shot, tmp_path / "match.mp4", 60.0)
    info = video_info(path)
    assert (info.size, info.fps, info.frames) == ((200, 200), 10.0, shot.frames) and info.note == shot.note
    pictures = [picture.astype(int) for picture in read_frames(path)]
    assert np.abs(pictures[20] - pictures[0]).max() > 40, "the craft falls"
    assert np.abs(pictures[-1] - pictures[-2]).max() < 20, "the last frame is held"


def test_the_end_of_a_match_begins_where_it_should(replay):
    shot = last_seconds(replay, VIDEO, "", 3.0)
    steps = [step for step, _ in rendered.pictures(replay, shot.first_step)]
    assert shot.first_step > 0 and steps == [*range(shot.first_step, replay.end.steps + 1)]


def test_another_renderer_or_other_settings_make_another_clip(replay, monkeypatch, tmp_path):
    other = record("landing", bot("landing", "idle"), 3)
    assert rendered.digest(replay) != rendered.digest(other)
    before = rendered.digest(replay)
    (tmp_path / "__init__.py").write_text("another")
    monkeypatch.setattr(rendering, "__file__", str(tmp_path / "__init__.py"))
    assert rendered.digest(replay) != before


def test_a_match_of_another_version_is_refused_and_nothing_is_written(replay, tmp_path):
    replay.header.__dict__["game_version"] = "0"
    shot = full_shot(replay, VIDEO, "")
    with pytest.raises(SpecMismatch, match="recorded on landing version 0"):
        rendered.draw(replay, shot, tmp_path / "match.mp4", 60.0)
    assert list(tmp_path.iterdir()) == []
