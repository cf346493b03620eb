"""Figures that follow from others: what a pilot earns, risks and wastes, as ratios of a window's means."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .history import Table

RISK_OF_DEATH = 500.0  # credits that a lost ship is worth in the risk-adjusted profit: half a good episode

Get = Callable[[str], np.ndarray]


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Missing where there is nothing to divide by: a pilot that never scans has no figure a scan."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(below > 0, above / below, np.nan)


# A ratio of means weighs long episodes more than short ones, as a sum over all of them does.
DERIVED: dict[str, Callable[[Get], np.ndarray]] = {
    "hull_damage_per_1000_ticks": lambda get: 1000 * _ratio(get("hull_damage_mean"), get("ticks_mean")),
    "loss_per_encounter": lambda get: _ratio(
        get("value_lost_to_pirates_mean"), get("pirate_encounters_mean")
    ),
    "pirates_per_1000_ticks": lambda get: 1000 * _ratio(get("pirate_encounters_mean"), get("ticks_mean")),
    "risk_adjusted_profit": lambda get: get("net_profit_mean") - RISK_OF_DEATH * (1 - get("survival_mean")),
    "profit_per_fuel": lambda get: _ratio(get("net_profit_mean"), get("fuel_used_mean")),
    "ore_value_per_mining_tick": lambda get: _ratio(get("mined_value_mean"), get("mining_ticks_mean")),
    "credits_per_scan": lambda get: _ratio(get("net_profit_mean"), get("scan_count_mean")),
    "invalid_per_decision": lambda get: _ratio(get("invalid_actions_mean"), get("decisions_mean")),
}


def with_derived(windows: Table) -> Table:
    """The windows with every derived figure that their columns allow."""
    made = {name: formula(windows.column) for name, formula in DERIVED.items()}
    rows = [
        {**row, **{name: float(values[i]) for name, values in made.items() if np.isfinite(values[i])}}
        for i, row in enumerate(windows.rows)
    ]
    return Table(rows)
