"""The station's market: prices from a cycle, noise, rare shocks and what was sold."""

import numpy as np

from .. import math32
from ..math32 import HALF, ONE, f32
from .layout import N_COMMODITIES
from .world import World


def open_market(world: World) -> None:
    """Draw stock and cycle of each commodity, and set the prices of tick 0."""
    rules, rng = world.rules, world.rng
    for c in range(N_COMMODITIES):
        world.station_inventory[c] = rng.uniform(rules.stock_min, rules.stock_max)
        world.price_phase[c] = rng.unit()
        world.price_period[c] = rng.uniform(rules.period_min, rules.period_max)
        world.price_amp[c] = rules.price_base[c] * rng.uniform(rules.amplitude_min, rules.amplitude_max)
    for c in range(N_COMMODITIES):
        world.price[c] = _price_under_stock(
            world, c, rules.price_base[c] + world.price_amp[c] * wave(world, c)
        )
    world.prev_price = world.price.copy()


def wave(world: World, c: int) -> f32:
    """The price cycle at this tick, from -1 to 1.

    In 32 bits, ticks / period loses its fraction after a few thousand ticks. So integers count the phase in
    2^48 parts of a turn; the upper 24 bits of those fit a float exactly.
    """
    period = int(world.price_period[c] * f32(32768))
    parts_per_tick = 2**63 // period
    turns = f32((world.ticks_elapsed * parts_per_tick % 2**48) >> 24) / f32(2**24)
    return math32.sin_turns(turns + world.price_phase[c])


def _price_under_stock(world: World, c: int, price: f32) -> f32:
    """The price within its bounds; with `glut` it falls towards the minimum as stock grows."""
    rules = world.rules
    low = rules.price_min[c]
    price = math32.clamp(price, low, rules.price_max[c])
    if rules.glut > 0:
        price = low + (price - low) * math32.exp(-rules.glut * world.station_inventory[c])
    return price


def move_market(world: World, dt: int) -> None:
    """Advance prices by dt ticks, then decay recent sales and stock."""
    rules = world.rules
    world.prev_price = world.price.copy()
    move_noise(world, dt)
    _move_shocks(world, dt)
    for c in range(N_COMMODITIES):
        cycle = rules.price_base[c] + world.price_amp[c] * wave(world, c)
        price = cycle - rules.stock_slope * world.station_inventory[c]
        price = price - rules.sales_slope * world.recent_sales[c]
        world.price[c] = _price_under_stock(world, c, (price + world.price_noise[c]) + world.price_shock[c])
    world.recent_sales = world.recent_sales * rules.sales_keeps[dt]
    world.station_inventory = world.station_inventory * rules.stock_keeps[dt]


def move_noise(world: World, dt: int) -> None:
    """Decay the price noise over dt ticks and add fresh noise; draws six normals."""
    rules = world.rules
    normals = np.array([world.rng.normal() for _ in range(N_COMMODITIES)], np.float32)
    fresh = (rules.noise_gains[dt] * rules.price_base) * normals
    world.price_noise = rules.noise_keeps[dt] * world.price_noise + fresh


def _move_shocks(world: World, dt: int) -> None:
    """Decay old shocks and perhaps add one to a random commodity; draws nothing if `shock_rate` is 0."""
    rules, rng = world.rules, world.rng
    world.price_shock = rules.shock_keeps[dt] * world.price_shock
    if rules.shock_rate == 0 or not rng.unit() < rules.shock_chances[dt]:
        return
    c = rng.integer(0, N_COMMODITIES - 1)
    size = rng.uniform(rules.shock_min, rules.shock_max)
    sign = ONE if rng.unit() < HALF else -ONE
    world.price_shock[c] += sign * ((rules.price_noise_scale * size) * rules.price_base[c])


def proceeds(world: World, c: int, units: f32) -> f32:
    """Credits for selling so many units at the price before this step's market update."""
    if world.rules.sell_along_curve:
        return _proceeds_along_curve(world, c, units)
    return (units * world.price[c]) * (ONE - slippage(world, units, world.station_inventory[c]))


def slippage(world: World, units: f32, stock: f32) -> f32:
    """Share of the price that a sale loses, at most `slippage_max`; without `sell_along_curve`."""
    rules = world.rules
    share = units / math32.greater(ONE, stock + units)
    plain = rules.slippage_linear * share + rules.slippage_root * math32.sqrt(share)
    return math32.lesser(rules.slippage_max, rules.price_impact_scale * plain)


def _proceeds_along_curve(world: World, c: int, units: f32) -> f32:
    """The integral of the price as stock grows, so that splitting a sale gains nothing."""
    low, price, glut = world.rules.price_min[c], world.price[c], world.rules.glut
    if glut == 0:
        return units * price
    along = units * low + (price - low) * ((ONE - math32.exp(-glut * units)) / glut)
    return math32.lesser(units * price, along)
