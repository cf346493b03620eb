"""What a match is doing: its agents, its boxes, its clock, and who is near whom."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from .. import math32
from ..math32 import ZERO, f32

# Reward terms, a seeker's four and then a hider's four.
TERMS = (
    "seeker_progress",
    "seeker_time",
    "seeker_tag",
    "seeker_timeout",
    "hider_progress",
    "hider_survival",
    "hider_tagged",
    "hider_timeout",
)


@dataclass
class Box:
    """An obstacle on the floor, and the same grown by a body, so that a body can be swept as a point."""

    cx: f32
    cz: f32
    hx: f32
    hz: f32
    top: f32
    min_x: f32
    max_x: f32
    min_z: f32
    max_z: f32
    lo_x: f32
    hi_x: f32
    lo_z: f32
    hi_z: f32


@dataclass
class Recall:
    """Where an agent believes the last body it saw to be."""

    x: f32 = ZERO
    z: f32 = ZERO
    vx: f32 = ZERO
    vz: f32 = ZERO
    fresh: f32 = ZERO  # 1 in view, fading; 0: nothing seen yet


@dataclass
class Agent:
    """A body and its eyes. The place is the middle of the bottom face."""

    index: int
    seeker: int
    x: f32
    z: f32
    fx: f32  # facing, a unit vector
    fz: f32
    coyote: int  # ticks in which a jump still works
    y: f32 = ZERO
    vx: f32 = ZERO
    vy: f32 = ZERO
    vz: f32 = ZERO
    on_floor: bool = True
    in_play: bool = True
    immunity: int = 0  # ticks left
    distance: f32 = ZERO  # to the nearest rival, when last measured
    progress: f32 = ZERO  # metres closed in this step
    tags_made: int = 0  # in this step
    times_tagged: int = 0  # in this step
    sees: set[int] = field(default_factory=set)
    recall: Recall = field(default_factory=Recall)
    sums: dict[str, f32] = field(default_factory=lambda: dict.fromkeys(TERMS, ZERO))


@dataclass
class World:
    agents: list[Agent]
    boxes: list[Box]
    tick: int = 0
    steps: int = 0
    first_seen_tick: int = -1  # a seeker saw a hider; -1 before
    winner: str = "none"
    reason: str = "none"
    jumps: int = 0
    tags: int = 0
    distances: tuple[list[f32], list[f32]] = field(default_factory=lambda: ([], []))  # a hider's, a seeker's
    notes: Counter[str] = field(default_factory=Counter)  # what this step has shown, for coverage

    @property
    def over(self) -> bool:
        return self.reason != "none"

    def in_play(self) -> list[Agent]:
        return [agent for agent in self.agents if agent.in_play]

    def others(self, me: Agent) -> list[Agent]:
        return [agent for agent in self.in_play() if agent is not me]

    def note(self, what: str) -> None:
        self.notes[what] += 1


def distance_between(a: Agent, b: Agent) -> f32:
    dx, dy, dz = b.x - a.x, b.y - a.y, b.z - a.z
    return math32.sqrt(dx * dx + dy * dy + dz * dz)


def nearest(me: Agent, rivals: list[Agent]) -> Agent | None:
    """The first of those at the smallest distance."""
    best, best_distance = None, ZERO
    for rival in rivals:
        distance = distance_between(me, rival)
        if best is None or distance < best_distance:
            best, best_distance = rival, distance
    return best


def rivals_now(world: World, me: Agent) -> list[Agent]:
    return [agent for agent in world.in_play() if agent.seeker != me.seeker]


def measure_distances(world: World) -> None:
    for agent in world.agents:
        rival = nearest(agent, rivals_now(world, agent))
        agent.distance = distance_between(agent, rival) if rival else ZERO
