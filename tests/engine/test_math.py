"""The error bounds that engine/common/smath.h states, and the generator against its published numbers."""

from __future__ import annotations

import ctypes as c

import numpy as np
import pytest
from builds import ENGINE, compilers, promise, run

SHIM = """
#include "{engine}/common/rng.h"
#define OVER(name)                                              \\
    void over_##name(const float *x, float *y, long n) {{       \\
        for (long i = 0; i < n; i++) y[i] = sl_##name(x[i]);    \\
    }}
OVER(log) OVER(exp) OVER(sin_turns) OVER(cos_turns) OVER(sqrt) OVER(logistic)
void draws(unsigned long long seed, unsigned *out, long n) {{
    SlRng rng;
    sl_rng_seed(&rng, seed);
    for (long i = 0; i < n; i++) out[i] = sl_rng_next(&rng);
}}
unsigned draw_after(unsigned long long seed, unsigned long long skipped) {{
    SlRng rng;
    sl_rng_seed(&rng, seed);
    sl_rng_skip(&rng, sl_rng_jump(skipped));
    return sl_rng_next(&rng);
}}
void normals(unsigned long long seed, float *out, long n) {{
    SlRng rng;
    sl_rng_seed(&rng, seed);
    for (long i = 0; i < n; i++) out[i] = sl_normal(&rng);
}}
uint64_t split(uint64_t seed, uint64_t index) {{ return sl_seed_split(seed, index); }}
float unit(unsigned bits) {{ return sl_unit(bits); }}
"""

POINTS = 400_000


@pytest.fixture(scope="module", params=["-O0", "-O3"])
def shim(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("math")
    source, library = folder / "shim.c", folder / "shim.so"
    source.write_text(SHIM.format(engine=ENGINE))
    run(
        [
            *compilers()["gcc"],
            "-std=gnu11",
            request.param,
            *promise(),
            "-shared",
            "-fPIC",
            str(source),
            "-o",
            str(library),
        ]
    )
    loaded = c.CDLL(str(library))
    loaded.split.restype = c.c_uint64
    loaded.unit.restype = c.c_float
    loaded.draw_after.restype = c.c_uint32
    return loaded


def apply(shim, name: str, x: np.ndarray) -> np.ndarray:
    x = np.ascontiguousarray(x, np.float32)
    y = np.empty_like(x)
    getattr(shim, f"over_{name}")(
        x.ctypes.data_as(c.c_void_p), y.ctypes.data_as(c.c_void_p), c.c_long(x.size)
    )
    return y


def ulps(found: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Distance in units of the last place of the exact result."""
    return np.abs(found.astype(np.float64) - exact) / np.spacing(np.abs(exact).astype(np.float32)).astype(
        np.float64
    )


def normal_floats() -> np.ndarray:
    """Positive normal floats of every exponent, the ends included."""
    bits = np.linspace(0x00800001, 0x7F7FFFFF, POINTS).astype(np.uint32)
    return np.concatenate([bits, [0x3F7FFFFF, 0x3F800000, 0x3F800001]]).astype(np.uint32).view(np.float32)


def test_log_is_within_two_ulps_or_1e_7(shim):
    for x in (normal_floats(), np.linspace(0.5, 2.0, POINTS, dtype=np.float32)):
        exact = np.log(x.astype(np.float64))
        found = apply(shim, "log", x)
        good = (ulps(found, exact) <= 2.0) | (np.abs(found - exact) <= 1e-7)
        assert good.all(), x[~good][:5]


def test_log_of_zero_and_below_is_the_log_of_the_smallest_normal_float(shim):
    found = apply(shim, "log", np.array([0.0, -1.0, -np.inf, np.nan, 1e-45]))
    assert (found == np.float32(-87.3365479)).all()


def test_exp_is_within_two_ulps_and_cut_at_its_ends(shim):
    x = np.concatenate([np.linspace(-87, 88, POINTS), np.linspace(-1, 1, POINTS)]).astype(np.float32)
    assert ulps(apply(shim, "exp", x), np.exp(x.astype(np.float64))).max() <= 2.0
    ends = apply(shim, "exp", np.array([-1e30, -87, 88, 1e30, -np.inf, np.inf]))
    assert ends[0] == ends[1] == ends[4] and ends[2] == ends[3] == ends[5]
    assert np.isfinite(ends).all()


@pytest.mark.parametrize("name, exact", [("sin_turns", np.sin), ("cos_turns", np.cos)])
@pytest.mark.parametrize("span", [1.0, 1000.0, 2.0**21])
def test_sine_and_cosine_are_within_their_bound(shim, name, exact, span):
    x = np.linspace(-span, span, POINTS).astype(np.float32)
    turns = np.remainder(x.astype(np.float64), 1.0)  # exact: the argument itself carries no error
    assert np.abs(apply(shim, name, x) - exact(2.0 * np.pi * turns)).max() <= 2.5e-7


def test_half_turns_give_zero_and_no_sine_exceeds_one(shim):
    assert (apply(shim, "sin_turns", np.array([0, 0.5, 1.0, -0.5, 7.0])) == 0.0).all()
    assert np.abs(apply(shim, "sin_turns", np.linspace(-1, 1, POINTS))).max() <= 1.0


def test_square_root_is_the_rounded_one(shim):
    x = normal_floats()
    assert (apply(shim, "sqrt", x) == np.sqrt(x)).all()


def test_logistic_stays_between_zero_and_one(shim):
    found = apply(shim, "logistic", np.linspace(-200, 200, 1001))
    assert (found >= 0).all() and (found <= 1).all() and (np.diff(found) >= 0).all()


def test_pcg32_gives_its_published_numbers(shim):
    """Seed 42 on stream 54: the demonstration that came with the generator."""
    out = np.zeros(6, np.uint32)
    shim.draws(c.c_uint64(42), out.ctypes.data_as(c.c_void_p), c.c_long(6))
    assert [f"{draw:08x}" for draw in out] == [
        "a15c02b7",
        "7b47f409",
        "ba1d3330",
        "83d2f293",
        "bfa4784b",
        "cbed606e",
    ]


@pytest.mark.parametrize("skipped", [0, 1, 2, 3, 64, 999])
def test_a_jump_equals_stepping(shim, skipped):
    out = np.zeros(skipped + 1, np.uint32)
    shim.draws(c.c_uint64(7), out.ctypes.data_as(c.c_void_p), c.c_long(skipped + 1))
    assert shim.draw_after(c.c_uint64(7), c.c_uint64(skipped)) == out[-1]


def test_split_seeds_do_not_meet(shim):
    children = {shim.split(c.c_uint64(seed), c.c_uint64(i)) for seed in range(200) for i in range(200)}
    assert len(children) == 200 * 200


def test_unit_draws_lie_in_zero_to_one_both_ends_included(shim):
    assert shim.unit(c.c_uint32(0)) == 0.0
    assert shim.unit(c.c_uint32(2**32 - 1)) == 1.0


def test_normals_are_standard(shim):
    out = np.zeros(200_000, np.float32)
    shim.normals(c.c_uint64(3), out.ctypes.data_as(c.c_void_p), c.c_long(out.size))
    assert np.isfinite(out).all()
    assert abs(out.mean()) < 0.01 and abs(out.std() - 1.0) < 0.01
