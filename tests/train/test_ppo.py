"""The update: its guards, its memory, its schedules."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from toys import DENSE, SMALL, Bandit, Corridor, Cue, Target, collect, learner_of

from sandlot.errors import TrainingFailed
from sandlot.policies.policy import Shape
from sandlot.train import ppo
from sandlot.train.learner import Learner

REMEMBERS = Shape(hidden=(16,), memory=8)


def collected(toy, shape=DENSE, config=SMALL) -> Learner:
    learner = learner_of(toy, shape, config)
    collect(learner, toy)
    return learner


def batch_of(learner, part=slice(None)):
    r = learner.rollout
    empty = torch.zeros(r.horizon, r.rows)
    return ppo._batch(r, empty, empty, torch.from_numpy(r.ended()), part, learner.config, 0.0)


# ---------------------------------------------------------------- precision


@pytest.mark.parametrize("there", [True, False])
def test_automatic_precision_is_bfloat16_exactly_where_the_processor_has_it(monkeypatch, there):
    monkeypatch.setattr(ppo, "bfloat16_pays", lambda device: there)
    layer, row = torch.nn.Linear(8, 8), torch.ones(1, 8)
    with ppo.rounding(replace(SMALL, precision="auto"), torch.device("cpu")):
        assert layer(row).dtype == (torch.bfloat16 if there else torch.float32)


# ---------------------------------------------------------------- guards


@pytest.mark.parametrize("epochs", [1, 10])
def test_an_update_ends_at_the_minibatch_before_which_the_policy_moved_too_far(epochs):
    wild = replace(SMALL, epochs=epochs, minibatches=8, learning_rate=0.1, target_kl=1e-3)
    assert 1 <= collected(Corridor(16), config=wild).learn(0.0)["updates"] < 8
    unbound = replace(wild, target_kl=0.0)
    assert collected(Corridor(16), config=unbound).learn(0.0)["updates"] == epochs * 8


def test_a_minibatch_beyond_one_and_a_half_times_the_target_is_not_stepped_on(monkeypatch):
    """As Stable-Baselines3 does: the divergence is taken on each minibatch, before its step."""
    config = replace(SMALL, epochs=2, minibatches=4, target_kl=0.1)
    seen, loss = iter([0.0, 0.149, 0.05, 0.151, 0.0, 0.0, 0.0, 0.0]), ppo.clipped_loss

    def told(policy, outputs, batch, figures):
        result = loss(policy, outputs, batch, figures)
        figures["kl"] = next(seen)
        return result

    monkeypatch.setattr(ppo, "clipped_loss", told)
    learner, steps = collected(Target(8), config=config), []
    monkeypatch.setattr(learner.optimiser, "step", lambda: steps.append(1))
    figures = learner.learn(0.0)
    assert len(steps) == figures["updates"] == 3
    assert figures["kl"] == pytest.approx((0.0 + 0.149 + 0.05 + 0.151) / 4) and figures["gradient_norm"] > 0


@pytest.mark.parametrize(
    ("toy", "culprit"),
    [(Corridor, "observations"), (Corridor, "advantages"), (Target, "observations"), (Target, "log_probs")],
)
def test_a_number_that_is_none_is_stopped_and_named(toy, culprit):
    learner = collected(toy(8))
    if culprit == "advantages":
        learner.rollout.rewards[3, 2] = np.nan
    else:
        getattr(learner.rollout, culprit)[3, 2] = float("nan")
    with pytest.raises(TrainingFailed, match=f"{culprit} hold NaN") as raised:
        learner.learn(0.0)
    assert "ppo.learning_rate" in str(raised.value)
    assert all(torch.isfinite(w).all() for w in learner.policy.parameters())


def test_weights_that_are_no_numbers_are_named():
    learner = collected(Corridor(8))
    with torch.no_grad():
        learner.policy.network.last.weight[0, 0] = float("inf")
    with pytest.raises(TrainingFailed, match=r"last\.weight"):
        learner.learn(0.0)


def test_a_gradient_is_cut_to_its_cap():
    learner = collected(Corridor(8), config=replace(SMALL, epochs=1, minibatches=1, gradient_cap=1e-6))
    assert learner.learn(0.0)["gradient_norm"] > 1e-6  # as it was before the cut
    total = sum(float(w.grad.square().sum()) for w in learner.policy.parameters() if w.grad is not None)
    assert total**0.5 <= 1.01e-6


# ---------------------------------------------------------------- what is learned from


@pytest.mark.parametrize("parts", [1, 3, 8])
def test_parts_cover_every_step_exactly_once(parts):
    learner = learner_of(Corridor(4), config=replace(SMALL, horizon=16))
    steps = [
        t for part in ppo._parts(learner.rollout, parts, np.random.default_rng(0)) for t in range(16)[part]
    ]
    assert sorted(steps) == list(range(16))


@pytest.mark.parametrize(
    ("toy", "shape"), [(Corridor, DENSE), (Bandit, DENSE), (Target, DENSE), (Cue, REMEMBERS)]
)
def test_before_the_first_step_the_policy_says_of_its_choices_what_it_said_when_it_made_them(toy, shape):
    """Whatever part is looked at: stored memory, masks and choices fit together."""
    learner = collected(toy(8), shape)
    for part in (slice(0, 16), slice(4, 8), slice(7, 16)):
        batch = batch_of(learner, part)
        outputs = learner.policy.network.last(ppo._features(learner.policy, batch))
        log_probs, _ = learner.policy.head.judge(outputs, batch["choices"], batch["masks"])
        assert torch.allclose(log_probs, batch["log_probs"], atol=1e-5)
        assert np.allclose(outputs[:, -1].detach(), learner.rollout.values[:-1][part].reshape(-1), atol=1e-5)


def test_a_gradient_reaches_back_through_memory_but_not_into_another_episode():
    learner = collected(Cue(4), REMEMBERS)  # episodes of four steps
    batch = batch_of(learner, slice(0, 8))
    batch["observations"] = batch["observations"].clone().requires_grad_()
    outputs = learner.policy.network.last(ppo._features(learner.policy, batch)).reshape(8, 4, -1)
    (back,) = torch.autograd.grad(outputs[6].sum(), batch["observations"])
    reached = back.abs().sum(dim=(1, 2)) > 0
    assert reached.tolist() == [False] * 4 + [True] * 3 + [False]


def test_a_cut_episode_is_valued_by_its_last_observation_and_its_memory():
    class Cut(Cue):
        def play(self):
            super().play()
            self.truncated[:] = self.terminated
            self.terminated[:] = False

    toy = Cut(4)
    learner = learner_of(toy, REMEMBERS)
    for t in range(4):
        learner.observe(t)
        learner.act(toy, t)
        remembered = learner.memory.clone()
        toy.step()
        learner.record(toy, t)
    assert toy.truncated.all() and (learner.memory == 0).all(), "an ended episode is not remembered"
    last = learner.policy.normalised(torch.from_numpy(toy.final_observations))
    with torch.no_grad():
        expected = learner.policy.network(last, remembered)[0][:, -1]
    assert np.allclose(learner.rollout.final_values[3], expected, atol=1e-6)
    assert (learner.rollout.final_values[:3] == 0).all()


def test_the_share_of_returns_foreseen():
    returns = np.array([1.0, 2.0, 3.0])
    assert ppo.explained(returns, returns) == 1.0
    assert ppo.explained(returns, np.full(3, 7.0)) == 0.0
    assert ppo.explained(returns, -returns) < 0.0
    assert ppo.explained(np.ones(3), np.zeros(3)) == 0.0


# ---------------------------------------------------------------- schedules and scales


@pytest.mark.parametrize(
    ("progress", "rate", "entropy"), [(0.0, 5e-3, 0.01), (0.5, 3e-3, 0.005), (1.0, 1e-3, 0.0)]
)
def test_schedules_run_in_straight_lines(progress, rate, entropy):
    figures = collected(Corridor(4)).learn(progress)
    assert figures["learning_rate"] == pytest.approx(rate)
    assert figures["entropy_weight"] == pytest.approx(entropy)


def test_rewards_are_scaled_by_the_spread_of_discounted_returns():
    learner = collected(Target(16), config=replace(SMALL, discount=0.5))
    rewards = learner.rollout.rewards
    learner.learn(0.0)
    assert learner.scale.spread == pytest.approx(float(rewards.std()), rel=1e-2)  # episodes of one step


def test_the_normaliser_learns_from_what_was_seen_and_changes_nothing_in_mid_rollout():
    toy = Target(32)
    learner = learner_of(toy)
    collect(learner, toy)
    assert learner.policy.normaliser.count < 1
    learner.learn(0.0)
    assert learner.policy.normaliser.count > 32
    assert np.abs(learner.policy.normaliser.mean).max() < 0.5
