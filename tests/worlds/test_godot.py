"""Games in a Godot process: how it is started, and what is said of one that dies before it plays."""

import pytest
from calling import fake_engine

import sandlot
from sandlot.errors import GameLost
from sandlot.worlds.godot import GodotWorld


@pytest.fixture
def dying(monkeypatch, tmp_path):
    """An engine that writes down its words, complains in ten lines, and dies."""
    lines = "; ".join(f"echo line {i}; echo" for i in range(1, 11))
    fake_engine(monkeypatch, tmp_path)(f'echo "$*" > {tmp_path}/words; {lines}; exit 3')
    return tmp_path


def made(**options):
    with pytest.raises(GameLost) as lost:
        sandlot.make("tag", 2, engine="godot", **options)
    return str(lost.value)


def test_a_game_that_dies_is_told_with_the_last_six_lines_of_its_log(dying):
    sentence = made()
    assert [f"line {i}" in sentence.splitlines() for i in range(1, 11)] == [False] * 4 + [True] * 6


@pytest.mark.parametrize(("config", "rate"), [({}, "60"), ({"tick_rate": 30}, "30")])
def test_the_engine_runs_one_tick_a_frame_in_the_games_training_scene(dying, config, rate):
    made(config=config)
    words = (dying / "words").read_text().split()
    assert words[words.index("--fixed-fps") + 1] == rate and "--headless" in words
    assert any(word.endswith("games/tag/train.tscn") for word in words)


def test_the_log_goes_where_it_is_asked_to(dying, monkeypatch):
    made(log=dying / "asked.log")
    assert "line 1\n" in (dying / "asked.log").read_text()
    monkeypatch.setenv("SANDLOT_GODOT_LOG", str(dying / "named.log"))
    made()
    assert "line 1\n" in (dying / "named.log").read_text()
    monkeypatch.setenv("SANDLOT_GODOT_LOG", "")
    before = set(dying.iterdir())
    made()
    assert set(dying.iterdir()) == before, "a log that nobody asked for is removed"


def test_a_scene_started_by_hand_is_waited_for_at_the_usual_port(dying, monkeypatch):
    seen = {}
    monkeypatch.setattr(
        "sandlot.worlds.remote.RemoteWorld.__init__", lambda self, *_, **more: seen.update(more)
    )
    monkeypatch.setattr("sandlot.worlds.remote.RemoteWorld.close", lambda self: None)
    GodotWorld("tag", attach=True)
    assert seen == {"port": 8765, "address": "tag"} and not (dying / "words").exists(), "no engine is started"
    GodotWorld("tag", attach=True, port=9000)
    assert seen == {"port": 9000, "address": "tag"}
