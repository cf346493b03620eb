"""PCG32 as the engine has it (engine/common/rng.h): the only source of randomness in a twin.

The state is a Python int kept to 64 bits; draws are np.float32, rounded as the engine rounds them.
"""

from . import math32
from .math32 import f32

MULTIPLIER = 6364136223846793005
INCREMENT = 109  # stream 54: 2 * 54 + 1
WORD = 0xFFFFFFFF
DOUBLE_WORD = 0xFFFFFFFFFFFFFFFF

ONE_OVER_2_32 = f32(2.3283064365386963e-10)
SMALLEST_UNIT = f32(1e-8)  # lower bound of draws whose logarithm is taken


class Pcg32:
    """One generator, seeded per episode."""

    def __init__(self, seed: int = 0) -> None:
        self.state = 0
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Advance from state 0, add the seed, advance again."""
        self.state = 0
        self.next()
        self.state = (self.state + seed) & DOUBLE_WORD
        self.next()

    def next(self) -> int:
        """The next 32 bits."""
        old = self.state
        self.state = (old * MULTIPLIER + INCREMENT) & DOUBLE_WORD
        shifted = (((old >> 18) ^ old) >> 27) & WORD
        turn = old >> 59
        return ((shifted >> turn) | (shifted << (-turn & 31))) & WORD

    def unit(self) -> f32:
        """0..1; the largest draws round to exactly 1."""
        return f32(self.next()) * ONE_OVER_2_32

    def uniform(self, low: f32, high: f32) -> f32:
        """low + (high - low) * unit(); one draw, and high itself can occur."""
        return low + (high - low) * self.unit()

    def integer(self, low: int, high: int) -> int:
        """An integer in low..high, both included; one draw, modulo the width of the range."""
        return low + self.next() % (high - low + 1)

    def exponential(self) -> f32:
        """Rate 1, by inversion of one draw; at most -log(1e-8), about 18.4."""
        return -math32.log(math32.greater(self.unit(), SMALLEST_UNIT))

    def normal(self) -> f32:
        """Standard normal by Box-Muller, cosine branch only: always two draws."""
        u = math32.greater(self.unit(), SMALLEST_UNIT)
        v = self.unit()
        return math32.sqrt(f32(-2.0) * math32.log(u)) * math32.cos_turns(v)
