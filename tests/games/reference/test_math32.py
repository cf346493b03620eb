"""The twins' math and random generator are equal to the engine's bit for bit."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from sandlot.games.reference import math32
from sandlot.games.reference.math32 import f32
from sandlot.games.reference.rng import Pcg32

ENGINE = Path(__file__).parents[3] / "engine"
FUNCTIONS = ("sl_log", "sl_exp", "sl_sin_turns", "sl_cos_turns", "sl_sqrt", "sl_round", "sl_logistic")
TWINS = (
    math32.log,
    math32.exp,
    math32.sin_turns,
    math32.cos_turns,
    math32.sqrt,
    math32.nearest,
    math32.logistic,
)
RANGES = ((1e-30, 1e30), (-90, 90), (-400, 400), (-400, 400), (0, 1e6), (-4e6, 4e6), (-90, 90))


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """A shared library that exports the inline functions of the engine's headers."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    assert compiler, "this test compiles engine/common; install a C compiler (gcc or clang)"
    folder = tmp_path_factory.mktemp("math32")
    wrappers = "".join(f"float t_{name}(float x) {{ return {name}(x); }}\n" for name in FUNCTIONS)
    source = folder / "math32.c"
    source.write_text(
        '#include "common/rng.h"\n' + wrappers + "void t_seed(SlRng *r, uint64_t s) { sl_rng_seed(r, s); }\n"
        "uint32_t t_next(SlRng *r) { return sl_rng_next(r); }\n"
        "float t_uniform(SlRng *r, float a, float b) { return sl_uniform_in(r, a, b); }\n"
        "float t_exponential(SlRng *r) { return sl_exponential(r); }\n"
        "float t_normal(SlRng *r) { return sl_normal(r); }\n"
    )
    library = folder / "math32.so"
    flags = ["-O2", "-shared", "-fPIC", "-ffp-contract=off", "-fno-math-errno", f"-I{ENGINE}"]
    subprocess.run([compiler, *flags, str(source), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def float_function(engine: ctypes.CDLL, name: str):
    function = getattr(engine, name)
    function.restype = ctypes.c_float
    return function


def sample_points(low: float, high: float, count: int) -> np.ndarray:
    """Random points over a range; log-uniform over a positive one."""
    rng = np.random.default_rng(5)
    if low > 0:
        return np.exp(rng.uniform(np.log(low), np.log(high), count)).astype(np.float32)
    return rng.uniform(low, high, count).astype(np.float32)


@pytest.mark.parametrize(("name", "twin", "ends"), list(zip(FUNCTIONS, TWINS, RANGES, strict=True)))
def test_function_has_the_bits_of_the_engine(engine, name, twin, ends):
    function = float_function(engine, f"t_{name}")
    function.argtypes = [ctypes.c_float]
    for x in [*sample_points(*ends, 3000), f32(0.0), f32(1.0), f32(0.5), f32(0.25)]:
        ours, theirs = twin(x), f32(function(float(x)))
        assert math32.bits(ours) == math32.bits(theirs), f"{name}({x!r}): twin {ours!r}, engine {theirs!r}"


@pytest.mark.parametrize("seed", [0, 1, 7, 2**63 + 12345])
def test_generator_draws_what_the_engine_draws(engine, seed):
    state = ctypes.c_uint64()
    engine.t_seed(ctypes.byref(state), ctypes.c_uint64(seed))
    engine.t_next.restype = ctypes.c_uint32
    uniform = float_function(engine, "t_uniform")
    uniform.argtypes = [ctypes.c_void_p, ctypes.c_float, ctypes.c_float]
    rng = Pcg32(seed)
    for _ in range(500):
        assert rng.next() == engine.t_next(ctypes.byref(state))
        assert rng.uniform(f32(0.85), f32(1.15)) == f32(uniform(ctypes.addressof(state), 0.85, 1.15))
        for name, draw in (("t_exponential", rng.exponential), ("t_normal", rng.normal)):
            assert math32.bits(draw()) == math32.bits(f32(float_function(engine, name)(ctypes.byref(state))))
    assert rng.state == state.value


def test_every_result_stays_in_32_bits():
    rng = Pcg32(3)
    draws = [rng.unit(), rng.uniform(f32(1.0), f32(2.0)), rng.exponential(), rng.normal()]
    values = [twin(f32(0.3)) for twin in TWINS] + [math32.lesser(0.5, 1), math32.greater(2, f32(1))]
    assert {type(value) for value in draws + values} == {np.float32}


def test_known_first_outputs_of_stream_54():
    """The published check of PCG32: seed 42, stream 54."""
    rng = Pcg32(42)
    assert [rng.next() for _ in range(6)] == [
        0xA15C02B7,
        0x7B47F409,
        0xBA1D3330,
        0x83D2F293,
        0xBFA4784B,
        0xCBED606E,
    ]
