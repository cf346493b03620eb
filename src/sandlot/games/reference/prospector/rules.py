"""The game's settings as the engine holds them: floats in 32 bits; integers, flags and choices as ints.

Every number comes from the engine's spec; the tables are computed from them once.
"""

from types import SimpleNamespace

import numpy as np

from ....spec import Spec
from .. import math32
from ..knobs import Knobs
from ..math32 import ONE, ZERO, f32
from .layout import COMMODITIES, IRON, MAX_TICKS, NICKEL, PGE, VOLATILES, WATER_ICE

SCANS = ("wide", "focused", "deep")
MINING_MODES = ("conservative", "standard", "aggressive")
FUEL_PACKS = ("small", "medium", "large")


class Rules(Knobs):
    """The knobs, and tables made from several of them."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        self.densify = spec.config["refine_rule"] == "densify"
        self.sparse = spec.config["reward"] == "sparse"
        self._gather_rows()
        self._make_market_tables()
        self._make_refining_yields()

    def _gather_rows(self) -> None:
        self.price_base = self._by_commodity("base")
        self.price_min = self._by_commodity("min")
        self.price_max = self._by_commodity("max")
        self.scans = [self._row(scan, "ticks", "fuel", "alert", "blend", "gain", "noise") for scan in SCANS]
        self.mining = [self._row(m, "yield", "sd", "heat", "wear", "alert", "fracture") for m in MINING_MODES]
        self.fuel_amounts = [getattr(self, f"fuel_{pack}") for pack in FUEL_PACKS]
        self.fuel_prices = [getattr(self, f"fuel_{pack}_price") for pack in FUEL_PACKS]

    def _by_commodity(self, prefix: str) -> np.ndarray:
        return np.array([getattr(self, f"{prefix}_{name}") for name in COMMODITIES], np.float32)

    def _row(self, prefix: str, *names: str) -> SimpleNamespace:
        return SimpleNamespace(**{name: getattr(self, f"{prefix}_{name}") for name in names})

    def _make_market_tables(self) -> None:
        """Decay factors and noise widths for dt ticks, by dt; index 0 is unused."""
        every_dt = range(MAX_TICKS + 1)
        ticks = [f32(dt) for dt in every_dt]
        self.noise_keeps = [self._keep(n, self.price_noise_memory) for n in ticks]
        keeps = zip(ticks, self.noise_keeps, strict=True)
        self.noise_gains = [self._noise_gain(n, keep) for n, keep in keeps]
        self.shock_keeps = [self._keep(n, self.shock_memory) for n in ticks]
        self.shock_chances = [ONE - power(ONE - self.shock_rate, dt) for dt in every_dt]
        self.sales_keeps = [self._keep(n, self.sales_memory) for n in ticks]
        decays = [dt if self.stock_decay_per_tick else 1 for dt in every_dt]
        self.stock_keeps = [power(self.stock_keep, times) for times in decays]
        self.glut = self.price_impact_scale / self.stock_depth if self.sell_along_curve else ZERO
        self.stock_slope = self.price_impact_scale * self.stock_price
        self.sales_slope = self.price_impact_scale * self.sales_price

    def _keep(self, ticks: f32, memory: f32) -> f32:
        """The share left after some ticks of exponential decay; 0 without memory."""
        return math32.exp(-ticks / memory) if memory > 0 else ZERO

    def _noise_gain(self, ticks: f32, keep: f32) -> f32:
        width = self.price_noise_scale * self.price_noise
        if self.price_noise_memory == 0:
            return width * math32.sqrt(ticks)
        return width * math32.sqrt(math32.greater(ZERO, ONE - keep * keep))

    def _make_refining_yields(self) -> None:
        """Units of the refined good per unit of ore: equal value at base prices, times 1 + premium."""
        base, premium = self.price_base, ONE + self.refine_premium
        self.yield_iron = base[IRON] / base[PGE] * premium
        self.yield_nickel = base[NICKEL] / base[PGE] * premium
        self.yield_ice = base[WATER_ICE] / base[VOLATILES] * premium


def power(x: f32, times: int) -> f32:
    """x to an integer power by repeated multiplication, rounding each time as the engine does."""
    result = ONE
    for _ in range(times):
        result = result * x
    return result
