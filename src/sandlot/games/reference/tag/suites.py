"""Ways of playing tag that reach every corner of its rules: pushing, grinding, stacking, hunting, climbing.

A script knows the twin's whole world, which no player does; that is the point. It yields one array
[agents, action size] a step, for as long as the episode lasts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from random import Random

import numpy as np

from ...scripted import bot
from ..kit import Suite
from .twin import TagTwin
from .world import Agent, Box, World

Actions = Iterator[np.ndarray]  # float32 [agents, size] a step
Wish = tuple[float, float, float]  # world direction x, z (length up to 1), and jump

EXTREMES = (-1.0, -0.5, -1e-4, 0.0, 1e-4, 0.5, 0.50001, 1.0)
COMPASS = tuple((math.sin(k * math.pi / 4), math.cos(k * math.pi / 4)) for k in range(8))
STANDING: Wish = (0.0, 0.0, 0.0)


def in_eye_frame(me: Agent, wish: Wish) -> tuple[float, float, float]:
    """A direction of the world as an action: right of the eyes is (-fz, fx), behind them (-fx, -fz)."""
    x, z, jump = wish
    fx, fz = float(me.fx), float(me.fz)
    return (limited(-x * fz + z * fx), limited(-x * fx - z * fz), jump)


def limited(value: float) -> float:
    return max(-1.0, min(1.0, value))


def actions_of(twin: TagTwin, rng: Random, wishes: dict[int, Wish]) -> np.ndarray:
    actions = np.zeros((twin.rules.agents, 4 if twin.rules.turn_control else 3), np.float32)
    for agent in twin.world.agents:
        actions[agent.index, :3] = in_eye_frame(agent, wishes.get(agent.index, STANDING))
    if twin.rules.turn_control:
        actions[:, 3] = [rng.uniform(-1, 1) for _ in range(twin.rules.agents)]
    return actions


def toward(me: Agent, x: float, z: float, jump: float = 0.0) -> Wish:
    dx, dz = x - float(me.x), z - float(me.z)
    length = math.hypot(dx, dz)
    return (dx / length, dz / length, jump) if length > 1e-6 else (0.0, 0.0, jump)


def gap_between(a: Agent, b: Agent) -> float:
    return math.hypot(float(a.x) - float(b.x), float(a.z) - float(b.z))


def nearest_to(me: Agent, others: list[Agent]) -> Agent | None:
    return min(others, key=lambda other: gap_between(me, other), default=None)


def coin(rng: Random, chance: float) -> float:
    return 1.0 if rng.random() < chance else 0.0


# ---- every agent by itself ---------------------------------------------------------------------------------


def random_actions(twin: TagTwin, rng: Random) -> Actions:
    """Uniform numbers, and now and then the ends of their ranges."""
    size = 4 if twin.rules.turn_control else 3
    while True:
        draw: Callable[[], float] = (
            (lambda: rng.choice(EXTREMES)) if rng.random() < 0.3 else (lambda: rng.uniform(-1, 1))
        )
        yield np.array([[draw() for _ in range(size)] for _ in twin.world.agents], np.float32)


def long_walks(twin: TagTwin, rng: Random) -> Actions:
    """Full strength in one direction for a while, then another, or a rest: distances are covered."""
    wishes: dict[int, Wish] = {}
    while True:
        for agent in twin.world.agents:
            if agent.index not in wishes or rng.random() < 0.08:
                x, z = rng.choice(COMPASS)
                strength = rng.choice((0.0, 0.3, 1.0, 1.0, 1.0))
                wishes[agent.index] = (x * strength, z * strength, coin(rng, 0.3))
        yield actions_of(twin, rng, wishes)


def into_walls(twin: TagTwin, rng: Random) -> Actions:
    """Straight and diagonal pushes at full speed, jump held or not; the ways out of corners too."""
    wishes: dict[int, Wish] = {}
    while True:
        for agent in twin.world.agents:
            if agent.index not in wishes or rng.random() < 0.04:
                wishes[agent.index] = (*rng.choice(COMPASS), coin(rng, 0.5))
        yield actions_of(twin, rng, wishes)


def corner_grinding(twin: TagTwin, rng: Random) -> Actions:
    """Run at the corners of boxes, with a little sideways noise, jumping half of the time."""
    targets: dict[int, tuple[float, float]] = {}
    while True:
        wishes = {}
        for agent in twin.world.agents:
            if agent.index not in targets or rng.random() < 0.05:
                targets[agent.index] = some_corner(twin, rng)
            x, z, jump = toward(agent, *targets[agent.index], jump=coin(rng, 0.5))
            wishes[agent.index] = (
                limited(x + rng.uniform(-0.3, 0.3)),
                limited(z + rng.uniform(-0.3, 0.3)),
                jump,
            )
        yield actions_of(twin, rng, wishes)


def some_corner(twin: TagTwin, rng: Random) -> tuple[float, float]:
    """Of a box, or of the arena."""
    boxes = twin.world.boxes
    if boxes and rng.random() < 0.8:
        box = rng.choice(boxes)
        return float(rng.choice((box.min_x, box.max_x))), float(rng.choice((box.min_z, box.max_z)))
    half = float(twin.rules.arena_half)
    return rng.choice((-half, half)), rng.choice((-half, half))


def sudden_turns(twin: TagTwin, rng: Random) -> Actions:
    """Straight ahead, straight behind, hard left, hard right, in the frame of the eyes."""
    size = 4 if twin.rules.turn_control else 3
    headings = ((0.0, -1.0), (0.0, 1.0), (-1.0, 0.0), (1.0, 0.0))
    while True:
        actions = np.zeros((twin.rules.agents, size), np.float32)
        for row in actions:
            row[:2] = rng.choice(headings)
            row[2:] = rng.choice((-1.0, 0.0, 1.0))
        for _ in range(rng.randint(1, 6)):
            yield actions


def climbing(twin: TagTwin, rng: Random) -> Actions:
    """Onto boxes and off them again; a jump just after the edge tries the coyote time."""
    targets: dict[int, Box | None] = {}
    while True:
        wishes = {}
        for agent in twin.world.agents:
            if agent.index not in targets or rng.random() < 0.03:
                targets[agent.index] = pick_box(twin.world, agent, rng)
            wishes[agent.index] = climb(agent, targets[agent.index], rng)
        yield actions_of(twin, rng, wishes)


def pick_box(world: World, me: Agent, rng: Random) -> Box | None:
    low = [box for box in world.boxes if box.top < 1.4]
    near = sorted(low, key=lambda box: math.hypot(float(box.cx - me.x), float(box.cz - me.z)))
    return rng.choice(near[:2]) if near else None


def climb(me: Agent, box: Box | None, rng: Random) -> Wish:
    if box is None:
        return (*rng.choice(COMPASS), coin(rng, 0.5))
    if me.y >= box.top or (me.y > 0.3 and not me.on_floor and me.vy < 0):
        x, z, _ = toward(me, float(box.cx) + 9.0, float(box.cz))  # across it and over the edge
        return x, z, coin(rng, 0.5) if not me.on_floor else 0.0
    return toward(me, float(box.cx), float(box.cz), jump=1.0)


# ---- agents with one another -------------------------------------------------------------------------------


def hunting(twin: TagTwin, rng: Random) -> Actions:
    """Seekers run straight at the nearest hider; hiders run away, stumbling."""
    while True:
        wishes = {}
        for me in twin.world.in_play():
            rivals = [agent for agent in twin.world.in_play() if agent.seeker != me.seeker]
            wishes[me.index] = chase_or_flee(me, nearest_to(me, rivals), rng)
        yield actions_of(twin, rng, wishes)


def chase_or_flee(me: Agent, rival: Agent | None, rng: Random) -> Wish:
    if rival is None:
        return STANDING
    x, z, _ = toward(me, float(rival.x), float(rival.z))
    jump = coin(rng, 0.1)
    if me.seeker:
        return x, z, jump
    stumble = 0.5 * (rng.random() < 0.7)
    return -x * stumble, -z * stumble, jump


def crowding(twin: TagTwin, rng: Random) -> Actions:
    """Everybody runs to the same place and jumps: bodies push, stack, and bump from below.

    Seekers keep away where a touch would end the match too soon.
    """
    keep_away = twin.rules.mode == "timed"
    while True:
        place = (rng.uniform(-3, 3), rng.uniform(-3, 3))
        for _ in range(rng.randint(20, 60)):
            wishes = {}
            for me in twin.world.in_play():
                jump = coin(rng, 0.5)
                x, z, _ = toward(me, *place)
                rival = nearest_to(me, [a for a in twin.world.in_play() if a.seeker != me.seeker])
                if keep_away and me.seeker and rival and gap_between(me, rival) < 4:
                    x, z, _ = toward(rival, float(me.x), float(me.z))
                wishes[me.index] = (x, z, jump)
            yield actions_of(twin, rng, wishes)


def stacking(twin: TagTwin, rng: Random) -> Actions:
    """Odd agents hunt the heads of even ones of their own role, who hop in place."""
    while True:
        wishes = {}
        for me in twin.world.in_play():
            friends = [a for a in twin.world.in_play() if a.seeker == me.seeker and a is not me]
            friend = nearest_to(me, friends)
            if friend is None or me.index % 2 == 0:
                wishes[me.index] = (0.0, 0.0, coin(rng, 0.2))
            else:
                near = gap_between(me, friend) < 2.2
                wishes[me.index] = toward(me, float(friend.x), float(friend.z), jump=float(near))
        yield actions_of(twin, rng, wishes)


def at_the_bell(twin: TagTwin, rng: Random) -> Actions:
    """Nobody moves until the end is near; then the hunt begins, so that touch and clock meet."""
    hunt = hunting(twin, rng)
    lead = rng.randint(10, 40)
    while True:
        steps_left = (twin.rules.limit - twin.world.tick) / twin.rules.ticks_per_step
        yield next(hunt) if steps_left < lead else actions_of(twin, rng, {})


def library_players(seeker: str, hider: str) -> Callable[[TagTwin, Random], Actions]:
    """The library's own players on both sides, each row by the role it has at that moment."""

    def play(twin: TagTwin, rng: Random) -> Actions:
        if twin.rules.reference_layout:  # they read the layout `rays` alone
            yield from hunting(twin, rng)
        players = [
            bot("tag", name, rng.randint(1, 3), twin.config, rng.getrandbits(63)) for name in (hider, seeker)
        ]
        memories = [player.start(twin.rules.agents) for player in players]
        while True:
            wanted = [p.act(twin.observations, state=m)[0] for p, m in zip(players, memories, strict=True)]
            yield np.array([wanted[agent.seeker][agent.index] for agent in twin.world.agents], np.float32)

    return play


SUITES = (
    Suite("random", "uniform actions, sometimes at the ends of their ranges", random_actions),
    Suite("walks", "one direction for a while, then another, or a rest", long_walks),
    Suite("walls", "pushing into walls, straight and diagonal, jump held", into_walls),
    Suite("corners", "grinding along the corners of boxes and of the arena", corner_grinding),
    Suite("turns", "straight behind and hard to the side, in the frame of the eyes", sudden_turns),
    Suite("climbing", "onto boxes, over their edges, jumps in coyote time", climbing),
    Suite("hunting", "seekers run at hiders, hiders stumble away", hunting),
    Suite("crowding", "everybody at one place, jumping", crowding),
    Suite("stacking", "agents on the heads of agents", stacking),
    Suite("bell", "a hunt that begins just before time runs out", at_the_bell),
    Suite("chase_evade", "the library's chase against its evade", library_players("chase", "evade")),
    Suite("ambush_wander", "the library's ambush against its wander", library_players("ambush", "wander")),
)
