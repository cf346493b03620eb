"""Learners on the real games: every head, memory, a told critic, bfloat16; stopped and gone on with."""

import pytest
from test_resume import same_weights, small, train

from sandlot.runs.store import Store
from sandlot.train.config import PPOConfig
from sandlot.train.learner import discount_at

KINDS = {
    "memory": ("network.memory=8",),
    "mixed": ("network.head=mixed",),
    "critic": ("ppo.critic=privileged",),
    "overlap": ("ppo.rollouts=3", "ppo.critic=privileged"),
    "stagger": ("ppo.stagger=400", "network.memory=8"),
    "farsight": (
        "ppo.discount=0.99",
        "ppo.discount_end=0.999",
        "network.blind=['rays']",
        "network.least_spread=0.2",
    ),
    "bfloat16": ("ppo.precision=bfloat16", "network.memory=8"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_network_goes_on_as_if_it_had_never_stopped(tmp_path, kind):
    config = small("tag", 2, *KINDS[kind])
    whole = train(tmp_path / "whole", config)
    parted = train(tmp_path / "parted", config, stop_after=9)
    train(tmp_path / "parted", config, resume=parted)
    a, b = Store(tmp_path / "whole").open(whole), Store(tmp_path / "parted").open(parted)
    assert same_weights(a.newest_checkpoint(), b.newest_checkpoint())
    assert [row.return_mean for row in a.windows()] == [row.return_mean for row in b.windows()]


def test_a_masked_game_with_memory_is_played_by_its_rules(tmp_path):
    run = Store(tmp_path).open(train(tmp_path, small("prospector", 2, "network.memory=8")))
    assert all(row.to_json()["invalid_actions_mean"] == 0 for row in run.windows())


def test_how_far_one_looks_ahead_grows_by_equal_factors_over_a_run():
    config = PPOConfig(discount=0.99, discount_end=0.9999)
    ahead = [1 / (1 - discount_at(config, progress)) for progress in (0.0, 0.25, 0.5, 0.75, 1.0)]  # ticks
    assert ahead == pytest.approx([100, 316.2, 1000, 3162, 10_000], rel=1e-3)
    assert discount_at(PPOConfig(discount=0.99), 0.7) == 0.99
