"""What a step pays: sixteen named terms, added in this order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import math32
from ..math32 import ONE, ZERO, f32
from . import layout
from .sums import sum6

if TYPE_CHECKING:
    from .twin import ProspectorTwin

SCANS = (layout.WIDE_SCAN, layout.FOCUSED_SCAN, layout.DEEP_SCAN)


@dataclass(frozen=True)
class Before:
    """The ship as it was at the start of the step."""

    fuel: f32
    hull: f32
    tool: f32
    credits: f32
    cargo_value: f32
    cargo_worth: f32  # at base prices

    @classmethod
    def of(cls, twin: ProspectorTwin) -> Before:
        gauges = (twin.fuel, twin.hull, twin.tool_condition, twin.credits)
        fuel, hull, tool, credits = (f32(gauge) for gauge in gauges)
        return cls(fuel, hull, tool, credits, twin.cargo_value(), cargo_worth(twin))


def shaped(terms: dict[str, f32]) -> f32:
    """All terms, in their order."""
    return total(list(terms.values()))


def sparse(twin: ProspectorTwin, terms: dict[str, f32]) -> f32:
    """Money and the two disasters; with `sparse_time` the time as well."""
    names = ["sell", "stranded", "destroyed"] + (["time"] if twin.rules.sparse_time else [])
    return total([terms[name] for name in names])


def total(values: list[f32]) -> f32:
    result = ZERO
    for value in values:
        result = result + value
    return result


def reward_terms(twin: ProspectorTwin, before: Before, action: int, invalid: bool, dt: int) -> dict[str, f32]:
    rules = twin.rules
    excess_heat = math32.greater(ZERO, twin.heat - rules.heat_knee) / layout.HEAT_MAX
    ended_well = twin.ending in ("cash_out", "time")
    scanned = action in SCANS and (not invalid or rules.charge_invalid_scans)
    return {
        "sell": rules.reward_sell * ((twin.credits - before.credits) / layout.CREDIT_SCALE),
        "extract": rules.reward_extract * (extracted(twin, before) / layout.CREDIT_SCALE),
        "cargo": rules.reward_cargo * ((cargo_worth(twin) - before.cargo_worth) / layout.CREDIT_SCALE),
        "fuel": -rules.reward_fuel * (spent(before.fuel, twin.fuel) / 100),
        "time": -rules.reward_time * f32(dt),
        "wear": -rules.reward_wear * (spent(before.tool, twin.tool_condition) / 10),
        "damage": -rules.reward_damage * (spent(before.hull, twin.hull) / 10),
        "heat": -rules.reward_heat * (excess_heat * excess_heat),
        "scan": -rules.reward_scan if scanned else ZERO,
        "invalid": -rules.reward_invalid if invalid else ZERO,
        "pirate": -rules.reward_pirate * (twin.step_value_lost / layout.CREDIT_SCALE),
        "stranded": -rules.reward_stranded if twin.stranded() else ZERO,
        "destroyed": -rules.reward_destroyed if twin.destroyed() else ZERO,
        "finish": rules.reward_finish * (twin.credits / layout.CREDIT_SCALE) if ended_well else ZERO,
        "fracture": ZERO - rules.reward_fracture * twin.step_broken,
        "hull": ZERO - rules.reward_hull * (missing_hull(twin.hull) - missing_hull(before.hull)),
    }


def missing_hull(hull: f32) -> f32:
    """Squared, so that the last of it is the dearest."""
    missing = ONE - hull / layout.HULL_MAX
    return missing * missing


def cargo_worth(twin: ProspectorTwin) -> f32:
    """The hold at base prices; nothing once the episode has ended for good, and where nobody asks."""
    if not twin.rules.reward_cargo or twin.ending in ("destroyed", "stranded", "cash_out"):
        return ZERO
    return sum6(twin.cargo * twin.rules.price_base)


def spent(before: f32, after: f32) -> f32:
    return math32.greater(ZERO, before - after)


def extracted(twin: ProspectorTwin, before: Before) -> f32:
    """Value gained in the hold: by work alone, or by anything, price noise included."""
    if twin.rules.extract_new_units:
        return twin.step_value_gained
    return math32.greater(ZERO, twin.cargo_value() - before.cargo_value)
