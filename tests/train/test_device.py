"""Learning on a graphics card: the same learner, the same optimum, and files that need no card."""

import pytest
import torch

from sandlot.errors import ConfigError
from sandlot.policies import load_policy
from sandlot.policies.config import NetworkConfig
from sandlot.runs.store import Store
from sandlot.train.device import device_of
from sandlot.train.trainer import Trainer

from .test_resume import small, train
from .toys import DENSE, SMALL, Bandit, Button, Corridor, Cue, collect, learner_of, score
from .toys import train as train_toy

card = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no graphics card here to learn on")
REMEMBERS = NetworkConfig(hidden_sizes=(32,), recurrent_size=16)
MIXED = NetworkConfig(hidden_sizes=(32, 32), head="mixed")


@pytest.mark.parametrize("name", ["tpu", "meta", "cpu0", "", "cuda:99"])
def test_a_device_that_is_not_there_is_refused_with_what_to_do(name):
    with pytest.raises(ConfigError, match=r"run\.device") as refused:
        device_of(name)
    assert "cpu" in str(refused.value)


def test_training_on_a_missing_device_is_refused_before_a_world_is_opened():
    with pytest.raises(ConfigError, match="cuda:99"):
        Trainer(small("tag", 1, "run.device=cuda:99"))


@card
@pytest.mark.parametrize(
    ("toy", "shape", "updates"), [(Corridor, DENSE, 30), (Cue, REMEMBERS, 60), (Bandit, DENSE, 25)]
)
def test_a_card_finds_the_best_play(toy, shape, updates):
    policy = train_toy(toy(128), updates, shape, device="cuda").learner.policy
    assert policy.device.type == "cuda"
    assert score(policy, toy(64, seed=9)) == toy.BEST


@card
def test_a_card_hits_a_target_with_numbers_and_buttons():
    policy = train_toy(Button(256), 60, MIXED, device="cuda").learner.policy
    assert score(policy, Button(256, seed=9)) > Button.BEST - 0.05


@card
def test_a_card_learns_from_the_same_steps_what_the_processor_learns():
    """The same rollout through the engine's loops here and through PyTorch there: equal but for rounding."""
    toy = Bandit(64)
    here, there = learner_of(toy), learner_of(toy, device="cuda")
    collect(here, toy)
    for name in ("observations", "masks", "actions", "log_probs"):
        getattr(there.rollout, name).copy_(getattr(here.rollout, name))
    for name in ("values", "final_values", "rewards", "ticks", "terminated", "truncated"):
        getattr(there.rollout, name)[:] = getattr(here.rollout, name)
    result = here.learn(0.0), there.learn(0.0)
    assert result[0] == pytest.approx(result[1], rel=1e-3, abs=1e-4)
    for a, b in zip(here.policy.parameters(), there.policy.parameters(), strict=True):
        assert torch.allclose(a, b.cpu(), atol=1e-4)


@card
@pytest.mark.parametrize("precision", ["float32", "bfloat16", "auto"])
def test_every_precision_learns_on_a_card(precision):
    policy = train_toy(
        Corridor(64), 40, DENSE, SMALL.replace(precision=precision), device="cuda"
    ).learner.policy
    assert score(policy, Corridor(32, seed=9)) == Corridor.BEST


@card
@pytest.mark.parametrize("game", ["tag", "prospector"])
@pytest.mark.parametrize("word", ["network.recurrent_size=0", "network.recurrent_size=8"])
def test_a_run_on_a_card_goes_on_with_or_without_one(tmp_path, game, word):
    """Its files hold nothing of the card: the processor loads, plays and goes on with them."""
    config = small(game, 2, word, "run.device=cuda")
    run_id = train(tmp_path, config, stop_after=9)
    here = config.replace(run=config.run.replace(device="cpu"))
    train(tmp_path, here, resume=run_id)
    run = Store(tmp_path).open(run_id)
    assert len(run.windows()) == 2
    assert load_policy(run.newest_checkpoint()).device.type == "cpu"
    again = train(tmp_path / "card", config, stop_after=9)
    train(tmp_path / "card", config, resume=again)
    assert len(Store(tmp_path / "card").open(again).windows()) == 2


@pytest.mark.parametrize(("cards", "name", "there"), [
    (0, "cuda", False), (1, "cuda", True), (1, "cuda:0", True), (1, "cuda:1", False), (2, "cuda:1", True),
    (2, "cuda:2", False), (0, "cpu", True),
])  # fmt: skip
def test_a_card_is_there_if_pytorch_counts_it(monkeypatch, cards, name, there):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: cards)
    if there:
        assert str(device_of(name)) == name
    else:
        with pytest.raises(ConfigError, match=f"sees {cards} GPUs"):
            device_of(name)
