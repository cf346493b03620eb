"""Stable-Baselines3 trains our games and leaves a run as our own trainer does."""

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
    from sandlot.train.adapters.sb3 import make

    runner = make(tiny("prospector", "sb3"), "run")
    runner.learn()
    played = runner.model.rollout_buffer
    masks = played.observations[..., runner.spec.observation_size :].reshape(-1, runner.spec.action_count)
    chosen = played.actions.astype(int).reshape(-1)
    assert (masks[range(len(chosen)), chosen] == 1).all()
    runner.close()


def test_windows_count_the_steps_that_the_library_asked_for(trained, monkeypatch):
    from sandlot.train.adapters.sb3 import SeatsVecEnv

    calls, step = [], SeatsVecEnv.step_wait
    monkeypatch.setattr(SeatsVecEnv, "step_wait", lambda env: calls.append(env.num_envs) or step(env))
    run = trained("tag", "sb3")
    rows = run.windows()
    assert [row.env_steps_in_window for row in rows] == [4000, 4000]
    assert 8000 <= sum(calls) < 8000 + 16 * 16, "one learner per world: an env step each"
    assert rows[-1].ticks_total > 2.5 * rows[-1].env_steps_total
