"""What is kept of a match that ended, named like the core's episode columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..math32 import ZERO, f32
from .rules import HIDER, SEEKER
from .world import TERMS

if TYPE_CHECKING:
    from .twin import TagTwin


def added_up(values: Iterable[f32]) -> f32:
    """One after the other, in 32 bits."""
    total = ZERO
    for value in values:
        total = total + value
    return total


def mean(values: list[f32]) -> f32:
    return added_up(values) / f32(len(values)) if values else ZERO


def episode(twin: TagTwin) -> dict[str, Any]:
    world, agents = twin.world, twin.world.agents
    terms = [added_up(agent.sums[term] for agent in agents) for term in TERMS]
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
        "seeker_distance": mean(world.distances[SEEKER]),
        "hider_distance": mean(world.distances[HIDER]),
        "seeker_reward": added_up(terms[:4]),
        "hider_reward": added_up(terms[4:]),
        "terms": terms,
        "returns": [added_up(agent.sums[term] for term in TERMS) for agent in agents],
    }
