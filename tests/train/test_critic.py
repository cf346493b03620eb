"""A critic that is told more than the player: it may see the opponent, the player may not."""

import numpy as np
import pytest
import torch

from sandlot.errors import UnknownName
from sandlot.policies.network import Network
from sandlot.train.compose import compose
from sandlot.train.critic import Critic
from sandlot.train.trainer import Trainer
from sandlot.worlds import load_spec

SMALL = (
    "ppo.num_envs=32",
    "ppo.num_steps=16",
    "run.threads=1",
    "ppo.critic=privileged",
    "network.hidden_sizes=[32]",
)


@pytest.fixture
def trainer():
    made = Trainer(compose("tag", words=SMALL))
    yield made
    made.close()


def test_the_player_keeps_the_observation_of_the_game_as_it_is_played(trainer):
    played = load_spec("tag", trainer.config.settings)
    assert trainer.world.spec.observation_size == played.observation_size + 4
    for policy in trainer.policies.values():
        assert policy.spec.hash == played.hash
        assert policy.network.observation_size == played.observation_size


def test_what_the_critic_is_reported_changes_its_value_and_no_action(trainer):
    trainer.iterate(0.0)
    learner = trainer.learners["hider"]
    seen, result = learner.rollout.observations[0], learner.rollout.privileged[0]
    with torch.no_grad():
        outputs, values, _ = learner._forward(seen, result, None)
        same, others, _ = learner._forward(seen, -result, None)
    assert torch.equal(outputs, same)
    assert not torch.allclose(values, others)


def test_it_is_reported_where_the_opponent_is(trainer):
    trainer.iterate(0.0)
    hider, agents = trainer.learners["hider"], trainer.world.spec.agents
    places = trainer.world.observations[:, [0, 2]].reshape(-1, agents, 2)  # x and z of each, / arena_half
    apart = (places[:, 0] - places[:, 1])[hider.rows // agents]
    result = hider.rollout.privileged[-1, :, :2].numpy()
    assert np.abs(result).max() > 0.1
    assert np.sign(result) == pytest.approx(np.sign(apart))


def test_it_learns_what_the_players_own_value_cannot_know():
    trainer = Trainer(compose("tag", words=SMALL))
    learner = trainer.learners["hider"]
    for _ in range(30):
        trainer._collect()
        # a made-up game: each step ends it and pays by where the opponent was, whatever is done
        learner.rollout.rewards[:] = learner.rollout.privileged[:-1, :, 0].numpy()
        learner.rollout.terminated[:] = True
        metrics = learner.learn(0.0)
    trainer.close()
    assert metrics["explained_variance"] > 0.5


def test_the_critics_gradient_is_cut_together_with_the_players():
    trainer = Trainer(compose("tag", words=(*SMALL, "ppo.max_grad_norm=1e-6", "ppo.update_epochs=1")))
    trainer.iterate(0.0)
    for learner in trainer.learners.values():
        gradients = [weight.grad for weight in learner.parameters()]
        assert any(g.abs().max() > 0 for g in gradients[-4:]), "the critic learned"
        assert sum(float(g.square().sum()) for g in gradients) ** 0.5 <= 1.01e-6
    trainer.close()


def test_other_games_say_that_they_have_nothing_to_tell():
    with pytest.raises(UnknownName, match="privileged"):
        Trainer(compose("prospector", words=("ppo.num_envs=8", "ppo.critic=privileged")))


def test_a_critic_begins_with_orthogonal_layers_of_64_units_and_by_its_seed():
    network = Network(5, 3, (16,))
    first, same, other = (Critic(network, 4, seed) for seed in (1, 1, 2))
    assert torch.equal(first.last.weight, same.last.weight)
    assert not torch.equal(first.last.weight, other.last.weight)
    assert first.first.weight.shape == (64, 16 + 4) and first.last.weight.shape == (1, 64)
    squares = first.first.weight.T @ first.first.weight
    assert torch.allclose(squares, 2.0 * torch.eye(20), atol=1e-4), "gain sqrt(2) before a ReLU"
    assert float(first.last.weight.detach().square().sum()) == pytest.approx(1.0, rel=1e-4)


def test_making_a_critic_leaves_the_seed_of_others_alone():
    network = Network(5, 3, (16,))
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    Critic(network, 4, seed=1)
    assert torch.equal(torch.rand(3), expected)
