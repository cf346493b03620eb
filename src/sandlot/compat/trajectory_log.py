"""Watches one world of a batch, step by step, and writes each of its matches as a trajectory log.

Everything but the boxes is read out of the observations, so it costs a world in another process nothing, and
the last moment of a match is known although the world has already begun the next.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ConfigError
from ..spec import Spec
from ..worlds import World
from .trajectories import TrajectoryFile, next_number

TYPES = ("none", "wall", "agent")
HEIGHT_SCALE, FALL_SCALE = 4.0, 10.0  # of y and of its velocity in tag's observation
DIGITS = 5  # of a metre


class TrajectoryLog:
    """Call it after every step of the world; `most` limits how many matches are written."""

    def __init__(
        self,
        folder: Path,
        spec: Spec,
        players: Mapping[str, str] | None = None,
        world: int = 0,
        most: int = 10_000,
        facts: Mapping[str, Any] | None = None,
    ):
        if spec.game != "tag" or spec.config.get("layout") != "rays":
            raise ConfigError("Trajectory logs are for tag with layout rays; replays hold any game.")
        self.folder, self.spec, self.world, self.most = folder, spec, world, most
        self.players, self.facts = dict(players or {}), dict(facts or {})
        self.rows = slice(world * spec.agents, (world + 1) * spec.agents)
        self.number = next_number(folder)
        self.written: list[Path] = []
        self._file: TrajectoryFile | None = None
        self._tick = 0

    def begin(self, world: World) -> None:
        """The start line of the match that the world stands at the beginning of."""
        if len(self.written) >= self.most:
            return
        self._file, self._tick = TrajectoryFile(self.folder, self.number), 0
        config = self.spec.config
        seen = world.render(self.world)
        boxes = np.asarray(seen["boxes"])[: int(seen["box_count"])]
        self._file.write(
            "episode_start",
            episode=self.number,
            game=self.spec.game,
            spec_hash=self.spec.hash,
            config=config,
            players=[self.players.get(role, role) for role in self.spec.roles],
            roles=list(self.spec.roles),
            step_s=config["ticks_per_step"] / config["tick_rate"],
            boxes=np.round(boxes, DIGITS).tolist(),
            **self.facts,
        )

    def __call__(self, world: World) -> None:
        """Take in the step that was just played."""
        if self._file is None:
            if len(self.written) < self.most and not self.written:
                self.begin(world)  # it was called for the first time in mid-match: begin with what is there
            return
        ended = bool((world.terminated | world.truncated)[self.rows].any())
        seen = (world.final_observations if ended else world.observations)[self.rows]
        self._tick += int(world.ticks[self.rows.start])
        for i, row in enumerate(seen):
            self._step(i, row, world.actions[self.rows.start + i], float(world.rewards[self.rows.start + i]))
        if ended:
            self._finish(world)
            self.begin(world)

    def _step(self, agent: int, row: np.ndarray, action: np.ndarray, reward: float) -> None:
        assert self._file is not None
        config, spec = self.spec.config, self.spec
        x, y, z, vx, vy, vz, _, fx, fz = row[spec.field("self")].astype(float)
        half = config["arena_half"]
        fastest = config["top_speed"] * max(config["seeker_speed"], config["hider_speed"])
        rays = row[spec.field("rays")].reshape(-1, 4)
        self._file.write(
            "step",
            episode=self.number,
            agent=f"Agent{agent + 1}",
            tick=self._tick,
            pos=_rounded([x * half, y * HEIGHT_SCALE, z * half]),
            vel=_rounded([vx * fastest, vy * FALL_SCALE, vz * fastest]),
            facing=_rounded([fx, fz]),
            is_it=bool(row[spec.field("roles").start] >= 0.5),
            action=_rounded(action),
            reward=round(reward, 6),
            dists=_rounded(rays[:, 0] * config["vision_range"]),
            types=[TYPES[kind] for kind in rays[:, 1:].argmax(axis=1)],
        )

    def _finish(self, world: World) -> None:
        """The end line. Its sums are those of the world's own account, which somebody else will fetch."""
        assert self._file is not None
        terminated = bool(world.terminated[self.rows].any())
        limit = round(self.spec.config["time_limit"] * self.spec.config["tick_rate"])
        tagged = self._tick < limit
        if tagged:
            seekers = [i for i, role in enumerate(self.spec.roles) if role == "seeker"]
            hiders = [i for i, role in enumerate(self.spec.roles) if role == "hider"]
            self._file.write("tag", attacker=f"Agent{seekers[0] + 1}", target=f"Agent{hiders[0] + 1}")
        else:
            self._file.write("timeout")
        winner = "nobody" if not terminated else "seeker" if tagged else "hider"
        self._file.write(
            "episode_end",
            episode=self.number,
            winner=winner,
            terminal_reason="tag" if tagged else "timeout",
            ticks=self._tick,
            duration_s=round(self._tick / self.spec.config["tick_rate"], 6),
        )
        self.written.append(self._file.close())
        self._file, self.number = None, self.number + 1

    def close(self) -> None:
        """Drop a match that was not finished."""
        if self._file is not None:
            self._file.abandon()
            self._file = None


def _rounded(values: Any) -> list[float]:
    return [round(float(value), DIGITS) for value in values]
