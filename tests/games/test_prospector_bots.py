"""What the scripted pilots show about the game: watching the market is worth it, because prices move."""

import functools

import numpy as np

import sandlot
from sandlot.evaluate.bots import seed_list
from sandlot.evaluate.play import play

EPISODES = 150
FLAT = {"amplitude_min": 0, "amplitude_max": 0, "price_noise_scale": 0, "shock_rate": 0}  # prices stand still


def profits(name, config=None):
    """Net profit of every seed of the benchmark's list, in its order."""
    seeds = seed_list(EPISODES)
    episodes = play("prospector", sandlot.bot("prospector", name, config=config), seeds, config)
    by_seed = dict(zip(episodes.column("seed").tolist(), episodes.column("net_profit").tolist(), strict=True))
    return np.array([by_seed[seed] for seed in seeds])


@functools.cache
def advantage(flat=False):
    """Mean profit of market_timer above greedy_miner, on the same seeds, and half of its 95 % interval."""
    config = FLAT if flat else None
    difference = profits("market_timer", config) - profits("greedy_miner", config)
    return difference.mean(), 1.96 * difference.std(ddof=1) / np.sqrt(EPISODES)


def test_timing_the_market_earns_more_than_the_same_mining_without():
    mean, half = advantage()
    assert mean > 15_000, f"{mean:.0f} credits a flight"
    assert mean - half > 0, f"{mean:.0f} ± {half:.0f}"


def test_where_prices_stand_still_there_is_nothing_to_time():
    moving, _ = advantage()
    still, half = advantage(flat=True)
    assert still < moving / 2 and still - half < 0


def test_a_timer_leaves_no_ore_unsold():
    seeds = seed_list(EPISODES)
    with sandlot.make("prospector", config={"time_max": 4000}, autoreset=False) as world:
        bot = sandlot.bot("prospector", "market_timer", config={"time_max": 4000})
        aboard = []
        for seed in seeds[:10]:
            world.reset(seeds=[seed])
            state = bot.start(1)
            while not (world.terminated | world.truncated).any():
                actions, state = bot.act(world.observations, world.masks, state)
                world.step(actions)
            if world.terminated.any() and world.info(0)["survival"]:
                aboard.append(world.render(0)["cargo_total"])
    assert len(aboard) > 5 and max(aboard) < 15, "it cashes out with an empty hold"
