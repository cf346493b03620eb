// base.h: the only things a core may include: fixed-width types, memcpy/memset, and the
// few words that let one source be C for gcc, clang and zig, WebAssembly for the browser, and CUDA.
//
// Rules of a core (the lint in tests/engine/test_lint.py holds them):
//   no libc but memcpy and memset, no libm, no heap, no globals that change;
//   32-bit floats, no contracted multiply-add, no fast-math: the same bits everywhere;
//   the subset that C11 and C++ share (no designated array initialisers, no compound literals).
#ifndef SL_BASE_H
#define SL_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__CUDACC__)
#define SL_FN static __host__ __device__ inline   // a core function
#define SL_TABLE static __device__ const          // a constant table read by cores
#define SL_RESTRICT __restrict__
#elif defined(__GNUC__) || defined(__clang__)
#define SL_FN static inline __attribute__((unused))
#define SL_TABLE static const __attribute__((unused))
#define SL_RESTRICT __restrict__
#else
#define SL_FN static inline
#define SL_TABLE static const
#define SL_RESTRICT __restrict
#endif

// Describing itself is the host's business: tables of names never reach the GPU.
#define SL_HOST_TABLE static const

#if defined(__GNUC__) || defined(__clang__)
#define SL_HOST_FN static __attribute__((unused))
#define SL_LIKELY(x) __builtin_expect(!!(x), 1)
#define SL_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define SL_HOST_FN static
#define SL_LIKELY(x) (x)
#define SL_UNLIKELY(x) (x)
#endif

#if defined(__cplusplus)
#define SL_STATIC_ASSERT(test, text) static_assert(test, text)
#else
#define SL_STATIC_ASSERT(test, text) _Static_assert(test, text)
#endif

#if defined(__GNUC__) || defined(__clang__)
#define sl_copy(to, from, bytes) __builtin_memcpy((to), (from), (bytes))
#define sl_fill(to, byte, bytes) __builtin_memset((to), (byte), (bytes))
#else
#include <string.h>
#define sl_copy(to, from, bytes) memcpy((to), (from), (bytes))
#define sl_fill(to, byte, bytes) memset((to), (byte), (bytes))
#endif

SL_FN float sl_min(float a, float b) { return a < b ? a : b; }
SL_FN float sl_max(float a, float b) { return a > b ? a : b; }
SL_FN float sl_clamp(float x, float low, float high) { return sl_min(sl_max(x, low), high); }
SL_FN int sl_imin(int a, int b) { return a < b ? a : b; }
SL_FN int sl_imax(int a, int b) { return a > b ? a : b; }
SL_FN float sl_abs(float x) { return x < 0.0f ? -x : x; }

SL_FN uint32_t sl_bits(float x) { uint32_t u; sl_copy(&u, &x, sizeof u); return u; }
SL_FN float sl_from_bits(uint32_t u) { float x; sl_copy(&x, &u, sizeof x); return x; }

// 1 unless NaN or infinite, without libm.
SL_FN int sl_finite(float x) { return (sl_bits(x) & 0x7f800000u) != 0x7f800000u; }

#endif
