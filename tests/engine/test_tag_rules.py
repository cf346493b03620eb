"""Who wins, when a match ends, and how roles pass."""

import numpy as np
import pytest
from tag_play import EAST, QUIET, WEST, Play, matches_where, run_into

import sandlot
from sandlot.errors import ConfigError

LINE = {"obstacles": 0, "ticks_per_step": 1}


# ---- timed -------------------------------------------------------------------------------------------------


def test_a_touch_ends_the_match_for_the_seeker():
    play = Play(**LINE)
    tick = run_into(play)
    info = play.info()
    assert play.world.terminated.all() and not play.world.truncated.any()
    assert (info["winner"], info["reason"], info["tags"]) == (1, 1, 1)
    assert play.events("tag") == [{"name": "tag", "attacker": 0, "target": 1, "tick": tick}]


def test_without_a_touch_the_hider_wins_on_tick_600():
    play = Play(**LINE)
    for tick in range(1, 601):
        assert not play.over
        play.go()
        assert play.tick == tick
    info = play.info()
    assert play.world.terminated.all() and not play.world.truncated.any()
    assert (info["winner"], info["reason"], info["time_left"]) == (2, 2, 0)
    assert play.events("timeout")


def touch_on_tick(wanted):
    """The same chase, held back by a head start so that the bodies touch on a chosen tick."""
    ticks = run_into(Play(seed=3, **LINE))
    held = Play(seed=3, head_start_s=(wanted - ticks) / 60, **LINE)
    while not held.over:
        held.go({0: held.toward(0, 1)})
    return held


def test_a_touch_at_9_99_seconds_wins():
    play = touch_on_tick(599)
    assert play.tick == 599
    assert (play.info()["winner"], play.info()["reason"]) == (1, 1)


def test_a_touch_at_10_00_seconds_is_too_late():
    play = touch_on_tick(600)
    assert play.tick == 600
    assert (play.info()["winner"], play.info()["reason"]) == (2, 2)
    assert np.abs(play.position[0] - play.position[1]).max() <= 1.1, (
        "the bodies do touch, but the clock was first"
    )


@pytest.mark.parametrize("ticks_per_step", [1, 3, 7])
def test_the_limit_is_counted_in_ticks_whatever_a_step_lasts(ticks_per_step):
    play = Play(obstacles=0, ticks_per_step=ticks_per_step, time_limit=2.0)
    lasted = 0
    while not play.over:
        play.go()
        lasted += int(play.world.ticks[0])
    assert lasted == play.tick == 120
    assert play.world.ticks[0] == (120 - 1) % ticks_per_step + 1, "the last step is cut short"


def test_a_touch_needs_every_axis():
    """A seeker that jumps over a hider does not touch it while it is above reach."""
    play = Play(seed=1, jump_speed=8.0, **LINE)
    jumped, passed_over = False, False
    while not play.over:
        leaps = not jumped and play.distance() < 3.5
        jumped |= leaps
        play.go({0: play.toward(0, 1)}, jump=(0,) if leaps else ())
        gap = np.abs(play.position[0] - play.position[1])
        passed_over |= bool(gap[0] <= 1.1 and gap[2] <= 1.1 and not play.over)
        assert play.over == bool(np.all(gap <= 1.1 + 1e-6))
    assert passed_over


def test_a_reach_that_goes_through_a_box_is_refused():
    """The narrowest box is 0.8 m; what a match does at the largest reach is in engine/tag/tag_test.c."""
    with pytest.raises(ConfigError, match=r"reach = 0\.8: expected a number from 0\.01 to 0\.75 m"):
        Play(reach=0.8)
    boxes = [Play(seed, arena_half=14.8, obstacles=12).scene for seed in range(40)]
    widths = [
        b["boxes"][: int(b["box_count"]), 3:6:2] - b["boxes"][: int(b["box_count"]), 0:3:2] for b in boxes
    ]
    assert np.concatenate(widths).min() > 0.75


def test_agents_that_start_close_are_tested_every_tick_not_on_entering():
    """Immunity runs out while the bodies already touch: the touch counts then."""
    play = Play(immunity_s=0.5, **QUIET)
    first = run_into(play)
    passes = [first]
    for _ in range(200):
        play.go()
        passes += [play.tick] if play.events("pass") else []
    assert len(passes) > 3
    assert set(np.diff(passes)) == {30}


def test_a_touched_hider_is_out_and_the_match_goes_on_while_one_is_left():
    play = Play(hiders=2, **LINE)
    first, second = sorted((1, 2), key=lambda h: play.distance(0, h))
    while not play.scene["out"].any():
        play.go({0: play.toward(0, first)})
    assert play.scene["out"].ravel()[first] == 1 and not play.over
    where = play.position[first].copy()
    while not play.over:
        play.go({0: play.toward(0, second), first: EAST})
        assert play.rewards[first] == 0
    assert np.array_equal(play.position[first], where), "nobody moves who is out"
    assert (play.info()["winner"], play.info()["tags"]) == (1, 2)


def test_one_hider_left_at_the_limit_wins_for_the_hiders():
    play = Play(hiders=2, **LINE)
    first = min((1, 2), key=lambda h: play.distance(0, h))
    while not play.over:
        play.go({0: play.toward(0, first)} if not play.scene["out"].any() else {})
    assert (play.info()["winner"], play.info()["reason"], play.info()["tags"]) == (2, 2, 1)


def test_seekers_stand_still_during_the_head_start():
    play = Play(head_start_s=1.0, **LINE)
    start = play.position.copy()
    for _ in range(60):
        play.go({0: EAST, 1: WEST}, jump=(0, 1))
        assert np.array_equal(play.position[0], start[0])
    assert not np.array_equal(play.position[1], start[1])
    play.go({0: EAST})
    assert not np.array_equal(play.position[0], start[0])


# ---- switch ------------------------------------------------------------------------------------------------


def test_a_touch_passes_the_role_and_the_match_goes_on():
    play = Play(**QUIET)
    run_into(play)
    assert list(play.scene["seeker"].ravel()) == [0, 1]
    assert not play.over


def test_both_are_immune_for_one_and_a_half_seconds_after_a_pass():
    play = Play(**QUIET)
    first = run_into(play)
    assert list(play.scene["immunity"].ravel()) == [1.5, 1.5]
    for tick in range(1, 90):
        play.go()
        assert not play.events("pass")
        assert play.scene["immunity"].ravel() == pytest.approx([1.5 - tick / 60] * 2, abs=1e-6)
        roles = play.world.observations[:, play.spec.field("roles")]
        assert roles[:, 1] == pytest.approx(1 - tick / 90, abs=1e-6)
    play.go()
    assert play.events("pass") == [{"name": "pass", "attacker": 1, "target": 0, "tick": first + 90}]
    assert list(play.scene["seeker"].ravel()) == [1, 0]


def test_an_immune_hider_is_safe_from_a_third_agent_too():
    """Roles pass between two of three; the other seeker must wait until the fresh hider is free again."""
    play = Play(seekers=2, hiders=1, **QUIET)
    free = {0, 1, 2}
    for _ in range(900):
        seekers = [i for i in range(3) if play.scene["seeker"].ravel()[i]]
        hider = next(i for i in range(3) if i not in seekers)
        immune = play.scene["immunity"].ravel().copy()
        play.go({s: play.toward(s, hider) for s in seekers})
        for event in play.events("pass"):
            pair = int(event["attacker"]), int(event["target"])
            assert all(immune[i] * 60 <= 1.001 for i in pair)
            free -= set(pair)
    assert not free, "everybody took part"


def test_switch_ends_at_the_limit_as_truncated_with_no_winner():
    play = Play(mode="switch", **LINE)
    while not play.over:
        play.go()
    assert play.world.truncated.all() and not play.world.terminated.any()
    assert (play.tick, play.info()["winner"], play.info()["reason"]) == (600, 0, 2)


# ---- starts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first_is_seeker", [True, False])
def test_the_first_agents_are_the_seekers_unless_told_otherwise(first_is_seeker):
    play = Play(seekers=2, hiders=3, spawn_separation=3.0, first_is_seeker=first_is_seeker)
    roles = list(play.scene["seeker"].ravel())
    assert roles == ([1, 1, 0, 0, 0] if first_is_seeker else [0, 0, 0, 1, 1])


@pytest.mark.parametrize("seekers, hiders", [(1, 1), (1, 2), (2, 2), (2, 3), (3, 3), (1, 6), (7, 1), (4, 4)])
def test_two_to_eight_agents_play_a_whole_match(seekers, hiders):
    config = {"seekers": seekers, "hiders": hiders, "spawn_separation": 3.0}
    batch = sandlot.make("tag", worlds=4, seed=1, config=config)
    batch.reset()
    rng = np.random.default_rng(0)
    for _ in range(201):
        batch.step(rng.uniform(-1, 1, batch.actions.shape).astype(np.float32))
        assert np.isfinite(batch.observations).all() and np.isfinite(batch.rewards).all()
    assert len(batch.finished()) >= 4


@pytest.mark.parametrize(
    "config", [{}, {"profile": "reference"}, {"seekers": 4, "hiders": 4, "spawn_separation": 5.0}]
)
def test_the_separation_of_starts_always_holds(config):
    play = Play(**config)
    least = play.spec.config["spawn_separation"]
    for seed in range(150):
        play.reset(seed)
        gaps = play.position[:, None, [0, 2]] - play.position[None, :, [0, 2]]
        apart = np.hypot(gaps[..., 0], gaps[..., 1]) + 1e9 * np.eye(play.agents)
        assert apart.min() >= least - 1e-5


def test_starts_and_facings_differ_from_seed_to_seed_and_cover_the_arena():
    play = Play()
    starts = []
    for seed in range(200):
        play.reset(seed)
        starts.append([*play.position[0][[0, 2]], *play.facing[0]])
    starts = np.array(starts)
    assert len(np.unique(starts, axis=0)) == 200
    assert np.all(starts[:, :2].min(axis=0) < -7) and np.all(starts[:, :2].max(axis=0) > 7)
    assert np.all(np.abs(starts[:, 2:].mean(axis=0)) < 0.25)


def test_nobody_starts_in_a_box():
    for play in matches_where(
        lambda p: True, seeds=range(60), obstacles=12, seekers=2, hiders=2, spawn_separation=4.0
    ):
        for box in play.boxes():
            for x, _, z in play.position:
                clear_x = max(box[0] - x, x - box[3])
                clear_z = max(box[2] - z, z - box[5])
                assert max(clear_x, clear_z) >= 0.5
