"""The engine's math functions in numpy's float32, bit for bit (engine/common/base.h and smath.h).

The twins compute in 32 bits like the engine, so that a comparison shows errors of the rules and never of
rounding. Every function takes and returns np.float32 scalars. numpy 2 keeps `np.float32 op python number`
in 32 bits, so constants may be plain numbers. Python's min and max return an argument with the type it came
in, so this module has its own, which always return float32.
"""

from collections.abc import Iterable

import numpy as np

from ...errors import MissingExtra

if np.lib.NumpyVersion(np.__version__) < "2.0.0":  # older ones widen `np.float32 op python number` to 64 bits
    raise MissingExtra("A twin's 32-bit arithmetic", "numpy 2 or newer", "dev")

f32 = np.float32

ZERO = f32(0.0)
ONE = f32(1.0)
HALF = f32(0.5)
SMALLEST_NORMAL = f32(1.17549435e-38)
NO_FRACTION = f32(12582912.0)  # 1.5 * 2^23

# The polynomials, highest power first, exactly the engine's coefficients.
SINE_OF_QUARTER_TURN = (1.50820561e-4, -4.67222789e-3, 7.96884820e-2, -6.45963371e-1, 1.57079625)
LOGARITHM = (
    -7.86014125e-2, 1.28813803e-1, -1.31284162e-1, 1.41812176e-1,
    -1.66245952e-1, 2.00022861e-1, -2.50008076e-1, 3.33333164e-1,
)  # fmt: skip
EXPONENTIAL = (1.39504613e-3, 8.36887583e-3, 4.16662060e-2, 1.66665196e-1, 0.5)

# ln 2 in two parts: the large one has few bits, so that a small integer times it is exact.
LN2_LARGE = f32(6.93359375e-1)
LN2_SMALL = f32(-2.12194440e-4)
ONE_OVER_LN2 = f32(1.44269504)

SQRT_HALF_BITS = 0x3F3504F3
MANTISSA_BITS = 0x007FFFFF


def lesser(a: f32, b: f32) -> f32:
    """The engine's `a < b ? a : b`: b where they are equal or one is NaN."""
    return f32(a) if a < b else f32(b)


def greater(a: f32, b: f32) -> f32:
    """The engine's `a > b ? a : b`: b where they are equal or one is NaN."""
    return f32(a) if a > b else f32(b)


def clamp(x: f32, low: f32, high: f32) -> f32:
    """x within low..high: the lower bound is applied first, so the upper one wins where they cross."""
    return lesser(greater(x, low), high)


def magnitude(x: f32) -> f32:
    """The engine's `x < 0 ? -x : x`; unlike abs() it leaves -0.0 as it is."""
    return -x if x < 0 else x


def bits(x: f32) -> int:
    """The 32 bits of a float as an unsigned integer."""
    return int(x.view(np.uint32))


def _from_bits(word: int) -> f32:
    return np.uint32(word).view(np.float32)


def sqrt(x: f32) -> f32:
    """Square root, correctly rounded to 32 bits as IEEE 754 asks."""
    return np.sqrt(f32(x))


def nearest(x: f32) -> f32:
    """Nearest integer, ties to even, for |x| below 2^22: adding NO_FRACTION rounds the fraction away."""
    return (x + NO_FRACTION) - NO_FRACTION


def sum32(values: Iterable[f32]) -> f32:
    """Added one after the other, rounding to 32 bits each time."""
    total = ZERO
    for value in values:
        total = total + value
    return total


def sum6(x: np.ndarray) -> f32:
    """((x0 + x1) + (x2 + x3)) + (x4 + x5); np.sum would add in another order and round differently."""
    return ((x[0] + x[1]) + (x[2] + x[3])) + (x[4] + x[5])


def _polynomial(coefficients: tuple[float, ...], x: f32) -> f32:
    """Horner's rule, rounding after every multiplication and every addition as the engine does."""
    result = f32(coefficients[0])
    for coefficient in coefficients[1:]:
        result = coefficient + x * result
    return result


def sin_turns(x: f32) -> f32:
    """sin(2 pi x); the argument in turns is reduced without error."""
    reduced = x - nearest(x)
    if reduced > 0.25:
        folded = HALF - reduced
    elif reduced < -0.25:
        folded = -HALF - reduced
    else:
        folded = reduced
    t = folded * f32(4.0)
    return t * _polynomial(SINE_OF_QUARTER_TURN, t * t)


def cos_turns(x: f32) -> f32:
    """cos(2 pi x), as the sine of a quarter turn less the reduced argument."""
    reduced = x - nearest(x)
    return sin_turns(f32(0.25) - magnitude(reduced))


def log(x: f32) -> f32:
    """Natural logarithm; zero and below give the logarithm of the smallest normal float."""
    x = x if x > SMALLEST_NORMAL else SMALLEST_NORMAL
    shifted = bits(x) - SQRT_HALF_BITS
    exponent = f32(shifted >> 23)
    f = _from_bits((shifted & MANTISSA_BITS) + SQRT_HALF_BITS) - ONE
    p = _polynomial(LOGARITHM, f)
    f2 = f * f
    tail = f * f2 * p - HALF * f2 + exponent * LN2_SMALL
    return (f + tail) + exponent * LN2_LARGE


def exp(x: f32) -> f32:
    """Exponential of x clamped to -87..88, where the result is a normal float."""
    x = clamp(x, f32(-87.0), f32(88.0))
    n = nearest(x * ONE_OVER_LN2)
    r = (x - n * LN2_LARGE) - n * LN2_SMALL
    p = _polynomial(EXPONENTIAL, r)
    y = ONE + (r + r * r * p)
    return y * _from_bits((int(n) + 127) << 23)


def logistic(x: f32) -> f32:
    """1 / (1 + exp(-x)), by this module's exp."""
    return ONE / (ONE + exp(-x))
