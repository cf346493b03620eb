"""A critic that is told more than the player: it may see the rival, the player may not."""

import numpy as np
import pytest
import torch

from sandlot.errors import UnknownName
from sandlot.games import Spec
from sandlot.train.recipes import compose
from sandlot.train.trainer import Trainer

SMALL = ("ppo.worlds=32", "ppo.horizon=16", "run.threads=1", "ppo.critic=privileged", "network.hidden=[32]")


@pytest.fixture
def trainer():
    made = Trainer(compose("tag", words=SMALL))
    yield made
    made.close()


def test_the_player_keeps_the_observation_of_the_game_as_it_is_played(trainer):
    played = Spec("tag", trainer.config.settings)
    assert trainer.world.spec.observation_size == played.observation_size + 4
    for policy in trainer.policies.values():
        assert policy.spec.hash == played.hash
        assert policy.network.observation == played.observation_size


def test_what_the_critic_is_told_changes_its_value_and_no_action(trainer):
    trainer.iterate(0.0)
    learner = trainer.learners["hider"]
    seen, told = learner.rollout.observations[0], learner.rollout.told[0]
    with torch.no_grad():
        outputs, values, _ = learner._outputs(seen, told, None)
        same, others, _ = learner._outputs(seen, -told, None)
    assert torch.equal(outputs, same)
    assert not torch.allclose(values, others)


def test_it_is_told_where_the_rival_is(trainer):
    trainer.iterate(0.0)
    hider, agents = trainer.learners["hider"], trainer.world.spec.agents
    places = trainer.world.observations[:, [0, 2]].reshape(-1, agents, 2)  # x and z of each, / arena_half
    apart = (places[:, 0] - places[:, 1])[hider.rows // agents]
    told = hider.rollout.told[-1, :, :2].numpy()
    assert np.abs(told).max() > 0.1
    assert np.sign(told) == pytest.approx(np.sign(apart))


def test_it_learns_what_the_players_own_value_cannot_know():
    trainer = Trainer(compose("tag", words=SMALL))
    learner = trainer.learners["hider"]
    for _ in range(30):
        trainer._collect()
        # a made-up game: each step ends it and pays by where the rival was, whatever is done
        learner.rollout.rewards[:] = learner.rollout.told[:-1, :, 0].numpy()
        learner.rollout.terminated[:] = True
        figures = learner.learn(0.0)
    trainer.close()
    assert figures["explained"] > 0.5


def test_the_critics_gradient_is_cut_together_with_the_players():
    trainer = Trainer(compose("tag", words=(*SMALL, "ppo.gradient_cap=1e-6", "ppo.epochs=1")))
    trainer.iterate(0.0)
    for learner in trainer.learners.values():
        gradients = [weight.grad for weight in learner.parameters()]
        assert any(g.abs().max() > 0 for g in gradients[-4:]), "the critic learned"
        assert sum(float(g.square().sum()) for g in gradients) ** 0.5 <= 1.01e-6
    trainer.close()


def test_other_games_say_that_they_have_nothing_to_tell():
    with pytest.raises(UnknownName, match="privileged"):
        Trainer(compose("prospector", words=("ppo.worlds=8", "ppo.critic=privileged")))
