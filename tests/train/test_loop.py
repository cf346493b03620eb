"""What the loop writes beside a window: a row an episode, with what was learned from it."""

import itertools

import pytest

from sandlot.errors import ConfigError
from sandlot.policies.policy import pack, unpack
from sandlot.runs.episodes import UPDATE_METRICS, match_columns, read_episodes
from sandlot.runs.store import Store
from sandlot.runs.verify import verify_run
from sandlot.train import events
from sandlot.train.compose import compose
from sandlot.train.loop import Loop, begin
from sandlot.worlds import NativeWorld

SMALL = (
    "run.windows=2", "run.window_env_steps=1000", "run.threads=1",
    "ppo.num_envs=16", "ppo.num_steps=16", "ppo.num_minibatches=4", "network.hidden_sizes=[16]",
)  # fmt: skip


def trained(root, game, *more):
    """The rows of episodes.csv, and the learners' metrics of every iteration."""
    config, heard = compose(game, words=[*SMALL, *more]), []
    with begin(Store(root), config) as run:
        Loop(config, run, [heard.append]).go()
        rows = read_episodes(run.paths.episodes)
    return rows, [event.metrics for event in heard if isinstance(event, events.Progressed)]


def as_written(number):
    return float(f"{number:.7g}")


def test_the_weights_of_step_0_are_kept_and_no_resume_replaces_them(tmp_path):
    config = compose("tag", words=SMALL)
    with begin(Store(tmp_path), config) as run:
        loop = Loop(config, run)
        untrained = {role: policy.state() for role, policy in loop.trainer.policies.items()}
        loop.go()
        kept = run.paths.initial.read_bytes()
        assert (state := unpack(kept, "initial.pt"))["window_id"] is None and state["env_steps_total"] == 0
        assert pack(state["policies"]) == pack(untrained)
        assert pack(state["policies"]) != pack(
            unpack(run.newest_checkpoint().read_bytes(), "newest")["policies"]
        )
        assert not [finding for finding in verify_run(run) if finding.problem]
        more = compose("tag", words=[*SMALL, "run.windows=3"])
        Loop(more, run).go()
        assert run.paths.initial.read_bytes() == kept


def test_an_episode_of_two_roles_has_the_losses_of_each_and_of_both(tmp_path):
    rows, metrics = trained(tmp_path, "tag")
    assert rows and list(rows[0])[:21] == list(match_columns(("seeker", "hider")))
    result = {
        tuple(as_written(one[role][name]) for role in ("seeker", "hider") for name in UPDATE_METRICS)
        for one in metrics
    }
    assert any(one[:5] != one[5:] for one in result), "else nobody could tell the roles apart"
    for row in rows:
        own = [[float(row[f"{role}_{name}"]) for name in UPDATE_METRICS] for role in ("seeker", "hider")]
        assert (*own[0], *own[1]) in result
        for name, seeker, hider in zip(UPDATE_METRICS, *own, strict=True):
            both = seeker + hider if name == "updates" else (seeker + hider) / 2
            assert abs(float(row[name]) - both) <= 1e-6 * max(1, abs(both)), name


def test_an_episode_of_one_role_has_its_losses_once(tmp_path):
    rows, metrics = trained(tmp_path, "prospector", "settings.time_max=300", "ppo.rollouts_per_iteration=1")
    assert rows and not any(column.startswith("pilot_") for column in rows[0])
    result = {tuple(as_written(one["pilot"][name]) for name in UPDATE_METRICS) for one in metrics}
    assert all(tuple(float(row[name]) for name in UPDATE_METRICS) in result for row in rows)


MANY_TICKS = {
    "prospector": ("settings.mine_repeat=8", "ppo.rollouts_per_iteration=1", "ppo.stagger_steps=0"),
    "tag": (),
}


@pytest.mark.parametrize("game", MANY_TICKS)
def test_windows_count_every_step_of_every_world_and_not_its_ticks(tmp_path, monkeypatch, game):
    """Counted beside the trainer, at the game's own `step`, whose steps last several ticks."""
    steps, ticks, step = [], [], NativeWorld.step

    def counting(world):
        ended = step(world)
        steps.append(world.worlds)
        ticks.append(int(world.ticks[:: world.spec.agents].sum()))
        return ended

    monkeypatch.setattr(NativeWorld, "step", counting)
    config = compose(game, words=[*SMALL, *MANY_TICKS[game]])
    with begin(Store(tmp_path), config) as run:
        Loop(config, run).go()
        rows, record = run.windows(), run.record
    assert sum(ticks) > 1.2 * sum(steps), "else nobody could tell steps from ticks"
    assert [row.env_steps_in_window for row in rows] == [1000, 1000]
    assert [row.env_steps_total for row in rows] == [1000, 2000] and record.env_steps_total == 2000
    assert 2000 <= sum(steps) < 2000 + 16 * 16, (
        "training stops with the iteration that closes the last window"
    )
    closing = -(-2000 // 16)  # steps of the batch up to the end of window 1
    assert sum(ticks[: closing - 1]) < rows[-1].ticks_total <= sum(ticks[:closing])


# ---------------------------------------------------------------- every window has its files


def loop(root, config, iterations=None, resume=None):
    """Train for so many iterations, or to the end; the run as it was left."""
    store, asked = Store(root), iter(range(10**6))
    run = store.resume(resume) if resume else begin(store, config)
    with run:
        Loop(config, run, stop=lambda: iterations is not None and next(asked) >= iterations).go()
    return store.open(run.run_id)


SHORT = (*SMALL, "settings.time_limit=1.0")  # matches of twenty steps at most


def files(run):
    """Windows that have a row, and windows that have a checkpoint."""
    return [row.window_id for row in run.windows()], list(run.checkpoints())


def test_a_run_stopped_within_a_window_has_a_row_for_it_marked_partial(tmp_path):
    run = loop(tmp_path, compose("tag", words=SHORT), iterations=6)  # 6 x 256 of windows of 1000
    assert files(run) == ([0, 1], [0, 1])
    whole, part = run.windows()
    assert (whole.window_complete, part.window_complete) == (True, False)
    assert (part.env_steps_in_window, part.env_steps_total) == (536, 1536)
    assert "seeker_policy_loss" in part.metrics and run.record.windows_emitted == 2
    assert {row["window_id"] for row in read_episodes(run.paths.episodes)} == {"0", "1"}


@pytest.mark.parametrize("pauses", [(6,), (5, 6, 7)])
def test_a_resumed_window_goes_on_and_its_row_is_replaced(tmp_path, pauses):
    config = compose("tag", words=SHORT)
    whole = loop(tmp_path / "whole", config)
    run = loop(tmp_path / "parts", config, iterations=pauses[0])
    for before, after in itertools.pairwise(pauses):
        run = loop(tmp_path / "parts", config, after - before, run.run_id)
    run = loop(tmp_path / "parts", config, resume=run.run_id)
    assert files(run) == files(whole) == ([0, 1], [0, 1])
    timed = ("run_id", "seconds", "memory_")
    rows, known = (
        [{k: v for k, v in r.to_json().items() if not k.startswith(timed)} for r in one.windows()]
        for one in (run, whole)
    )
    assert rows == known
    assert run.paths.episodes.read_bytes() == whole.paths.episodes.read_bytes()


def test_a_resume_that_is_stopped_at_once_keeps_the_partial_row(tmp_path):
    config = compose("tag", words=SHORT)
    run = loop(tmp_path, config, iterations=6)
    rows, episodes = run.windows(), run.paths.episodes.read_bytes()
    run = loop(tmp_path, config, iterations=0, resume=run.run_id)
    assert run.windows() == rows and run.paths.episodes.read_bytes() == episodes
    assert run.record.windows_emitted == 2


def test_a_window_smaller_than_an_iteration_is_refused_with_both_numbers():
    with pytest.raises(
        ConfigError, match=r"window_env_steps = 255 is less than one iteration.* 256 env steps"
    ):
        compose("tag", words=[*SMALL, "run.window_env_steps=255"])
    compose("tag", words=[*SMALL, "run.window_env_steps=256"])
    with pytest.raises(ConfigError, match="1024 env steps"):
        compose("tag", words=[*SMALL, "run.window_env_steps=256", "ppo.rollouts_per_iteration=4"])


def test_a_window_as_large_as_an_iteration_has_a_row_and_a_checkpoint_each(tmp_path):
    words = [*SMALL, "run.window_env_steps=256", "run.windows=4"]
    assert files(loop(tmp_path, compose("tag", words=words))) == ([0, 1, 2, 3], [0, 1, 2, 3])


# ---------------------------------------------------------------- whose wins


def test_win_rates_are_those_of_the_learner_and_not_of_its_opponents(tmp_path):
    words = [
        *SHORT,
        "ppo.num_envs=64",
        "run.window_env_steps=8000",
        "run.windows=1",
        "selfplay.latest_fraction=0.5",
    ]
    run = loop(tmp_path, compose("tag", words=words))
    rows, row = read_episodes(run.paths.episodes), run.windows()[0].metrics
    assert len(rows) == run.windows()[0].episodes_completed > 50
    for role in ("seeker", "hider"):
        own = [match for match in rows if match[f"{role}_opponent"]]
        assert 0 < len(own) < len(rows), "in some worlds a scripted player has this role"
        share = sum(match["winner"] == role for match in own) / len(own)
        assert row[f"{role}_win_rate"] == pytest.approx(share)
        for kind in ("current", "scripted"):
            some = [match for match in own if match[f"{role}_opponent"] == kind]
            won = sum(match["winner"] == role for match in some)
            assert row[f"{role}_win_rate_vs_{kind}"] == pytest.approx(won / len(some))
        assert row[f"{role}_win_rate_vs_past"] is None
        reward = [float(match[f"{role}_reward_sum"]) for match in own]
        assert row[f"{role}_return_mean"] == pytest.approx(sum(reward) / len(reward), abs=1e-3)
