"""Learning where worlds are on the device: the same update as on the CPU, and nothing fetched in between.

Tensors of the CPU stand in for those of a GPU; the games' kernels run as C++ (worlds/test_cuda.py).
"""

from typing import Any

import numpy as np
import pytest
import torch

from sandlot.errors import OutOfMemory, TrainingFailed
from sandlot.policies import Policy
from sandlot.policies.config import NetworkConfig
from sandlot.policies.policy import pack, unpack
from sandlot.train.advantages import advantages
from sandlot.train.device import gpu_errors
from sandlot.train.device_learner import DeviceLearner
from sandlot.train.learner import Learner
from sandlot.train.trainer import Trainer
from sandlot.worlds import cuda

from .test_resume import small
from .toys import DENSE, SMALL, Bandit, Button, Corridor, Cue, collect, score

REMEMBERS = NetworkConfig(hidden_sizes=(32,), recurrent_size=16)
MIXED = NetworkConfig(hidden_sizes=(32, 32), head="mixed")
ROLLOUT = ("rewards", "values", "terminated", "truncated", "final_values", "ticks")

card = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU, and there is none here")


@pytest.fixture(autouse=True)
def emulated(monkeypatch):
    monkeypatch.setenv(cuda.EMULATE, "1")


class OnTensors:
    """A toy whose arrays are tensors."""

    def __init__(self, toy: Any):
        self.toy, self.spec, self.rows, self.worlds = toy, toy.spec, toy.rows, toy.worlds
        for name in ("observations", "final_observations", "rewards", "terminated", "truncated", "ticks"):
            setattr(self, name, torch.from_numpy(getattr(toy, name)))
        self.masks = None if toy.masks is None else torch.from_numpy(toy.masks)
        self.actions = torch.from_numpy(toy.actions)

    def shared(self, name):
        return getattr(self, name)

    def act(self, rows, actions):
        assert isinstance(actions, torch.Tensor)
        self.actions[rows] = actions

    def step(self):
        return self.toy.step()


def learner_of(kind, toy, shape=DENSE, config=SMALL, seed=1):
    world = OnTensors(toy) if kind is DeviceLearner else toy
    return kind(Policy(toy.spec, "all", shape, seed), world, np.arange(toy.rows), config, seed), world


@pytest.mark.parametrize(
    ("toy", "shape", "updates"), [(Corridor, DENSE, 20), (Cue, REMEMBERS, 40), (Bandit, DENSE, 25)]
)
def test_the_best_play_is_found(toy, shape, updates):
    learner, world = learner_of(DeviceLearner, toy(64), shape)
    for i in range(updates):
        collect(learner, world)
        learner.learn(i / updates)
    assert score(learner.policy, toy(64, seed=9)) == toy.BEST


def both_after_one_rollout(toy, shape, config):
    """A learner of each kind with the same weights and the same rollout."""
    one, world = learner_of(Learner, toy(24), shape, config)
    one.uses_kernels = False
    other, _ = learner_of(DeviceLearner, toy(24), shape, config)
    collect(one, world)
    for name, value in vars(one.rollout).items():
        if isinstance(value, (np.ndarray, torch.Tensor)):
            setattr(other.rollout, name, torch.as_tensor(value).clone())
    other.rollout.raw_observations = [torch.from_numpy(raw) for raw in one.rollout.raw_observations]
    return one, other


@pytest.mark.parametrize(
    ("toy", "shape"), [(Corridor, DENSE), (Cue, REMEMBERS), (Bandit, DENSE), (Button, MIXED)]
)
@pytest.mark.parametrize("target_kl", [0.0, 0.002])
def test_an_update_is_that_of_the_cpu(toy, shape, target_kl):
    one, other = both_after_one_rollout(toy, shape, SMALL.replace(target_kl=target_kl))
    expected, found = one.learn(0.3), other.learn(0.3)
    assert expected.keys() == found.keys()
    assert found["updates"] == expected["updates"]
    for name in expected:
        assert found[name] == pytest.approx(expected[name], rel=2e-3, abs=2e-5), name
    for name, weight in one.policy.network.state_dict().items():
        assert torch.allclose(weight, other.policy.network.state_dict()[name], atol=2e-5), name
    assert other.return_scale.std == pytest.approx(one.return_scale.std, rel=1e-5)
    assert np.allclose(one.policy.normalizer.mean, other.policy.normalizer.mean)


def test_an_update_that_went_too_far_stops_early_on_both():
    """Otherwise the test above would compare updates of full length alone."""
    one, other = both_after_one_rollout(Corridor, DENSE, SMALL.replace(target_kl=1e-5, learning_rate=0.1))
    assert (
        one.learn(0.0)["updates"] == other.learn(0.0)["updates"] < SMALL.update_epochs * SMALL.num_minibatches
    )


def test_advantages_are_those_of_the_cpu():
    rng = np.random.default_rng(4)
    shape = (12, 5)
    ends = rng.random((2, *shape)) < 0.2
    arrays = (rng.normal(size=shape), rng.normal(size=(13, 5)), *ends, rng.normal(size=shape))
    arrays = [a if a.dtype == bool else a.astype(np.float32) for a in arrays]
    arrays.append(rng.integers(1, 5, shape).astype(np.int32))
    expected = advantages(*arrays, 0.97, 0.9)
    found = DeviceLearner.advantages(*map(torch.from_numpy, arrays), 0.97, 0.9)
    for one, other in zip(expected, found, strict=True):
        assert np.allclose(one, other.numpy(), atol=1e-5)


def test_truncated_episodes_are_valued_at_their_last_observation():
    class Endless(Corridor):
        patience = 2

        def play(self):
            super().play()
            self.terminated[:] = False
            self.truncated[:] = self.age >= self.patience
            self.place = self.place.clip(0, 5)

    learner, world = learner_of(DeviceLearner, Endless(6))
    collect(learner, world)
    r = learner.rollout
    assert r.truncated.any()
    expected = learner.policy.values(r.final_observations[r.truncated].numpy())
    assert np.allclose(r.final_values[r.truncated], expected, atol=1e-6)
    assert not r.final_values[~r.truncated].any()


def test_a_loss_that_is_no_number_ends_training_in_a_sentence():
    _, other = both_after_one_rollout(Corridor, DENSE, SMALL)
    other.rollout.rewards[3, 2] = float("nan")
    with pytest.raises(TrainingFailed, match="advantages hold NaN"):
        other.learn(0.0)


# ---------------------------------------------------------------- games

TAG = small("tag", 5, "run.engine=cuda", "selfplay.scripted_fraction=0.5", "selfplay.num_opponents=2")
GAMES = {
    "tag": TAG,
    "tag, with memory": small("tag", 5, "run.engine=cuda", "network.recurrent_size=8", "ppo.critic=own"),
    "prospector": small("prospector", 5, "run.engine=cuda", "ppo.rollouts_per_iteration=2"),
}


def saved(trainer):
    """Its state, through a file's bytes."""
    return unpack(pack(trainer.state()), "the state")


def pool_of(trainer):
    """Past policies join, and opponents are drawn."""
    for role, pool in trainer.opponents.pools.items():
        pool.add(trainer.policies[role], "window 0")
    trainer.opponents.draw()


@pytest.mark.parametrize("name", GAMES)
def test_a_resumed_trainer_goes_on_bit_for_bit(name):
    trainer, again = Trainer(GAMES[name]), Trainer(GAMES[name])
    try:
        trainer.iterate(0.1)
        pool_of(trainer)
        trainer.iterate(0.2)
        again.load(saved(trainer), trainer.windows.to_dict())
        expected, found = trainer.iterate(0.3), again.iterate(0.3)
        assert expected.metrics == found.metrics and expected.rows == found.rows
        assert [trainer.world.hash(i) for i in trainer.world] == [again.world.hash(i) for i in again.world]
        assert np.array_equal(expected.episodes.values, found.episodes.values)
    finally:
        trainer.close()
        again.close()


def test_a_run_moves_between_gpu_and_cpu():
    trainer, elsewhere = Trainer(TAG), Trainer(TAG.replace(run=TAG.run.replace(engine="native")))
    back = Trainer(TAG)
    try:
        trainer.iterate(0.1)
        pool_of(trainer)
        trainer.iterate(0.2)
        elsewhere.load(saved(trainer), trainer.windows.to_dict())
        assert elsewhere.world.hash(7) == trainer.world.hash(7)
        elsewhere.iterate(0.3)
        back.load(saved(elsewhere), elsewhere.windows.to_dict())
        assert back.world.hash(7) == elsewhere.world.hash(7)
        assert back.iterate(0.4).decisions == trainer.iterate(0.4).decisions
    finally:
        for each in (trainer, elsewhere, back):
            each.close()


def test_bots_in_the_worlds_are_those_of_the_cpu():
    """Opponents alone, step by step: the same actions in the rows that nobody learns on."""
    config = TAG.replace(selfplay=TAG.selfplay.replace(scripted_fraction=1.0))
    trainer = Trainer(config)
    native = Trainer(config.replace(run=config.run.replace(engine="native")))
    try:
        rows = np.concatenate([each.rows for each in native.opponents._assignments])
        assert len(rows)
        for _ in range(40):
            for each in (trainer, native):
                each.opponents.act()
            acted = trainer.world.actions.numpy()
            assert np.array_equal(acted[rows], native.world.actions[rows])
            native.world.step()
            native.opponents.restart(native.world.terminated | native.world.truncated)
            trainer.world.put(acted)
            trainer.world.step()
    finally:
        trainer.close()
        native.close()


@card
@pytest.mark.gpu
@pytest.mark.parametrize("name", GAMES)
def test_games_are_trained_on_a_gpu(name):
    trainer = Trainer(GAMES[name].replace(run=GAMES[name].run.replace(device="cuda")))
    try:
        for i in range(3):
            assert all(
                np.isfinite(list(row.values())).all() for row in trainer.iterate(i / 3).metrics.values()
            )
    finally:
        trainer.close()


# ---------------------------------------------------------------- a GPU that fails


def test_a_gpu_without_memory_says_what_to_lower():
    with (
        pytest.raises(OutOfMemory, match=r"8 worlds.*ppo\.num_envs"),
        gpu_errors(torch.device("cpu"), "8 worlds"),
    ):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")


def test_a_gpu_that_is_gone_says_that_the_run_goes_on_elsewhere():
    with pytest.raises(TrainingFailed, match=r"--device cpu"), gpu_errors(torch.device("cpu"), ""):
        raise RuntimeError("CUDA error: unspecified launch failure\nmore")
    with pytest.raises(RuntimeError, match="shapes"), gpu_errors(torch.device("cpu"), ""):
        raise RuntimeError("shapes differ")
