"""Growth of memory, handles and threads: found where it is planted, and not where there is none."""

import sys

import numpy as np
import pytest

from sandlot.errors import ConfigError, GameFailed
from sandlot.gates.soak import Limits, Sample, judge_soak, slope, watch

LEAKS = """
import threading, time
held, stop = [], threading.Event()
while True:
    held.append(bytearray(200_000)); held.append(open(__file__))
    threading.Thread(target=stop.wait, daemon=True).start()
    time.sleep(0.05)
"""


def samples(memory, handles=20.0, threads=4.0, count=240, seconds=600.0):
    at = np.linspace(0, seconds, count)
    columns = [np.broadcast_to(np.asarray(values, float), count) for values in (memory, handles, threads)]
    return [Sample(*map(float, row)) for row in zip(at, *columns, strict=True)]


def results(given, **limits):
    return {check.name: check.result for check in judge_soak(given, Limits(**limits)).checks}


def test_what_stays_as_it_is_passes():
    assert set(results(samples(100.0)).values()) == {"pass"}


def test_the_start_is_left_out():
    grown = np.concatenate([np.linspace(50, 400, 80), np.full(160, 400.0)])
    assert results(samples(grown))["memory_mb"] == "pass"


def test_noise_and_spikes_are_no_leak():
    rng = np.random.default_rng(0)
    noisy = 200 + rng.normal(0, 0.5, 240) + 80 * (rng.random(240) < 0.03)
    assert results(samples(noisy))["memory_mb"] == "pass"


@pytest.mark.parametrize("what", ["memory", "handles", "threads"])
def test_slow_growth_is_found_under_noise(what):
    rng = np.random.default_rng(1)
    grown = 100 + np.linspace(0, 50, 240) + rng.normal(0, 0.5, 240)  # 300 an hour
    given = samples(**({"memory": 100.0} | {what: grown}))
    verdict = judge_soak(given, Limits())
    assert [check.name for check in verdict.checks if check.result == "fail"] == [
        {"memory": "memory_mb"}.get(what, what)
    ]
    found = next(check for check in verdict.checks if check.result == "fail").current
    assert found.low < 300 < found.high and found.high - found.low < 20


def test_too_short_a_soak_is_undecided_and_says_how_long_it_takes():
    rng = np.random.default_rng(2)
    verdict = judge_soak(samples(100 + rng.normal(0, 3, 240), seconds=20.0), Limits())
    assert verdict.result == "undecided" and "minutes would decide" in verdict.checks[0].sentence


def test_the_interval_of_a_slope_holds_the_truth():
    rng, inside = np.random.default_rng(3), 0
    for _ in range(400):
        seconds = np.linspace(0, 3600, 240)
        found = slope(seconds, 5 * seconds / 3600 + rng.normal(0, 1, 240))
        inside += found.low <= 5 <= found.high
    assert inside >= 388  # 99 %, less three standard errors


def test_few_samples_could_not_be_judged():
    with pytest.raises(ConfigError, match="Soak longer"):
        judge_soak(samples(1.0, count=40), Limits())


def test_a_planted_leak_is_found_in_a_real_program(tmp_path):
    (tmp_path / "leaks.py").write_text(LEAKS)
    found = watch([sys.executable, str(tmp_path / "leaks.py")], minutes=0.1)
    assert set(results(found).values()) == {"fail"}


def test_a_program_that_breaks_is_no_pass():
    with pytest.raises(GameFailed, match="no such game"):
        watch([sys.executable, "-c", "raise SystemExit('no such game')"], minutes=0.1)
