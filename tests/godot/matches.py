"""The same match in the native engine and in Godot: same seeds, same actions, all that can be seen kept."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import sandlot
from sandlot import seeding
from sandlot.bridge.godot_process import GodotProcess
from sandlot.worlds import load_spec

PLAY = "res://tests/play.gd"
LIMIT_S = 240
HOLD_STEPS = 8  # how long random players hold an action: long enough to run into things


@dataclass
class Played:
    """What came of it, frame by frame: the beginning, then one after each step."""

    observations: np.ndarray  # [frames, rows, D]
    rewards: np.ndarray  # [steps, rows]
    positions: np.ndarray  # [frames, worlds, agents, 3]
    boxes: np.ndarray  # [frames, worlds, 12, 6]
    ended: list[list[int]]  # worlds that ended in each step
    episodes: np.ndarray  # the episode blocks of those, [ended, E]


def play_natively(config: dict[str, Any], worlds: int, steps: int, seed: int) -> tuple[Played, np.ndarray]:
    with sandlot.make("tag", worlds=worlds, seed=seed, config=config) as world:
        world.reset(seed=seed)
        actions = _random_actions(world.actions.shape, steps, seed)
        kept: dict[str, list[Any]] = {name: [] for name in ("o", "r", "p", "b", "e", "s")}
        _keep(world, kept)
        for action in actions:
            world.actions[...] = action
            world.step()
            _keep(world, kept)
            kept["r"].append(world.rewards.copy())
            over = (world.terminated | world.truncated).reshape(worlds, -1)[:, 0]
            kept["e"].append(np.flatnonzero(over).tolist())
            kept["s"] += list(world.finished().values)
        played = Played(
            np.array(kept["o"]),
            np.array(kept["r"]),
            np.array(kept["p"]),
            np.array(kept["b"]),
            kept["e"],
            np.array(kept["s"]),
        )
        return played, actions


def play_in_godot(
    engine: Any,
    project: Path,
    config: dict[str, Any],
    worlds: int,
    seed: int,
    actions: np.ndarray,
    room: Path,
) -> Played:
    case, out = room / "case.json", room / "out.json"
    seeds = [
        str(int(value.astype(np.int64))) for value in np.asarray(seeding.for_worlds(seed, worlds), np.uint64)
    ]
    rows = actions.reshape(len(actions), -1).tolist()
    case.write_text(json.dumps({"config": config, "worlds": worlds, "seeds": seeds, "actions": rows}))
    words = ["--fixed-fps", "60", "--script", PLAY, "--", str(case), str(out)]
    with GodotProcess(words, project=project, engine=engine) as process:
        ended = process.wait(LIMIT_S)
        assert ended.code == 0, ended.output
    return _read(json.loads(out.read_text()), worlds, config)


def _random_actions(shape: tuple[int, ...], steps: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    drawn = rng.uniform(-1, 1, (steps // HOLD_STEPS + 1, *shape)).repeat(HOLD_STEPS, axis=0)[:steps]
    return (np.round(drawn * 256) / 256).astype(np.float32)  # short numbers: JSON carries them exactly


def _keep(world: Any, kept: dict[str, list[Any]]) -> None:
    shown = [world.render(i) for i in range(world.worlds)]
    kept["o"].append(world.observations.copy())
    kept["p"].append([frame["position"] for frame in shown])
    kept["b"].append([frame["boxes"] for frame in shown])


def _read(record: dict[str, Any], worlds: int, config: dict[str, Any]) -> Played:
    spec = load_spec("tag", config)
    fields = {field.name: field for field in spec.render}
    shown = np.array([[world["render"] for world in frame] for frame in record["frames"]])

    def block(name: str) -> np.ndarray:
        return shown[..., fields[name].slice].reshape(*shown.shape[:2], *fields[name].shape)

    observations = np.array(record["observations"]).reshape(len(shown), -1, spec.observation_size)
    size = spec.json["shape"]["episode"]
    episodes = [np.array(row).reshape(-1, size) for row in record["episodes"][1:] if row]
    return Played(
        observations,
        np.array(record["rewards"][1:]),
        block("position"),
        block("boxes"),
        [[int(world) for world in row] for row in record["ended"][1:]],
        np.concatenate(episodes) if episodes else np.zeros((0, size)),
    )
