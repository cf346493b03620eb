"""One match of tag to drive by hand: directions in the frame of the world, places and speeds read back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import sandlot

Direction = tuple[float, float]  # direction x, z of the world, length up to 1

EAST, WEST, SOUTH, NORTH = (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)
DIAGONALS = tuple((x * math.sqrt(0.5), z * math.sqrt(0.5)) for x in (-1, 1) for z in (-1, 1))
STILL: Direction = (0.0, 0.0)

# A match that no touch ends, with nothing in the way and every tick a step: physics alone.
QUIET = {"mode": "switch", "obstacles": 0, "ticks_per_step": 1, "time_limit": 60, "allow_farming": True}


class Play:
    """A single world. `go({0: EAST})` steps once; agents without a direction stand still."""

    def __init__(self, seed: int = 0, **config: Any) -> None:
        self.world = sandlot.make("tag", config=config, autoreset=False)
        self.spec = self.world.spec
        self.agents = self.spec.agents
        self.reset(seed)

    def reset(self, seed: int) -> None:
        self.world.reset(seeds=[seed])
        self.look()

    def look(self) -> None:
        self.scene = self.world.render(0)
        self.position = self.scene["position"].astype(np.float64)  # [agents, xyz]
        self.velocity = self.scene["velocity"].astype(np.float64)
        self.facing = self.scene["facing"].astype(np.float64)  # [agents, xz]

    def go(
        self, directions: dict[int, Direction] | None = None, jump: tuple[int, ...] = (), turn: float = 0.0
    ) -> None:
        actions = np.zeros_like(self.world.actions)
        for agent, direction in (directions or {}).items():
            actions[agent, :2] = self.in_eye_frame(agent, direction)
        actions[list(jump), 2] = 1.0
        if self.world.spec.action_size == 4:
            actions[:, 3] = turn
        self.act(actions)

    def act(self, actions: np.ndarray) -> None:
        self.world.step(np.asarray(actions, np.float32))
        self.look()

    def in_eye_frame(self, agent: int, direction: Direction) -> np.ndarray:
        """Right of the eyes is (-fz, fx), behind them (-fx, -fz)."""
        fx, fz = self.facing[agent]
        x, z = direction
        return np.clip([-x * fz + z * fx, -x * fx - z * fz], -1, 1)

    def toward(self, agent: int, other: int) -> Direction:
        gap = (self.position[other] - self.position[agent])[[0, 2]]
        return tuple(gap / np.hypot(*gap))

    def away(self, agent: int, other: int) -> Direction:
        x, z = self.toward(agent, other)
        return -x, -z

    def distance(self, a: int = 0, b: int = 1) -> float:
        return float(np.linalg.norm(self.position[a] - self.position[b]))

    @property
    def tick(self) -> int:
        return int(self.scene["tick"])

    @property
    def over(self) -> bool:
        return bool(self.world.terminated[0] or self.world.truncated[0])

    @property
    def rewards(self) -> np.ndarray:
        return self.world.rewards.astype(np.float64)

    def info(self) -> dict[str, Any]:
        return self.world.info(0)

    def events(self, name: str) -> list[dict[str, Any]]:
        return [event for event in self.world.events(0) if event["name"] == name]

    def boxes(self) -> np.ndarray:
        """float64 [boxes, 6]: the lower corner, then the upper one."""
        return self.scene["boxes"][: int(self.scene["box_count"])].astype(np.float64)


def matches_where(found, seeds=range(200), **config: Any):
    """Matches, by seed, whose start satisfies a test."""
    play = Play(**config)
    for seed in seeds:
        play.reset(seed)
        if found(play):
            yield play


def out_of_the_way(play: Play) -> bool:
    """Agent 0 can run along X or Z for ever without meeting agent 1."""
    gap = np.abs(play.position[0] - play.position[1])
    return gap[0] > 1.2 and gap[2] > 1.2


def run_into(play: Play, limit: int = 600) -> int:
    """Agent 0 runs at agent 1, which stands; returns the tick of the touch."""
    for _ in range(limit):
        play.go({0: play.toward(0, 1)})
        if play.over or play.events("pass"):
            return play.tick
    raise AssertionError("the two never met")
