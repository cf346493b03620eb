"""The passive part of a step: clocks, heat, hazard, pirates, market, and clamping to the bounds."""

import numpy as np

from .. import math32
from ..math32 import ONE, ZERO, f32
from . import layout, market
from .rules import power
from .world import World

JUST_FULL = f32(199.9999)  # units: just below the hold's size, so that rounding cannot exceed it


def pass_time(world: World, dt: int, exposed: bool) -> None:
    """Let dt ticks pass, in the order of the rules page; `exposed`: node hazard and pirates apply."""
    _run_clocks(world, dt)
    _overheat(world, dt)
    if exposed and not world.at_station():
        _node_hazard(world, dt)
        pirate_roll(world, world.node_pirate[world.current_node], dt)
    market.move_market(world, dt)
    _clamp_everything(world)
    world.cargo_utilization_sum += f32(dt) * world.cargo_load()
    world.cargo_utilization_weight += f32(dt)


def _run_clocks(world: World, dt: int) -> None:
    rules = world.rules
    world.time_remaining -= dt
    world.heat = math32.greater(ZERO, world.heat - rules.heat_dissipation * f32(dt))
    world.alert = math32.greater(ZERO, world.alert - rules.alert_decay * f32(dt))
    world.escape_buff_ticks = max(0, world.escape_buff_ticks - dt)
    world.stabilize_buff_ticks = np.maximum(0, world.stabilize_buff_ticks - dt)
    world.ticks_elapsed += dt


def _overheat(world: World, dt: int) -> None:
    if world.heat > layout.HEAT_MAX:
        world.hull -= world.rules.overheat_hull * (world.heat - layout.HEAT_MAX)
        world.heat = f32(layout.HEAT_MAX)
        world.overheat_ticks += dt


def expose(world: World, danger: f32, dt: int, spread: f32) -> None:
    """Hull damage, heat and alert of dt ticks of hazard, on an edge or at a node; one uniform draw."""
    rules = world.rules
    x = f32(dt) * danger
    world.hull -= (x * rules.exposure_hull) * world.rng.uniform(ONE - spread, ONE + spread)
    world.heat += x * rules.exposure_heat
    world.alert += x * rules.exposure_alert


def _node_hazard(world: World, dt: int) -> None:
    danger = world.rules.hazard_scale * world.node_hazard[world.current_node]
    if danger > 0:
        expose(world, danger, dt, world.rules.node_hull_spread)


def pirate_chance(world: World, intensity: f32) -> f32:
    """Probability of an encounter in one tick, before `pirate_scale`."""
    rules = world.rules
    alert = math32.clamp(world.alert / layout.ALERT_MAX, ZERO, ONE)
    logit = (rules.pirates_base + rules.pirates_intensity * intensity) + rules.pirates_alert * alert
    logit = logit + rules.pirates_cargo * math32.log(ONE + world.cargo_value() / layout.CREDIT_SCALE)
    if world.escape_buff_ticks > 0:
        logit = logit - rules.pirates_escape
    return math32.logistic(logit)


def pirate_roll(world: World, intensity: f32, dt: int) -> None:
    """One uniform draw decides whether pirates attack within dt ticks; if so they do."""
    no_encounter = power(ONE - pirate_chance(world, intensity), dt)
    if world.rng.unit() < world.rules.pirate_scale * (ONE - no_encounter):
        _pirate_attack(world)


def _pirate_attack(world: World) -> None:
    rules, rng = world.rules, world.rng
    share = rng.uniform(rules.pirates_loss_min, rules.pirates_loss_max)
    decoyed = world.decoys > 0 and rng.unit() < rules.decoy_chance
    damage = rng.uniform(rules.pirates_hull_min, rules.pirates_hull_max)
    if decoyed:
        world.decoys -= 1
        share = share * rules.decoy_loss
        damage = damage * rules.decoy_hull
    before = world.cargo_value()
    world.cargo = world.cargo * (ONE - share)
    world.lose_to_pirates(before - world.cargo_value())
    world.hull -= damage
    world.alert += rules.pirates_raise_alert
    world.pirate_encounters += 1


def _clamp_everything(world: World) -> None:
    world.fuel = math32.clamp(world.fuel, ZERO, f32(layout.FUEL_MAX))
    world.hull = math32.clamp(world.hull, ZERO, f32(layout.HULL_MAX))
    world.heat = math32.clamp(world.heat, ZERO, f32(layout.HEAT_MAX))
    world.tool_condition = math32.clamp(world.tool_condition, ZERO, f32(layout.TOOL_MAX))
    world.alert = math32.clamp(world.alert, ZERO, f32(layout.ALERT_MAX))
    world.time_remaining = max(0, world.time_remaining)
    world.cargo = np.clip(world.cargo, ZERO, f32(layout.CARGO_MAX))
    total = world.cargo_total()
    if total > layout.CARGO_MAX:
        world.cargo = world.cargo * (JUST_FULL / total)
