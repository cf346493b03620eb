"""The observation: 260 floats, block by block."""

import numpy as np

from .. import math32
from ..math32 import ONE, ZERO, f32
from . import layout
from .world import World

CREDITS_CAP = 10_000_000
INVENTORY_SHOWN = [0, 2, 3, 4]  # iron, water_ice, pge, rare_isotopes


def observe(world: World) -> np.ndarray:
    """float32 [260] in -1..1; edge threat and asteroid contents as estimated, not as they are."""
    out = np.zeros(layout.OBS_DIM, np.float32)
    _observe_ship(world, out)
    _observe_place(world, out)
    _observe_neighbors(world, out[layout.NEIGHBORS_AT : layout.SPARE_AT].reshape(-1, layout.NEIGHBOR_SIZE))
    _observe_spare(world, out[layout.SPARE_AT :])
    _observe_asteroids(world, out[layout.ASTEROIDS_AT : layout.MARKET_AT].reshape(-1, layout.ASTEROID_SIZE))
    _observe_market(world, out[layout.MARKET_AT :])
    return out


def _observe_ship(world: World, out: np.ndarray) -> None:
    out[0] = world.fuel / layout.FUEL_MAX
    out[1] = world.hull / layout.HULL_MAX
    out[2] = world.heat / layout.HEAT_MAX
    out[3] = world.tool_condition / layout.TOOL_MAX
    out[4] = world.cargo_load()
    out[5] = world.alert / layout.ALERT_MAX
    out[6] = f32(world.time_remaining) / f32(world.rules.time_max)
    out[7] = _credits_norm(world.credits)
    out[8:14] = world.cargo / layout.CARGO_MAX
    out[14] = f32(world.repair_kits) / layout.ITEM_MAX
    out[15] = f32(world.stabilizers) / layout.ITEM_MAX
    out[16] = f32(world.decoys) / layout.ITEM_MAX


def _credits_norm(credits: f32) -> f32:
    share = math32.log(ONE + math32.greater(ZERO, credits)) / math32.log(f32(1 + CREDITS_CAP))
    return math32.lesser(ONE, share)


def _observe_place(world: World, out: np.ndarray) -> None:
    here = world.current_node
    out[17] = world.at_station()
    out[18] = world.selection_valid()
    out[19 + world.node_type[here]] = 1
    out[22] = f32(here) / (layout.MAX_NODES - 1)
    out[23] = f32(world.hops_to_station[here]) / (layout.MAX_NODES - 1)


def _observe_neighbors(world: World, out: np.ndarray) -> None:
    """One row per slot with an edge; rows of other slots stay 0."""
    here = world.current_node
    slots = np.flatnonzero(world.neighbors[here] >= 0)
    out[slots, 0] = 1
    out[slots, 1 + world.node_type[world.neighbors[here, slots]]] = 1
    out[slots, 4] = world.edge_travel_time[here, slots].astype(np.float32) / 8
    out[slots, 5] = world.edge_fuel_cost[here, slots] / 160
    out[slots, 6] = world.edge_threat_est[here, slots]


def _observe_spare(world: World, out: np.ndarray) -> None:
    """Entry 66: estimated richness of the selected asteroid; entry 67: the slot that leads home, from 1."""
    here = world.current_node
    if world.rules.richness_signal and world.selection_valid():
        out[0] = world.richness_est[here, world.selected_asteroid] / 4
    if world.rules.way_home_signal:
        out[1] = f32(_way_home(world) + 1) / layout.MAX_NEIGHBORS


def _way_home(world: World) -> int:
    """The lowest slot whose neighbour is one hop nearer to the station; -1 if there is none."""
    here = world.current_node
    for slot, there in enumerate(world.neighbors[here]):
        if there >= 0 and world.hops_to_station[there] == world.hops_to_station[here] - 1:
            return slot
    return -1


def _observe_asteroids(world: World, out: np.ndarray) -> None:
    """One row per slot with an asteroid; rows of other slots stay 0."""
    here = world.current_node
    slots = np.flatnonzero(world.ast_valid[here])
    out[slots, 0] = 1
    out[slots, 1:7] = world.comp_est[here, slots]
    out[slots, 7] = world.stability_est[here, slots]
    out[slots, 8] = world.depletion[here, slots]
    out[slots, 9] = world.scan_conf[here, slots]
    out[slots, 10] = slots == world.selected_asteroid


def _observe_market(world: World, out: np.ndarray) -> None:
    rules = world.rules
    unit = rules.price_max if rules.price_norm_by_max else rules.price_base
    out[:6] = np.clip(world.price / unit, ZERO, ONE)
    out[6:12] = np.clip((world.price - world.prev_price) / 100, -ONE, ONE)
    out[12:16] = np.clip(world.station_inventory[INVENTORY_SHOWN] / 500, ZERO, ONE)
