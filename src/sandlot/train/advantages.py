"""Generalised advantages with two kinds of ending and a discount by ticks.

target of a step   = reward + discount^ticks * value of what came after
what came after is   the next observation's value            while the episode goes on,
                     the last observation's value            where we stopped watching (truncated),
                     nothing                                 where the game ended (terminated).
"""

from __future__ import annotations

import numpy as np


def advantages(
    rewards: np.ndarray,  # [T, rows] already scaled
    values: np.ndarray,  # [T + 1, rows] of the observation before each step, and of the one after the last
    terminated: np.ndarray,  # [T, rows] bool
    truncated: np.ndarray,  # [T, rows] bool
    final_values: np.ndarray,  # [T, rows] of the last observation, where truncated
    ticks: np.ndarray,  # [T, rows]
    discount: float,  # per tick
    trace: float,  # lambda, per decision
) -> tuple[np.ndarray, np.ndarray]:
    """Advantages and returns, [T, rows] each."""
    fade = np.power(np.float32(discount), ticks, dtype=np.float32)
    after = np.where(truncated, final_values, values[1:])
    after[terminated] = 0.0
    surprise = rewards + fade * after - values[:-1]
    carry = fade * np.float32(trace)
    carry[terminated | truncated] = 0.0
    result = np.empty_like(rewards)
    running = np.zeros_like(rewards[0])
    for t in range(len(rewards) - 1, -1, -1):
        running = surprise[t] + carry[t] * running
        result[t] = running
    return result, result + values[:-1]
