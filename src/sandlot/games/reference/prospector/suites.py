"""Suites of actions for the parity harness: random, adversarial, and scripts that aim at certain states.

A script plays one episode and never stops by itself. Scripts read the twin's hidden state: their purpose is
to exercise every rule, not to play well. Few of them cash out, because an ending every few dozen steps would
leave the states of long episodes uncompared.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import count
from random import Random

import numpy as np

from ..interface import Suite
from . import layout
from .generate import hop_distances
from .twin import ProspectorTwin

Actions = Iterator[int]

OUTSIDE_IDS = (-1, -3, -5, 69, 74, 200, 255, 256, -(2**31), 2**31 - 1)
LOW_FUEL = 400
LOW_HULL = 50


# ---- parts of scripts --------------------------------------------------------------------------------------


def _edges(twin: ProspectorTwin) -> list[int]:
    """Slots of the present node that hold an edge."""
    return [int(slot) for slot in np.flatnonzero(twin.neighbors[twin.current_node] >= 0)]


def _travel_to(twin: ProspectorTwin, goal: int) -> Actions:
    """Follow a shortest path until a hop is refused, for lack of fuel."""
    hops = hop_distances(twin, goal)
    while twin.current_node != goal:
        slot = min(_edges(twin), key=lambda slot: hops[twin.neighbors[twin.current_node, slot]])
        if not twin.mask()[layout.TRAVEL + slot]:
            return
        yield layout.TRAVEL + slot


def _travel_home(twin: ProspectorTwin) -> Actions:
    """Travel to the station; without fuel for the next hop, cool down until the episode ends."""
    while not twin.at_station():
        yield from _travel_to(twin, 0)
        if not twin.at_station():
            yield layout.COOLDOWN


def _wander(twin: ProspectorTwin, rng: Random, hops: int) -> Actions:
    """A random walk that avoids the station, as long as the fuel allows it."""
    for _ in range(hops):
        slots = [s for s in _edges(twin) if twin.neighbors[twin.current_node, s] != 0] or _edges(twin)
        slots = [s for s in slots if twin.mask()[layout.TRAVEL + s]]
        if not slots:
            return
        yield layout.TRAVEL + rng.choice(slots)


def _leave_station(twin: ProspectorTwin, rng: Random) -> Actions:
    while twin.at_station():
        before = twin.ticks_elapsed
        yield from _wander(twin, rng, 1)
        if twin.ticks_elapsed == before:
            yield layout.HOLD


def _minable_slots(twin: ProspectorTwin) -> list[int]:
    return [slot for slot in range(layout.MAX_ASTEROIDS) if twin.minable(slot)]


def _select_asteroid(twin: ProspectorTwin, rng: Random) -> Actions:
    rocks = _minable_slots(twin)
    if rocks:
        yield layout.SELECT + rng.choice(rocks)


def _sell_everything(twin: ProspectorTwin, rng: Random) -> Actions:
    for commodity in range(layout.N_COMMODITIES):
        share = rng.randrange(3)
        yield layout.SELL + 3 * commodity + share
        if share < 2:
            yield layout.SELL + 3 * commodity + 2


def _shop(twin: ProspectorTwin, rng: Random) -> Actions:
    """Buy fuel first, then an overhaul, then items at random."""
    while twin.fuel < 2 * LOW_FUEL and twin.mask()[layout.BUY_FUEL : layout.BUY_FUEL + 3].any():
        yield rng.choice([i for i in range(layout.BUY_FUEL, layout.BUY_FUEL + 3) if twin.mask()[i]])
    if twin.mask()[layout.OVERHAUL]:
        yield layout.OVERHAUL
    for item in (layout.BUY_KIT, layout.BUY_STABILIZER, layout.BUY_DECOY):
        if twin.mask()[item] and rng.random() < 0.5:
            yield item


def _repair(twin: ProspectorTwin) -> Actions:
    """Use repair kits at low hull or tool, and cool down when hot."""
    if twin.hull < LOW_HULL and twin.mask()[layout.PATCH_HULL]:
        yield layout.PATCH_HULL
    if twin.tool_condition < LOW_HULL and twin.mask()[layout.MAINTAIN_TOOL]:
        yield layout.MAINTAIN_TOOL
    if twin.heat > 70:
        yield layout.COOLDOWN


# ---- scripts -----------------------------------------------------------------------------------------------


def _random_ids(twin: ProspectorTwin, rng: Random) -> Actions:
    while True:
        yield rng.randint(-5, 74)


def random_legal(twin: ProspectorTwin, rng: Random) -> Actions:
    """Uniform over legal ids, but cash-out is chosen rarely, so that episodes last."""
    while True:
        legal = [int(action) for action in np.flatnonzero(twin.mask())]
        action = rng.choice(legal)
        if action != layout.CASH_OUT or rng.random() < 0.02:
            yield action


def _adversarial(twin: ProspectorTwin, rng: Random) -> Actions:
    """Actions that the rules refuse: trades in the field, no selection, empty slots, unknown ids."""
    while True:
        yield from _leave_station(twin, rng)
        for _ in range(rng.randint(5, 40)):
            yield from rng.choice(ADVERSARIAL_PARTS)(twin, rng)
        yield from _travel_home(twin)
        yield from _refused_at_station(twin, rng)
        yield from _sell_everything(twin, rng)
        yield from _shop(twin, rng)


def _trade_in_the_field(twin: ProspectorTwin, rng: Random) -> Actions:
    yield rng.randint(layout.DOCK, layout.OVERHAUL)


def _work_without_selection(twin: ProspectorTwin, rng: Random) -> Actions:
    """Lose the selection by leaving, then scan, mine and stabilise."""
    yield from _wander(twin, rng, 1)
    for _ in range(3):
        yield rng.choice((9, 10, 28, 29, 30, 31))


def _select_empty_slot(twin: ProspectorTwin, rng: Random) -> Actions:
    rocks = _minable_slots(twin)
    empty = [s for s in range(layout.MAX_ASTEROIDS) if s not in rocks]
    if empty:
        yield layout.SELECT + rng.choice(empty)


def _travel_empty_slot(twin: ProspectorTwin, rng: Random) -> Actions:
    empty = [s for s in range(layout.MAX_NEIGHBORS) if s not in _edges(twin)]
    if empty:
        yield layout.TRAVEL + rng.choice(empty)


def _burns_and_cooldowns(twin: ProspectorTwin, rng: Random) -> Actions:
    for _ in range(rng.randint(1, 4)):
        yield rng.choice((layout.BURN, layout.COOLDOWN))


def _outside_id(twin: ProspectorTwin, rng: Random) -> Actions:
    yield rng.choice(OUTSIDE_IDS)


def _jettison_anything(twin: ProspectorTwin, rng: Random) -> Actions:
    yield layout.JETTISON + rng.randrange(layout.N_COMMODITIES)


def _keep_stabilized_slot(twin: ProspectorTwin, rng: Random) -> Actions:
    """Stabilise a slot, leave at once, and mine the same slot at the next node."""
    yield from _select_asteroid(twin, rng)
    slot = twin.selected_asteroid
    yield layout.STABILIZE
    yield from _wander(twin, rng, 1)
    yield layout.SELECT + max(0, slot)
    yield from (layout.MINE + 2, layout.MINE + 2)


def _some_mining(twin: ProspectorTwin, rng: Random) -> Actions:
    yield from _select_asteroid(twin, rng)
    for _ in range(rng.randint(1, 6)):
        yield layout.MINE + rng.randrange(3)


ADVERSARIAL_PARTS = (
    _trade_in_the_field,
    _work_without_selection,
    _select_empty_slot,
    _travel_empty_slot,
    _burns_and_cooldowns,
    _outside_id,
    _jettison_anything,
    _some_mining,
    _keep_stabilized_slot,
)


def _refused_at_station(twin: ProspectorTwin, rng: Random) -> Actions:
    for _ in range(rng.randint(3, 10)):
        if twin.at_station():
            yield rng.choice((8, 9, 10, 11, 28, 29, 30, 31, 32, 42, 42, 64, 65, 66, 67, *OUTSIDE_IDS))


def scenarios(twin: ProspectorTwin, rng: Random) -> Actions:
    """Trips, careful or overheated: out, scan, select, mine, cool, home, dock, sell, again."""
    while True:
        yield from _leave_station(twin, rng)
        yield from _wander(twin, rng, rng.randrange(2))
        yield from _work_and_sell(twin, rng)


def _work_and_sell(twin: ProspectorTwin, rng: Random) -> Actions:
    """The rest of a trip, from the field where the ship is."""
    yield layout.WIDE_SCAN
    yield from rng.choice((_work_carefully, _run_hot))(twin, rng)
    yield from _travel_home(twin)
    yield layout.DOCK
    yield from _sell_everything(twin, rng)
    yield from _shop(twin, rng)


def _work_carefully(twin: ProspectorTwin, rng: Random) -> Actions:
    for _ in range(rng.randint(1, 4)):
        yield from _select_asteroid(twin, rng)
        yield rng.choice((layout.FOCUSED_SCAN, layout.DEEP_SCAN))
        yield layout.STABILIZE
        for _ in range(rng.randint(2, 10)):
            if twin.selected_asteroid >= 0:
                yield layout.MINE + rng.randrange(2)
        yield from _repair(twin)
    yield rng.choice((layout.REFINE, layout.LISTEN, layout.HOLD))


def _run_hot(twin: ProspectorTwin, rng: Random) -> Actions:
    """Aggressive mining, asteroid after asteroid, until the ship overheats."""
    before = twin.overheat_ticks
    for _ in range(60):
        if twin.overheat_ticks > before or twin.hull < LOW_HULL / 2:
            return
        if twin.selected_asteroid < 0 or twin.depletion[twin.current_node, twin.selected_asteroid] >= 1:
            if not _minable_slots(twin):
                return
            yield from _select_asteroid(twin, rng)
        yield layout.MINE + 2


def _novelty(twin: ProspectorTwin, rng: Random) -> Actions:
    """Trips in which half of the actions are the one taken least often so far, legal ones first."""
    seen: Counter[tuple[int, bool]] = Counter()
    trips = _trips_to_extremes(twin, rng)
    while True:
        choices = [(i, bool(legal)) for i, legal in enumerate(twin.mask())]
        if rng.random() < 0.5:
            choices.remove((layout.CASH_OUT, choices[layout.CASH_OUT][1]))
            choice = min(choices, key=lambda choice: (seen[choice], not choice[1], rng.random()))
        else:
            choice = choices[next(trips)]
        seen[choice] += 1
        yield choice[0]


def _trips_to_extremes(twin: ProspectorTwin, rng: Random) -> Actions:
    """Trips to nodes whose last edge or asteroid slot is in use, and to dead ends.

    At other nodes the actions of those slots are always refused, or never.
    """
    while True:
        fields = range(1, twin.node_count)
        crowded = [n for n in fields if twin.neighbors[n, -1] >= 0 or twin.ast_valid[n, -1]]
        dead_ends = [n for n in fields if twin.neighbors[n, 1] < 0]
        yield from _travel_to(twin, rng.choice(rng.choice((crowded, dead_ends)) or fields))
        yield from _work_and_sell(twin, rng)


def _fill_hold(twin: ProspectorTwin, rng: Random) -> Actions:
    """Fill the hold, jettison the commodity of which there is least, and fill it again."""
    while True:
        yield from _leave_station(twin, rng)
        while twin.hull > LOW_HULL / 2 and _minable_slots(twin):
            yield from _mine_the_richest(twin)
            if layout.CARGO_MAX - twin.cargo_total() < 1:
                yield layout.JETTISON + int(twin.cargo.argmin())
            yield from _repair(twin)
        yield from _wander(twin, rng, 1) if twin.hull > LOW_HULL / 2 else _travel_home(twin)
        if twin.at_station():
            yield from _sell_everything(twin, rng)


def _mine_the_richest(twin: ProspectorTwin) -> Actions:
    """Up to eight times at the asteroid with most ore left."""
    here = twin.current_node
    ore = twin.richness[here] * (1 - twin.depletion[here])
    yield layout.SELECT + max(_minable_slots(twin), key=lambda slot: ore[slot])
    for _ in range(8):
        if twin.mask()[layout.MINE + 1]:
            yield layout.MINE + 1


def _endings(twin: ProspectorTwin, rng: Random) -> Actions:
    """One ending per episode, by its seed; seeds follow one another, so each ending has its turn."""
    ways = (_get_destroyed, _get_stranded, _cash_out, _run_out_of_time)
    yield from ways[(twin.seed or 0) % len(ways)](twin, rng)


def _get_destroyed(twin: ProspectorTwin, rng: Random) -> Actions:
    """Towards destroyed: mine aggressively and never repair."""
    while True:
        yield from _leave_station(twin, rng)
        yield from _mine_until_depleted(twin, rng)
        yield from _wander(twin, rng, 1)


def _mine_until_depleted(twin: ProspectorTwin, rng: Random) -> Actions:
    while rocks := _minable_slots(twin):
        yield layout.SELECT + rng.choice(rocks)
        while twin.depletion[twin.current_node, twin.selected_asteroid] < 1 and twin.mask()[layout.MINE + 2]:
            yield layout.MINE + 2
        if not twin.mask()[layout.MINE + 2] and twin.depletion[twin.current_node, twin.selected_asteroid] < 1:
            yield layout.JETTISON + rng.randrange(layout.N_COMMODITIES)


def _get_stranded(twin: ProspectorTwin, rng: Random) -> Actions:
    """Towards stranded: leave and burn all fuel."""
    yield from _leave_station(twin, rng)
    while True:
        yield from _wander(twin, rng, 2)
        yield from rng.choice(((layout.BURN,), (layout.BURN, layout.WIDE_SCAN), (layout.COOLDOWN,)))


def _cash_out(twin: ProspectorTwin, rng: Random) -> Actions:
    """Towards cash-out: some trips, then cash out as soon as the station allows it."""
    trips, min_steps = scenarios(twin, rng), rng.randint(20, 150)
    for step in count():
        ready = step >= min_steps and twin.at_station() and twin.mask()[layout.CASH_OUT]
        yield layout.CASH_OUT if ready else next(trips)


def _run_out_of_time(twin: ProspectorTwin, rng: Random) -> Actions:
    """Towards time: burn all fuel at the station, try actions refused then, and listen until the end."""
    while twin.fuel > twin.rules.burn_fuel:
        yield layout.BURN
    refused = [action for action, legal in enumerate(twin.mask()) if not legal]
    yield from rng.sample(refused, min(20, len(refused)))
    yield from (action for action in (layout.TRAVEL, layout.BURN, layout.CASH_OUT) if action in refused)
    while True:
        yield layout.LISTEN if rng.random() < 0.95 else layout.HOLD


SUITES = (
    Suite("random", _random_ids),
    Suite("adversarial", _adversarial),
    Suite("scenarios", scenarios),
    Suite("legal", random_legal),
    Suite("novelty", _novelty),
    Suite("endings", _endings),
    Suite("hoard", _fill_hold),
    Suite("tour", bot="tour"),
    Suite("greedy_miner", bot="greedy_miner"),
    Suite("cautious_scanner", bot="cautious_scanner"),
    Suite("market_timer", bot="market_timer"),
)
