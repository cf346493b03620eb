"""`sandlot film RUN` of a single-player game: plan, pictures, sound; a second call draws nothing again."""

import json
from pathlib import Path

import numpy as np
import pytest
import small
from media.filming import play

from sandlot.cli import film_story
from sandlot.cli.film_learning import motion_of
from sandlot.cli.film_story import colour_name
from sandlot.media.mp4 import read_frames, video_info
from sandlot.runs.store import Store
from sandlot.train.compose import compose
from sandlot.train.loop import Loop, begin

av = pytest.importorskip("av")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    root = tmp_path_factory.mktemp("learned")
    words = ("run.windows=2", "run.window_env_steps=800", "settings.time_max=300", "ppo.num_minibatches=4")
    how = compose(
        "prospector", words=[*small.PROSPECTOR, *words, "run.threads=1", "network.hidden_sizes=[16]"]
    )
    with begin(Store(root), how) as begun:
        Loop(how, begun).go()
    return Store(root).open(begun.run_id)


def test_a_run_becomes_a_film_with_sound_and_its_plan(sandlot, run, tmp_path, monkeypatch):
    monkeypatch.setattr(film_story.story, "SEEDS", 4)
    monkeypatch.setattr(film_story.solo_story, "SEEDS", 4)
    words = ("film", str(run.paths.folder), "--size", "160x90", "--fps", "4", "--seconds", "12", "--json")
    done = sandlot(*words, "--out", str(tmp_path / "film.mp4"))
    assert done.code == 0, done.err
    assert "of 4 starts went like the one shown" in done.err
    film = Path(json.loads(done.out)["film"])
    plan = json.loads(film.with_suffix(".json").read_text())
    assert plan["facts"]["tried"] == 4 and plan["shots"][0]["name"] == "title"
    assert video_info(film).frames == sum(round(shot["seconds"] * 4) for shot in plan["shots"])
    pictures = list(read_frames(film))
    assert all(picture.std() > 3 for picture in pictures)
    with av.open(str(film)) as opened:
        lengths = [float(stream.duration * stream.time_base) for stream in opened.streams]
    assert len(lengths) == 2 and abs(lengths[0] - lengths[1]) <= 0.05

    monkeypatch.setattr(film_story, "_play", lambda *_: pytest.fail("it was played again"))
    monkeypatch.setattr("sandlot.cli.rendered.pictures", lambda *_: pytest.fail("it was drawn again"))
    again = sandlot(*words, "--out", str(tmp_path / "again.mp4"))
    assert again.code == 0, again.err
    other = next(read_frames(tmp_path / "again.mp4", 5, 1))
    assert np.abs(pictures[5].astype(int) - other).mean() < 2


def test_a_phone_film_of_a_game_without_a_scene_is_refused(sandlot, run):
    done = sandlot("film", str(run.paths.folder), "--format", "short")
    assert done.code == 2 and "Film.tscn" in done.err


def test_the_motion_of_a_match_is_that_of_its_replay():
    replay = play(3, seconds=2)
    motion = motion_of(replay, "seeker")
    assert motion.places.shape == (replay.end.steps, 2, 3) and motion.half > 3
    assert motion.times[-1] == pytest.approx(replay.end.ticks / 60)
    assert motion.touched == (replay.end.episode["winner"] == "seeker")
    assert not motion_of(replay, "hider").touched or replay.end.episode["winner"] == "hider"


@pytest.mark.parametrize(
    ("code", "name"),
    [("#d1495b", "red"), ("#2b6cb0", "blue"), ("#2f855a", "green"), ("#f0b64a", "orange"), ("#808080", "")],
)
def test_colours_have_plain_names(code, name):
    assert colour_name(code) == name
