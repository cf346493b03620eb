"""Nothing ever enters a wall, a box or the floor."""

import numpy as np
import pytest
from tag_play import DIAGONALS, EAST, NORTH, QUIET, SOUTH, WEST, Play, matches_where, out_of_the_way

import sandlot

HALF = 0.5  # of a body
SKIN = 0.001


def push(play, way, seconds, jump=False):
    """The furthest that any corner of agent 0 got from the centre, in metres."""
    furthest = 0.0
    for _ in range(int(seconds * 60)):
        play.go({0: way}, jump=(0,) if jump else ())
        furthest = max(furthest, np.abs(play.position[0][[0, 2]]).max() + HALF)
    return furthest


@pytest.mark.parametrize("arena_half", [4.0, 10.0, 14.8])
@pytest.mark.parametrize("way", [EAST, WEST, SOUTH, NORTH])
def test_a_body_at_full_speed_stops_a_skin_before_the_wall(way, arena_half):
    play = next(matches_where(out_of_the_way, arena_half=arena_half, spawn_separation=2.0, **QUIET))
    furthest = push(play, way, seconds=5)
    assert arena_half - 2 * SKIN <= furthest < arena_half
    along = 0 if way[0] else 2
    assert play.velocity[0][along] == 0


@pytest.mark.parametrize("jump", [False, True])
@pytest.mark.parametrize("way", DIAGONALS)
def test_a_diagonal_push_ends_in_the_corner_and_never_beyond(way, jump):
    play = next(matches_where(out_of_the_way, **QUIET))
    assert push(play, way, seconds=5, jump=jump) < 10.0
    assert np.all(np.abs(play.position[0][[0, 2]]) > 10.0 - HALF - 2 * SKIN)


@pytest.mark.parametrize("way", [EAST, WEST, SOUTH, NORTH])
def test_a_jump_does_not_lead_over_a_wall(way):
    """Not even one of 32 metres."""
    play = next(matches_where(out_of_the_way, jump_speed=8.0, gravity=1.0, **QUIET))
    assert push(play, way, seconds=20, jump=True) < 10.0


# ---- random and adversarial play, every tick looked at -----------------------------------------------------


def action_stream(kind, rows, size, rng):
    """Endless actions [rows, size]: new every tick, or held for a while at the ends of their range."""
    held = rng.uniform(-1, 1, (rows, size))
    while True:
        if kind == "random":
            held = rng.uniform(-1, 1, (rows, size))
        else:
            changed = rng.random(rows) < 0.03
            held[changed] = rng.choice([-1.0, 0.0, 1.0], (int(changed.sum()), size))
        yield held.astype(np.float32)


def boxes_of(batch):
    """float64 [worlds, 12, 6]; unused ones are zero."""
    return np.array([batch.render(world)["boxes"] for world in range(batch.worlds)], np.float64)


def places_of(batch):
    """float64 [worlds, agents, xyz] in metres, from the observations, true to 0.01 mm."""
    place = batch.observations[:, :3].astype(np.float64)
    scale = [batch.spec.config["arena_half"], 4.0, batch.spec.config["arena_half"]]
    return (place * scale).reshape(batch.worlds, batch.spec.agents, 3)


def deepest(places, boxes, edge):
    """How deep any body is inside any box, in metres; negative when all are outside."""
    centre = places[:, :, None, :] + np.array([0.0, edge / 2, 0.0])
    middle, size = (boxes[..., :3] + boxes[..., 3:]) / 2, boxes[..., 3:] - boxes[..., :3]
    overlap = (size / 2 + edge / 2)[:, None] - np.abs(centre - middle[:, None])
    inside = overlap.min(axis=-1)
    return float(inside[np.broadcast_to(size[:, None, :, 1] > 0, inside.shape)].max(initial=-1.0))


STRESS = {
    "two": {},
    "crowd of eight": {"seekers": 3, "hiders": 5, "spawn_separation": 3.0},
    "small and full": {"arena_half": 5.0, "obstacles": 12, "body_edge": 0.5, "spawn_separation": 3.0},
    "fast and coarse": {
        "tick_rate": 30,
        "top_speed": 12.0,
        "seeker_speed": 1.5,
        "acceleration": 100.0,
        "jump_speed": 8.0,
    },
}


@pytest.mark.parametrize("kind", ["random", "adversarial"])
@pytest.mark.parametrize("settings", STRESS.values(), ids=STRESS)
def test_no_corner_is_ever_inside_anything(settings, kind):
    """Two hundred thousand actions a case, each one tick long."""
    config = {"mode": "switch", "time_limit": 120, "allow_farming": True, "ticks_per_step": 1, **settings}
    batch = sandlot.make("tag", worlds=64, seed=11, config=config)
    batch.reset()
    boxes, edge, arena = boxes_of(batch), batch.spec.config["body_edge"], batch.spec.config["arena_half"]
    actions = action_stream(kind, batch.rows, batch.spec.action_size, np.random.default_rng(3))
    furthest, lowest, depth = 0.0, 0.0, -1.0
    for _ in range(200_000 // batch.rows):
        batch.step(next(actions))
        places = places_of(batch)
        furthest = max(furthest, np.abs(places[..., [0, 2]]).max() + edge / 2)
        lowest = min(lowest, places[..., 1].min())
        depth = max(depth, deepest(places, boxes, edge))
    assert furthest < arena
    assert lowest == 0.0
    assert depth <= 1e-5  # feet rest exactly on a top; the observation rounds to this
    assert furthest > arena - 2 * SKIN, "nobody ever reached a wall: the test proves nothing"


def test_somebody_does_stand_on_boxes_in_that_stress():
    batch = sandlot.make(
        "tag",
        worlds=64,
        seed=11,
        config={"mode": "switch", "time_limit": 120, "allow_farming": True, "low_share": 1.0},
    )
    batch.reset()
    actions = action_stream("adversarial", batch.rows, 3, np.random.default_rng(3))
    standing_high = 0
    for _ in range(400):
        batch.step(next(actions))
        own = batch.observations[:, batch.spec.field("self")]
        standing_high += int(((own[:, 1] > 0.1) & (own[:, 6] == 1)).sum())
    assert standing_high > 100


def test_who_does_not_jump_stays_on_the_floor():
    """Twenty seconds of random walks: grounded on every tick, and not a millimetre up or down."""
    batch = sandlot.make(
        "tag", worlds=32, seed=2, config={"mode": "switch", "time_limit": 25, "ticks_per_step": 1}
    )
    batch.reset()
    rng = np.random.default_rng(5)
    for _ in range(1200):
        actions = rng.uniform(-1, 1, batch.actions.shape).astype(np.float32)
        actions[:, 2] = 0
        batch.step(actions)
        own = batch.observations[:, batch.spec.field("self")]
        assert np.all(own[:, 1] == 0) and np.all(own[:, 6] == 1) and np.all(own[:, 4] == 0)


def test_a_fall_from_thirty_metres_ends_on_the_floor():
    play = Play(jump_speed=8.0, gravity=1.0, **QUIET)
    heights = []
    for tick in range(1200):
        play.go(jump=(0,) if tick == 0 else ())
        heights.append(play.position[0][1])
    assert max(heights) > 30
    assert min(heights) == 0 and heights[-1] == 0
    assert play.scene["on_floor"].ravel()[0] == 1 and play.velocity[0][1] == 0


@pytest.mark.parametrize("seed", range(20))
def test_boxes_leave_room_to_pass_between_them_and_beside_walls(seed):
    play = Play(seed, obstacles=12)
    boxes = play.boxes()
    room = 1.3 - 1e-5
    assert np.all(np.abs(boxes[:, [0, 2, 3, 5]]) <= 10.0 - room)
    assert np.all(boxes[:, 1] == 0)
    for a in range(len(boxes)):
        for b in range(a):
            gaps = np.maximum(boxes[a, [0, 2]] - boxes[b, [3, 5]], boxes[b, [0, 2]] - boxes[a, [3, 5]])
            assert gaps.max() >= room


def test_boxes_are_low_enough_to_jump_on_or_out_of_reach():
    tops = np.concatenate([Play(seed).boxes()[:, 4] for seed in range(30)])
    low = tops < 1.5
    assert tops.min() >= 0.6 and tops[low].max() <= 1.2 and tops[~low].min() >= 2.0 and tops.max() <= 3.0
    assert 0.35 < low.mean() < 0.65
