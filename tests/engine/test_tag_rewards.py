"""What a step pays, term by term, and that shaping can never pay more than winning."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tag_play import EAST, NORTH, QUIET, Play, matches_where, run_into

import sandlot
from sandlot.errors import ConfigError

OPEN = {"obstacles": 0}
STEP_S = 0.05


def distances(play):
    return play.info()["distance"].ravel().astype(np.float64)


# ---- each term by hand -------------------------------------------------------------------------------------


def test_standing_still_costs_the_seeker_time_and_pays_the_hider_survival():
    play = Play(**OPEN)
    play.go()
    assert play.rewards == pytest.approx([-0.1 * STEP_S, 0.2 * STEP_S], abs=1e-7)


def test_metres_closed_pay_the_seeker_and_cost_the_hider():
    play = Play(**OPEN)
    for _ in range(15):
        before = play.distance()
        play.go({0: play.toward(0, 1)})
        closed = before - play.distance()
        assert closed > 0
        assert play.rewards == pytest.approx(
            [0.14 * closed - 0.1 * STEP_S, -0.14 * closed + 0.2 * STEP_S], abs=1e-6
        )


def test_metres_opened_pay_the_hider_and_cost_the_seeker():
    central = lambda play: np.abs(play.position[1]).max() < 4  # noqa: E731
    play = next(matches_where(central, **OPEN))
    for _ in range(10):
        before = play.distance()
        play.go({1: play.away(1, 0)})
        opened = play.distance() - before
        assert opened > 0
        assert play.rewards == pytest.approx(
            [-0.14 * opened - 0.1 * STEP_S, 0.14 * opened + 0.2 * STEP_S], abs=1e-6
        )


def test_height_counts_in_the_distance():
    play = Play(**OPEN)
    before = play.distance()
    play.go(jump=(0,))
    assert play.position[0][1] > 0
    gap = play.distance() - before
    assert play.rewards[0] == pytest.approx(-0.14 * gap - 0.1 * STEP_S, abs=1e-6)


def test_a_touch_pays_the_seeker_ten_and_costs_the_hider_ten():
    play = Play(ticks_per_step=1, **OPEN)
    run_into(play)
    assert play.rewards == pytest.approx([10, -10], abs=0.05)
    totals = terms_of(play)
    assert (totals["seeker_tag"], totals["hider_tagged"]) == (10, -10)
    assert (totals["seeker_timeout"], totals["hider_timeout"]) == (0, 0)


def test_the_clock_costs_the_seeker_six_and_pays_the_hider_six():
    play = Play(time_limit=2.0, **OPEN)
    while not play.over:
        play.go()
    assert play.rewards == pytest.approx([-6 - 0.1 * STEP_S, 6 + 0.2 * STEP_S], abs=1e-6)


def test_a_pass_pays_and_costs_six_and_there_is_no_timeout_term():
    play = Play(**{**QUIET, "time_limit": 10})
    run_into(play)
    assert play.rewards == pytest.approx([6, -6], abs=0.05)
    while not play.over:
        play.go({0: play.away(0, 1), 1: play.away(1, 0)})
    totals = terms_of(play)
    assert (totals["seeker_timeout"], totals["hider_timeout"]) == (0, 0)


def test_progress_is_measured_to_the_nearest_opponent():
    play = Play(seekers=1, hiders=2, seed=2, **OPEN)
    for _ in range(8):
        before = min(play.distance(0, 1), play.distance(0, 2))
        play.go({0: EAST})
        closed = before - min(play.distance(0, 1), play.distance(0, 2))
        assert play.rewards[0] == pytest.approx(0.14 * closed - 0.1 * STEP_S, abs=1e-6)


def test_a_hider_that_is_out_earns_no_survival():
    play = Play(hiders=2, **OPEN)
    first = min((1, 2), key=lambda h: play.distance(0, h))
    while not play.scene["out"].any():
        play.go({0: play.toward(0, first)})
    play.go()
    assert play.rewards[first] == 0
    assert play.rewards[3 - first] != 0


def test_jumping_and_height_pay_nothing():
    """The reference paid for both, and hopping beside the hider beat tagging it."""
    play = Play(**OPEN)
    for _ in range(40):
        before = play.distance()
        play.go(jump=(0,))
        closed = before - play.distance()
        assert play.rewards[0] == pytest.approx(0.14 * closed - 0.1 * STEP_S, abs=1e-6)


@pytest.mark.parametrize("ticks_per_step", [1, 2, 3, 6, 12])
def test_what_a_match_pays_does_not_depend_on_the_length_of_a_step(ticks_per_step):
    play = Play(seed=5, ticks_per_step=ticks_per_step, **OPEN)
    total = np.zeros(2)
    while not play.over:
        play.go()
        total += play.rewards
    assert total == pytest.approx([-0.1 * 10 - 6, 0.2 * 10 + 6], abs=1e-3)


# ---- sums --------------------------------------------------------------------------------------------------


def terms_of(play):
    """The sums of every term over the episode that just ended, by name."""
    episode = play.world.finished()[-1]
    names = [term["name"] for term in play.spec.reward_terms]
    return dict(zip(names, episode["terms"].ravel().tolist(), strict=True)) | {"episode": episode}


@pytest.mark.parametrize(
    "config", [{}, {"mode": "switch"}, {"seekers": 2, "hiders": 3, "spawn_separation": 3.0}]
)
def test_the_terms_of_an_episode_add_up_to_its_returns(config):
    batch = sandlot.make("tag", worlds=16, seed=3, config=config)
    batch.reset()
    rng = np.random.default_rng(1)
    for _ in range(200):
        batch.step(rng.uniform(-1, 1, batch.actions.shape).astype(np.float32))
    episodes = batch.finished()
    assert len(episodes) >= 16
    terms = episodes.column("terms").reshape(len(episodes), -1).sum(axis=1)
    returns = episodes.column("returns").reshape(len(episodes), -1).sum(axis=1)
    roles = episodes.column("seeker_reward") + episodes.column("hider_reward")
    assert terms == pytest.approx(returns, abs=1e-3)
    assert terms == pytest.approx(roles, abs=1e-3)


def test_the_rewards_of_the_steps_add_up_to_the_returns():
    play = Play(seed=9)
    rng = np.random.default_rng(1)
    total = np.zeros(2)
    while not play.over:
        play.act(rng.uniform(-1, 1, play.world.actions.shape))
        total += play.rewards
    assert terms_of(play)["episode"]["returns"].ravel() == pytest.approx(total, abs=1e-3)


# ---- the bound ---------------------------------------------------------------------------------------------


def win_bonus(spec, term):
    if spec.config["mode"] == "switch":
        return spec.config["pass_bonus"]
    return spec.config["tag_bonus" if term["role"] == "seeker" else "hider_timeout"]


@pytest.mark.parametrize(
    "config", [{}, {"profile": "reference"}, {"mode": "switch"}, {"seekers": 4, "hiders": 4}]
)
def test_the_worst_case_of_every_shaping_term_is_below_the_bonus_for_winning(config):
    spec = sandlot.load_spec("tag", {"spawn_separation": 4.0, **config})
    shaping = [term for term in spec.reward_terms if term["shaping"]]
    assert len(shaping) == 4
    for term in shaping:
        assert 0 < term["worst_case"] < win_bonus(spec, term)


def dance(play, me, opponent, step):
    """To and fro, as a farmer of progress would."""
    return play.toward(me, opponent) if (step // 8) % 2 else play.away(me, opponent)


DANCES = {
    "seeker dances": lambda play, step: {0: dance(play, 0, 1, step)},
    "hider dances": lambda play, step: {1: dance(play, 1, 0, step)},
    "both flee": lambda play, step: {0: play.away(0, 1), 1: play.away(1, 0)},
    "hider flees north": lambda play, step: {1: NORTH},
    "seeker comes and goes": lambda play, step: {
        0: play.toward(0, 1) if play.distance() > 2 else play.away(0, 1)
    },
}


@pytest.mark.parametrize("directions", DANCES.values(), ids=DANCES)
def test_no_dance_gets_more_out_of_shaping_than_the_worst_case_says(directions):
    for seed in range(3):
        play = Play(seed, obstacles=0)
        worst = {t["name"]: t["worst_case"] for t in play.spec.reward_terms if t["shaping"]}
        step = 0
        while not play.over:
            play.go(directions(play, step))
            step += 1
        totals = terms_of(play)
        for name, bound in worst.items():
            assert abs(totals[name]) <= bound + 1e-4


def test_a_setting_that_would_pay_more_than_winning_is_refused():
    with pytest.raises(ConfigError, match=r"seeker_progress could pay .* allow_farming"):
        sandlot.make("tag", config={"seeker_progress": 1.0})
    with pytest.raises(ConfigError, match="hider_survival could pay"):
        sandlot.make("tag", config={"hider_survival": 1.0})
    with pytest.raises(ConfigError, match="hider_survival could pay"):
        sandlot.make("tag", config={"time_limit": 60})
    sandlot.make("tag", config={"seeker_progress": 1.0, "allow_farming": True})


REWARD_KNOBS = (
    "seeker_progress",
    "seeker_time",
    "tag_bonus",
    "hider_progress",
    "hider_survival",
    "hider_timeout",
    "pass_bonus",
)
SETTINGS = {name: st.floats(0, 10) for name in REWARD_KNOBS} | {
    "time_limit": st.floats(1, 120),
    "arena_half": st.floats(4, 14.8),
    "mode": st.sampled_from(["timed", "switch"]),
}


@settings(max_examples=200, deadline=None)
@given(st.fixed_dictionaries(SETTINGS))
def test_whatever_is_accepted_keeps_every_shaping_term_below_the_bonus(config):
    try:
        spec = sandlot.load_spec("tag", {**config, "spawn_separation": 2.0})
    except ConfigError as refusal:
        assert "could pay" in str(refusal)
        return
    for term in spec.reward_terms:
        if term["shaping"] and term["worst_case"] > 0:
            assert term["worst_case"] < win_bonus(spec, term)
