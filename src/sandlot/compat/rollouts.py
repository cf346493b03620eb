"""How many steps a rollout of Stable-Baselines3's PPO has in a short training."""

import math


def rollout_steps(n_steps: int, batch_size: int, num_envs: int, timesteps: int) -> int:
    """Steps per environment: `n_steps`, or fewer whole batches where the whole training is shorter.

    PPO plays whole rollouts: without this, 100 steps would last 2,048.
    """
    even = batch_size // math.gcd(batch_size, num_envs)
    return min(n_steps, math.ceil(max(timesteps, 1) / num_envs / even) * even)
