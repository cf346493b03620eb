"""Cards and cutting, with clips made on the spot; films that Godot draws: tests/cli/test_film.py."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from leaks import nothing_left_open
from refusals import refused

from sandlot.errors import Damaged
from sandlot.media import cards, film
from sandlot.media.clips import VideoSettings, last_seconds
from sandlot.media.cut import plan
from sandlot.media.film import FADE_S, CardTexts, Scene, assemble, format_count
from sandlot.media.history import run_history
from sandlot.media.mp4 import read_frames, video_info
from sandlot.media.role_styles import dark_colours

from .filming import make_clip, make_filmed_run
from .making import make_tag_run

pytest.importorskip("av")
LOOK = VideoSettings((160, 90), 10, "low")
TEXTS = CardTexts("Learning tag", ("3 windows", "run r"), ("made with sandlot",))


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
        shot = last_seconds(chapter.replay, LOOK, "scene", chapter.shown_s)
        colour = (40 + 60 * number, 200 - 50 * number, 90)
        clip = make_clip(folder / f"{number}.mp4", shot.frames + 3, LOOK.size, LOOK.fps, colour=colour)
        scenes.append(Scene(chapter, shot, clip, first=3))
    path = folder / "film.mp4"
    frames = assemble(path, LOOK, cut, scenes, run_history(run), TEXTS)
    return cut, scenes, path, frames


def test_a_film_has_every_picture_of_its_parts(made):
    cut, scenes, path, frames = made
    seconds = cut.title_s + cut.card_s * len(scenes) + cut.curve_s + cut.end_s
    expected = seconds * LOOK.fps + sum(scene.shot.frames for scene in scenes)
    assert video_info(path).frames == frames == pytest.approx(expected, abs=4)
    assert (video_info(path).size, video_info(path).fps) == (LOOK.size, 10.0)


def test_matches_come_in_their_order(made):
    cut, scenes, path, _ = made
    every = list(read_frames(path))
    place = round(cut.title_s * LOOK.fps)
    for number, scene in enumerate(scenes[:2]):
        place += round(cut.card_s * LOOK.fps)
        middle = every[place + scene.shot.frames // 2][60, 20].astype(int)
        assert np.abs(middle - (40 + 60 * number, 200 - 50 * number, 90)).max() < 12
        place += scene.shot.frames


def test_pictures_fade_into_each_other(made):
    cut, _, path, _ = made
    every = [picture.astype(float) for picture in read_frames(path)]
    edge = round(cut.title_s * LOOK.fps)
    jumps = [np.abs(b - a).mean() for a, b in itertools.pairwise(every)]
    whole = np.abs(every[edge + round(FADE_S * LOOK.fps) + 1] - every[edge - 1]).mean()
    assert max(jumps[edge - 1 : edge + 2]) < 0.8 * whole


def test_cards_are_written_on_and_show_the_ratings(run):
    behind = cards.backdrop(np.full((180, 320, 3), 200, np.uint8))
    assert behind.mean() < 90, "words need a dark ground"
    bare = cards.chapter_card(behind, "1 / 2", "First window", "window 0", {}, {})
    rated = cards.chapter_card(
        behind,
        "1 / 2",
        "First window",
        "window 0",
        cards.ratings_at(run_history(run), 0),
        dark_colours("tag"),
    )
    assert (bare != behind).any() and (rated != bare).any()
    red, _, blue = np.moveaxis(rated.astype(int), -1, 0)
    assert ((red - blue) > 80).any() and ((blue - red) > 80).any()


def test_metrics_are_those_of_the_window(run):
    assert cards.ratings_at(run_history(run), 2) == {"seeker": "902", "hider": "1,000"}
    assert cards.ratings_at(run_history(run), 77) == {}


def test_a_long_title_stays_within_the_picture():
    behind = np.zeros((180, 320, 3), np.uint8)
    card = cards.title_card(behind, "A title that is much too long for any picture of this size", [], {})
    assert not card[:, :4].any() and not card[:, -4:].any()


def test_the_curve_is_uncovered_from_left_to_right(run):
    curve = cards.learning_curve(run_history(run))
    card = cards.curve_card(curve, (320, 180))
    changed = [(card.at(share) != card.empty).any(axis=(0, 2)).sum() for share in (0.0, 0.4, 0.8, 1.0)]
    assert changed == sorted(changed) and changed[0] < changed[1] < changed[3]
    assert (card.at(1.0) == card.full).all() and card.full.shape == (180, 320, 3)


def test_the_small_curve_grows_with_the_windows(run):
    curve = cards.learning_curve(run_history(run))
    solid = [(cards.small_curve(curve, window, (640, 360))[..., 3] > 200).sum() for window in (0, 1, 2)]
    assert solid[0] < solid[1] < solid[2]


def test_a_corner_leaves_the_rest_of_the_picture_alone(run):
    picture = np.full((360, 640, 3), 30, np.uint8)
    corner = cards.small_curve(cards.learning_curve(run_history(run)), 2, (640, 360))
    over = cards.overlay(picture, corner)
    assert (picture == 30).all() and (over[:, :400] == 30).all() and (over[:100, 480:] != 30).any()


def test_without_judgements_the_curve_tells_who_won(run):
    from sandlot.media.history import Table

    history = replace(run_history(run), evaluations=Table([]))
    curve = cards.learning_curve(history)
    assert curve.percent and set(curve.lines) == {"seeker", "hider"}


def test_a_run_of_one_window_has_no_curve(tmp_path):
    assert cards.learning_curve(run_history(make_tag_run(tmp_path, windows=1))) is None


def test_a_failing_cut_leaves_no_film(made, run, tmp_path):
    cut, scenes, _, _ = made
    broken = [replace(scene, clip=tmp_path / "gone.mp4") for scene in scenes]
    with pytest.raises(Exception, match="gone"):
        assemble(tmp_path / "film.mp4", LOOK, cut, broken, run_history(run), TEXTS)
    assert not list(tmp_path.iterdir())


def test_large_numbers_in_short():
    assert [format_count(n) for n in (7, 1500, 250_000, 2_500_000)] == ["7", "1.50 k", "250 k", "2.50 M"]


# ---------------------------------------------------------------- every picture of it


@pytest.fixture
def result(monkeypatch):
    """What is written on the cards: the words, and the picture behind them."""
    rows = []
    for name in ("title_card", "chapter_card", "end_card"):
        real = getattr(cards, name)

        def keep(behind, *words, name=name, real=real):
            rows.append((name, behind, words))
            return real(behind, *words)

        monkeypatch.setattr(cards, name, keep)
    monkeypatch.setattr(cards, "backdrop", lambda picture: picture)
    return rows


def test_cards_say_what_was_trained_until_then_and_how_the_match_went(made, run, result, tmp_path):
    cut, scenes, _, _ = made
    assemble(tmp_path / "film.mp4", LOOK, cut, scenes, run_history(run), TEXTS)
    names = [name for name, _, _ in result]
    assert names == ["title_card", *["chapter_card"] * len(scenes), "end_card"]
    assert result[0][2] == ("Learning tag", ("3 windows", "run r"), dark_colours("tag"))
    for number, (scene, (_, _, words)) in enumerate(zip(scenes, result[1:-1], strict=True), start=1):
        window = scene.chapter.window
        assert words[0] == f"{number} / {len(scenes)}" and words[1] == scene.chapter.heading
        assert words[2] == f"window {window}  ·  {window + 1}.00 k env steps  ·  {scene.chapter.outcome}"
        assert words[3] == {"seeker": str(900 + window), "hider": "1,000"}
    last = {"seeker": "902", "hider": "1,000"}
    assert result[-1][2] == ("After window 2", last, ("made with sandlot",), dark_colours("tag"))


def test_behind_a_card_lies_a_picture_of_its_own_match(made, run, result, tmp_path):
    cut, scenes, _, _ = made
    assemble(tmp_path / "film.mp4", LOOK, cut, scenes, run_history(run), TEXTS)
    behind = [picture for _, picture, _ in result]
    firsts = [next(read_frames(scene.clip, scene.first, 1)) for scene in scenes]
    assert (behind[0] == firsts[0]).all()
    assert all((b == first).all() for b, first in zip(behind[1:-1], firsts, strict=True))
    last_one = scenes[-1]
    every = list(read_frames(last_one.clip))
    assert (behind[-1] == every[last_one.first + last_one.shot.frames - 1]).all()


def test_a_window_that_the_run_does_not_know_has_no_env_steps(run):
    assert film._env_steps_text(run_history(run), 1) == "2.00 k env steps  ·  "
    assert film._env_steps_text(run_history(run), 9) == ""


def test_the_curve_is_drawn_in_most_of_its_time_and_then_stands(monkeypatch):
    shares = []

    class Card:
        def at(self, share):
            shares.append(share)
            return np.zeros((2, 2, 3), np.uint8)

    monkeypatch.setattr(cards, "curve_card", lambda curve, size: Card())
    segment = film._curve(LOOK, 2.0, None)
    assert segment.length == 20 == len(list(segment.frames()))
    assert shares == pytest.approx([(n + 1) / 14 for n in range(20)])
    assert film.DRAWN_SHARE == 0.7
    assert list(film._curve(LOOK, 0.0, None).frames()) == []


def test_the_curve_stands_before_the_best_or_before_the_end(made, run):
    cut, scenes, _, _ = made
    lengths = [segment.length for segment in film._segments(LOOK, cut, scenes, run_history(run), TEXTS)]
    title, card, curve, end = (round(s * LOOK.fps) for s in (cut.title_s, cut.card_s, cut.curve_s, cut.end_s))
    shots = [scene.shot.frames for scene in scenes]
    best = [scene.chapter.heading.startswith("Best") for scene in scenes]
    assert not any(best)
    assert lengths == [title, *(n for shot in shots for n in (card, shot)), curve, end]
    starred = [replace(scenes[-1], chapter=replace(scenes[-1].chapter, heading="Best chase"))]
    lengths = [p.length for p in film._segments(LOOK, cut, [*scenes[:-1], *starred], run_history(run), TEXTS)]
    assert lengths[-4:] == [curve, card, shots[-1], end] and lengths.count(curve) == 1


def test_a_match_shows_its_own_part_of_the_clip_with_the_curve_in_the_corner(made, run):
    _, scenes, _, _ = made
    scene = scenes[0]
    bare = list(film._match(scene, None).frames())
    assert len(bare) == scene.shot.frames == film._match(scene, None).length
    wanted = list(read_frames(scene.clip, scene.first, scene.shot.frames))
    assert all((a == b).all() for a, b in zip(bare, wanted, strict=True))
    curve = cards.learning_curve(run_history(run))
    corner = cards.small_curve(curve, scene.chapter.window, LOOK.size)
    first = next(iter(film._match(scene, curve).frames()))
    assert (first == cards.overlay(bare[0], corner)).all() and (first != bare[0]).any()


def plain(value, count):
    return film.Segment(count, lambda: iter([np.full((1, 1, 3), value, np.uint8)] * count))


def test_the_first_pictures_of_a_part_are_mixed_with_the_last_before_it():
    made = [int(p[0, 0, 0]) for p in film._crossfade([plain(0, 2), plain(100, 5)], 3)]
    assert made == [0, 0, 25, 50, 75, 100, 100]
    assert [int(p[0, 0, 0]) for p in film._crossfade([plain(0, 1), plain(100, 2), plain(200, 2)], 3)] == [
        0, 25, 50, 125, 150,
    ]  # fmt: skip
    assert [int(p[0, 0, 0]) for p in film._crossfade([plain(0, 2), plain(100, 2)], 0)] == [0, 0, 100, 100]


def test_progress_counts_pictures_and_a_high_quality_takes_its_time(made, run, tmp_path, monkeypatch):
    cut, scenes, _, frames = made
    rows, presets = [], []
    real = film.Mp4
    monkeypatch.setattr(film, "Mp4", lambda *a, **k: presets.append(k["preset"]) or real(*a, **k))
    assemble(tmp_path / "a.mp4", LOOK, cut, scenes, run_history(run), TEXTS, lambda *row: rows.append(row))
    assert rows == [(n, frames) for n in range(1, frames + 1)]
    assemble(tmp_path / "b.mp4", replace(LOOK, quality="high"), cut, scenes[:1], run_history(run), TEXTS)
    assert presets == ["veryfast", "medium"]


def test_a_film_leaves_no_descriptor_open_also_when_a_clip_is_broken(made, run, tmp_path):
    cut, scenes, _, _ = made
    (tmp_path / "broken.mp4").write_bytes(b"no film")
    broken = [*scenes[:-1], replace(scenes[-1], clip=tmp_path / "broken.mp4")]
    assemble(tmp_path / "warm.mp4", LOOK, cut, scenes, run_history(run), TEXTS)  # fonts stay open
    with nothing_left_open():
        assemble(tmp_path / "film.mp4", LOOK, cut, scenes, run_history(run), TEXTS)
        with refused(tmp_path, Damaged, "no film"):
            assemble(tmp_path / "film.mp4", LOOK, cut, broken, run_history(run), TEXTS)


def test_large_numbers_change_their_letter_at_a_thousand():
    assert [format_count(n) for n in (0, 999, 1000, 999_000, 1e6, 1e9, 12.4e9)] == [
        "0", "999", "1.00 k", "999 k", "1.00 M", "1.00 G", "12.4 G",
    ]  # fmt: skip
