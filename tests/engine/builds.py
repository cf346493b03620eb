"""Builds of the engine for tests: one C source, many compilers and levels."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from lacking import lacking

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "engine"
sys.path.insert(0, str(ENGINE / "wasm"))

import build as wasm_build  # noqa: E402

GAMES = wasm_build.games()
ZIG = [sys.executable, "-m", "ziglang", "cc"]  # a clang that every developer has: it comes with the dev extra


def promise() -> list[str]:
    """The flags of CMakeLists.txt on which equal bits hang, and its warnings."""
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"add_compile_options\((-Wall[^)]*)\)", text).group(1).split()


def compilers() -> dict[str, list[str]]:
    """Whatever C compilers are here. zig's clang always is; the checks it adds by itself are off."""
    found = {name: [path] for name in ("gcc", "clang") if (path := shutil.which(name))}
    clang_quirks = ["-Wno-bitwise-conditional-parentheses"]
    if "clang" in found:
        found["clang"] += clang_quirks
    return found | {"zig": [*ZIG, "-fno-sanitize=all", *clang_quirks]}


def sources(program: str) -> list[str]:
    units = [ENGINE / game / "unit.c" for game in GAMES]
    return [str(path) for path in (ENGINE / "tests" / program, ENGINE / "abi" / "abi.c", *units)]


def run(command: list[str], **options) -> subprocess.CompletedProcess:
    """Runs to a good end, or fails with what the command said."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, (
        f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}\n{done.stderr[-6000:]}"
    )
    return done


def build_program(out: Path, program: str, compiler: list[str], *flags: str) -> Path:
    """One of engine/tests with the whole engine inside it."""
    flat = ["-std=gnu11", "-Werror", *promise(), *flags]
    run([*compiler, *flat, *sources(program), "-pthread", "-o", str(out)])
    return out


def link_program(out: Path, program: str, library: Path) -> Path:
    """One of engine/tests over a shared library that exists already."""
    source = str(ENGINE / "tests" / program)
    folder = str(library.parent)
    run(
        [
            "cc",
            "-std=gnu11",
            "-O2",
            source,
            f"-L{folder}",
            "-lsandlot",
            f"-Wl,-rpath,{folder}",
            "-o",
            str(out),
        ]
    )
    return out


def need(tool: str, how: str) -> str:
    """The path of a program. On a developer's machine a missing one skips the test, in CI it fails it."""
    path = shutil.which(tool)
    if path is None:
        lacking(f"{tool} is missing: {how}")
    return path
