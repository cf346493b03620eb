"""A new belt: graph, asteroids, market. Everything is drawn at reset, in the order of the rules page.

The engine draws a node's asteroids only when the ship first arrives there; parity shows that they are the
same.
"""

import numpy as np

from .. import math32
from ..math32 import HALF, ONE, ZERO, f32, sum6
from . import layout, market
from .world import World

GRAPH_ARRAYS = ("neighbors", "edge_travel_time", "edge_fuel_cost", "edge_threat_true", "edge_threat_est")


def generate(world: World) -> None:
    """Fill a cleared world with a new belt and open its market; the ship's start is drawn afterwards."""
    _make_nodes(world)
    _make_tree(world)
    _make_loops(world)
    if world.rules.shuffle_slots:
        _shuffle_slots(world)
    world.hops_to_station = hop_distances(world)
    for node in range(1, world.node_count):
        _make_asteroids(world, node)
    market.open_market(world)


# ---- the graph ---------------------------------------------------------------------------------------------


def _make_nodes(world: World) -> None:
    rules, rng = world.rules, world.rng
    world.node_count = rng.integer(rules.nodes_min, rules.nodes_max)
    for node in range(1, world.node_count):
        hazardous = rng.unit() < rules.hazard_share
        world.node_type[node] = layout.HAZARD if hazardous else layout.CLUSTER
        world.node_hazard[node] = rng.uniform(rules.hazard_min, rules.hazard_max)
        world.node_pirate[node] = rng.uniform(rules.pirate_min, rules.pirate_max)
        if hazardous:
            world.node_hazard[node] += rules.hazard_node_hazard
            world.node_pirate[node] += rules.hazard_node_pirate


def _make_tree(world: World) -> None:
    """Join each node to a random earlier one; with `parent_has_room` to one that has a free slot."""
    for node in range(1, world.node_count):
        parents = list(range(node))
        if world.rules.parent_has_room:
            parents = [n for n in parents if _edge_count(world, n) < layout.MAX_NEIGHBORS]
        _add_edge(world, node, parents[world.rng.integer(0, len(parents) - 1)])


def _make_loops(world: World) -> None:
    for _ in range(world.node_count):
        a = world.rng.integer(0, world.node_count - 1)
        b = world.rng.integer(0, world.node_count - 1)
        if a != b:
            _add_edge(world, a, b)


def _edge_count(world: World, node: int) -> int:
    """Edges of a node; they fill its slots from 0, so this is also its first free slot."""
    return int(np.count_nonzero(world.neighbors[node] >= 0))


def _add_edge(world: World, a: int, b: int) -> None:
    """Join two nodes. Without any draw nothing happens if they are joined already or one has six edges."""
    rules, rng = world.rules, world.rng
    slot_a, slot_b = _edge_count(world, a), _edge_count(world, b)
    if b in world.neighbors[a] or layout.MAX_NEIGHBORS in (slot_a, slot_b):
        return
    ticks = rng.integer(rules.edge_ticks_min, rules.edge_ticks_max)
    fuel = rng.uniform(rules.edge_fuel_min, rules.edge_fuel_max)
    threat = _draw_threat(world, a, b)
    for here, slot, there in ((a, slot_a, b), (b, slot_b, a)):
        world.neighbors[here, slot] = there
        world.edge_travel_time[here, slot] = ticks
        world.edge_fuel_cost[here, slot] = fuel
        world.edge_threat_true[here, slot] = threat
        world.edge_threat_est[here, slot] = layout.THREAT_PRIOR


def _draw_threat(world: World, a: int, b: int) -> f32:
    hazard = HALF * (world.node_hazard[a] + world.node_hazard[b])
    pirates = HALF * (world.node_pirate[a] + world.node_pirate[b])
    return math32.clamp((hazard + pirates) + world.rules.edge_threat_sd * world.rng.normal(), ZERO, ONE)


def _shuffle_slots(world: World) -> None:
    """Fisher-Yates over each node's edges, so that a slot says nothing about its target."""
    for node in range(world.node_count):
        for i in range(_edge_count(world, node) - 1, 0, -1):
            j = world.rng.integer(0, i)
            for name in GRAPH_ARRAYS:
                slots = getattr(world, name)[node]
                slots[i], slots[j] = slots[j], slots[i]


def hop_distances(world: World, goal: int = 0) -> np.ndarray:
    """Edges on a shortest path from each node to the goal, int [32]; 31 where there is no path."""
    hops = np.full(layout.MAX_NODES, layout.MAX_NODES - 1)
    hops[goal] = 0
    queue = [goal]
    reached = {goal}
    while queue:
        node = queue.pop(0)
        for there in map(int, world.neighbors[node]):
            if there >= 0 and there not in reached:
                reached.add(there)
                hops[there] = hops[node] + 1
                queue.append(there)
    return hops


# ---- asteroids ---------------------------------------------------------------------------------------------


def _make_asteroids(world: World, node: int) -> None:
    rules, rng = world.rules, world.rng
    count = rng.integer(rules.asteroids_min, rules.asteroids_max)
    geology = _node_geology(world)
    log_richness = _node_log_richness(world, node)
    for slot in range(count):
        at = (node, slot)
        world.ast_valid[at] = True
        world.true_comp[at] = _shares(_exponentials(world, 6) * geology)
        richness = math32.exp(log_richness + rules.richness_log_sd * rng.normal())
        world.richness[at] = math32.clamp(richness, rules.richness_min, rules.richness_max)
        world.stability_true[at] = _draw_stability(world)
        world.noise_profile[at] = rng.uniform(rules.noise_min, rules.noise_max)
        world.comp_est[at] = _shares(_exponentials(world, 6))
        world.stability_est[at] = layout.STABILITY_PRIOR
        world.scan_conf[at] = layout.CONFIDENCE_PRIOR
        world.richness_est[at] = rules.richness_prior


def _node_geology(world: World) -> np.ndarray:
    """Weight of each commodity in this node's asteroids, mean 1; draws six exponentials if `geology` > 0."""
    k = world.rules.geology
    if k == 0:
        return np.ones(layout.N_COMMODITIES, np.float32)
    return (ONE - k) + k * (f32(6) * _shares(_exponentials(world, 6)))


def _node_log_richness(world: World, node: int) -> f32:
    rules = world.rules
    hazardous = world.node_type[node] == layout.HAZARD
    here = rules.richness_log_mean + (rules.richness_hazard_gain if hazardous else ZERO)
    return here + rules.richness_hop_gain * f32(world.hops_to_station[node])


def _exponentials(world: World, count: int) -> np.ndarray:
    return np.array([world.rng.exponential() for _ in range(count)], np.float32)


def _shares(parts: np.ndarray) -> np.ndarray:
    """Scaled so that the six add up to 1."""
    return parts / sum6(parts)


def _draw_stability(world: World) -> f32:
    """Beta(3, 2): the sum of three exponentials over the sum of all five."""
    b = _exponentials(world, 5)
    top = (b[0] + b[1]) + b[2]
    return top / (top + (b[3] + b[4]))
