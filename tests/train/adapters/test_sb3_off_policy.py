"""SAC, TD3 and DQN of Stable-Baselines3: they learn, leave a run like any other, and go on after a stop."""

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

import torch
import toy_envs

from sandlot.errors import ConfigError, GameLost
from sandlot.evaluate.play import play
from sandlot.policies.compare import compare
from sandlot.policies.export import to_onnx
from sandlot.policies.exported import OnnxPolicy
from sandlot.policies.policy import load_policy
from sandlot.train import adapters
from sandlot.train.adapters import trainer_for

from . import checks

AIM, LISTED = "gym:toy_envs:SandlotAim-v0", "gym:toy_envs:SandlotAimListed-v0"
GAMES = {"sac": AIM, "td3": AIM, "dqn": LISTED}
QUICK = (
    "ppo.num_envs=8", "ppo.num_steps=16", "run.window_env_steps=1024", "adapter.learning_starts=256",
    "adapter.batch_size=64", "adapter.target_update_interval=128", "ppo.learning_rate=3e-3",
    "adapter.gamma=0.5",
)  # fmt: skip
assert toy_envs.Aim


def quick(algorithm, *words):
    return (f"adapter.algorithm={algorithm}", *QUICK, *words)


@pytest.mark.parametrize("algorithm", GAMES)
def test_an_algorithm_with_a_replay_buffer_learns_and_leaves_a_whole_run(trained, algorithm):
    game = GAMES[algorithm]
    run = trained(game, "sb3", *quick(algorithm, "run.windows=3"))
    checks.has_the_files_of_a_run(run, "sb3", windows=3) if algorithm != "dqn" else None
    assert run.windows()[-1].metrics["agent_value_loss"] >= 0
    policy = load_policy(run.paths.folder)
    returns = play(game, policy, range(64)).column("return")
    assert returns.mean() > 8 * 0.9, "random play gets half of that, the best is 8"
    assert checks.can_be_judged_and_replayed(run)["return_mean"] > 8 * 0.9
    checks.goes_on(run, windows=4)


@pytest.mark.parametrize("algorithm", GAMES)
def test_what_an_algorithm_leaves_behind_answers_the_same_as_onnx(tiny, algorithm):
    runner = trainer_for(tiny(GAMES[algorithm], "sb3", *quick(algorithm)), "run")
    runner.learn()
    policy = runner.policies["agent"]
    parity = compare(policy, OnnxPolicy(to_onnx(policy), "it"), worlds=4, steps=8)
    runner.close()
    assert parity.max_difference < 1e-4 and parity.greedy_agreement == 1.0


@pytest.mark.parametrize("algorithm", ["sac", "td3"])
def test_what_plays_is_the_actors_own_mean_action(tiny, algorithm):
    runner = trainer_for(tiny(AIM, "sb3", *quick(algorithm)), "run")
    runner.learn()
    seen = np.linspace(-1, 1, 9, dtype=np.float32)[:, None]
    theirs, _ = runner.model.predict(seen, deterministic=True)
    policy = runner.policies["agent"]
    policy.greedy = True
    assert policy.act(seen)[0] == pytest.approx(theirs, abs=1e-6)
    policy.greedy = False
    assert policy.act(seen)[0] == pytest.approx(theirs, abs=0.1), "drawn almost without noise"
    runner.close()


def test_targets_are_copies_that_do_not_share_our_weights(tiny):
    for algorithm, ours, target in (("td3", "actor", "actor_target"), ("dqn", "q_net", "q_net_target")):
        runner = trainer_for(tiny(GAMES[algorithm], "sb3", *quick(algorithm)), "run")
        networks = [getattr(runner.model.policy, name).features_extractor for name in (ours, target)]
        first, second = (network.actor_critic.network.last.weight for network in networks)
        assert first is runner.policy.network.last.weight and first is not second
        runner.close()


def test_a_resumed_algorithm_has_its_optimizers_and_waits_for_a_filled_buffer(tiny):
    first, again = (trainer_for(tiny(AIM, "sb3", *quick("sac")), "run") for _ in range(2))
    for _ in range(4):
        first.learn()
    again.load(first.state(), first.windows.to_dict())
    assert again.model.num_timesteps == first.model.num_timesteps == 4 * 8 * 16
    assert torch.equal(again.model.log_ent_coef, first.model.log_ent_coef)
    trained = again.model._n_updates
    again.learn()
    assert again.model._n_updates == trained, "a buffer of 0 steps teaches nothing yet"
    for _ in range(2):
        again.learn()
    assert again.model._n_updates > trained
    for runner in (first, again):
        runner.close()


def test_the_replay_buffer_has_the_size_that_was_asked_for(tiny):
    runner = trainer_for(tiny(AIM, "sb3", *quick("sac", "adapter.buffer_size=2000")), "run")
    assert runner.model.replay_buffer.buffer_size * 8 == 2000
    runner.close()


def test_a_cut_off_episode_is_no_end_in_the_replay_buffer(tiny):
    runner = trainer_for(tiny(AIM, "sb3", *quick("sac")), "run")
    runner.learn()  # episodes of 8 steps are cut off by their time limit
    buffer = runner.model.replay_buffer
    assert buffer.timeouts[:16].sum() == buffer.dones[:16].sum() == 8 * 2
    runner.close()


REFUSED = [
    (AIM, ("sb3", "adapter.algorithm=dqn"), "--algorithm dqn needs discrete ones"),
    (LISTED, ("sb3", "adapter.algorithm=sac"), "--algorithm sac learns continuous actions; .* dqn or ppo"),
    (LISTED, ("sb3", "adapter.algorithm=td3"), "--algorithm td3 learns continuous actions; .* dqn or ppo"),
    ("gym:toy_envs:SandlotToyMany-v0", ("sb3", "adapter.algorithm=sac"), "Use --trainer ppo"),
    ("gym:toy_envs:SandlotToyMany-v0", ("sb3",), "--trainer sb3 needs discrete"),
    ("prospector", ("sb3", "adapter.algorithm=dqn"), "masks some of them"),
    ("tag", ("ppo", "adapter.algorithm=sac"), "Add --trainer sb3"),
    ("tag", ("sb3", "network.squash=true"), "Leave it out"),
]


@pytest.mark.parametrize(("game", "words", "sentence"), REFUSED)
def test_an_algorithm_that_does_not_fit_the_actions_is_refused(tiny, game, words, sentence):
    trainer, *more = words
    with pytest.raises(ConfigError, match=sentence):
        config = tiny(game, trainer, *more)
        adapters.check_trainer(config)
        trainer_for(config, "run").close()


# ---------------------------------------------------------------- worlds in several processes


def test_ppo_of_the_library_learns_continuous_actions_too(trained):
    words = ("ppo.num_envs=16", "ppo.num_steps=16", "ppo.update_epochs=4", "run.window_env_steps=4000")
    rate = ("ppo.learning_rate=1e-2", "ppo.learning_rate_end=1e-3", "adapter.gamma=0.5")
    run = trained(AIM, "sb3", *words, *rate, "run.windows=3")
    policy = load_policy(run.paths.folder)
    policy.greedy = True
    assert play(AIM, policy, range(64)).column("return").mean() > 8 * 0.85
    assert policy.head.log_std.item() < -0.6, "it was -0.5: the library's standard deviation is ours"


def test_worlds_in_processes_train_as_those_in_one(trained):
    run = trained("tag", "sb3", "adapter.vec_env=subproc", "adapter.num_workers=2")
    checks.has_the_files_of_a_run(run, "sb3")
    checks.learned_something(run)


def test_processes_are_one_batch_and_a_dead_one_is_named(tiny):
    from sandlot.train.adapters.agent_slots import AgentSlots
    from sandlot.train.adapters.agent_slots_processes import AgentSlotsProcesses

    config = tiny("tag", "sb3", "adapter.num_workers=2", "settings.time_limit=1")
    slots = AgentSlotsProcesses(config, 4, seed=3)
    assert slots.rows == 4 and len(slots.engine_pids) == 2
    seen = slots.reset(3)
    with pytest.raises(ConfigError, match="choose a multiple"):
        AgentSlotsProcesses(config, 5, seed=3)
    one = AgentSlots(config, 2, seed=1)  # the second process by itself
    from sandlot import seeding

    assert np.array_equal(one.reset(seeding.split(3, 1)), seen[2:])
    ends = 0
    for _ in range(30):
        actions = np.zeros(4, np.int64)
        ended = slots.step(actions)
        one.step(actions[2:])
        assert np.array_equal(slots.observations[2:], one.observations)
        assert np.array_equal(slots.rewards[2:], one.rewards)
        rows = np.flatnonzero(slots.terminated | slots.truncated)
        assert (ended is not None) == (len(rows) > 0)
        if ended:
            last = slots.final_observations(rows[rows >= 2])
            assert np.array_equal(last, one.final_observations(rows[rows >= 2] - 2))
            ends += len(rows)
    taken = slots.take()
    assert ends and taken.record.ticks.shape == (30, 4) and len(taken.episodes) == ends
    assert len(slots.observation_sample())
    slots._workers[1]._process.kill()
    slots._workers[1]._process.join()
    with pytest.raises(GameLost, match=r"process 1 .* ended"):
        slots.step(np.zeros(4, np.int64))
    slots.close()
    one.close()
