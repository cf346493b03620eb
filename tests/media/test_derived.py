"""Metrics that follow from others, recomputed one by one."""

import numpy as np
import pytest

from sandlot.media.derived import derived_metrics, with_derived
from sandlot.media.history import Table
from sandlot.worlds import load_spec

SPEC = load_spec("prospector")

ROW = {
    "hull_damage_mean": 3.0, "ticks_mean": 600.0, "value_lost_to_pirates_mean": 90.0,
    "pirate_encounters_mean": 1.5, "net_profit_mean": 240.0, "survival_rate": 0.75, "fuel_used_mean": 80.0,
    "mined_value_mean": 500.0, "mining_ticks_mean": 25.0, "scan_count_mean": 12.0,
    "invalid_actions_mean": 2.0, "decisions_mean": 50.0,
}  # fmt: skip
WANTED = {
    "hull_damage_per_1000_ticks": 5.0,
    "loss_per_encounter": 60.0,
    "pirates_per_1000_ticks": 2.5,
    "risk_adjusted_profit": 240.0 - 500.0 * 0.25,
    "profit_per_fuel": 3.0,
    "ore_value_per_mining_tick": 20.0,
    "credits_per_scan": 20.0,
    "invalid_per_decision": 0.04,
}


def test_every_derived_metric_is_its_ratio():
    (row,) = with_derived(SPEC, Table([ROW])).rows
    assert {name: row[name] for name in WANTED} == pytest.approx(WANTED)
    assert {name: row[name] for name in ROW} == ROW and {d.name for d in SPEC.document.derived} == set(WANTED)


@pytest.mark.parametrize("below", [0.0, -1.0, float("nan")])
def test_a_ratio_to_nothing_is_missing(below):
    (row,) = with_derived(SPEC, Table([ROW | {"scan_count_mean": below}])).rows
    assert "credits_per_scan" not in row and "profit_per_fuel" in row


def test_columns_that_a_game_does_not_have_give_no_metric():
    rows = with_derived(SPEC, Table([{"net_profit_mean": 1.0}, ROW])).rows
    assert rows[0] == {"net_profit_mean": 1.0}
    assert np.isclose(rows[1]["profit_per_fuel"], 3.0)


def test_a_lost_ship_costs_half_a_good_episode():
    assert derived_metrics(SPEC, {"net_profit_mean": 1000, "survival_rate": 0.5}) == {
        "risk_adjusted_profit": 750
    }


def test_rows_without_the_columns_get_none():
    assert derived_metrics(SPEC, {"return_mean": 1.0, "ticks_mean": None, "hull_damage_mean": "much"}) == {}
