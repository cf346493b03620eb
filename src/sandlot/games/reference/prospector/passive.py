"""What happens by itself in every step: time, heat, hazard, pirates, and the bounds of everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import math32
from ..math32 import ONE, ZERO, f32
from . import layout, market
from .rules import power

if TYPE_CHECKING:
    from .twin import ProspectorTwin


JUST_FULL = f32(199.9999)  # units: a hair below the hold's size, so that rounding cannot leave it above


def pass_time(twin: ProspectorTwin, dt: int, exposed: bool) -> None:
    """The passive part of a step, in its order."""
    run_clocks(twin, dt)
    overheat(twin, dt)
    if exposed and not twin.at_station():
        node_hazard(twin, dt)
        pirate_roll(twin, twin.node_pirate[twin.current_node], dt)
    market.move_market(twin, dt)
    clamp_everything(twin)
    twin.cargo_utilization_sum += f32(dt) * twin.cargo_load()
    twin.cargo_utilization_weight += f32(dt)


def run_clocks(twin: ProspectorTwin, dt: int) -> None:
    rules = twin.rules
    twin.time_remaining -= dt
    twin.heat = math32.greater(ZERO, twin.heat - rules.heat_dissipation * f32(dt))
    twin.alert = math32.greater(ZERO, twin.alert - rules.alert_decay * f32(dt))
    twin.escape_buff_ticks = max(0, twin.escape_buff_ticks - dt)
    twin.stabilize_buff_ticks = np.maximum(0, twin.stabilize_buff_ticks - dt)
    twin.ticks_elapsed += dt


def overheat(twin: ProspectorTwin, dt: int) -> None:
    if twin.heat > layout.HEAT_MAX:
        twin.hull -= twin.rules.overheat_hull * (twin.heat - layout.HEAT_MAX)
        twin.heat = f32(layout.HEAT_MAX)
        twin.overheat_ticks += dt


def expose(twin: ProspectorTwin, danger: f32, dt: int, spread: f32) -> None:
    """Damage, heat and alert of some ticks in danger, on an edge or at a node."""
    rules = twin.rules
    x = f32(dt) * danger
    twin.hull -= (x * rules.exposure_hull) * twin.rng.uniform(ONE - spread, ONE + spread)
    twin.heat += x * rules.exposure_heat
    twin.alert += x * rules.exposure_alert


def node_hazard(twin: ProspectorTwin, dt: int) -> None:
    danger = twin.rules.hazard_scale * twin.node_hazard[twin.current_node]
    if danger > 0:
        expose(twin, danger, dt, twin.rules.node_hull_spread)


def pirate_chance(twin: ProspectorTwin, intensity: f32) -> f32:
    """The chance of an encounter in one tick, before the curriculum's scale."""
    rules = twin.rules
    alert = math32.clamp(twin.alert / layout.ALERT_MAX, ZERO, ONE)
    logit = (rules.pirates_base + rules.pirates_intensity * intensity) + rules.pirates_alert * alert
    logit = logit + rules.pirates_cargo * math32.log(ONE + twin.cargo_value() / layout.CREDIT_SCALE)
    if twin.escape_buff_ticks > 0:
        logit = logit - rules.pirates_escape
    return math32.logistic(logit)


def pirate_roll(twin: ProspectorTwin, intensity: f32, dt: int) -> None:
    spared = power(ONE - pirate_chance(twin, intensity), dt)
    if twin.rng.unit() < twin.rules.pirate_scale * (ONE - spared):
        be_robbed(twin)


def be_robbed(twin: ProspectorTwin) -> None:
    rules, rng = twin.rules, twin.rng
    share = rng.uniform(rules.pirates_loss_min, rules.pirates_loss_max)
    decoyed = twin.decoys > 0 and rng.unit() < rules.decoy_chance
    damage = rng.uniform(rules.pirates_hull_min, rules.pirates_hull_max)
    if decoyed:
        twin.decoys -= 1
        share = share * rules.decoy_loss
        damage = damage * rules.decoy_hull
    before = twin.cargo_value()
    twin.cargo = twin.cargo * (ONE - share)
    twin.lose_to_pirates(before - twin.cargo_value())
    twin.hull -= damage
    twin.alert += rules.pirates_raise_alert
    twin.pirate_encounters += 1


def clamp_everything(twin: ProspectorTwin) -> None:
    twin.fuel = math32.clamp(twin.fuel, ZERO, f32(layout.FUEL_MAX))
    twin.hull = math32.clamp(twin.hull, ZERO, f32(layout.HULL_MAX))
    twin.heat = math32.clamp(twin.heat, ZERO, f32(layout.HEAT_MAX))
    twin.tool_condition = math32.clamp(twin.tool_condition, ZERO, f32(layout.TOOL_MAX))
    twin.alert = math32.clamp(twin.alert, ZERO, f32(layout.ALERT_MAX))
    twin.time_remaining = max(0, twin.time_remaining)
    twin.cargo = np.clip(twin.cargo, ZERO, f32(layout.CARGO_MAX))
    total = twin.cargo_total()
    if total > layout.CARGO_MAX:
        twin.cargo = twin.cargo * (JUST_FULL / total)
