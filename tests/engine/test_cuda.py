"""The cores compile as CUDA from the same source, in single precision and without contracted arithmetic."""

from __future__ import annotations

import re
import shutil
import warnings

import pytest
from builds import ENGINE, GAMES, compilers, need, promise, run

SOURCE = ENGINE / "cuda" / "engine.cu"
FLAGS = ["-arch=sm_90", "-fmad=false", "-prec-div=true", "-prec-sqrt=true", "-ftz=false"]


@pytest.mark.parametrize("game", GAMES)
def test_a_core_is_also_cplusplus(game):
    """What nvcc asks of the language; any C++ compiler can tell."""
    compiler = need("g++", "install a C++ compiler (apt-get install g++)")
    run([compiler, "-x", "c++", "-std=c++17", "-fsyntax-only", str(ENGINE / game / "unit.c")])


def test_the_page_names_the_flags_that_keep_the_bits():
    assert " ".join(FLAGS) in SOURCE.read_text()


@pytest.fixture(scope="module")
def ptx(tmp_path_factory):
    if shutil.which("nvcc") is None:
        return None
    folder = tmp_path_factory.mktemp("cuda")
    run(
        [
            "nvcc",
            *FLAGS,
            "--keep",
            "--keep-dir",
            str(folder),
            "-c",
            str(SOURCE),
            "-o",
            str(folder / "engine.o"),
        ]
    )
    assert (folder / "engine.o").stat().st_size > 0
    return (folder / "engine.ptx").read_text()


def test_nvcc_compiles_both_cores_without_losing_a_bit(ptx):
    if ptx is None:
        warnings.warn("nvcc is not here, so the cores were only read as C++ (the tests above)", stacklevel=1)
        return
    assert len(re.findall(r"\.entry", ptx)) == 3 * len(GAMES)
    for loose in (r"\bfma\.", r"\.ftz\b", r"\.approx\b", r"\.f64\b"):
        found = re.findall(rf".*{loose}.*", ptx)
        assert not found, f"{len(found)} instructions like {found[0].strip()}: the GPU would give other bits"


@pytest.mark.skipif(shutil.which("nvidia-smi") is None, reason="there is no NVIDIA GPU here to play on")
def test_the_gpu_plays_the_same_bits(tmp_path):
    """State and every output of each step, against the library on the CPU."""
    need("nvcc", "install the CUDA toolkit")
    objects = []
    for source in (ENGINE / "abi" / "abi.c", *(ENGINE / game / "unit.c" for game in GAMES)):
        objects.append(str(tmp_path / f"{source.parent.name}.o"))
        run([*compilers()["gcc"], "-std=gnu11", "-O2", *promise(), "-c", str(source), "-o", objects[-1]])
    program = tmp_path / "check"
    run(["nvcc", *FLAGS, str(SOURCE), str(SOURCE.with_name("check.cu")), *objects, "-o", str(program)])
    assert run([str(program), "512", "200"]).stdout.count("same bits") == len(GAMES)
