"""What a measurement in Godot says about its numbers, from rates that were measured elsewhere."""

import itertools

import godot_bridge
import numpy as np
import pytest
import stock_client as stock
from godot_bridge import Case

from sandlot.errors import ConfigError, GodotFailed


def case(path, worlds, *rates):
    made = Case(path, worlds, lambda: 1.0)
    made.rates = list(rates)
    return made


CASES = [
    case("ceiling", 4, 1000.0, 1000.0, 1000.0), case("bridge", 4, 500.0, 500.0, 500.0),
    case("json", 4, 100.0, 100.0, 100.0), case("stock", 4, 50.0, 50.0, 50.0),
    case("usual", 8, 25.0, 25.0, 25.0),
]  # fmt: skip


def test_rates_are_compared_round_by_round():
    report = godot_bridge._report(CASES, [4])
    (row,) = report["cases"]
    assert row["bridge"]["decisions_per_second"] == 500 and row["bridge_share"]["value"] == 0.5
    assert row["json_share"]["value"] == 0.1 and row["bridge_times_stock"]["value"] == 10
    assert row["json_times_stock"]["value"] == 2 and "usual" not in row
    assert report["usual"] == [
        {"worlds": 8, "decisions_per_second": 25, "interval": [25, 25],
         "bridge_times": {"value": 20, "interval": [20, 20]}}
    ]  # fmt: skip


def test_without_the_stock_client_nothing_is_compared_with_it():
    (row,) = godot_bridge._report(CASES[:3], [4])["cases"]
    assert "stock" not in row and "bridge_times_stock" not in row


@pytest.mark.parametrize(
    ("high", "wide"), [(godot_bridge.WIDE, []), (godot_bridge.WIDE + 0.1, ["4 arenas, bridge"])]
)
def test_an_interval_so_wide_that_it_says_little_is_named(high, wide):
    row = {"worlds": 4, "bridge": {"interval": [1.0, high]}, "json": {"interval": [5.0, 5.0]}}
    assert godot_bridge._wide({"cases": [row], "usual": []}) == wide


def test_every_case_is_measured_once_a_round_forth_and_back(monkeypatch):
    order = []
    clock = itertools.count(1)

    def cases(game, worlds, seconds, client):
        def measured(name):
            return Case(name, worlds, lambda: order.append((name, worlds)) or float(next(clock)))

        return [measured(name) for name in ("ceiling", "bridge", "json")]

    monkeypatch.setattr(godot_bridge, "_cases", cases)
    report = godot_bridge._measured("tag", [1], 2, 0.1, None, "not there")
    names = [name for name, _ in order]
    assert names == ["ceiling", "bridge", "json", "json", "bridge", "ceiling"]
    assert report["rounds"] == 2 and report["stock"] == {
        "version": None,
        "plugin": False,
        "problem": "not there",
    }
    assert (
        report["cases"][0]["bridge"]["decisions_per_second"] == np.median([2, 5]) and report["game"] == "tag"
    )


def test_a_client_that_nobody_asked_for_may_be_missing(monkeypatch, tmp_path):
    monkeypatch.setattr(stock, "ENVIRONMENT", tmp_path / "nothing")
    client, why = godot_bridge._stock_client("tag", None)
    assert client is None and "make stock" in why
    assert "has no scene" in godot_bridge._stock_client("prospector", None)[1]
    with pytest.raises(ConfigError):
        godot_bridge._stock_client("tag", tmp_path / "no-python")


# ---------------------------------------------------------------- one measurement


class World:
    """Two rows; each step takes a tenth of a second on the clock of the test."""

    rows, actions = 2, np.zeros((2, 3), np.float32)

    def __init__(self, clock):
        self.clock, self.seen, self.resets, self.closed = clock, [], 0, False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.closed = True

    def reset(self):
        self.resets += 1

    def step(self, actions):
        self.seen.append(actions)
        self.clock[0] += 0.125


def test_the_bridge_is_measured_after_a_warm_up_of_half_the_time(monkeypatch):
    clock, made = [0.0], []

    def make(game, worlds, **options):
        made.append((game, worlds, options, World(clock)))
        return made[0][3]

    monkeypatch.setattr(godot_bridge, "make", make)
    monkeypatch.setattr(godot_bridge.time, "perf_counter", lambda: clock[0])
    assert godot_bridge._bridge("tag", 4, 4.0, "json") == 16.0, "two decisions in an eighth of a second"
    ((game, worlds, options, world),) = made
    assert (game, worlds) == ("tag", 4) and options == {"seed": 7, "engine": "godot", "encoding": "json"}
    assert len(world.seen) == 16 + 32 and world.resets == 1 and world.closed
    first, *rest = world.seen[:16]
    assert not any(np.array_equal(first, other) for other in rest), "sixteen sets of actions"
    assert np.array_equal(world.seen[0], world.seen[16]) and first.dtype == np.float32
    assert -1 <= min(a.min() for a in world.seen) < -0.5 and 0.5 < max(a.max() for a in world.seen) <= 1


class Scene:
    """A process that ended so."""

    def __init__(self, code, output):
        self.code, self.output, self.limits = code, output, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def wait(self, limit_s):
        self.limits.append(limit_s)
        return self


def ceiling(monkeypatch, code, output):
    scene, words = Scene(code, output), []
    monkeypatch.setattr(godot_bridge, "GodotProcess", lambda given, project: words.extend(given) or scene)
    return godot_bridge._ceiling("tag", 8, 2.0), words, scene


def test_the_bare_scene_reports_its_own_measurement(monkeypatch):
    line = 'CEILING {"decisions": 300, "seconds": 2}'
    rate, words, scene = ceiling(monkeypatch, 0, f'noise\nCEILING {{"decisions": 1, "seconds": 1}}\n{line}\n')
    assert rate == 150.0 and scene.limits == [godot_bridge.CEILING_S + 4.0] and godot_bridge.CEILING_S == 120
    assert words[:2] == ["--fixed-fps", "60"] and words[-2:] == ["--worlds=8", "--seconds=2.0"]


@pytest.mark.parametrize(
    ("code", "output"), [(1, 'CEILING {"decisions": 1, "seconds": 1}'), (0, "a\nb\nc\nd")]
)
def test_a_scene_that_measures_nothing_is_quoted(monkeypatch, code, output):
    with pytest.raises(GodotFailed, match=f"exit code {code} and could not be measured: ") as problem:
        ceiling(monkeypatch, code, output)
    assert code or str(problem.value).endswith("b / c / d")


def test_the_stock_client_is_measured_at_the_pace_of_the_game_and_at_its_own():
    paces = []

    class Client:
        def rate(self, worlds, pace, seconds):
            paces.append((worlds, pace, seconds))
            return 1.0

    names = [case.path for case in godot_bridge._cases("tag", 4, 0.5, None)]
    assert names == ["ceiling", "bridge", "json"]
    *_, stock_case = godot_bridge._cases("tag", 4, 0.5, Client())
    usual = godot_bridge._usual(Client(), 8, 0.5)
    assert (stock_case.path, stock_case.measure(), usual.path, usual.measure()) == (
        "stock",
        1.0,
        "usual",
        1.0,
    )
    assert paces == [
        (4, stock.Pace(3, frames_per_second=60), 0.5),
        (8, stock.Pace(ticks=8, speedup=8), 0.5),
    ]
