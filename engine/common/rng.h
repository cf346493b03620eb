// rng.h: PCG32, the only source of randomness in a core. One generator a world, seeded per episode,
// so that an episode never depends on its neighbours, on threads or on the size of the batch.
#ifndef SL_RNG_H
#define SL_RNG_H

#include "smath.h"

typedef struct { uint64_t state; } SlRng;   // the stream is fixed, so the state is all there is

#define SL_PCG_MULTIPLIER 6364136223846793005ull
#define SL_PCG_INCREMENT 109ull             // stream 54: 2 * 54 + 1

SL_FN uint32_t sl_rng_next(SlRng *rng) {
    uint64_t old = rng->state;
    rng->state = old * SL_PCG_MULTIPLIER + SL_PCG_INCREMENT;
    uint32_t shifted = (uint32_t)(((old >> 18) ^ old) >> 27);
    uint32_t turn = (uint32_t)(old >> 59);
    return (shifted >> turn) | (shifted << ((32u - turn) & 31u));
}

// Advance from state 0, add the seed, advance again.
SL_FN void sl_rng_seed(SlRng *rng, uint64_t seed) {
    rng->state = 0;
    sl_rng_next(rng);
    rng->state += seed;
    sl_rng_next(rng);
}

// A jump of a fixed number of draws: state' = state * multiplier + increment.
typedef struct { uint64_t multiplier, increment; } SlJump;

SL_FN SlJump sl_rng_jump(uint64_t draws) {
    SlJump jump = { 1u, 0u };
    uint64_t multiplier = SL_PCG_MULTIPLIER, increment = SL_PCG_INCREMENT;
    for (; draws; draws >>= 1) {
        if (draws & 1u) {
            jump.multiplier *= multiplier;
            jump.increment = jump.increment * multiplier + increment;
        }
        increment *= multiplier + 1u;
        multiplier *= multiplier;
    }
    return jump;
}

SL_FN void sl_rng_skip(SlRng *rng, SlJump jump) { rng->state = rng->state * jump.multiplier + jump.increment; }

// Splitmix64's finaliser over two numbers: how seeds are split by run, world and episode.
SL_FN uint64_t sl_seed_split(uint64_t seed, uint64_t index) {
    uint64_t z = seed + (index + 1u) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

// 32 bits onto [0, 1]: the division by 2^32 rounds to a float, so the largest draws give exactly 1.
SL_FN float sl_unit(uint32_t bits) { return (float)bits * 2.3283064365386963e-10f; }

SL_FN float sl_uniform(SlRng *rng) { return sl_unit(sl_rng_next(rng)); }
SL_FN float sl_uniform_in(SlRng *rng, float low, float high) { return low + (high - low) * sl_uniform(rng); }

// Whole number in low..high, both included. The modulo bias is below span / 2^32.
SL_FN int sl_integer_in(SlRng *rng, int low, int high) {
    return low + (int)(sl_rng_next(rng) % (uint32_t)(high - low + 1));
}

SL_FN float sl_exponential(SlRng *rng) { return -sl_log(sl_max(sl_uniform(rng), 1e-8f)); }

// Box-Muller with the sine twin thrown away: two draws a normal, whatever happens.
SL_FN float sl_normal(SlRng *rng) {
    float u = sl_max(sl_uniform(rng), 1e-8f);
    float v = sl_uniform(rng);
    return sl_sqrt(-2.0f * sl_log(u)) * sl_cos_turns(v);
}

#endif
