"""Makes tests/golden/messages anew: the lock-step messages of docs/ws_protocol.md, as JSON and as bytes.

    python tests/golden/make_messages.py

Python (tests/bridge/test_messages.py) and GDScript (tests/bridge/test_godot_wire.py) must both read and write
exactly these. Numbers are chosen so that float32 holds them without rounding.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np

from sandlot.bridge import messages, wire

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "bridge_game"))
import game_messages

FOLDER = Path(__file__).parent / "messages"
CONTINUOUS = wire.BatchShape(3, 2, 3, 2, 0, 4, False)  # worlds, agents, observation, action, choices, episode
DISCRETE = wire.BatchShape(2, 1, 2, 1, 5, 1, True)


def numbers(*shape: int, first: float = 0.5) -> np.ndarray:
    return (first + 0.25 * np.arange(np.prod(shape))).astype(np.float32).reshape(shape)


def state(shape: wire.BatchShape, step: int, ended: list[int]) -> wire.State:
    rows, wide, count = shape.rows, shape.observation_size, len(ended)
    over = np.isin(np.repeat(np.arange(shape.worlds), shape.agents), ended)
    masks = (np.arange(rows * shape.action_count) % 3 != 0).reshape(rows, -1).astype(np.uint8)
    return wire.State(
        step,
        numbers(rows, wide),
        numbers(rows, first=-1.25),
        np.arange(1, 1 + shape.worlds, dtype=np.int32),
        over.astype(np.uint8),
        np.zeros(rows, np.uint8),
        masks if shape.masked else None,
        np.array(ended, np.int32),
        numbers(count, shape.agents, wide, first=100.0),
        numbers(count, shape.episode_size, first=-8.0),
    )


def commands(shape: wire.BatchShape) -> dict[str, wire.Step | wire.Reset]:
    choices = np.arange(shape.rows, dtype=np.int32)
    actions = choices if shape.action_count else (numbers(*shape.action_shape) / 8).astype(np.float32)
    seeds = np.array([2**64 - 1, 7][: shape.worlds], np.uint64)
    worlds = np.array([shape.worlds - 1, 0][: len(seeds)], np.int32)
    return {"step": wire.Step(3, actions), "reset": wire.Reset(2**40 + 1, worlds, seeds)}


def lockstep() -> dict[str, dict[str, object]]:
    made: dict[str, dict[str, object]] = {}
    for name, shape in (("continuous", CONTINUOUS), ("discrete", DISCRETE)):
        for ended in ([], [1]):
            result = state(shape, 41, ended)
            made[f"state_{name}_{len(ended)}_ended"] = {
                "shape": asdict(shape),
                "json": game_messages.state_to_json(result),
                "hex": game_messages.state_to_bytes(result).hex(),
            }
        for kind, command in commands(shape).items():
            as_json = (
                messages.step_to_json(command)
                if isinstance(command, wire.Step)
                else messages.reset_to_json(command)
            )
            as_bytes = (
                wire.step_to_bytes(command)
                if isinstance(command, wire.Step)
                else wire.reset_to_bytes(command)
            )
            made[f"{kind}_{name}"] = {"shape": asdict(shape), "json": as_json, "hex": as_bytes.hex()}
    return made


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, result in lockstep().items():
        (FOLDER / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
