"""Roles that see and do different things: three of them in two teams, without bots or ratings."""

import numpy as np
import pytest
from three_roles import ROLES, register

from sandlot.errors import ConfigError
from sandlot.evaluate.scoring import evaluate
from sandlot.games.players import Players
from sandlot.policies import Policy
from sandlot.policies.export import export_onnx
from sandlot.policies.exported import load_onnx
from sandlot.train.compose import compose
from sandlot.train.trainer import Trainer
from sandlot.worlds.make import make

SMALL = [
    "ppo.num_envs=32", "ppo.num_steps=16", "ppo.num_minibatches=4", "ppo.update_epochs=4",
    "ppo.learning_rate=0.01", "run.window_env_steps=512", "run.threads=1", "network.hidden_sizes=[16]",
]  # fmt: skip


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    register(monkeypatch)


def trained(*words: str, iterations: int = 1) -> Trainer:
    trainer = Trainer(compose("toy:trio", words=[*SMALL, *words]))
    for _ in range(iterations):
        trainer.iterate(0.0)
    return trainer


def test_each_role_has_a_network_of_its_own_size():
    trainer = trained()
    sizes = {role: policy.spec.observation_size for role, policy in trainer.policies.items()}
    assert sizes == {"scout": 3, "guard": 2, "thief": 1}
    assert {role: len(policy.visible) for role, policy in trainer.policies.items()} == sizes
    heads = {role: type(policy.head).__name__ for role, policy in trainer.policies.items()}
    assert heads["scout"] == "Categorical" and heads["guard"] == "Gaussian"
    trainer.close()


def test_every_role_learns_to_answer_what_it_sees():
    trainer = trained(iterations=25)
    for policy in trainer.policies.values():
        policy.greedy = True
    with make("toy:trio", 64) as world:
        world.reset(7)
        players = Players(world, trainer.policies)
        rewards = np.zeros(3)
        for _ in range(8):
            players.act()
            world.step()
            rewards += world.rewards.reshape(-1, 3).mean(axis=0) / 8
    assert dict(zip(ROLES, rewards > 0.9, strict=True)) == dict.fromkeys(ROLES, True)
    trainer.close()


def test_a_saved_policy_of_one_role_plays_that_role_again():
    trainer = trained()
    for role, policy in trainer.policies.items():
        again = Policy.from_state(policy.state())
        rows = np.ones((2, policy.spec.observation_size), np.float32)
        policy.greedy = again.greedy = True
        assert again.role == role and again.spec.interface_hash == policy.spec.interface_hash
        assert np.array_equal(again.act(rows)[0], policy.act(rows)[0])
    trainer.close()


def test_a_resumed_trainer_continues_with_the_same_weights():
    trainer = trained(iterations=2)
    again = trained()
    again.load(trainer.state(), trainer.windows.to_dict())
    for role, policy in trainer.policies.items():
        weights = again.policies[role].network.state_dict()
        assert all((weights[name] == w).all() for name, w in policy.network.state_dict().items())
    trainer.close()
    again.close()


def test_competing_roles_are_ordered_by_scores_against_default_players():
    trainer = trained(iterations=25)
    untrained = {role: Policy(p.spec, role, p.config, seed=3) for role, p in trainer.policies.items()}
    good, bad = (evaluate(policies, list(range(40))) for policies in (trainer.policies, untrained))
    assert {f"{role}_score" for role in ROLES} <= good.keys()
    assert good["value"] > bad["value"] and good["value"] > 0.8
    trainer.close()


def test_roles_that_differ_cannot_share_a_network():
    with pytest.raises(ConfigError, match=r"selfplay\.shared: the roles of trio observe or do different"):
        trained("selfplay.shared=true")


def test_policies_of_different_sizes_are_exported_and_answer_alike(tmp_path):
    trainer = trained(iterations=2)
    for role, policy in trainer.policies.items():
        made = export_onnx(policy, tmp_path / f"{role}.onnx")
        assert made.greedy_agreement == 1.0
        exported = load_onnx(tmp_path / f"{role}.onnx")
        assert exported.spec.observation_size == policy.spec.observation_size
        rows = np.ones((3, policy.spec.observation_size), np.float32)
        policy.greedy = exported.greedy = True
        assert np.allclose(exported.act(rows)[0], policy.act(rows)[0], atol=1e-5)
    trainer.close()
