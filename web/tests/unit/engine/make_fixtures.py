"""What Python says, for the page to agree with: replays, frames, what bots and policies do, spec hashes.

python web/tests/unit/engine/make_fixtures.py FOLDER

Run by setup.ts when it is out of date. Everything is made by the real engine, recorder and PyTorch; the
page's engine is built first when its sources are younger, so that both are the same.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch

import sandlot
from sandlot.evaluate.replay_reader import open_replay, rounded
from sandlot.evaluate.replay_recorder import record
from sandlot.policies import Policy
from sandlot.policies.compare import record_trajectory
from sandlot.policies.config import NetworkConfig
from sandlot.policies.export import export_onnx
from sandlot.policies.exported import load_onnx

ROOT = Path(__file__).parents[4]
SPECS: list[tuple[str, dict[str, Any]]] = [
    ("tag", {}),
    ("tag", {"mode": "switch", "time_limit": 12.5, "seekers": 2, "hiders": 3}),
    ("tag", {"seeker_time": 0.00001}),
    ("prospector", {}),
    ("prospector", {"profile": "classic"}),
    ("prospector", {"time_max": 500}),
]
HEADS = [
    ("tag", "seeker", "table"),
    ("tag", "hider", "gaussian"),
    ("tag", "seeker", "mixed"),
    ("prospector", "pilot", "auto"),
]


def main(folder: Path) -> None:
    builder = [sys.executable, ROOT / "engine" / "wasm" / "build.py", "--if-stale"]
    subprocess.run(builder, check=True, stdout=subprocess.DEVNULL, timeout=300)
    torch.set_num_threads(1)
    folder.mkdir(parents=True, exist_ok=True)
    fixture: dict[str, Any] = {"numbers": numbers(), "specs": specs(), "bots": bots()}
    fixture |= {"frames": replays(folder), "policies": policies(folder)}
    (folder / "python.json").write_text(json.dumps(fixture))


def numbers() -> list[list[float]]:
    """Floats of every size, and the nine digits of each that files hold."""
    random = np.random.default_rng(2)
    powers = [float(10.0**i) for i in range(-6, 10)]
    values = np.float32([*random.standard_normal(600) * 10.0 ** random.uniform(-8, 9, 600), *powers, 0.0])
    return [[float(value), float(nine)] for value, nine in zip(values, rounded(values), strict=True)]


def specs() -> list[dict[str, Any]]:
    made = [(game, config, sandlot.load_spec(game, config)) for game, config in SPECS]
    return [{"game": g, "config": c, "hash": s.hash, "whole": s.config} for g, c, s in made]


# ---------------------------------------------------------------- replays


def replays(folder: Path) -> dict[str, Any]:
    """Files, and what Python's own player shows of them at some steps."""
    match = {"seeker": sandlot.bot("tag", "chase"), "hider": sandlot.bot("tag", "evade")}
    crowd = {"mode": "switch", "seekers": 1, "hiders": 4}
    made = {
        "tag": record("tag", match, 7),
        "tag_exact": record("tag", match, 8, exact=True),
        "tag_crowd": record("tag", sandlot.bot("tag", "wander", config=crowd), 9, crowd),
        "prospector": record("prospector", sandlot.bot("prospector", "tour"), 3),
        "prospector_big_seed": record(
            "prospector", sandlot.bot("prospector", "random_legal"), 2**64 - 1, {"time_max": 400}
        ),
    }
    frames = {}
    for name, replay in made.items():
        replay.write(folder / f"{name}.jsonl.gz")
        frames[name] = _frames(replay)
    return frames


def _frames(replay: Any) -> dict[str, Any]:
    steps = replay.end.steps
    wanted = sorted({0, 1, 2, steps // 3, steps // 2, steps - 1} & set(range(steps)))
    with open_replay(replay) as player:
        pages = [player.page(i, 1, info=True).frames[0].to_json() for i in wanted]
    return {"steps": steps, "ticks": replay.end.ticks, "events": len(replay.events), "frames": pages}


# ---------------------------------------------------------------- bots


def bots() -> list[dict[str, Any]]:
    """Every bot at every level, on all rows of one world: what it does, step by step."""
    made = []
    for game in sandlot.games():
        for name, about in sandlot.load_spec(game).bots.items():
            made += [_bot(game, name, level) for level in range(1, about["levels"] + 1)]
    return made


def _bot(game: str, name: str, level: int, steps: int = 80) -> dict[str, Any]:
    player = sandlot.bot(game, name, level, seed=11)
    with sandlot.make(game, worlds=1, seed=5) as world:
        world.reset(5)
        memory, actions = player.start(world.rows), []
        for _ in range(steps):
            world.actions[...], memory = player.act(world.observations, world.masks, memory)
            actions.append(world.actions.ravel().tolist())
            if world.step():
                player.restart(memory, world.terminated | world.truncated)
        return {"game": game, "name": name, "level": level, "actions": actions, "hash": str(world.hash(0))}


# ---------------------------------------------------------------- policies


def policies(folder: Path) -> list[dict[str, Any]]:
    """Every head with and without memory, answered by PyTorch; one with int8 weights, by onnxruntime."""
    made = []
    for game, role, head in HEADS:
        for memory in (0, 12):
            policy, name = _opinionated(game, role, head, memory), f"{game}_{head}_{memory}.onnx"
            export_onnx(policy, folder / name, run_id="fixture", window_id=3)
            fixture = {"file": name, "game": game, "role": role, "head": head, "memory": memory}
            made.append(fixture | {"steps": _answers(policy)})
    policy = _opinionated("prospector", "pilot", "auto", 12)
    export_onnx(policy, folder / "int8.onnx", int8=True)
    fixture = {"file": "int8.onnx", "game": "prospector", "role": "pilot", "head": "int8", "memory": 12}
    return [*made, fixture | {"steps": _answers(load_onnx(folder / "int8.onnx"))}]


def _opinionated(game: str, role: str, head: str, memory: int) -> Policy:
    """As if it had been trained for a while."""
    policy = Policy(
        sandlot.load_spec(game),
        role,
        NetworkConfig(hidden_sizes=(24, 16), recurrent_size=memory, head=head),
        seed=5,
    )
    with torch.no_grad():
        policy.network.last.weight *= 100
    assert policy.normalizer is not None
    size = policy.spec.observation_size
    policy.normalizer.update(np.random.default_rng(1).normal(0.2, 0.7, (400, size)))
    return policy


def _answers(policy: Policy) -> list[dict[str, Any]]:
    """What it says to its own play, memory carried along."""
    play = record_trajectory(policy, worlds=4, steps=10)
    policy.greedy = True
    state, steps = None, []
    for t, seen in enumerate(play.observations):
        masks = None if play.masks is None else play.masks[t]
        values = policy.values(seen, state).tolist()
        actions, state = policy.act(seen, masks, state)
        steps.append(
            {
                "observations": seen.ravel().tolist(),
                "masks": None if masks is None else masks.ravel().tolist(),
                "actions": np.asarray(actions).ravel().tolist(),
                "values": values,
            }
        )
    return steps


if __name__ == "__main__":
    main(Path(sys.argv[1]))
