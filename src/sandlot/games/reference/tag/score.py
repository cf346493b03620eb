"""What a step pays, by the roles and players of its start."""

from __future__ import annotations

from dataclasses import dataclass

from ..math32 import ZERO, f32
from .rules import Rules
from .world import Agent, World, distance_between, measure_distances, nearest


@dataclass(frozen=True)
class Entry:
    """An agent in play at the start of a step, in the role it had then."""

    agent: Agent
    seeker: int


Roster = list[Entry]


def roster_of(world: World) -> Roster:
    return [Entry(agent, agent.seeker) for agent in world.in_play()]


def score(rules: Rules, world: World, roster: Roster, ticks: int) -> list[f32]:
    """One reward an agent; who was out before the step gets 0."""
    seconds = f32(ticks) * rules.dt
    rewards = [ZERO] * rules.agents
    for agent in world.agents:
        agent.progress = ZERO
    for entry in roster:
        entry.agent.progress = closed_by(world, entry, roster)
        rewards[entry.agent.index] = pay(rules, world, entry, entry.agent.progress, seconds)
    measure_distances(world)
    return rewards


def closed_by(world: World, entry: Entry, roster: Roster) -> f32:
    """Metres by which the nearest rival came closer."""
    rivals = [other.agent for other in roster if other.seeker != entry.seeker]
    rival = nearest(entry.agent, rivals)
    now = distance_between(entry.agent, rival) if rival else ZERO
    world.distances[entry.seeker].append(now)
    return entry.agent.distance - now


def pay(rules: Rules, world: World, entry: Entry, closed: f32, seconds: f32) -> f32:
    me = entry.agent
    if entry.seeker:
        progress = credit(me, "seeker_progress", rules.seeker_progress * closed)
        rate = credit(me, "seeker_time", -(rules.seeker_time * seconds))
    else:
        progress = credit(me, "hider_progress", -(rules.hider_progress * closed))
        rate = credit(me, "hider_survival", rules.hider_survival * seconds)
    made, suffered = touches(rules, world, me)
    return (((progress + rate) + made) + suffered) + timeout(rules, world, entry)


def credit(me: Agent, term: str, amount: f32) -> f32:
    me.sums[term] = me.sums[term] + amount
    return amount


def touches(rules: Rules, world: World, me: Agent) -> tuple[f32, f32]:
    """For tags made and for tags suffered; one step of `switch` may hold both."""
    bonus, penalty = rules.tag_bonus, rules.tagged_penalty
    if rules.mode == "switch":
        bonus = penalty = rules.pass_bonus
    if me.tags_made and me.times_tagged:
        world.note("passed and was touched in one step")
    made = credit(me, "seeker_tag", bonus * f32(me.tags_made))
    suffered = credit(me, "hider_tagged", -(penalty * f32(me.times_tagged)))
    return made, suffered


def timeout(rules: Rules, world: World, entry: Entry) -> f32:
    me = entry.agent
    if rules.mode != "timed" or world.reason != "timeout":
        return ZERO
    if entry.seeker:
        return credit(me, "seeker_timeout", -rules.seeker_timeout)
    return credit(me, "hider_timeout", rules.hider_timeout) if me.in_play else ZERO
