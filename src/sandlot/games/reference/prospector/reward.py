"""The reward of a step: sixteen named terms, added in this order."""

from dataclasses import dataclass

from .. import math32
from ..math32 import ONE, ZERO, f32, sum6, sum32
from . import layout
from .world import World

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
    def of(cls, world: World) -> "Before":
        """A copy of the values, because the step changes the world in place."""
        gauges = (world.fuel, world.hull, world.tool_condition, world.credits)
        fuel, hull, tool, credits = (f32(gauge) for gauge in gauges)
        return cls(fuel, hull, tool, credits, world.cargo_value(), _cargo_worth(world))


def shaped(terms: dict[str, f32]) -> f32:
    """The shaped reward: the sum of all terms."""
    return sum32(terms.values())


def sparse(world: World, terms: dict[str, f32]) -> f32:
    """The sparse reward: sell, stranded and destroyed; with `sparse_time` also time."""
    names = ["sell", "stranded", "destroyed"] + (["time"] if world.rules.sparse_time else [])
    return sum32(terms[name] for name in names)


def reward_terms(world: World, before: Before, action: int, invalid: bool, dt: int) -> dict[str, f32]:
    """Every term by name, in the order in which they are added; called after the ending is known."""
    rules = world.rules
    excess_heat = math32.greater(ZERO, world.heat - rules.heat_knee) / layout.HEAT_MAX
    ended_well = world.ending in ("cash_out", "time")
    scanned = action in SCANS and (not invalid or rules.charge_invalid_scans)
    return {
        "sell": rules.reward_sell * ((world.credits - before.credits) / layout.CREDIT_SCALE),
        "extract": rules.reward_extract * (_extracted(world, before) / layout.CREDIT_SCALE),
        "cargo": rules.reward_cargo * ((_cargo_worth(world) - before.cargo_worth) / layout.CREDIT_SCALE),
        "fuel": -rules.reward_fuel * (spent(before.fuel, world.fuel) / 100),
        "time": -rules.reward_time * f32(dt),
        "wear": -rules.reward_wear * (spent(before.tool, world.tool_condition) / 10),
        "damage": -rules.reward_damage * (spent(before.hull, world.hull) / 10),
        "heat": -rules.reward_heat * (excess_heat * excess_heat),
        "scan": -rules.reward_scan if scanned else ZERO,
        "invalid": -rules.reward_invalid if invalid else ZERO,
        "pirate": -rules.reward_pirate * (world.step_value_lost / layout.CREDIT_SCALE),
        "stranded": -rules.reward_stranded if world.stranded() else ZERO,
        "destroyed": -rules.reward_destroyed if world.destroyed() else ZERO,
        "finish": rules.reward_finish * (world.credits / layout.CREDIT_SCALE) if ended_well else ZERO,
        "fracture": ZERO - rules.reward_fracture * world.step_broken,
        "hull": ZERO - rules.reward_hull * (_missing_hull(world.hull) - _missing_hull(before.hull)),
    }


def _missing_hull(hull: f32) -> f32:
    """The squared share of hull that is missing: each lost point costs more than the one before."""
    missing = ONE - hull / layout.HULL_MAX
    return missing * missing


def _cargo_worth(world: World) -> f32:
    """Cargo at base prices; 0 once the episode has terminated, and if `reward_cargo` is 0 (not needed)."""
    if not world.rules.reward_cargo or world.ending in ("destroyed", "stranded", "cash_out"):
        return ZERO
    return sum6(world.cargo * world.rules.price_base)


def spent(before: f32, after: f32) -> f32:
    """The amount used up, 0 where it grew."""
    return math32.greater(ZERO, before - after)


def _extracted(world: World, before: Before) -> f32:
    """Credits of cargo gained: with `extract_new_units` by mining and refining only, else also by prices."""
    if world.rules.extract_new_units:
        return world.step_value_gained
    return math32.greater(ZERO, world.cargo_value() - before.cargo_value)
