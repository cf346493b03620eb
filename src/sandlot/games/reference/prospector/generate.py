"""A new belt: graph, asteroids, market. Everything is drawn at once, in the order that the rules page gives.

The core draws a node's asteroids when the ship first arrives there; that it gives the same rocks is one of
the things this twin proves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import math32
from ..math32 import HALF, ONE, ZERO, f32
from . import layout, market
from .sums import sum6

if TYPE_CHECKING:
    from .twin import ProspectorTwin

GRAPH_ARRAYS = ("neighbors", "edge_travel_time", "edge_fuel_cost", "edge_threat_true", "edge_threat_est")


def generate(twin: ProspectorTwin) -> None:
    make_nodes(twin)
    make_tree(twin)
    make_loops(twin)
    if twin.rules.shuffle_slots:
        shuffle_slots(twin)
    twin.hops_to_station = hop_distances(twin)
    for node in range(1, twin.node_count):
        make_asteroids(twin, node)
    market.open_market(twin)


# ---- the graph ---------------------------------------------------------------------------------------------


def make_nodes(twin: ProspectorTwin) -> None:
    rules, rng = twin.rules, twin.rng
    twin.node_count = rng.integer(rules.nodes_min, rules.nodes_max)
    for node in range(1, twin.node_count):
        hazardous = rng.unit() < rules.hazard_share
        twin.node_type[node] = layout.HAZARD if hazardous else layout.CLUSTER
        twin.node_hazard[node] = rng.uniform(rules.hazard_min, rules.hazard_max)
        twin.node_pirate[node] = rng.uniform(rules.pirate_min, rules.pirate_max)
        if hazardous:
            twin.node_hazard[node] += rules.hazard_node_hazard
            twin.node_pirate[node] += rules.hazard_node_pirate


def make_tree(twin: ProspectorTwin) -> None:
    """Each node picks a parent below it; a parent without room would leave the node cut off."""
    for node in range(1, twin.node_count):
        parents = list(range(node))
        if twin.rules.parent_has_room:
            parents = [n for n in parents if edge_count(twin, n) < layout.MAX_NEIGHBORS]
        add_edge(twin, node, parents[twin.rng.integer(0, len(parents) - 1)])


def make_loops(twin: ProspectorTwin) -> None:
    for _ in range(twin.node_count):
        a = twin.rng.integer(0, twin.node_count - 1)
        b = twin.rng.integer(0, twin.node_count - 1)
        if a != b:
            add_edge(twin, a, b)


def edge_count(twin: ProspectorTwin, node: int) -> int:
    """Edges of a node; they fill its slots from 0, so this is also its first free slot."""
    return int(np.count_nonzero(twin.neighbors[node] >= 0))


def add_edge(twin: ProspectorTwin, a: int, b: int) -> None:
    """Join two nodes, unless they are joined or one has no room; a refused edge draws nothing."""
    rules, rng = twin.rules, twin.rng
    slot_a, slot_b = edge_count(twin, a), edge_count(twin, b)
    if b in twin.neighbors[a] or layout.MAX_NEIGHBORS in (slot_a, slot_b):
        return
    ticks = rng.integer(rules.edge_ticks_min, rules.edge_ticks_max)
    fuel = rng.uniform(rules.edge_fuel_min, rules.edge_fuel_max)
    threat = draw_threat(twin, a, b)
    for here, slot, there in ((a, slot_a, b), (b, slot_b, a)):
        twin.neighbors[here, slot] = there
        twin.edge_travel_time[here, slot] = ticks
        twin.edge_fuel_cost[here, slot] = fuel
        twin.edge_threat_true[here, slot] = threat
        twin.edge_threat_est[here, slot] = layout.THREAT_PRIOR


def draw_threat(twin: ProspectorTwin, a: int, b: int) -> f32:
    hazard = HALF * (twin.node_hazard[a] + twin.node_hazard[b])
    pirates = HALF * (twin.node_pirate[a] + twin.node_pirate[b])
    return math32.clamp((hazard + pirates) + twin.rules.edge_threat_sd * twin.rng.normal(), ZERO, ONE)


def shuffle_slots(twin: ProspectorTwin) -> None:
    for node in range(twin.node_count):
        for i in range(edge_count(twin, node) - 1, 0, -1):
            j = twin.rng.integer(0, i)
            for name in GRAPH_ARRAYS:
                slots = getattr(twin, name)[node]
                slots[i], slots[j] = slots[j], slots[i]


def hop_distances(twin: ProspectorTwin, goal: int = 0) -> np.ndarray:
    """Edges from each node to a goal, the station by default; the largest index where there is no way."""
    hops = np.full(layout.MAX_NODES, layout.MAX_NODES - 1)
    hops[goal] = 0
    queue = [goal]
    reached = {goal}
    while queue:
        node = queue.pop(0)
        for there in map(int, twin.neighbors[node]):
            if there >= 0 and there not in reached:
                reached.add(there)
                hops[there] = hops[node] + 1
                queue.append(there)
    return hops


# ---- asteroids ---------------------------------------------------------------------------------------------


def make_asteroids(twin: ProspectorTwin, node: int) -> None:
    rules, rng = twin.rules, twin.rng
    count = rng.integer(rules.asteroids_min, rules.asteroids_max)
    geology = node_geology(twin)
    log_richness = node_log_richness(twin, node)
    for slot in range(count):
        at = (node, slot)
        twin.ast_valid[at] = True
        twin.true_comp[at] = shares(exponentials(twin, 6) * geology)
        richness = math32.exp(log_richness + rules.richness_log_sd * rng.normal())
        twin.richness[at] = math32.clamp(richness, rules.richness_min, rules.richness_max)
        twin.stability_true[at] = draw_stability(twin)
        twin.noise_profile[at] = rng.uniform(rules.noise_min, rules.noise_max)
        twin.comp_est[at] = shares(exponentials(twin, 6))
        twin.stability_est[at] = layout.STABILITY_PRIOR
        twin.scan_conf[at] = layout.CONFIDENCE_PRIOR
        twin.richness_est[at] = rules.richness_prior


def node_geology(twin: ProspectorTwin) -> np.ndarray:
    """How much more than elsewhere each commodity weighs in this node's rocks; drawn only when it matters."""
    k = twin.rules.geology
    if k == 0:
        return np.ones(layout.N_COMMODITIES, np.float32)
    return (ONE - k) + k * (f32(6) * shares(exponentials(twin, 6)))


def node_log_richness(twin: ProspectorTwin, node: int) -> f32:
    rules = twin.rules
    hazardous = twin.node_type[node] == layout.HAZARD
    here = rules.richness_log_mean + (rules.richness_hazard_gain if hazardous else ZERO)
    return here + rules.richness_hop_gain * f32(twin.hops_to_station[node])


def exponentials(twin: ProspectorTwin, count: int) -> np.ndarray:
    return np.array([twin.rng.exponential() for _ in range(count)], np.float32)


def shares(parts: np.ndarray) -> np.ndarray:
    return parts / sum6(parts)


def draw_stability(twin: ProspectorTwin) -> f32:
    """Beta(3, 2): three exponentials over five."""
    b = exponentials(twin, 5)
    top = (b[0] + b[1]) + b[2]
    return top / (top + (b[3] + b[4]))
