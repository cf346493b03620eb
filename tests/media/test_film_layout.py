"""Words of a film stand where nothing else is: no body, no name and no other words."""

import itertools

import pytest

from sandlot.media.film_layout import lay_out, overlap, panel_rects, width
from sandlot.media.film_plan import versus

from .test_film_plan import FACTS

pytest.importorskip("PIL")
SHOTS = versus(FACTS).shots
SIZES = [(1280, 720), (640, 360), (720, 1280)]


def free(begin_s, end_s):
    return []


@pytest.mark.parametrize("size", SIZES)
def test_every_word_has_a_place_in_an_empty_picture_and_none_covers_another(size):
    for shot in SHOTS:
        texts, dropped = lay_out(shot, size, free)
        assert dropped == [], shot.name
        for one, other in itertools.combinations(texts, 2):
            together = one.begin_s < other.end_s and other.begin_s < one.end_s
            assert not (together and overlap(one.rect, other.rect)), (shot.name, one, other)
        for text in texts:
            left, top, right, bottom = text.rect
            assert left >= 0 and top >= 0 and right <= size[0] and bottom <= size[1], (shot.name, text)


def test_a_text_steps_aside_from_somebody_as_long_as_it_is_shown():
    shot = next(shot for shot in SHOTS if shot.name == "early")
    usual = {text.kind: text.rect for text in lay_out(shot, (1280, 720), free)[0]}
    for kind in ("chip", "caption", "clock"):
        body = usual[kind]
        moved = lay_out(shot, (1280, 720), lambda begin_s, end_s, body=body: [body])[0]
        assert all(not overlap(text.rect, body) for text in moved)
        assert kind in {text.kind for text in moved}, "there was another place"


def test_a_body_that_comes_later_does_not_move_a_text_that_is_gone_by_then():
    shot = next(shot for shot in SHOTS if shot.name == "early")
    usual = {text.kind: text for text in lay_out(shot, (1280, 720), free)[0]}
    note = usual["note"]

    def later(begin_s, end_s):
        return [note.rect] if end_s > note.end_s else []

    assert {t.kind: t.rect for t in lay_out(shot, (1280, 720), later)[0]}["note"] == note.rect


def test_without_a_free_place_a_text_is_left_out_and_said_to_be():
    shot = next(shot for shot in SHOTS if shot.name == "early")
    texts, dropped = lay_out(shot, (1280, 720), lambda begin_s, end_s: [(0, 0, 1280, 720)])
    assert texts == [] and "Before training" in dropped


@pytest.mark.parametrize("size", SIZES)
def test_two_panels_share_the_picture_and_have_even_sizes(size):
    first, second = panel_rects(size, 2)
    assert not overlap(first, second)
    for left, top, right, bottom in (first, second):
        assert (right - left) % 2 == 0 and (bottom - top) % 2 == 0 and right <= size[0] and bottom <= size[1]


def test_a_caption_of_a_phone_stands_above_the_buttons_of_the_apps():
    for shot in SHOTS:
        for text in lay_out(shot, (720, 1280), free)[0]:
            if text.kind == "caption":
                assert text.rect[3] <= 0.8 * 1280 + 1


def test_the_font_is_the_one_of_the_scene():
    assert width("Can two cubes learn tag?", 40) == pytest.approx(456, abs=6)
