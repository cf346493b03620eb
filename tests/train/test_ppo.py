"""The update: its guards, its memory, its schedules."""

import numpy as np
import pytest
import torch

from sandlot.errors import TrainingFailed
from sandlot.policies.config import NetworkConfig
from sandlot.train import ppo
from sandlot.train.learner import Learner

from .toys import DENSE, SMALL, Bandit, Corridor, Cue, Target, collect, learner_of

REMEMBERS = NetworkConfig(hidden_sizes=(16,), recurrent_size=8)


def collected(toy, shape=DENSE, config=SMALL) -> Learner:
    learner = learner_of(toy, shape, config)
    collect(learner, toy)
    return learner


def batch_of(learner, steps=slice(None)):
    r = learner.rollout
    empty = torch.zeros(r.num_steps, r.rows)
    targets = {"advantages": empty, "returns": empty, "ended": torch.from_numpy(r.ended())}
    return ppo.batch_of(r, targets, steps, learner.config, 0.0)


# ---------------------------------------------------------------- precision


@pytest.mark.parametrize("there", [True, False])
def test_automatic_precision_is_bfloat16_exactly_where_the_processor_has_it(monkeypatch, there):
    monkeypatch.setattr(ppo, "bfloat16_pays", lambda device: there)
    layer, row = torch.nn.Linear(8, 8), torch.ones(1, 8)
    with ppo.autocast(SMALL.replace(precision="auto"), torch.device("cpu")):
        assert layer(row).dtype == (torch.bfloat16 if there else torch.float32)


# ---------------------------------------------------------------- guards


@pytest.mark.parametrize("epochs", [1, 10])
def test_an_update_ends_at_the_minibatch_before_which_the_policy_moved_too_far(epochs):
    wild = SMALL.replace(update_epochs=epochs, num_minibatches=8, learning_rate=0.1, target_kl=1e-3)
    assert 1 <= collected(Corridor(16), config=wild).learn(0.0)["updates"] < 8
    unbound = wild.replace(target_kl=0.0)
    assert collected(Corridor(16), config=unbound).learn(0.0)["updates"] == epochs * 8


def test_a_minibatch_beyond_one_and_a_half_times_the_target_is_not_stepped_on(monkeypatch):
    """As Stable-Baselines3 does: the divergence is taken on each minibatch, before its step."""
    config = SMALL.replace(update_epochs=2, num_minibatches=4, target_kl=0.1)
    seen, loss = iter([0.0, 0.149, 0.05, 0.151, 0.0, 0.0, 0.0, 0.0]), ppo.clipped_loss

    def reported(policy, outputs, batch, metrics):
        result = loss(policy, outputs, batch, metrics)
        metrics["approx_kl"] = next(seen)
        return result

    monkeypatch.setattr(ppo, "clipped_loss", reported)
    learner, steps = collected(Target(8), config=config), []
    monkeypatch.setattr(learner.optimizer, "step", lambda: steps.append(1))
    metrics = learner.learn(0.0)
    assert len(steps) == metrics["updates"] == 3
    assert (
        metrics["approx_kl"] == pytest.approx((0.0 + 0.149 + 0.05 + 0.151) / 4) and metrics["grad_norm"] > 0
    )


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
    learner = collected(
        Corridor(8), config=SMALL.replace(update_epochs=1, num_minibatches=1, max_grad_norm=1e-6)
    )
    assert learner.learn(0.0)["grad_norm"] > 1e-6  # as it was before the cut
    total = sum(float(w.grad.square().sum()) for w in learner.policy.parameters() if w.grad is not None)
    assert total**0.5 <= 1.01e-6


# ---------------------------------------------------------------- what is learned from


@pytest.mark.parametrize("parts", [1, 3, 8])
def test_parts_cover_every_step_exactly_once(parts):
    learner = learner_of(Corridor(4), config=SMALL.replace(num_steps=16))
    steps = [
        t
        for part in ppo.minibatches(learner.rollout.num_steps, parts, np.random.default_rng(0))
        for t in range(16)[part]
    ]
    assert sorted(steps) == list(range(16))


@pytest.mark.parametrize(
    ("toy", "shape"), [(Corridor, DENSE), (Bandit, DENSE), (Target, DENSE), (Cue, REMEMBERS)]
)
def test_before_the_first_step_the_policy_says_of_its_choices_what_it_said_when_it_made_them(toy, shape):
    """Whatever part is looked at: stored memory, masks and actions fit together."""
    learner = collected(toy(8), shape)
    for part in (slice(0, 16), slice(4, 8), slice(7, 16)):
        batch = batch_of(learner, part)
        outputs = learner.policy.network.last(ppo.features_of(learner.policy, batch))
        log_probs, _ = learner.policy.head.evaluate_actions(outputs, batch["actions"], batch["masks"])
        assert torch.allclose(log_probs, batch["log_probs"], atol=1e-5)
        assert np.allclose(outputs[:, -1].detach(), learner.rollout.values[:-1][part].reshape(-1), atol=1e-5)


def test_a_gradient_reaches_back_through_memory_but_not_into_another_episode():
    learner = collected(Cue(4), REMEMBERS)  # episodes of four steps
    batch = batch_of(learner, slice(0, 8))
    batch["observations"] = batch["observations"].clone().requires_grad_()
    outputs = learner.policy.network.last(ppo.features_of(learner.policy, batch)).reshape(8, 4, -1)
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
        remembered = learner.recurrent_state.clone()
        toy.step()
        learner.record(toy, t)
    assert toy.truncated.all() and (learner.recurrent_state == 0).all(), "an ended episode is not remembered"
    last = learner.policy.normalize(torch.from_numpy(toy.final_observations))
    with torch.no_grad():
        expected = learner.policy.network(last, remembered)[0][:, -1]
    assert np.allclose(learner.rollout.final_values[3], expected, atol=1e-6)
    assert (learner.rollout.final_values[:3] == 0).all()


def test_the_share_of_returns_foreseen():
    returns = np.array([1.0, 2.0, 3.0])
    assert ppo.explained_variance(returns, returns) == 1.0
    assert ppo.explained_variance(returns, np.full(3, 7.0)) == 0.0
    assert ppo.explained_variance(returns, -returns) < 0.0
    assert ppo.explained_variance(np.ones(3), np.zeros(3)) == 0.0


# ---------------------------------------------------------------- schedules and scales


@pytest.mark.parametrize(
    ("progress", "rate", "entropy"), [(0.0, 5e-3, 0.01), (0.5, 3e-3, 0.005), (1.0, 1e-3, 0.0)]
)
def test_schedules_run_in_straight_lines(progress, rate, entropy):
    metrics = collected(Corridor(4)).learn(progress)
    assert metrics["learning_rate"] == pytest.approx(rate)
    assert metrics["ent_coef"] == pytest.approx(entropy)


def test_rewards_are_scaled_by_the_spread_of_discounted_returns():
    learner = collected(Target(16), config=SMALL.replace(gamma=0.5))
    rewards = learner.rollout.rewards
    learner.learn(0.0)
    assert learner.return_scale.std == pytest.approx(float(rewards.std()), rel=1e-2)  # episodes of one step


def test_the_normaliser_learns_from_what_was_seen_and_changes_nothing_in_mid_rollout():
    toy = Target(32)
    learner = learner_of(toy)
    collect(learner, toy)
    assert learner.policy.normalizer.count < 1
    learner.learn(0.0)
    assert learner.policy.normalizer.count > 32
    assert np.abs(learner.policy.normalizer.mean).max() < 0.5


# ---------------------------------------------------------------- which loops, which precision


@pytest.mark.parametrize(("actions", "there"), [(2, True), (256, True), (257, False)])
def test_the_engines_loops_judge_categorical_heads_of_at_most_256_actions(actions, there):
    class Wide(Corridor):
        action_count = actions

    assert ppo.uses_kernels(learner_of(Wide(2)).policy) == there
    assert not ppo.uses_kernels(learner_of(Target(2)).policy)


@pytest.mark.parametrize(
    ("precision", "pays", "rounded"),
    [("float32", True, False), ("bfloat16", False, True), ("auto", True, True), ("auto", False, False)],
)
def test_a_precision_is_what_it_says(monkeypatch, precision, pays, rounded):
    monkeypatch.setattr(ppo, "bfloat16_pays", lambda device: pays)
    with ppo.autocast(SMALL.replace(precision=precision), torch.device("cpu")):
        assert torch.is_autocast_enabled("cpu") == rounded and not torch.is_autocast_cache_enabled()


@pytest.mark.parametrize(
    ("found", "pays"),
    [({}, False), ({"avx512_bf16": True}, True), ({"amx_bf16": True}, True), ({"avx2": 1}, False)],
)
def test_bfloat16_pays_on_processors_that_have_it_and_on_no_card(monkeypatch, found, pays):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: found, raising=False)
    ppo.bfloat16_pays.cache_clear()
    assert ppo.bfloat16_pays("cpu") is pays and ppo.bfloat16_pays("cuda") is False
    ppo.bfloat16_pays.cache_clear()


def test_a_divergence_at_the_limit_is_stepped_on_and_no_target_is_no_limit():
    assert ppo.KL_TOLERANCE == 1.5
    config = SMALL.replace(update_epochs=1, num_minibatches=1, target_kl=0.0, learning_rate=0.5)
    assert collected(Corridor(8), config=config).learn(0.0)["updates"] == 1


def test_weights_that_broke_are_found_also_where_the_update_was_given_up():
    """A divergence beyond every limit must not hide that the weights are no numbers."""
    learner = collected(Target(8), config=SMALL.replace(target_kl=1e-9))
    with torch.no_grad():
        learner.policy.network.last.weight[0] += 5.0
        learner.policy.head.log_std[0] = 1.0
    metrics = learner.learn(0.0)
    assert metrics["updates"] == 0, "moved too far before its first step"


def test_a_ratio_is_bounded_however_unlikely_an_action_has_become():
    learner = collected(Target(8), config=SMALL.replace(update_epochs=1, num_minibatches=1, target_kl=0.0))
    learner.rollout.log_probs -= 1000.0
    assert np.isfinite(learner.learn(0.0)["policy_loss"])
