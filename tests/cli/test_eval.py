"""cli/eval.py: what is refused before anybody plays, and the report in words."""

import importlib
from types import SimpleNamespace

import pytest

from sandlot import seeding
from sandlot.errors import ConfigError, UnknownName
from sandlot.evaluate.bots import headline_json
from sandlot.worlds import load_spec

from .documented import assert_documented

module = importlib.import_module("sandlot.cli.eval")
TAG = SimpleNamespace(spec=load_spec("tag"))


@pytest.fixture
def lines(capsys, monkeypatch):
    """What was printed, each line without the frame of a table and with single blanks."""
    monkeypatch.setattr(module.out, "width", 250)
    return lambda: [" ".join(line.replace("│", " ").split()) for line in capsys.readouterr().out.splitlines()]


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize("text", ["7,x", "", "7,,8", "-1", "1.5", "²"])
def test_seed_lists_are_whole_numbers(text):
    with pytest.raises(ConfigError, match="expected whole numbers"):
        module._seeds(text, 5)


def test_without_lists_the_seeds_are_those_that_chose_nothing():
    assert module._seeds(None, 5) == seeding.held_out("eval", 5)
    assert len(module._seeds("7, 19", 6)) == 6 and module._seeds("7,19", 6) != module._seeds("7", 6)


@pytest.mark.parametrize(
    ("role", "against", "require", "sentence"),
    [
        (None, None, ["all"], "--require is for games of one role"),
        ("pilot", None, [], "--role pilot: tag has seeker, hider"),
        (None, "chase", [], "--against needs --role"),
    ],
)
def test_words_that_a_game_with_roles_cannot_follow_are_refused(role, against, require, sentence):
    with pytest.raises(ConfigError, match=sentence):
        module._check_roles(TAG, role, against, require)


@pytest.mark.parametrize(("role", "against"), [(None, None), ("seeker", None), ("hider", "chase")])
def test_words_that_it_can_follow_are_taken(role, against):
    module._check_roles(TAG, role, against, [])


def test_an_unknown_engine_is_refused_and_none_is_not_looked_at():
    with pytest.raises(UnknownName, match="engine"):
        module._check_engines(TAG.spec, "native", "unreal")
    module._check_engines(TAG.spec, "native", None)


@pytest.mark.parametrize("name", ["best.pt", "policy.onnx"])
def test_a_match_is_recorded_into_a_run_not_beside_a_file(name, tmp_path):
    with pytest.raises(ConfigError, match="Give the run's id or folder"):
        module._home(name, tmp_path)


# ---------------------------------------------------------------- one pilot


def pilot(name, profit, **more):
    return {
        "name": name, "net_profit_mean": profit, "return_mean": 2.25, "invalid_rate": 0.0125,
        "capped_episodes": 3, "survival_rate": 0.5, "destroyed_rate": 0.25, "stranded_rate": 0.125,
        "intervals": {"net_profit_mean": (profit - 100, profit + 100)}, **more,
    }  # fmt: skip


EXPECTED = {
    "verdict": "met", "metric": "net_profit_mean", "value": 1234.5, "bot": "tour", "bot_value": 1000.0,
    "difference": 234.5, "interval": (100.0, 300.0), "margin": 0.0, "episodes_needed": None,
}  # fmt: skip


def test_pilots_are_a_table_with_one_line_each_and_the_expectations_below(lines):
    spec = load_spec("prospector")
    report = {"game": "prospector", "profile": spec.profile, "config": spec.config, "episodes": 300}
    report |= {"headline": headline_json(spec), "expectations": [EXPECTED]}
    module._print(report | {"results": [pilot("run", 1500.0), pilot("tour", -20.0)]})
    output = lines()
    assert output[0] == "prospector: 300 episodes, the same seeds for all"
    assert "run 1,500 1,400 to 1,600 0.50 0.25 0.12 2.2 0.013 3" in output
    assert "tour -20.00 -120 to 80.00 0.50 0.25 0.12 2.2 0.013 3" in output
    assert output[-1] == ("Met: net_profit_mean 1,234, tour 1,000; difference +234.5 (95 %: +100 to +300).")


@pytest.mark.parametrize(
    ("changes", "end"),
    [
        ({"verdict": "missed"}, "(95 %: +100 to +300)."),
        ({"margin": 50.0}, "(95 %: +100 to +300), may be 50 worse."),
        ({"verdict": "undecided", "episodes_needed": 4000}, "+300): about 4,000 episodes would decide."),
        ({"verdict": "undecided"}, "+300): they are alike; allow a --margin."),
    ],
)
def test_an_expectation_says_whether_the_difference_is_shown(changes, end):
    text = module._format_expectation(EXPECTED | changes)
    assert text.startswith((changes.get("verdict") or "met").title()) and text.endswith(end)


# ---------------------------------------------------------------- seekers and hiders


def matchup(player, opponent, score, draws=0.0, **more):
    return {
        "player": player, "opponent": opponent, "role": "seeker", "score": score, "draws": draws,
        "interval": (score - 0.1, score + 0.1), "engine": "native", "mean_seconds": 3.456, **more,
    }  # fmt: skip


def role_report(draws=0.0, engine="native", rating=912.3):
    interval = None if rating is None else (880.4, 950.6)
    seeker = {
        "matchups": [matchup("me", "evade:1", 0.75, draws), matchup("me", "evade:3", 0.5)],
        "beside": [matchup("chase:3", "evade:1", 0.6), matchup("chase:3", "evade:3", 0.25)],
        "rating": rating,
        "rating_interval": interval,
    }
    return {"game": "tag", "name": "me", "episodes": 200, "engine": engine, "roles": {"seeker": seeker}}


def test_a_role_is_a_table_of_opponents_with_scripts_beside_it(lines):
    module._print_roles(role_report())
    output = lines()
    assert " ".join(output).startswith("As seeker: wins in % of 200 matches, the same seeds for all ")
    assert "me 75 (65-85) 50 (40-60)" in output and "chase:3 60 25" in output
    assert output[-1].startswith("Rating as seeker: 912 (95 %: 880 to 951).")


def test_draws_and_another_engine_are_said_and_no_rating_is_not(lines):
    module._print_roles(role_report(draws=0.5, engine="godot", rating=None))
    text = " ".join(lines())
    assert "a draw is half a win" in text and "godot, scripts among themselves natively" in text
    assert "Rating" not in text


@pytest.mark.parametrize(("draws", "end"), [(0.0, "(40 to 60)."), (0.25, "(40 to 60), 25 % are draws.")])
def test_a_match_among_themselves_is_one_sentence(lines, draws, end):
    module._print_roles(role_report() | {"mirror": matchup("me", "me", 0.5, draws)})
    assert lines()[-1] == f"Among themselves the seeker has 50 % of the points {end}"


def test_the_transfer_is_a_table_of_both_engines_and_the_largest_difference_of_a_term(lines):
    gap = {
        "here": matchup("me", "evade:3", 0.5, engine="godot"),
        "there": matchup("me", "evade:3", 0.625, mean_seconds=2.0),
        "gap_points": -12.5,
        "terms_gap": {"tag": 0.25, "time": -0.5},
    }
    module._print_roles(role_report() | {"transfer": [gap]})
    output = lines()
    assert "Transfer from native to godot, the same 200 seeds" in output
    assert "seeker evade:3 50.0 62.5 -12.5 3.46 / 2.00 time -0.500" in output


def test_a_recorded_match_is_named_with_where_to_watch_it(lines):
    module._print(role_report() | {"replay": {"replay_id": "replay-1", "steps": 20}})
    assert lines()[-1] == "Recorded: replay-1, 20 decisions, native. Watch it with `sandlot serve`."


def test_options_defaults_and_ranges_are_as_documented():
    assert_documented("eval")
