"""What the adapters share: schedules, signals, names, whom a learner meets, how a run is gone on with."""

import signal
import threading

import numpy as np
import pytest
import torch
from leaks import nothing_left_open

from sandlot.runs.store import Store
from sandlot.train.adapters.runner import (
    AgentSlotsRunner,
    NoOpponents,
    Runner,
    preserve_signal_handlers,
    rename_metrics,
)
from sandlot.train.loop import Loop, begin
from sandlot.train.selfplay import KINDS

THREAD_DEADLINE_S = 10.0  # PufferLib's own watcher looks once a second whether it is to end


class Idle(AgentSlotsRunner):
    """Plays by resting and learns nothing: a library with nothing in it."""

    def learn(self):
        self.slots.reset(1) if not self.slots.world.steps else None
        for _ in range(self.config.ppo.num_steps):
            self.slots.step(np.zeros(self.slots.rows, np.int64))
        return {"policy_loss": 0.0, "value_loss": 0.0}

    def save(self):
        return {"kept": 3}

    def restore(self, saved):
        self.restored = saved

    def reseed(self, seed):
        self.begun = seed


@pytest.fixture
def runner_of(tiny):
    made = []

    def make(*words, game="tag"):
        made.append(Idle(tiny(game, "sb3", *words), "run"))
        return made[-1]

    yield make
    for runner in made:
        runner.close()


@pytest.mark.parametrize(
    ("progress", "rate", "entropy"), [(0.0, 4e-3, 0.02), (0.5, 3e-3, 0.015), (1.0, 2e-3, 0.01)]
)
def test_schedules_run_in_straight_lines(runner_of, progress, rate, entropy):
    runner = runner_of(
        "ppo.learning_rate=4e-3", "ppo.learning_rate_end=2e-3", "ppo.ent_coef=0.02", "ppo.ent_coef_end=0.01"
    )
    assert (runner.learning_rate, runner.ent_coef) == (pytest.approx(4e-3), pytest.approx(0.02)), "at first"
    runner.iterate(progress)
    assert runner.learning_rate == pytest.approx(rate) and runner.ent_coef == pytest.approx(entropy)


def test_a_library_uses_the_threads_that_were_asked_for(runner_of):
    runner_of("run.threads=3")
    assert torch.get_num_threads() == 3


@pytest.mark.parametrize(
    ("game", "role", "met"),
    [
        ("tag", "seeker", {"seeker": "scripted", "hider": None}),
        ("tag", "hider", {"seeker": None, "hider": "scripted"}),
        ("tag", "both", {"seeker": "current", "hider": "current"}),
        ("prospector", "seeker", {}),
    ],
)
def test_whom_a_learner_meets_is_reported_by_role(runner_of, game, role, met):
    runner = runner_of(f"adapter.role={role}", game=game)
    found = {name: set(kinds.tolist()) for name, kinds in runner.kinds.items()}
    assert found == {name: {float(KINDS.index(kind)) if kind else -1.0} for name, kind in met.items()}
    assert list(runner.policies) == runner.roles and runner.stage == 0
    assert all(policy.network is runner.policy.network for policy in runner.policies.values())


def test_a_runner_goes_on_with_its_weights_its_statistics_and_other_episodes(runner_of):
    first = runner_of("run.seed=1")
    first.iterate(0.0)
    state, windows = first.state(), first.windows.to_dict()
    again = runner_of("run.seed=1")
    with torch.no_grad():
        again.policy.network.last.weight += 1.0
    again.load(state, windows)
    assert torch.equal(again.policy.network.last.weight, first.policy.network.last.weight)
    assert again.policy.normalizer.count == first.policy.normalizer.count > 1
    assert again.restored == {"kept": 3} and again.begun not in (0, 1)
    assert again.windows.env_steps_total == 256 and not again.windows._running.any()


def test_the_normaliser_moves_between_rollouts(runner_of):
    runner = runner_of()
    before = runner.policy.normalizer.count
    runner.iterate(0.0)
    assert runner.policy.normalizer.count > before


def test_metrics_are_named_as_ours_as_far_as_a_library_gave_them():
    names = {"train/loss": "policy_loss", "train/kl": "approx_kl"}
    assert rename_metrics({"train/loss": np.float32(0.5), "other": 1}, names) == {"policy_loss": 0.5}


def test_there_are_no_pools_behind_another_library():
    nobody = NoOpponents()
    nobody.draw()
    assert nobody.pools == {} and nobody.win_rates() == {}


def test_signals_that_a_library_takes_are_given_back():
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with pytest.raises(RuntimeError), preserve_signal_handlers():
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        raise RuntimeError
    assert {number: signal.getsignal(number) for number in before} == before


def test_in_another_thread_signals_are_left_alone():
    failed = []

    def use():
        try:
            with preserve_signal_handlers():
                pass
        except ValueError as problem:  # Python refuses signal.signal outside the main thread
            failed.append(problem)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert not failed


@pytest.mark.parametrize("method", ["learn", "take", "save", "restore", "reseed", "close"])
def test_a_library_must_bring_its_own_parts(tiny, method):
    with pytest.raises(TypeError, match=f"abstract methods .*{method}"):
        Runner(tiny("tag", "sb3"), "run")


# ---------------------------------------------------------------- what is left open


@pytest.mark.parametrize("trainer", ["sb3", "puffer"])
@pytest.mark.parametrize("fails", [False, True], ids=["ends", "fails"])
def test_a_library_leaves_no_file_no_thread_and_no_world_open(tiny, tmp_path, trainer, fails):
    pytest.importorskip({"sb3": "stable_baselines3", "puffer": "pufferlib"}[trainer])
    config = tiny("tag", trainer, "run.windows=1", "run.window_env_steps=256")

    def run(folder):
        with begin(Store(folder), config) as made:
            loop = Loop(config, made)
            if fails:
                loop.trainer.take = lambda: 1 / 0
                with pytest.raises(ZeroDivisionError):
                    loop.go()
            else:
                loop.go()
        assert "closed" in repr(loop.trainer.slots.world)

    run(tmp_path / "first")  # whatever is opened once for the whole process is open now
    threads = set(threading.enumerate())
    with nothing_left_open():
        run(tmp_path / "second")
    for thread in set(threading.enumerate()) - threads:
        thread.join(timeout=THREAD_DEADLINE_S)
    assert set(threading.enumerate()) <= threads
