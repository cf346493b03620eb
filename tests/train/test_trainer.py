"""The trainer: what its threads may change, which is time and nothing else."""

import torch

from sandlot.train.recipes import compose
from sandlot.train.trainer import Trainer

SMALL = ("ppo.worlds=64", "ppo.horizon=16", "run.threads=2")


def weights_after(iterations: int, side_by_side: bool) -> dict[str, torch.Tensor]:
    trainer = Trainer(compose("tag", words=SMALL))
    team, trainer.team = trainer.team, trainer.team if side_by_side else None
    assert team is not None, "two roles and two threads make a team"
    for _ in range(iterations):
        trainer.iterate(progress=0.5)
    trainer.team = team
    trainer.close()
    return {role: policy.network.last.weight.detach() for role, policy in trainer.policies.items()}


def test_roles_that_learn_side_by_side_learn_what_they_learn_in_turn():
    together, in_turn = weights_after(3, side_by_side=True), weights_after(3, side_by_side=False)
    assert list(together) == ["seeker", "hider"]
    assert all(torch.equal(together[role], in_turn[role]) for role in together)


def test_a_game_of_one_role_needs_no_team():
    trainer = Trainer(compose("prospector", words=("ppo.worlds=8",)))
    assert trainer.team is None and torch.get_num_threads() == trainer.config.run.threads
    trainer.close()
