"""The engine's two learning loops are the PyTorch ones, only faster."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from sandlot.errors import SandlotError
from sandlot.policies.heads import Categorical
from sandlot.policies.kernels import ClippedLoss, sample
from sandlot.train.ppo import clipped_loss


def batch(rows: int, num_actions: int, masked: bool, seed: int) -> tuple[torch.Tensor, dict]:
    """Outputs near those that drew, so that some ratios are clipped and some are not."""
    rng = torch.Generator().manual_seed(seed)
    masks = None
    if masked:
        masks = (torch.rand(rows, num_actions, generator=rng) < 0.4).to(torch.uint8)
        masks[torch.arange(rows), torch.randint(0, num_actions, (rows,), generator=rng)] = 1
    drew = torch.randn(rows, num_actions + 1, generator=rng)
    actions, log_probs = Categorical(num_actions).sample(drew, masks, rng)
    outputs = drew + 0.3 * torch.randn(rows, num_actions + 1, generator=rng)
    result = {
        "masks": masks,
        "actions": actions,
        "log_probs": log_probs,
        "advantages": torch.randn(rows, generator=rng),
        "returns": torch.randn(rows, generator=rng),
        "clip_range": 0.2,
        "vf_coef": 0.5,
        "ent_coef": 0.01,
    }
    return outputs, result


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(("rows", "num_actions"), [(1, 2), (33, 5), (257, 69), (64, 256)])
def test_the_loss_its_metrics_and_its_gradient_are_those_of_pytorch(rows, num_actions, masked):
    outputs, result = batch(rows, num_actions, masked, seed=rows + num_actions)
    results = []
    for fused in (True, False):
        here, metrics = outputs.clone().requires_grad_(), {}
        policy = SimpleNamespace(head=Categorical(num_actions))
        loss = (
            ClippedLoss.apply(here, result, metrics) if fused else clipped_loss(policy, here, result, metrics)
        )
        (3.0 * loss).backward()
        results.append((float(loss.detach()), metrics, here.grad))
    (loss, metrics, gradient), (known, known_metrics, known_gradient) = results
    assert loss == pytest.approx(known, abs=2e-5)
    assert metrics == pytest.approx(known_metrics, abs=2e-4)
    assert torch.allclose(gradient, known_gradient, atol=2e-6)


def test_a_row_without_a_legal_action_teaches_its_logits_nothing_and_spoils_no_other_row():
    outputs, result = batch(33, 5, True, seed=7)
    result["masks"][4] = 0
    result["log_probs"][4] = -np.log(5)
    results = []
    for fused in (True, False):
        here, metrics = outputs.clone().requires_grad_(), {}
        policy = SimpleNamespace(head=Categorical(5))
        loss = (
            ClippedLoss.apply(here, result, metrics) if fused else clipped_loss(policy, here, result, metrics)
        )
        loss.backward()
        results.append((metrics, here.grad))
    (metrics, gradient), (known_metrics, known_gradient) = results
    assert torch.isfinite(gradient).all() and (gradient[4, :5] == 0).all() and gradient[4, 5] != 0
    assert torch.allclose(gradient, known_gradient, atol=2e-6)
    assert metrics == pytest.approx(known_metrics, abs=2e-4)


def test_where_no_action_is_legal_all_are_drawn_alike():
    outputs, masks = torch.randn(5000, 4), torch.zeros(5000, 3, dtype=torch.uint8)
    actions, log_probs, _ = sample(outputs.contiguous(), masks, 3, state=5)
    assert np.bincount(actions, minlength=3) == pytest.approx(5000 / 3, rel=0.1)
    assert log_probs.numpy() == pytest.approx(-np.log(3), abs=1e-6)


def test_some_ratios_in_these_batches_are_clipped_and_some_are_not():
    outputs, result = batch(257, 69, True, seed=1)
    metrics = {}
    ClippedLoss.apply(outputs, result, metrics)
    assert 0.05 < metrics["clip_fraction"] < 0.95


def test_an_illegal_action_gets_no_gradient():
    outputs, result = batch(64, 9, True, seed=4)
    outputs.requires_grad_()
    ClippedLoss.apply(outputs, result, {}).backward()
    assert (outputs.grad[:, :9][result["masks"] == 0] == 0).all()


def test_an_action_outside_the_head_is_refused():
    outputs, result = batch(4, 3, False, seed=0)
    result["actions"] = torch.tensor([0, 1, 2, 3], dtype=torch.int32)
    with pytest.raises(SandlotError, match="outside the head"):
        ClippedLoss.apply(outputs, result, {})


def test_a_tensor_of_another_kind_is_refused_not_misread():
    outputs, result = batch(4, 3, False, seed=0)
    with pytest.raises(SandlotError, match="float32"):
        ClippedLoss.apply(outputs.double(), result, {})
    with pytest.raises(SandlotError, match="contiguous"):
        sample(torch.zeros(4, 8).t(), None, 3, 1)


# ---------------------------------------------------------------- drawing


@pytest.mark.parametrize("masked", [False, True])
def test_draws_follow_the_probabilities(masked):
    """Chi-square over 60,000 draws; seeded, so that it says the same every time."""
    rows, num_actions = 60_000, 7
    logits = torch.tensor([0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 0.2])
    mask = (
        torch.tensor([1, 1, 0, 1, 1, 1, 0], dtype=torch.uint8) if masked else torch.ones(7, dtype=torch.uint8)
    )
    outputs = torch.cat([logits, torch.zeros(1)]).expand(rows, 8).contiguous()
    actions, log_probs, _ = sample(
        outputs, mask.expand(rows, 7).contiguous() if masked else None, num_actions, 12345
    )
    known = torch.log_softmax(logits.masked_fill(mask == 0, -1e30), 0)
    counts = np.bincount(actions.numpy(), minlength=num_actions)
    legal = mask.numpy() == 1
    expected = rows * known.exp().numpy()
    assert (counts[~legal] == 0).all()
    assert (((counts - expected) ** 2 / np.maximum(expected, 1e-9))[legal]).sum() < 24  # p about 0.0005
    assert torch.allclose(log_probs, known[actions.long()], atol=1e-5)


def test_the_only_legal_action_is_drawn_whatever_its_logit():
    masks = torch.zeros(500, 5, dtype=torch.uint8)
    legal = torch.arange(500) % 5
    masks[torch.arange(500), legal] = 1
    outputs = 50 * torch.randn(500, 6, generator=torch.Generator().manual_seed(1))
    actions, log_probs, _ = sample(outputs, masks, 5, 9)
    assert torch.equal(actions.long(), legal)
    assert torch.allclose(log_probs, torch.zeros(500), atol=1e-6)


def test_the_same_state_draws_the_same_and_goes_on_differently():
    outputs = torch.zeros(200, 10)
    first, _, after = sample(outputs, None, 9, 77)
    again, _, same = sample(outputs, None, 9, 77)
    later, _, _ = sample(outputs, None, 9, after)
    assert torch.equal(first, again) and after == same
    assert not torch.equal(first, later)
