"""Metrics that follow from other metrics of a window: what a pilot earns, risks and wastes.

Charts and the API take them from here; no other place computes them.
"""

import math
from collections.abc import Mapping
from typing import Any

from .history import Table

RISK_OF_DEATH = 500.0  # credits that a lost ship is worth in the risk-adjusted profit: half a good episode

# name: (numerator, denominator, factor). A ratio of means weighs long episodes more than short ones, as a sum
# over all of them does.
RATIOS = {
    "hull_damage_per_1000_ticks": ("hull_damage_mean", "ticks_mean", 1000.0),
    "loss_per_encounter": ("value_lost_to_pirates_mean", "pirate_encounters_mean", 1.0),
    "pirates_per_1000_ticks": ("pirate_encounters_mean", "ticks_mean", 1000.0),
    "profit_per_fuel": ("net_profit_mean", "fuel_used_mean", 1.0),
    "ore_value_per_mining_tick": ("mined_value_mean", "mining_ticks_mean", 1.0),
    "credits_per_scan": ("net_profit_mean", "scan_count_mean", 1.0),
    "invalid_per_decision": ("invalid_actions_mean", "decisions_mean", 1.0),
}
DERIVED = (*RATIOS, "risk_adjusted_profit")


def derived_metrics(row: Mapping[str, Any]) -> dict[str, float]:
    """Those that the row's columns allow: without a scan there is no profit per scan."""

    def number(name: str) -> float:
        value = row.get(name)
        return float(value) if isinstance(value, int | float) else math.nan

    found = {
        name: factor * number(above) / number(below)
        for name, (above, below, factor) in RATIOS.items()
        if number(below) > 0
    }
    found["risk_adjusted_profit"] = number("net_profit_mean") - RISK_OF_DEATH * (1 - number("survival_rate"))
    return {name: value for name, value in found.items() if math.isfinite(value)}


def with_derived(windows: Table) -> Table:
    """The windows with their derived metrics."""
    return Table([{**row, **derived_metrics(row)} for row in windows.rows])
