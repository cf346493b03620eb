"""What stands on a chart: its curves, names, axes and limits, as matplotlib holds them."""

import errno

import numpy as np
import pytest
from leaks import nothing_left_open
from matplotlib import pyplot as plt
from refusals import refused

from sandlot.errors import DiskFull
from sandlot.media import plotting
from sandlot.media.plotting import Line, Panel, draw, spread_labels

from .drawn_figures import curves, keep_figures, points, texts

X = np.arange(5.0) * 1000
RED, BLUE = "#d1495b", "#2b6cb0"


@pytest.fixture
def drawn(monkeypatch):
    figures = keep_figures(monkeypatch)
    yield figures
    plt.close("all")


def line(name="a", y=(1, 2, 3, 4, 5), colour=RED, **more):
    return Line(name, X[: len(y)], np.array(y, float), colour, **more)


def one(drawn, *lines, **panel):
    draw("x.png", "Title", "note", [Panel("name", "credits", lines or [line()], **panel)])
    (axes,) = drawn[-1].axes
    return axes


def test_a_chart_names_itself_and_what_its_axes_count(drawn):
    axes = one(drawn)
    assert texts(drawn[0]) == ["Title", "note"]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title(loc="left")) == ("env steps", "credits", "")
    draw("x.png", "T", "n", [Panel("left", "metres", [line()]), Panel("right", "s", [line()])], "steps (M)")
    left, right = drawn[1].axes
    assert (left.get_title(loc="left"), right.get_title(loc="left")) == ("left", "right")
    assert (left.get_xlabel(), right.get_ylabel()) == ("steps", "s")
    draw("x.png", "T", "n", [Panel("left", "metres", [line()])], "steps (M)")
    assert drawn[2].axes[0].get_xlabel() == "steps (M)"


def test_the_headline_stands_at_the_same_height_on_every_page(drawn):
    one(drawn)
    draw("x.png", "T", "n", [Panel("", "m", [line()])] * 6)
    for figure in drawn:
        tops = [(1 - text.get_position()[1]) * figure.get_figheight() for text in figure.texts]
        assert tops == pytest.approx([0.18, 0.50])


@pytest.mark.parametrize(
    ("count", "columns", "rows"), [(1, 1, 1), (2, 2, 1), (3, 3, 1), (4, 2, 2), (5, 3, 2), (6, 3, 2)]
)
def test_panels_share_a_page_in_rows(drawn, count, columns, rows):
    draw("x.png", "T", "n", [Panel(f"{i}", "m", [line()]) for i in range(count)])
    (figure,) = drawn
    width, height = figure.get_size_inches()
    assert len(figure.axes) == columns * rows
    assert [axes.axison for axes in figure.axes] == [True] * count + [False] * (columns * rows - count)
    assert (width, height) == pytest.approx(
        plotting.INCHES if count == 1 else (4.6 * columns, 3.1 * rows + 0.6)
    )
    assert [axes.get_title(loc="left") for axes in figure.axes[:count]] == (
        [""] if count == 1 else [f"{i}" for i in range(count)]
    )


def test_a_curve_leaves_out_what_is_no_number(drawn):
    axes = one(drawn, line(y=(1, np.nan, 3, 4, np.inf)))
    assert curves(axes, RED) == [[(0, 1), (2000, 3), (3000, 4)]]


def test_dots_lie_behind_the_line_that_smooths_them(drawn):
    axes = one(drawn, line(dots=np.array([0, 4, 1, 5, 2.0])))
    assert curves(axes, RED, "o") == [points(X, [0, 4, 1, 5, 2])]
    assert curves(axes, RED, "None") == [points(X, [1, 2, 3, 4, 5])]


@pytest.mark.parametrize(("count", "marker"), [(30, "o"), (31, "None")])
def test_few_points_are_marked_one_by_one(drawn, count, marker):
    values = np.arange(float(count))
    axes = one(drawn, Line("a", values, values, RED))
    assert axes.lines[0].get_marker() == marker


def test_a_dashed_line_is_dashed_and_others_are_not(drawn):
    axes = one(drawn, line(dashed=True), line("b", colour=BLUE))
    styles = [(each.get_color(), each.is_dashed()) for each in axes.lines]
    assert styles == [(RED, True), (BLUE, False)]


def test_a_band_is_drawn_from_low_to_high(drawn):
    axes = one(drawn, line(low=np.zeros(5), high=np.full(5, 9.0)))
    (band,) = axes.collections
    corners = band.get_paths()[0].vertices
    assert (corners.min(axis=0).tolist(), corners.max(axis=0).tolist()) == ([0, 0], [4000, 9])
    assert not one(drawn, line(low=np.zeros(5))).collections, "half a band is none"


def test_names_stand_at_line_ends_where_there_are_several(drawn):
    assert texts(one(drawn)) == []
    assert texts(one(drawn, line("up"), line("down", (5, 4, 3, 2, 1)))) == ["down", "up"]
    nothing = line("nothing", (np.nan,) * 5)
    assert texts(one(drawn, line("up"), nothing)) == ["up"], "a line without a number has no end"


def test_a_name_stands_at_the_height_of_its_last_number(drawn):
    axes = one(drawn, line("top", (0, 0, 0, 9, np.nan)), line("low", (0, 0, 0, 0, 3.0)))
    low, high = axes.get_ylim()
    heights = {text.get_text(): text.xy[1] for text in axes.texts}
    assert heights == pytest.approx({"top": (9 - low) / (high - low), "low": (3 - low) / (high - low)})
    assert {text.xy[0] for text in axes.texts} == {1.015}


@pytest.mark.parametrize(
    ("count", "gap"), [(1, plotting.LABEL_GAP), (2, 2 * plotting.LABEL_GAP)], ids=["alone", "among several"]
)
def test_names_of_lines_that_end_together_keep_their_distance(drawn, count, gap):
    panel = Panel("", "m", [line("a"), line("b")])
    draw("x.png", "T", "n", [panel] * count)
    heights = [text.xy[1] for text in drawn[0].axes[0].texts]
    assert heights[1] - heights[0] == pytest.approx(gap)


def test_levels_are_named_lines_across_and_marks_named_lines_up(drawn):
    axes = one(drawn, levels=[("chase", 3.0)], marks=[("2: arena", 2500.0)])
    across = [each for each in axes.lines if list(each.get_xdata()) == [0, 1]]
    up = [each for each in axes.lines if list(each.get_ydata()) == [0, 1]]
    assert [list(each.get_ydata()) for each in across] == [[3.0, 3.0]]
    assert [list(each.get_xdata()) for each in up] == [[2500.0, 2500.0]]
    assert {text.get_text(): text.xy for text in axes.texts} == {
        "chase": (0.005, 3.0),
        "2: arena": (2500.0, 0.99),
    }


def test_shares_go_from_nothing_to_a_little_more_than_all(drawn):
    axes = one(drawn, line(y=(0.5, 0.9, 1.0)), percent=True)
    assert axes.get_ylim() == pytest.approx((0, 1.02))
    assert axes.yaxis.get_major_formatter()(0.25) == "25%"
    assert one(drawn, line(y=(0.0, 0.001)), percent=True).get_ylim() == pytest.approx((0, 0.1))
    middle = one(drawn, line(y=(0.0, 0.4)), percent=True).get_ylim()
    assert middle == pytest.approx((0, 0.42))


def test_the_x_axis_begins_at_zero_and_counts_in_thousands(drawn):
    axes = one(drawn, Line("a", X + 5000, X, RED))
    assert axes.get_xlim()[0] == 0 and axes.xaxis.get_major_formatter()(12000) == "12 k"


@pytest.mark.parametrize(
    ("values", "begins"),
    [
        ((0, 5), True),
        ((4.0, 5.0), True),  # four fifths of the highest
        ((4.1, 5.0), False),
        ((-1, 5), False),
        ((np.nan, 1, 5), True),
        ((0, 0), True),
    ],
)
def test_sizes_are_drawn_from_zero_unless_that_presses_the_curve_flat(drawn, values, begins):
    low, high = one(drawn, line(y=values)).get_ylim()
    assert bool(low == 0) == begins and high >= np.nanmax(values)


def test_a_panel_with_levels_has_room_above_the_highest_and_no_zero(drawn):
    plain, levelled = one(drawn, line(y=(900, 1000))), one(drawn, line(y=(900, 1000)), levels=[("a", 1000)])
    low, high = plain.get_ylim()
    assert levelled.get_ylim() == pytest.approx((low, high + 0.06 * (high - low)))
    assert one(drawn, line(y=(0, 10)), levels=[("a", 5)]).get_ylim()[0] < 0


def test_ticks_are_written_as_people_write_numbers(drawn):
    assert [plotting._short(v) for v in (12000, 1000, 999, 0.05, 0.00001, -2500, 2.5)] == [
        "12,000", "1,000", "999", "0.05", "1e-5", "-2,500", "2.5",
    ]  # fmt: skip
    assert one(drawn).yaxis.get_major_formatter()(12000) == "12,000"


def test_places_are_pushed_apart_upwards_and_back_below_the_top():
    assert spread_labels([], 0.1) == []
    assert spread_labels([0.2, 0.5], 0.1) == [0.2, 0.5]
    assert spread_labels([0.2, 0.2], 0.1) == pytest.approx([0.2, 0.3])
    assert spread_labels([-0.5, -0.5], 0.1) == pytest.approx([0.0, 0.1])
    assert spread_labels([0.95, 1.0, 1.2], 0.1) == pytest.approx([0.8, 0.9, 1.0])


# ---------------------------------------------------------------- files


def test_a_chart_leaves_no_figure_open(tmp_path):
    path = draw(tmp_path / "deep" / "x.png", "T", "n", [Panel("", "m", [line()])])
    assert plt.get_fignums() == [] and [p.name for p in path.parent.iterdir()] == ["x.png"]


def no_space(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    ("where", "error"), [("sandlot.files.write_all", DiskFull), ("matplotlib.figure.Figure.savefig", OSError)]
)
def test_a_chart_that_cannot_be_written_leaves_the_one_before(tmp_path, monkeypatch, where, error):
    panels = [Panel("", "m", [line()])]
    draw(tmp_path / "x.png", "T", "n", panels)
    monkeypatch.setattr(where, lambda *_, **__: no_space())
    with nothing_left_open(), refused(tmp_path, error, "pace|full"):
        draw(tmp_path / "x.png", "Another", "n", panels)
    assert plt.get_fignums() == []


def test_one_style_for_all_charts(drawn):
    draw("x.png", "Title", "note", [Panel("left", "m", [line()]), Panel("right", "s", [line()])])
    (figure,) = drawn
    axes = figure.axes[0]
    assert [text.get_size() for text in figure.texts] == [15, 9.5]
    assert (axes.xaxis.label.get_size(), axes.title.get_size()) == (10.5, 11)
    assert {label.get_size() for label in (*axes.get_xticklabels(), *axes.get_yticklabels())} == {9.5}
    assert axes.lines[0].get_linewidth() == 2.0 and axes.lines[0].get_solid_capstyle() == "round"
    assert [side for side, spine in axes.spines.items() if spine.get_visible()] == ["left", "bottom"]
    ticks = (axes.xaxis.get_major_ticks()[0], axes.yaxis.get_major_ticks()[0])
    grid = [tick.gridline.get_visible() for tick in ticks]
    assert grid == [False, True] and axes.get_axisbelow() is True
    assert axes.yaxis.get_major_ticks()[0].gridline.get_linewidth() == 0.8
    assert (plotting.DOTS_PER_INCH, plotting.INCHES, plotting.CELL_INCHES) == (160, (9.0, 5.0), (4.6, 3.1))
