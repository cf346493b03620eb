"""The VR tasks in the real engine: what they observe, do and pay, and that no reward beats success."""

import numpy as np
import pytest

import sandlot
from sandlot.worlds.godot import address

pytestmark = pytest.mark.slow
SCENES = "res://scenes/features/"


def play(project, scene, decide, seeds=(1, 2, 3, 4), config=None, most=700):
    """Episodes of the seeds; decide(world) returns the actions of a step."""
    with sandlot.make(address(project, SCENES + scene), len(seeds), config=config) as world:
        world.reset(seeds=list(seeds))
        found = []
        for _ in range(most):
            if world.step(decide(world)):
                ended = world.finished()
                found += [ended[i] for i in range(len(ended)) if ended.heads["episode"][i] == 0]
            if len(found) == len(seeds):
                return world.spec, found
    raise AssertionError(f"{len(found)} of {len(seeds)} episodes ended")


def still(world):
    return np.zeros_like(world.actions)


def sums(spec, episode):
    return dict(zip((term["name"] for term in spec.reward_terms), map(float, episode["terms"]), strict=True))


def restless(seed):
    draw = np.random.default_rng(seed)
    return lambda world: draw.uniform(-1, 1, world.actions.shape).astype(np.float32)


def test_locomotion_sees_twelve_numbers_and_does_four_things(engine, project):
    with sandlot.make(address(project, SCENES + "vr_locomotion_test.tscn"), 2) as world:
        spec = world.spec
        assert sum(field.size for field in spec.observation) == 12
        assert [action.name for action in spec.actions] == ["move_x", "move_z", "rotate", "teleport"]
        assert (spec.tick_rate, spec.document.ticks_per_step) == (90, 9)
        world.reset(seed=5)
        seen = world.observations[0].copy()
        assert np.hypot(seen[0], seen[1]) == pytest.approx(1, abs=1e-5)
        assert seen[3:5].tolist() == [0, 1] and (seen[5:7] == 0).all(), "at the origin, at rest, with no turn"
        turn = np.zeros_like(world.actions)
        turn[:, 2], turn[:, 3] = 0.6, -1.0
        world.step(turn)
        assert np.arctan2(*world.observations[0, 3:5]) == pytest.approx(-np.pi / 6, abs=1e-5)
        teleport = np.zeros_like(world.actions)
        teleport[:, 3] = 1.0
        before = world.observations[0].copy()
        world.step(teleport)
        off = 20 * (world.observations[0, 2] * world.observations[0, :2] - before[2] * before[:2])
        assert np.hypot(*off) == pytest.approx(3.0, abs=0.02), "three metres, turned by 30 degrees"


def test_waiting_beside_a_waypoint_pays_as_the_guide_writes_it_and_nothing_as_we_do(engine, project):
    written, farmed = play(project, "vr_locomotion_test.tscn", still, (7,), {"shaping": "as_written"})
    terms = sums(written, farmed[0])
    assert farmed[0]["ticks"] == 5400 and farmed[0]["truncated"]
    assert terms["survival"] == pytest.approx(54.0, abs=0.05) and terms["survival"] > 10
    assert terms["nearness"] > 30 and terms["timeout"] == -5
    ours, waited = play(project, "vr_locomotion_test.tscn", still, (7,))
    assert {name: value for name, value in sums(ours, waited[0]).items() if value} == {"timeout": -5.0}


@pytest.mark.parametrize(
    ("scene", "best"), [("vr_locomotion_test.tscn", 10.0), ("vr_locomotion_course.tscn", 3.0)]
)
def test_no_term_of_locomotion_beats_arriving(scene, best, engine, project):
    per_metre, flags = (0.5, 1) if best == 10.0 else (0.1, 3)
    come_nearer = per_metre * flags * 28.3  # metres at most, from corner to corner for each flag
    bounds = {
        "waypoint": (0, best), "progress": (-15, come_nearer), "ray_ahead": (-3, 0), "turning": (-2.001, 0),
        "timeout": (-5, 0), "vignette": (-2, 0), "collision": (-3, 0), "survival": (0, 0), "nearness": (0, 0),
        "slow_frame": (-5, 0), "chunks": (-2, 0),
    }  # fmt: skip
    spec, random = play(project, scene, restless(3), range(1, 9))
    for episode in random:
        for name, value in sums(spec, episode).items():
            low, high = bounds[name]
            assert low - 1e-4 <= value <= high + 1e-4, (name, value)
        if not episode["success"]:
            assert episode["return"] < best or episode["waypoints"] >= best / 10


def test_the_scripted_walker_arrives_and_a_random_one_does_not(engine, project):
    _, scripted = play(project, "vr_locomotion_test.tscn", still, range(1, 17), {"autopilot": True})
    assert np.mean([episode["success"] for episode in scripted]) >= 0.7
    assert all(episode["time_s"] < 60 and episode["snap_turns"] >= 0 for episode in scripted)
    _, three = play(project, "vr_locomotion_course.tscn", still, range(1, 9), {"autopilot": True})
    assert np.mean([episode["waypoints"] for episode in three]) >= 2.5
