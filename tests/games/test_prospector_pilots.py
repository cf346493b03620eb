"""What the scripted pilots of the prospector do, as their descriptions and the page say."""

import numpy as np
import pytest

import sandlot
from sandlot.evaluate.bots import seed_list
from sandlot.evaluate.play import play

SHORT = {"time_max": 3000}
PLANNING = ("greedy_miner", "cautious_scanner", "market_timer", "tour")
SCANS, SELECT, MINE, COOLDOWN, CASH_OUT, SELL, FUEL = (
    range(8, 11),
    12,
    28,
    33,
    68,
    range(43, 61),
    range(61, 64),
)


def flight(name, seed=3, config=SHORT, level=None):
    """(observation, mask, action) of every decision of one flight."""
    world = sandlot.make("prospector", config=config, autoreset=False)
    bot, memory = sandlot.bot("prospector", name if level is None else f"{name}:{level}", config=config), None
    world.reset(seeds=[seed])
    while not (world.terminated | world.truncated).any():
        actions, memory = bot.act(world.observations, world.masks, memory)
        yield world.observations[0].copy(), world.masks[0].copy(), int(actions[0])
        world.step(actions)


@pytest.mark.parametrize("name", PLANNING)
def test_no_pilot_with_a_plan_is_stranded(name):
    episodes = play("prospector", sandlot.bot("prospector", name, config=SHORT), seed_list(200), SHORT)
    assert episodes.column("stranded").sum() == 0
    assert np.median(episodes.column("net_profit")) > 10_000
    assert (episodes.column("invalid_actions") == 0).all()


def test_greedy_never_scans_mines_hard_and_sells_all_at_once():
    actions = {action for _, _, action in flight("greedy_miner")}
    assert not actions & set(SCANS)
    assert {a for a in actions if MINE <= a < MINE + 3} == {MINE + 2}
    assert {(a - SELL.start) % 3 for a in actions if a in SELL} == {2}


def test_cautious_scans_first_mines_gently_and_sells_by_halves():
    made = [action for _, _, action in flight("cautious_scanner")]
    assert {a for a in made if MINE <= a < MINE + 3} == {MINE}
    assert {(a - SELL.start) % 3 for a in made if a in SELL} == {1}
    assert next(a for a in made if a in SCANS or MINE <= a < MINE + 3) in SCANS


def test_the_tour_mines_harder_the_firmer_an_asteroid_is():
    used = set()
    for seen, _, action in flight("tour"):
        rocks = seen[68:244].reshape(16, 11)
        if MINE <= action < MINE + 3:
            (rock,) = rocks[rocks[:, 10] > 0]
            firm = rock[7] - 0.25 * rock[8]  # estimated stability, less what is taken already
            assert action - MINE == (2 if firm > 0.65 else 1 if firm > 0.32 else 0)
            used.add(action)
    assert len(used) == 3


@pytest.mark.parametrize("name, hot", [("greedy_miner", 0.75), ("cautious_scanner", 0.60), ("tour", 0.55)])
def test_a_pilot_cools_down_above_its_own_heat_and_not_below(name, hot):
    cooled = [seen[2] for seen, _, action in flight(name) if action == COOLDOWN]
    mined = [seen[2] for seen, mask, action in flight(name) if MINE <= action < MINE + 3 and mask[COOLDOWN]]
    assert min(cooled) > hot >= max(mined)


@pytest.mark.parametrize("name, full", [("greedy_miner", 0.85), ("cautious_scanner", 0.70), ("tour", 0.92)])
def test_a_pilot_does_not_go_on_mining_with_a_full_hold(name, full):
    loads = [seen[4] for seen, _, action in flight(name) if MINE <= action < MINE + 3]
    assert full - 0.1 < max(loads) <= full


@pytest.mark.parametrize(
    "missing, purchase", [(310, 63), (300, 62), (110, 62), (100, 61), (21, 61), (20, None)]
)
def test_a_pilot_buys_no_more_fuel_than_up_to_950(missing, purchase):
    """Large where more than 300 are missing, medium above 100, small above 20."""
    start = {"start_fuel_min": 950 - missing, "start_fuel_max": 950 - missing}
    config = SHORT | start | {"start_credits_min": 3000, "start_credits_max": 3000}
    _, _, first = next(flight("greedy_miner", config=config))
    assert (first if first in FUEL else None) == purchase


def test_a_pilot_forgets_the_last_flight_when_a_new_one_begins():
    bot = sandlot.bot("prospector", "tour", config=SHORT)
    world = sandlot.make("prospector", config=SHORT, autoreset=False)
    world.reset(seeds=[5])
    memory = bot.start(1)
    while not (world.terminated | world.truncated).any():
        actions, memory = bot.act(world.observations, world.masks, memory)
        world.step(actions)
    fresh = bot.start(1)
    memory[:, :2] = fresh[:, :2]  # the generator goes on; all else is of the flight
    assert not np.array_equal(memory, fresh)
    world.reset(seeds=[6])
    first, after = bot.act(world.observations, world.masks, memory)
    expected, wanted = bot.act(world.observations, world.masks, fresh)
    assert np.array_equal(first, expected) and np.array_equal(after, wanted)


def test_doing_nothing_is_holding_and_random_play_is_legal_and_varied():
    assert {action for _, _, action in flight("do_nothing", config={"time_max": 50})} == {6}
    drawn = [(mask[action], action) for seed in range(12) for _, mask, action in flight("random_legal", seed)]
    assert all(legal for legal, _ in drawn) and len({action for _, action in drawn}) > 30
