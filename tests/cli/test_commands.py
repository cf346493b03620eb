"""What single commands say."""

import json

import pytest

import sandlot as package
from sandlot.cli import doctor
from sandlot.worlds import library


def test_games_lists_every_game_and_its_sizes(sandlot):
    output = sandlot("games").out
    for game in package.games():
        spec = package.load_spec(game)
        line = next(line for line in output.splitlines() if f" {game} " in line)
        assert str(spec.observation_size) in line


def test_games_shows_settings_as_they_are_set(sandlot):
    report = json.loads(sandlot("games", "tag", "--set", "mode=switch", "--set", "hiders=3", "--json").out)
    assert report["config"]["mode"] == "switch" and report["shape"]["agents"] == 4


def test_games_tells_a_person_what_a_machine_is_reported(sandlot):
    output = sandlot("games", "prospector").out
    spec = package.load_spec("prospector")
    for name in [*(f.name for f in spec.observation), *(t["name"] for t in spec.reward_terms), *spec.bots]:
        assert name in output


@pytest.mark.parametrize("game", package.games())
def test_games_names_every_entry_of_an_observation(sandlot, game):
    output = " ".join(sandlot("games", game).out.replace("│", " ").split())
    for field in package.load_spec(game).observation:
        assert ", ".join(field.labels) in output, field.name


def test_doctor_says_which_engine_is_loaded(sandlot):
    found = json.loads(sandlot("doctor", "--json").out)
    assert found["engine"]["loads"] and found["sandlot"] == package.__version__
    assert found["packages"]["numpy"]


def test_doctor_names_the_extra_that_brings_what_is_missing(sandlot, monkeypatch):
    monkeypatch.setattr(doctor, "_version", lambda package: None)
    assert "missing: pip install 'sandlot[gym]'" in sandlot("doctor").out


def test_doctor_without_an_engine_exits_with_2_and_says_what_to_run(sandlot, monkeypatch, tmp_path):
    library.load.cache_clear()
    monkeypatch.setattr(library, "default_path", lambda: tmp_path / "libsandlot.so")
    done = sandlot("doctor")
    assert done.code == 2
    assert "The engine is not built" in done.out and "make build" in done.out


def test_bots_measures_every_player_on_the_same_seeds(sandlot):
    report = json.loads(
        sandlot("bots", "prospector", "--episodes", "6", "--set", "time_max=300", "--rows", "--json").out
    )
    assert {c["name"] for c in report["results"]} == set(package.load_spec("prospector").bots)
    seeds = [[row["seed"] for row in c["rows"]] for c in report["results"]]
    assert all(each == seeds[0] for each in seeds)


def test_bots_gives_the_same_table_twice(sandlot):
    words = ("bots", "prospector", "--episodes", "4", "--set", "time_max=200", "--json")
    assert sandlot(*words).out == sandlot(*words).out


def test_bots_of_tag_is_a_matrix_of_seekers_and_hiders(sandlot):
    report = json.loads(sandlot("bots", "tag", "--episodes", "2", "--json").out)
    seekers, hiders = ({m[side] for m in report["matches"]} for side in ("seeker", "hider"))
    assert len(report["matches"]) == len(seekers) * len(hiders) > 1
    assert all(0 <= m["seeker_wins"] <= 1 for m in report["matches"])


def test_bench_measures_every_path_in_one_run(sandlot):
    data = json.loads(
        sandlot("bench", "tag", "--worlds", "8,16", "--rounds", "2", "--seconds", "0.05", "--json").out
    )
    (report,) = data["games"]
    assert {case["path"] for case in report["cases"]} == {"python", "engine", "twin"}
    assert data["copy_bytes_per_second"] > 0
    for case in report["cases"]:
        low, high = case["decisions_interval"]
        assert 0 < low <= case["decisions_per_second"] <= high


@pytest.mark.parametrize("seed", ["0", "11"])
def test_demo_plays_a_match_to_its_end(seed, sandlot):
    done = sandlot("demo", "--minutes", "0", "--seed", seed, "--speed", "100")
    assert done.code == 0, done.err
    assert "wins" in done.out


def test_demo_draws_the_arena_in_a_terminal(process):
    done = process("demo", "--minutes", "0", "--speed", "100", env={"FORCE_COLOR": "1"})
    assert done.code == 0, done.err
    assert "S" in done.out and "H" in done.out and "s left" in done.out
