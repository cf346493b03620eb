"""Our PPO finds the best play where it is known: by numbers, by actions, with masks and with memory."""

import numpy as np
import pytest
import torch

from sandlot.policies.config import NetworkConfig

from .toys import DENSE, SMALL, Bandit, Button, Corridor, Cue, Target, score, train

REMEMBERS = NetworkConfig(hidden_sizes=(32,), recurrent_size=16)


def test_a_corridor_is_walked_to_the_far_end():
    policy = train(Corridor(64), updates=30).learner.policy
    assert score(policy, Corridor(32, seed=9)) == Corridor.BEST


def test_a_cue_is_remembered_with_memory():
    policy = train(Cue(128), 60, REMEMBERS).learner.policy
    assert score(policy, Cue(64, seed=9)) == Cue.BEST


def test_a_cue_cannot_be_remembered_without_memory():
    policy = train(Cue(128), 60).learner.policy
    assert abs(score(policy, Cue(256, seed=9)) - Cue.GUESS) < 0.1


def test_a_cue_is_remembered_across_the_edges_of_minibatches():
    """Parts of two steps: the cue and the question never share one, so the stored memory has to carry it."""
    config = SMALL.replace(num_minibatches=8)
    policy = train(Cue(128), 80, REMEMBERS, config).learner.policy
    assert score(policy, Cue(64, seed=9)) == Cue.BEST


@pytest.mark.parametrize(("toy", "head"), [(Target, "gaussian"), (Button, "gaussian"), (Button, "mixed")])
def test_a_target_is_hit_by_a_continuous_head(toy, head):
    policy = train(toy(256), 60, NetworkConfig(hidden_sizes=(32, 32), head=head)).learner.policy
    assert score(policy, toy(256, seed=9)) > toy.BEST - 0.05


def test_a_table_of_directions_is_used_as_well_as_it_can_be():
    policy = train(
        Button(256), 60, NetworkConfig(hidden_sizes=(32, 32), head="table", num_directions=8)
    ).learner.policy
    toy = Button(256, seed=9)
    shown = toy.point.copy()
    best = -np.square(policy.head.table.numpy()[None, :, :2] - shown[:, None, :]).sum(axis=2).min(axis=1)
    assert score(policy, toy, steps=1) > best.mean() - 0.05


def test_the_best_legal_arm_is_found_though_illegal_ones_pay_more():
    policy = train(Bandit(64), 25).learner.policy
    assert score(policy, Bandit(64, seed=9)) == Bandit.BEST


@pytest.mark.parametrize(("toy", "shape"), [(Corridor, DENSE), (Cue, REMEMBERS)])
def test_matrices_in_bfloat16_learn_as_well(toy, shape):
    trained = train(toy(64), 60, shape, SMALL.replace(precision="bfloat16"))
    assert all(weights.dtype == torch.float32 for weights in trained.learner.policy.parameters())
    assert score(trained.learner.policy, toy(32, seed=9)) == toy.BEST


def test_the_same_seed_learns_the_same_bits():
    first, second = (train(Corridor(16), 3).learner.policy.network.state_dict() for _ in range(2))
    assert all(np.array_equal(first[name], second[name]) for name in first)
    other = train(Corridor(16), 3, seed=2).learner.policy.network.state_dict()
    assert not all(np.array_equal(first[name], other[name]) for name in first)
