"""cli/league.py: who takes part, and the tables in words."""

import importlib
from types import SimpleNamespace

import pytest

from sandlot.evaluate import players
from sandlot.evaluate.bots import headline_json
from sandlot.runs import Store
from sandlot.worlds import load_spec

from .documented import assert_documented

module = importlib.import_module("sandlot.cli.league")


@pytest.fixture
def opened(monkeypatch, tmp_path):
    """`opened(names, every)`: the checkpoints that take part, by name; files are opened by name alone."""
    monkeypatch.setattr(
        players, "open_checkpoint", lambda name, root: SimpleNamespace(name=f"best of {name}")
    )
    monkeypatch.setattr(
        players, "checkpoint_history", lambda run, every: [SimpleNamespace(name=f"{run.run_id} each {every}")]
    )
    return lambda names, every=0: [each.name for each in module._players("tag", names, every, tmp_path)]


def make(root, game="tag", checkpoint="ckpt"):
    with Store(root).create({}, game=game, trainer_backend="ppo", window_env_steps=10) as run:
        run.update(latest_checkpoint=checkpoint)
        return run.run_id


def test_without_names_every_run_of_the_game_with_a_checkpoint_takes_part(opened, tmp_path):
    mine = {make(tmp_path), make(tmp_path)}
    make(tmp_path, game="prospector")
    make(tmp_path, checkpoint=None)
    assert set(opened([])) == {f"best of {run_id}" for run_id in mine}


def test_each_takes_part_once_and_every_nth_checkpoint_only_of_runs(opened, tmp_path):
    run_id = make(tmp_path)
    assert opened([run_id, run_id]) == [f"best of {run_id}"]
    assert opened([run_id, "a.pt"], every=3) == [f"{run_id} each 3", f"best of {run_id}", "best of a.pt"]


@pytest.fixture
def lines(capsys, monkeypatch):
    monkeypatch.setattr(module.out, "width", 200)
    return lambda: [" ".join(line.replace("│", " ").split()) for line in capsys.readouterr().out.splitlines()]


def standing(name, role, rating):
    return {"name": name, "role": role, "rating": rating, "rating_interval": (rating - 10.4, rating + 10.4)}


def report(draws=0.0):
    return {
        "game": "tag", "episodes": 50, "labels": {"long name": "A"}, "matchups": [{"draws": draws}],
        "standings": [standing("long name", "seeker", 1010.0), standing("chase:3", "seeker", 990.0)],
        "matrix": {
            "row_role": "seeker", "column_role": "hider", "columns": ["evade:3", "long name"],
            "rows": ["long name", "chase:3"], "row_wins": [[0.755, 0.5], [0.25, 0.125]],
        },
    }  # fmt: skip


def test_ratings_and_the_matrix_have_short_names_that_are_explained(lines):
    module._print(report())
    output = lines()
    assert "A seeker 1010 1000 to 1020" in output and "chase:3 seeker 990 980 to 1000" in output
    assert "A 76 50" in output and "chase:3 25 12" in output and output[-1] == "A: long name"
    assert "Seeker wins in % of 50 matches per pair" in " ".join(output) and "a draw" not in " ".join(output)


def test_draws_are_explained_where_there_were_some(lines):
    module._print(report(draws=0.1))
    assert "a draw is half a win" in " ".join(lines())


def test_a_ranking_counts_from_one_and_shows_intervals(lines):
    pilot = {
        "name": "long name", "net_profit_mean": 1500.0, "return_mean": 2.25, "survival_rate": 0.5,
        "destroyed_rate": 0.25, "stranded_rate": 0.125, "invalid_rate": 0.0, "capped_episodes": 0,
        "intervals": {"net_profit_mean": (1400.0, 1600.0)},
    }  # fmt: skip
    spec = load_spec("prospector")
    report = {"game": "prospector", "profile": spec.profile, "config": spec.config, "episodes": 9}
    report |= {"headline": headline_json(spec), "labels": {"long name": "A"}}
    module._print(report | {"ranking": [pilot, pilot | {"name": "tour"}]})
    output = lines()
    assert "1. A 1,500 1,400 to 1,600 0.50 0.25 0.12 2.2 0.000 0" in output
    assert (
        "2. tour 1,500 1,400 to 1,600 0.50 0.25 0.12 2.2 0.000 0" in output and output[-1] == "A: long name"
    )


def test_options_defaults_and_ranges_are_as_documented():
    assert_documented("league")
