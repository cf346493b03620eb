"""Learning from demonstrations: cloning takes over what was shown, and the term in the loss of PPO fades."""

import json

import numpy as np
import pytest
import torch

import sandlot
from sandlot.errors import ConfigError
from sandlot.policies.config import NetworkConfig
from sandlot.policies.heads import Categorical, Composed, Gaussian
from sandlot.policies.policy import load_policy
from sandlot.runs.store import Store
from sandlot.train import adapters
from sandlot.train.compose import compose
from sandlot.train.config import ImitationConfig
from sandlot.train.demonstrations import Demonstrations
from sandlot.train.imitation import LENGTH, Imitation, _sequences, to_head
from sandlot.train.loop import Loop, begin

from .toys import SMALL, Cue, learner_of, score

GAME = "gym:CartPole-v1"
SHORT = ("ppo.num_envs=8", "ppo.num_steps=32", "ppo.num_minibatches=4", "run.window_env_steps=512")


def balanced(folder, episodes=6):
    """Demonstrations of a script that balances the pole: pushes towards where it falls."""
    written = []
    with sandlot.make(GAME, autoreset=False) as world:
        for seed in range(episodes):
            world.reset(seed)
            seen, acted = [world.observations[0].tolist()], []
            while not acted or not (world.terminated[0] or world.truncated[0]):
                acted.append([int(seen[-1][2] + 0.5 * seen[-1][3] > 0)])
                world.step(np.array(acted[-1], np.int32))
                seen.append(world.observations[0].tolist())
            written.append([seen, acted])
    file = folder / "demos.json"
    file.write_text(json.dumps(written))
    return file


def mean_length(policy, seeds=range(40)):
    from sandlot.evaluate.play import play

    policy.greedy = True
    return float(play(GAME, policy, seeds).column("length").mean())


def train(folder, *words, stop=None):
    config = compose(GAME, words=(*SHORT, *words))
    run = begin(Store(folder / "runs"), config)
    loop = Loop(config, run, stop=stop)
    with run:
        loop.go()
    return run, loop.trainer


def test_cloning_takes_over_what_was_shown_before_anything_was_played(tmp_path):
    file = balanced(tmp_path)
    run, _ = train(tmp_path, f"imitation.demos={json.dumps([str(file)])}", "run.windows=1")
    assert mean_length(load_policy(run.paths.folder)) > 400, "the script keeps it up for 500 steps"
    alone, _ = train(tmp_path, "run.windows=1")
    assert mean_length(load_policy(alone.paths.folder)) < 200


def test_the_term_in_the_loss_fades_and_is_reported_while_it_lasts(tmp_path):
    file = balanced(tmp_path, 2)
    words = ("imitation.epochs=0", "imitation.decay=0.5", "run.windows=4")
    run, _ = train(tmp_path, f"imitation.demos={json.dumps([str(file)])}", *words)
    losses = [row.metrics.get("agent_imitation_loss") for row in run.windows()]
    assert losses[0] > losses[1] > 0 and losses[2:] == [None, None]
    config = ImitationConfig(coef=0.4, decay=0.5)
    assert [config.coef_at(p) for p in (0.0, 0.25, 0.5, 1.0)] == pytest.approx([0.4, 0.2, 0.0, 0.0])


def test_a_resumed_run_learns_on_from_the_same_demonstrations_and_from_no_others(tmp_path):
    file = balanced(tmp_path, 2)
    demos = f"imitation.demos={json.dumps([str(file)])}"
    whole, _ = train(tmp_path, demos, "run.windows=1", "run.seed=3")
    again, trainer = train(tmp_path, demos, "run.windows=1", "run.seed=3")
    first, second = (load_policy(run.paths.folder).state()["network"] for run in (whole, again))
    assert all(torch.equal(first[name], second[name]) for name in first)
    state, windows = trainer.state(), trainer.windows.to_dict()
    file.write_text(json.dumps(json.loads(file.read_text())[:1]))
    from sandlot.train.trainer import Trainer

    other = Trainer(compose(GAME, words=(*SHORT, demos)))
    with pytest.raises(ConfigError, match="differ from those that this run began with"):
        other.load(state, windows)
    other.close()


def test_a_recurrent_policy_clones_what_only_memory_can_know():
    toy = Cue(64)
    seen, acted, last = [], [], []
    for _ in range(100):
        seen.append(toy.observations.copy())
        acted.append(toy.side.copy())  # the answer at every step: only the first observation tells it
        toy.actions[:] = toy.side
        toy.step()
        last.append(toy.terminated.copy())
    shown = Demonstrations(
        np.concatenate(np.array(seen).swapaxes(0, 1)),
        np.concatenate(np.array(acted, np.float32).T)[:, None],
        np.concatenate(np.array(last).T),
    )
    results = {}
    for size in (0, 16):
        learner = learner_of(Cue(64), NetworkConfig(hidden_sizes=(32,), recurrent_size=size), SMALL)
        imitation = Imitation(learner.policy, shown, ImitationConfig(epochs=8, learning_rate=5e-3))
        imitation.clone_behavior(learner.minibatch_rng)
        results[size] = score(learner.policy, Cue(256, seed=9))
    assert results[16] > 0.95 and abs(results[0]) < 0.2, results


def test_sequences_are_cut_at_the_end_of_episodes():
    last = np.zeros(LENGTH + 5, bool)
    last[[2, LENGTH + 4]] = True
    first, second, third = _sequences(last)
    assert first[:3].tolist() == [0, 1, 2] and (first[3:] == -1).all()
    assert second.tolist() == list(range(3, 3 + LENGTH))
    assert third[:2].tolist() == [LENGTH + 3, LENGTH + 4] and (third[2:] == -1).all()


def test_a_worlds_actions_become_what_a_head_samples():
    table = Categorical(3, np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    assert to_head(table, np.array([[0.9, 0.2], [0.1, 0.7]])).tolist() == [1, 2]
    assert to_head(Categorical(4), np.array([[3.0], [0.0]])).tolist() == [3, 0]
    assert to_head(Gaussian(1), np.array([[3.0], [0.5]])).tolist() == [[1.0], [0.5]]
    composed = to_head(Composed([0, 1, 3]), np.array([[2.0, 1.0, 2.0], [0.5, 0.0, 1.0]]))
    assert composed.tolist() == [[1.0, 1.0, 2.0], [0.5, -1.0, 1.0]]


def test_standard_deviations_are_no_matter_of_demonstrations():
    from .toys import Target

    learner = learner_of(Target(8), NetworkConfig(hidden_sizes=(8,), head="gaussian"))
    rows = np.linspace(-1, 1, 80, dtype=np.float32).reshape(40, 2)
    shown = Demonstrations(rows, rows, np.arange(40) == 39)
    imitation = Imitation(learner.policy, shown, ImitationConfig())
    imitation.loss(learner.minibatch_rng).backward()
    assert learner.policy.head.log_std.grad is None and learner.policy.head.log_std.requires_grad
    assert learner.policy.network.last.weight.grad.abs().sum() > 0


def test_other_libraries_learn_from_rewards_alone():
    with pytest.raises(ConfigError, match=r"imitation\.demos needs our own PPO"):
        adapters.check_trainer(compose(GAME, words=("trainer=sb3", 'imitation.demos=["x.json"]')))
