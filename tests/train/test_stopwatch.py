"""Where the time goes: seconds by name, as shares of a lap."""

import pytest

from sandlot.train import stopwatch
from sandlot.train.stopwatch import ADVICE, Stopwatch, bottleneck


@pytest.fixture
def clock(monkeypatch):
    """clock(seconds): so much time passes."""
    now = [100.0]
    monkeypatch.setattr(stopwatch.time, "perf_counter", lambda: now[0])

    def passes(seconds):
        now[0] += seconds

    return passes


def test_shares_are_of_the_lap_and_begin_anew_with_the_next(clock):
    watch = Stopwatch()
    with watch.time("world"):
        clock(3.0)
    with pytest.raises(ValueError), watch.time("world"):  # also where it failed
        clock(1.0)
        raise ValueError
    clock(6.0)
    seconds, shares = watch.lap()
    assert seconds == 10.0 and shares == {**dict.fromkeys(ADVICE, 0.0), "world": 0.4}
    clock(2.0)
    assert watch.lap() == (2.0, dict.fromkeys(ADVICE, 0.0))


def test_a_lap_of_no_time_divides_by_nothing(clock):
    assert Stopwatch().lap() == (0.0, dict.fromkeys(ADVICE, 0.0))


def test_the_largest_share_is_named_with_what_to_do():
    shares = {**dict.fromkeys(ADVICE, 0.1), "learner": 0.52}
    assert bottleneck(shares).startswith("52 % learner: learning takes most of the time")
