"""Stock godot-rl on a game: how many agent-steps a second, and how long its PPO takes to a return.

Runs in the environment of `make stock`, because godot-rl pins older packages than Sandlot uses; it imports
nothing of Sandlot. `benchmarks/godot_training.py` starts it.
"""

import argparse
import json
import time

import numpy as np
import torch
from godot_rl.wrappers.stable_baselines_wrapper import StableBaselinesGodotEnv
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecMonitor

LAST = 100  # episodes, whose mean return is judged, as Stable-Baselines3 prints it
RECORDED = 16  # sets of random actions, drawn before the clock runs


class Until(BaseCallback):
    """Stops the training when the return is reached, or time is over."""

    def __init__(self, target: float, minutes: float):
        super().__init__()
        self.target, self.limit_s, self.began = target, 60 * minutes, time.perf_counter()
        self.seconds, self.is_reached = 0.0, False

    def _on_step(self) -> bool:
        episodes = self.model.ep_info_buffer
        self.seconds = time.perf_counter() - self.began
        mean = np.mean([one["r"] for one in episodes]) if len(episodes) == LAST else -np.inf
        self.is_reached = bool(mean >= self.target)
        return not self.is_reached and self.seconds < self.limit_s


def main() -> None:
    asked = _asked()
    np.random.seed(asked.seed)
    torch.manual_seed(asked.seed)
    torch.set_num_threads(1)
    env = VecMonitor(
        StableBaselinesGodotEnv(
            asked.game, port=asked.port, seed=asked.seed, speedup=asked.speedup, framerate=asked.framerate,
            action_repeat=asked.action_repeat,
        )
    )  # fmt: skip
    measured = {"rate": _rate(env, asked.seconds)} if asked.seconds else _learn(env, asked)
    env.close()
    print("STOCK " + json.dumps(measured), flush=True)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", help="a program that starts the scene; its name ends in .x86_64")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--action-repeat", type=int, help="physics ticks a decision")
    parser.add_argument("--speedup", type=int, default=1, help="times real time")
    parser.add_argument("--framerate", type=int, help="frames a second by the engine's count: no clock")
    parser.add_argument(
        "--seconds", type=float, default=0, help="measure random play for so long, no training"
    )
    parser.add_argument("--target", type=float, default=0, help="return to train to")
    parser.add_argument("--minutes", type=float, default=10, help="after which a training is given up")
    return parser.parse_args()


def _rate(env: VecMonitor, seconds: float) -> float:
    """Agent-steps a second of random play."""
    env.reset()
    actions = [np.array([env.action_space.sample() for _ in range(env.num_envs)]) for _ in range(RECORDED)]
    for warm_up in (True, False):
        began, steps = time.perf_counter(), 0
        while time.perf_counter() - began < (seconds / 2 if warm_up else seconds):
            env.step(actions[steps % RECORDED])
            steps += 1
    return steps * env.num_envs / (time.perf_counter() - began)


def _learn(env: VecMonitor, asked: argparse.Namespace) -> dict:
    """The package's own training (`stable_baselines_training`), until the return is there."""
    until = Until(asked.target, asked.minutes)
    model = PPO("MultiInputPolicy", env, ent_coef=0.0001, n_steps=32)
    model.learn(10_000_000, callback=until)
    return {"seconds": until.seconds, "steps": int(model.num_timesteps), "is_reached": until.is_reached}


if __name__ == "__main__":
    main()
