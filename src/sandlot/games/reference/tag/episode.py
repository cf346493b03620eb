"""Sums of a match, under the names of the engine's episode columns."""

from typing import TYPE_CHECKING, Any

from ..math32 import ZERO, f32, sum32
from .rules import HIDER, SEEKER
from .world import TERMS

if TYPE_CHECKING:
    from .twin import TagTwin


def _mean(values: list[f32]) -> f32:
    return sum32(values) / f32(len(values)) if values else ZERO


def episode(twin: "TagTwin") -> dict[str, Any]:
    """The row that the engine stores when this match ends; times in seconds, distances in metres."""
    world, agents = twin.world, twin.world.agents
    terms = [sum32(agent.sums[term] for agent in agents) for term in TERMS]
    seen = world.first_seen_tick
    info = twin.info()
    return {
        "winner": info["winner"],
        "reason": info["reason"],
        "ticks": world.tick,
        "steps": world.steps,
        "duration_s": info["time_elapsed"],
        "tags": world.tags,
        "jumps": world.jumps,
        "boxes": len(world.boxes),
        "first_seen_s": f32(seen) / f32(twin.rules.tick_rate) if seen >= 0 else -1,
        "seeker_distance": _mean(world.distances[SEEKER]),
        "hider_distance": _mean(world.distances[HIDER]),
        "seeker_reward": sum32(terms[:4]),
        "hider_reward": sum32(terms[4:]),
        "terms": terms,
        "returns": [sum32(agent.sums[term] for term in TERMS) for agent in agents],
    }
