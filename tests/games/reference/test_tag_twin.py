"""Tag's twin alone: situations set up by hand, against numbers computed from the rules page."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest

from sandlot.games.reference.math32 import f32
from sandlot.games.reference.tag import TagTwin
from sandlot.games.reference.tag.generate import make_box
from sandlot.games.reference.tag.parity_setup import PARITY_SETUP, VARIANTS, goals
from sandlot.games.reference.tag.rules import Rules
from sandlot.games.reference.tag.suites import SUITES
from sandlot.games.reference.tag.world import measure_distances
from sandlot.worlds import load_spec

QUIET = {"mode": "switch", "obstacles": 0, "ticks_per_step": 1}


def placed(*agents, **config):
    """A match with agents at given (x, z), looking north."""
    twin = TagTwin({**QUIET, **config})
    twin.reset(0)
    for agent, (x, z) in zip(twin.world.agents, agents, strict=True):
        agent.x, agent.z, agent.fx, agent.fz = f32(x), f32(z), f32(0), f32(-1)
    measure_distances(twin.world)
    return twin


def still(twin, steps=1, **rows):
    """Step with all agents at rest except those named like a0=(move_x, move_z, jump)."""
    actions = np.zeros((twin.rules.agents, 3), np.float32)
    for name, row in rows.items():
        actions[int(name[1:])] = row
    for _ in range(steps):
        result = twin.step(actions)
    return result


def rays(twin, me=0):
    return twin.observations[me, 12:156].reshape(36, 4)


# ---- derived rules -----------------------------------------------------------------------------------------


def test_the_derived_rules_are_the_numbers_of_the_page():
    rules = Rules(load_spec("tag"))
    assert (rules.limit, rules.immune_ticks, rules.coyote_ticks) == (600, 90, 6)
    assert float(rules.wall) == pytest.approx(9.499)
    assert float(rules.touch) == pytest.approx(1.1)
    assert float(rules.turn) == pytest.approx(1 / 60)
    assert math.degrees(math.asin(rules.ray_sin[0])) == pytest.approx(-60, abs=1e-4)
    assert rules.ray_sin[17] < 0 < rules.ray_sin[18]


def test_every_float_of_the_rules_is_32_bits_wide():
    for name, value in vars(Rules(load_spec("tag"))).items():
        assert not isinstance(value, (float, np.float64)), name


def test_an_unknown_rule_says_so():
    with pytest.raises(AttributeError, match="no attribute 'gravitas'"):
        _ = Rules(load_spec("tag")).gravitas


# ---- sight -------------------------------------------------------------------------------------------------


def test_a_body_six_metres_ahead_is_seen_at_five_and_a_half():
    twin = placed((0, 0), (0, -6))
    still(twin)
    assert rays(twin)[17, 3] == rays(twin)[18, 3] == 1
    assert rays(twin)[17, 0] * 15 == pytest.approx(5.5 / math.cos(math.radians(60 / 35)), abs=1e-3)


def test_the_wall_ahead_is_ten_metres_away():
    twin = placed((0, 0), (5, 5))
    still(twin)
    assert rays(twin)[17, 2] == 1
    assert rays(twin)[17, 0] * 15 == pytest.approx(10 / math.cos(math.radians(60 / 35)), abs=1e-3)


def test_a_tall_box_hides_a_body_and_a_low_one_under_the_eye_does_not():
    for top, kind in ((2.0, 2), (0.4, 3)):
        twin = placed((0, 0), (0, -6))
        twin.world.boxes.append(make_box(twin.rules, f32(0), f32(-3), f32(1), f32(0.5), f32(top)))
        still(twin)
        assert rays(twin)[17, kind] == 1


def test_a_body_behind_is_unseen():
    twin = placed((0, 0), (0, 6))
    still(twin)
    assert not rays(twin)[:, 3].any()


# ---- motion ------------------------------------------------------------------------------------------------


def test_a_fall_from_five_metres_ends_on_the_floor_on_time():
    twin = placed((0, 0), (5, 5))
    me = twin.world.agents[0]
    me.y, me.on_floor = f32(5), False
    ticks = 0
    while not me.on_floor:
        still(twin)
        ticks += 1
        t = ticks / 60
        if not me.on_floor:
            assert float(me.y) == pytest.approx(5 - 4.9 * t * t, rel=0.01, abs=1e-3)
    assert float(me.y) == 0
    assert ticks == math.ceil(math.sqrt(2 * 5 / 9.8) * 60)


def test_a_body_at_the_wall_stays_a_skin_away():
    twin = placed((0, -9), (-5, 5))
    still(twin, 60, a0=(0, -1, 0))
    assert twin.world.agents[0].z == -twin.rules.wall
    assert twin.world.notes["stopped by a wall on -z"]


def test_straight_behind_turns_left():
    twin = placed((0, 0), (5, 5))
    still(twin, a0=(0, 1, 0))
    assert twin.world.notes["turned left"]
    assert twin.world.agents[0].fx < 0


def test_a_jump_under_a_body_bumps_the_head():
    twin = placed((0, 0), (0, 0), immunity_s=10)
    lower, upper = twin.world.agents
    upper.y, upper.on_floor = f32(1.05), False
    still(twin, a0=(0, 0, 1))
    assert twin.world.notes["bumped the head"]
    assert float(lower.y) == pytest.approx(0.05, abs=1e-6) and lower.vy == 0


# ---- touch and reward --------------------------------------------------------------------------------------


def test_a_touch_passes_the_role_and_pays_six():
    twin = placed((0, 0), (1.05, 0))
    _, rewards, terminated, truncated, _ = still(twin)
    assert [agent.seeker for agent in twin.world.agents] == [0, 1]
    assert rewards == pytest.approx([6 - 0.1 / 60, -6 + 0.2 / 60], abs=1e-6)
    assert twin.world.agents[0].sums["seeker_tag"] == 6
    assert not terminated and not truncated


def test_a_touch_in_timed_ends_the_match():
    twin = placed((0, 0), (1.05, 0), mode="timed")
    _, _, terminated, truncated, info = still(twin)
    assert terminated and not truncated
    assert (info["winner"], info["reason"]) == (1, 1)


def test_bodies_just_beyond_reach_do_not_touch():
    twin = placed((0, 0), (1.1001, 0), mode="timed")
    assert not still(twin)[2]


def test_the_nearest_opponent_is_the_lowest_index_among_equals():
    twin = placed((0, 0), (3, 0), (-3, 0), hiders=2, privileged=True)
    still(twin)
    assert twin.observations[0, 156] > 0


# ---- the parity setup --------------------------------------------------------------------------------------


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_every_suite_yields_legal_actions(suite):
    twin = TagTwin({"turn_control": True, "hiders": 2})
    twin.reset(1)
    script = suite.script(twin, Random(0))
    for _ in range(30):
        actions = next(script)
        assert actions.shape == (3, 4) and actions.dtype == np.float32
        assert np.abs(actions).max() <= 1
        twin.step(actions)


def test_the_variants_cover_both_modes_both_layouts_all_flags_and_two_to_eight_agents():
    rules = [Rules(load_spec("tag", settings)) for settings in VARIANTS.values()]
    assert {r.mode for r in rules} == {"timed", "switch"}
    assert {r.reference_layout for r in rules} == {True, False}
    assert {r.agents for r in rules} >= {2, 3, 4, 5, 6, 7, 8}
    for flag in ("privileged", "turn_control", "first_is_seeker"):
        assert {getattr(r, flag) for r in rules} == {0, 1}


def test_goals_name_every_ending():
    named = {goal for settings in VARIANTS.values() for goal in goals(TagTwin(settings))}
    assert {
        "ended by tag in timed",
        "ended by timeout in timed",
        "ended by timeout in switch",
        "a pass",
    } <= named


def test_the_parity_setup_compares_the_whole_info_block():
    assert set(PARITY_SETUP.exact) == {field.name for field in load_spec("tag").info}
