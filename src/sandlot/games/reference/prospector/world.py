"""The state of an episode: ship, belt, market and counters, and what can be asked of them.

All of it is plain attributes that may be read and set, so that a test or a debugger can set up any situation;
floats are 32 bits wide like the engine's.
"""

from typing import Any

import numpy as np

from ..math32 import ZERO, f32, sum6
from ..rng import Pcg32
from .layout import CARGO_MAX, MAX_ASTEROIDS, MAX_NEIGHBORS, MAX_NODES, N_COMMODITIES
from .rules import Rules

NODES = (MAX_NODES,)
SLOTS = (MAX_NODES, MAX_NEIGHBORS)  # edges of a node
ROCKS = (MAX_NODES, MAX_ASTEROIDS)
GOODS = (N_COMMODITIES,)


def _zeros(shape: tuple[int, ...], dtype: Any = np.float32) -> np.ndarray:
    return np.zeros(shape, dtype)


class World:
    """One ship in its belt, as an episode begins; `generate` draws the rest."""

    def __init__(self, rules: Rules, rng: Pcg32) -> None:
        self.rules, self.rng = rules, rng
        # episode
        self.ticks_elapsed = 0
        self.time_remaining = rules.time_max
        self.current_node = 0
        self.selected_asteroid = -1  # slot, or -1
        self.docked = False  # the dock action was taken since the last trip
        self.escape_buff_ticks = 0
        self.stabilize_buff_ticks = _zeros((MAX_ASTEROIDS,), np.int64)
        self.ending = "none"  # one of layout.ENDINGS
        self.step_value_gained = ZERO  # credits of goods made in this step, at the prices before it
        self.step_broken = ZERO  # richness left in an asteroid that broke up, times the share of time left
        self.step_richness_drop = ZERO  # how far it lowered the mined asteroid's estimated richness
        self.step_value_lost = ZERO  # credits of cargo lost to pirates in this step
        # ship
        self.fuel = ZERO  # 0..1000
        self.hull = ZERO  # 0..100, as heat, tool_condition and alert
        self.heat = ZERO
        self.tool_condition = ZERO
        self.alert = ZERO
        self.credits = ZERO
        self.cargo = _zeros(GOODS)  # units, together at most 200
        self.repair_kits = 0
        self.stabilizers = 0
        self.decoys = 0
        self.start_fuel = self.start_hull = self.start_tool = self.start_credits = ZERO
        # graph
        self.node_count = 0
        self.node_type = _zeros(NODES, np.int64)
        self.node_hazard = _zeros(NODES)
        self.node_pirate = _zeros(NODES)
        self.hops_to_station = _zeros(NODES, np.int64)
        self.neighbors = np.full(SLOTS, -1, np.int64)  # node, or -1
        self.edge_travel_time = _zeros(SLOTS, np.int64)  # ticks
        self.edge_fuel_cost = _zeros(SLOTS)  # of an empty ship
        self.edge_threat_true = _zeros(SLOTS)
        self.edge_threat_est = _zeros(SLOTS)
        # asteroids
        self.ast_valid = _zeros(ROCKS, bool)
        self.true_comp = _zeros((*ROCKS, N_COMMODITIES))
        self.richness = _zeros(ROCKS)
        self.stability_true = _zeros(ROCKS)
        self.noise_profile = _zeros(ROCKS)
        self.comp_est = _zeros((*ROCKS, N_COMMODITIES))
        self.stability_est = _zeros(ROCKS)
        self.richness_est = _zeros(ROCKS)
        self.scan_conf = _zeros(ROCKS)
        self.depletion = _zeros(ROCKS)
        # market
        self.price = _zeros(GOODS)  # credits
        self.prev_price = _zeros(GOODS)
        self.price_phase = _zeros(GOODS)  # turns
        self.price_period = _zeros(GOODS)  # ticks
        self.price_amp = _zeros(GOODS)  # credits, as noise and shock
        self.price_noise = _zeros(GOODS)
        self.price_shock = _zeros(GOODS)
        self.station_inventory = _zeros(GOODS)  # units
        self.recent_sales = _zeros(GOODS)  # units
        # counters
        self.overheat_ticks = 0
        self.pirate_encounters = 0
        self.fractures = 0
        self.scan_count = 0
        self.mining_ticks = 0
        self.decisions = 0
        self.invalid_actions = 0
        self.total_spend = ZERO  # credits
        self.value_lost_to_pirates = ZERO  # credits
        self.fuel_spent = ZERO
        self.hull_lost = ZERO
        self.tool_worn = ZERO
        self.cargo_utilization_sum = ZERO  # load times ticks
        self.cargo_utilization_weight = ZERO  # ticks
        self.shaped_return = ZERO
        self.sparse_return = ZERO
        self.term_sums: dict[str, f32] = {}  # by reward term
        self.visited = {0}  # nodes

    @property
    def lost(self) -> bool:
        """Destroyed or stranded."""
        return self.ending in ("destroyed", "stranded")

    @property
    def terminated(self) -> bool:
        """Whether the game ended by its rules."""
        return self.lost or self.ending == "cash_out"

    @property
    def truncated(self) -> bool:
        """Whether the time ran out."""
        return self.ending == "time"

    def gain_value(self, value: f32) -> None:
        """Count credits of goods mined or refined, at the prices before the step, for the extract term."""
        self.step_value_gained = self.step_value_gained + value

    def lose_to_pirates(self, value: f32) -> None:
        """Count credits of cargo lost, for the pirate term and the episode's sum."""
        self.step_value_lost = self.step_value_lost + value
        self.value_lost_to_pirates = self.value_lost_to_pirates + value

    def at_station(self) -> bool:
        """Whether the ship is at node 0."""
        return self.current_node == 0

    def minable(self, slot: int) -> bool:
        """Whether the slot of the present node holds an asteroid that is not depleted."""
        at = (self.current_node, slot)
        return bool(self.ast_valid[at]) and bool(self.depletion[at] < 1)

    def selection_valid(self) -> bool:
        """Whether a slot is selected and still minable."""
        return self.selected_asteroid >= 0 and self.minable(self.selected_asteroid)

    def cargo_total(self) -> f32:
        """Units aboard, all commodities."""
        return sum6(self.cargo)

    def cargo_load(self) -> f32:
        """Share of the hold in use, 0..1."""
        return self.cargo_total() / CARGO_MAX

    def cargo_value(self) -> f32:
        """Credits for the cargo at present prices, without slippage."""
        return sum6(self.cargo * self.price)

    def destroyed(self) -> bool:
        """Whether the hull is gone."""
        return bool(self.hull <= 0)

    def stranded(self) -> bool:
        """In the field without fuel; with `fuel_required`, without enough for the cheapest edge, empty."""
        if self.at_station():
            return False
        here = self.current_node
        costs = self.edge_fuel_cost[here][self.neighbors[here] >= 0]
        cheapest = costs.min() if self.rules.fuel_required and costs.size else ZERO
        return bool(self.fuel <= 0 or self.fuel <= cheapest)
