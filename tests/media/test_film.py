"""Cards and cutting, with clips made on the spot; films that Godot draws: tests/cli/test_film.py."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from sandlot.media import cards
from sandlot.media.clips import Look, last
from sandlot.media.cut import plan
from sandlot.media.film import FADE_S, Scene, Words, assemble, in_short
from sandlot.media.history import of_run
from sandlot.media.mp4 import facts, pictures

from .filming import make_clip, make_filmed_run
from .making import make_tag_run

pytest.importorskip("av")
LOOK = Look((160, 90), 10, "low")
WORDS = Words("Learning tag", ("3 windows", "run r"), ("made with sandlot",))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return make_filmed_run(tmp_path_factory.mktemp("runs"), windows=3)


@pytest.fixture(scope="module")
def made(run, tmp_path_factory):
    """A film of clips in plain colours: its plan, scenes and file."""
    folder = tmp_path_factory.mktemp("film")
    cut = plan(run, 20)
    scenes = []
    for number, chapter in enumerate(cut.chapters):
        shot = last(chapter.replay, LOOK, "scene", chapter.shown_s)
        colour = (40 + 60 * number, 200 - 50 * number, 90)
        clip = make_clip(folder / f"{number}.mp4", shot.frames + 3, LOOK.size, LOOK.fps, colour=colour)
        scenes.append(Scene(chapter, shot, clip, first=3))
    path = folder / "film.mp4"
    frames = assemble(path, LOOK, cut, scenes, of_run(run), WORDS)
    return cut, scenes, path, frames


def test_a_film_has_every_picture_of_its_parts(made):
    cut, scenes, path, frames = made
    seconds = cut.title_s + cut.card_s * len(scenes) + cut.curve_s + cut.end_s
    expected = seconds * LOOK.fps + sum(scene.shot.frames for scene in scenes)
    assert facts(path).frames == frames == pytest.approx(expected, abs=4)
    assert (facts(path).size, facts(path).fps) == (LOOK.size, 10.0)


def test_matches_come_in_their_order(made):
    cut, scenes, path, _ = made
    every = list(pictures(path))
    place = round(cut.title_s * LOOK.fps)
    for number, scene in enumerate(scenes[:2]):
        place += round(cut.card_s * LOOK.fps)
        middle = every[place + scene.shot.frames // 2][60, 20].astype(int)
        assert np.abs(middle - (40 + 60 * number, 200 - 50 * number, 90)).max() < 12
        place += scene.shot.frames


def test_pictures_fade_into_each_other(made):
    cut, _, path, _ = made
    every = [picture.astype(float) for picture in pictures(path)]
    edge = round(cut.title_s * LOOK.fps)
    jumps = [np.abs(b - a).mean() for a, b in itertools.pairwise(every)]
    whole = np.abs(every[edge + round(FADE_S * LOOK.fps) + 1] - every[edge - 1]).mean()
    assert max(jumps[edge - 1 : edge + 2]) < 0.8 * whole


def test_cards_are_written_on_and_show_the_ratings(run):
    behind = cards.backdrop(np.full((180, 320, 3), 200, np.uint8))
    assert behind.mean() < 90, "words need a dark ground"
    bare = cards.chapter_card(behind, "1 / 2", "First window", "window 0", {})
    rated = cards.chapter_card(behind, "1 / 2", "First window", "window 0", cards.figures_at(of_run(run), 0))
    assert (bare != behind).any() and (rated != bare).any()
    red, _, blue = np.moveaxis(rated.astype(int), -1, 0)
    assert ((red - blue) > 80).any() and ((blue - red) > 80).any()


def test_figures_are_those_of_the_window(run):
    assert cards.figures_at(of_run(run), 2) == {"seeker": "902", "hider": "1,000"}
    assert cards.figures_at(of_run(run), 77) == {}


def test_a_long_title_stays_within_the_picture():
    behind = np.zeros((180, 320, 3), np.uint8)
    card = cards.title_card(behind, "A title that is much too long for any picture of this size", [])
    assert not card[:, :4].any() and not card[:, -4:].any()


def test_the_curve_is_uncovered_from_left_to_right(run):
    curve = cards.curve_of(of_run(run))
    card = cards.curve_card(curve, (320, 180))
    changed = [(card.at(share) != card.empty).any(axis=(0, 2)).sum() for share in (0.0, 0.4, 0.8, 1.0)]
    assert changed == sorted(changed) and changed[0] < changed[1] < changed[3]
    assert (card.at(1.0) == card.full).all() and card.full.shape == (180, 320, 3)


def test_the_small_curve_grows_with_the_windows(run):
    curve = cards.curve_of(of_run(run))
    solid = [(cards.small_curve(curve, window, (640, 360))[..., 3] > 200).sum() for window in (0, 1, 2)]
    assert solid[0] < solid[1] < solid[2]


def test_a_corner_leaves_the_rest_of_the_picture_alone(run):
    picture = np.full((360, 640, 3), 30, np.uint8)
    corner = cards.small_curve(cards.curve_of(of_run(run)), 2, (640, 360))
    over = cards.laid_over(picture, corner)
    assert (picture == 30).all() and (over[:, :400] == 30).all() and (over[:100, 480:] != 30).any()


def test_without_judgements_the_curve_tells_who_won(run):
    from sandlot.media.history import Table

    history = replace(of_run(run), evaluations=Table([]))
    curve = cards.curve_of(history)
    assert curve.percent and set(curve.lines) == {"seeker", "hider"}


def test_a_run_of_one_window_has_no_curve(tmp_path):
    assert cards.curve_of(of_run(make_tag_run(tmp_path, windows=1))) is None


def test_a_failing_cut_leaves_no_film(made, run, tmp_path):
    cut, scenes, _, _ = made
    broken = [replace(scene, clip=tmp_path / "gone.mp4") for scene in scenes]
    with pytest.raises(Exception, match="gone"):
        assemble(tmp_path / "film.mp4", LOOK, cut, broken, of_run(run), WORDS)
    assert not list(tmp_path.iterdir())


def test_large_numbers_in_short():
    assert [in_short(n) for n in (7, 1500, 250_000, 2_500_000)] == ["7", "1.5 k", "250 k", "2.5 M"]
