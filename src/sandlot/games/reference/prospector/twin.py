"""The prospector in plain Python: slow, readable, and the same numbers as the core, step by step.

Written from docs/games/prospector.md. All state is plain attributes that may be read and set, so that a test
or a debugger can make any situation; floats are 32 bits wide like the core's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ....errors import NotReset
from ...spec import Spec
from ..math32 import ZERO, f32
from ..rng import Pcg32
from . import actions, layout
from .generate import generate
from .observe import observe
from .passive import pass_time
from .reward import Before, reward_terms, shaped, sparse, spent
from .rules import Rules
from .sums import sum6


class ProspectorTwin:
    """One world of one ship. `reset(seed)`, then `step(action)` until it ends."""

    # episode
    seed: int | None = None  # of the last seeded reset
    ticks_elapsed: int
    time_remaining: int
    current_node: int
    selected_asteroid: int  # slot, or -1
    docked: bool  # lay low since the last trip
    escape_buff_ticks: int
    stabilize_buff_ticks: np.ndarray  # [16]
    ending: str  # one of layout.ENDINGS
    lost: bool  # destroyed or stranded
    terminated: bool
    truncated: bool
    step_value_gained: f32  # credits of goods made in this step, at the prices before it
    step_broken: f32  # what an asteroid that broke up in this step would still have yielded
    step_poorer: f32  # by how much this step lowered the mined asteroid's estimated richness
    step_value_lost: f32  # credits of cargo lost to pirates in this step

    # ship
    fuel: f32  # 0..1000
    hull: f32  # 0..100, as heat, tool_condition and alert
    heat: f32
    tool_condition: f32
    alert: f32
    credits: f32
    cargo: np.ndarray  # [6] units, together at most 200
    repair_kits: int
    stabilizers: int
    decoys: int

    # graph: [32] nodes, [32, 6] slots of a node
    node_count: int
    node_type: np.ndarray
    node_hazard: np.ndarray
    node_pirate: np.ndarray
    hops_to_station: np.ndarray
    neighbors: np.ndarray  # node, or -1
    edge_travel_time: np.ndarray  # ticks
    edge_fuel_cost: np.ndarray  # of an empty ship
    edge_threat_true: np.ndarray
    edge_threat_est: np.ndarray

    # asteroids: [32, 16], mixes [32, 16, 6]
    ast_valid: np.ndarray
    true_comp: np.ndarray
    richness: np.ndarray
    stability_true: np.ndarray
    noise_profile: np.ndarray
    comp_est: np.ndarray
    stability_est: np.ndarray
    richness_est: np.ndarray
    scan_conf: np.ndarray
    depletion: np.ndarray

    # market: [6]
    price: np.ndarray  # credits
    prev_price: np.ndarray
    price_phase: np.ndarray  # turns
    price_period: np.ndarray  # ticks
    price_amp: np.ndarray  # credits, as noise and shock
    price_noise: np.ndarray
    price_shock: np.ndarray
    station_inventory: np.ndarray  # units
    recent_sales: np.ndarray  # units

    # counters
    total_spend: f32  # credits
    value_lost_to_pirates: f32  # credits
    fuel_spent: f32
    hull_lost: f32
    tool_worn: f32
    cargo_utilization_sum: f32  # load times ticks
    cargo_utilization_weight: f32  # ticks
    shaped_return: f32
    sparse_return: f32
    term_sums: dict[str, f32]  # by reward term
    visited: set[int]  # nodes

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        self.spec = Spec("prospector", config)
        self.rules = Rules(self.spec)
        self.rng = Pcg32()
        self.needs_reset = True

    # ---- the two verbs

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """A new belt. Without a seed the generator simply goes on."""
        if seed is not None:
            self.seed = seed
            self.rng.seed(seed)
        self.clear()
        generate(self)
        self.start_ship()
        self.needs_reset = False
        return observe(self), self.info(action=-1, dt=0, invalid=False)

    def step(self, action: int) -> tuple[np.ndarray, f32, bool, bool, dict[str, Any]]:
        """One decision: an action of one to eight ticks, or mining again and again."""
        if self.needs_reset:
            raise NotReset("This episode is over (or never began): call reset() before step().")
        action, encounters = int(action), self.pirate_encounters
        known = 0 <= action < layout.N_ACTIONS
        self.decisions += 1
        pay, dt, invalid = self.act(action)
        for _ in range(1, self.rules.mine_repeat):
            if not self.goes_on(action, encounters):
                break
            more, longer, invalid = self.act(action)
            pay, dt = pay + more, dt + longer
        info = self.info(action if known else layout.HOLD, dt, invalid)
        return observe(self), pay, self.terminated, self.truncated, info

    def goes_on(self, action: int, encounters: int) -> bool:
        """A miner who need not look up goes on."""
        quiet = self.heat <= self.rules.heat_knee and self.pirate_encounters == encounters
        mining = layout.MINE <= action < layout.MINE + 3 and self.step_poorer <= self.rules.mine_doubt
        return mining and quiet and self.ending == "none" and actions.is_valid(self, action)

    def act(self, action: int) -> tuple[f32, int, bool]:
        """One action from beginning to end: what it pays, its ticks, and whether it was invalid."""
        before = Before.of(self)
        self.step_value_lost = self.step_value_gained = self.step_poorer = self.step_broken = ZERO
        known = 0 <= action < layout.N_ACTIONS
        invalid = not actions.is_valid(self, action)
        dt = self.refuse(action, known) if invalid else actions.apply(self, action)
        travelled = not invalid and action < layout.HOLD
        pass_time(self, dt, exposed=bool(self.rules.exposed_on_arrival) or not travelled)
        self.count_use(before)
        self.settle(cashed_out=not invalid and action == layout.CASH_OUT)
        return self.keep_score(reward_terms(self, before, action, invalid, dt), invalid), dt, invalid

    def mask(self) -> np.ndarray:
        """1 for each action that is valid now, uint8 [69]."""
        return np.array([actions.is_valid(self, action) for action in range(layout.N_ACTIONS)], np.uint8)

    @property
    def ticks(self) -> int:
        return self.ticks_elapsed

    # ---- parts of a step

    def refuse(self, action: int, known: bool) -> int:
        """An invalid action holds for one tick."""
        if self.rules.charge_invalid_scans and action in (layout.FOCUSED_SCAN, layout.DEEP_SCAN):
            actions.pay_for_scan(self, action - layout.WIDE_SCAN)
        actions.hold(self)
        if self.rules.hold_twice_for_unknown and not known:
            actions.hold(self)
        return 1

    def count_use(self, before: Before) -> None:
        self.fuel_spent += spent(before.fuel, self.fuel)
        self.hull_lost += spent(before.hull, self.hull)
        self.tool_worn += spent(before.tool, self.tool_condition)

    def keep_score(self, terms: dict[str, f32], invalid: bool) -> f32:
        """Add the step to the episode's sums and return what it pays."""
        dense, thin = shaped(terms), sparse(self, terms)
        self.shaped_return += dense
        self.sparse_return += thin
        self.term_sums = {name: self.term_sums.get(name, ZERO) + value for name, value in terms.items()}
        self.invalid_actions += invalid
        self.visited.add(self.current_node)
        return thin if self.rules.sparse else dense

    def settle(self, cashed_out: bool) -> None:
        """Is it over, and how? The first reason that holds names the ending."""
        reasons = (
            ("destroyed", self.destroyed()),
            ("stranded", self.stranded()),
            ("cash_out", cashed_out),
            ("time", self.time_remaining <= 0),
        )
        self.ending = next((name for name, holds in reasons if holds), "none")
        self.lost = self.ending in ("destroyed", "stranded")
        self.terminated = self.lost or self.ending == "cash_out"
        self.truncated = self.ending == "time"
        self.needs_reset = self.ending != "none"

    def gain_value(self, value: f32) -> None:
        """Remember the worth of new goods at the prices before the step, for the extract term."""
        self.step_value_gained = self.step_value_gained + value

    def lose_to_pirates(self, value: f32) -> None:
        self.step_value_lost = self.step_value_lost + value
        self.value_lost_to_pirates = self.value_lost_to_pirates + value

    # ---- questions about the present

    def at_station(self) -> bool:
        return self.current_node == 0

    def minable(self, slot: int) -> bool:
        at = (self.current_node, slot)
        return bool(self.ast_valid[at]) and bool(self.depletion[at] < 1)

    def selection_valid(self) -> bool:
        return self.selected_asteroid >= 0 and self.minable(self.selected_asteroid)

    def cargo_total(self) -> f32:
        return sum6(self.cargo)

    def cargo_load(self) -> f32:
        return self.cargo_total() / layout.CARGO_MAX

    def cargo_value(self) -> f32:
        return sum6(self.cargo * self.price)

    def destroyed(self) -> bool:
        return bool(self.hull <= 0)

    def stranded(self) -> bool:
        """In the field without fuel; where trips need their fuel, without enough for any of them."""
        if self.at_station():
            return False
        here = self.current_node
        costs = self.edge_fuel_cost[here][self.neighbors[here] >= 0]
        cheapest = costs.min() if self.rules.fuel_required and costs.size else ZERO
        return bool(self.fuel <= 0 or self.fuel <= cheapest)

    # ---- what is told about it

    def metrics(self) -> dict[str, Any]:
        rules = self.rules
        profit = self.credits - self.start_credits
        if rules.profit_minus_spend:
            profit = profit - self.total_spend
        totals = rules.cumulative_counters
        weight = self.cargo_utilization_weight
        return {
            "credits": self.credits,
            "net_profit": profit,
            "profit_per_tick": profit / f32(max(1, self.ticks_elapsed)),
            "survival": 0.0 if self.lost else 1.0,
            "overheat_ticks": self.overheat_ticks,
            "pirate_encounters": self.pirate_encounters,
            "value_lost_to_pirates": self.value_lost_to_pirates,
            "fuel_used": self.fuel_spent if totals else spent(self.start_fuel, self.fuel),
            "hull_damage": self.hull_lost if totals else spent(self.start_hull, self.hull),
            "tool_wear": self.tool_worn if totals else spent(self.start_tool, self.tool_condition),
            "scan_count": self.scan_count,
            "mining_ticks": self.mining_ticks,
            "cargo_utilization_avg": self.cargo_utilization_sum / weight if weight > 0 else 0.0,
        }

    def info(self, action: int, dt: int, invalid: bool) -> dict[str, Any]:
        return {
            "action": action,
            "dt": dt,
            "invalid_action": invalid,
            **{name: float(value) for name, value in self.metrics().items()},
            "terminated": self.terminated,
            "truncated": self.truncated,
            "node_context": "station" if self.at_station() else "field",
            "time_remaining": float(self.time_remaining),
        }

    def episode(self) -> dict[str, Any]:
        """Sums of the episode so far, under the names of the core's episode columns."""
        return {
            **self.metrics(),
            "return": self.shaped_return,
            "eval_return": self.sparse_return,
            "ending": layout.ENDINGS.index(self.ending),
            "decisions": self.decisions,
            "ticks": self.ticks_elapsed,
            "invalid_actions": self.invalid_actions,
            "terms": list(self.term_sums.values()),
            "spend": self.total_spend,
            "fractures": self.fractures,
            "nodes": self.node_count,
            "nodes_visited": len(self.visited),
            "destroyed": self.ending == "destroyed",
            "stranded": self.ending == "stranded",
        }

    # ---- the state of a new episode

    def clear(self) -> None:
        """Everything that generation and the ship's start do not set."""
        self.clear_episode()
        self.clear_graph()
        self.clear_asteroids()
        self.clear_market()
        self.clear_counters()

    def clear_episode(self) -> None:
        self.ticks_elapsed = 0
        self.time_remaining = self.rules.time_max
        self.current_node = 0
        self.selected_asteroid = -1
        self.docked = False
        self.escape_buff_ticks = 0
        self.stabilize_buff_ticks = np.zeros(layout.MAX_ASTEROIDS, np.int64)
        self.ending = "none"
        self.lost = self.terminated = self.truncated = False
        self.step_value_lost = self.step_value_gained = self.step_poorer = self.step_broken = ZERO

    def clear_graph(self) -> None:
        slots = (layout.MAX_NODES, layout.MAX_NEIGHBORS)
        self.node_count = 0
        self.node_type = np.zeros(layout.MAX_NODES, np.int64)
        self.node_hazard = np.zeros(layout.MAX_NODES, np.float32)
        self.node_pirate = np.zeros(layout.MAX_NODES, np.float32)
        self.neighbors = np.full(slots, -1, np.int64)
        self.edge_travel_time = np.zeros(slots, np.int64)
        self.edge_fuel_cost = np.zeros(slots, np.float32)
        self.edge_threat_true = np.zeros(slots, np.float32)
        self.edge_threat_est = np.zeros(slots, np.float32)

    def clear_asteroids(self) -> None:
        rocks = (layout.MAX_NODES, layout.MAX_ASTEROIDS)
        self.ast_valid = np.zeros(rocks, bool)
        for name in ("true_comp", "comp_est"):
            setattr(self, name, np.zeros((*rocks, layout.N_COMMODITIES), np.float32))
        hidden, seen = ("richness", "stability_true", "noise_profile"), ("richness_est", "stability_est")
        for name in (*hidden, *seen, "scan_conf", "depletion"):
            setattr(self, name, np.zeros(rocks, np.float32))

    def clear_market(self) -> None:
        cycle = ("price_phase", "price_period", "price_amp", "price_noise", "price_shock")
        for name in ("price", "prev_price", *cycle, "station_inventory", "recent_sales"):
            setattr(self, name, np.zeros(layout.N_COMMODITIES, np.float32))

    def clear_counters(self) -> None:
        self.overheat_ticks = self.pirate_encounters = self.fractures = 0
        self.scan_count = self.mining_ticks = 0
        self.total_spend = self.value_lost_to_pirates = ZERO
        self.fuel_spent = self.hull_lost = self.tool_worn = ZERO
        self.cargo_utilization_sum = self.cargo_utilization_weight = ZERO
        self.shaped_return = self.sparse_return = ZERO
        self.term_sums = {}
        self.decisions = self.invalid_actions = 0
        self.visited = {0}

    def start_ship(self) -> None:
        rules = self.rules
        self.fuel = self.start_fuel = self.draw_start(rules.start_fuel_min, rules.start_fuel_max)
        self.hull = self.start_hull = self.draw_start(rules.start_hull_min, rules.start_hull_max)
        self.tool_condition = self.start_tool = self.draw_start(rules.start_tool_min, rules.start_tool_max)
        self.credits = self.start_credits = self.draw_start(rules.start_credits_min, rules.start_credits_max)
        self.heat = self.alert = ZERO
        self.cargo = np.zeros(layout.N_COMMODITIES, np.float32)
        self.repair_kits = rules.start_kits
        self.stabilizers = rules.start_stabilizers
        self.decoys = rules.start_decoys

    def draw_start(self, low: f32, high: f32) -> f32:
        """A start value; one that cannot vary draws nothing."""
        return self.rng.uniform(low, high) if low < high else low
