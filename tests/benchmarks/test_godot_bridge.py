"""benchmarks/godot_bridge.py: what it compares, and what it says where something is missing."""

import json
import sys

import pytest
import stock_client as stock
from lacking import lacking

from sandlot.bridge import godot_engine

FEW = ("--worlds", "1", "--rounds", "2", "--seconds", "0.1")


@pytest.fixture(autouse=True)
def _wants_an_engine():
    if godot_engine.find() is None:
        lacking("no Godot: sandlot godot install")


@pytest.mark.slow
def test_without_the_stock_client_the_rest_is_measured(godot_bridge, monkeypatch, tmp_path):
    monkeypatch.setattr(stock, "ENVIRONMENT", tmp_path / "nothing")
    done = godot_bridge(*FEW, "--json")
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert report["stock"]["version"] is None and "make stock" in report["stock"]["problem"]
    (row,) = report["cases"]
    for path in ("ceiling", "bridge", "json"):
        low, high = row[path]["interval"]
        assert 0 < low <= row[path]["decisions_per_second"] <= high
    assert "stock" not in row and report["usual"] == []


@pytest.mark.slow
def test_the_stock_client_stands_beside_the_bridge(godot_bridge):
    if not stock.ENVIRONMENT.is_dir():
        lacking("no stock godot-rl: make stock")
    done = godot_bridge(*FEW)
    assert done.code == 0, done.err
    assert "stock, no clock" in done.out and "Stock as it is usually run" in done.out


def test_a_python_without_godot_rl_is_refused_before_anything_is_measured(godot_bridge):
    done = godot_bridge("--stock", sys.executable)
    assert done.code == 2
    assert "no working godot-rl" in done.err and done.err.count("\n") == 1
