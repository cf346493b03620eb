"""Measurements of speed: the same work in every case, rates of what was really played."""

import numpy as np
import pytest

from sandlot.evaluate import speed
from sandlot.evaluate.speed import (
    SEED,
    Case,
    batch_case,
    copy_rate,
    machine,
    measure,
    random_actions,
    ratio,
    record_actions,
    twin_case,
)
from sandlot.worlds import NativeWorld


class Clock:
    """Moves on by so much whenever somebody looks."""

    def __init__(self, step):
        self.now, self.step = 0.0, step

    def __call__(self):
        self.now += self.step
        return self.now


def case(name, decisions=10, ticks=30, calls=None):
    calls = [] if calls is None else calls
    return Case(name, 1, 1, "python", "random", lambda: (decisions, ticks), lambda: calls.append(name))


def test_a_rate_is_what_was_played_over_the_time_of_playing(monkeypatch):
    monkeypatch.setattr(speed.time, "perf_counter", Clock(0.5))  # half a second per call
    calls = []
    one = case("a", calls=calls)
    one.measure(seconds=2.0)
    assert calls == ["a"] * 4, "prepared before each call"
    assert (one.rates, one.tick_rates) == ([20.0], [60.0])
    one.measure(seconds=0.5)
    assert one.rates == [20.0, 20.0] and len(calls) == 5


def test_rounds_go_forth_and_back(monkeypatch):
    monkeypatch.setattr(speed.time, "perf_counter", Clock(1.0))
    calls, reported = [], []
    cases = [case(name, calls=calls) for name in "abc"]
    measure(cases, rounds=3, seconds=1.0, progress=lambda *row: reported.append(row))
    assert "".join(calls) == "abccbaabc"
    assert reported == [(i, 9) for i in range(1, 10)]
    assert all(len(one.rates) == 3 for one in cases)


def test_a_ratio_is_the_median_over_the_rounds():
    fast, slow = case("fast"), case("slow")
    fast.rates, slow.rates = [30.0, 20.0, 90.0], [10.0, 10.0, 10.0]
    found = ratio(fast, slow)
    assert found.value == 3.0 and found.low >= 2.0 and found.high <= 9.0


@pytest.mark.parametrize("game", ["tag", "prospector"])
def test_random_actions_are_legal_and_the_same_twice(game):
    with NativeWorld(game, worlds=3, seed=SEED) as world:
        actions = random_actions(world, 20)
        assert actions.shape == (20, *world.actions.shape) and actions.dtype == world.actions.dtype
        if world.spec.discrete:
            assert actions.min() == 0 and actions.max() < world.spec.action_count
        else:
            assert -1 <= actions.min() < -0.8 and 0.8 < actions.max() <= 1
        assert np.array_equal(actions, record_actions(game, 3, 20, "random"))
        assert np.array_equal(actions, random_actions(world, 20))


def test_the_recording_of_a_bot_is_what_it_would_play():
    recorded = record_actions("prospector", 2, 40, "tour")
    from sandlot.games import bot

    player, state = bot("prospector", "tour"), None
    with NativeWorld("prospector", worlds=2, seed=SEED) as world:
        world.reset(SEED)
        for row in recorded:
            wanted, state = player.act(world.observations, world.masks, state)
            assert np.array_equal(row, wanted)
            if world.step(row):
                player.restart(state, world.terminated | world.truncated)


@pytest.mark.parametrize("path", ["python", "engine"])
def test_a_case_counts_every_decision_and_tick_of_its_recording(path):
    one = batch_case("tag", 3, 1, path, "random", 25)
    one.prepare()
    assert one.run() == (25 * 6, 25 * 6 * 3), "tag decides every third tick"
    assert one.name == f"tag, 3 worlds, 1 threads, {path}, random"
    assert (one.worlds, one.threads, one.path, one.play) == (3, 1, path, "random")


def test_ticks_of_long_actions_are_added_up():
    with NativeWorld("prospector", worlds=2, seed=SEED) as world:
        world.reset(SEED)
        total = 0
        for row in random_actions(world, 30):
            world.step(row)
            total += int(world.ticks.sum())
    one = batch_case("prospector", 2, 1, "python", "random", 30)
    assert one.run() == (60, total) and total > 60


def test_the_twin_plays_one_world_of_every_game():
    tag = twin_case("tag", 5)
    tag.prepare()
    assert tag.run() == (10, 30)
    slow = twin_case("prospector", 10)
    slow.prepare()
    decisions, ticks = slow.run()
    assert decisions == 10 and ticks >= 10
    assert (slow.worlds, slow.threads, slow.path) == (1, 1, "twin")


def test_the_machine_copies_some_bytes_and_has_a_name(monkeypatch):
    assert copy_rate(seconds=0.0, megabytes=1) > 1e6
    monkeypatch.setattr(speed.time, "perf_counter", Clock(0.5))
    assert copy_rate(seconds=0.0, megabytes=1) == 2 << 20
    copied, copy = [], np.copyto
    monkeypatch.setattr(speed.np, "copyto", lambda *arrays: copied.append(copy(*arrays)))
    copy_rate(seconds=0.0, megabytes=1)
    assert len(copied) == 5, "however short the time"
    reported = machine()
    assert reported["cores"] >= 1 and reported["engine"] and reported["processor"] not in ("", None)


@pytest.mark.parametrize("text", [None, "flags: none\n"], ids=["no file", "no name"])
def test_a_machine_that_does_not_name_its_processor_is_unknown(monkeypatch, tmp_path, text):
    file = tmp_path / "cpuinfo"
    if text is not None:
        file.write_text(text)
    monkeypatch.setattr("builtins.open", lambda *_, **__: file.open(encoding="utf-8"))
    assert speed._processor() == "unknown"
