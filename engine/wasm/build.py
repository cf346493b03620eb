"""Builds the engine for the browser: build/wasm/sandlot.wasm, the same C as the native library.

python engine/wasm/build.py [--out FILE] [--if-stale]

Needs the package `ziglang` (pip install 'sandlot[wasm]'), which brings a clang that speaks WebAssembly.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

ENGINE = Path(__file__).resolve().parent.parent
OUT = ENGINE.parent / "build" / "wasm" / "sandlot.wasm"

# The same promise as in CMakeLists.txt: no contraction, no libm, no reordering. SIMD keeps the bits, because
# the plain (not "relaxed") instructions round every lane as one number would; in node it makes tag about 2.5
# and prospector 1.6 times as fast. Cores write `a & b ? c : d` on purpose: no branches in loops.
FLAGS = [
    *("--target=wasm32-freestanding", "-std=gnu11", "-O3", "-msimd128", "-mbulk-memory", "-DNDEBUG"),
    *("-Wall", "-Wextra", "-Wshadow", "-Werror", "-Wno-bitwise-conditional-parentheses"),
    *("-fno-fast-math", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fno-sanitize=all"),
    *("-ffreestanding", "-nostdlib", "-fvisibility=hidden", "-Wl,--no-entry", "-Wl,--strip-all"),
    *("-DSL_FREESTANDING", "-DSL_NO_THREADS", "-DSL_FINISHED_MOST=1024"),
]


def games(engine: Path = ENGINE) -> list[str]:
    """The games of abi/registry.h, which is the one list of them in C."""
    registry = (engine / "abi" / "registry.h").read_text()
    return re.findall(r"G\((\w+)\)", re.search(r"#define SL_GAMES\(G\)(.*)", registry).group(1))


def sources(engine: Path = ENGINE) -> list[Path]:
    units = [engine / game / "unit.c" for game in games(engine)]
    return [engine / "abi" / "abi.c", engine / "wasm" / "wasm.c", *units]


def inputs(engine: Path = ENGINE) -> list[Path]:
    """Every file that the module is made of; it is stale when one of them is younger."""
    return [*engine.rglob("*.h"), *engine.rglob("*.c"), Path(__file__)]


def command(out: Path, engine: Path = ENGINE) -> list[str]:
    exports = [f"-Wl,--export={name}" for name in exported(engine)]
    return [
        sys.executable,
        "-m",
        "ziglang",
        "cc",
        *FLAGS,
        *exports,
        *map(str, sources(engine)),
        "-o",
        str(out),
    ]


def exported(engine: Path = ENGINE) -> list[str]:
    """The names that sandlot.h promises, and those that wasm.c adds for pages."""
    text = (engine / "abi" / "sandlot.h").read_text() + (engine / "wasm" / "wasm.c").read_text()
    lines = [line for line in text.splitlines() if line.startswith("SL_API ")]
    return [line.split("(")[0].split()[-1].lstrip("*") for line in lines]


def build(out: Path = OUT, engine: Path = ENGINE) -> Path:
    if importlib.util.find_spec("ziglang") is None:
        raise SystemExit("The WebAssembly build needs the package ziglang: pip install 'sandlot[wasm]'.")
    out.parent.mkdir(parents=True, exist_ok=True)
    half_done = out.with_suffix(f".{os.getpid()}.wasm")  # a reader never sees half a module
    subprocess.run(command(half_done, engine), check=True)
    half_done.replace(out)
    return out


def build_if_stale(out: Path = OUT, engine: Path = ENGINE) -> Path:
    newest = max(path.stat().st_mtime for path in inputs(engine))
    if out.exists() and out.stat().st_mtime >= newest:
        return out
    return build(out, engine)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--out", type=Path, default=OUT, help=f"where to write the module (default {OUT.name})"
    )
    parser.add_argument(
        "--if-stale", action="store_true", help="only when a source is younger than the module"
    )
    asked = parser.parse_args()
    out = build_if_stale(asked.out) if asked.if_stale else build(asked.out)
    print(f"{out}: {out.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
