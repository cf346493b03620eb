"""The shots of a film, measured in every picture by the scene's own camera, for real matches.

The rules: everybody in view and large, much the same size, no words over anybody, the same side and scale in
both halves, the motion of the replay, a camera that neither jumps nor hops.
"""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from media.filming import cubes_seen, need_a_camera, play
from media.making import make_tag_run
from media.test_film_plan import FACTS

from sandlot.bridge import godot_engine
from sandlot.cli import film_scene
from sandlot.evaluate.replay_reader import open_replay
from sandlot.media.clips import VideoSettings, match_seconds
from sandlot.media.film_layout import overlap, panel_rects
from sandlot.media.film_plan import versus
from sandlot.media.mp4 import read_frames

FPS = 15
FOLLOWING = ("follow", "push", "tall")
GAMES = 2  # seeds, of three matches each
SIZES = {"wide": (1280, 720), "upright": (720, 1280)}


@pytest.fixture(scope="module", autouse=True)
def _engine():
    if godot_engine.find() is None:
        need_a_camera()


def matches(number: int):
    """Three matches of one start: nobody hunts, a hunt, a hunt of somebody who evades."""
    how = [("wander", "wander"), ("chase", "wander"), ("chase", "evade")]
    return [
        play(71 + number, window=w, run_id="", seconds=10, seeker=a, hider=b) for w, (a, b) in enumerate(how)
    ]


@pytest.fixture(scope="module", params=[(0, "wide"), (1, "wide"), (0, "upright")], ids=str)
def filmed(request, tmp_path_factory):
    """The shots of a film, and what was measured of them."""
    number, shape = request.param
    replays = matches(number)
    stages = []
    for stage, replay in zip(FACTS.stages, replays, strict=True):
        winner = str(replay.end.episode.get("winner", ""))
        stages.append(replace(stage, seconds=match_seconds(replay), winner=winner))
    plan = versus(replace(FACTS, stages=stages))
    run = make_tag_run(tmp_path_factory.mktemp("runs"), windows=1)
    scene = film_scene.Scene(run, "tag", replays, VideoSettings(SIZES[shape], FPS, "low"), 60.0)
    taken = scene.take(plan.shots)
    measured = scene.measured([one.shot for one in taken], [one.requests for one in taken])
    return list(zip(taken, measured, strict=True)), replays, SIZES[shape]


def played(filmed):
    """Shots in which a match is played, with each of their panels."""
    for taken, measured in filmed[0]:
        if taken.shot.camera not in film_scene.STILL:
            for panel, one in zip(taken.shot.panels, measured, strict=True):
                yield taken, panel, one


def test_everybody_is_wholly_in_every_picture(filmed):
    for taken, _, measured in played(filmed):
        for picture in measured["pictures"]:
            for left, top, right, bottom in picture["bodies"]:
                assert min(left, top) >= 0 and max(right, bottom) <= 1, (taken.shot.name, picture["match_s"])


def test_bodies_are_large_and_much_the_same_size(filmed):
    _, _, size = filmed
    for taken, _, measured in played(filmed):
        panels = panel_rects(size, len(taken.shot.panels))
        share = (panels[0][3] - panels[0][1]) / size[1]
        for picture in measured["pictures"]:
            tall = [(bottom - top) * share for _, top, _, bottom in picture["bodies"]]
            apart = np.linalg.norm(np.subtract(*picture["places"]))
            least = 0.07 if taken.shot.camera in FOLLOWING and apart < 15 and size[0] > size[1] else 0.06
            if size[0] < size[1]:
                least = 0.03 if len(panels) > 1 else 0.038  # of an upright picture
            assert min(tall) >= least, (taken.shot.name, picture["match_s"], apart)
            assert max(tall) / min(tall) <= 1.3, (taken.shot.name, picture["match_s"])


def test_no_word_covers_anybody_or_a_name_and_names_cover_nobody(filmed):
    shown, _, (wide, tall) = filmed
    for taken, measured in shown:
        if taken.shot.camera == "end":
            continue
        rects = panel_rects((wide, tall), len(taken.shot.panels))
        for number in range(len(measured[0]["pictures"])):
            texts = [t.rect for t in taken.texts if t.begin_s <= number / FPS < t.end_s]
            for (left, top, right, bottom), one in zip(rects, measured, strict=True):
                picture = one["pictures"][number]
                scale = np.array([right - left, bottom - top] * 2)
                place = np.array([left, top] * 2)
                bodies, names = (
                    [tuple(np.array(rect) * scale + place) for rect in picture[kind]]
                    for kind in ("bodies", "names")
                )
                where = (taken.shot.name, picture["match_s"])
                assert not any(overlap(a, b) for a in texts for b in [*bodies, *names]), where
                assert not any(overlap(a, b) for a, b in itertools.combinations(names, 2)), where
                for i, name in enumerate(names):
                    others = [
                        body for j, body in enumerate(bodies) if j != i and not overlap(bodies[i], body)
                    ]
                    assert not any(overlap(name, body) for body in others), where


def test_a_wide_shot_shows_the_whole_arena(filmed):
    shots, _, (across, tall) = filmed
    wide = [m for taken, m in shots if taken.shot.camera in ("wide", "title") and across > tall]
    assert bool(wide) == (across > tall), "an upright picture is too narrow for the whole arena"
    for picture in [picture for (one,) in wide for picture in one["pictures"]]:
        assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in picture["corners"]), picture["corners"]


def test_most_words_find_a_place(filmed):
    dropped = [text for taken, _ in filmed[0] for text in taken.dropped]
    assert len(dropped) <= 2, dropped


def test_until_its_end_a_match_moves_as_it_was_recorded(filmed):
    for taken, panel, measured in played(filmed):
        replay = filmed[1][panel.stage]
        with open_replay(replay) as reader:
            states = [f.to_json()["render_state"] for f in reader.page(0, replay.end.steps).frames]
        at = {round(state["tick"] / 60, 6): state["position"] for state in states}
        for picture in measured["pictures"]:
            moment = round(picture["match_s"], 6)
            if picture["after_s"] <= 0 and moment in at:
                assert np.abs(np.subtract(picture["places"], at[moment])).max() < 1e-3, taken.shot.name


def test_both_halves_show_the_same_moment_at_the_same_scale_from_the_same_side(filmed):
    (measured,) = [m for taken, m in filmed[0] if len(taken.shot.panels) == 2]
    for first, second in zip(*(one["pictures"] for one in measured), strict=True):
        assert first["match_s"] == second["match_s"]
        assert first["height"] == pytest.approx(second["height"]) and first["yaw"] == second["yaw"]


def test_the_camera_moves_gently_between_cuts(filmed):
    for taken, _, measured in played(filmed):
        speed = max(1.0, taken.shot.speed)
        eyes = np.array([picture["camera"] for picture in measured["pictures"]])
        yaws = np.array([picture["yaw"] for picture in measured["pictures"]])
        assert np.abs(np.diff(yaws)).max() * FPS <= 3.001, taken.shot.name
        pace = np.linalg.norm(np.diff(eyes, axis=0), axis=1)[2:] * FPS  # at a cut it may begin to move
        assert pace.max() <= 30 * speed, (taken.shot.name, pace.max())
        assert np.abs(np.diff(pace)).max() * FPS <= 60 * speed**2, taken.shot.name


def test_the_pictures_of_a_shot_are_as_many_as_its_seconds(filmed):
    for taken, measured in filmed[0]:
        for one in measured:
            assert len(one["pictures"]) == round(taken.shot.seconds * FPS)


@pytest.mark.slow
def test_a_shot_is_drawn_once_and_shows_both(tmp_path, monkeypatch):
    need_a_camera()
    replays = matches(0)
    run = make_tag_run(tmp_path / "runs", windows=1)
    scene = film_scene.Scene(run, "tag", replays, VideoSettings((320, 180), 5, "low"), 240.0)
    (rules,) = [shot for shot in versus(FACTS).shots if shot.name == "rules"]
    (taken,) = scene.take([rules])
    clip = scene.draw(taken, 0)
    every = list(read_frames(clip))
    assert len(every) == round(rules.seconds * 5) and all(cubes_seen(one.astype(float)) for one in every[2:])
    monkeypatch.setattr(film_scene.camera, "draw_scene", lambda *_, **__: pytest.fail("it was drawn again"))
    assert scene.is_there(taken, 0) and scene.draw(taken, 0) == clip
