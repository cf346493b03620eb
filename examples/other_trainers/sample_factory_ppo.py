"""Sample Factory's PPO (APPO) on a scene of a Godot project, or on any other game.

    make sample-factory
    PYTHONPATH=src .venv-sample-factory/bin/python examples/other_trainers/sample_factory_ppo.py \
        --game=godot:my_game --arenas=16 --train_for_env_steps=200000

One environment of Sample Factory is the whole batch: its agents are the rows of our arrays.
"""

import argparse
import sys
from functools import partial

import gymnasium
import numpy as np
import torch
from sample_factory.cfg.arguments import parse_full_cfg, parse_sf_args
from sample_factory.envs.env_utils import register_env
from sample_factory.train import run_rl

import sandlot

NAME = "sandlot"
USUAL = {
    "env": NAME, "serial_mode": True, "async_rl": False, "batched_sampling": True, "num_workers": 1,
    "num_envs_per_worker": 1, "worker_num_splits": 1, "use_rnn": False, "device": "cpu", "rollout": 32,
    "batch_size": 512, "num_batches_per_epoch": 1, "num_epochs": 4, "gamma": 0.99,
    "normalize_input": True, "normalize_returns": True, "nonlinearity": "tanh",
    "encoder_mlp_layers": [64, 64], "restart_behavior": "overwrite",
}  # fmt: skip


class BatchedEnv(gymnasium.Env):
    """A batch of worlds, one agent of Sample Factory per row."""

    def __init__(self, game: str, arenas: int, seed: int):
        self.world = sandlot.make(game, worlds=arenas, seed=seed)
        spec = self.world.spec
        self.num_agents, self.is_multiagent, self.render_mode, self._seed = self.world.rows, True, None, seed
        low, high = np.float32(-np.inf), np.float32(np.inf)
        self.observation_space = gymnasium.spaces.Dict(
            {"obs": gymnasium.spaces.Box(low, high, (spec.observation_size,), np.float32)}
        )
        self.action_space = (
            gymnasium.spaces.Discrete(spec.action_count)
            if spec.discrete
            else gymnasium.spaces.Box(-1.0, 1.0, (spec.action_size,), np.float32)
        )

    def reset(self, *, seed=None, options=None):
        del seed, options
        self.world.reset(self._seed)
        return self._seen(), [{} for _ in range(self.num_agents)]

    def step(self, actions):
        world = self.world
        chosen = actions.cpu().numpy() if hasattr(actions, "cpu") else np.asarray(actions)
        world.step(chosen.reshape(self.num_agents) if world.spec.discrete else np.clip(chosen, -1, 1))
        ends = [torch.from_numpy(end.copy()) for end in (world.terminated, world.truncated)]
        return (
            self._seen(),
            torch.from_numpy(world.rewards.copy()),
            *ends,
            [{} for _ in range(self.num_agents)],
        )

    def _seen(self):
        return {"obs": torch.from_numpy(self.world.observations.copy())}

    def close(self):
        self.world.close()


def make_env(game, arenas, _name, cfg, _env_config, render_mode=None):
    del render_mode
    return BatchedEnv(game, arenas, cfg.seed or 0)


def main() -> int:
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--game", required=True, help="such as godot:my_game, or navigation")
    own.add_argument("--arenas", type=int, default=16)
    asked, rest = own.parse_known_args()
    register_env(NAME, partial(make_env, asked.game, asked.arenas))
    words = [f"--env={NAME}", *rest]
    parser, _ = parse_sf_args(words)
    parser.set_defaults(**USUAL)
    return run_rl(parse_full_cfg(parser, words))


if __name__ == "__main__":
    sys.exit(main())
