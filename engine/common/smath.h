// smath.h: sine, cosine, exponential and logarithm in plain float arithmetic: the same bits on every
// compiler and machine, which no libm promises. Written so that loops over them vectorise.
//
// Error bounds, against double precision, held by tests/engine/test_math.py:
//   sl_log                       2 ulp of the result for normal x > 0, or 1e-7 absolute near x = 1
//   sl_exp                       2 ulp for x in [-87, 88], which is where x is cut to
//   sl_sin_turns, sl_cos_turns   absolute 2.5e-7; the argument itself is reduced without error
#ifndef SL_SMATH_H
#define SL_SMATH_H

#include "base.h"

#define SL_TAU 6.283185307179586f

// Square root is one IEEE operation, correctly rounded everywhere; no library is called for it.
SL_FN float sl_sqrt(float x) {
#if defined(__CUDA_ARCH__)
    return __fsqrt_rn(x);
#else
    return __builtin_sqrtf(x);
#endif
}

// Nearest whole number, ties to even, for |x| below 2^22: adding 1.5 * 2^23 leaves no room for a fraction. No
// branch and no conversion, so that loops over sine and exponential become vectors.
SL_FN float sl_round(float x) { return (x + 12582912.0f) - 12582912.0f; }

// sin(2 pi x). The argument in turns is reduced exactly, by a subtraction.
SL_FN float sl_sin_turns(float x) {
    float r = x - sl_round(x);                              // [-0.5, 0.5]
    float folded = r > 0.25f ? 0.5f - r : (r < -0.25f ? -0.5f - r : r);   // [-0.25, 0.25], same sine
    float t = folded * 4.0f;                                // [-1, 1]: a quarter turn is 1
    float s = t * t;
    // odd minimax polynomial for sin(pi/2 t): 3.3e-9 before rounding
    float p = 1.50820561e-4f;
    p = -4.67222789e-3f + s * p;
    p = 7.96884820e-2f + s * p;
    p = -6.45963371e-1f + s * p;
    p = 1.57079625f + s * p;
    return t * p;
}

SL_FN float sl_cos_turns(float x) {
    float r = x - sl_round(x);
    return sl_sin_turns(0.25f - sl_abs(r));
}

// Radians, for callers whose angles are small; the product rounds, so prefer turns.
SL_FN float sl_sin(float radians) { return sl_sin_turns(radians * 0.15915494309189535f); }
SL_FN float sl_cos(float radians) { return sl_cos_turns(radians * 0.15915494309189535f); }

// Natural logarithm. x = m * 2^e with m in [sqrt(1/2), sqrt(2)); zero and below give the log of
// the smallest normal float, because a core has no use for infinities.
SL_FN float sl_log(float x) {
    x = sl_max(x, 1.17549435e-38f);
    uint32_t bits = sl_bits(x) - 0x3f3504f3u;               // sqrt(1/2) becomes exponent 0
    float e = (float)((int32_t)bits >> 23);
    float f = sl_from_bits((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    float p = -7.86014125e-2f;
    p = 1.28813803e-1f + f * p;
    p = -1.31284162e-1f + f * p;
    p = 1.41812176e-1f + f * p;
    p = -1.66245952e-1f + f * p;
    p = 2.00022861e-1f + f * p;
    p = -2.50008076e-1f + f * p;
    p = 3.33333164e-1f + f * p;
    float f2 = f * f;
    float tail = f * f2 * p - 0.5f * f2 + e * -2.12194440e-4f;   // ln 2 in two parts, the small one here
    return (f + tail) + e * 6.93359375e-1f;
}

// Exponential, cut to the range where the result is a normal float: exp(-87) .. exp(88).
SL_FN float sl_exp(float x) {
    x = sl_clamp(x, -87.0f, 88.0f);
    float n = sl_round(x * 1.44269504f);
    float r = (x - n * 6.93359375e-1f) - n * -2.12194440e-4f;
    float p = 1.39504613e-3f;
    p = 8.36887583e-3f + r * p;
    p = 4.16662060e-2f + r * p;
    p = 1.66665196e-1f + r * p;
    p = 0.5f + r * p;
    float y = 1.0f + (r + r * r * p);
    return y * sl_from_bits((uint32_t)((int32_t)n + 127) << 23);
}

// 1 / (1 + exp(-x))
SL_FN float sl_logistic(float x) { return 1.0f / (1.0f + sl_exp(-x)); }

#endif
