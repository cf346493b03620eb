"""The kernels of a game for one kind of GPU: compiled from engine/ once, then taken from a cache.

nvcc compiles where there is one, else NVRTC: the library of NVIDIA's compiler, which comes with PyTorch for
CUDA and with the extra `cuda`. A file of the cache is named by a hash of all that it was made from: sources,
flags, compiler and architecture. So a file for another card or of another version is never taken for ours.
"""

import ctypes as c
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from ..errors import GpuMissing, StoreError
from ..files import write_bytes

HERE = Path(__file__).resolve()
CHECKOUT = HERE.parents[3] / "engine"
PACKAGED = HERE.parents[1] / "engine"
SOURCE = "cuda/engine.cu"
SHARED_FOLDERS = ("common", "abi", "cuda")
# Equal bits: no contracted multiply-add, IEEE division and square root, denormals kept.
FLAGS = ("-fmad=false", "-prec-div=true", "-prec-sqrt=true", "-ftz=false")
HOST_FLAGS = ("-O2", "-ffp-contract=off", "-fno-fast-math", "-fPIC", "-shared", "-fvisibility=hidden", "-w")
COMPILE_S = 900  # a slow machine, and the largest game

# What NVRTC has no files for: the few names of the C library that the engine includes.
STDINT = """
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;
typedef unsigned long long uint64_t; typedef unsigned long long uintptr_t;
"""
HEADERS = {"stdint.h": STDINT, "stddef.h": "#ifndef NULL\n#define NULL 0\n#endif\n", "string.h": "\n"}


def engine_folder() -> Path:
    """The engine's source: of the checkout, or what a wheel carries."""
    for folder in (CHECKOUT, PACKAGED):
        if (folder / SOURCE).is_file():
            return folder
    raise GpuMissing(f"The engine's source is not here ({PACKAGED / SOURCE}). Install Sandlot from a wheel.")


def sources(game: str) -> Iterator[Path]:
    """Every file that a game's kernels are made from, in a fixed order."""
    folder = engine_folder()
    for name in (*SHARED_FOLDERS, game):
        yield from sorted(p for p in (folder / name).glob("*") if p.suffix in (".h", ".c", ".cu", ".cpp"))


def cache_key(game: str, arch: str, compiler: str) -> str:
    """A hash of all that a game's kernels are made from."""
    hashed = hashlib.sha256("\0".join((game, arch, compiler, *FLAGS, *HOST_FLAGS)).encode())
    folder = engine_folder()
    for path in sources(game):
        hashed.update(f"\0{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return hashed.hexdigest()[:24]


def cache_folder() -> Path:
    """Where compiled kernels of this user are kept."""
    root = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(root) if root and Path(root).is_absolute() else Path.home() / ".cache"
    return base / "sandlot" / "kernels"


class Compiler(Protocol):
    """Makes the kernels of one game for one architecture."""

    version: str

    def compile(self, game: str, arch: str) -> bytes:
        """Machine code; arch: sm_90."""


def kernels(game: str, arch: str, compiler: Compiler | None = None, fresh: bool = False) -> bytes:
    """A game's kernels, from the cache or compiled now. fresh: even if the cache has them."""
    compiler = compiler or find_compiler()
    path = cache_folder() / f"{game}-{arch}-{cache_key(game, arch, compiler.version)}.bin"
    if path.is_file() and not fresh:
        return path.read_bytes()
    made = compiler.compile(game, arch)
    keep(path, made)
    return made


def keep(path: Path, data: bytes) -> None:
    """Into the cache, whole or not at all. A cache that cannot be written costs only the next start."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, data)
    except (OSError, StoreError) as problem:
        print(f"sandlot: the compiled kernels could not be kept: {problem}", file=sys.stderr)


def find_compiler() -> Compiler:
    """nvcc, else NVRTC, or a sentence about what to install."""
    program = shutil.which("nvcc") or shutil.which("nvcc", path=os.environ.get("CUDA_HOME", "") + "/bin")
    if program:
        return Nvcc(program)
    library = find_nvrtc()
    if library:
        return Nvrtc(library)
    raise GpuMissing(
        "engine = cuda compiles its kernels once and found neither nvcc nor NVRTC. Install one of them: "
        "pip install 'sandlot[cuda]', or NVIDIA's CUDA toolkit."
    )


def run(command: list[str], what: str) -> str:
    """The output of a compiler, or its first error in a sentence."""
    try:
        options: dict[str, Any] = {"capture_output": True, "timeout": COMPILE_S, "check": False}
        done = subprocess.run(command, text=True, encoding="utf-8", errors="replace", **options)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise GpuMissing(f"{what}: {command[0]} could not run ({problem}).") from None
    if done.returncode:
        raise _failed(what, command[0], done.stderr or done.stdout)
    return done.stdout


def _failed(what: str, compiler: str, log: str) -> GpuMissing:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    first = next((line for line in lines if "error" in line.lower()), lines[0] if lines else "no message")
    return GpuMissing(f"{what} failed: {compiler} says {first[:300]!r}. Use engine = native meanwhile.")


def _only(game: str) -> list[str]:
    return ["-DSL_ONLY", f"-DSL_ONLY_{game}"]


class Nvcc:
    """NVIDIA's compiler driver, of the CUDA toolkit."""

    def __init__(self, program: str):
        self.program = program
        found = re.search(r"V[\d.]+", run([program, "--version"], "Asking nvcc for its version"))
        self.version = f"nvcc {found[0] if found else 'unknown'}"

    def compile(self, game: str, arch: str) -> bytes:
        """Machine code for this architecture."""
        with tempfile.TemporaryDirectory(prefix="sandlot-") as folder:
            made = Path(folder) / "kernels.cubin"
            command = [self.program, f"-arch={arch}", *FLAGS, *_only(game), "-cubin", "-w"]
            run([*command, str(engine_folder() / SOURCE), "-o", str(made)], f"Compiling {game} for the GPU")
            return made.read_bytes()


def find_nvrtc() -> Path | None:
    """The newest NVRTC among the Python packages of NVIDIA, else the system's."""
    found = importlib.util.find_spec("nvidia")
    places = list(found.submodule_search_locations or ()) if found else []
    libraries = [path for place in places for path in Path(place).glob("*/lib/libnvrtc.so.*[0-9]")]
    if libraries:
        return max(libraries, key=lambda path: int(path.suffix.removeprefix(".")))
    for name in ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"):
        try:
            c.CDLL(name)
        except OSError:
            continue
        return Path(name)
    return None


class Nvrtc:
    """NVIDIA's compiler as a library."""

    def __init__(self, library: Path):
        self._library: Any = c.CDLL(str(library))
        major, minor = c.c_int(), c.c_int()
        self._library.nvrtcVersion(c.byref(major), c.byref(minor))
        self.version = f"nvrtc {major.value}.{minor.value}"

    def compile(self, game: str, arch: str) -> bytes:
        """Machine code for this architecture."""
        folder, program = engine_folder(), c.c_void_p()
        texts = (c.c_char_p * len(HEADERS))(*(text.encode() for text in HEADERS.values()))
        names = (c.c_char_p * len(HEADERS))(*(name.encode() for name in HEADERS))
        source, name = (folder / SOURCE).read_bytes(), str(folder / SOURCE).encode()
        self._library.nvrtcCreateProgram(c.byref(program), source, name, len(HEADERS), texts, names)
        try:
            options = [f"--gpu-architecture={arch}", "--std=c++17", "-default-device", "-w", *FLAGS]
            options += [f"-I{folder / 'cuda'}", *_only(game)]
            given = (c.c_char_p * len(options))(*(option.encode() for option in options))
            if self._library.nvrtcCompileProgram(program, len(options), given):
                log = self._text(program, "ProgramLog").decode(errors="replace")
                raise _failed(f"Compiling {game} for the GPU", "NVRTC", log)
            return self._text(program, "CUBIN")
        finally:
            self._library.nvrtcDestroyProgram(c.byref(program))

    def _text(self, program: Any, what: str) -> bytes:
        size = c.c_size_t()
        getattr(self._library, f"nvrtcGet{what}Size")(program, c.byref(size))
        out = c.create_string_buffer(size.value)
        getattr(self._library, f"nvrtcGet{what}")(program, out)
        return out.raw


def host_library(game: str) -> Path:
    """The kernels as a library of the CPU, for tests without a GPU; needs a C++ compiler."""
    program = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if program is None:
        raise GpuMissing("device = cpu of engine = cuda needs a C++ compiler (c++, g++ or clang++).")
    path = cache_folder() / f"{game}-host-{cache_key(game, 'host', program)}.so"
    if not path.is_file():
        with tempfile.TemporaryDirectory(prefix="sandlot-") as folder:
            made = Path(folder) / "kernels.so"
            command = [program, "-std=c++17", *HOST_FLAGS, *_only(game)]
            source = engine_folder() / "cuda" / "host.cpp"
            run([*command, str(source), "-o", str(made)], f"Compiling {game}'s kernels for the CPU")
            path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(path, made.read_bytes())
    return path
