"""Tag in plain Python, written from docs/games/tag.md: the second opinion that the core is held to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...spec import Spec
from ..math32 import f32, magnitude
from .generate import start
from .look import observe
from .move import Intent, decide, move
from .rules import HIDER, SEEKER, Rules
from .score import Roster, roster_of, score
from .world import Agent, World

WINNERS = ("none", "seeker", "hider")
REASONS = ("none", "tag", "timeout")


class TagTwin:
    """One match. `reset(seed)`, then `step(actions)` with one row [move_x, move_z, jump(, turn)] an agent."""

    world: World

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        self.config = dict(config or {})
        self.spec = Spec("tag", self.config)
        self.rules = Rules(self.spec)

    def reset(self, seed: int) -> tuple[np.ndarray, dict[str, Any]]:
        self.world = start(self.rules, seed)
        self.observations = observe(self.rules, self.world)
        for agent in self.world.agents:
            agent.sees = set()  # looking begins with the first step
        return self.observations, self.info()

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, bool, bool, dict[str, Any]]:
        rules, world = self.rules, self.world
        self.begin_step()
        roster = roster_of(world)
        intents = {e.agent.index: decide(rules, world, e.agent, row_of(actions, e.agent)) for e in roster}
        ticks = self.run_ticks(intents)
        rewards = score(rules, world, roster, ticks)
        self.note_endings(roster)
        self.observations = observe(rules, world)
        self.note_first_sight()
        terminated = world.over and rules.mode == "timed"
        truncated = world.over and rules.mode == "switch"
        return self.observations, np.array(rewards, np.float32), terminated, truncated, self.info()

    @property
    def ticks(self) -> int:
        """Ticks since the last reset."""
        return self.world.tick

    def mask(self) -> None:
        """Every action is legal."""

    def begin_step(self) -> None:
        if self.world.steps:  # what the reset showed is told with the first step
            self.world.notes.clear()
        self.world.steps += 1
        for agent in self.world.agents:
            agent.tags_made = agent.times_tagged = 0

    def run_ticks(self, intents: dict[int, Intent]) -> int:
        """Up to ticks_per_step ticks, none after the end; how many there were."""
        before = self.world.tick
        while not self.world.over and self.world.tick - before < self.rules.ticks_per_step:
            self.tick(intents)
        return self.world.tick - before

    def tick(self, intents: dict[int, Intent]) -> None:
        rules, world = self.rules, self.world
        world.tick += 1
        for agent in world.in_play():
            move(rules, world, agent, intents[agent.index])
        if world.tick >= rules.limit:
            world.reason = "timeout"
            world.winner = "hider" if rules.mode == "timed" else "none"
        elif rules.mode == "timed":
            tag_hiders(rules, world)
        else:
            pass_roles(rules, world)

    def note_endings(self, roster: Roster) -> None:
        world = self.world
        if world.over:
            world.note(f"ended by {world.reason} in {self.rules.mode}")
        if any(not entry.agent.in_play for entry in roster):
            world.note("a hider is out" if not world.over else "the last hider is out")

    def note_first_sight(self) -> None:
        world = self.world
        if world.first_seen_tick < 0 and any(a.seeker and sees_rival(world, a) for a in world.agents):
            world.first_seen_tick = world.tick

    def info(self) -> dict[str, Any]:
        """The core's info block, by the same names."""
        rules, world, agents = self.rules, self.world, self.world.agents
        return {
            "tick": world.tick,
            "steps": world.steps,
            "time_elapsed": seconds(rules, world.tick),
            "time_left": seconds(rules, rules.limit - world.tick),
            "winner": WINNERS.index(world.winner),
            "reason": REASONS.index(world.reason),
            "tags": world.tags,
            "distance": [agent.distance for agent in agents],
            "progress": [agent.progress for agent in agents],
            "seeker": [agent.seeker for agent in agents],
            "in_play": [agent.in_play for agent in agents],
            "immunity": [seconds(rules, agent.immunity) for agent in agents],
            "sees_rival": [sees_rival(world, agent) for agent in agents],
        }


def seconds(rules: Rules, ticks: int) -> f32:
    return f32(ticks) / f32(rules.tick_rate)


def sees_rival(world: World, me: Agent) -> bool:
    return any(world.agents[j].seeker != me.seeker for j in me.sees)


def row_of(actions: Any, agent: Agent) -> list[f32]:
    return [f32(value) for value in actions[agent.index]]


def touching(rules: Rules, a: Agent, b: Agent) -> bool:
    """Within reach of one another on every axis."""
    return all(magnitude(getattr(a, axis) - getattr(b, axis)) <= rules.touch for axis in "xyz")


def tag_hiders(rules: Rules, world: World) -> None:
    """The first seeker that touches a hider has it, and the hider is out."""
    players = world.in_play()
    for hider in players:
        if hider.seeker:
            continue
        catcher = next((s for s in players if s.seeker and touching(rules, s, hider)), None)
        if catcher:
            catcher.tags_made += 1
            hider.times_tagged += 1
            hider.in_play = False
            world.tags += 1
            world.note("a tag")
    if not any(agent.seeker == HIDER for agent in world.in_play()):
        world.reason, world.winner = "tag", "seeker"


def pass_roles(rules: Rules, world: World) -> None:
    """A touch makes the seeker a hider and the hider the seeker, both immune for a while."""
    for seeker in world.agents:
        if not seeker.seeker:
            continue
        touched = [h for h in world.agents if h.seeker == HIDER and touching(rules, seeker, h)]
        open_to_touch = [h for h in touched if not h.immunity]
        if touched and (seeker.immunity or not open_to_touch):
            world.note("a touch that immunity undid")
        if open_to_touch and not seeker.immunity:
            exchange(rules, world, seeker, open_to_touch[0])


def exchange(rules: Rules, world: World, old: Agent, new: Agent) -> None:
    old.seeker, new.seeker = HIDER, SEEKER
    old.immunity = new.immunity = rules.immune_ticks
    old.tags_made += 1
    new.times_tagged += 1
    world.tags += 1
    world.note("a pass")
