"""Charts, maps and cards look as they did when somebody last looked at them."""

from pathlib import Path

import numpy as np
import pytest
from pictures import assert_looks_as_before, keep
from PIL import Image

from sandlot.media import cards, league, plotting
from sandlot.media.paths import draw_paths
from sandlot.media.role_styles import dark_colours

KEPT = Path(__file__).parent / "pictures"
SIZE = (640, 360)
ROLES = dark_colours("tag")

X = np.arange(1, 9) * 125_000.0
CURVE = cards.Curve(
    "Rating against scripted players",
    {"seeker": (X, 900 + 60 * np.sqrt(np.arange(8))), "hider": (X, 1000 - 15.0 * np.arange(8))},
    np.arange(8),
    X,
    ROLES,
)
SHARES = cards.Curve(
    "Matches won in training", {"seeker": (X, np.linspace(0.2, 0.9, 8))}, np.arange(8), X, ROLES, True
)


def behind():
    rows, columns = np.mgrid[0 : SIZE[1], 0 : SIZE[0]]
    return np.stack([rows * 255 // SIZE[1], columns * 255 // SIZE[0], rows * 0 + 90], axis=2).astype(np.uint8)


def line(name, colour, slope, **more):
    return plotting.Line(name, X, 2.0 + slope * np.arange(8), colour, **more)


def one_panel(path):
    noisy = line(
        "smoothed", plotting.COLOURS[0], 0.5, dots=2.0 + 0.5 * np.arange(8) + np.resize([0.6, -0.6], 8)
    )
    band = line("judged", plotting.COLOURS[1], 0.9, low=1.5 + 0.8 * np.arange(8), high=2.5 + np.arange(8))
    dashed = line("compared", plotting.COLOURS[2], 0.1, dashed=True)
    plotting.draw(path, "A headline", "a quiet note", [plotting.Panel("", "credits", [noisy, band, dashed])])


def levels(path):
    lines = [
        plotting.Line("rated", X, np.array([900, 950, 970, 990, 1010, np.nan, 1040, 1050.0]), plotting.INK)
    ]
    plotting.draw(
        path, "Levels", "note", [plotting.Panel("", "rating", lines, levels=(("chase", 1000), ("idle", 800)))]
    )


def shares(path):
    lines = [plotting.Line("a", X, np.linspace(0.1, 0.6, 8), plotting.COLOURS[3])]
    plotting.draw(
        path, "Shares", "note", [plotting.Panel("", "share", lines, percent=True)], "env steps (millions)"
    )


def several(count):
    def made(path):
        panels = [
            plotting.Panel(
                f"Panel {i}", "metres", [line("up", "#2b6cb0", i + 1), line("down", "#d1495b", -i)]
            )
            for i in range(count)
        ]
        plotting.draw(path, f"{count} panels", "note", panels, "env steps (millions)")

    return made


def standings(*players):
    return [{"role": role, "name": name, "rating": rating} for role, name, rating in players]


def heat_map(path):
    result = {
        "game": "tag", "episodes": 64, "labels": {"runs/a": "a @ 12"},
        "standings": standings(
            ("seeker", "chase", 1100), ("seeker", "runs/a", 1250), ("hider", "evade", 1000),
            ("hider", "idle", 700), ("hider", "hide", 1300),
        ),
        "matrix": {
            "row_role": "seeker", "column_role": "hider", "rows": ["chase", "runs/a"],
            "columns": ["evade", "idle", "hide"], "row_wins": [[0.5, 0.9, 0.1], [0.7, 1.0, 0.35]],
        },
    }  # fmt: skip
    league.draw(result, path)


def bars(path):
    def one(name, mean, scripted):
        interval = [mean - 90.0, mean + 140.0]
        result = {"name": name, "value": mean, "value_interval": interval}
        return result | {"scripted": scripted}

    ranking = [
        one("runs/b", 1200.0, False),
        one("miner", 800.0, True),
        one("idle", -150.0, True),
    ]
    headline = {"name": "net_profit", "metric": "net_profit_mean", "kind": "measure", "unit": "credits"}
    about = {"game": "prospector", "episodes": 32, "labels": {"runs/b": "b"}, "headline": headline}
    league.draw(about | {"ranking": ranking}, path)


def paths(path):
    turn = np.linspace(0, 4, 40)
    first = np.stack([4 * np.cos(turn), 0 * turn, 4 * np.sin(turn)], axis=1)
    second = np.stack([turn - 2, 0 * turn, 3 - turn], axis=1)
    boxes = [[-3, 0, -3, -1, 1.0, -2], [1, 0, 1, 2, 2.5, 3], [9, 9, 9, 9, 9, 9]]
    states = [
        {
            "position": [first[i], second[i]], "seeker": [i < 25, i >= 25], "boxes": boxes, "box_count": [2],
            "arena_half": [6.0],
        }
        for i in range(40)
    ]  # fmt: skip
    draw_paths(path, "tag", states, "Paths", "window 3")


def card(make):
    return lambda path: Image.fromarray(np.ascontiguousarray(make()[..., :3])).save(path, "png")


DARK = np.full((SIZE[1], SIZE[0], 3), 12, np.uint8)
METRICS = {"seeker": "1,234", "hider": "987"}
PICTURES = {
    "one_panel": one_panel,
    "levels": levels,
    "shares": shares,
    "two_panels": several(2),
    "three_panels": several(3),
    "four_panels": several(4),
    "heat_map": heat_map,
    "bars": bars,
    "paths": paths,
    "backdrop": card(lambda: cards.backdrop(behind())),
    "title": card(lambda: cards.title_card(DARK, "Tag", ["trained for a night", "on one core"], ROLES)),
    "chapter": card(lambda: cards.chapter_card(DARK, "2", "Halfway", "after 3 M steps", METRICS, ROLES)),
    "one_figure": card(
        lambda: cards.chapter_card(DARK, "1", "A start", "nothing yet", {"hider": "1,000"}, ROLES)
    ),
    "end": card(lambda: cards.end_card(DARK, "The end", METRICS, ["12 windows", "64 matches each"], ROLES)),
    "curve": card(lambda: cards.curve_card(CURVE, SIZE).full),
    "curve_half": card(lambda: cards.curve_card(CURVE, SIZE).at(0.5)),
    "curve_shares": card(lambda: cards.curve_card(SHARES, SIZE).full),
    "corner": card(lambda: cards.overlay(DARK, cards.small_curve(CURVE, 4, SIZE))),
    "corner_shares": card(lambda: cards.overlay(DARK, cards.small_curve(SHARES, 99, SIZE))),
}


def made(name, folder):
    """The picture, drawn now."""
    PICTURES[name](folder / f"{name}.png")
    return Image.open(folder / f"{name}.png")


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_looks_as_it_did_when_it_was_last_looked_at(name, tmp_path):
    with made(name, tmp_path) as picture:
        assert_looks_as_before(picture, KEPT / f"{name}.png")


if __name__ == "__main__":  # PYTHONPATH=tests python tests/media/test_pictures.py
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for each in PICTURES:
            with made(each, Path(folder)) as picture:
                keep(picture, KEPT / f"{each}.png")
