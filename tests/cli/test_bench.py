"""cli/bench.py: what is measured, and for how long."""

import pytest

from sandlot.cli import bench as module
from sandlot.errors import ConfigError
from sandlot.worlds import games
from sandlot.worlds.arrays import MAX_WORLDS

from .documented import assert_documented


def test_options_defaults_and_ranges_are_as_documented():
    assert_documented("bench")


@pytest.mark.parametrize(
    ("words", "seconds", "twin"), [((), 0.3, True), (("--seconds", "2", "--no-twin"), 2.0, False)]
)
def test_each_case_is_measured_for_the_given_seconds(sandlot, monkeypatch, words, seconds, twin):
    calls = []
    monkeypatch.setattr(module, "_measure", lambda *case: calls.append(case) or {"game": case[0]})
    monkeypatch.setattr(module.speed, "copy_rate", lambda: 1.0)
    assert sandlot("bench", "tag", "--worlds", "8,16,8", "--json", *words).code == 0
    assert calls == [("tag", [8, 16], 7, seconds, twin, "")]


def test_a_gpu_is_measured_with_worlds_that_fill_it(sandlot, monkeypatch):
    calls = []
    monkeypatch.setattr(module, "_measure", lambda *case: calls.append(case) or {"game": case[0]})
    monkeypatch.setattr(module.speed, "copy_rate", lambda: 1.0)
    assert sandlot("bench", "tag", "--json", "--engine", "cuda", "--device", "cuda:1").code == 0
    assert calls == [("tag", [4096, 16384, 65536], 7, 0.3, True, "cuda:1")]


@pytest.mark.parametrize(("game", "engine"), [("tag", "godot"), ("gym:CartPole-v1", "cuda")])
def test_an_engine_that_is_measured_elsewhere_is_refused(game, engine):
    with pytest.raises(ConfigError, match=engine):
        module._on_gpu(game, engine)


@pytest.mark.parametrize("text", ["0", "8,", "x", str(MAX_WORLDS + 1)])
def test_numbers_of_worlds_are_whole_and_within_the_limit(text):
    with pytest.raises(ConfigError, match="expected whole numbers"):
        module.world_counts(text)
    assert module.world_counts(f"1,{MAX_WORLDS}") == [1, MAX_WORLDS]


CASE = {
    "path": "python", "play": "random", "worlds": 8, "threads": 1, "decisions_per_second": 2.5e6,
    "decisions_interval": [2e6, 3.25e6], "ticks_per_second": 5e6, "observation_bytes_per_second": 1.56e9,
    "times_base": 1.5, "times_base_interval": [1.25, 1.75],
}  # fmt: skip


def test_for_people_rates_are_a_table_in_millions_with_the_machine_below(sandlot, monkeypatch):
    monkeypatch.setenv("COLUMNS", "250")
    monkeypatch.setattr(module, "_measure", lambda game, *_: {"game": game, "cases": [CASE]})
    monkeypatch.setattr(module.speed, "copy_rate", lambda: 12.34e9)
    printed = sandlot("bench", "tag").out
    lines = [" ".join(line.replace("│", " ").split()) for line in printed.splitlines()]
    assert "python random 8 1 2.500 2.000 to 3.250 5.000 1.56 1.5 1.25 to 1.75" in lines
    assert lines[-1].startswith("memcpy on one core: 12.3 GB/s · ") and not printed.startswith("{")


def test_every_game_is_measured_unless_one_is_named(sandlot, monkeypatch):
    measured = []
    monkeypatch.setattr(module, "_measure", lambda game, *_: measured.append(game) or {"game": game})
    monkeypatch.setattr(module.speed, "copy_rate", lambda: 1.0)
    sandlot("bench", "--json")
    assert measured == list(games())


def test_one_measurement_has_every_path_against_the_same_base():
    report = module._measure("tag", [4, 8], rounds=2, seconds=0.05, twin=True)
    assert report["row_bytes"] == 156 * 4
    cases = report["cases"]
    assert [(c["path"], c["play"], c["worlds"]) for c in cases if c["threads"] == 1] == [
        ("python", "random", 4),
        ("python", "random", 8),
        ("engine", "random", 8),
        ("python", "chase", 4),
        ("twin", "random", 1),
    ]
    (base,) = (c for c in cases if c["times_base"] == 1.0 and c["times_base_interval"] == [1.0, 1.0])
    assert (base["path"], base["play"], base["worlds"], base["threads"]) == ("python", "random", 8, 1)
    for c in cases:
        low, high = c["decisions_interval"]
        assert 0 < low <= c["decisions_per_second"] <= high
        assert c["observation_bytes_per_second"] == c["decisions_per_second"] * 156 * 4
        assert c["ticks_per_second"] >= c["decisions_per_second"]
