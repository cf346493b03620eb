"""Suites of actions for the parity harness: scripts that exercise every rule of tag.

A script reads the twin's whole state, which no player can. It yields one array [agents, action size] per
step, for as long as the episode lasts.
"""

import math
from collections.abc import Callable, Iterator
from random import Random

import numpy as np

from ...scripted import Bot
from ..base import random_values
from ..interface import Suite
from .twin import TagTwin
from .world import Agent, Box, World

Actions = Iterator[np.ndarray]  # float32 [agents, size] per step
Intention = tuple[float, float, float]  # world direction x, z (length up to 1), and jump

EXTREMES = (-1.0, -0.5, -1e-4, 0.0, 1e-4, 0.5, 0.50001, 1.0)
COMPASS = tuple((math.sin(k * math.pi / 4), math.cos(k * math.pi / 4)) for k in range(8))
STANDING: Intention = (0.0, 0.0, 0.0)


def _in_eye_frame(me: Agent, intention: Intention) -> tuple[float, float, float]:
    """A world direction as an action: to the right of the facing is (-fz, fx), behind it (-fx, -fz)."""
    x, z, jump = intention
    fx, fz = float(me.fx), float(me.fz)
    return (_clamp_unit(-x * fz + z * fx), _clamp_unit(-x * fx - z * fz), jump)


def _clamp_unit(value: float) -> float:
    return max(-1.0, min(1.0, value))


def _to_actions(twin: TagTwin, rng: Random, intentions: dict[int, Intention]) -> np.ndarray:
    actions = np.zeros((twin.rules.agents, 4 if twin.rules.turn_control else 3), np.float32)
    for agent in twin.world.agents:
        actions[agent.index, :3] = _in_eye_frame(agent, intentions.get(agent.index, STANDING))
    if twin.rules.turn_control:
        actions[:, 3] = [rng.uniform(-1, 1) for _ in range(twin.rules.agents)]
    return actions


def _toward(me: Agent, x: float, z: float, jump: float = 0.0) -> Intention:
    dx, dz = x - float(me.x), z - float(me.z)
    length = math.hypot(dx, dz)
    return (dx / length, dz / length, jump) if length > 1e-6 else (0.0, 0.0, jump)


def _gap_between(a: Agent, b: Agent) -> float:
    return math.hypot(float(a.x) - float(b.x), float(a.z) - float(b.z))


def _nearest_to(me: Agent, others: list[Agent]) -> Agent | None:
    return min(others, key=lambda other: _gap_between(me, other), default=None)


def _random_jump(rng: Random, chance: float) -> float:
    return 1.0 if rng.random() < chance else 0.0


# ---- agents independently ---------------------------------------------------------------------------------


def _random_actions(twin: TagTwin, rng: Random) -> Actions:
    """Uniform values, or values at and near the limits that the rules test."""
    size = 4 if twin.rules.turn_control else 3
    while True:
        draw = random_values(rng, EXTREMES)
        yield np.array([[draw() for _ in range(size)] for _ in twin.world.agents], np.float32)


def _long_walks(twin: TagTwin, rng: Random) -> Actions:
    """One of eight directions for a while, mostly at full strength, then another."""
    intentions: dict[int, Intention] = {}
    while True:
        for agent in twin.world.agents:
            if agent.index not in intentions or rng.random() < 0.08:
                x, z = rng.choice(COMPASS)
                strength = rng.choice((0.0, 0.3, 1.0, 1.0, 1.0))
                intentions[agent.index] = (x * strength, z * strength, _random_jump(rng, 0.3))
        yield _to_actions(twin, rng, intentions)


def _into_walls(twin: TagTwin, rng: Random) -> Actions:
    """Full speed in one direction long enough to reach a wall, straight or diagonal, jump held or not."""
    intentions: dict[int, Intention] = {}
    while True:
        for agent in twin.world.agents:
            if agent.index not in intentions or rng.random() < 0.04:
                intentions[agent.index] = (*rng.choice(COMPASS), _random_jump(rng, 0.5))
        yield _to_actions(twin, rng, intentions)


def _into_corners(twin: TagTwin, rng: Random) -> Actions:
    """Run at corners of boxes and of the arena, with sideways noise, jumping half of the time."""
    targets: dict[int, tuple[float, float]] = {}
    while True:
        intentions = {}
        for agent in twin.world.agents:
            if agent.index not in targets or rng.random() < 0.05:
                targets[agent.index] = _random_corner(twin, rng)
            x, z, jump = _toward(agent, *targets[agent.index], jump=_random_jump(rng, 0.5))
            intentions[agent.index] = (
                _clamp_unit(x + rng.uniform(-0.3, 0.3)),
                _clamp_unit(z + rng.uniform(-0.3, 0.3)),
                jump,
            )
        yield _to_actions(twin, rng, intentions)


def _random_corner(twin: TagTwin, rng: Random) -> tuple[float, float]:
    """A corner (x, z) of a box, or of the arena."""
    boxes = twin.world.boxes
    if boxes and rng.random() < 0.8:
        box = rng.choice(boxes)
        return float(rng.choice((box.min_x, box.max_x))), float(rng.choice((box.min_z, box.max_z)))
    half = float(twin.rules.arena_half)
    return rng.choice((-half, half)), rng.choice((-half, half))


def _sudden_turns(twin: TagTwin, rng: Random) -> Actions:
    """Ahead, behind, left or right, in the frame of the eyes, for one to six steps each."""
    size = 4 if twin.rules.turn_control else 3
    headings = ((0.0, -1.0), (0.0, 1.0), (-1.0, 0.0), (1.0, 0.0))
    while True:
        actions = np.zeros((twin.rules.agents, size), np.float32)
        for row in actions:
            row[:2] = rng.choice(headings)
            row[2:] = rng.choice((-1.0, 0.0, 1.0))
        for _ in range(rng.randint(1, 6)):
            yield actions


def _climbing(twin: TagTwin, rng: Random) -> Actions:
    """Jump onto low boxes and walk off them; jumps just after the edge exercise the coyote time."""
    targets: dict[int, Box | None] = {}
    while True:
        intentions = {}
        for agent in twin.world.agents:
            if agent.index not in targets or rng.random() < 0.03:
                targets[agent.index] = _pick_box(twin.world, agent, rng)
            intentions[agent.index] = _climb(agent, targets[agent.index], rng)
        yield _to_actions(twin, rng, intentions)


def _pick_box(world: World, me: Agent, rng: Random) -> Box | None:
    low = [box for box in world.boxes if box.top < 1.4]
    near = sorted(low, key=lambda box: math.hypot(float(box.cx - me.x), float(box.cz - me.z)))
    return rng.choice(near[:2]) if near else None


def _climb(me: Agent, box: Box | None, rng: Random) -> Intention:
    if box is None:
        return (*rng.choice(COMPASS), _random_jump(rng, 0.5))
    if me.y >= box.top or (me.y > 0.3 and not me.on_floor and me.vy < 0):
        x, z, _ = _toward(me, float(box.cx) + 9.0, float(box.cz))  # across it and over the edge
        return x, z, _random_jump(rng, 0.5) if not me.on_floor else 0.0
    return _toward(me, float(box.cx), float(box.cz), jump=1.0)


# ---- agents reacting to others -----------------------------------------------------------------------------


def _hunting(twin: TagTwin, rng: Random) -> Actions:
    """Seekers run straight at the nearest hider; hiders run away at half speed or stand."""
    while True:
        intentions = {}
        for me in twin.world.in_play():
            opponents = [agent for agent in twin.world.in_play() if agent.seeker != me.seeker]
            intentions[me.index] = _chase_or_flee(me, _nearest_to(me, opponents), rng)
        yield _to_actions(twin, rng, intentions)


def _chase_or_flee(me: Agent, opponent: Agent | None, rng: Random) -> Intention:
    if opponent is None:
        return STANDING
    x, z, _ = _toward(me, float(opponent.x), float(opponent.z))
    jump = _random_jump(rng, 0.1)
    if me.seeker:
        return x, z, jump
    speed = 0.5 * (rng.random() < 0.7)
    return -x * speed, -z * speed, jump


def _crowding(twin: TagTwin, rng: Random) -> Actions:
    """All agents run to the same place and jump, so that bodies block, stack and hit from below.

    In `timed` seekers keep their distance, because a touch would end the match.
    """
    keep_away = twin.rules.mode == "timed"
    while True:
        place = (rng.uniform(-3, 3), rng.uniform(-3, 3))
        for _ in range(rng.randint(20, 60)):
            intentions = {}
            for me in twin.world.in_play():
                jump = _random_jump(rng, 0.5)
                x, z, _ = _toward(me, *place)
                opponent = _nearest_to(me, [a for a in twin.world.in_play() if a.seeker != me.seeker])
                if keep_away and me.seeker and opponent and _gap_between(me, opponent) < 4:
                    x, z, _ = _toward(opponent, float(me.x), float(me.z))
                intentions[me.index] = (x, z, jump)
            yield _to_actions(twin, rng, intentions)


def _stacking(twin: TagTwin, rng: Random) -> Actions:
    """Agents of odd index try to land on others of their role; those of even index hop in place."""
    while True:
        intentions = {}
        for me in twin.world.in_play():
            friends = [a for a in twin.world.in_play() if a.seeker == me.seeker and a is not me]
            friend = _nearest_to(me, friends)
            if friend is None or me.index % 2 == 0:
                intentions[me.index] = (0.0, 0.0, _random_jump(rng, 0.2))
            else:
                near = _gap_between(me, friend) < 2.2
                intentions[me.index] = _toward(me, float(friend.x), float(friend.z), jump=float(near))
        yield _to_actions(twin, rng, intentions)


def _hunt_at_time_limit(twin: TagTwin, rng: Random) -> Actions:
    """Stand still until shortly before the time limit, then hunt: tags close to the timeout."""
    hunt = _hunting(twin, rng)
    lead = rng.randint(10, 40)
    while True:
        steps_left = (twin.rules.limit - twin.world.tick) / twin.rules.ticks_per_step
        yield next(hunt) if steps_left < lead else _to_actions(twin, rng, {})


def _bots(seeker: str, hider: str) -> Callable[[TagTwin, Random], Actions]:
    """The library's bots in both roles; each agent follows the bot of the role it has at the moment."""

    def play(twin: TagTwin, rng: Random) -> Actions:
        if twin.rules.reference_layout:  # bots know only the layout `rays`
            yield from _hunting(twin, rng)
        bots = [
            Bot("tag", name, rng.randint(1, 3), twin.config, rng.getrandbits(63)) for name in (hider, seeker)
        ]
        states = [bot.start(twin.rules.agents) for bot in bots]
        while True:
            playing = zip(bots, states, strict=True)
            actions = [bot.act(twin.observations, state=state)[0] for bot, state in playing]
            yield np.array([actions[agent.seeker][agent.index] for agent in twin.world.agents], np.float32)

    return play


SUITES = (
    Suite("random", _random_actions),
    Suite("walks", _long_walks),
    Suite("walls", _into_walls),
    Suite("corners", _into_corners),
    Suite("turns", _sudden_turns),
    Suite("climbing", _climbing),
    Suite("hunting", _hunting),
    Suite("crowding", _crowding),
    Suite("stacking", _stacking),
    Suite("bell", _hunt_at_time_limit),
    Suite("chase_evade", _bots("chase", "evade")),
    Suite("ambush_wander", _bots("ambush", "wander")),
)
