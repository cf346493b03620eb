"""What a measurement in Godot says about its numbers, from rates that were measured elsewhere."""

import itertools

import numpy as np
import pytest

from sandlot.bridge import stock
from sandlot.cli import bench_godot
from sandlot.cli.bench_godot import Case
from sandlot.errors import ConfigError


def case(path, worlds, *rates):
    made = Case(path, worlds, lambda: 1.0)
    made.rates = list(rates)
    return made


CASES = [
    case("ceiling", 4, 1000.0, 1000.0, 1000.0), case("bridge", 4, 500.0, 500.0, 500.0),
    case("json", 4, 100.0, 100.0, 100.0), case("stock", 4, 50.0, 50.0, 50.0),
    case("usual", 8, 25.0, 25.0, 25.0),
]  # fmt: skip


def test_rates_are_compared_round_by_round():
    told = bench_godot._report(CASES, [4])
    (row,) = told["cases"]
    assert row["bridge"]["decisions_per_second"] == 500 and row["bridge_share"]["value"] == 0.5
    assert row["json_share"]["value"] == 0.1 and row["bridge_times_stock"]["value"] == 10
    assert row["json_times_stock"]["value"] == 2 and "usual" not in row
    assert told["usual"] == [
        {"worlds": 8, "decisions_per_second": 25, "interval": [25, 25],
         "bridge_times": {"value": 20, "interval": [20, 20]}}
    ]  # fmt: skip


def test_without_the_stock_client_nothing_is_compared_with_it():
    (row,) = bench_godot._report(CASES[:3], [4])["cases"]
    assert "stock" not in row and "bridge_times_stock" not in row


@pytest.mark.parametrize(
    ("high", "wide"), [(bench_godot.WIDE, []), (bench_godot.WIDE + 0.1, ["4 arenas, bridge"])]
)
def test_an_interval_so_wide_that_it_says_little_is_named(high, wide):
    row = {"worlds": 4, "bridge": {"interval": [1.0, high]}, "json": {"interval": [5.0, 5.0]}}
    assert bench_godot._wide({"cases": [row], "usual": []}) == wide


def test_every_case_is_measured_once_a_round_forth_and_back(monkeypatch):
    order = []
    clock = itertools.count(1)

    def cases(game, worlds, seconds, client):
        def measured(name):
            return Case(name, worlds, lambda: order.append((name, worlds)) or float(next(clock)))

        return [measured(name) for name in ("ceiling", "bridge", "json")]

    monkeypatch.setattr(bench_godot, "_cases", cases)
    told = bench_godot._measured("tag", [1], 2, 0.1, None, "not there")
    names = [name for name, _ in order]
    assert names == ["ceiling", "bridge", "json", "json", "bridge", "ceiling"]
    assert told["rounds"] == 2 and told["stock"] == {"version": None, "plugin": False, "problem": "not there"}
    assert told["cases"][0]["bridge"]["decisions_per_second"] == np.median([2, 5]) and told["game"] == "tag"


def test_a_client_that_nobody_asked_for_may_be_missing(monkeypatch, tmp_path):
    monkeypatch.setattr(stock, "ENVIRONMENT", tmp_path / "nothing")
    client, why = bench_godot._stock_client("tag", None)
    assert client is None and "make stock" in why
    assert "has no scene" in bench_godot._stock_client("prospector", None)[1]
    with pytest.raises(ConfigError):
        bench_godot._stock_client("tag", tmp_path / "no-python")
