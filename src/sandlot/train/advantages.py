"""Generalized advantage estimation with a discount per tick, and with terminated and truncated kept apart.

td_error = reward + gamma^ticks * next_value - value, where next_value is
    the next observation's value     while the episode goes on,
    the final observation's value    where the episode was truncated,
    0                                where it terminated.
"""

import numpy as np


def advantages(
    rewards: np.ndarray,  # [T, rows], scaled
    values: np.ndarray,  # [T + 1, rows] of the observation before each step, and of the one after the last
    terminated: np.ndarray,  # [T, rows] bool
    truncated: np.ndarray,  # [T, rows] bool
    final_values: np.ndarray,  # [T, rows] of the final observation, where truncated
    ticks: np.ndarray,  # [T, rows] that each step lasted
    gamma: float,  # per tick
    gae_lambda: float,  # per step
) -> tuple[np.ndarray, np.ndarray]:
    """Advantages and returns, [T, rows] each."""
    discounts = np.power(np.float32(gamma), ticks, dtype=np.float32)
    next_values = np.where(truncated, final_values, values[1:])
    next_values[terminated] = 0.0
    td_errors = rewards + discounts * next_values - values[:-1]
    decays = discounts * np.float32(gae_lambda)
    decays[terminated | truncated] = 0.0
    result = np.empty_like(rewards)
    advantage = np.zeros_like(rewards[0])
    for t in range(len(rewards) - 1, -1, -1):
        advantage = td_errors[t] + decays[t] * advantage
        result[t] = advantage
    return result, result + values[:-1]
