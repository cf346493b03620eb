"""RLlib trains our games in two processes of a local Ray cluster and leaves a run as our own trainer does."""

import numpy as np
import pytest

pytest.importorskip("ray.rllib")

from sandlot.train.adapters.agent_slots import AgentSlots
from sandlot.train.config import as_dict

from . import checks

STEPS = 700


def choose(observations, actions):
    """Something to do that depends on nothing but what is seen, and is legal where that matters."""
    return (np.abs(observations[:, :30]).sum(axis=1) * 1000).astype(np.int64) % actions


@pytest.mark.slow
@pytest.mark.parametrize("game", ["tag"])
def test_rllib_leaves_a_whole_run_from_two_processes(trained, game):
    run = trained(game, "rllib", "adapter.num_workers=2", "ppo.num_steps=32")
    checks.has_the_files_of_a_run(run, "rllib")
    checks.learned_something(run)
    checks.can_be_judged_and_replayed(run)
    checks.goes_on(run)


def test_worlds_that_do_not_divide_among_workers_are_refused(tiny):
    from sandlot.errors import ConfigError
    from sandlot.train.adapters import trainer_for

    with pytest.raises(ConfigError, match="choose a multiple"):
        trainer_for(tiny("tag", "rllib", "adapter.num_workers=3"), "run")


@pytest.mark.parametrize(("game", "word"), [("tag", "adapter.role=hider"), ("tag", "adapter.role=both")])
def test_next_step_reset_plays_the_same_episodes_as_same_step_reset(tiny, game, word):
    from sandlot.train.adapters.rllib import AgentSlotsVectorEnv

    config = tiny(game, "rllib", word, "adapter.num_workers=2", "settings.time_limit=5")
    env = AgentSlotsVectorEnv({"config": as_dict(config)})
    observations, _ = env.reset(seed=5)
    slots = AgentSlots(config, env.slots.world.worlds, config.run.seed)
    from sandlot import seeding

    slots.reset(seeding.split(5, 0))
    for _ in range(STEPS):
        observations, *_ = env.step(choose(observations, slots.num_actions))
        slots.step(choose(slots.observations, slots.num_actions))
    there, here = env.slots.take(), slots.take()
    length = len(there.record.rewards)
    assert STEPS - 40 < length < STEPS  # a void step an episode
    np.testing.assert_array_equal(there.record.rewards, here.record.rewards[:length])
    assert _played(there.episodes, length) == _played(here.episodes, length)
    env.close()
    slots.close()


def _played(episodes, length):
    """World, decision of its end, seed, of every episode within so many decisions."""
    heads = episodes.heads[episodes.heads["step"] <= length]
    return sorted(heads[["world", "step", "seed"]].tolist())


def test_the_step_after_an_end_shows_the_new_episode_and_gives_nothing(tiny):
    from sandlot.train.adapters.rllib import AgentSlotsVectorEnv

    env = AgentSlotsVectorEnv({"config": as_dict(tiny("tag", "rllib", "settings.time_limit=5"))})
    env.reset(seed=1)
    for _ in range(STEPS):
        last, _, terminated, truncated, _ = env.step(np.zeros(env.num_envs, int))
        rows = np.flatnonzero(terminated | truncated)
        if len(rows):
            break
    fresh, rewards, terminated, truncated, _ = env.step(np.zeros(env.num_envs, int))
    assert len(rows) and not (rewards[rows].any() or terminated[rows].any() or truncated[rows].any())
    assert (fresh[rows] != last[rows]).any(axis=1).all()
    env.close()


def test_rllibs_module_gives_logits_and_the_value_beside_them(tiny):
    import torch
    from ray.rllib.core.columns import Columns

    from sandlot.train.adapters.actor_critic import policy_for
    from sandlot.train.adapters.rllib import SandlotModule, _spaces

    config = tiny("tag", "rllib", "adapter.role=hider", "network.normalize_observations=false")
    slots = AgentSlots(config, 2, 1)
    observation_space, action_space = _spaces(slots.spec, slots.num_actions)
    module = SandlotModule(
        observation_space=observation_space,
        action_space=action_space,
        model_config={"config": as_dict(config)},
    )
    seen = torch.from_numpy(slots.reset(1))
    policy = policy_for(config, slots.spec, "hider")
    slots.close()
    expected = policy.outputs(seen.numpy())[0]
    with torch.no_grad():
        given = module._forward({Columns.OBS: seen})
        assert torch.allclose(given[Columns.ACTION_DIST_INPUTS], expected[:, :-1])
        assert torch.allclose(given[Columns.EMBEDDINGS], expected[:, -1])
        assert torch.allclose(module.compute_values({Columns.OBS: seen}), expected[:, -1])
        assert module.compute_values({Columns.OBS: seen}, embeddings=3) == 3
    assert module.actor_critic.policy.role == "hider"


def test_a_worker_plays_its_share_of_the_worlds_and_closes_them(tiny):
    from sandlot.train.adapters.rllib import AgentSlotsVectorEnv

    for role, rows in (("seeker", 4), ("both", 8)):
        config = tiny("tag", "rllib", f"adapter.role={role}", "adapter.num_workers=4")
        env = AgentSlotsVectorEnv({"config": as_dict(config)})
        assert env.slots.world.worlds == 4 and env.num_envs == rows
        assert env.observation_space.shape == (rows, *env.single_observation_space.shape)
        env.close()
        assert "closed" in repr(env.slots.world)


def test_a_workers_seed_gives_its_worlds_and_a_later_reset_gives_others(tiny):
    from sandlot.train.adapters.rllib import AgentSlotsVectorEnv

    env = AgentSlotsVectorEnv({"config": as_dict(tiny("tag", "rllib"))})
    first, same, other = (env.reset(seed=seed)[0].copy() for seed in (5, 5, 6))
    assert np.array_equal(first, same) and not np.array_equal(first, other)
    assert not np.array_equal(env.reset(seed=1)[0], env.reset(seed=None)[0])
    env.step(np.zeros(env.num_envs, int))
    assert not np.array_equal(env.reset(seed=5)[0], first), "seeds are split by the steps played"
    env.close()


class Group:
    """Stands in for RLlib's groups of workers and learners: calls what it is given, here."""

    def __init__(self, env, module):
        self.env, self.module, self.synced = env, module, []

    def foreach_env_runner(self, work, local_env_runner=True):
        from types import SimpleNamespace

        assert not local_env_runner, "the process that learns plays nothing"
        return [work(SimpleNamespace(env=SimpleNamespace(unwrapped=env))) for env in self.env]

    def foreach_learner(self, work):
        from types import SimpleNamespace

        from ray.rllib.core import DEFAULT_MODULE_ID

        return [work(SimpleNamespace(module={DEFAULT_MODULE_ID: self.module}))]

    def get_weights(self):
        from ray.rllib.core import DEFAULT_MODULE_ID

        return {DEFAULT_MODULE_ID: {k: v.numpy() for k, v in self.module.state_dict().items()}}

    def sync_weights(self, from_worker_or_learner_group):
        self.synced.append(from_worker_or_learner_group)


@pytest.fixture
def without_ray(tiny, monkeypatch):
    """A runner whose algorithm is two workers and a module in this process; (runner, group, closings)."""
    from types import SimpleNamespace

    from sandlot.train.adapters import rllib

    closings = []
    monkeypatch.setattr(rllib.ray, "is_initialized", lambda: True)
    monkeypatch.setattr(rllib.ray, "shutdown", lambda: closings.append("ray"))

    def made(settings):
        config = settings.rl_module_spec.model_config
        module = rllib.SandlotModule(
            observation_space=settings.observation_space,
            action_space=settings.action_space,
            model_config=config,
        )
        group = Group([rllib.AgentSlotsVectorEnv(config) for _ in range(2)], module)
        losses = {"policy_loss": 1.0, "vf_loss": 2.0, "entropy": 3.0, "vf_explained_var": 0.5, "other": 9}
        return SimpleNamespace(
            env_runner_group=group,
            learner_group=group,
            logdir="/nowhere/at/all",
            stop=lambda: closings.append("algorithm"),
            train=lambda: {"learners": {rllib.DEFAULT_MODULE_ID: losses}},
        )

    monkeypatch.setattr(rllib.PPOConfig, "build_algo", made)

    def make(*words):
        runner = rllib.RLlibRunner(tiny("tag", "rllib", *words), "run")
        return runner, runner.algorithm.learner_group, closings

    return make


def test_the_learners_weights_come_into_our_policy_and_its_metrics_under_our_names(without_ray):
    import torch

    runner, group, _ = without_ray()
    assert runner.policy.normalizer is None, "statistics do not travel between processes"
    with torch.no_grad():
        group.module.actor_critic.network.last.weight += 1.0
    metrics = runner.learn()
    assert torch.equal(runner.policy.network.last.weight, group.module.actor_critic.network.last.weight)
    assert metrics == {"policy_loss": 1.0, "value_loss": 2.0, "entropy": 3.0, "explained_variance": 0.5}


def test_a_resumed_learner_and_its_workers_get_our_weights(without_ray):
    import torch

    runner, group, _ = without_ray()
    with torch.no_grad():
        runner.policy.network.last.weight += 1.0
    runner.restore(runner.save())
    assert torch.equal(runner.policy.network.last.weight, group.module.actor_critic.network.last.weight)
    assert group.synced == [group]


def test_the_worlds_of_a_resumed_run_begin_with_other_episodes(without_ray):
    runner, group, _ = without_ray()
    first = [env.reset(seed=1)[0].copy() for env in group.env]
    runner.reseed(9)
    later = [env.reset(seed=1)[0].copy() for env in group.env]
    again = [env.reset(seed=1)[0] for env in group.env]
    for one, other, same in zip(first, later, again, strict=True):
        assert (one != other).any() and (other == same).all()


def test_a_page_is_as_long_as_the_slowest_worker_is_far(without_ray):
    runner, group, _ = without_ray()
    for env, steps in zip(group.env, (3, 5), strict=True):
        env.reset(seed=1)
        for _ in range(steps):
            env.step(np.zeros(env.num_envs, int))
    page = runner.take().record
    assert page.ticks.shape == (3, 16) and page.rewards.shape == (3, 16, 2)


@pytest.mark.parametrize(
    ("address", "closed"), [("local", ["algorithm", "ray"]), ("10.0.0.1:6379", ["algorithm"])]
)
def test_closing_ends_the_algorithm_and_a_cluster_of_our_own(without_ray, address, closed):
    runner, _, closings = without_ray(f"adapter.address={address}")
    runner.close()
    assert closings == closed


def test_both_roles_have_a_row_each_in_every_world(without_ray):
    for role, rows in (("both", 16), ("hider", 8)):
        runner, group, _ = without_ray(f"adapter.role={role}")
        assert [env.num_envs for env in group.env] == [rows, rows]
        assert list(runner.policies) == (["seeker", "hider"] if role == "both" else ["hider"])
