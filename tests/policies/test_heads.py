"""Heads draw what they say they draw, and judge it as probability theory does."""

import numpy as np
import pytest
import torch

from sandlot.errors import UnknownName
from sandlot.games import Spec
from sandlot.policies.heads import LOG_STD_BOUNDS, Categorical, Gaussian, Mixed, head_for, stick_table


def rng(seed=3):
    return torch.Generator().manual_seed(seed)


def test_a_categorical_head_judges_as_torch_does():
    outputs, choices = torch.randn(50, 8), torch.randint(0, 7, (50,))
    known = torch.distributions.Categorical(logits=outputs[:, :7])
    log_probs, entropy = Categorical(7).judge(outputs, choices, None)
    assert torch.allclose(log_probs, known.log_prob(choices), atol=1e-6)
    assert torch.allclose(entropy, known.entropy(), atol=1e-6)


def test_a_masked_action_is_never_drawn_and_takes_no_share_of_entropy():
    masks = torch.tensor([[1, 0, 1, 0]], dtype=torch.uint8).expand(2000, 4)
    head, outputs = Categorical(4), torch.zeros(2000, 5)
    choices, log_probs = head.sample(outputs, masks, rng())
    assert set(choices.tolist()) == {0, 2}
    assert torch.allclose(log_probs, torch.tensor(0.5).log())
    assert torch.allclose(head.judge(outputs, choices, masks)[1], torch.tensor(2.0).log())


def test_a_gaussian_head_judges_as_torch_does():
    head = Gaussian(3, log_spread=-0.3)
    outputs, choices = torch.randn(50, 4), torch.randn(50, 3)
    known = torch.distributions.Normal(outputs[:, :3], head.log_spread.exp())
    log_probs, entropy = head.judge(outputs, choices, None)
    assert torch.allclose(log_probs, known.log_prob(choices).sum(1), atol=1e-5)
    assert torch.allclose(entropy, known.entropy().sum(1), atol=1e-5)


@pytest.mark.parametrize(("start", "low"), [(-9.0, True), (9.0, False)])
def test_a_spread_that_left_its_bounds_comes_back_when_the_gradient_says_so(start, low):
    """A clamp of what is read has no gradient outside: the parameter stayed there for good."""
    head = Gaussian(1, start)
    optimiser = torch.optim.SGD(head.parameters(), lr=0.1)
    wanted = 5.0 if low else 1e-3  # far from the mean, or near to it
    for _ in range(20):
        log_prob, _ = head.judge(torch.zeros(1, 1), torch.full((1, 1), wanted), None)
        optimiser.zero_grad()
        (-log_prob.sum()).clamp(max=1e6).backward()
        head.log_spread.grad.clamp_(-1.0, 1.0)
        optimiser.step()
    bound = LOG_STD_BOUNDS[0 if low else 1]
    assert abs(float(head.log_of_spread().detach()) - bound) > 1.0


@pytest.mark.parametrize("log_spread", [-9.0, 0.0, 9.0])
def test_a_gaussian_head_draws_with_the_spread_it_judges_by(log_spread):
    head = Gaussian(1, log_spread)
    choices, log_probs = head.sample(torch.zeros(20_000, 2), None, rng())
    assert float(choices.std()) == pytest.approx(float(head.log_of_spread().exp().detach()), rel=0.03)
    assert torch.allclose(log_probs, head.judge(torch.zeros(20_000, 2), choices, None)[0])


def test_a_mixed_head_judges_numbers_and_buttons_together():
    head = Mixed(2, 1)
    outputs = torch.randn(40, 4)
    choices, log_probs = head.sample(outputs, None, rng())
    numbers = torch.distributions.Normal(outputs[:, :2], head.gaussian.log_spread.exp())
    button = torch.distributions.Bernoulli(logits=outputs[:, 2])
    pressed = (choices[:, 2] > 0).float()
    assert set(choices[:, 2].tolist()) <= {-1.0, 1.0}
    expected = numbers.log_prob(choices[:, :2]).sum(1) + button.log_prob(pressed)
    assert torch.allclose(log_probs, expected, atol=1e-5)
    entropy = head.judge(outputs, choices, None)[1]
    assert torch.allclose(entropy, numbers.entropy().sum(1) + button.entropy(), atol=1e-5)


@pytest.mark.parametrize("head", [Gaussian(2), Mixed(2, 1)])
def test_continuous_actions_are_cut_to_what_a_world_takes(head):
    choices = torch.full((3, head.size), 7.0)
    assert (np.abs(head.actions(choices)) <= 1).all()


def test_the_likeliest_choice_is_the_peak_of_each_head():
    outputs = torch.tensor([[0.3, -0.2, 2.0, 9.0]])
    assert Categorical(3).best(outputs, None).item() == 2
    assert Categorical(3).best(outputs, torch.tensor([[1, 1, 0]])).item() == 0
    assert torch.allclose(Gaussian(2).best(outputs, None), torch.tensor([[0.3, -0.2]]))
    assert torch.allclose(Mixed(2, 1).best(outputs, None), torch.tensor([[0.3, -0.2, 1.0]]))


def test_a_stick_table_has_rest_and_every_direction_with_every_button():
    table = stick_table(["move", "move", "jump"], 8)
    assert table.shape == (9 * 2, 3)
    assert (np.abs(table) <= 1).all() and len(np.unique(table, axis=0)) == 18
    lengths = np.linalg.norm(table[:, :2], axis=1)
    assert np.allclose(np.sort(np.unique(lengths.round(5))), [0, 1])


def test_a_head_fits_its_game():
    assert head_for(Spec("prospector")).size == 69
    tag = Spec("tag")
    for kind in ("auto", "table", "gaussian", "mixed"):
        head = head_for(tag, kind)
        drawn, _ = head.sample(torch.zeros(5, head.size + 1), None, rng())
        assert head.actions(drawn).shape == (5, tag.action_size)
    with pytest.raises(UnknownName, match="Did you mean 'gaussian'"):
        head_for(tag, "gausian")
