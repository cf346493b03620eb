import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandlot.errors import ArrayError, ConfigError
from sandlot.runs import Finished, WindowAggregator, rates_of
from sandlot.runs.windows import Rate

RATES = rates_of("ending", ("none", "destroyed", "stranded", "cash_out", "time"))
RATES["survival_rate"] = Rate("survival", 1.0)


def aggregator(size=10, worlds=1, metrics=("net_profit",), rates=RATES):
    return WindowAggregator("run", size, worlds, metrics, rates, aliases={"net_profit": "profit"})


def column(values, dtype=np.float32):
    return np.array(values, dtype).reshape(-1, 1)


def finished(*episodes, **columns):
    """Episodes given as (step, world); all terminated unless told."""
    step, world = np.array(episodes).T if episodes else (np.zeros(0, int),) * 2
    terminated = np.array(columns.pop("terminated", [True] * len(step)), bool)
    filled = {
        "net_profit": np.zeros(len(step)),
        "survival": np.ones(len(step)),
        "ending": np.full(len(step), 4.0),
    }
    return Finished(
        step, world, terminated, ~terminated, filled | {k: np.array(v) for k, v in columns.items()}
    )


# ---------------------------------------------------------------- the arithmetic, by hand


def test_a_window_counts_steps_however_many_ticks_they_last():
    windows = aggregator(3)
    rows = [row for ticks in (3, 40, 5, 1) for row in windows.record(np.array([[ticks]]), column([0.0]))]
    assert [(r.window_id, r.env_steps_start, r.env_steps_end, r.env_steps_in_window) for r in rows] == [
        (0, 0, 3, 3)
    ]
    assert (rows[0].ticks_in_window, rows[0].ticks_total) == (48, 48)
    left = windows.partial()
    assert (left.window_id, left.env_steps_in_window, left.window_complete) == (1, 1, False)
    assert (left.ticks_in_window, left.ticks_total) == (1, 49)


def test_an_episode_belongs_to_the_window_of_its_last_step():
    windows = aggregator(1)
    rows = windows.record(column([9, 3], int), column([1.0, 3.0]), finished=finished((1, 0)))
    assert rows[0].episodes_completed == 0 and rows[0].return_mean == 0.0 and rows[0].return_median is None
    assert rows[1].episodes_completed == 1 and rows[1].return_mean == 4.0


def test_the_window_of_a_step_to_come_is_the_one_that_will_count_it():
    windows = aggregator(5, worlds=2)
    windows.record(np.ones((2, 2), int), np.zeros((2, 2)))
    step, world = np.array([0, 0, 1, 3]), np.array([0, 1, 0, 0])
    assert windows.window_of(step, world).tolist() == [0, 1, 1, 2]


def test_what_an_abandoned_episode_gathered_is_in_no_return():
    windows = aggregator(100, worlds=2)
    windows.record(np.ones((1, 2), int), np.array([[5.0, 5.0]], np.float32))
    windows.abandon(np.array([0]))
    windows.record(
        np.ones((1, 2), int), np.array([[1.0, 1.0]], np.float32), finished=finished((0, 0), (0, 1))
    )
    result = windows.partial()
    assert result.episodes_completed == 2 and result.return_mean == (1.0 + 6.0) / 2


def test_an_episode_that_ends_on_the_last_step_of_a_window_is_in_it():
    row = aggregator(2).record(column([7, 3], int), column([0, 0]), finished=finished((1, 0)))[0]
    assert row.episodes_completed == 1


def test_rewards_and_invalid_actions_are_reported_per_step():
    windows = aggregator(2)
    rows = windows.record(column([8, 5, 1], int), column([8.0, 10.0, 3.0]), column([False, True, True], bool))
    assert (rows[0].reward_sum, rows[0].reward_mean, rows[0].invalid_action_rate) == (18.0, 9.0, 0.5)
    left = windows.partial()
    assert (left.reward_sum, left.invalid_action_rate) == (3.0, 1.0)


def test_each_world_has_its_own_return():
    windows = aggregator(8, worlds=2)
    rewards = np.array([[1, 10], [2, 20], [3, 30], [4, 40]], np.float32)
    row = windows.record(np.ones((4, 2), int), rewards, finished=finished((1, 0), (3, 1), (3, 0)))[0]
    assert row.episodes_completed == 3
    assert row.return_mean == (3 + 7 + 100) / 3 and row.return_median == 7


def test_time_runs_step_by_step_and_then_world_by_world():
    windows = aggregator(3, worlds=2)
    rows = windows.record(np.ones((3, 2), int), np.array([[1, 2], [4, 8], [16, 32]], np.float32))
    assert [r.reward_sum for r in rows] == [1 + 2 + 4, 8 + 16 + 32]


def test_outcomes_come_from_finished_episodes():
    result = finished(
        (0, 0), (1, 0), (4, 0),
        net_profit=[100, 300, 800], survival=[1, 0, 1], ending=[3, 1, 4], terminated=[True, True, False],
    )  # fmt: skip
    row = aggregator(5).record(column([2] * 5, int), column([0] * 5), finished=result)[0]
    assert row.metrics["net_profit_mean"] == row.metrics["profit_mean"] == 400
    assert row.metrics["net_profit_median"] == row.metrics["profit_median"] == 300
    assert row.metrics["survival_rate"] == pytest.approx(2 / 3)
    assert row.metrics["destroyed_rate"] == row.metrics["cash_out_rate"] == pytest.approx(1 / 3)
    assert row.metrics["stranded_rate"] == 0.0 and "none_rate" not in row.metrics
    assert (row.terminated_episodes, row.truncated_episodes) == (2, 1)


def test_a_window_without_an_episode_has_no_outcomes():
    metrics = aggregator(1).record(column([10], int), column([1]))[0].metrics
    assert set(metrics.values()) == {None} and {"profit_mean", "survival_rate", "stranded_rate"} <= set(
        metrics
    )


def test_a_metric_that_is_not_counted_has_no_alias():
    row = aggregator(1, metrics=("tags",), rates={}).record(column([10], int), column([1]))[0]
    assert set(row.metrics) == {"tags_mean", "tags_median"}


def test_a_partial_window_is_reported_only_on_request_and_changes_nothing():
    windows = aggregator(2)
    assert windows.partial() is None
    assert windows.record(column([4], int), column([1.0])) == []
    assert windows.partial() == windows.partial()
    assert windows.record(column([6], int), column([1.0]))[0].reward_sum == 2.0
    assert windows.partial() is None


# ---------------------------------------------------------------- several roles


def match(step, world, winner, *, seeker=0.0, hider=0.0):
    """Finished matches: who won (1 seeker, 2 hider), and whom each role's learner met (-1: nobody)."""
    ended = np.ones(len(step), bool)
    columns = {"winner": winner, "seeker_opponent": seeker, "hider_opponent": hider}
    arrays = {name: np.broadcast_to(np.array(values, float), len(step)) for name, values in columns.items()}
    return Finished(np.array(step), np.array(world), ended, ~ended, arrays)


def two_roles(learners, **rates):
    return WindowAggregator("run", 4, 2, (), rates, ("seeker", "hider"), np.array(learners))


def test_a_game_of_several_roles_tells_the_return_of_each_learner_and_no_sum():
    windows = two_roles([[True, True], [False, True]])  # in world 1 somebody else plays the seeker
    rewards = np.array([[[1, -1], [5, -5]], [[2, -2], [6, -6]]], np.float32)
    row = windows.record(np.ones((2, 2), int), rewards, finished=match([1, 1], [0, 1], [1, 1]))[0]
    assert row.metrics["seeker_return_mean"] == 3.0, "of the learner's own match"
    assert row.metrics["hider_return_mean"] == (-3.0 - 11.0) / 2
    assert row.metrics["hider_return_median"] == -7.0 and row.episodes_completed == 2
    assert (row.return_mean, row.return_median) == (3.0, 3.0), "of the first role that learns"
    assert (row.reward_sum, row.reward_mean) == (3.0, 1.5), "two steps of one world"


def test_the_plain_columns_are_those_of_the_role_that_learns():
    windows = two_roles([[False, True], [False, True]])
    rewards = np.array([[[1, -1], [5, -5]], [[2, -2], [6, -6]]], np.float32)
    row = windows.record(np.ones((2, 2), int), rewards, finished=match([1, 1], [0, 1], [1, 1]))[0]
    assert row.return_mean == row.metrics["hider_return_mean"] == -7.0 and row.reward_mean == -14 / 4
    assert row.metrics["seeker_return_mean"] is None


def test_a_rate_is_taken_among_the_episodes_it_is_asked_of():
    rates = {
        "all": ("winner", 1.0),
        "own": Rate("winner", 1.0, "seeker_opponent", (0.0, 1.0, 2.0)),
        "scripted": Rate("winner", 1.0, "seeker_opponent", (2.0,)),
        "past": Rate("winner", 1.0, "seeker_opponent", (1.0,)),
    }
    result = match([0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 2], seeker=[-1.0, 2.0, -1.0, 2.0])
    row = two_roles(np.ones((2, 2)), **rates).record(np.ones((2, 2), int), np.zeros((2, 2, 2)), None, result)[
        0
    ]
    assert row.metrics["all"] == 0.75 and row.metrics["own"] == row.metrics["scripted"] == 0.5
    assert row.metrics["past"] is None


def test_an_aggregator_of_several_roles_is_restored_to_the_bit():
    windows = two_roles([[True, True], [False, True]], own=Rate("winner", 1.0, "seeker_opponent", (2.0,)))
    windows.record(np.ones((1, 2), int), np.full((1, 2, 2), 0.1), None, match([0], [1], [1], seeker=2.0))
    again = WindowAggregator.from_dict(json.loads(json.dumps(windows.to_dict())))
    assert again.to_dict() == windows.to_dict()
    rest = (np.ones((1, 2), int), np.full((1, 2, 2), 0.7), None, match([0], [0], [2], seeker=2.0))
    assert again.record(*rest) == windows.record(*rest)


# ---------------------------------------------------------------- however the steps are handed over


@st.composite
def play(draw):
    """A window's size, some steps of some worlds, and where to cut the batch.

    The sum of the rewards depends on the order of adding, as sums of floats do.
    """
    worlds, steps = draw(st.integers(1, 4)), draw(st.integers(1, 25))
    shape = (steps, worlds)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rewards = (rng.normal(size=shape) * 10.0 ** rng.integers(-6, 6, shape)).astype(np.float32)
    ticks, invalid, ended = rng.integers(1, 9, shape), rng.random(shape) < 0.3, rng.random(shape) < 0.2
    cuts = sorted(draw(st.sets(st.integers(1, max(1, steps - 1)), max_size=5)))
    return draw(st.integers(1, 30)), ticks, rewards, invalid, ended, cuts


def rows_of(windows, ticks, rewards, invalid, ended, cuts, through_json=False):
    profit = np.abs(rewards) * 3
    rows = []
    for low, high in zip([0, *cuts], [*cuts, len(ticks)], strict=True):
        step, world = np.nonzero(ended[low:high])
        order = np.random.default_rng(1).permutation(len(step))  # any order will do
        step, world = step[order], world[order]
        at = (low + step, world)
        won = rewards[at] > 0
        columns = {"net_profit": profit[at], "survival": won, "ending": ticks[at] % 5}
        result = Finished(step, world, won, ~won, columns)
        rows += windows.record(ticks[low:high], rewards[low:high], invalid[low:high], result)
        if through_json:
            windows = WindowAggregator.from_dict(json.loads(json.dumps(windows.to_dict())))
    return [row.to_json() for row in rows], windows.to_dict()


@settings(max_examples=150, deadline=None)
@given(play())
def test_a_batch_gives_the_same_bits_as_its_steps_one_by_one(played):
    size, ticks, *rest, cuts = played
    whole = rows_of(aggregator(size, ticks.shape[1]), ticks, *rest, [])
    assert rows_of(aggregator(size, ticks.shape[1]), ticks, *rest, cuts) == whole
    singles = list(range(1, len(ticks)))
    assert rows_of(aggregator(size, ticks.shape[1]), ticks, *rest, singles) == whole


@settings(max_examples=75, deadline=None)
@given(play())
def test_an_aggregator_saved_and_restored_between_steps_goes_on_to_the_bit(played):
    size, ticks, *rest, cuts = played
    whole = rows_of(aggregator(size, ticks.shape[1]), ticks, *rest, [])
    assert rows_of(aggregator(size, ticks.shape[1]), ticks, *rest, cuts, through_json=True) == whole


@settings(max_examples=75, deadline=None)
@given(play())
def test_nothing_is_lost_between_windows(played):
    size, ticks, rewards, invalid, ended, _ = played
    windows = aggregator(size, ticks.shape[1])
    rows, _ = rows_of(windows, ticks, rewards, invalid, ended, [])
    left = windows.partial()
    rows += [left.to_json()] if left else []
    assert [r["env_steps_in_window"] for r in rows[: ticks.size // size]] == [size] * (ticks.size // size)
    assert sum(r["env_steps_in_window"] for r in rows) == ticks.size
    assert sum(r["ticks_in_window"] for r in rows) == rows[-1]["ticks_total"] == ticks.sum()
    assert sum(r["episodes_completed"] for r in rows) == ended.sum()
    invalid_steps = sum(r["invalid_action_rate"] * r["env_steps_in_window"] for r in rows)
    assert invalid_steps == pytest.approx(invalid.sum())
    assert sum(r["reward_sum"] for r in rows) == pytest.approx(
        rewards.astype(float).sum(), abs=1e-6 * float(np.abs(rewards).sum())
    )


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("ticks", "rewards", "words"),
    [
        (np.ones((2, 3), int), np.zeros((2, 3)), r"expected whole numbers \[steps, 1\]"),
        (np.ones((2, 1)), np.zeros((2, 1)), "expected whole numbers"),
        (np.ones((2, 1), int), np.zeros((3, 1)), "shaped as ticks"),
        (np.zeros((2, 1), int), np.zeros((2, 1)), "at least one tick"),
        (np.ones((2, 1), int), np.full((2, 1), np.nan), "not finite"),
    ],
)
def test_arrays_that_cannot_be_right_are_refused(ticks, rewards, words):
    with pytest.raises(ArrayError, match=words):
        aggregator().record(ticks, rewards)


@pytest.mark.parametrize("episodes", [[(2, 0)], [(0, 1)], [(-1, 0)], [(0, 0), (0, 0)]])
def test_episodes_that_cannot_have_ended_here_are_refused_and_nothing_is_counted(episodes):
    windows = aggregator()
    with pytest.raises(ArrayError):
        windows.record(np.ones((2, 1), int), np.ones((2, 1)), finished=finished(*episodes))
    assert windows.to_dict() == aggregator().to_dict()


def test_a_missing_column_and_an_empty_window_are_named():
    with pytest.raises(ConfigError, match="lack the column 'net_profit'"):
        bare = Finished(
            np.array([0]), np.array([0]), np.array([True]), np.array([False]), {"return": np.array([1.0])}
        )
        aggregator().record(np.ones((1, 1), int), np.ones((1, 1)), finished=bare)
    with pytest.raises(ConfigError, match="window_env_steps = 0"):
        aggregator(0)
