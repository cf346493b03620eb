"""Worlds as environments of Stable-Baselines3: PPO("MlpPolicy", GodotVecEnv("my_game")), or any other game.

Every agent of every world is a row. A Godot project has a SandlotTrainer, or the Sync node of the godot-rl
plugin. An episode's last observation and whether a time limit cut it off are in its info, as far as the game
says them.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import seeding
from ..errors import ConfigError, MissingExtra
from ..spec import Spec
from ..worlds import World, make
from ..worlds.godot_rl_project import address as address_of
from ..worlds.make import GODOT, GODOT_RL, engine_of
from .spaces import observation_space

try:
    from gymnasium import spaces
    from stable_baselines3.common.vec_env import VecEnv
except ImportError:
    raise MissingExtra("WorldVecEnv", "stable-baselines3", "sb3") from None

FRAME_S = 1 / 90  # the budget of a frame
PERFORMANCE = "performance"  # an observation field of three shares of a budget
SUCCESS = ("is_success", "success")  # episode fields that Stable-Baselines3's success rate is made of


class WorldVecEnv(VecEnv):
    """Any batch of worlds: WorldVecEnv(sandlot.make("landing", worlds=8), seed=42). Close it when done.

    The first reset gives world i the seed `seed + i`, a further one goes on to other episodes. Infos have
    what Stable-Baselines3 and its callbacks look for: `episode`, `is_success`, `terminal_observation`,
    `TimeLimit.truncated`; `report`, all numbers of the finished episode; and `performance`, shares of the
    budgets of physics frame, drawn frame and chunks.
    """

    def __init__(self, world: World, seed: int = 0):
        self.world, self._spec, self._next_seed = world, world.spec, seed
        if self._spec.masked:
            raise ConfigError(
                f"{self._spec.game} has action masks, which Stable-Baselines3's own policies do not know. "
                "Train it with `sandlot train`, with any --trainer."
            )
        self._actions = ActionColumns(self._spec)
        self._shares = performance_columns(self._spec)
        super().__init__(world.rows, observation_space(self._spec), self._actions.space)
        self._returns = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, int)

    def reset(self) -> np.ndarray:
        worlds = self.world.worlds
        self.world.reset(seeds=[(self._next_seed + i) & seeding.MASK for i in range(worlds)])
        self._next_seed += worlds  # a further reset plays other episodes
        self._returns[:], self._lengths[:] = 0.0, 0
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return self.world.observations.copy()

    def step_async(self, actions: np.ndarray) -> None:
        self._chosen = self._actions.of(np.asarray(actions))

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        world, began = self.world, time.perf_counter()
        world.step(self._chosen)
        took_s = time.perf_counter() - began
        self._returns += world.rewards
        self._lengths += 1
        done = world.terminated | world.truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._measure(infos, took_s)
        self._report(infos)
        for row in np.flatnonzero(done).tolist():
            infos[row] |= {
                "TimeLimit.truncated": bool(world.truncated[row] and not world.terminated[row]),
                "terminal_observation": world.final_observations[row].copy(),
                "episode": {"r": float(self._returns[row]), "l": int(self._lengths[row])},
            }
            self._returns[row], self._lengths[row] = 0.0, 0
        return world.observations.copy(), world.rewards.copy(), done, infos

    def _measure(self, infos: list[dict[str, Any]], took_s: float) -> None:
        """What the game observes of its performance; else how long a tick took, seen from outside."""
        if self._shares is not None:
            for info, row in zip(infos, self.world.observations[:, self._shares].tolist(), strict=True):
                info["performance"] = row
        elif self.world.engine_pids:
            ratio = took_s / max(int(self.world.ticks.max()), 1) / FRAME_S
            for info in infos:
                info["performance"] = (ratio, 0.0, 0.0)

    def _report(self, infos: list[dict[str, Any]]) -> None:
        """What the game reports of an episode, in the infos of its agents."""
        agents = self._spec.agents
        for episode in self.world.finished():
            reported = {field.name: episode[field.name] for field in self._spec.episode}
            success = next((reported[name] for name in SUCCESS if name in reported), None)
            for row in range(episode["world"] * agents, (episode["world"] + 1) * agents):
                infos[row]["report"] = reported
                if success is not None:
                    infos[row]["is_success"] = bool(success)

    def close(self) -> None:
        self.world.close()

    # the rest of the interface is about single environments; these are rows of one batch

    def seed(self, seed: int | None = None) -> Sequence[None]:
        """Of the next reset."""
        self._next_seed = self._next_seed if seed is None else seed
        return [None] * self.num_envs

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        if attr_name == "render_mode":
            return [None] * self.num_envs
        raise AttributeError(f"An agent of a scene has no attribute {attr_name!r} of its own.")

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(f"An agent of a scene has no attribute {attr_name!r} of its own.")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        raise AttributeError(f"An agent of a scene has no method {method_name!r} of its own.")

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs


class GodotVecEnv(WorldVecEnv):
    """All agents of a scene, in `n_parallel` processes of the engine."""

    def __init__(
        self,
        env_path: str | Path | None = None,
        scene_path: str | None = None,
        *,
        show_window: bool = False,
        port: int = 0,
        seed: int = 0,
        n_parallel: int = 1,
        arenas: int | None = None,
        config: dict[str, Any] | None = None,
    ):
        """env_path: the project's folder, or a program that `sandlot godot export` made; None: nothing is
        started, and a scene that is started by hand is waited for (port 8765 unless `port` says another).

        scene_path: res://…; else the main scene. show_window: drawn, in real time. port: of the first
        process, the others follow; 0: free ones. arenas: in all; else as many as the scene has, in every
        process.
        config: settings of the game, such as {"action_repeat": 4}.
        """
        if env_path is None and (scene_path or n_parallel > 1):
            raise ConfigError(
                "Without env_path one scene is waited for: leave scene_path and n_parallel out."
            )
        game = "godot:" if env_path is None else address_of(Path(env_path), scene_path)
        options = _options(game, env_path, show_window, port, n_parallel)
        worlds = arenas or n_parallel * _usual_arenas(game, env_path, config)
        world = make(game, worlds, seed=seed, config=config, **options)
        try:
            super().__init__(world, seed)
        except BaseException:
            world.close()
            raise


class ActionColumns:
    """A game's actions as a space of Stable-Baselines3, and back: Discrete, MultiDiscrete, or a Box of -1..1.

    Where axes and choices mix, a choice of n is a number whose range is divided into n equal parts.
    """

    def __init__(self, spec: Spec):
        if spec.document.role_actions:
            raise ConfigError(
                f"The roles of {spec.game} do different things, and Stable-Baselines3 knows one action "
                "space. Use --trainer ppo, which learns every role."
            )
        self._discrete = spec.discrete
        self.space: spaces.Space[Any]
        if spec.discrete:
            self.space = spaces.Discrete(spec.action_count)
            return
        self._low, self._high = spec.action_bounds
        self._counts = np.array([_count(action.kind, action.bounds) for action in spec.actions])
        if self._counts.all():
            self.space = spaces.MultiDiscrete(self._counts)
        else:
            self.space = spaces.Box(-1.0, 1.0, (spec.action_size,), np.float32)

    def of(self, actions: np.ndarray) -> np.ndarray:
        """As the world takes them."""
        if self._discrete:
            return actions.reshape(len(actions)).astype(np.int32)
        if isinstance(self.space, spaces.MultiDiscrete):
            parts = actions
        else:
            share = (np.clip(actions, -1.0, 1.0) + 1.0) / 2.0
            parts = np.minimum(np.floor(share * self._counts), self._counts - 1)
            axes = self._low + share * (self._high - self._low)
            return np.where(self._counts == 0, axes, self._chosen(parts)).astype(np.float32)
        return self._chosen(parts).astype(np.float32)

    def _chosen(self, parts: np.ndarray) -> np.ndarray:
        """Numbers of options as values: a button's two are -1 and 1, a choice's its numbers."""
        steps = np.maximum(self._counts - 1, 1)
        return self._low + parts * (self._high - self._low) / steps


def _count(kind: str, bounds: tuple[float, float]) -> int:
    """Options of an action; 0 for an axis."""
    return {"button": 2, "choice": round(bounds[1] - bounds[0]) + 1}.get(kind, 0)


def _options(
    game: str, env_path: str | Path | None, show_window: bool, port: int, n_parallel: int
) -> dict[str, Any]:
    options: dict[str, Any] = {"port": port} if port else {}
    if env_path is None:
        return options | {"attach": True}
    if show_window:
        options["window"] = True
    return options | ({"processes": n_parallel} if n_parallel > 1 and engine_of(game) == GODOT else {})


def _usual_arenas(game: str, env_path: str | Path | None, config: dict[str, Any] | None) -> int:
    """Arenas of one process, as the scene says."""
    from ..worlds import load_spec

    if env_path is None:
        return 1
    assert engine_of(game) in (GODOT, GODOT_RL)
    return int(load_spec(game, config).json["arenas"])


def performance_columns(spec: Spec) -> slice | None:
    """The columns of an observation that hold `performance`; None where the game does not observe it."""
    fields = [field for field in spec.observation if field.name == PERFORMANCE and field.size == 3]
    return fields[0].slice if fields else None
