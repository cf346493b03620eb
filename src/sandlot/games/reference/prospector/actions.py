"""The 69 actions: when each is valid, what it does, how long it lasts.

One row a family of ids. `valid` and `apply` get the index within the family (the slot, the commodity, the
mode); `apply` changes the twin and returns the ticks that the action lasts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import math32
from ..math32 import ONE, ZERO, f32
from . import layout, market, passive
from .sums import sum6

if TYPE_CHECKING:
    from .twin import ProspectorTwin

SELL_SHARES = (f32(0.25), f32(0.5), f32(1.0))
SMALLEST_READING = f32(1e-8)


@dataclass(frozen=True)
class Family:
    first: int
    count: int
    valid: Callable[[ProspectorTwin, int], bool]
    apply: Callable[[ProspectorTwin, int], int]


def is_valid(twin: ProspectorTwin, action: int) -> bool:
    if not 0 <= action < layout.N_ACTIONS:
        return False
    family, index = BY_ID[action]
    return bool(family.valid(twin, index))


def apply(twin: ProspectorTwin, action: int) -> int:
    family, index = BY_ID[action]
    return family.apply(twin, index)


# ---- conditions that several actions share -----------------------------------------------------------------


def always(twin: ProspectorTwin, index: int) -> bool:
    return True


def enough_fuel(twin: ProspectorTwin, fuel: f32) -> bool:
    return not twin.rules.fuel_required or bool(twin.fuel > fuel)


def useful(twin: ProspectorTwin, condition: bool | np.bool_) -> bool:
    """A condition that only counts where useless actions are invalid."""
    return not twin.rules.useless_is_invalid or bool(condition)


def affordable(twin: ProspectorTwin, price: f32) -> bool:
    return twin.at_station() and bool(twin.credits >= price)


def timer(twin: ProspectorTwin, ticks: int, dt: int) -> int:
    """A timer's start value: with `timers_start_next_step` the ticks of the action itself do not count."""
    return ticks + dt if twin.rules.timers_start_next_step else ticks


# ---- movement ----------------------------------------------------------------------------------------------


def trip_fuel(twin: ProspectorTwin, slot: int) -> f32:
    return twin.edge_fuel_cost[twin.current_node, slot] * (ONE + twin.rules.load_fuel * twin.cargo_load())


def can_travel(twin: ProspectorTwin, slot: int) -> bool:
    return twin.neighbors[twin.current_node, slot] >= 0 and enough_fuel(twin, trip_fuel(twin, slot))


def travel(twin: ProspectorTwin, slot: int) -> int:
    rules, edge = twin.rules, (twin.current_node, slot)
    dt = int(twin.edge_travel_time[edge])
    threat = twin.edge_threat_true[edge]
    twin.fuel -= trip_fuel(twin, slot)
    twin.current_node = int(twin.neighbors[edge])
    twin.selected_asteroid = -1
    twin.docked = False
    if rules.timers_cleared_by_travel:
        twin.stabilize_buff_ticks[:] = 0
    passive.expose(twin, rules.hazard_scale * threat, dt, rules.edge_hull_spread)
    if rules.edge_pirates_everywhere or not twin.at_station():
        passive.pirate_roll(twin, threat, dt)
    return dt


def hold(twin: ProspectorTwin, index: int = 0) -> int:
    twin.alert = math32.greater(ZERO, twin.alert - twin.rules.hold_alert)
    twin.heat = math32.greater(ZERO, twin.heat - twin.rules.hold_heat)
    return twin.rules.hold_ticks


def can_burn(twin: ProspectorTwin, index: int) -> bool:
    return enough_fuel(twin, twin.rules.burn_fuel)


def burn(twin: ProspectorTwin, index: int) -> int:
    rules = twin.rules
    twin.fuel -= rules.burn_fuel
    twin.alert += rules.burn_alert
    escape = timer(twin, rules.burn_escape_ticks, rules.burn_ticks)
    twin.escape_buff_ticks = max(twin.escape_buff_ticks, escape)
    return rules.burn_ticks


# ---- sensing -----------------------------------------------------------------------------------------------


def can_scan(twin: ProspectorTwin, kind: int) -> bool:
    """A wide scan needs a field, the others a selected asteroid."""
    target = useful(twin, not twin.at_station()) if kind == 0 else twin.selection_valid()
    return target and enough_fuel(twin, twin.rules.scans[kind].fuel)


def pay_for_scan(twin: ProspectorTwin, kind: int) -> None:
    twin.fuel -= twin.rules.scans[kind].fuel
    twin.alert += twin.rules.scans[kind].alert


def scan(twin: ProspectorTwin, kind: int) -> int:
    pay_for_scan(twin, kind)
    slots = range(layout.MAX_ASTEROIDS) if kind == 0 else [twin.selected_asteroid]
    for slot in slots:
        if twin.ast_valid[twin.current_node, slot]:
            scan_asteroid(twin, slot, kind)
    twin.scan_count += 1
    return twin.rules.scans[kind].ticks


def scan_asteroid(twin: ProspectorTwin, slot: int, kind: int) -> None:
    rules, mode, at = twin.rules, twin.rules.scans[kind], (twin.current_node, slot)
    width = ((twin.noise_profile[at] * (f32(1.1) - twin.scan_conf[at])) * mode.noise) * rules.scan_noise_scale
    normals = np.array([twin.rng.normal() for _ in range(layout.N_COMMODITIES)], np.float32)
    reading = np.maximum(SMALLEST_READING, twin.true_comp[at] + width * normals)
    mixed = blend(mode.blend, twin.comp_est[at], reading / sum6(reading))
    twin.comp_est[at] = mixed / sum6(mixed)
    stability = math32.clamp(twin.stability_true[at] + width * twin.rng.normal(), ZERO, ONE)
    twin.stability_est[at] = blend(mode.blend, twin.stability_est[at], stability)
    if rules.richness_signal:
        error = ONE + (rules.richness_noise * width) * twin.rng.normal()
        richness = math32.clamp(twin.richness[at] * error, rules.richness_min, rules.richness_max)
        twin.richness_est[at] = blend(mode.blend, twin.richness_est[at], richness)
    twin.scan_conf[at] = math32.lesser(ONE, twin.scan_conf[at] + mode.gain)


def blend(weight: f32, old: Any, reading: Any) -> Any:
    """A new estimate from the old one and a reading: a number, or six."""
    return (ONE - weight) * old + weight * reading


def listen(twin: ProspectorTwin, index: int) -> int:
    rules, here = twin.rules, twin.current_node
    for slot in range(layout.MAX_NEIGHBORS):
        if twin.neighbors[here, slot] >= 0:
            heard = twin.edge_threat_true[here, slot] + rules.listen_sd * twin.rng.normal()
            believed = twin.edge_threat_est[here, slot]
            believed = blend(rules.listen_blend, believed, math32.clamp(heard, ZERO, ONE))
            twin.edge_threat_est[here, slot] = believed
    return rules.listen_ticks


# ---- selecting and mining ----------------------------------------------------------------------------------


def can_select(twin: ProspectorTwin, slot: int) -> bool:
    return twin.minable(slot) and useful(twin, slot != twin.selected_asteroid)


def select(twin: ProspectorTwin, slot: int) -> int:
    twin.selected_asteroid = slot
    return twin.rules.select_ticks


def can_mine(twin: ProspectorTwin, mode: int) -> bool:
    has_room = layout.CARGO_MAX - twin.cargo_total() >= twin.rules.trace_units
    return twin.selection_valid() and useful(twin, has_room)


def mine(twin: ProspectorTwin, index: int) -> int:
    mode, at = twin.rules.mining[index], (twin.current_node, twin.selected_asteroid)
    room = math32.greater(ZERO, layout.CARGO_MAX - twin.cargo_total())
    loaded = math32.lesser(mining_units(twin, mode), room)
    ore = loaded * twin.true_comp[at]
    twin.cargo = twin.cargo + ore
    twin.gain_value(sum6(ore * twin.price))
    known = twin.richness_est[at]
    twin.richness_est[at] = known + twin.rules.mining_reveals * (twin.richness[at] - known)
    twin.step_poorer = known - twin.richness_est[at]
    twin.depletion[at] = math32.lesser(ONE, twin.depletion[at] + twin.rules.depletion_per_unit * loaded)
    if twin.rng.unit() < twin.rules.fracture_scale * fracture_chance(twin, mode):
        fracture(twin)
    twin.heat += mode.heat
    twin.tool_condition -= mode.wear
    twin.alert += mode.alert
    twin.mining_ticks += 1
    return twin.rules.mine_ticks


def mining_units(twin: ProspectorTwin, mode: SimpleNamespace) -> f32:
    """What one mining action would bring with an endless hold."""
    at = (twin.current_node, twin.selected_asteroid)
    noise = math32.exp(mode.sd * twin.rng.normal())
    rock = twin.richness[at] * (ONE - twin.depletion[at])
    return (((rock * tool_efficiency(twin)) * heat_efficiency(twin)) * getattr(mode, "yield")) * noise


def tool_efficiency(twin: ProspectorTwin) -> f32:
    floor = twin.rules.tool_floor
    return floor + (ONE - floor) * (twin.tool_condition / layout.TOOL_MAX)


def heat_efficiency(twin: ProspectorTwin) -> f32:
    knee = twin.rules.heat_knee
    if not twin.heat > knee:
        return ONE
    return math32.greater(twin.rules.heat_floor, ONE - (twin.heat - knee) / (layout.HEAT_MAX - knee))


def fracture_chance(twin: ProspectorTwin, mode: SimpleNamespace) -> f32:
    """The chance that one mining action breaks the selected asteroid up, before the curriculum's scale."""
    rules, at = twin.rules, (twin.current_node, twin.selected_asteroid)
    excess = math32.greater(ZERO, twin.heat / layout.HEAT_MAX - rules.heat_knee / layout.HEAT_MAX)
    logit = (rules.fracture_base + mode.fracture) + rules.fracture_stability * (ONE - twin.stability_true[at])
    logit = logit + rules.fracture_heat * excess
    logit = logit + rules.fracture_tool * (ONE - twin.tool_condition / layout.TOOL_MAX)
    logit = logit + rules.fracture_depletion * (twin.depletion[at] * twin.depletion[at])
    if twin.stabilize_buff_ticks[twin.selected_asteroid] > 0:
        logit = logit - rules.fracture_stabilized
    return math32.logistic(logit)


def fracture(twin: ProspectorTwin) -> None:
    rules, here = twin.rules, twin.current_node
    twin.hull -= rules.fracture_hull * twin.rng.uniform(rules.fracture_hull_low, ONE)
    at = (here, twin.selected_asteroid)
    left = f32(twin.time_remaining) / f32(rules.time_max)
    twin.step_broken = (twin.richness[at] * (ONE - twin.depletion[at])) * left
    twin.depletion[at] = ONE
    twin.node_hazard[here] = math32.lesser(ONE, twin.node_hazard[here] + rules.fracture_hazard)
    twin.fractures += 1


def can_stabilize(twin: ProspectorTwin, index: int) -> bool:
    return twin.selection_valid() and twin.stabilizers > 0


def stabilize(twin: ProspectorTwin, index: int) -> int:
    rules = twin.rules
    twin.stabilizers -= 1
    ticks = timer(twin, rules.stabilize_buff_ticks, rules.stabilize_ticks)
    twin.stabilize_buff_ticks[twin.selected_asteroid] = ticks
    return rules.stabilize_ticks


# ---- keeping the ship --------------------------------------------------------------------------------------


def refinable(twin: ProspectorTwin) -> f32:
    ore = twin.cargo[layout.IRON] + twin.cargo[layout.NICKEL]
    return ore + twin.cargo[layout.WATER_ICE] if twin.rules.densify else ore


def can_refine(twin: ProspectorTwin, index: int) -> bool:
    allowed_here = twin.rules.refine_at_station or not twin.at_station()
    has_ore = useful(twin, refinable(twin) >= twin.rules.trace_units)
    return bool(allowed_here) and has_ore and enough_fuel(twin, twin.rules.refine_fuel)


def refine(twin: ProspectorTwin, index: int) -> int:
    rules = twin.rules
    twin.fuel -= rules.refine_fuel
    twin.heat += rules.refine_heat
    twin.alert += rules.refine_alert
    (densify if rules.densify else make_isotopes)(twin)
    return rules.refine_ticks


def make_isotopes(twin: ProspectorTwin) -> None:
    rules, cargo, price = twin.rules, twin.cargo, twin.price
    a, b = rules.refine_share * cargo[layout.IRON], rules.refine_share * cargo[layout.NICKEL]
    made = rules.refine_yield * (a + b)
    cargo[layout.IRON] -= a
    cargo[layout.NICKEL] -= b
    cargo[layout.RARE_ISOTOPES] += made
    taken = a * price[layout.IRON] + b * price[layout.NICKEL]
    twin.gain_value(math32.greater(ZERO, made * price[layout.RARE_ISOTOPES] - taken))


def densify(twin: ProspectorTwin) -> None:
    rules, cargo, price = twin.rules, twin.cargo, twin.price
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
    twin.gain_value(math32.greater(ZERO, made - taken))


def can_cool(twin: ProspectorTwin, index: int) -> bool:
    return useful(twin, twin.heat > 0) and enough_fuel(twin, twin.rules.cooldown_fuel)


def cool(twin: ProspectorTwin, index: int) -> int:
    rules = twin.rules
    twin.fuel -= rules.cooldown_fuel
    twin.heat = math32.greater(ZERO, twin.heat - rules.cooldown_heat)
    twin.alert += rules.cooldown_alert
    return rules.cooldown_ticks


def can_maintain(twin: ProspectorTwin, index: int) -> bool:
    return twin.repair_kits > 0 and useful(twin, twin.tool_condition < layout.TOOL_MAX)


def maintain(twin: ProspectorTwin, index: int) -> int:
    twin.repair_kits -= 1
    restored = twin.tool_condition + twin.rules.maintenance_tool
    twin.tool_condition = math32.lesser(f32(layout.TOOL_MAX), restored)
    return twin.rules.maintenance_ticks


def can_patch(twin: ProspectorTwin, index: int) -> bool:
    return twin.repair_kits > 0 and useful(twin, twin.hull < layout.HULL_MAX)


def patch(twin: ProspectorTwin, index: int) -> int:
    twin.repair_kits -= 1
    twin.hull = math32.lesser(f32(layout.HULL_MAX), twin.hull + twin.rules.patch_hull)
    return twin.rules.patch_ticks


def can_jettison(twin: ProspectorTwin, c: int) -> bool:
    return not twin.rules.jettison_needs_cargo or twin.cargo[c] >= twin.rules.trace_units


def jettison(twin: ProspectorTwin, c: int) -> int:
    rules = twin.rules
    value = (twin.cargo[c] * twin.price[c]) / layout.CREDIT_SCALE
    relief = rules.jettison_alert + rules.jettison_alert_per_value * value
    twin.cargo[c] = 0
    twin.alert = math32.greater(ZERO, twin.alert - relief)
    return rules.jettison_ticks


# ---- the station -------------------------------------------------------------------------------------------


def can_dock(twin: ProspectorTwin, index: int) -> bool:
    spent = twin.rules.dock_once and (twin.docked or not twin.alert > 0)
    return twin.at_station() and not spent


def dock(twin: ProspectorTwin, index: int) -> int:
    twin.alert = math32.greater(ZERO, twin.alert - twin.rules.dock_alert)
    twin.docked = True
    return twin.rules.dock_ticks


def can_sell(twin: ProspectorTwin, index: int) -> bool:
    return twin.at_station() and useful(twin, twin.cargo[index // 3] >= twin.rules.trace_units)


def sell(twin: ProspectorTwin, index: int) -> int:
    c, share = index // 3, SELL_SHARES[index % 3]
    units = share * twin.cargo[c]
    twin.credits += market.proceeds(twin, c, units)
    twin.cargo[c] -= units
    twin.station_inventory[c] += units
    twin.recent_sales[c] += units
    return twin.rules.trade_ticks


def pay(twin: ProspectorTwin, price: f32) -> None:
    twin.credits -= price
    twin.total_spend += price


def can_buy_fuel(twin: ProspectorTwin, pack: int) -> bool:
    return affordable(twin, twin.rules.fuel_prices[pack]) and useful(twin, twin.fuel < layout.FUEL_MAX)


def buy_fuel(twin: ProspectorTwin, pack: int) -> int:
    pay(twin, twin.rules.fuel_prices[pack])
    twin.fuel = math32.lesser(f32(layout.FUEL_MAX), twin.fuel + twin.rules.fuel_amounts[pack])
    return twin.rules.trade_ticks


ITEMS = (("repair_kits", "kit_price"), ("stabilizers", "stabilizer_price"), ("decoys", "decoy_price"))


def can_buy_item(twin: ProspectorTwin, index: int) -> bool:
    count, price = ITEMS[index]
    return affordable(twin, getattr(twin.rules, price)) and getattr(twin, count) < layout.ITEM_MAX


def buy_item(twin: ProspectorTwin, index: int) -> int:
    count, price = ITEMS[index]
    pay(twin, getattr(twin.rules, price))
    setattr(twin, count, getattr(twin, count) + 1)
    return twin.rules.trade_ticks


def can_overhaul(twin: ProspectorTwin, index: int) -> bool:
    worn = twin.hull < layout.HULL_MAX or twin.tool_condition < layout.TOOL_MAX
    return affordable(twin, twin.rules.overhaul_price) and useful(twin, worn)


def overhaul(twin: ProspectorTwin, index: int) -> int:
    pay(twin, twin.rules.overhaul_price)
    twin.hull = f32(layout.HULL_MAX)
    twin.tool_condition = f32(layout.TOOL_MAX)
    return twin.rules.overhaul_ticks


def can_cash_out(twin: ProspectorTwin, index: int) -> bool:
    ahead = twin.credits > twin.start_credits or not twin.rules.cash_out_needs_profit
    return ahead and (twin.at_station() or not twin.rules.cash_out_at_station)


def cash_out(twin: ProspectorTwin, index: int) -> int:
    """Ends the episode, which the twin sees by the id."""
    return twin.rules.cash_out_ticks


FAMILIES = (
    Family(layout.TRAVEL, layout.MAX_NEIGHBORS, can_travel, travel),
    Family(layout.HOLD, 1, always, hold),
    Family(layout.BURN, 1, can_burn, burn),
    Family(layout.WIDE_SCAN, 3, can_scan, scan),
    Family(layout.LISTEN, 1, always, listen),
    Family(layout.SELECT, layout.MAX_ASTEROIDS, can_select, select),
    Family(layout.MINE, 3, can_mine, mine),
    Family(layout.STABILIZE, 1, can_stabilize, stabilize),
    Family(layout.REFINE, 1, can_refine, refine),
    Family(layout.COOLDOWN, 1, can_cool, cool),
    Family(layout.MAINTAIN_TOOL, 1, can_maintain, maintain),
    Family(layout.PATCH_HULL, 1, can_patch, patch),
    Family(layout.JETTISON, layout.N_COMMODITIES, can_jettison, jettison),
    Family(layout.DOCK, 1, can_dock, dock),
    Family(layout.SELL, 18, can_sell, sell),
    Family(layout.BUY_FUEL, 3, can_buy_fuel, buy_fuel),
    Family(layout.BUY_KIT, 3, can_buy_item, buy_item),
    Family(layout.OVERHAUL, 1, can_overhaul, overhaul),
    Family(layout.CASH_OUT, 1, can_cash_out, cash_out),
)

# The family of each id, and the id's index in it.
BY_ID = tuple((family, index) for family in FAMILIES for index in range(family.count))
assert [family.first + index for family, index in BY_ID] == list(range(layout.N_ACTIONS))
