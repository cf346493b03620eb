"""The report file: its metrics come from the spec, its numbers from the episodes, nothing wrong is read."""

import json

import numpy as np
import pytest

from sandlot import seeding
from sandlot.errors import Damaged, NewerSchema, StoreError
from sandlot.evaluate import report_file
from sandlot.evaluate.play import play
from sandlot.evaluate.report_file import EvalReport, read_report
from sandlot.evaluate.statistics import proportion
from sandlot.games.scripted import default_players
from sandlot.worlds import games, load_spec

SEEDS = seeding.held_out("eval", 6)


def report_of(game, settings=None):
    spec = load_spec(game, settings)
    role = spec.role_names[0]
    played = play(game, default_players(spec, set(spec.role_names)), SEEDS, spec.settings)
    metrics = report_file.metrics_of(spec, role)
    rows = report_file.rows_of(spec, role, played, SEEDS)
    group = report_file.group_of(metrics, role, None, "bot", rows)
    return report_file.make_report(spec, "native", "bot", [group], metrics), played


@pytest.mark.parametrize("game", games())
def test_every_game_gives_the_fields_that_tools_ask_for(game, tmp_path):
    report, played = report_of(game)
    report.write(tmp_path / "deep" / "report.json", {"extra": 1})
    given = json.loads((tmp_path / "deep" / "report.json").read_text())
    wanted = ("mean_reward", "std_reward", "mean_episode_length", "success_rate", "episodes", "seed", "model")
    assert all(given[name] is not None for name in wanted) and given["extra"] == 1
    assert {"scenario", "git", "comfort", "performance", "created", "engine_version"} <= set(given)
    assert given["seed"] == SEEDS[0] and [row["seed"] for row in given["groups"][0]["rows"]] == SEEDS
    assert given["mean_episode_length"] == pytest.approx(float(played.column("length").mean()))
    again = read_report(tmp_path / "deep" / "report.json")
    assert again.groups == report.groups and again.rules_hash == load_spec(game).hash


def test_success_is_a_flag_that_is_the_headline_else_a_win_else_the_first_good_flag():
    found = {
        game: report_file.metrics_of(load_spec(game), load_spec(game).role_names[0])[0] for game in games()
    }
    assert {game: (metric.name, metric.field) for game, metric in found.items()} == {
        "tag": ("success", ""),
        "prospector": ("success", "survival"),
        "landing": ("success", "success"),
        "navigation": ("success", "success"),
    }


@pytest.mark.parametrize("game", ["gym:CartPole-v1", *games()])
def test_every_game_has_one_headline_which_is_the_return_where_none_is_declared(game):
    spec = load_spec(game)
    headlines = [m.name for m in report_file.metrics_of(spec, spec.role_names[0]) if m.headline]
    assert len(headlines) == 1 and (not game.startswith("gym:") or headlines == ["reward"])


def test_directions_bounds_and_units_are_those_of_the_game():
    by_name = {m.name: m for m in report_file.metrics_of(load_spec("landing"), "pilot")}
    speed, tilt, finished = by_name["touchdown_speed"], by_name["touchdown_tilt"], by_name["finished"]
    assert (speed.kind, speed.better, speed.unit) == ("unbounded", "lower", "m/s")
    assert (tilt.kind, tilt.range) == ("bounded", 180.0) and finished.kind == "rate"


def test_comfort_is_a_block_of_its_own_where_the_game_measures_it():
    comfort = report_of("navigation")[0].comfort
    assert {"comfort_score", "vignette_share", "snap_turns"} <= set(comfort)
    assert report_of("landing")[0].comfort is None


def test_intervals_of_rates_are_exact():
    report, played = report_of("landing")
    wins = float(played.column("success").sum())
    found, wanted = report.groups[0].metrics["success"], proportion(wins, len(SEEDS))
    assert (found.value, found.low, found.high) == (wanted.value, wanted.low, wanted.high)


def test_an_episode_that_did_not_end_is_no_success_and_has_no_measures():
    spec = load_spec("landing")
    played = play("landing", default_players(spec, {"pilot"}), SEEDS, spec.settings)
    rows = report_file.rows_of(spec, "pilot", played[1:], SEEDS)
    assert (rows[0]["finished"], rows[0]["success"], rows[0]["reward"]) == (0.0, 0.0, None)
    group = report_file.group_of(report_file.metrics_of(spec, "pilot"), "pilot", None, "bot", rows)
    assert (group.requested, group.unfinished) == (6, 1) and group.metrics["reward"].episodes == 5
    assert group.metrics["finished"].value == pytest.approx(5 / 6)


def test_rewards_of_two_roles_are_apart():
    spec = load_spec("tag")
    played = play("tag", default_players(spec, set(spec.role_names)), SEEDS, spec.settings)
    by_role = {
        role: [row["reward"] for row in report_file.rows_of(spec, role, played, SEEDS)]
        for role in spec.role_names
    }
    returns = played.column("returns")
    for role, rewards in by_role.items():
        rows = [i for i, one in enumerate(spec.roles) if one == role]
        np.testing.assert_allclose(rewards, returns[:, rows].mean(axis=1), rtol=1e-6)


# ---------------------------------------------------------------- bad files


@pytest.fixture
def given(tmp_path):
    report, _ = report_of("landing")
    path = tmp_path / "report.json"
    report.write(path)

    def changed(change):
        data = json.loads(path.read_text())
        change(data)
        path.write_text(json.dumps(data))
        return path

    return changed


def row_of(data):
    return data["groups"][0]["rows"][0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.pop("kind"), "is not a report"),
        (lambda d: d.pop("rules_hash"), "rules_hash: Field required"),
        (lambda d: row_of(d).update(success=float("nan")), "success = nan in the row of seed"),
        (lambda d: row_of(d).update(reward=float("inf")), "reward = inf"),
        (lambda d: row_of(d).update(glory=1.0), "'glory', which `metrics` does not describe"),
        (lambda d: row_of(d).pop("seed"), "a row without seed"),
        (lambda d: row_of(d).update(seed=d["groups"][0]["rows"][1]["seed"]), "a seed that occurs twice"),
        (lambda d: d.update(groups=[]), "groups"),
        (lambda d: d.update(episodes=0), "episodes"),
    ],
)
def test_a_wrong_report_is_refused_by_the_name_of_its_fault(given, change, said):
    with pytest.raises(Damaged, match=said):
        read_report(given(change))


def test_a_later_schema_is_refused(given):
    with pytest.raises(NewerSchema, match="schema version 2"):
        read_report(given(lambda d: d.update(schema_version=2)))


@pytest.mark.parametrize(
    "text", ["", "{", '{"kind": "sandlot-eval-report", "groups": [', "\x00", "[" * 100_000]
)
def test_a_cut_off_report_is_refused(tmp_path, text):
    (tmp_path / "report.json").write_text(text)
    again = r"is not JSON, or cut off\. Make it again: sandlot eval RUN --output report\.json$"
    with pytest.raises(Damaged, match=again):
        read_report(tmp_path / "report.json")


def test_json_that_is_no_report_and_a_folder_are_refused(tmp_path, monkeypatch):
    (tmp_path / "report.json").write_text("[]")
    with pytest.raises(Damaged, match=r"sandlot eval RUN --output report\.json"):
        read_report(tmp_path / "report.json")
    with pytest.raises(StoreError, match="could not be read"):
        read_report(tmp_path)
    monkeypatch.setattr(report_file, "MAX_FILE_BYTES", 1)
    with pytest.raises(Damaged, match="is larger than 0 MiB; no report of"):
        read_report(tmp_path / "report.json")


def test_a_missing_report_names_the_command_that_makes_one(tmp_path):
    with pytest.raises(StoreError, match=r"no report of .*sandlot eval RUN --output none.json"):
        read_report(tmp_path / "none.json")


def test_seeds_are_whole_numbers_of_64_bits(given):
    report = read_report(given(lambda d: row_of(d).update(seed=2**64 - 1)))
    assert report.groups[0].seeds[0] == 2**64 - 1
    assert isinstance(report, EvalReport)
