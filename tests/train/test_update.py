"""One update beside the textbook's in plain PyTorch: the same losses, the same weights after it."""

import copy

import numpy as np
import pytest
import torch

from sandlot.policies import Categorical
from sandlot.policies.config import NetworkConfig
from sandlot.train.advantages import advantages
from sandlot.train.learner import Learner

from .toys import DENSE, SMALL, Bandit, Corridor, Cue, Target, collect, learner_of

REMEMBERS = NetworkConfig(hidden_sizes=(16,), recurrent_size=8)
PLAIN = SMALL.replace(
    update_epochs=1, num_minibatches=1, target_kl=0.0, max_grad_norm=0.3, vf_coef=0.7, ent_coef=0.05
)
KINDS = {
    "discrete": (Corridor, DENSE),
    "masked": (Bandit, DENSE),
    "continuous": (Target, DENSE),
    "recurrent": (Cue, REMEMBERS),
}


def collected(kind: str, config=PLAIN) -> Learner:
    toy_kind, shape = KINDS[kind]
    toy = toy_kind(8)
    learner = learner_of(toy, shape, config)
    collect(learner, toy)
    return learner


def targets(learner: Learner) -> tuple[torch.Tensor, torch.Tensor]:
    """Normalised advantages and returns of the rollout, rewards divided by the std of discounted returns."""
    r, c = learner.rollout, learner.config
    running, history = np.zeros(r.rows), []
    for t in range(r.num_steps):
        running = running * c.gamma ** r.ticks[t] + r.rewards[t]
        history.append(running.copy())
        running[r.terminated[t] | r.truncated[t]] = 0.0
    scale = np.float32(np.std(history)) if c.normalize_rewards else np.float32(1.0)
    gains, returns = advantages(
        r.rewards / scale, r.values, r.terminated, r.truncated, r.final_values, r.ticks, c.gamma, c.gae_lambda
    )
    normalised = (gains - gains.mean()) / (gains.std() + 1e-8)
    return torch.from_numpy(normalised).flatten(), torch.from_numpy(returns).flatten()


def outputs_of(network, r) -> torch.Tensor:
    if r.recurrent_states is None:
        return network(r.observations[:-1].flatten(0, 1))[0]
    state, rows = r.recurrent_states[0], []
    for t in range(r.num_steps):
        out, state = network(r.observations[t], state)
        rows.append(out)
        state = state * (1.0 - torch.from_numpy(r.ended()[t]).float())[:, None]
    return torch.cat(rows)


def textbook_losses(network, head, learner: Learner) -> dict[str, torch.Tensor]:
    """Clipped surrogate, squared value error, entropy, as Schulman et al. write them."""
    r, c = learner.rollout, learner.config
    gains, returns = targets(learner)
    out, drawn = outputs_of(network, r), r.actions.flatten(0, 1)
    if isinstance(head, Categorical):
        logits = out[:, :-1]
        if r.masks is not None:
            logits = logits.masked_fill(r.masks.flatten(0, 1) == 0, -1e9)
        distribution = torch.distributions.Categorical(logits=logits)
        log_probs, entropy = distribution.log_prob(drawn), distribution.entropy()
    else:
        normal = torch.distributions.Normal(out[:, :-1], head.log_std.exp())
        log_probs, entropy = normal.log_prob(drawn).sum(1), normal.entropy().sum(1)
    ratio = (log_probs - r.log_probs.flatten()).exp()
    clipped = ratio.clamp(1 - c.clip_range, 1 + c.clip_range)
    return {
        "policy_loss": -torch.minimum(ratio * gains, clipped * gains).mean(),
        "value_loss": 0.5 * (out[:, -1] - returns).square().mean(),
        "entropy": entropy.mean(),
        "approx_kl": (ratio - 1 - ratio.log()).mean(),
        "clip_fraction": ((ratio - 1).abs() > c.clip_range).float().mean(),
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("moved", [0.0, 0.3], ids=["fresh", "moved"])
def test_an_update_is_the_textbooks(kind, moved):
    """`moved`: the policy is not the one that acted any more, so that some ratios are clipped."""
    learner = collected(kind)
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for weight in learner.policy.parameters():
            weight += moved * torch.randn(weight.shape, generator=generator)
    network, head = copy.deepcopy(learner.policy.network), copy.deepcopy(learner.policy.head)
    weights = [*network.parameters(), *head.parameters()]
    losses, c = textbook_losses(network, head, learner), learner.config
    loss = losses["policy_loss"] + c.vf_coef * losses["value_loss"] - c.ent_coef * losses["entropy"]
    adam = torch.optim.Adam(weights, lr=c.learning_rate, eps=1e-5)
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(weights, c.max_grad_norm)
    adam.step()
    if moved:
        assert losses["clip_fraction"] > 0.05 and losses["approx_kl"] > 1e-3, "else the clip is not asked for"

    metrics = learner.learn(0.0)
    for name, value in losses.items():
        assert metrics[name] == pytest.approx(float(value.detach()), rel=1e-3, abs=1e-5), name
    assert metrics["grad_norm"] == pytest.approx(float(norm), rel=1e-3)
    for mine, theirs in zip(learner.policy.parameters(), weights, strict=True):
        assert torch.allclose(mine, theirs, atol=2e-5)


def test_rewards_that_are_not_scaled_are_learned_as_they_are():
    learner = collected("continuous", PLAIN.replace(normalize_rewards=False))
    learner.rollout.rewards *= 7.0
    expected = textbook_losses(learner.policy.network, learner.policy.head, learner)
    assert learner.learn(0.0)["value_loss"] == pytest.approx(float(expected["value_loss"].detach()), rel=1e-3)
    assert learner.return_scale.count < 1, "the scale was not even looked at"


def test_every_epoch_takes_every_minibatch_once_and_its_metrics_are_means():
    learner = collected("continuous", PLAIN.replace(update_epochs=3, num_minibatches=4))
    before = learner.optimizer.state_dict()["state"]
    metrics = learner.learn(0.0)
    assert not before and metrics["updates"] == 12
    assert all(state["step"] == 12 for state in learner.optimizer.state_dict()["state"].values())


def test_the_metrics_of_an_update_have_these_names():
    assert set(collected("discrete").learn(0.0)) == {
        *("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction", "grad_norm", "updates"),
        *("advantage_mean", "advantage_std", "explained_variance", "learning_rate", "ent_coef"),
    }


def test_statistics_of_advantages_are_of_those_before_normalisation():
    learner = collected("discrete")
    r, c = learner.rollout, learner.config
    metrics = learner.learn(0.0)
    scaled = r.rewards / np.float32(learner.return_scale.std)
    gains, returns = advantages(
        scaled, r.values, r.terminated, r.truncated, r.final_values, r.ticks, c.gamma, c.gae_lambda
    )
    assert metrics["advantage_mean"] == pytest.approx(float(gains.mean()), abs=1e-5)
    assert metrics["advantage_std"] == pytest.approx(float(gains.std()), rel=1e-4)
    unforeseen = np.var(returns - r.values[:-1]) / np.var(returns)
    assert metrics["explained_variance"] == pytest.approx(1 - float(unforeseen), abs=1e-4)


def test_the_value_loss_of_a_privileged_critic_is_half_its_squared_error_times_its_weight():
    """The critic's gradient is that of value_weight * mean(error^2) / 2, with the player's cut together."""
    from sandlot.train.compose import compose
    from sandlot.train.trainer import Trainer

    words = (
        "ppo.num_envs=8", "ppo.num_steps=8", "run.threads=1", "ppo.critic=privileged",
        "ppo.precision=float32", "network.hidden_sizes=[8]", "ppo.update_epochs=1", "ppo.num_minibatches=1",
        "ppo.max_grad_norm=1e9",
        "ppo.vf_coef=0.7", "ppo.normalize_rewards=false",
    )  # fmt: skip
    trainer = Trainer(compose("tag", words=words))
    trainer._collect()
    learner = trainer.learners["seeker"]
    r, c = learner.rollout, learner.config
    critic = copy.deepcopy(learner.critic)
    _, returns = advantages(
        r.rewards, r.values, r.terminated, r.truncated, r.final_values, r.ticks, c.gamma, c.gae_lambda
    )
    with torch.no_grad():
        features = learner.policy.network.features(r.observations[:-1].flatten(0, 1))[0]
    error = critic(features, r.privileged[:-1].flatten(0, 1)) - torch.from_numpy(returns).flatten()
    (0.7 * 0.5 * error.square().mean()).backward()
    learner.learn(0.0)
    trainer.close()
    for mine, theirs in zip(learner.critic.parameters(), critic.parameters(), strict=True):
        assert torch.allclose(mine.grad, theirs.grad, rtol=1e-3, atol=1e-5)
