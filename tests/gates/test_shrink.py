"""Delta debugging against failures whose smallest cause is known."""

import numpy as np
import pytest

from sandlot.gates.shrink import shrink

NOTHING = np.zeros((1, 2), np.float32)


def episode(length, causes, value=0.7):
    """Small random actions, and the causes among them."""
    actions = np.random.default_rng(0).uniform(-0.3, 0.3, (length, 1, 2)).astype(np.float32)
    for step in causes:
        actions[step, 0, 0] = value
    return actions


def big(actions):
    return int((actions[:, 0, 0] > 0.5).sum())


@pytest.mark.parametrize("causes", [(7,), (3, 90), (10, 11, 12, 150)])
def test_only_the_causes_are_left(causes):
    found = shrink(episode(200, causes), NOTHING, lambda trial: big(trial) >= len(causes))
    assert big(found.actions) == len(found.actions) == len(causes) and found.minimal
    assert found.steps.tolist() == list(causes)
    assert found.actions[:, 0, 1].tolist() == [0.0] * len(causes)  # simplified away


def test_where_the_timing_counts_the_others_become_idle_instead():
    def oracle(trial):
        return len(trial) > 60 and bool(trial[60, 0, 0] > 0.5)

    found = shrink(episode(200, (60,)), NOTHING, oracle)
    assert len(found.actions) == 61 and int((~found.idle).sum()) == 1 and found.steps[60] == 60


def test_what_follows_the_failure_is_cut_with_few_tries():
    tries = []

    def oracle(trial):
        tries.append(len(trial))
        return len(trial) >= 1000 and big(trial[:1000]) == 0

    found = shrink(episode(4000, ()), None, oracle, tries=16)
    assert len(found.actions) <= 1010 and len(tries) == 16 and not found.minimal


def test_choices_without_a_way_to_do_nothing_are_deleted_only():
    actions = np.array([[5], [3], [9], [9], [2], [3]], np.int32)
    found = shrink(actions, None, lambda trial: 3 in trial[:, 0] and 2 in trial[:, 0])
    assert sorted(found.actions[:, 0].tolist()) == [2, 3] and not found.idle.any()


def test_whatever_comes_out_still_fails():
    rng = np.random.default_rng(1)
    for _ in range(20):
        wanted = set(rng.choice(40, 3, replace=False).tolist())
        actions = np.arange(40, dtype=np.int32)[:, None]
        found = shrink(actions, None, lambda trial, wanted=wanted: wanted <= set(trial[:, 0].tolist()))
        assert set(found.actions[:, 0].tolist()) == wanted


def test_the_limit_of_tries_is_kept_and_said():
    calls = []
    found = shrink(episode(300, (5, 250)), NOTHING, lambda t: calls.append(1) or big(t) >= 2, tries=12)
    assert len(calls) == 12 and not found.minimal and big(found.actions) == 2
