"""Tag in plain Python, written from docs/games/tag.md: bit for bit the numbers of the engine."""

from typing import Any

import numpy as np

from ..base import BaseTwin
from ..math32 import f32, magnitude
from .generate import start
from .look import observe
from .move import Intent, decide, move
from .rules import HIDER, SEEKER, Rules
from .score import Roster, roster_of, score
from .world import Agent, World

WINNERS = ("none", "seeker", "hider")
REASONS = ("none", "tag", "timeout")


class TagTwin(BaseTwin):
    """One match. `reset(seed)`, then `step(actions)`, one row [move_x, move_z, jump(, turn)] per agent."""

    game, make_rules = "tag", Rules
    rules: Rules
    world: World

    def reset(self, seed: int) -> tuple[np.ndarray, dict[str, Any]]:
        """Start the match of this seed; observations [agents, D] and info."""
        self.world = start(self.rules, seed)
        self.observations = observe(self.rules, self.world)
        for agent in self.world.agents:
            agent.sees = set()  # an agent sees others from the first step on
        return self.observations, self.info()

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, bool, bool, dict[str, Any]]:
        """One step: decide, ticks, score, look. `timed` ends terminated, `switch` truncated."""
        rules, world = self.rules, self.world
        self._begin_step()
        roster = roster_of(world)
        intents = {
            e.agent.index: decide(rules, world, e.agent, list(map(f32, actions[e.agent.index])))
            for e in roster
        }
        ticks = self._run_ticks(intents)
        rewards = score(rules, world, roster, ticks)
        self._note_endings(roster)
        self.observations = observe(rules, world)
        self._note_first_sight()
        terminated = world.over and rules.mode == "timed"
        truncated = world.over and rules.mode == "switch"
        return self.observations, np.array(rewards, np.float32), terminated, truncated, self.info()

    def _begin_step(self) -> None:
        if self.world.steps:  # notes of the reset are kept for the first step
            self.world.notes.clear()
        self.world.steps += 1
        for agent in self.world.agents:
            agent.tags_made = agent.times_tagged = 0

    def _run_ticks(self, intents: dict[int, Intent]) -> int:
        """Run up to ticks_per_step ticks, none after the end; returns how many."""
        before = self.world.tick
        while not self.world.over and self.world.tick - before < self.rules.ticks_per_step:
            self._tick(intents)
        return self.world.tick - before

    def _tick(self, intents: dict[int, Intent]) -> None:
        rules, world = self.rules, self.world
        world.tick += 1
        for agent in world.in_play():
            move(rules, world, agent, intents[agent.index])
        if world.tick >= rules.limit:
            world.reason = "timeout"
            world.winner = "hider" if rules.mode == "timed" else "none"
        elif rules.mode == "timed":
            _tag_hiders(rules, world)
        else:
            _pass_roles(rules, world)

    def _note_endings(self, roster: Roster) -> None:
        world = self.world
        if world.over:
            world.note(f"ended by {world.reason} in {self.rules.mode}")
        if any(not entry.agent.in_play for entry in roster):
            world.note("a hider is out" if not world.over else "the last hider is out")

    def _note_first_sight(self) -> None:
        world = self.world
        if world.first_seen_tick < 0 and any(a.seeker and _sees_opponent(world, a) for a in world.agents):
            world.first_seen_tick = world.tick

    def info(self) -> dict[str, Any]:
        """The engine's info block under the same names; times in seconds, distances in metres."""
        rules, world, agents = self.rules, self.world, self.world.agents
        return {
            "tick": world.tick,
            "steps": world.steps,
            "time_elapsed": self.seconds(world.tick),
            "time_left": self.seconds(rules.limit - world.tick),
            "winner": WINNERS.index(world.winner),
            "reason": REASONS.index(world.reason),
            "tags": world.tags,
            "distance": [agent.distance for agent in agents],
            "progress": [agent.progress for agent in agents],
            "seeker": [agent.seeker for agent in agents],
            "in_play": [agent.in_play for agent in agents],
            "immunity": [self.seconds(agent.immunity) for agent in agents],
            "sees_opponent": [_sees_opponent(world, agent) for agent in agents],
        }


def _sees_opponent(world: World, me: Agent) -> bool:
    return any(world.agents[j].seeker != me.seeker for j in me.sees)


def _touching(rules: Rules, a: Agent, b: Agent) -> bool:
    """Whether two bodies are within `reach` of one another on every axis."""
    return all(magnitude(getattr(a, axis) - getattr(b, axis)) <= rules.touch for axis in "xyz")


def _tag_hiders(rules: Rules, world: World) -> None:
    """Mode `timed`: a touched hider is out; the tag goes to the first seeker that touches it."""
    players = world.in_play()
    for hider in players:
        if hider.seeker:
            continue
        catcher = next((s for s in players if s.seeker and _touching(rules, s, hider)), None)
        if catcher:
            catcher.tags_made += 1
            hider.times_tagged += 1
            hider.in_play = False
            world.tags += 1
            world.note("a tag")
    if not any(agent.seeker == HIDER for agent in world.in_play()):
        world.reason, world.winner = "tag", "seeker"


def _pass_roles(rules: Rules, world: World) -> None:
    """Mode `switch`: a touch exchanges the roles and makes both immune for `immunity_s`."""
    for seeker in world.agents:
        if not seeker.seeker:
            continue
        touched = [h for h in world.agents if h.seeker == HIDER and _touching(rules, seeker, h)]
        open_to_touch = [h for h in touched if not h.immunity]
        if touched and (seeker.immunity or not open_to_touch):
            world.note("a touch that immunity undid")
        if open_to_touch and not seeker.immunity:
            _exchange(rules, world, seeker, open_to_touch[0])


def _exchange(rules: Rules, world: World, old: Agent, new: Agent) -> None:
    """Swap the roles of an old and a new seeker, and count the tag."""
    old.seeker, new.seeker = HIDER, SEEKER
    old.immunity = new.immunity = rules.immune_ticks
    old.tags_made += 1
    new.times_tagged += 1
    world.tags += 1
    world.note("a pass")
