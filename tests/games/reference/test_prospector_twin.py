"""Prospector's twin alone: worked numbers of the rules, and properties that hold for any actions."""

from __future__ import annotations

import copy
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandlot.errors import NotReset
from sandlot.games.reference.math32 import ZERO, f32
from sandlot.games.reference.prospector import ProspectorTwin, actions, layout, market, passive
from sandlot.games.reference.prospector.suites import random_legal, scenarios

PROFILES = ("balanced", "classic")


def started(profile: str = "classic", seed: int = 3, **config) -> ProspectorTwin:
    twin = ProspectorTwin({"profile": profile, **config})
    twin.reset(seed)
    return twin


def in_the_field(profile: str = "classic", seed: int = 3, **config) -> ProspectorTwin:
    """A ship in a quiet field, with the first asteroid selected."""
    twin = started(profile, seed, **config)
    twin.current_node = 1
    twin.node_hazard[1] = twin.node_pirate[1] = 0
    twin.rules.pirate_scale = ZERO
    twin.selected_asteroid = 0
    return twin


def carry(twin: ProspectorTwin, value: float) -> None:
    """Put cargo of this value into the hold."""
    twin.cargo[0] = 100
    twin.price[0] = value / 100


def fork(twin: ProspectorTwin) -> ProspectorTwin:
    """An independent copy under the same rules."""
    return copy.deepcopy(twin, {id(shared): shared for shared in (twin.spec, twin.rules)})


# ---- worked numbers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stabilised", "expected"), [(False, (0.0573, 0.1091, 0.2142)), (True, (0.0198, 0.0392, 0.0832))]
)
def test_fracture_chances_are_the_worked_ones(stabilised, expected):
    twin = in_the_field()
    twin.stability_true[1, 0] = 0.6
    twin.stabilize_buff_ticks[0] = 1 if stabilised else 0
    chances = [actions.fracture_chance(twin, mode) for mode in twin.rules.mining]
    assert chances == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("alert", "expected"), [(0, (0.0300, 0.0512, 0.1149, 0.2613)), (100, (0.2184, 0.3273, 0.5395, 0.7614))]
)
def test_pirate_chances_are_the_worked_ones(alert, expected):
    twin = started()
    twin.alert = f32(alert)
    chances = []
    for value in (0, 1_000, 5_000, 20_000):
        carry(twin, value)
        chances.append(passive.pirate_chance(twin, f32(0.175)))
    assert chances == pytest.approx(expected, abs=5e-5)


def test_slippage_is_the_worked_one():
    twin = started()
    pairs = ((10, 70), (33, 70), (100, 70), (200, 20))
    found = [market.slippage(twin, f32(units), f32(stock)) for units, stock in pairs]
    assert found == pytest.approx((0.1020, 0.1933, 0.3005, 0.4180), abs=5e-5)


@pytest.mark.parametrize(("mode", "net_heat"), [(0, -0.5), (1, 1.5), (2, 4.5)])
def test_mining_heats_by_its_mode_less_dissipation(mode, net_heat):
    twin = in_the_field(fracture_scale=0)  # debris would warm the ship too
    twin.heat = f32(50)
    twin.step(layout.MINE + mode)
    assert twin.heat == pytest.approx(50 + net_heat, abs=1e-4)


def test_cashing_out_at_once_costs_the_time_of_one_tick():
    _, reward, terminated, truncated, info = started().step(layout.CASH_OUT)
    assert reward == pytest.approx(-0.001)
    assert (terminated, truncated, info["dt"]) == (True, False, 1)


def test_richness_and_stability_follow_their_distributions():
    twins = [started(seed=seed) for seed in range(12)]
    richness = np.concatenate([twin.richness[twin.ast_valid] for twin in twins])
    stability = np.concatenate([twin.stability_true[twin.ast_valid] for twin in twins])
    assert richness.mean() == pytest.approx(1.0, abs=0.05)
    assert np.median(richness) == pytest.approx(0.82, abs=0.05)
    assert stability.mean() == pytest.approx(0.6, abs=0.02)


# ---- properties --------------------------------------------------------------------------------------------


def check_observation(twin: ProspectorTwin, observation: np.ndarray) -> None:
    assert observation.shape == (layout.OBS_DIM,)
    assert observation.dtype == np.float32
    assert np.isfinite(observation).all()
    assert observation.min() >= -1
    assert observation.max() <= 1
    assert np.delete(observation, np.s_[250:256]).min() >= 0
    assert observation[19:22].sum() == 1
    rocks = observation[layout.ASTEROIDS_AT : layout.MARKET_AT].reshape(16, 11)
    assert rocks[:, 1:7].sum(axis=1) == pytest.approx(rocks[:, 0], abs=1e-5)
    assert rocks[:, 10].sum() <= 1
    if twin.rules.richness_signal == 0:
        assert not observation[66:68].any()


def check_state(twin: ProspectorTwin) -> None:
    assert 0 <= twin.fuel <= 1000
    for gauge in (twin.hull, twin.heat, twin.tool_condition, twin.alert):
        assert 0 <= gauge <= 100
    assert twin.cargo.min() >= 0
    assert twin.cargo_total() <= 200.001
    assert (twin.price >= twin.rules.price_min).all()
    assert (twin.price <= twin.rules.price_max).all()
    assert twin.ticks_elapsed + twin.time_remaining >= twin.rules.time_max


@pytest.mark.parametrize("profile", PROFILES)
@given(seed=st.integers(0, 2**32), ids=st.lists(st.integers(-3, 71), min_size=1, max_size=60))
@settings(max_examples=15, deadline=None)
def test_state_and_observation_stay_in_range_for_any_actions(profile, seed, ids):
    twin = ProspectorTwin({"profile": profile})
    check_observation(twin, twin.reset(seed)[0])
    for action in ids:
        before = twin.time_remaining
        observation, reward, terminated, truncated, info = twin.step(action)
        check_observation(twin, observation)
        check_state(twin)
        assert np.isfinite(reward)
        assert before - twin.time_remaining == info["dt"]
        if terminated or truncated:
            break


@pytest.mark.parametrize("profile", PROFILES)
def test_same_seed_and_actions_give_the_same_bits(profile):
    def trace() -> list[bytes]:
        twin = started(profile)
        script = random_legal(twin, random.Random(5))
        return [twin.step(next(script))[0].tobytes() for _ in range(60) if not twin.needs_reset]

    assert trace() == trace()


@pytest.mark.parametrize("profile", PROFILES)
def test_mask_says_which_actions_are_refused(profile):
    twin = started(profile, seed=11)
    script = scenarios(twin, random.Random(2))
    for _ in range(25):
        for action, legal in enumerate(twin.mask()):
            assert fork(twin).step(action)[4]["invalid_action"] == (not legal)
        if twin.step(next(script))[2]:
            return


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("refused", [layout.DOCK, layout.OVERHAUL, layout.SELECT + 15, layout.BUY_DECOY])
def test_a_refused_action_is_a_hold_that_costs_a_hundredth(profile, refused):
    twin = in_the_field(profile)
    twin.ast_valid[1, 15] = False
    twin.heat = twin.alert = f32(40)
    other = fork(twin)
    held, refusal = twin.step(layout.HOLD), other.step(refused)
    assert (held[0] == refusal[0]).all()
    assert held[1] - refusal[1] == pytest.approx(0.01)
    assert refusal[4]["invalid_action"]
    assert refusal[4]["action"] == refused


@pytest.mark.parametrize("unknown", [-1, 69, 200, 255, -(2**31)])
def test_an_unknown_id_is_reported_as_a_refused_hold(unknown):
    info = started("balanced").step(unknown)[4]
    assert (info["action"], info["dt"], info["invalid_action"]) == (layout.HOLD, 1, True)


@pytest.mark.parametrize("profile", PROFILES)
def test_deeper_scans_raise_confidence_more(profile):
    gains = []
    for action in (layout.WIDE_SCAN, layout.FOCUSED_SCAN, layout.DEEP_SCAN):
        twin = in_the_field(profile)
        twin.step(action)
        gains.append(float(twin.scan_conf[1, 0]))
    assert gains[0] < gains[1] < gains[2]


@pytest.mark.parametrize("profile", PROFILES)
def test_scans_bring_the_estimate_nearer_to_the_truth(profile):
    twin = in_the_field(profile)
    before = np.abs(twin.comp_est[1, 0] - twin.true_comp[1, 0]).sum()
    for _ in range(4):
        twin.step(layout.DEEP_SCAN)
    assert np.abs(twin.comp_est[1, 0] - twin.true_comp[1, 0]).sum() < before / 2


@pytest.mark.parametrize("profile", PROFILES)
def test_nothing_threatens_a_ship_at_the_station(profile):
    twin = started(profile, time_max=600)
    twin.cargo[:] = 30
    twin.alert = f32(100)
    while not twin.needs_reset:
        twin.step(layout.LISTEN)
    assert (twin.hull, twin.pirate_encounters, twin.ending) == (100, 0, "time")


def test_timeout_is_truncated_not_terminated():
    twin = started("balanced", time_max=1)
    _, _, terminated, truncated, _ = twin.step(layout.HOLD)
    assert (terminated, truncated) == (False, True)


def test_stepping_a_finished_episode_says_to_reset():
    twin = started()
    twin.step(layout.CASH_OUT)
    with pytest.raises(NotReset, match="reset"):
        twin.step(layout.HOLD)


def test_splitting_a_sale_along_the_curve_gains_nothing():
    twin = started("balanced")
    stock, price = float(twin.station_inventory[3]), float(twin.price[3])
    whole = market.proceeds(twin, 3, f32(100))
    parts = 0.0
    for _ in range(10):
        parts += market.proceeds(twin, 3, f32(10))
        twin.station_inventory[3] += 10
        low, sold = twin.rules.price_min[3], float(twin.station_inventory[3]) - stock
        twin.price[3] = low + (price - low) * np.exp(-float(twin.rules.glut) * sold)
    assert parts == pytest.approx(whole, rel=1e-4)


def test_every_node_of_the_balanced_belt_can_reach_the_station():
    for seed in range(40):
        twin = started("balanced", seed)
        assert twin.hops_to_station[: twin.node_count].max() < layout.MAX_NODES - 1


def test_the_price_cycle_does_not_drift():
    twin = started("classic")
    twin.price_period[0], twin.price_phase[0] = 250.0, 0.125
    for ticks in (0, 250, 5_000, 20_000, 1_000_000):
        twin.ticks_elapsed = ticks
        assert market.wave(twin, 0) == pytest.approx(np.sin(2 * np.pi * 0.125), abs=1e-5)


@pytest.mark.parametrize("profile", PROFILES)
def test_state_stays_in_32_bits(profile):
    twin = started(profile)
    script = scenarios(twin, random.Random(3))
    for _ in range(80):
        if twin.step(next(script))[2]:
            break
    scalars = ("fuel", "hull", "heat", "tool_condition", "alert", "credits", "total_spend", "fuel_spent")
    assert {type(getattr(twin, name)) for name in scalars} == {np.float32}
    arrays = ("cargo", "price", "station_inventory", "recent_sales", "price_noise", "price_shock", "comp_est")
    assert {getattr(twin, name).dtype for name in arrays} == {np.dtype(np.float32)}
