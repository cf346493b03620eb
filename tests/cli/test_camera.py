"""Pictures that arrive one by one: each is passed on when it is whole, and every wait has an end."""

import json
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from sandlot.cli import camera
from sandlot.errors import GodotFailed
from sandlot.media.clips import VideoSettings

LIMIT_S = 30


class Drawing:
    """A process that draws one picture at each video, and ends with a code after the last."""

    def __init__(self, folder, count, code=0, from_now=0):
        self.folder, self.count, self.after, self.drawn = folder, count, code, from_now

    @property
    def code(self):
        if self.drawn < self.count:
            (self.folder / f"frame_{self.drawn:05d}.png").touch()
            self.drawn += 1
            return None
        return self.after

    def failure(self, doing):
        return GodotFailed(f"while {doing}")


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(camera, "LOOK_S", 0.0)


def arrived(process, folder, count, limit_s=LIMIT_S):
    return [path.name for path in camera._arriving(process, folder, count, limit_s, "wait longer")]


def test_every_picture_arrives_in_its_order_the_last_when_the_engine_has_ended(tmp_path):
    names = [f"frame_{i:05d}.png" for i in range(3)]
    assert arrived(Drawing(tmp_path, 3), tmp_path, 3) == names


def test_an_engine_that_ends_before_the_last_picture_is_a_failure(tmp_path):
    with pytest.raises(GodotFailed, match="drawing 3 of 3 pictures"):
        arrived(Drawing(tmp_path, 2), tmp_path, 3)


def test_an_engine_that_ends_badly_has_drawn_no_whole_last_picture(tmp_path):
    with pytest.raises(GodotFailed, match="drawing 2 of 2 pictures"):
        arrived(Drawing(tmp_path, 2, code=1), tmp_path, 2)


def test_at_the_limit_the_advice_is_given(tmp_path):
    with pytest.raises(GodotFailed, match=r"limit of 0 s .* drawing 1 of 2 pictures\. wait longer"):
        arrived(Drawing(tmp_path, 0, code=None), tmp_path, 2, limit_s=0)


def test_one_picture_that_takes_too_long_is_a_failure(tmp_path, monkeypatch):
    monkeypatch.setattr(camera, "PICTURE_S", 0.0)
    with pytest.raises(GodotFailed, match=r"^while drawing 1 of 2"):
        arrived(Drawing(tmp_path, 0, code=None), tmp_path, 2)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("seeker of window 12", "window 12"),
        ("chase", "chase"),
        ("seeker of window 12 again", "seeker of window 12 again"),
    ],
)
def test_a_policys_role_is_not_repeated_beneath_its_name(name, short):
    assert camera._short(name) == short


def filmed(recording):
    return camera.Filmed(recording.parent, "res://replay.tscn", (str(recording),), skipped=2)


def test_the_engine_is_started_for_so_many_pictures_at_this_rate_and_size(tmp_path, monkeypatch):
    started = {}

    def process(arguments, **options):
        started.update(options, arguments=arguments)
        return SimpleNamespace()

    monkeypatch.setattr(camera, "GodotProcess", process)
    video = VideoSettings((640, 360), 20, "low")
    camera._started(filmed(tmp_path / "tape.json"), video, 7, tmp_path, {"DISPLAY": ":1"}, tmp_path / "log")
    words = started["arguments"]
    assert words[words.index("--fixed-fps") + 1] == "20" and words[words.index("--quit-after") + 1] == "10"
    assert words[words.index("--resolution") + 1] == "640x360" and "gl_compatibility" in words
    assert words[-2:] == ["--", str(tmp_path / "tape.json")] and started["headless"] is False
    assert started["environment"] == {
        "DISPLAY": ":1",
        "AI_RECORD": "1",
        "AI_RECORD_FPS": "20",
        "AI_FRAMES_DIR": str(tmp_path),
    }
    camera._started(
        filmed(tmp_path / "tape.json"), VideoSettings((640, 360), 20, "high"), 7, tmp_path, {}, None
    )
    assert "gl_compatibility" not in started["arguments"] and started["log"] is None


def test_a_scene_that_changes_has_another_digest(monkeypatch, tmp_path):
    folder = tmp_path / "games/tag"
    folder.mkdir(parents=True)
    (folder / "main.gd").write_text("one")
    monkeypatch.setattr(camera, "project_folder", lambda: tmp_path)
    engine = SimpleNamespace(version="4.6")
    before = camera.scene_digest("tag", engine)
    (folder / "main.gd.uid").write_text("made by an import")
    assert camera.scene_digest("tag", engine) == before
    assert camera.scene_digest("tag", SimpleNamespace(version="4.7")) != before
    (folder / "main.gd").write_text("two")
    assert camera.scene_digest("tag", engine) != before
    assert json.dumps(before)


@pytest.fixture
def drawing(tmp_path, monkeypatch):
    """`drawing(count, code)`: an engine that gets so far draws three; what was told, and what is there."""

    def draw(count, code=0):
        folder = tmp_path / "frames"
        folder.mkdir()
        told = []
        monkeypatch.setattr(camera, "screen", lambda: nullcontext({}))
        monkeypatch.setattr(camera, "recorded", lambda recording, scene: None)
        monkeypatch.setattr(camera, "_started", lambda *_: nullcontext(Drawing(folder, count, code)))
        video = VideoSettings((640, 360), 20, "low")
        try:
            drawn = camera.draw_frames(
                tmp_path / "tape", "scene", video, 3, folder, LIMIT_S, lambda *so_far: told.append(so_far)
            )
        except GodotFailed as problem:
            drawn = problem
        return drawn, told, sorted(path.name for path in folder.iterdir())

    return draw


def test_frames_are_told_of_one_by_one_and_stay_with_their_rate(drawing):
    drawn, told, names = drawing(3)
    assert (drawn, told) == (3, [(1, 3), (2, 3), (3, 3)])
    assert names == ["frame_00000.png", "frame_00001.png", "frame_00002.png", "frames.json"]


def test_a_window_that_was_closed_early_leaves_what_was_drawn(drawing):
    drawn, told, names = drawing(2)
    assert drawn == len(told) == 2 and "frame_00001.png" in names and "frames.json" in names


def test_an_engine_that_drew_nothing_leaves_nothing(drawing):
    drawn, told, names = drawing(0)
    assert isinstance(drawn, GodotFailed) and not told and not names


def test_an_engine_that_crashed_is_a_failure_though_pictures_are_there(drawing):
    drawn, told, names = drawing(2, code=1)
    assert isinstance(drawn, GodotFailed) and told == [(1, 3)] and "frame_00000.png" in names
