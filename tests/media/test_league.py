"""The picture of a league shows the numbers of its report, the strongest first."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

from sandlot.media import league
from sandlot.media.plotting import COLOURS, INK
from sandlot.media.role_styles import role_colours

from .drawn_figures import keep_figures, texts

ROLE_COLOURS = role_colours("tag")

RATINGS = {
    ("seeker", "chase"): 1100.4,
    ("seeker", "runs/a"): 1250.0,
    ("hider", "evade"): 1000.0,
    ("hider", "idle"): 700.0,
    ("hider", "hide"): 1300.0,
}
TAG = {
    "game": "tag", "episodes": 64, "labels": {"runs/a": "a @ 12"},
    "standings": [{"role": r, "name": n, "rating": value} for (r, n), value in RATINGS.items()],
    "matrix": {
        "row_role": "seeker", "column_role": "hider", "rows": ["chase", "runs/a"],
        "columns": ["evade", "idle", "hide"], "row_wins": [[0.5, 0.87, 0.13], [0.7, 1.0, 0.345]],
    },
}  # fmt: skip


def player(name, mean, interval, scripted):
    about = {"name": name, "value": mean, "value_interval": interval}
    return about | {"scripted": scripted}


PROFIT = {"name": "net_profit", "metric": "net_profit_mean", "kind": "measure", "unit": "credits"}
PROSPECTOR = {
    "game": "prospector", "episodes": 32, "labels": {"runs/b": "b"}, "headline": PROFIT,
    "ranking": [
        player("runs/b", 1200.0, [1100.0, 1340.0], False),
        player("miner", 800.0, [750.0, 900.0], True),
        player("idle", -150.0, [-200.0, -100.0], True),
    ],
}  # fmt: skip


@pytest.fixture
def drawn(monkeypatch):
    def draw(report):
        league.draw(report, "x.png")
        (axes,) = figures[-1].axes
        figures[-1].canvas.draw()
        return figures[-1], axes

    figures = keep_figures(monkeypatch)
    yield draw
    plt.close("all")


def test_the_strongest_of_both_roles_meet_in_the_first_corner(drawn):
    figure, axes = drawn(TAG)
    (image,) = axes.images
    assert image.get_array().tolist() == [[0.345, 0.7, 1.0], [0.13, 0.5, 0.87]]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a @ 12  1250", "chase  1100"]
    names = ["hide  1300", "evade  1000", "idle  700"]
    assert [label.get_text() for label in axes.get_xticklabels()] == names
    assert (image.norm.vmin, image.norm.vmax) == (0.0, 1.0)
    assert texts(figure) == [
        "Who beats whom: seeker wins in %",
        "tag  ·  64 held-out episodes a pair, the same seeds for all",
    ]
    assert (axes.get_xlabel(), axes.get_ylabel()) == (
        "hiders with their ratings, the strongest first",
        "seekers with their ratings",
    )


def test_every_cell_says_its_share_in_a_colour_that_can_be_read(drawn):
    _, axes = drawn(TAG)
    cells = {text.get_position(): (text.get_text(), text.get_color()) for text in axes.texts}
    assert cells == {
        (0, 0): ("34", INK), (1, 0): ("70", INK), (2, 0): ("100", "white"),
        (0, 1): ("13", "white"), (1, 1): ("50", INK), (2, 1): ("87", "white"),
    }  # fmt: skip


def test_a_share_of_a_half_is_white_and_wins_have_the_winners_colour(drawn):
    _, axes = drawn(TAG)
    colours = axes.images[0].get_cmap()
    assert to_hex(colours(0.5)) in ("#ffffff", "#fffefe", "#fefefe", "#fefeff")
    assert to_hex(colours(0.0)) == ROLE_COLOURS["hider"] and to_hex(colours(1.0)) == ROLE_COLOURS["seeker"]
    other = role_colours("a game of others", ("pilot", "miner"))
    assert list(other.values()) == [COLOURS[1], COLOURS[0]]


def test_trained_players_are_bold_and_names_have_their_roles_colour(drawn):
    _, axes = drawn(TAG)
    assert [label.get_fontweight() for label in axes.get_yticklabels()] == ["bold", "normal"]
    assert {label.get_color() for label in axes.get_yticklabels()} == {ROLE_COLOURS["seeker"]}
    assert {label.get_color() for label in axes.get_xticklabels()} == {ROLE_COLOURS["hider"]}


def test_a_page_grows_with_its_players(drawn):
    figure, axes = drawn(TAG)
    width, height = figure.get_size_inches()
    assert (width, height) == pytest.approx((7.0, 0.42 * 2 + 2.4))
    assert axes.get_xticks(minor=True).tolist() == [-0.5, 0.5, 1.5, 2.5]
    assert axes.get_yticks(minor=True).tolist() == [-0.5, 0.5, 1.5]
    wide = {**TAG["matrix"], "columns": ["evade"] * 8, "row_wins": [[0.5] * 8] * 2}
    figure, _ = drawn({**TAG, "matrix": wide})
    assert figure.get_size_inches()[0] == pytest.approx(0.78 * 8 + 3.4)


def test_bars_are_mean_profits_with_their_intervals_the_richest_on_top(drawn):
    figure, axes = drawn(PROSPECTOR)
    assert [(bar.get_y() + bar.get_height() / 2, bar.get_width()) for bar in axes.patches] == [
        (0, -150.0), (1, 800.0), (2, 1200.0),
    ]  # fmt: skip
    (whiskers,) = axes.collections
    spans = [(*segment[:, 0].tolist(), segment[0, 1]) for segment in whiskers.get_segments()]
    assert np.allclose(spans, [(-200, -100, 0), (750, 900, 1), (1100, 1340, 2)])
    assert [label.get_text() for label in axes.get_yticklabels()] == ["idle", "miner", "b"]
    assert [label.get_fontweight() for label in axes.get_yticklabels()] == ["normal", "normal", "bold"]
    assert [to_hex(bar.get_facecolor()) for bar in axes.patches] == ["#aab4c0", "#aab4c0", COLOURS[0]]
    assert "held-out episodes a player" in texts(figure)[1]
    assert axes.get_xlabel().startswith("credits")


def test_every_bar_says_its_value_right_of_its_interval(drawn):
    _, axes = drawn(PROSPECTOR)
    span = 1340 + 200
    found = {text.get_text(): text.get_position() for text in axes.texts}
    assert found == {
        "-150": (0.015 * span, 0),
        "800": (900 + 0.015 * span, 1),
        "1,200": (1340 + 0.015 * span, 2),
    }
    assert axes.get_xlim() == pytest.approx((-200 - 0.02 * span, 1340 + 0.24 * span))
    assert axes.lines[0].get_xdata() == [0, 0], "zero is marked"


def test_bars_of_profits_that_are_all_one_sided_still_show_zero(drawn):
    rich = {**PROSPECTOR, "ranking": PROSPECTOR["ranking"][:2]}
    _, axes = drawn(rich)
    assert axes.get_xlim() == pytest.approx((-0.02 * 1340, 1.24 * 1340))
    nothing = {**PROSPECTOR, "ranking": [player("idle", 0.0, [0.0, 0.0], True)]}
    _, axes = drawn(nothing)
    assert axes.get_xlim() == pytest.approx((-0.02, 0.24))


def test_a_headline_that_is_a_flag_is_drawn_in_percent(drawn):
    flag = PROFIT | {"name": "success", "kind": "flag", "unit": ""}
    ranking = [player("runs/b", 0.5, [0.25, 0.75], False)]
    figure, axes = drawn({**PROSPECTOR, "headline": flag, "ranking": ranking})
    assert axes.get_xlabel().startswith("share of episodes") and [t.get_text() for t in axes.texts] == [
        "50 %"
    ]
    assert texts(figure)[0] == "Success per episode, mean with 95 % intervals"
    assert all(label.get_text().endswith(" %") for label in axes.get_xticklabels())
