#!/usr/bin/env python3
"""Writes one wheel per platform into dist/, each with the engine for that platform and the site inside.

.venv/bin/python scripts/wheels.py [PLATFORM]... [--out dist]        (make wheels)

zig, from the package `ziglang`, compiles for all of them; the wheels fit every Python 3 of their platform.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Platform(NamedTuple):
    target: str  # as zig names it, with the oldest version of the system that it is for
    tag: str  # as wheels name it
    library: str


PLATFORMS = {
    "linux-x86_64": Platform("x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64", "libsandlot.so"),
    "linux-aarch64": Platform("aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64", "libsandlot.so"),
    "macos-x86_64": Platform("x86_64-macos.11.0", "macosx_11_0_x86_64", "libsandlot.dylib"),
    "macos-arm64": Platform("aarch64-macos.11.0", "macosx_11_0_arm64", "libsandlot.dylib"),
    "windows-x86_64": Platform("x86_64-windows-gnu", "win_amd64", "libsandlot.dll"),
}


BUILD_TIMEOUT_S = 1800  # for one platform


def build_wheel(name: str, out: Path, builds: Path = ROOT / "build" / "wheels") -> Path:
    """builds: where CMake works, one folder per platform; kept, so that the next compiles what changed."""
    platform = PLATFORMS[name]
    settings = {
        "build-dir": f"{builds}/{name}",
        "wheel.tags": f"py3-none-{platform.tag}",
        "cmake.define.CMAKE_TOOLCHAIN_FILE": str(ROOT / "engine" / "zig.cmake"),
        "cmake.define.ZIG_TARGET": platform.target,
        "cmake.define.PYTHON": sys.executable,
    }
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    for setting, value in settings.items():
        command += ["--config-settings", f"{setting}={value}"]
    subprocess.run([*command, "--wheel-dir", str(out), str(ROOT)], check=True, timeout=BUILD_TIMEOUT_S)
    return next(out.glob(f"*-{platform.tag}.whl"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("platforms", nargs="*", metavar="PLATFORM", help=f"{', '.join(PLATFORMS)} (all)")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where to write them (dist)")
    asked = parser.parse_args()
    if unknown := set(asked.platforms) - set(PLATFORMS):
        parser.error(f"there is no platform {unknown.pop()}; there are {', '.join(PLATFORMS)}")
    for name in asked.platforms or PLATFORMS:
        made = build_wheel(name, asked.out)
        print(f"{made}: {made.stat().st_size / 2**20:.1f} MiB", flush=True)


if __name__ == "__main__":
    main()
