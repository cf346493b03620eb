"""Prospector in plain Python: slow, readable, and bit for bit the numbers of the engine.

Written from docs/games/prospector.md.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ....errors import NotReset
from ....worlds import load_spec
from ..math32 import ZERO, f32
from ..rng import Pcg32
from . import actions, layout
from .generate import generate
from .observe import observe
from .passive import pass_time
from .reward import Before, reward_terms, shaped, sparse, spent
from .rules import Rules
from .world import World


class ProspectorTwin(World):
    """One world of one ship. Call `reset(seed)`, then `step(action)` until the episode ends."""

    seed: int | None = None  # of the last seeded reset

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        self.spec = load_spec("prospector", config)
        super().__init__(Rules(self.spec), Pcg32())
        self.needs_reset = True

    # ---- reset and step

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Start an episode in a new belt. Without a seed the random generator continues where it is."""
        if seed is not None:
            self.seed = seed
            self.rng.seed(seed)
        super().__init__(self.rules, self.rng)
        generate(self)
        self._start_ship()
        self.needs_reset = False
        return observe(self), self.info(action=-1, dt=0, invalid=False)

    def step(self, action: int) -> tuple[np.ndarray, f32, bool, bool, dict[str, Any]]:
        """Take one action of 1 to 8 ticks; with `mine_repeat` mining may be repeated within the step."""
        if self.needs_reset:
            raise NotReset("This episode is over (or never began): call reset() before step().")
        action, encounters = int(action), self.pirate_encounters
        known = 0 <= action < layout.N_ACTIONS
        self.decisions += 1
        reward, dt, invalid = self._act(action)
        for _ in range(1, self.rules.mine_repeat):
            if not self._repeats(action, encounters):
                break
            more, longer, invalid = self._act(action)
            reward, dt = reward + more, dt + longer
        info = self.info(action if known else layout.HOLD, dt, invalid)
        return observe(self), reward, self.terminated, self.truncated, info

    def _repeats(self, action: int, encounters: int) -> bool:
        """Whether mining is repeated in this step: cool, no pirates met, no bad news about the asteroid."""
        quiet = self.heat <= self.rules.heat_knee and self.pirate_encounters == encounters
        mining = layout.MINE <= action < layout.MINE + 3 and self.step_richness_drop <= self.rules.mine_doubt
        return mining and quiet and self.ending == "none" and actions.is_valid(self, action)

    def _act(self, action: int) -> tuple[f32, int, bool]:
        """One action with its passive part and ending: its reward, its ticks, and whether it was invalid."""
        before = Before.of(self)
        self.step_value_lost = self.step_value_gained = self.step_richness_drop = self.step_broken = ZERO
        known = 0 <= action < layout.N_ACTIONS
        invalid = not actions.is_valid(self, action)
        dt = self._refuse(action, known) if invalid else actions.apply(self, action)
        travelled = not invalid and action < layout.HOLD
        pass_time(self, dt, exposed=bool(self.rules.exposed_on_arrival) or not travelled)
        self._count_use(before)
        self._settle(cashed_out=not invalid and action == layout.CASH_OUT)
        return self._keep_score(reward_terms(self, before, action, invalid, dt), invalid), dt, invalid

    def mask(self) -> np.ndarray:
        """1 for each action that is valid now, uint8 [69]."""
        return np.array([actions.is_valid(self, action) for action in range(layout.N_ACTIONS)], np.uint8)

    @property
    def ticks(self) -> int:
        """Ticks since the last reset."""
        return self.ticks_elapsed

    # ---- parts of a step

    def _refuse(self, action: int, known: bool) -> int:
        """Do what an invalid action does, the hold effect; 1 tick."""
        if self.rules.charge_invalid_scans and action in (layout.FOCUSED_SCAN, layout.DEEP_SCAN):
            actions.pay_for_scan(self, action - layout.WIDE_SCAN)
        actions.hold(self)
        if self.rules.hold_twice_for_unknown and not known:
            actions.hold(self)
        return 1

    def _count_use(self, before: Before) -> None:
        self.fuel_spent += spent(before.fuel, self.fuel)
        self.hull_lost += spent(before.hull, self.hull)
        self.tool_worn += spent(before.tool, self.tool_condition)

    def _keep_score(self, terms: dict[str, f32], invalid: bool) -> f32:
        """Add the step to the episode's sums and return its reward, shaped or sparse by the knob `reward`."""
        shaped_reward, sparse_reward = shaped(terms), sparse(self, terms)
        self.shaped_return += shaped_reward
        self.sparse_return += sparse_reward
        self.term_sums = {name: self.term_sums.get(name, ZERO) + value for name, value in terms.items()}
        self.invalid_actions += invalid
        self.visited.add(self.current_node)
        return sparse_reward if self.rules.sparse else shaped_reward

    def _settle(self, cashed_out: bool) -> None:
        """Set the ending: the first reason that holds, in this order."""
        reasons = (
            ("destroyed", self.destroyed()),
            ("stranded", self.stranded()),
            ("cash_out", cashed_out),
            ("time", self.time_remaining <= 0),
        )
        self.ending = next((name for name, holds in reasons if holds), "none")
        self.needs_reset = self.ending != "none"

    # ---- info and episode columns

    def metrics(self) -> dict[str, Any]:
        """The thirteen metrics of layout.METRICS, for the episode so far."""
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
        """The engine's info block under the same names; action -1 after a reset."""
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
        """Sums of the episode so far, under the names of the engine's episode columns."""
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

    # ---- a new episode

    def _start_ship(self) -> None:
        rules = self.rules
        self.fuel = self.start_fuel = self._draw_start(rules.start_fuel_min, rules.start_fuel_max)
        self.hull = self.start_hull = self._draw_start(rules.start_hull_min, rules.start_hull_max)
        self.tool_condition = self.start_tool = self._draw_start(rules.start_tool_min, rules.start_tool_max)
        self.credits = self.start_credits = self._draw_start(rules.start_credits_min, rules.start_credits_max)
        self.repair_kits = rules.start_kits
        self.stabilizers = rules.start_stabilizers
        self.decoys = rules.start_decoys

    def _draw_start(self, low: f32, high: f32) -> f32:
        """A start value; draws only if low < high."""
        return self.rng.uniform(low, high) if low < high else low
