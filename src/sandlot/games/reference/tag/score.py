"""The rewards of a step, by the roles and the agents in play at its start."""

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
    """The agents in play with their present roles; taken before the ticks of a step change them."""
    return [Entry(agent, agent.seeker) for agent in world.in_play()]


def score(rules: Rules, world: World, roster: Roster, ticks: int) -> list[f32]:
    """One reward per agent, 0 for agents out before the step; also updates progress and distances."""
    seconds = f32(ticks) * rules.dt
    rewards = [ZERO] * rules.agents
    for agent in world.agents:
        agent.progress = ZERO
    for entry in roster:
        entry.agent.progress = _metres_closed(world, entry, roster)
        rewards[entry.agent.index] = _reward(rules, world, entry, entry.agent.progress, seconds)
    measure_distances(world)
    return rewards


def _metres_closed(world: World, entry: Entry, roster: Roster) -> f32:
    """Metres by which the distance to the nearest opponent of the roster shrank in this step."""
    opponents = [other.agent for other in roster if other.seeker != entry.seeker]
    opponent = nearest(entry.agent, opponents)
    now = distance_between(entry.agent, opponent) if opponent else ZERO
    world.distances[entry.seeker].append(now)
    return entry.agent.distance - now


def _reward(rules: Rules, world: World, entry: Entry, closed: f32, seconds: f32) -> f32:
    me = entry.agent
    if entry.seeker:
        progress = _add_term(me, "seeker_progress", rules.seeker_progress * closed)
        rate = _add_term(me, "seeker_time", -(rules.seeker_time * seconds))
    else:
        progress = _add_term(me, "hider_progress", -(rules.hider_progress * closed))
        rate = _add_term(me, "hider_survival", rules.hider_survival * seconds)
    made, tagged = _tag_terms(rules, world, me)
    return (((progress + rate) + made) + tagged) + _timeout_term(rules, world, entry)


def _add_term(me: Agent, term: str, amount: f32) -> f32:
    """Add to the agent's sum of a term, and return the amount."""
    me.sums[term] = me.sums[term] + amount
    return amount


def _tag_terms(rules: Rules, world: World, me: Agent) -> tuple[f32, f32]:
    """Terms for tags made and for being tagged; in `switch` one step may have both."""
    bonus, penalty = rules.tag_bonus, rules.tagged_penalty
    if rules.mode == "switch":
        bonus = penalty = rules.pass_bonus
    if me.tags_made and me.times_tagged:
        world.note("passed and was touched in one step")
    made = _add_term(me, "seeker_tag", bonus * f32(me.tags_made))
    tagged = _add_term(me, "hider_tagged", -(penalty * f32(me.times_tagged)))
    return made, tagged


def _timeout_term(rules: Rules, world: World, entry: Entry) -> f32:
    me = entry.agent
    if rules.mode != "timed" or world.reason != "timeout":
        return ZERO
    if entry.seeker:
        return _add_term(me, "seeker_timeout", -rules.seeker_timeout)
    return _add_term(me, "hider_timeout", rules.hider_timeout) if me.in_play else ZERO
