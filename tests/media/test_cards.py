"""The numbers on the cards of a film, and where they stand."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib import pyplot as plt

from sandlot.media import cards
from sandlot.media.cards import LIGHT, NIGHT, QUIET, Curve, CurveCard
from sandlot.media.history import History, Table
from sandlot.media.role_styles import dark_colours

from .drawn_figures import curves, texts

ROLES = dark_colours("tag")
X = np.array([1000.0, 2000.0, 3000.0, 4000.0])
RATINGS = Curve(
    "Rating against scripted players",
    {"seeker": (X, np.array([900.0, 950.0, 1010.0, 1234.0])), "hider": (X, np.array([1000.0] * 4))},
    np.arange(4.0),
    X,
    ROLES,
)
SHARES = Curve(
    "Matches won in training", {"seeker": (X, np.linspace(0.2, 0.9, 4))}, np.arange(4.0), X, ROLES, True
)
GREY = np.full((100, 200, 3), 100, np.uint8)


def history(evaluations=(), windows=()):
    return History("run", "tag", Table(windows), Table(evaluations), Table([]), np.zeros(0))


def judged(*rows):
    """(window, seeker's rating, hider's rating) as evaluations, a thousand env steps a window."""
    return [
        {"window_id": w, "env_steps_total": 1000 * (w + 1), "seeker_rating": s, "hider_rating": h}
        for w, s, h in rows
    ]


# ---------------------------------------------------------------- which numbers


def test_the_curve_is_the_rating_of_each_role_over_env_steps():
    found = cards.learning_curve(history(judged((0, 900.0, 1000.0), (1, None, 1010.0), (3, 950.0, 1020.0))))
    assert found.title == "Rating against scripted players" and not found.percent
    assert [values.tolist() for values in found.lines["seeker"]] == [[1000, 4000], [900, 950]]
    assert [values.tolist() for values in found.lines["hider"]] == [[1000, 2000, 4000], [1000, 1010, 1020]]
    assert (found.windows.tolist(), found.steps.tolist()) == ([0, 1, 3], [1000, 2000, 4000])


def test_one_judgement_is_no_curve_and_shares_of_wins_stand_in_for_it():
    windows = [{"window_id": w, "env_steps_total": 1000 * w, "seeker_win_rate": 0.1 * w} for w in (1, 2)]
    found = cards.learning_curve(history(judged((0, 900.0, 1000.0)), windows))
    assert found.percent and found.title == "Matches won in training" and set(found.lines) == {"seeker"}
    assert found.lines["seeker"][1].tolist() == [0.1, 0.2]
    assert cards.learning_curve(history(judged((0, 900.0, 1000.0)), windows[:1])) is None
    assert cards.learning_curve(history()) is None


def test_the_ratings_of_a_window_are_those_that_were_judged_last():
    result = history(judged((0, 900.4, 1000.0), (1, 1234.6, None), (0, 905.0, 1001.0)))
    assert cards.ratings_at(result, 0) == {"seeker": "905", "hider": "1,001"}
    assert cards.ratings_at(result, 1) == {"seeker": "1,235"}
    assert cards.ratings_at(result, 7) == {}


# ---------------------------------------------------------------- where they are written


@pytest.fixture
def written(monkeypatch):
    """What is written on a card: (x, y, text, size, colour, bold)."""
    rows = []

    def write(page, x, y, text, size, colour, bold=False):
        rows.append((x, y, text, size, colour, bold))

    monkeypatch.setattr(cards._CardCanvas, "write", write)
    return rows


def test_a_title_stands_above_its_quiet_lines(written):
    cards.title_card(GREY, "Tag", ["one", "two"], ROLES)
    assert written == [
        (50, 40, "Tag", 13, LIGHT, True),
        (50, 57, "one", 4.2, QUIET, False),
        (50, 57 + 6.4, "two", 4.2, QUIET, False),
    ]


def test_a_chapter_says_its_number_reason_and_both_ratings_side_by_side(written):
    cards.chapter_card(GREY, "2 / 3", "Half way", "window 3", {"seeker": "900", "hider": "1,000"}, ROLES)
    assert written == [
        (50, 27, "2 / 3", 3.8, QUIET, False),
        (50, 37, "Half way", 11, LIGHT, True),
        (50, 47.5, "window 3", 4.4, QUIET, False),
        (34, 64, "900", 11, ROLES["seeker"], True),
        (34, 64 + 8.8, "seeker rating", 3.8, QUIET, False),
        (66, 64, "1,000", 11, ROLES["hider"], True),
        (66, 64 + 8.8, "hider rating", 3.8, QUIET, False),
    ]


def test_one_rating_stands_in_the_middle_and_none_nowhere(written):
    cards.chapter_card(GREY, "1", "First", "window 0", {"hider": "1,000"}, ROLES)
    assert written[3:] == [
        (50, 64, "1,000", 11, ROLES["hider"], True),
        (50, 64 + 8.8, "hider rating", 3.8, QUIET, False),
    ]
    written.clear()
    cards.end_card(GREY, "After window 5", {}, ["made with", "sandlot"], ROLES)
    assert written == [
        (50, 27, "After window 5", 8, LIGHT, True),
        (50, 70, "made with", 4.0, QUIET, False),
        (50, 76, "sandlot", 4.0, QUIET, False),
    ]


def test_a_text_is_centred_and_shrinks_only_where_it_would_leave_the_picture(monkeypatch):
    drawn = []
    page = cards._CardCanvas(np.zeros((200, 400, 3), np.uint8))
    real = cards._font
    monkeypatch.setattr(
        cards, "_font", lambda pixels, bold: drawn.append((pixels, bold)) or real(pixels, bold)
    )
    page.write(25, 50, "Hi", 10, LIGHT, bold=True)
    assert drawn == [(20.0, True)]
    lit = np.argwhere(page.done()[..., 0] > 120)
    assert np.abs(lit.mean(axis=0) - (100, 100)).max() < 6, "middle of the left half, half way down"
    wide = page._draw.textlength("W" * 40, font=real(20, False))
    page.write(50, 50, "W" * 40, 10, LIGHT)
    assert drawn[1:] == [(20.0, False), (pytest.approx(20 * 0.92 * 400 / wide), False)]


def test_letters_are_never_smaller_than_six_pixels():
    assert cards._font(0.5, bold=False).size == 6
    assert cards._font(20.4, bold=False).size == 20
    assert "Bold" in cards._font(20, bold=True).path and "Bold" not in cards._font(20, bold=False).path


def test_the_rule_is_half_in_each_roles_colour():
    page = cards._CardCanvas(np.zeros((200, 400, 3), np.uint8))
    page.rule(50, 49.5, 16, ROLES)
    made = page.done()
    rows, columns = np.nonzero(made.any(axis=2))
    assert (columns.min(), columns.max()) == (200 - 32, 200 + 32)
    assert 97 <= rows.min() <= rows.max() <= 100
    assert tuple(made[rows.min(), 180]) == ROLES["seeker"] and tuple(made[rows.min(), 220]) == ROLES["hider"]


def test_a_backdrop_is_the_blurred_picture_in_the_dark():
    wanted = (100 * (1 - cards.DARKNESS) + np.array(NIGHT) * cards.DARKNESS).astype(int)
    assert np.abs(cards.backdrop(GREY)[50, 100].astype(int) - wanted).max() <= 1
    edge = np.zeros((100, 200, 3), np.uint8)
    edge[:, 100:] = 255
    soft = cards.backdrop(edge)[50, :, 0].astype(int)
    between = ((soft > soft[10] + 8) & (soft < soft[190] - 8)).sum()
    assert 2 <= between <= 10, "out of focus, by some hundredths of the height"
    large = np.repeat(np.repeat(edge, 3, axis=0), 3, axis=1)
    softer = cards.backdrop(large)[150, :, 0].astype(int)
    assert ((softer > softer[10] + 8) & (softer < softer[590] - 8)).sum() > 2 * between


# ---------------------------------------------------------------- the curve


@pytest.fixture
def axes(monkeypatch):
    """The axes of a curve's chart instead of its pixels."""
    kept = []
    real = cards._pixels
    monkeypatch.setattr(cards, "_pixels", lambda figure, size: kept.append(figure) or real(figure, size))

    def chart(curve, lines=True):
        cards._chart(curve, (640, 360), lines)
        return kept[-1].axes[0], kept[-1]

    return chart


def hexed(role):
    return "#{:02x}{:02x}{:02x}".format(*ROLES[role])


def test_the_chart_draws_every_role_and_marks_its_end(axes):
    chart, figure = axes(RATINGS)
    for role, (x, y) in RATINGS.lines.items():
        line, end = curves(chart, hexed(role))
        assert line == list(zip(x, y, strict=True)) and end == [(x[-1], y[-1])]
    assert texts(figure) == ["What it learned", "Rating against scripted players"]
    assert chart.get_xlabel() == "env steps of training"
    assert chart.get_xlim() == (1000, 4000)
    assert chart.xaxis.get_major_formatter()(2000) == "2 k"
    assert chart.yaxis.get_major_formatter()(1234) == "1,234"
    low, high = chart.get_ylim()
    assert (low, high) == pytest.approx((900 - 33.4, 1234 + 33.4))
    assert plt.get_fignums() == []


def test_the_ends_are_named_with_their_last_value(axes):
    chart, _ = axes(RATINGS)
    assert texts(chart) == ["1,000", "hider", "1,234", "seeker"]
    values, roles = chart.texts[::2], chart.texts[1::2]
    assert [v.xy[1] - r.xy[1] for v, r in zip(values, roles, strict=True)] == pytest.approx([0.085] * 2)
    assert all(text.xy[0] == 1.03 for text in chart.texts)
    near = replace(RATINGS, lines={"seeker": (X, X), "hider": (X, X - 1)})
    heights = [text.xy[1] for text in axes(near)[0].texts[::2]]
    assert heights[1] - heights[0] == pytest.approx(0.2)
    chart, _ = axes(SHARES)
    assert texts(chart) == ["90%", "seeker"] and chart.yaxis.get_major_formatter()(0.5) == "50%"


def test_the_empty_chart_has_the_same_axes_and_no_lines_to_be_seen(axes):
    empty, _ = axes(RATINGS, lines=False)
    assert texts(empty) == [] and {line.get_alpha() for line in empty.lines} == {0.0}
    full, _ = axes(RATINGS)
    assert empty.get_ylim() == full.get_ylim() and empty.get_xlim() == full.get_xlim()


def test_a_card_is_uncovered_up_to_its_share():
    empty, full = np.zeros((2, 100, 3), np.uint8), np.full((2, 100, 3), 9, np.uint8)
    card = CurveCard(empty, full, left=20, right=80)
    for share, edge in ((-1.0, 20), (0.0, 20), (0.5, 50), (0.99, 79)):
        made = card.at(share)
        assert (made[:, :edge] == 9).all() and not made[:, edge:].any(), share
    assert (card.at(1.0) == 9).all() and (card.at(2.0) == 9).all()
    assert not empty.any(), "the card itself is not drawn on"
    card = cards.curve_card(RATINGS, (640, 360))
    assert (card.left, card.right) == (round(0.12 * 640), round(0.80 * 640))
    assert card.empty.shape == card.full.shape == (360, 640, 3)


def test_the_corner_scales_the_curve_to_its_room_and_counts_the_windows_behind():
    found = cards._corner_lines(RATINGS, 1, (10.0, 20.0, 110.0, 70.0))
    seeker, reached = found["seeker"]
    assert reached == 2 and len(seeker) == 4
    across, up = zip(*seeker, strict=True)
    assert across == pytest.approx([35, 60, 85, 110])
    assert up == pytest.approx([70, 70 - 50 * 50 / 334, 70 - 110 * 50 / 334, 20])
    assert cards._corner_lines(RATINGS, 99, (0, 0, 1, 1))["hider"][1] == 4, "an unknown window is the last"
    flat = replace(RATINGS, lines={"hider": (X, np.full(4, 5.0))})
    assert {y for _, y in cards._corner_lines(flat, 0, (0, 0, 1, 1))["hider"][0]} == {1.0}


def test_the_corner_has_its_share_of_the_picture_and_says_what_it_shows(monkeypatch):
    labels = []
    from PIL import ImageDraw

    real = ImageDraw.ImageDraw.text
    monkeypatch.setattr(
        ImageDraw.ImageDraw,
        "text",
        lambda pen, at, text, **how: labels.append(text) or real(pen, at, text, **how),
    )
    assert cards.small_curve(RATINGS, 2, (640, 360)).shape == (360 * 9 // 50, 640 * 7 // 32, 4)
    cards.small_curve(SHARES, 2, (640, 360))
    assert labels == ["rating", "matches won"]


def test_a_corner_lies_in_the_upper_right_and_mixes_by_its_opacity():
    picture = np.full((100, 200, 3), 40, np.uint8)
    corner = np.zeros((10, 20, 4), np.uint8)
    corner[..., :3], corner[:, :10, 3], corner[:, 10:, 3] = 240, 255, 51
    made = cards.overlay(picture, corner)
    assert (made[4:14, 176:186] == 240).all() and (made[4:14, 186:196] == 80).all()
    made[4:14, 176:196] = 40
    assert (made == 40).all() and (picture == 40).all()
