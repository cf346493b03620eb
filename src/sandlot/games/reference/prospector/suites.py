"""Actions for the parity harness: blind ones, hostile ones, and scripts that read the twin to get somewhere.

A script plays one episode and never stops by itself. Scripts read hidden state freely: they are not players,
they are there to drag both sides through every rule. Only the scripts that mean to cash out do so, because
an ending every few dozen decisions would leave long-lived states uncompared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import count
from random import Random

import numpy as np

from ..kit import Suite
from . import layout
from .generate import hop_distances
from .twin import ProspectorTwin

Actions = Iterator[int]

OUTSIDE_IDS = (-1, -3, -5, 69, 74, 200, 255, 256, -(2**31), 2**31 - 1)
LOW_FUEL = 400
LOW_HULL = 50


# ---- small errands -----------------------------------------------------------------------------------------


def at_station(twin: ProspectorTwin) -> bool:
    return twin.current_node == 0


def edges(twin: ProspectorTwin) -> list[int]:
    """Slots of the present node that lead somewhere."""
    return [int(slot) for slot in np.flatnonzero(twin.neighbors[twin.current_node] >= 0)]


def travel_to(twin: ProspectorTwin, goal: int) -> Actions:
    """One hop at a time along a shortest way, as far as the fuel allows."""
    hops = hop_distances(twin, goal)
    while twin.current_node != goal:
        slot = min(edges(twin), key=lambda slot: hops[twin.neighbors[twin.current_node, slot]])
        if not twin.mask()[layout.TRAVEL + slot]:
            return
        yield layout.TRAVEL + slot


def travel_home(twin: ProspectorTwin) -> Actions:
    """Home; where there is no fuel for the next hop, time passes until the end."""
    while not at_station(twin):
        yield from travel_to(twin, 0)
        if not at_station(twin):
            yield layout.COOLDOWN


def wander(twin: ProspectorTwin, rng: Random, hops: int) -> Actions:
    """A walk over fields, as long as the fuel allows it."""
    for _ in range(hops):
        slots = [s for s in edges(twin) if twin.neighbors[twin.current_node, s] != 0] or edges(twin)
        slots = [s for s in slots if twin.mask()[layout.TRAVEL + s]]
        if not slots:
            return
        yield layout.TRAVEL + rng.choice(slots)


def leave_station(twin: ProspectorTwin, rng: Random) -> Actions:
    while at_station(twin):
        before = twin.ticks_elapsed
        yield from wander(twin, rng, 1)
        if twin.ticks_elapsed == before:
            yield layout.HOLD


def live_rocks(twin: ProspectorTwin) -> list[int]:
    here = twin.current_node
    return [s for s in range(layout.MAX_ASTEROIDS) if twin.ast_valid[here, s] and twin.depletion[here, s] < 1]


def select_rock(twin: ProspectorTwin, rng: Random) -> Actions:
    rocks = live_rocks(twin)
    if rocks:
        yield layout.SELECT + rng.choice(rocks)


def sell_everything(twin: ProspectorTwin, rng: Random) -> Actions:
    for commodity in range(layout.N_COMMODITIES):
        share = rng.randrange(3)
        yield layout.SELL + 3 * commodity + share
        if share < 2:
            yield layout.SELL + 3 * commodity + 2


def shop(twin: ProspectorTwin, rng: Random) -> Actions:
    """Fuel first, then whatever the purse allows."""
    while twin.fuel < 2 * LOW_FUEL and twin.mask()[layout.BUY_FUEL : layout.BUY_FUEL + 3].any():
        yield rng.choice([i for i in range(layout.BUY_FUEL, layout.BUY_FUEL + 3) if twin.mask()[i]])
    if twin.mask()[layout.OVERHAUL]:
        yield layout.OVERHAUL
    for item in (layout.BUY_KIT, layout.BUY_STABILIZER, layout.BUY_DECOY):
        if twin.mask()[item] and rng.random() < 0.5:
            yield item


def keep_ship(twin: ProspectorTwin) -> Actions:
    """Spend kits where the ship needs them."""
    if twin.hull < LOW_HULL and twin.mask()[layout.PATCH_HULL]:
        yield layout.PATCH_HULL
    if twin.tool_condition < LOW_HULL and twin.mask()[layout.MAINTAIN_TOOL]:
        yield layout.MAINTAIN_TOOL
    if twin.heat > 70:
        yield layout.COOLDOWN


# ---- scripts -----------------------------------------------------------------------------------------------


def random_ids(twin: ProspectorTwin, rng: Random) -> Actions:
    while True:
        yield rng.randint(-5, 74)


def random_legal(twin: ProspectorTwin, rng: Random) -> Actions:
    """Legal ids only; leaving by cash-out is rare enough to let episodes grow old."""
    while True:
        legal = [int(action) for action in np.flatnonzero(twin.mask())]
        action = rng.choice(legal)
        if action != layout.CASH_OUT or rng.random() < 0.02:
            yield action


def adversarial(twin: ProspectorTwin, rng: Random) -> Actions:
    """Everything at the wrong place: trades in the field, work on nothing, empty slots, ids from nowhere."""
    while True:
        yield from leave_station(twin, rng)
        for _ in range(rng.randint(5, 40)):
            yield from rng.choice(MISCHIEF)(twin, rng)
        yield from travel_home(twin)
        yield from station_nonsense(twin, rng)
        yield from sell_everything(twin, rng)
        yield from shop(twin, rng)


def trade_afield(twin: ProspectorTwin, rng: Random) -> Actions:
    yield rng.randint(layout.DOCK, layout.OVERHAUL)


def work_on_nothing(twin: ProspectorTwin, rng: Random) -> Actions:
    """Lose the selection by leaving, then scan, mine and stabilise all the same."""
    yield from wander(twin, rng, 1)
    for _ in range(3):
        yield rng.choice((9, 10, 28, 29, 30, 31))


def select_nothing(twin: ProspectorTwin, rng: Random) -> Actions:
    rocks = live_rocks(twin)
    empty = [s for s in range(layout.MAX_ASTEROIDS) if s not in rocks]
    if empty:
        yield layout.SELECT + rng.choice(empty)


def empty_slot(twin: ProspectorTwin, rng: Random) -> Actions:
    empty = [s for s in range(layout.MAX_NEIGHBORS) if s not in edges(twin)]
    if empty:
        yield layout.TRAVEL + rng.choice(empty)


def burns_and_cooldowns(twin: ProspectorTwin, rng: Random) -> Actions:
    for _ in range(rng.randint(1, 4)):
        yield rng.choice((layout.BURN, layout.COOLDOWN))


def outside_id(twin: ProspectorTwin, rng: Random) -> Actions:
    yield rng.choice(OUTSIDE_IDS)


def drop_what_is_not_there(twin: ProspectorTwin, rng: Random) -> Actions:
    yield layout.JETTISON + rng.randrange(layout.N_COMMODITIES)


def carry_a_timer(twin: ProspectorTwin, rng: Random) -> Actions:
    """Stabilise a slot, leave at once, and mine the same slot elsewhere."""
    yield from select_rock(twin, rng)
    slot = twin.selected_asteroid
    yield layout.STABILIZE
    yield from wander(twin, rng, 1)
    yield layout.SELECT + max(0, slot)
    yield from (layout.MINE + 2, layout.MINE + 2)


def some_mining(twin: ProspectorTwin, rng: Random) -> Actions:
    yield from select_rock(twin, rng)
    for _ in range(rng.randint(1, 6)):
        yield layout.MINE + rng.randrange(3)


MISCHIEF = (
    trade_afield,
    work_on_nothing,
    select_nothing,
    empty_slot,
    burns_and_cooldowns,
    outside_id,
    drop_what_is_not_there,
    some_mining,
    carry_a_timer,
)


def station_nonsense(twin: ProspectorTwin, rng: Random) -> Actions:
    for _ in range(rng.randint(3, 10)):
        if at_station(twin):
            yield rng.choice((8, 9, 10, 11, 28, 29, 30, 31, 32, 42, 42, 64, 65, 66, 67, *OUTSIDE_IDS))


def scenarios(twin: ProspectorTwin, rng: Random) -> Actions:
    """Honest trips and hot ones: out, scan, select, mine, cool, home, dock, sell, again."""
    while True:
        yield from leave_station(twin, rng)
        yield from wander(twin, rng, rng.randrange(2))
        yield from work_and_sell(twin, rng)


def work_and_sell(twin: ProspectorTwin, rng: Random) -> Actions:
    """The rest of a trip, from the field it has come to."""
    yield layout.WIDE_SCAN
    yield from rng.choice((work_carefully, run_hot))(twin, rng)
    yield from travel_home(twin)
    yield layout.DOCK
    yield from sell_everything(twin, rng)
    yield from shop(twin, rng)


def work_carefully(twin: ProspectorTwin, rng: Random) -> Actions:
    for _ in range(rng.randint(1, 4)):
        yield from select_rock(twin, rng)
        yield rng.choice((layout.FOCUSED_SCAN, layout.DEEP_SCAN))
        yield layout.STABILIZE
        for _ in range(rng.randint(2, 10)):
            if twin.selected_asteroid >= 0:
                yield layout.MINE + rng.randrange(2)
        yield from keep_ship(twin)
    yield rng.choice((layout.REFINE, layout.LISTEN, layout.HOLD))


def run_hot(twin: ProspectorTwin, rng: Random) -> Actions:
    """Aggressive mining, rock after rock, until the heat has spilled over."""
    before = twin.overheat_ticks
    for _ in range(60):
        if twin.overheat_ticks > before or twin.hull < LOW_HULL / 2:
            return
        if twin.selected_asteroid < 0 or twin.depletion[twin.current_node, twin.selected_asteroid] >= 1:
            if not live_rocks(twin):
                return
            yield from select_rock(twin, rng)
        yield layout.MINE + 2


def novelty(twin: ProspectorTwin, rng: Random) -> Actions:
    """Trips in which every second decision is the one least often seen, legal ones first."""
    seen: Counter[tuple[int, bool]] = Counter()
    trips = trips_to_extremes(twin, rng)
    while True:
        choices = [(i, bool(legal)) for i, legal in enumerate(twin.mask())]
        if rng.random() < 0.5:
            choices.remove((layout.CASH_OUT, choices[layout.CASH_OUT][1]))
            choice = min(choices, key=lambda choice: (seen[choice], not choice[1], rng.random()))
        else:
            choice = choices[next(trips)]
        seen[choice] += 1
        yield choice[0]


def trips_to_extremes(twin: ProspectorTwin, rng: Random) -> Actions:
    """Trips to nodes whose last slots, of edges or asteroids, are taken, and to dead ends: elsewhere some ids
    are always refused, or never."""
    while True:
        fields = range(1, twin.node_count)
        crowded = [n for n in fields if twin.neighbors[n, -1] >= 0 or twin.ast_valid[n, -1]]
        dead_ends = [n for n in fields if twin.neighbors[n, 1] < 0]
        yield from travel_to(twin, rng.choice(rng.choice((crowded, dead_ends)) or fields))
        yield from work_and_sell(twin, rng)


def hoard(twin: ProspectorTwin, rng: Random) -> Actions:
    """Fill the hold to the brim, drop the smallest heap and fill it again."""
    while True:
        yield from leave_station(twin, rng)
        while twin.hull > LOW_HULL / 2 and live_rocks(twin):
            yield from mine_the_fullest(twin)
            if layout.CARGO_MAX - twin.cargo_total() < 1:
                yield layout.JETTISON + int(twin.cargo.argmin())
            yield from keep_ship(twin)
        yield from wander(twin, rng, 1) if twin.hull > LOW_HULL / 2 else travel_home(twin)
        if at_station(twin):
            yield from sell_everything(twin, rng)


def mine_the_fullest(twin: ProspectorTwin) -> Actions:
    """A few ticks at the rock that has most left, then on to the next."""
    here = twin.current_node
    yield layout.SELECT + max(
        live_rocks(twin), key=lambda s: twin.richness[here, s] * (1 - twin.depletion[here, s])
    )
    for _ in range(8):
        if twin.mask()[layout.MINE + 1]:
            yield layout.MINE + 1


def endings(twin: ProspectorTwin, rng: Random) -> Actions:
    """Each episode towards an ending of its own; seeds follow one another, so all have their turn."""
    ways = (wreck, strand, retire, sit_it_out)
    yield from ways[(twin.seed or 0) % len(ways)](twin, rng)


def wreck(twin: ProspectorTwin, rng: Random) -> Actions:
    """Mine hard and never repair."""
    while True:
        yield from leave_station(twin, rng)
        yield from run_hot_forever(twin, rng)
        yield from wander(twin, rng, 1)


def run_hot_forever(twin: ProspectorTwin, rng: Random) -> Actions:
    while rocks := live_rocks(twin):
        yield layout.SELECT + rng.choice(rocks)
        while twin.depletion[twin.current_node, twin.selected_asteroid] < 1 and twin.mask()[layout.MINE + 2]:
            yield layout.MINE + 2
        if not twin.mask()[layout.MINE + 2] and twin.depletion[twin.current_node, twin.selected_asteroid] < 1:
            yield layout.JETTISON + rng.randrange(layout.N_COMMODITIES)


def strand(twin: ProspectorTwin, rng: Random) -> Actions:
    """Leave and burn the tank dry."""
    yield from leave_station(twin, rng)
    while True:
        yield from wander(twin, rng, 2)
        yield from rng.choice(((layout.BURN,), (layout.BURN, layout.WIDE_SCAN), (layout.COOLDOWN,)))


def retire(twin: ProspectorTwin, rng: Random) -> Actions:
    """A few trips, then out at the first chance in port."""
    trips, patience = scenarios(twin, rng), rng.randint(20, 150)
    for made in count():
        ready = made >= patience and at_station(twin) and twin.mask()[layout.CASH_OUT]
        yield layout.CASH_OUT if ready else next(trips)


def sit_it_out(twin: ProspectorTwin, rng: Random) -> Actions:
    """Burn the tank dry in port, ask for what is refused then, and listen until the clock stops."""
    while twin.fuel > twin.rules.burn_fuel:
        yield layout.BURN
    refused = [action for action, legal in enumerate(twin.mask()) if not legal]
    yield from rng.sample(refused, min(20, len(refused)))
    yield from (action for action in (layout.TRAVEL, layout.BURN, layout.CASH_OUT) if action in refused)
    while True:
        yield layout.LISTEN if rng.random() < 0.95 else layout.HOLD


SUITES = (
    Suite("random", "uniform ids from -5 to 74, illegal ones among them", random_ids),
    Suite("adversarial", "trades in the field, work on nothing, empty slots, ids from nowhere", adversarial),
    Suite("scenarios", "scan, select, mine, cool, return, dock, sell; and hot runs", scenarios),
    Suite("legal", "uniform legal ids, cash-out rarely", random_legal),
    Suite("novelty", "trips to crowded nodes and dead ends, with the least seen action thrown in", novelty),
    Suite("endings", "each episode towards destruction, stranding, cash-out or the clock", endings),
    Suite("hoard", "mining until the hold is full, and on", hoard),
    Suite("tour", "the library's competent player", bot="tour"),
    Suite("greedy_miner", "the library's greedy miner", bot="greedy_miner"),
    Suite("cautious_scanner", "the library's cautious scanner", bot="cautious_scanner"),
    Suite("market_timer", "the library's market timer", bot="market_timer"),
)
