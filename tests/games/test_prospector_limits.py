"""Limits of the prospector's rules: exactly enough, a full hold, the richest pilot."""

import numpy as np
import pytest

import sandlot
from sandlot.worlds import load_spec

BURN, WIDE, FOCUSED, DEEP, SELECT, MINE, REFINE, COOLDOWN, MAINTAIN, PATCH = (
    7,
    8,
    9,
    10,
    12,
    28,
    32,
    33,
    34,
    35,
)
FUEL_SMALL, FUEL_MEDIUM, FUEL_LARGE, KIT, STABILIZER, DECOY, OVERHAUL, CASH_OUT = range(61, 69)
SEED = 4


def world_after(actions, **config):
    world = sandlot.make("prospector", config=config, autoreset=False)
    world.reset(seeds=[SEED])
    for action in actions:
        assert world.masks[0, action], f"action {action} is not possible"
        world.step([action])
    return world


def reason(world, action):
    """Why this action is not possible now."""
    return world.spec.json["reasons"][int(world.render(0)["why_not"][action])]["name"]


def at_work(**config):
    """At an asteroid's side with a warm drill and some ore aboard."""
    first = next(slot for slot in range(6) if world_after([], **config).masks[0, slot])
    return world_after([first, SELECT, MINE + 1, MINE + 1, MINE + 1], **config)


CALM = {"pirate_scale": 0, "hazard_scale": 0, "fracture_scale": 0}
FIELD_FUEL = {FOCUSED: "focused_fuel", DEEP: "deep_fuel", WIDE: "wide_fuel", REFINE: "refine_fuel",
              COOLDOWN: "cooldown_fuel"}  # fmt: skip


@pytest.mark.parametrize("action", FIELD_FUEL, ids=FIELD_FUEL.get)
def test_an_action_needs_more_fuel_than_it_takes(action):
    """The tank must not run dry: exactly as much as there is, is too much."""
    start = 130.0
    fuel = at_work(**CALM, start_fuel_min=start, start_fuel_max=start).render(0)["fuel"]
    assert 0 < fuel <= 100, "the knobs allow a price of 100 at most"
    for price, possible in ((fuel, False), (np.nextafter(np.float32(fuel), np.float32(0)), True)):
        config = {**CALM, "start_fuel_min": start, "start_fuel_max": start, FIELD_FUEL[action]: float(price)}
        world = at_work(**config)
        assert bool(world.masks[0, action]) is possible
        assert (reason(world, action) == "no_fuel") is not possible


def test_a_burn_and_a_trip_need_more_fuel_than_they_take():
    world = world_after([])
    edges = np.flatnonzero(world.masks[0, :6])
    price = float(world.render(0)["trip_fuel"][edges[0]])
    for fuel, possible in ((price, False), (float(np.nextafter(np.float32(price), np.float32(1e9))), True)):
        there = world_after([], start_fuel_min=fuel, start_fuel_max=fuel, burn_fuel=price)
        assert bool(there.masks[0, edges[0]]) is possible
        assert bool(there.masks[0, BURN]) is possible


PRICES = {FUEL_SMALL: "fuel_small_price", FUEL_MEDIUM: "fuel_medium_price", FUEL_LARGE: "fuel_large_price",
          KIT: "kit_price", STABILIZER: "stabilizer_price", DECOY: "decoy_price",
          OVERHAUL: "overhaul_price"}  # fmt: skip


@pytest.mark.parametrize("action", PRICES, ids=PRICES.get)
def test_who_has_exactly_the_price_can_pay_it(action):
    worn = {"start_fuel_min": 10, "start_fuel_max": 10, "start_hull_min": 50, "start_hull_max": 50}
    money = {"start_credits_min": 400, "start_credits_max": 400}
    enough = world_after([], **worn, **money, **{PRICES[action]: 400})
    assert enough.masks[0, action] and reason(enough, action) == "none"
    enough.step([action])
    assert enough.render(0)["credits"] == 0
    short = world_after([], **worn, **money, **{PRICES[action]: 400.5})
    assert not short.masks[0, action] and reason(short, action) == "no_credits"


@pytest.mark.parametrize("gauge, action", [("hull", PATCH), ("tool", MAINTAIN)])
def test_what_is_whole_is_not_repaired_and_the_slightest_wear_is(gauge, action):
    almost = float(np.nextafter(np.float32(100), np.float32(0)))
    whole, worn = (
        world_after([]),
        world_after([], **{f"start_{gauge}_min": almost, f"start_{gauge}_max": almost}),
    )
    reasons = {PATCH: "hull_whole", MAINTAIN: "tool_whole", OVERHAUL: "nothing_to_repair"}
    for choice in (action, OVERHAUL):
        assert not whole.masks[0, choice] and reason(whole, choice) == reasons[choice]
        assert reason(worn, choice) != reasons[choice]
    assert worn.masks[0, action]


@pytest.mark.parametrize("supply, action", [("kits", KIT), ("stabilizers", STABILIZER), ("decoys", DECOY)])
def test_twelve_of_a_supply_is_all_that_fits(supply, action):
    rich = {"start_credits_min": 5000, "start_credits_max": 5000}
    eleven = world_after([action], **rich, **{f"start_{supply}": 11})
    assert not eleven.masks[0, action] and reason(eleven, action) == "supply_full"
    name = "repair_kits" if supply == "kits" else supply
    assert eleven.render(0)[name] == 12


def test_a_full_tank_takes_no_more_and_a_purchase_ends_at_its_brim():
    assert not world_after([]).masks[0, FUEL_SMALL:KIT].any()
    almost = world_after(
        [FUEL_LARGE], start_fuel_min=900, start_fuel_max=900, start_credits_min=1000, start_credits_max=1000
    )
    assert almost.render(0)["fuel"] == 1000


def test_cashing_out_needs_a_profit_not_just_what_one_began_with():
    world = world_after([])
    assert not world.masks[0, CASH_OUT] and reason(world, CASH_OUT) == "no_profit"
    assert world_after([], cash_out_needs_profit=False).masks[0, CASH_OUT]


def test_the_hold_takes_200_units_and_no_more():
    endless = {"richness_min": 4, "richness_max": 4, "depletion_per_unit": 0.0001}
    harmless = {"heat_dissipation": 100, "standard_wear": 0, "aggressive_wear": 0}
    world = at_work(**CALM, **endless, **harmless)
    for _ in range(3000):
        if not world.masks[0, MINE + 2]:
            break
        world.step([MINE + 2])
        assert world.render(0)["cargo_total"] <= 200
    assert world.render(0)["cargo_total"] == pytest.approx(200, abs=0.02)
    assert reason(world, MINE) == "hold_full"


def test_money_is_seen_as_a_share_of_ten_million_by_its_logarithm():
    at = load_spec("prospector").field("credits_log_norm").start
    million = world_after([], start_credits_min=1_000_000, start_credits_max=1_000_000)
    assert million.observations[0, at] == pytest.approx(np.log(1_000_001) / np.log(10_000_001), rel=1e-5)
