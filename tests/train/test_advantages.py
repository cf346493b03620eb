"""Advantages, recomputed step by step as the textbook writes them."""

import numpy as np
import pytest

from sandlot.train.advantages import advantages


def by_hand(rewards, values, terminated, truncated, final_values, ticks, gamma, gae_lambda):
    """One row at a time, forward sums of decayed TD errors; slow and plain."""
    steps, rows = rewards.shape
    made = np.zeros((steps, rows))
    for row in range(rows):
        for start in range(steps):
            weight = 1.0
            for t in range(start, steps):
                discount = float(gamma) ** int(ticks[t, row])
                after = values[t + 1, row]
                if truncated[t, row]:
                    after = final_values[t, row]
                if terminated[t, row]:
                    after = 0.0
                made[start, row] += weight * (rewards[t, row] + discount * after - values[t, row])
                if terminated[t, row] or truncated[t, row]:
                    break
                weight *= discount * gae_lambda
    return made


def play(seed, steps=12, rows=5):
    rng = np.random.default_rng(seed)
    f = np.float32
    return {
        "rewards": rng.normal(size=(steps, rows)).astype(f),
        "values": rng.normal(size=(steps + 1, rows)).astype(f),
        "terminated": rng.random((steps, rows)) < 0.15,
        "truncated": rng.random((steps, rows)) < 0.15,
        "final_values": rng.normal(size=(steps, rows)).astype(f),
        "ticks": rng.integers(1, 40, (steps, rows)).astype(np.int32),
    }


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("gae_lambda", [0.0, 0.9, 1.0])
def test_advantages_are_those_made_by_hand(seed, gae_lambda):
    rollout = play(seed)
    found, returns = advantages(**rollout, gamma=0.99, gae_lambda=gae_lambda)
    expected = by_hand(**rollout, gamma=0.99, gae_lambda=gae_lambda)
    assert found == pytest.approx(expected, abs=1e-4)
    assert returns == pytest.approx(expected + rollout["values"][:-1], abs=1e-4)


def one(terminated, truncated, ticks=1):
    kinds = {"terminated": [[terminated]], "truncated": [[truncated]]}
    return advantages(
        np.float32([[1.0]]), np.float32([[2.0], [10.0]]), *(np.array(kinds[k]) for k in kinds),
        np.float32([[4.0]]), np.array([[ticks]]), gamma=0.5, gae_lambda=0.9,
    )[0].item()  # fmt: skip


def test_the_end_of_a_game_has_no_future_and_the_end_of_watching_has():
    assert one(False, False) == 1 + 0.5 * 10 - 2
    assert one(False, True) == 1 + 0.5 * 4 - 2
    assert one(True, False) == one(True, True) == 1 - 2


def test_a_longer_step_fades_its_future_more():
    assert one(False, False, ticks=3) == 1 + 0.125 * 10 - 2


def test_nothing_leaks_from_one_episode_into_the_one_before():
    rollout = play(1)
    rollout["terminated"][5], rollout["truncated"][5] = True, False
    before, _ = advantages(**rollout, gamma=0.99, gae_lambda=0.95)
    rollout["rewards"][6:] += 100
    after, _ = advantages(**rollout, gamma=0.99, gae_lambda=0.95)
    assert np.array_equal(before[:6], after[:6])
