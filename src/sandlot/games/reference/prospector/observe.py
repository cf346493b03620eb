"""What the pilot sees: 260 numbers, block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import math32
from ..math32 import ONE, ZERO, f32
from . import layout

if TYPE_CHECKING:
    from .twin import ProspectorTwin

CREDITS_CAP = 10_000_000
INVENTORY_SHOWN = (0, 2, 3, 4)  # iron, water_ice, pge, rare_isotopes


def observe(twin: ProspectorTwin) -> np.ndarray:
    out = np.zeros(layout.OBS_DIM, np.float32)
    observe_ship(twin, out)
    observe_place(twin, out)
    for slot in range(layout.MAX_NEIGHBORS):
        observe_neighbor(twin, slot, out[layout.NEIGHBORS_AT + slot * layout.NEIGHBOR_SIZE :])
    observe_spare(twin, out[layout.SPARE_AT :])
    for slot in range(layout.MAX_ASTEROIDS):
        observe_asteroid(twin, slot, out[layout.ASTEROIDS_AT + slot * layout.ASTEROID_SIZE :])
    observe_market(twin, out[layout.MARKET_AT :])
    return out


def observe_ship(twin: ProspectorTwin, out: np.ndarray) -> None:
    out[0] = twin.fuel / layout.FUEL_MAX
    out[1] = twin.hull / layout.HULL_MAX
    out[2] = twin.heat / layout.HEAT_MAX
    out[3] = twin.tool_condition / layout.TOOL_MAX
    out[4] = twin.cargo_load()
    out[5] = twin.alert / layout.ALERT_MAX
    out[6] = f32(twin.time_remaining) / f32(twin.rules.time_max)
    out[7] = credits_norm(twin.credits)
    out[8:14] = twin.cargo / layout.CARGO_MAX
    out[14] = f32(twin.repair_kits) / layout.ITEM_MAX
    out[15] = f32(twin.stabilizers) / layout.ITEM_MAX
    out[16] = f32(twin.decoys) / layout.ITEM_MAX


def credits_norm(credits: f32) -> f32:
    share = math32.log(ONE + math32.greater(ZERO, credits)) / math32.log(f32(1 + CREDITS_CAP))
    return math32.lesser(ONE, share)


def observe_place(twin: ProspectorTwin, out: np.ndarray) -> None:
    here = twin.current_node
    out[17] = twin.at_station()
    out[18] = twin.selection_valid()
    out[19 + twin.node_type[here]] = 1
    out[22] = f32(here) / (layout.MAX_NODES - 1)
    out[23] = f32(twin.hops_to_station[here]) / (layout.MAX_NODES - 1)


def observe_neighbor(twin: ProspectorTwin, slot: int, out: np.ndarray) -> None:
    here, there = twin.current_node, twin.neighbors[twin.current_node, slot]
    if there < 0:
        return
    out[0] = 1
    out[1 + twin.node_type[there]] = 1
    out[4] = f32(twin.edge_travel_time[here, slot]) / 8
    out[5] = twin.edge_fuel_cost[here, slot] / 160
    out[6] = twin.edge_threat_est[here, slot]


def observe_spare(twin: ProspectorTwin, out: np.ndarray) -> None:
    """The richness that scans suggest for the selected asteroid, and the slot that leads home."""
    here = twin.current_node
    if twin.rules.richness_signal and twin.selection_valid():
        out[0] = twin.richness_est[here, twin.selected_asteroid] / 4
    if twin.rules.way_home_signal:
        out[1] = f32(way_home(twin) + 1) / layout.MAX_NEIGHBORS


def way_home(twin: ProspectorTwin) -> int:
    """The lowest slot whose neighbour is one hop nearer to the station; -1 there or without a way."""
    here = twin.current_node
    for slot, there in enumerate(twin.neighbors[here]):
        if there >= 0 and twin.hops_to_station[there] == twin.hops_to_station[here] - 1:
            return slot
    return -1


def observe_asteroid(twin: ProspectorTwin, slot: int, out: np.ndarray) -> None:
    at = (twin.current_node, slot)
    if not twin.ast_valid[at]:
        return
    out[0] = 1
    out[1:7] = twin.comp_est[at]
    out[7] = twin.stability_est[at]
    out[8] = twin.depletion[at]
    out[9] = twin.scan_conf[at]
    out[10] = slot == twin.selected_asteroid


def observe_market(twin: ProspectorTwin, out: np.ndarray) -> None:
    rules = twin.rules
    unit = rules.price_max if rules.price_norm_by_max else rules.price_base
    for c in range(layout.N_COMMODITIES):
        out[c] = math32.clamp(twin.price[c] / unit[c], ZERO, ONE)
        out[6 + c] = math32.clamp((twin.price[c] - twin.prev_price[c]) / 100, -ONE, ONE)
    for place, c in enumerate(INVENTORY_SHOWN):
        out[12 + place] = math32.clamp(twin.station_inventory[c] / 500, ZERO, ONE)
