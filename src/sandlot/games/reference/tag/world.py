"""The state of a match: agents, boxes, clock, and distances between opponents."""

from dataclasses import dataclass, field

from .. import math32
from ..base import Progress
from ..math32 import ZERO, f32

# Reward terms in the engine's order: a seeker's four, then a hider's four.
TERMS = (
    *(f"seeker_{term}" for term in ("progress", "time", "tag", "timeout")),
    *(f"hider_{term}" for term in ("progress", "survival", "tagged", "timeout")),
)


@dataclass
class Box:
    """A box on the floor: centre, half widths, height, bounds; lo and hi: bounds grown by half a body."""

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
    """An agent's estimate of the last body it saw: position in metres, velocity in m/s."""

    x: f32 = ZERO
    z: f32 = ZERO
    vx: f32 = ZERO
    vz: f32 = ZERO
    fresh: f32 = ZERO  # 1 in view, then decaying; 0: nothing seen yet


@dataclass
class Agent:
    """One agent. Its position is the middle of the body's bottom face."""

    index: int
    seeker: int
    x: f32
    z: f32
    fx: f32  # facing, a unit vector
    fz: f32
    coyote: int  # ticks left in which a jump still works
    y: f32 = ZERO
    vx: f32 = ZERO
    vy: f32 = ZERO
    vz: f32 = ZERO
    on_floor: bool = True
    in_play: bool = True
    immunity: int = 0  # ticks left
    distance: f32 = ZERO  # to the nearest opponent, when last measured
    progress: f32 = ZERO  # metres closed in this step
    tags_made: int = 0  # in this step
    times_tagged: int = 0  # in this step
    sees: set[int] = field(default_factory=set)
    recall: Recall = field(default_factory=Recall)
    sums: dict[str, f32] = field(default_factory=lambda: dict.fromkeys(TERMS, ZERO))


@dataclass
class World(Progress):
    """One match in progress."""

    agents: list[Agent]
    boxes: list[Box]
    first_seen_tick: int = -1  # a seeker saw a hider; -1 before
    winner: str = "none"
    reason: str = "none"
    jumps: int = 0
    tags: int = 0
    # Distances to the nearest opponent, one per agent and step: of hiders, of seekers.
    distances: tuple[list[f32], list[f32]] = field(default_factory=lambda: ([], []))

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.reason != "none"

    def in_play(self) -> list[Agent]:
        """Agents that are not out, in index order."""
        return [agent for agent in self.agents if agent.in_play]

    def others(self, me: Agent) -> list[Agent]:
        """Agents in play except this one."""
        return [agent for agent in self.in_play() if agent is not me]


def distance_between(a: Agent, b: Agent) -> f32:
    """Metres between two agents' positions, in three dimensions."""
    dx, dy, dz = b.x - a.x, b.y - a.y, b.z - a.z
    return math32.sqrt(dx * dx + dy * dy + dz * dz)


def nearest(me: Agent, opponents: list[Agent]) -> Agent | None:
    """The one at the smallest distance, the first among equals."""
    best, best_distance = None, ZERO
    for opponent in opponents:
        distance = distance_between(me, opponent)
        if best is None or distance < best_distance:
            best, best_distance = opponent, distance
    return best


def opponents_of(world: World, me: Agent) -> list[Agent]:
    """Agents in play that have the other role now."""
    return [agent for agent in world.in_play() if agent.seeker != me.seeker]


def measure_distances(world: World) -> None:
    """Store each agent's distance to its nearest opponent; 0 without one."""
    for agent in world.agents:
        opponent = nearest(agent, opponents_of(world, agent))
        agent.distance = distance_between(agent, opponent) if opponent else ZERO
