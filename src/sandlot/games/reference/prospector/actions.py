"""The 69 actions: when each is valid, what it does, how long it lasts.

Ids come in families (travel by slot, sell by commodity and share, ...); FAMILIES has one row per family.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from .. import math32
from ..math32 import ONE, ZERO, f32, sum6
from . import layout, market, passive
from .world import World

SELL_SHARES = (f32(0.25), f32(0.5), f32(1.0))
SMALLEST_READING = f32(1e-8)


@dataclass(frozen=True)
class Family:
    """Consecutive action ids of one kind. The functions get the index within it, such as the slot."""

    first: int  # the lowest id
    count: int  # ids, one after the other
    valid: Callable[[World, int], bool]
    apply: Callable[[World, int], int]  # changes the world, returns the ticks that the action lasts


def is_valid(world: World, action: int) -> bool:
    """Whether the rules allow the action now; an id outside 0..68 is never valid."""
    if not 0 <= action < layout.N_ACTIONS:
        return False
    family, index = BY_ID[action]
    return bool(family.valid(world, index))


def apply(world: World, action: int) -> int:
    """Carry out a valid action and return its ticks; the passive part of the step comes afterwards."""
    family, index = BY_ID[action]
    return family.apply(world, index)


# ---- conditions that several actions share -----------------------------------------------------------------


def _always(world: World, index: int) -> bool:
    return True


def _enough_fuel(world: World, fuel: f32) -> bool:
    return not world.rules.fuel_required or bool(world.fuel > fuel)


def _useful(world: World, condition: bool | np.bool_) -> bool:
    """The condition under `useless_is_invalid`; always true without that flag."""
    return not world.rules.useless_is_invalid or bool(condition)


def _affordable(world: World, price: f32) -> bool:
    return world.at_station() and bool(world.credits >= price)


def _timer(world: World, ticks: int, dt: int) -> int:
    """A timer's start value: with `timers_start_next_step` the ticks of the action itself do not count."""
    return ticks + dt if world.rules.timers_start_next_step else ticks


# ---- movement ----------------------------------------------------------------------------------------------


def _trip_fuel(world: World, slot: int) -> f32:
    """Fuel of the edge for the present load."""
    return world.edge_fuel_cost[world.current_node, slot] * (ONE + world.rules.load_fuel * world.cargo_load())


def _can_travel(world: World, slot: int) -> bool:
    return world.neighbors[world.current_node, slot] >= 0 and _enough_fuel(world, _trip_fuel(world, slot))


def _travel(world: World, slot: int) -> int:
    rules, edge = world.rules, (world.current_node, slot)
    dt = int(world.edge_travel_time[edge])
    threat = world.edge_threat_true[edge]
    world.fuel -= _trip_fuel(world, slot)
    world.current_node = int(world.neighbors[edge])
    world.selected_asteroid = -1
    world.docked = False
    if rules.timers_cleared_by_travel:
        world.stabilize_buff_ticks[:] = 0
    passive.expose(world, rules.hazard_scale * threat, dt, rules.edge_hull_spread)
    if rules.edge_pirates_everywhere or not world.at_station():
        passive.pirate_roll(world, threat, dt)
    return dt


def hold(world: World, index: int = 0) -> int:
    """Lower alert and heat, not below 0. Also the effect of every invalid action."""
    world.alert = math32.greater(ZERO, world.alert - world.rules.hold_alert)
    world.heat = math32.greater(ZERO, world.heat - world.rules.hold_heat)
    return world.rules.hold_ticks


def _can_burn(world: World, index: int) -> bool:
    return _enough_fuel(world, world.rules.burn_fuel)


def _burn(world: World, index: int) -> int:
    rules = world.rules
    world.fuel -= rules.burn_fuel
    world.alert += rules.burn_alert
    escape = _timer(world, rules.burn_escape_ticks, rules.burn_ticks)
    world.escape_buff_ticks = max(world.escape_buff_ticks, escape)
    return rules.burn_ticks


# ---- sensing -----------------------------------------------------------------------------------------------


def _can_scan(world: World, kind: int) -> bool:
    """A wide scan needs a field, the others a selected asteroid."""
    target = _useful(world, not world.at_station()) if kind == 0 else world.selection_valid()
    return target and _enough_fuel(world, world.rules.scans[kind].fuel)


def pay_for_scan(world: World, kind: int) -> None:
    """Take the fuel and add the alert of a scan (0 wide, 1 focused, 2 deep)."""
    world.fuel -= world.rules.scans[kind].fuel
    world.alert += world.rules.scans[kind].alert


def _scan(world: World, kind: int) -> int:
    pay_for_scan(world, kind)
    slots = range(layout.MAX_ASTEROIDS) if kind == 0 else [world.selected_asteroid]
    for slot in slots:
        if world.ast_valid[world.current_node, slot]:
            _scan_asteroid(world, slot, kind)
    world.scan_count += 1
    return world.rules.scans[kind].ticks


def _scan_asteroid(world: World, slot: int, kind: int) -> None:
    """Draw noisy readings (mix, stability, richness) and blend them into the estimates."""
    rules, mode, at = world.rules, world.rules.scans[kind], (world.current_node, slot)
    width = (
        (world.noise_profile[at] * (f32(1.1) - world.scan_conf[at])) * mode.noise
    ) * rules.scan_noise_scale
    normals = np.array([world.rng.normal() for _ in range(layout.N_COMMODITIES)], np.float32)
    reading = np.maximum(SMALLEST_READING, world.true_comp[at] + width * normals)
    mixed = _blend(mode.blend, world.comp_est[at], reading / sum6(reading))
    world.comp_est[at] = mixed / sum6(mixed)
    stability = math32.clamp(world.stability_true[at] + width * world.rng.normal(), ZERO, ONE)
    world.stability_est[at] = _blend(mode.blend, world.stability_est[at], stability)
    if rules.richness_signal:
        error = ONE + (rules.richness_noise * width) * world.rng.normal()
        richness = math32.clamp(world.richness[at] * error, rules.richness_min, rules.richness_max)
        world.richness_est[at] = _blend(mode.blend, world.richness_est[at], richness)
    world.scan_conf[at] = math32.lesser(ONE, world.scan_conf[at] + mode.gain)


def _blend(weight: f32, old: Any, reading: Any) -> Any:
    """The new estimate: (1 - weight) of the old one plus weight of the reading; a scalar or six values."""
    return (ONE - weight) * old + weight * reading


def _listen(world: World, index: int) -> int:
    rules, here = world.rules, world.current_node
    for slot in range(layout.MAX_NEIGHBORS):
        if world.neighbors[here, slot] >= 0:
            heard = world.edge_threat_true[here, slot] + rules.listen_sd * world.rng.normal()
            believed = world.edge_threat_est[here, slot]
            believed = _blend(rules.listen_blend, believed, math32.clamp(heard, ZERO, ONE))
            world.edge_threat_est[here, slot] = believed
    return rules.listen_ticks


# ---- selecting and mining ----------------------------------------------------------------------------------


def _can_select(world: World, slot: int) -> bool:
    return world.minable(slot) and _useful(world, slot != world.selected_asteroid)


def _select(world: World, slot: int) -> int:
    world.selected_asteroid = slot
    return world.rules.select_ticks


def _can_mine(world: World, mode: int) -> bool:
    has_room = layout.CARGO_MAX - world.cargo_total() >= world.rules.trace_units
    return world.selection_valid() and _useful(world, has_room)


def _mine(world: World, index: int) -> int:
    mode, at = world.rules.mining[index], (world.current_node, world.selected_asteroid)
    room = math32.greater(ZERO, layout.CARGO_MAX - world.cargo_total())
    loaded = math32.lesser(_mining_units(world, mode), room)
    ore = loaded * world.true_comp[at]
    world.cargo = world.cargo + ore
    world.gain_value(sum6(ore * world.price))
    known = world.richness_est[at]
    world.richness_est[at] = known + world.rules.mining_reveals * (world.richness[at] - known)
    world.step_richness_drop = known - world.richness_est[at]
    world.depletion[at] = math32.lesser(ONE, world.depletion[at] + world.rules.depletion_per_unit * loaded)
    if world.rng.unit() < world.rules.fracture_scale * fracture_chance(world, mode):
        _fracture(world)
    world.heat += mode.heat
    world.tool_condition -= mode.wear
    world.alert += mode.alert
    world.mining_ticks += 1
    return world.rules.mine_ticks


def _mining_units(world: World, mode: SimpleNamespace) -> f32:
    """Units that one mining action yields before the free room in the hold limits them; draws one normal."""
    at = (world.current_node, world.selected_asteroid)
    noise = math32.exp(mode.sd * world.rng.normal())
    rock = world.richness[at] * (ONE - world.depletion[at])
    return (((rock * _tool_efficiency(world)) * _heat_efficiency(world)) * getattr(mode, "yield")) * noise


def _tool_efficiency(world: World) -> f32:
    floor = world.rules.tool_floor
    return floor + (ONE - floor) * (world.tool_condition / layout.TOOL_MAX)


def _heat_efficiency(world: World) -> f32:
    knee = world.rules.heat_knee
    if not world.heat > knee:
        return ONE
    return math32.greater(world.rules.heat_floor, ONE - (world.heat - knee) / (layout.HEAT_MAX - knee))


def fracture_chance(world: World, mode: SimpleNamespace) -> f32:
    """Probability that one mining action breaks the selected asteroid up, before `fracture_scale`."""
    rules, at = world.rules, (world.current_node, world.selected_asteroid)
    excess = math32.greater(ZERO, world.heat / layout.HEAT_MAX - rules.heat_knee / layout.HEAT_MAX)
    logit = (rules.fracture_base + mode.fracture) + rules.fracture_stability * (
        ONE - world.stability_true[at]
    )
    logit = logit + rules.fracture_heat * excess
    logit = logit + rules.fracture_tool * (ONE - world.tool_condition / layout.TOOL_MAX)
    logit = logit + rules.fracture_depletion * (world.depletion[at] * world.depletion[at])
    if world.stabilize_buff_ticks[world.selected_asteroid] > 0:
        logit = logit - rules.fracture_stabilized
    return math32.logistic(logit)


def _fracture(world: World) -> None:
    """Break the selected asteroid up: hull damage, depletion 1, and a more hazardous node."""
    rules, here = world.rules, world.current_node
    world.hull -= rules.fracture_hull * world.rng.uniform(rules.fracture_hull_low, ONE)
    at = (here, world.selected_asteroid)
    left = f32(world.time_remaining) / f32(rules.time_max)
    world.step_broken = (world.richness[at] * (ONE - world.depletion[at])) * left
    world.depletion[at] = ONE
    world.node_hazard[here] = math32.lesser(ONE, world.node_hazard[here] + rules.fracture_hazard)
    world.fractures += 1


def _can_stabilize(world: World, index: int) -> bool:
    return world.selection_valid() and world.stabilizers > 0


def _stabilize(world: World, index: int) -> int:
    rules = world.rules
    world.stabilizers -= 1
    ticks = _timer(world, rules.stabilize_buff_ticks, rules.stabilize_ticks)
    world.stabilize_buff_ticks[world.selected_asteroid] = ticks
    return rules.stabilize_ticks


# ---- maintenance -------------------------------------------------------------------------------------------


def _refinable(world: World) -> f32:
    """Units of ore that the refining rule in force takes."""
    ore = world.cargo[layout.IRON] + world.cargo[layout.NICKEL]
    return ore + world.cargo[layout.WATER_ICE] if world.rules.densify else ore


def _can_refine(world: World, index: int) -> bool:
    allowed_here = world.rules.refine_at_station or not world.at_station()
    has_ore = _useful(world, _refinable(world) >= world.rules.trace_units)
    return bool(allowed_here) and has_ore and _enough_fuel(world, world.rules.refine_fuel)


def _refine(world: World, index: int) -> int:
    rules = world.rules
    world.fuel -= rules.refine_fuel
    world.heat += rules.refine_heat
    world.alert += rules.refine_alert
    (_densify if rules.densify else _make_isotopes)(world)
    return rules.refine_ticks


def _make_isotopes(world: World) -> None:
    """The rule `isotopes`: a share of iron and nickel becomes rare isotopes."""
    rules, cargo, price = world.rules, world.cargo, world.price
    a, b = rules.refine_share * cargo[layout.IRON], rules.refine_share * cargo[layout.NICKEL]
    made = rules.refine_yield * (a + b)
    cargo[layout.IRON] -= a
    cargo[layout.NICKEL] -= b
    cargo[layout.RARE_ISOTOPES] += made
    taken = a * price[layout.IRON] + b * price[layout.NICKEL]
    world.gain_value(math32.greater(ZERO, made * price[layout.RARE_ISOTOPES] - taken))


def _densify(world: World) -> None:
    """The rule `densify`: a share of iron and nickel becomes pge, of water ice volatiles."""
    rules, cargo, price = world.rules, world.cargo, world.price
    a, b = rules.refine_share * cargo[layout.IRON], rules.refine_share * cargo[layout.NICKEL]
    w = rules.refine_share * cargo[layout.WATER_ICE]
    metals, gases = rules.yield_iron * a + rules.yield_nickel * b, rules.yield_ice * w
    cargo[layout.IRON] -= a
    cargo[layout.NICKEL] -= b
    cargo[layout.WATER_ICE] -= w
    cargo[layout.PGE] += metals
    cargo[layout.VOLATILES] += gases
    made = metals * price[layout.PGE] + gases * price[layout.VOLATILES]
    taken = (a * price[layout.IRON] + b * price[layout.NICKEL]) + w * price[layout.WATER_ICE]
    world.gain_value(math32.greater(ZERO, made - taken))


def _can_cool(world: World, index: int) -> bool:
    return _useful(world, world.heat > 0) and _enough_fuel(world, world.rules.cooldown_fuel)


def _cool(world: World, index: int) -> int:
    rules = world.rules
    world.fuel -= rules.cooldown_fuel
    world.heat = math32.greater(ZERO, world.heat - rules.cooldown_heat)
    world.alert += rules.cooldown_alert
    return rules.cooldown_ticks


def _can_maintain(world: World, index: int) -> bool:
    return world.repair_kits > 0 and _useful(world, world.tool_condition < layout.TOOL_MAX)


def _maintain(world: World, index: int) -> int:
    world.repair_kits -= 1
    restored = world.tool_condition + world.rules.maintenance_tool
    world.tool_condition = math32.lesser(f32(layout.TOOL_MAX), restored)
    return world.rules.maintenance_ticks


def _can_patch(world: World, index: int) -> bool:
    return world.repair_kits > 0 and _useful(world, world.hull < layout.HULL_MAX)


def _patch(world: World, index: int) -> int:
    world.repair_kits -= 1
    world.hull = math32.lesser(f32(layout.HULL_MAX), world.hull + world.rules.patch_hull)
    return world.rules.patch_ticks


def _can_jettison(world: World, c: int) -> bool:
    return not world.rules.jettison_needs_cargo or world.cargo[c] >= world.rules.trace_units


def _jettison(world: World, c: int) -> int:
    rules = world.rules
    value = (world.cargo[c] * world.price[c]) / layout.CREDIT_SCALE
    relief = rules.jettison_alert + rules.jettison_alert_per_value * value
    world.cargo[c] = 0
    world.alert = math32.greater(ZERO, world.alert - relief)
    return rules.jettison_ticks


# ---- the station -------------------------------------------------------------------------------------------


def _can_dock(world: World, index: int) -> bool:
    spent = world.rules.dock_once and (world.docked or not world.alert > 0)
    return world.at_station() and not spent


def _dock(world: World, index: int) -> int:
    world.alert = math32.greater(ZERO, world.alert - world.rules.dock_alert)
    world.docked = True
    return world.rules.dock_ticks


def _can_sell(world: World, index: int) -> bool:
    return world.at_station() and _useful(world, world.cargo[index // 3] >= world.rules.trace_units)


def _sell(world: World, index: int) -> int:
    c, share = index // 3, SELL_SHARES[index % 3]
    units = share * world.cargo[c]
    world.credits += market.proceeds(world, c, units)
    world.cargo[c] -= units
    world.station_inventory[c] += units
    world.recent_sales[c] += units
    return world.rules.trade_ticks


def _pay(world: World, price: f32) -> None:
    world.credits -= price
    world.total_spend += price


def _can_buy_fuel(world: World, pack: int) -> bool:
    return _affordable(world, world.rules.fuel_prices[pack]) and _useful(world, world.fuel < layout.FUEL_MAX)


def _buy_fuel(world: World, pack: int) -> int:
    _pay(world, world.rules.fuel_prices[pack])
    world.fuel = math32.lesser(f32(layout.FUEL_MAX), world.fuel + world.rules.fuel_amounts[pack])
    return world.rules.trade_ticks


ITEMS = (("repair_kits", "kit_price"), ("stabilizers", "stabilizer_price"), ("decoys", "decoy_price"))


def _can_buy_item(world: World, index: int) -> bool:
    count, price = ITEMS[index]
    return _affordable(world, getattr(world.rules, price)) and getattr(world, count) < layout.ITEM_MAX


def _buy_item(world: World, index: int) -> int:
    count, price = ITEMS[index]
    _pay(world, getattr(world.rules, price))
    setattr(world, count, getattr(world, count) + 1)
    return world.rules.trade_ticks


def _can_overhaul(world: World, index: int) -> bool:
    worn = world.hull < layout.HULL_MAX or world.tool_condition < layout.TOOL_MAX
    return _affordable(world, world.rules.overhaul_price) and _useful(world, worn)


def _overhaul(world: World, index: int) -> int:
    _pay(world, world.rules.overhaul_price)
    world.hull = f32(layout.HULL_MAX)
    world.tool_condition = f32(layout.TOOL_MAX)
    return world.rules.overhaul_ticks


def _can_cash_out(world: World, index: int) -> bool:
    ahead = world.credits > world.start_credits or not world.rules.cash_out_needs_profit
    return ahead and (world.at_station() or not world.rules.cash_out_at_station)


def _cash_out(world: World, index: int) -> int:
    """Only takes its ticks: the world ends the episode when it sees this id."""
    return world.rules.cash_out_ticks


FAMILIES = (
    Family(layout.TRAVEL, layout.MAX_NEIGHBORS, _can_travel, _travel),
    Family(layout.HOLD, 1, _always, hold),
    Family(layout.BURN, 1, _can_burn, _burn),
    Family(layout.WIDE_SCAN, 3, _can_scan, _scan),
    Family(layout.LISTEN, 1, _always, _listen),
    Family(layout.SELECT, layout.MAX_ASTEROIDS, _can_select, _select),
    Family(layout.MINE, 3, _can_mine, _mine),
    Family(layout.STABILIZE, 1, _can_stabilize, _stabilize),
    Family(layout.REFINE, 1, _can_refine, _refine),
    Family(layout.COOLDOWN, 1, _can_cool, _cool),
    Family(layout.MAINTAIN_TOOL, 1, _can_maintain, _maintain),
    Family(layout.PATCH_HULL, 1, _can_patch, _patch),
    Family(layout.JETTISON, layout.N_COMMODITIES, _can_jettison, _jettison),
    Family(layout.DOCK, 1, _can_dock, _dock),
    Family(layout.SELL, 18, _can_sell, _sell),
    Family(layout.BUY_FUEL, 3, _can_buy_fuel, _buy_fuel),
    Family(layout.BUY_KIT, 3, _can_buy_item, _buy_item),
    Family(layout.OVERHAUL, 1, _can_overhaul, _overhaul),
    Family(layout.CASH_OUT, 1, _can_cash_out, _cash_out),
)

# The family of each id, and the id's index in it.
BY_ID = tuple((family, index) for family in FAMILIES for index in range(family.count))
assert [family.first + index for family, index in BY_ID] == list(range(layout.N_ACTIONS))
