"""cli/bots.py: points and shares of scripted players."""

import json

import pytest

from sandlot.cli import bots as module
from sandlot.cli.eval import _number as number
from sandlot.evaluate.bots import BotMatchup
from sandlot.evaluate.shares import Tally
from sandlot.worlds import load_spec

from .documented import assert_documented


def match(points=7.0, draws=2, matches=10, hider="evade:1"):
    wins = int(points - draws / 2)
    return BotMatchup(("seeker", "hider"), ("chase:3", hider), Tally(wins, draws, matches), 2.5)


def test_wins_are_points_without_the_halves_of_draws():
    assert module._match(match()) == {
        "seeker": "chase:3", "hider": "evade:1", "seeker_wins": 0.6, "draws": 0.2, "seeker_score": 0.7,
        "interval": Tally(6, 2, 10).score.interval, "mean_seconds": 2.5,
    }  # fmt: skip


@pytest.mark.parametrize(("draws", "output"), [(0, False), (2, True)])
def test_the_matrix_has_a_line_per_seeker_and_says_what_a_draw_is(capsys, draws, output):
    module._print_matches([match(draws=draws), match(5.0, 0, hider="wander:1")], 10)
    text = capsys.readouterr().out
    assert ("a draw is half a win" in text) is output and "10 matches per pair" in text
    assert "chase:3 70 50" in " ".join(text.replace("│", " ").split())


def test_a_table_of_pilots_has_every_bot_and_its_numbers(sandlot):
    words = ("bots", "prospector", "--episodes", "3", "--set", "time_max=200")
    report, table = json.loads(sandlot(*words, "--json").out), sandlot(*words).out
    assert (report["episodes"], report["config"]["time_max"], report["spec"]) == (
        3,
        200,
        load_spec("prospector", {"time_max": 200}).hash,
    )
    assert "rows" not in report["results"][0], "only with --rows"
    assert "prospector: 3 episodes" in table and report["headline"]["metric"] == "net_profit_mean"
    for each in report["results"]:
        line = next(
            " ".join(line.replace("│", " ").split()) for line in table.splitlines() if each["name"] in line
        )
        low, high = map(number, each["intervals"]["net_profit_mean"])
        assert line.startswith(f"{each['name']} {number(each['net_profit_mean'])} {low} to {high}")
        assert line.endswith(f"{each['return_mean']:.1f} {each['invalid_rate']:.3f} 0")


def test_a_game_that_is_ranked_by_a_flag_shows_it_as_a_share(sandlot):
    done = sandlot("bots", "landing", "--episodes", "3")
    lines = [" ".join(line.replace("│", " ").split()) for line in done.out.splitlines()]
    assert any(line.startswith("autopilot 1.00 0.29 to 1.00 1.00") for line in lines), done.out


def test_options_defaults_and_ranges_are_as_documented():
    assert_documented("bots")
