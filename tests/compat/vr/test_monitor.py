"""What a training reports while it runs."""

import pytest

from sandlot.compat.vr import monitor
from sandlot.compat.vr.monitor import PerformanceMetrics, TrainingMonitor, available_memory_mb, memory_mb


def test_a_reply_of_the_game_is_in_milliseconds_and_megabytes():
    reply = {
        "engine": {"fps": 88.0, "process_time": 0.002, "physics_process_time": 0.005},
        "memory": {"static_memory_usage": 50 * 2**20},
        "voxel": {"active_chunk_count": 128},
    }
    metrics = PerformanceMetrics.from_reply(reply)
    assert metrics == PerformanceMetrics(88.0, 5.0, 2.0, 50.0, 128)
    assert metrics.ratios == pytest.approx((5 / (1000 / 90), 2 / (1000 / 90), 0.25))


@pytest.mark.parametrize("reply", [{}, {"engine": None, "memory": None, "voxel": None}])
def test_what_a_game_does_not_measure_is_zero(reply):
    assert PerformanceMetrics.from_reply(reply) == PerformanceMetrics(0.0, 0.0, 0.0, 0.0, 0)


def test_memory_is_that_of_this_process_and_of_the_machine():
    assert 10 < memory_mb() < 1e6 and 10 < available_memory_mb() < 1e8


def test_a_line_per_rollout_has_what_is_known(monkeypatch):
    clock = iter([0.0, 10.0, 12.0, 14.0])
    monkeypatch.setattr(monitor.time, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(monitor, "memory_mb", lambda: 1234.4)
    lines = []
    watching = TrainingMonitor(lines.append, 5_000)
    watching.begin(1_000)
    watching.rollout(1_200, "near", None, None)
    watching.rollout(2_000, "near", 3.14, 0.25)
    assert lines == [
        "     1,200 of 5,000 steps, stage near, 100 steps/s, memory 1,234 MB",
        "     2,000 of 5,000 steps, stage near, 250 steps/s, mean reward 3.1, success 25%, memory 1,234 MB",
    ]


def test_details_are_for_those_who_asked():
    lines = []
    for verbose in (False, True):
        watching = TrainingMonitor(lines.append, 10, verbose)
        watching.line("line")
        watching.detail("detail")
    assert lines == ["line", "line", "detail"] and not TrainingMonitor(lines.append, 1).verbose
