"""The game's settings as the core holds them: floats in 32 bits, whole numbers, flags and choices as ints.

Every number comes from the spec that the library tells about itself; the tables are made from them once.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...spec import Spec
from .. import math32
from ..math32 import ONE, ZERO, f32
from .layout import COMMODITIES, IRON, MAX_TICKS, NICKEL, PGE, VOLATILES, WATER_ICE

SCANS = ("wide", "focused", "deep")
MINING_MODES = ("conservative", "standard", "aggressive")
FUEL_PACKS = ("small", "medium", "large")


class Rules:
    """One attribute a knob, under the knob's own name; some of them gathered into rows and tables."""

    if TYPE_CHECKING:

        def __getattr__(self, knob: str) -> Any: ...

    def __init__(self, spec: Spec) -> None:
        for knob, value in zip(spec.knobs, spec.knob_values, strict=True):
            setattr(self, knob.name, f32(value) if knob.kind == "float" else int(value))
        self.densify = spec.config["refine_rule"] == "densify"
        self.sparse = spec.config["reward"] == "sparse"
        self.gather_rows()
        self.make_market_tables()
        self.make_refining_yields()

    def gather_rows(self) -> None:
        self.price_base = self.by_commodity("base")
        self.price_min = self.by_commodity("min")
        self.price_max = self.by_commodity("max")
        self.scans = [self.row(scan, "ticks", "fuel", "alert", "blend", "gain", "noise") for scan in SCANS]
        self.mining = [self.row(m, "yield", "sd", "heat", "wear", "alert", "fracture") for m in MINING_MODES]
        self.fuel_amounts = [getattr(self, f"fuel_{pack}") for pack in FUEL_PACKS]
        self.fuel_prices = [getattr(self, f"fuel_{pack}_price") for pack in FUEL_PACKS]

    def by_commodity(self, prefix: str) -> np.ndarray:
        return np.array([getattr(self, f"{prefix}_{name}") for name in COMMODITIES], np.float32)

    def row(self, prefix: str, *names: str) -> SimpleNamespace:
        return SimpleNamespace(**{name: getattr(self, f"{prefix}_{name}") for name in names})

    def make_market_tables(self) -> None:
        """What fades over dt ticks, and how much noise comes in; index 0 is unused."""
        every_dt = range(MAX_TICKS + 1)
        ticks = [f32(dt) for dt in every_dt]
        self.noise_keeps = [self.keep(n, self.price_noise_memory) for n in ticks]
        self.noise_gains = [self.noise_gain(n, keep) for n, keep in zip(ticks, self.noise_keeps, strict=True)]
        self.shock_keeps = [self.keep(n, self.shock_memory) for n in ticks]
        self.shock_chances = [ONE - power(ONE - self.shock_rate, dt) for dt in every_dt]
        self.sales_keeps = [self.keep(n, self.sales_memory) for n in ticks]
        decays = [dt if self.stock_decay_per_tick else 1 for dt in every_dt]
        self.stock_keeps = [power(self.stock_keep, times) for times in decays]
        self.glut = self.price_impact_scale / self.stock_depth if self.sell_along_curve else ZERO
        self.stock_slope = self.price_impact_scale * self.stock_price
        self.sales_slope = self.price_impact_scale * self.sales_price

    def keep(self, ticks: f32, memory: f32) -> f32:
        """The share that is left after some ticks; without memory nothing is."""
        return math32.exp(-ticks / memory) if memory > 0 else ZERO

    def noise_gain(self, ticks: f32, keep: f32) -> f32:
        width = self.price_noise_scale * self.price_noise
        if self.price_noise_memory == 0:
            return width * math32.sqrt(ticks)
        return width * math32.sqrt(math32.greater(ZERO, ONE - keep * keep))

    def make_refining_yields(self) -> None:
        """Units of the denser good from one unit of ore: equal value at base prices, and a premium."""
        base, premium = self.price_base, ONE + self.refine_premium
        self.yield_iron = base[IRON] / base[PGE] * premium
        self.yield_nickel = base[NICKEL] / base[PGE] * premium
        self.yield_ice = base[WATER_ICE] / base[VOLATILES] * premium


def power(x: f32, times: int) -> f32:
    """1 multiplied so many times by x, one rounding each."""
    result = ONE
    for _ in range(times):
        result = result * x
    return result
