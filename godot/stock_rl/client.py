"""The stock godot-rl client playing our scene: prints how many agent decisions a second it gets.

Runs in an environment of its own (`make stock`), because godot-rl pins older packages than Sandlot uses; it
imports nothing of Sandlot. `benchmarks/godot_bridge.py` starts it.
"""

import argparse
import json
import time

from godot_rl.core.godot_env import GodotEnv

RECORDED = 16  # sets of random actions, drawn before the clock runs


def main() -> None:
    asked = _asked()
    env = GodotEnv(
        env_path=asked.game,
        port=asked.port,
        seed=7,
        framerate=asked.framerate,
        action_repeat=asked.action_repeat,
        speedup=asked.speedup,
        arenas=asked.arenas,
    )
    env.reset()
    actions = [_random_actions(env) for _ in range(RECORDED)]
    _play(env, actions, asked.warm_up)
    steps, seconds = _play(env, actions, asked.seconds)
    env.close()
    print("STOCK " + json.dumps({"decisions": steps * env.num_envs, "seconds": seconds}), flush=True)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", help="a program that starts the scene; its name ends in .x86_64")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--arenas", type=int, default=8)
    parser.add_argument("--action-repeat", type=int, help="physics ticks a decision")
    parser.add_argument("--speedup", type=int, help="times real time")
    parser.add_argument("--framerate", type=int, help="frames a second by the engine's count: no clock")
    parser.add_argument("--warm-up", type=float, default=0.5, help="seconds before the clock runs")
    parser.add_argument("--seconds", type=float, default=1.0)
    return parser.parse_args()


def _random_actions(env: GodotEnv) -> list:
    """One list a head, as the client's own example makes them."""
    return list(zip(*(env.action_space.sample() for _ in range(env.num_envs)), strict=True))


def _play(env: GodotEnv, actions: list, seconds: float) -> tuple[int, float]:
    began = time.perf_counter()
    steps = 0
    while time.perf_counter() - began < seconds or steps == 0:
        env.step(actions[steps % RECORDED])
        steps += 1
    return steps, time.perf_counter() - began


if __name__ == "__main__":
    main()
