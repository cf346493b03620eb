"""Heads draw what they say they draw, and judge it as probability theory does."""

import numpy as np
import pytest
import torch

from sandlot.errors import ConfigError, UnknownName
from sandlot.policies import heads
from sandlot.policies.heads import (
    LOG_STD_BOUNDS,
    Categorical,
    Composed,
    Gaussian,
    head_for,
    stick_table,
)
from sandlot.spec import Action, Document, Spec
from sandlot.worlds import load_spec

STICK = [Action(name="x", group="move"), Action(name="y", group="move")]


def rng(seed=3):
    return torch.Generator().manual_seed(seed)


def test_a_categorical_head_judges_as_torch_does():
    outputs, actions = torch.randn(50, 8), torch.randint(0, 7, (50,))
    known = torch.distributions.Categorical(logits=outputs[:, :7])
    log_probs, entropy = Categorical(7).evaluate_actions(outputs, actions, None)
    assert torch.allclose(log_probs, known.log_prob(actions), atol=1e-6)
    assert torch.allclose(entropy, known.entropy(), atol=1e-6)


def test_a_masked_action_is_never_drawn_and_takes_no_share_of_entropy():
    masks = torch.tensor([[1, 0, 1, 0]], dtype=torch.uint8).expand(2000, 4)
    head, outputs = Categorical(4), torch.zeros(2000, 5)
    actions, log_probs = head.sample(outputs, masks, rng())
    assert set(actions.tolist()) == {0, 2}
    assert torch.allclose(log_probs, torch.tensor(0.5).log())
    assert torch.allclose(head.evaluate_actions(outputs, actions, masks)[1], torch.tensor(2.0).log())


def test_a_gaussian_head_judges_as_torch_does():
    head = Gaussian(3, log_std=-0.3)
    outputs, actions = torch.randn(50, 4), torch.randn(50, 3)
    known = torch.distributions.Normal(outputs[:, :3], head.log_std.exp())
    log_probs, entropy = head.evaluate_actions(outputs, actions, None)
    assert torch.allclose(log_probs, known.log_prob(actions).sum(1), atol=1e-5)
    assert torch.allclose(entropy, known.entropy().sum(1), atol=1e-5)


@pytest.mark.parametrize(("start", "low"), [(-9.0, True), (9.0, False)])
def test_a_spread_that_left_its_bounds_comes_back_when_the_gradient_says_so(start, low):
    """A clamp of what is read has no gradient outside: the parameter stayed there for good."""
    head = Gaussian(1, start)
    optimiser = torch.optim.SGD(head.parameters(), lr=0.1)
    wanted = 5.0 if low else 1e-3  # far from the mean, or near to it
    for _ in range(20):
        log_prob, _ = head.evaluate_actions(torch.zeros(1, 1), torch.full((1, 1), wanted), None)
        optimiser.zero_grad()
        (-log_prob.sum()).clamp(max=1e6).backward()
        head.log_std.grad.clamp_(-1.0, 1.0)
        optimiser.step()
    bound = LOG_STD_BOUNDS[0 if low else 1]
    assert abs(float(head.clamped_log_std().detach()) - bound) > 1.0


@pytest.mark.parametrize("log_std", [-9.0, 0.0, 9.0])
def test_a_gaussian_head_draws_with_the_spread_it_judges_by(log_std):
    head = Gaussian(1, log_std)
    actions, log_probs = head.sample(torch.zeros(20_000, 2), None, rng())
    assert float(actions.std()) == pytest.approx(float(head.clamped_log_std().exp().detach()), rel=0.03)
    assert torch.allclose(log_probs, head.evaluate_actions(torch.zeros(20_000, 2), actions, None)[0])


def test_a_composed_head_judges_numbers_and_buttons_together():
    head = Composed([0, 0, 1])
    outputs = torch.randn(40, 4)
    actions, log_probs = head.sample(outputs, None, rng())
    numbers = torch.distributions.Normal(outputs[:, :2], head.gaussian.log_std.exp())
    button = torch.distributions.Bernoulli(logits=outputs[:, 2])
    pressed = (actions[:, 2] > 0).float()
    assert set(actions[:, 2].tolist()) <= {-1.0, 1.0}
    expected = numbers.log_prob(actions[:, :2]).sum(1) + button.log_prob(pressed)
    assert torch.allclose(log_probs, expected, atol=1e-5)
    entropy = head.evaluate_actions(outputs, actions, None)[1]
    assert torch.allclose(entropy, numbers.entropy().sum(1) + button.entropy(), atol=1e-5)


@pytest.mark.parametrize("head", [Gaussian(2), Composed([0, 0, 1])])
def test_continuous_actions_are_cut_to_what_a_world_takes(head):
    actions = torch.full((3, head.size), 7.0)
    assert (np.abs(head.to_env(actions)) <= 1).all()


def test_the_likeliest_choice_is_the_peak_of_each_head():
    outputs = torch.tensor([[0.3, -0.2, 2.0, 9.0]])
    assert Categorical(3).mode(outputs, None).item() == 2
    assert Categorical(3).mode(outputs, torch.tensor([[1, 1, 0]])).item() == 0
    assert torch.allclose(Gaussian(2).mode(outputs, None), torch.tensor([[0.3, -0.2]]))
    assert torch.allclose(Composed([0, 0, 1]).mode(outputs, None), torch.tensor([[0.3, -0.2, 1.0]]))


def test_a_stick_table_has_rest_and_every_direction_with_every_button():
    table = stick_table([*STICK, Action(name="jump", kind="button")], 8)
    assert table.shape == (9 * 2, 3)
    assert (np.abs(table) <= 1).all() and len(np.unique(table, axis=0)) == 18
    lengths = np.linalg.norm(table[:, :2], axis=1)
    assert np.allclose(np.sort(np.unique(lengths.round(5))), [0, 1])


def test_a_head_fits_its_game():
    assert head_for(load_spec("prospector")).size == 69
    tag = load_spec("tag")
    for kind in ("auto", "table", "gaussian", "mixed"):
        head = head_for(tag, kind)
        drawn, _ = head.sample(torch.zeros(5, head.size + 1), None, rng())
        assert head.to_env(drawn).shape == (5, tag.action_size)
    with pytest.raises(UnknownName, match="Did you mean 'gaussian'"):
        head_for(tag, "gausian")


def test_the_numbers_of_the_heads_are_these():
    assert heads.LOG_STD_BOUNDS == (-4.0, 1.5) and heads.ILLEGAL == -1e30
    assert pytest.approx(0.9189385, abs=1e-6) == heads.HALF_LOG_TAU
    assert float(Gaussian(1).clamped_log_std()[0].detach()) == -0.5


def test_a_further_axis_of_a_stick_table_has_three_speeds():
    table = stick_table([*STICK, Action(name="turn")], 4)
    assert np.unique(table[:, 2]).tolist() == [-1.0, 0.0, 1.0] and len(table) == 5 * 3
    assert np.allclose(table[:5, :2], [[0, 0], [0, -1], [1, 0], [0, 1], [-1, 0]], atol=1e-6)


def test_an_action_that_is_all_but_impossible_adds_nothing_to_entropy_and_breaks_nothing():
    outputs = torch.tensor([[0.0, -200.0, 0.0]])
    log_probs, entropy = Categorical(2).evaluate_actions(outputs, torch.tensor([0]), None)
    assert float(entropy) == pytest.approx(0.0, abs=1e-6) and float(log_probs) == pytest.approx(0.0, abs=1e-6)


# ---------------------------------------------------------------- by the kinds of a spec's actions

AXIS, BUTTON = {"kind": "axis"}, {"kind": "button"}
CHOICE = {"kind": "choice", "options": ["a", "b", "c"]}


def spec_of(*actions):
    named = [{"name": f"action{i}", **action} for i, action in enumerate(actions)]
    description = {"name": "toy", "observation": [{"name": "seen", "shape": [3]}], "actions": named}
    return Spec(Document.parse(description), description)


def test_a_composed_head_judges_as_torch_does():
    head = Composed([3, 0, 1, 2, 0])  # a choice of three, an axis, a button, a choice of two, an axis
    outputs = torch.randn(40, head.size + 1)
    assert head.size == 2 + 1 + 3 + 2
    actions, log_probs = head.sample(outputs, None, rng())
    axes = torch.distributions.Normal(outputs[:, :2], head.gaussian.log_std.exp())
    button = torch.distributions.Bernoulli(logits=outputs[:, 2])
    first = torch.distributions.Categorical(logits=outputs[:, 3:6])
    second = torch.distributions.Categorical(logits=outputs[:, 6:8])
    expected = axes.log_prob(actions[:, [1, 4]]).sum(dim=1) + button.log_prob((actions[:, 2] + 1) / 2)
    expected += first.log_prob(actions[:, 0]) + second.log_prob(actions[:, 3])
    entropy = axes.entropy().sum(dim=1) + button.entropy() + first.entropy() + second.entropy()
    judged, its_entropy = head.evaluate_actions(outputs, actions, None)
    assert torch.allclose(judged, expected, atol=1e-5) and torch.allclose(log_probs, expected, atol=1e-5)
    assert torch.allclose(its_entropy, entropy, atol=1e-5)


def test_a_composed_head_draws_its_choices_and_buttons_as_often_as_it_says():
    head = Composed([1, 3])
    outputs = torch.tensor([[0.7, 0.0, 1.0, -1.0, 0.0]]).repeat(20_000, 1)
    actions, _ = head.sample(outputs, None, rng())
    assert float((actions[:, 0] > 0).float().mean()) == pytest.approx(
        torch.sigmoid(torch.tensor(0.7)).item(), abs=0.02
    )
    shares = torch.bincount(actions[:, 1].long(), minlength=3) / 20_000
    assert torch.allclose(shares, torch.softmax(outputs[0, 1:4], dim=0), atol=0.02)
    assert head.mode(outputs[:1], None).tolist() == [[1.0, 1.0]]


def test_a_composed_head_clips_axes_alone():
    head = Composed([0, 4])
    assert head.to_env(torch.tensor([[2.5, 3.0], [-7.0, 0.0]])).tolist() == [[1.0, 3.0], [-1.0, 0.0]]


def test_kinds_of_actions_decide_the_head():
    stick = [AXIS | {"group": "move"}] * 2
    assert isinstance(head_for(spec_of(CHOICE)), Categorical)
    assert isinstance(head_for(spec_of(CHOICE, CHOICE)), Composed)
    assert isinstance(head_for(spec_of(AXIS, AXIS)), Gaussian)
    assert isinstance(head_for(spec_of(AXIS, BUTTON)), Composed)
    assert isinstance(head_for(spec_of(BUTTON, AXIS)), Composed)
    assert isinstance(head_for(spec_of(BUTTON, BUTTON)), Composed)
    assert head_for(spec_of(*stick, BUTTON)).table.shape == (34, 3), "by declaration, whatever it is called"
    assert isinstance(head_for(spec_of(*stick)), Gaussian)
    with pytest.raises(ConfigError, match="toy also has choices"):
        head_for(spec_of(AXIS, CHOICE), "table")
