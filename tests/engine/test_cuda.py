"""The cores compile as CUDA from the same source, in single precision and without contracted arithmetic."""

from __future__ import annotations

import re
import shutil

import pytest
from builds import ENGINE, GAMES, need, run

from sandlot.worlds import cuda_build

SOURCE = ENGINE / "cuda" / "engine.cu"
KERNELS = ("reset", "next", "observe", "step", "bots")


@pytest.mark.parametrize("game", GAMES)
def test_a_core_is_also_cplusplus(game):
    """What nvcc asks of the language; any C++ compiler can tell."""
    compiler = need("g++", "install a C++ compiler (apt-get install g++)")
    run([compiler, "-x", "c++", "-std=c++17", "-fsyntax-only", str(ENGINE / game / "unit.c")])


def test_the_page_names_the_flags_that_keep_the_bits():
    assert " ".join(cuda_build.FLAGS) in SOURCE.read_text()


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not here: the cores were only read as C++")
def test_nvcc_compiles_every_core_without_losing_a_bit(tmp_path):
    out = tmp_path / "engine.ptx"
    run(["nvcc", "-arch=sm_90", *cuda_build.FLAGS, "-ptx", str(SOURCE), "-o", str(out)])
    ptx = out.read_text()
    entries = re.findall(r"\.entry (\w+)", ptx)
    assert set(entries) == {
        "sl_cuda_count",
        *(f"sl_cuda_{game}_{name}" for game in GAMES for name in KERNELS),
    }
    for loose in (r"\bfma\.", r"\.ftz\b", r"\.approx\b", r"\.f64\b"):
        found = re.findall(rf".*{loose}.*", ptx)
        assert not found, f"{len(found)} instructions like {found[0].strip()}: the GPU would give other bits"


@pytest.mark.skipif(
    cuda_build.find_nvrtc() is None, reason="NVRTC is not here (pip install nvidia-cuda-nvrtc)"
)
def test_nvrtc_compiles_a_core_to_machine_code():
    made = cuda_build.Nvrtc(cuda_build.find_nvrtc()).compile("landing", "sm_90")
    assert made[:4] == b"\x7fELF" and b"sl_cuda_landing_step" in made
