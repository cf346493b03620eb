"""The station's market: a cycle, noise, rare shocks, and the weight of what was sold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import math32
from ..math32 import HALF, ONE, f32
from .layout import N_COMMODITIES

if TYPE_CHECKING:
    from .twin import ProspectorTwin


def open_market(twin: ProspectorTwin) -> None:
    rules, rng = twin.rules, twin.rng
    for c in range(N_COMMODITIES):
        twin.station_inventory[c] = rng.uniform(rules.stock_min, rules.stock_max)
        twin.price_phase[c] = rng.unit()
        twin.price_period[c] = rng.uniform(rules.period_min, rules.period_max)
        twin.price_amp[c] = rules.price_base[c] * rng.uniform(rules.amplitude_min, rules.amplitude_max)
    for c in range(N_COMMODITIES):
        twin.price[c] = pressed(twin, c, rules.price_base[c] + twin.price_amp[c] * wave(twin, c))
    twin.prev_price = twin.price.copy()


def wave(twin: ProspectorTwin, c: int) -> f32:
    """The cycle at this tick, from -1 to 1.

    Ticks over period would lose its fraction in 32 bits after a few thousand ticks, so whole numbers count
    the turns: 2^48 parts a turn, of which the upper 24 bits fit a float exactly.
    """
    period = int(twin.price_period[c] * f32(32768))
    parts_a_tick = 2**63 // period
    turns = f32((twin.ticks_elapsed * parts_a_tick % 2**48) >> 24) / f32(2**24)
    return math32.sin_turns(turns + twin.price_phase[c])


def pressed(twin: ProspectorTwin, c: int, price: f32) -> f32:
    """A price within its bounds, and below that the further the more stock there is."""
    rules = twin.rules
    low = rules.price_min[c]
    price = math32.clamp(price, low, rules.price_max[c])
    if rules.glut > 0:
        price = low + (price - low) * math32.exp(-rules.glut * twin.station_inventory[c])
    return price


def move_market(twin: ProspectorTwin, dt: int) -> None:
    rules = twin.rules
    twin.prev_price = twin.price.copy()
    move_noise(twin, dt)
    move_shocks(twin, dt)
    for c in range(N_COMMODITIES):
        cycle = rules.price_base[c] + twin.price_amp[c] * wave(twin, c)
        price = cycle - rules.stock_slope * twin.station_inventory[c]
        price = price - rules.sales_slope * twin.recent_sales[c]
        twin.price[c] = pressed(twin, c, (price + twin.price_noise[c]) + twin.price_shock[c])
    twin.recent_sales = twin.recent_sales * rules.sales_keeps[dt]
    twin.station_inventory = twin.station_inventory * rules.stock_keeps[dt]


def move_noise(twin: ProspectorTwin, dt: int) -> None:
    rules = twin.rules
    normals = np.array([twin.rng.normal() for _ in range(N_COMMODITIES)], np.float32)
    fresh = (rules.noise_gains[dt] * rules.price_base) * normals
    twin.price_noise = rules.noise_keeps[dt] * twin.price_noise + fresh


def move_shocks(twin: ProspectorTwin, dt: int) -> None:
    """Old shocks fade; now and then one commodity jumps or falls. A market without shocks draws nothing."""
    rules, rng = twin.rules, twin.rng
    twin.price_shock = rules.shock_keeps[dt] * twin.price_shock
    if rules.shock_rate == 0 or not rng.unit() < rules.shock_chances[dt]:
        return
    c = rng.integer(0, N_COMMODITIES - 1)
    size = rng.uniform(rules.shock_min, rules.shock_max)
    sign = ONE if rng.unit() < HALF else -ONE
    twin.price_shock[c] += sign * ((rules.price_noise_scale * size) * rules.price_base[c])


def proceeds(twin: ProspectorTwin, c: int, units: f32) -> f32:
    """What a sale brings at the price that stood before this step's market."""
    if twin.rules.sell_along_curve:
        return proceeds_along_curve(twin, c, units)
    return (units * twin.price[c]) * (ONE - slippage(twin, units, twin.station_inventory[c]))


def slippage(twin: ProspectorTwin, units: f32, stock: f32) -> f32:
    rules = twin.rules
    share = units / math32.greater(ONE, stock + units)
    plain = rules.slippage_linear * share + rules.slippage_root * math32.sqrt(share)
    return math32.lesser(rules.slippage_max, rules.price_impact_scale * plain)


def proceeds_along_curve(twin: ProspectorTwin, c: int, units: f32) -> f32:
    """The integral of the price while the stock grows, so that splitting a sale gains nothing."""
    low, price, glut = twin.rules.price_min[c], twin.price[c], twin.rules.glut
    if glut == 0:
        return units * price
    along = units * low + (price - low) * ((ONE - math32.exp(-glut * units)) / glut)
    return math32.lesser(units * price, along)
