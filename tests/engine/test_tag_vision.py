"""What agents see, against a second ray caster that works in 64 bits on edges instead of slabs."""

import numpy as np
import pytest
from tag_play import EAST, QUIET, Play, matches_where

RAYS = 36
ANGLES = np.radians(-60 + np.arange(RAYS) * 120 / 35)  # to the left of the facing; ray 0 is the right edge
NONE, WALL, AGENT = 0, 1, 2


# ---- the second ray caster ---------------------------------------------------------------------------------


def directions(facing):
    """[rays, xz]: the facing turned left by each angle; left of (fx, fz) is (fz, -fx)."""
    left = np.array([facing[1], -facing[0]])
    return np.cos(ANGLES)[:, None] * facing + np.sin(ANGLES)[:, None] * left


def edges(min_x, min_z, max_x, max_z):
    """The four sides of a rectangle, [4, ends, xz]."""
    corners = np.array([[min_x, min_z], [max_x, min_z], [max_x, max_z], [min_x, max_z]])
    return np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)


def hit_distance(eye, ways, sides):
    """Metres along each way to the nearest of some sides, infinity where it meets none. [ways]"""
    if not sides:
        return np.full(len(ways), np.inf)
    start, end = np.concatenate(sides).transpose(1, 0, 2)
    along, gap = end - start, start - eye
    cross = np.outer(ways[:, 0], along[:, 1]) - np.outer(ways[:, 1], along[:, 0])
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (gap[:, 0] * along[:, 1] - gap[:, 1] * along[:, 0]) / cross
        share = (np.outer(ways[:, 1], gap[:, 0]) - np.outer(ways[:, 0], gap[:, 1])) / cross
        met = (np.abs(cross) > 1e-12) & (t > 0) & (share >= 0) & (share <= 1)
    return np.where(met, t, np.inf).min(axis=1)


def expected(play, me, ways):
    """Distances and types along some directions, by geometry alone."""
    here, eye_height = play.position[me][[0, 2]], play.position[me][1] + 0.5
    half = play.scene["arena_half"]
    walls = [edges(-half, -half, half, half)]
    walls += [edges(box[0], box[2], box[3], box[5]) for box in play.boxes() if box[4] > eye_height]
    bodies = []
    for other in range(play.agents):
        x, y, z = play.position[other]
        if other != me and not play.scene["out"].ravel()[other] and y < eye_height < y + 1:
            bodies.append(edges(x - 0.5, z - 0.5, x + 0.5, z + 0.5))
    wall, body = hit_distance(here, ways, walls), hit_distance(here, ways, bodies)
    reach = play.spec.config["vision_range"]
    kind = np.where((body < wall) & (body < reach), AGENT, np.where(wall < reach, WALL, NONE))
    return np.choose(kind, [reach, wall, body]), kind


def seen(play, me):
    """Distances in metres and types, from the observation: what a policy gets."""
    rays = play.world.observations[me, play.spec.field("rays")].reshape(RAYS, 4).astype(np.float64)
    assert np.all(rays[:, 1:].sum(axis=1) == 1) and set(np.unique(rays[:, 1:])) <= {0.0, 1.0}
    return rays[:, 0] * play.spec.config["vision_range"], rays[:, 1:].argmax(axis=1)


def turned(ways, radians):
    c, s = np.cos(radians), np.sin(radians)
    return ways @ np.array([[c, s], [-s, c]])


def clear_rays(play, me):
    """Expected distances and types, and which rays do not pass within a hair of an edge."""
    ways = directions(play.facing[me])
    answers = [expected(play, me, turned(ways, tilt)) for tilt in (-1e-4, 0.0, 1e-4)]
    distances, kinds = (np.array(part) for part in zip(*answers, strict=True))
    clear = (np.ptp(kinds, axis=0) == 0) & (np.ptp(distances, axis=0) < 0.05)
    return distances[1], kinds[1], clear


def check_rays(play, me):
    """Compare every clear ray of one agent; how many there were."""
    distance, kind = seen(play, me)
    distance_due, kind_due, clear = clear_rays(play, me)
    assert np.array_equal(kind[clear], kind_due[clear])
    assert distance[clear] == pytest.approx(distance_due[clear], abs=0.01)
    return int(clear.sum())


# ---- many places -------------------------------------------------------------------------------------------

SCENES = {
    "default": {},
    "open and wide": {"profile": "reference"},
    "crowd": {"seekers": 3, "hiders": 5, "spawn_separation": 3.0},
    "short sight": {"vision_range": 4.0},
}


@pytest.mark.parametrize("config", SCENES.values(), ids=SCENES)
def test_every_ray_agrees_with_plain_geometry_to_a_centimetre(config):
    play = Play(**config)
    rng = np.random.default_rng(1)
    compared, kinds = 0, set()
    for seed in range(8):
        play.reset(seed)
        for _ in range(30):
            for me in range(play.agents):
                if not play.over and not play.scene["out"].ravel()[me]:
                    compared += check_rays(play, me)
                    kinds |= set(seen(play, me)[1])
            for _ in range(5):
                if not play.over:
                    play.act(rng.uniform(-1, 1, play.world.actions.shape))
    assert compared > 10_000
    assert AGENT in kinds and WALL in kinds


# ---- placed targets ----------------------------------------------------------------------------------------


def facing_match(**config):
    """Eyes that turn by the fourth action, and two agents within range with nothing between."""
    near = lambda play: 5 < play.distance() < 9  # noqa: E731
    return next(matches_where(near, turn_control=True, **{**QUIET, **config}))


def bearing(play, me, other):
    """Degrees from the facing to another agent, positive to the left."""
    gap = (play.position[other] - play.position[me])[[0, 2]]
    fx, fz = play.facing[me]
    return np.degrees(np.arctan2(gap @ np.array([fz, -fx]), gap @ np.array([fx, fz])))


def turn_until(play, wanted, ticks=700):
    for _ in range(ticks):
        if wanted(play):
            return
        play.go(turn=0.1)
    raise AssertionError("the eyes never came to the wanted place")


def agent_rays(play, me=0):
    return np.flatnonzero(seen(play, me)[1] == AGENT)


def test_a_target_straight_ahead_is_seen_by_the_middle_rays():
    play = facing_match()
    turn_until(play, lambda p: abs(bearing(p, 0, 1)) < 0.5)
    assert {17, 18} <= set(agent_rays(play))
    distance, _ = seen(play, 0)
    assert distance[17] == pytest.approx(clear_rays(play, 0)[0][17], abs=0.01)
    assert play.distance() - 0.75 < distance[17] < play.distance() - 0.45


def test_a_target_to_the_right_is_seen_by_the_first_rays_and_one_to_the_left_by_the_last():
    play = facing_match()
    turn_until(play, lambda p: -52 < bearing(p, 0, 1) < -48)
    assert agent_rays(play).size and agent_rays(play).max() < 9
    turn_until(play, lambda p: 48 < bearing(p, 0, 1) < 52)
    assert agent_rays(play).size and agent_rays(play).min() > 26


@pytest.mark.parametrize("degrees", [75, 120, 179, -75, -120])
def test_a_target_outside_the_cone_or_behind_is_unseen(degrees):
    play = facing_match()
    turn_until(play, lambda p: abs(bearing(p, 0, 1) - degrees) < 1)
    assert agent_rays(play).size == 0
    assert play.info()["sees_opponent"].ravel()[0] == 0


def test_turning_brings_a_target_into_view_at_the_edge_of_the_cone():
    """Its near corner enters where 60 degrees to one side say it must."""
    play = facing_match()
    turn_until(play, lambda p: not agent_rays(p).size and abs(bearing(p, 0, 1)) > 80)
    turn_until(play, lambda p: agent_rays(p).size > 0)
    x, _, z = play.position[1]
    corners = [(x + sx, z + sz) for sx in (-0.5, 0.5) for sz in (-0.5, 0.5)]
    fx, fz = play.facing[0]
    gaps = [np.array(c) - play.position[0][[0, 2]] for c in corners]
    bearings = [abs(np.degrees(np.arctan2(g @ np.array([fz, -fx]), g @ np.array([fx, fz])))) for g in gaps]
    assert min(bearings) == pytest.approx(60, abs=0.8)  # one turn of a tenth of full rate is 0.6 degrees


def test_a_target_beyond_the_range_is_none_and_one_within_is_seen():
    near = facing_match()
    turn_until(near, lambda p: abs(bearing(p, 0, 1)) < 0.5)
    assert agent_rays(near).size
    far = facing_match(vision_range=4.0)
    turn_until(far, lambda p: abs(bearing(p, 0, 1)) < 0.5)
    distance, kind = seen(far, 0)
    assert AGENT not in kind and distance[17] == 4.0
    assert kind[17] == NONE


def test_a_box_hides_who_stands_behind_it():
    """Turn straight to an opponent with a tall box between: the box is seen, the opponent is not."""
    config = {**QUIET, "turn_control": True, "obstacles": 12, "low_share": 0.0}
    hidden = 0
    for play in matches_where(lambda p: p.distance() < 12, seeds=range(60), **config):
        turn_until(play, lambda p: abs(bearing(p, 0, 1)) < 0.5)
        way = (play.position[1:] - play.position[0])[:, [0, 2]] / play.distance()
        boxes = [edges(box[0], box[2], box[3], box[5]) for box in play.boxes()]
        blocked = hit_distance(play.position[0][[0, 2]], way, boxes)[0]
        if blocked < play.distance() - 1 and not agent_rays(play).size:
            hidden += 1
            distance, kind = seen(play, 0)
            assert kind[17] == WALL and distance[17] < play.distance()
    assert hidden >= 3


def test_a_box_lower_than_the_eye_hides_nothing():
    """A jump lifts the eye over a low box, and the rays pass over it."""
    play = next(matches_where(lambda p: len(p.boxes()) > 5, low_share=1.0, **{**QUIET, "obstacles": 12}))
    before = seen(play, 0)[0].sum()
    for _ in range(30):
        play.go(jump=(0,))
    assert play.position[0][1] > 1.2
    assert check_rays(play, 0) > 20
    assert seen(play, 0)[0].sum() > before


def test_nobody_sees_somebody_at_another_height():
    """A jump over the eye of the other takes one out of its view."""
    play = facing_match(jump_speed=8.0)
    turn_until(play, lambda p: abs(bearing(p, 0, 1)) < 0.5)
    assert agent_rays(play).size
    for _ in range(25):
        play.go(jump=(1,))
    assert play.position[1][1] > 1.0
    assert agent_rays(play).size == 0


def test_a_hider_that_is_out_sees_nothing_and_is_not_seen():
    play = Play(hiders=2, obstacles=0)
    hider = min((1, 2), key=lambda h: play.distance(0, h))
    while not play.scene["out"].any():
        play.go({0: play.toward(0, hider)})
    distance, kind = seen(play, hider)
    assert np.all(kind == NONE) and np.all(distance == 15.0)
    assert not play.over
    assert check_rays(play, 0) > 20  # the second caster leaves out who is out


def test_own_body_is_never_seen():
    play = Play(obstacles=0, **{k: v for k, v in QUIET.items() if k != "obstacles"})
    for _ in range(60):
        play.go({0: EAST})
        distance, kind = seen(play, 0)
        assert np.all(distance[kind == AGENT] > 0.05)


# ---- layouts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout, size", [("rays", 156), ("reference84", 84)])
@pytest.mark.parametrize("privileged", [False, True])
def test_the_layouts_have_the_sizes_of_their_tables(layout, size, privileged):
    play = Play(layout=layout, privileged=privileged)
    assert play.world.observations.shape == (2, size + 4 * privileged)


def test_reference84_holds_the_reference_numbers():
    play = Play(seed=4, layout="reference84", profile="reference")
    for _ in range(20):
        play.go({0: play.toward(0, 1), 1: EAST})
    for me, opponent in ((0, 1), (1, 0)):
        row = play.world.observations[me]
        place, speed = play.position[:, [0, 2]], play.velocity[:, [0, 2]]
        assert row[0:2] == pytest.approx(place[me] / 15, abs=1e-6)
        assert row[2:4] == pytest.approx(speed[me] / 10, abs=1e-6)
        assert row[4:6] == pytest.approx((place[opponent] - place[me]) / 15, abs=1e-6)
        assert row[6:8] == pytest.approx((speed[opponent] - speed[me]) / 10, abs=1e-6)
        assert tuple(row[8:10]) == (float(me == 0), float(me == 1))
        assert row[10:12] == pytest.approx(play.facing[me], abs=1e-6)
        rays = row[12:].reshape(RAYS, 2)
        distance, kind, clear = clear_rays(play, me)
        assert rays[clear, 0] == pytest.approx(distance[clear] / 15, abs=1e-3)
        assert np.array_equal(rays[clear, 1], kind[clear] == AGENT)


def test_without_the_privileged_block_a_opponent_out_of_sight_leaves_no_trace():
    """Two matches that differ only in what an unseen opponent does look the same."""
    behind = lambda play: abs(bearing(play, 0, 1)) > 120 and play.distance() > 4  # noqa: E731
    a = next(matches_where(behind, **QUIET))
    seed_state = a.world.snapshot(0)
    b = Play(**QUIET)
    b.world.restore(0, seed_state)
    b.look()
    for _ in range(20):
        a.go({1: a.away(1, 0)})
        b.go()
    assert not np.array_equal(a.position[1], b.position[1])
    assert np.array_equal(a.world.observations[0], b.world.observations[0])


def test_every_entry_of_layout_rays_stays_within_one():
    play = Play(privileged=True, top_speed=12.0, jump_speed=8.0, hider_speed=1.5, **QUIET)
    rng = np.random.default_rng(0)
    for _ in range(600):
        play.act(rng.choice([-1.0, 1.0], play.world.actions.shape))
        assert np.abs(play.world.observations).max() <= 1.0
