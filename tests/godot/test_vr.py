"""The comfort proxy of Godot's VR scenes against the native game's, on one recorded walk."""

import json
import math

import numpy as np
import pytest

import sandlot
from sandlot.bridge.godot_process import GodotProcess

CHECK = "res://tests/motion_check.gd"
LIMIT_S = 120
DECISIONS = 60
TICKS = 9  # that an action is held
RULES = {
    "layout": "course",
    "ticks_per_step": 1,
    "dead_zone": 0.0,
    "action_smoothing": 0.0,
    "time_limit": 6.0,
}


@pytest.fixture(scope="module")
def walk():
    """A restless walk, tick by tick, and what the native game said about it at its end."""
    draw = np.random.default_rng(4)
    with sandlot.make("navigation", 1, config=RULES) as world:
        world.reset(seed=11)
        slices = {}
        at = 0
        for field in world.spec.observation:
            slices[field.name] = slice(at, at := at + field.size)
        positions, rotate, roll = [], [], []

        def note(seen, turn):
            positions.append([float(v) for v in seen[slices["camera_position"]][[0, 2]]])
            x, y, z, w = (float(v) for v in seen[slices["camera_rotation"]])
            roll.append(2.0 * math.atan(z / w if abs(w) > abs(y) else x / y))
            rotate.append(turn)

        note(world.observations[0], 0.0)
        action = np.zeros((1, 3), np.float32)
        for tick in range(DECISIONS * TICKS):
            if tick % TICKS == 0:
                action = draw.uniform(-1, 1, (1, 3)).astype(np.float32)
            if world.step(action):
                note(world.final_observations[0], float(action[0, 2]))
                return {"positions": positions, "rotate": rotate, "roll": roll}, world.finished()[-1]
            note(world.observations[0], float(action[0, 2]))
    raise AssertionError("the walk ends at its time limit")


def test_comfort_in_godot_is_the_native_games_on_the_same_motion(walk, engine, project, tmp_path):
    motion, native = walk
    assert len(motion["positions"]) == DECISIONS * TICKS + 1
    file = tmp_path / "motion.json"
    file.write_text(json.dumps({**motion, "tick_rate": 90, "max_speed": 2.0}), encoding="utf-8")
    with GodotProcess(["--script", CHECK, "--", str(file)], project=project, engine=engine) as process:
        ended = process.wait(LIMIT_S)
    found = json.loads(ended.output.split("measures ", 1)[1].splitlines()[0])
    ticks = DECISIONS * TICKS
    assert native["comfort_score"] < 0.95 and native["vignette_share"] > 0.2, "a walk that tells something"
    for name in ("comfort_score", "vignette_mean", "vignette_peak"):
        assert found[name] == pytest.approx(native[name], abs=1e-4), name
    for name in ("vignette_share", "hard_acceleration_share", "jerk_share"):  # a tick on a threshold may fall
        assert found[name] == pytest.approx(native[name], abs=2.5 / ticks), name
    assert found["snap_turns"] == native["snap_turns"] == 0
