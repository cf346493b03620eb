"""Stable-Baselines3 trains our games and leaves a run as our own trainer does."""

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

from . import checks


@pytest.mark.parametrize("game", ["tag", "prospector"])
def test_sb3_leaves_a_whole_run(trained, game):
    run = trained(game, "sb3")
    checks.has_the_files_of_a_run(run, "sb3")
    checks.learned_something(run)


@pytest.mark.parametrize("role", ["seeker", "hider"])
def test_either_role_of_tag_learns_against_a_script_and_is_judged(trained, role):
    run = trained("tag", "sb3", f"adapter.role={role}", "run.windows=1")
    assert set(checks.policies_of(run)) == {role}
    assert f"{role}_rating" in checks.can_be_judged_and_replayed(run)


def test_both_roles_share_one_network_when_asked(trained):
    policies = checks.policies_of(trained("tag", "sb3", "adapter.role=both", "run.windows=1"))
    assert {role: policy.role for role, policy in policies.items()} == {"seeker": "seeker", "hider": "hider"}


def test_a_resumed_sb3_run_goes_on_with_the_next_window(trained):
    checks.goes_on(trained("tag", "sb3"))


def test_sb3_learns_to_catch(trained):
    checks.catches_a_stroller(trained("tag", "sb3", *checks.EASY_TAG))


def test_sb3_never_chooses_an_illegal_action(tiny):
    from sandlot.train.adapters.sb3 import SB3Runner

    runner = SB3Runner(tiny("prospector", "sb3"), "run")
    runner.learn()
    played = runner.model.rollout_buffer
    masks = played.observations[..., runner.spec.observation_size :].reshape(-1, runner.spec.action_count)
    chosen = played.actions.astype(int).reshape(-1)
    assert (masks[range(len(chosen)), chosen] == 1).all()
    runner.close()


def test_windows_count_the_steps_that_the_library_asked_for(trained, monkeypatch):
    from sandlot.train.adapters.sb3 import AgentSlotsVecEnv

    calls, step = [], AgentSlotsVecEnv.step_wait
    monkeypatch.setattr(AgentSlotsVecEnv, "step_wait", lambda env: calls.append(env.num_envs) or step(env))
    run = trained("tag", "sb3")
    rows = run.windows()
    assert [row.env_steps_in_window for row in rows] == [4000, 4000]
    assert 8000 <= sum(calls) < 8000 + 16 * 16, "one learner per world: an env step each"
    assert rows[-1].ticks_total > 2.5 * rows[-1].env_steps_total


@pytest.fixture
def env(tiny):
    from sandlot.train.adapters.agent_slots import AgentSlots
    from sandlot.train.adapters.sb3 import AgentSlotsVecEnv

    slots = AgentSlots(tiny("tag", "sb3", "settings.time_limit=1"), 4, seed=1)
    made = AgentSlotsVecEnv(slots, seed=1)
    yield made
    made.close()


def test_rows_of_a_batch_have_nothing_of_their_own_to_ask_for(env):
    assert env.get_attr("render_mode") == [None] * 4 and env.env_is_wrapped(object) == [False] * 4
    for ask in (
        lambda: env.get_attr("spec"),
        lambda: env.set_attr("spec", 1),
        lambda: env.env_method("render"),
    ):
        with pytest.raises(AttributeError, match="Rows of a native batch"):
            ask()


def test_a_seed_is_for_the_next_reset_and_none_changes_nothing(env):
    first = env.reset().copy()
    assert env.seed(2) == [None] * 4
    second = env.reset().copy()
    env.seed(None)
    assert (env.reset() == second).all() and (first != second).any()
    env.seed(1)
    assert (env.reset() == first).all()


def test_only_a_cut_episode_has_its_last_observation_in_its_info(env):
    env.reset()
    env.step(np.zeros(4, int))
    slots = env.slots
    slots.terminated, slots.truncated = np.array([[True, True, False, False], [True, False, True, False]])
    infos = env._infos()
    assert infos[0] == infos[1] == infos[3] == {}
    assert infos[2].keys() == {"TimeLimit.truncated", "terminal_observation"}
    assert infos[2]["TimeLimit.truncated"] is True
    assert (infos[2]["terminal_observation"] == slots.final_observations(np.array([2]))[0]).all()


def test_an_end_of_either_kind_is_done_and_nothing_is_reported_of_other_steps(env):
    env.reset()
    for _ in range(40):
        _, _, done, infos = env.step(np.zeros(4, int))
        assert (done == (env.slots.terminated | env.slots.truncated)).all()
        assert len(infos) == 4 and (done.any() or not any(infos))


def test_closing_the_env_gives_the_engines_memory_back(env):
    env.close()
    assert "closed" in repr(env.slots.world)


def test_a_resumed_optimiser_and_its_count_go_on(tiny):
    from sandlot.train.adapters.sb3 import SB3Runner

    first, again = SB3Runner(tiny("tag", "sb3"), "run"), SB3Runner(tiny("tag", "sb3"), "run")
    first.learn()
    again.restore(first.save())
    assert again.model.num_timesteps == first.model.num_timesteps == 16 * 16
    steps = [runner.model.policy.optimizer.state_dict()["state"][0]["step"] for runner in (first, again)]
    assert steps[0] == steps[1] > 0
    again.learn()
    assert again.model.num_timesteps == 2 * 16 * 16, "counted on, not from zero"
    for runner in (first, again):
        runner.close()


def test_the_seed_of_a_run_is_that_of_stable_baselines3(tiny):
    from sandlot.train.adapters.sb3 import SB3Runner

    for seed, given in ((7, 7), (2**32 + 7, 7)):
        runner = SB3Runner(tiny("tag", "sb3", f"run.seed={seed}"), "run")
        assert runner.model.seed == given
        runner.close()
