"""Learners on the real games: every head, memory, a told critic, bfloat16; stopped and gone on with."""

import pytest
from test_resume import same_weights, small, train

from sandlot.runs.store import Store

KINDS = {
    "memory": ("network.memory=8",),
    "mixed": ("network.head=mixed",),
    "critic": ("ppo.critic=privileged",),
    "overlap": ("ppo.rollouts=3", "ppo.critic=privileged"),
    "stagger": ("ppo.stagger=400", "network.memory=8"),
    "blind": ("network.blind=['rays']", "network.least_spread=0.2"),
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
