"""`sandlot doctor`: versions, optional packages and tools of this machine."""

import importlib.metadata
import os
import platform
import shutil
import sys
from pathlib import Path
from typing import Any

import typer

from ..bridge import godot_engine
from ..errors import EngineMissing, GodotMissing
from ..version import __version__
from ..worlds.library import default_path, load
from .options import ForMachines
from .show import as_json, out, table

# package, the extra that brings it, what it is for
PACKAGES = (
    ("numpy", "", "arrays"),
    ("gymnasium", "gym", "Gymnasium environments"),
    ("pettingzoo", "gym", "PettingZoo environments"),
    ("pillow", "gym", "pictures of a game: render_mode rgb_array"),
    ("pygame", "render", "a window with the game: render_mode human"),
    ("moviepy", "render", "films by Gymnasium's RecordVideo"),
    ("torch", "train", "training"),
    ("tensorboard", "train", "watching training in TensorBoard"),
    ("matplotlib", "train", "charts"),
    ("wandb", "wandb", "logging to Weights & Biases"),
    ("stable-baselines3", "sb3", "training with Stable-Baselines3"),
    ("pufferlib-core", "puffer", "PufferLib environments and trainer"),
    ("ray", "rllib", "training with RLlib, on several machines"),
    ("onnx", "export", "writing policies for browsers and engines"),
    ("onnxruntime", "export", "playing exported policies"),
    ("fastapi", "serve", "the site and its API"),
    ("websockets", "godot", "games that play in Godot"),
    ("av", "godot", "films"),
    ("ziglang", "wasm", "building the engine for the browser"),
)
TOOLS = (
    ("cc", "building the engine; without it zig does"),
    ("cmake", "building the engine"),
    ("node", "building the site, and running the engine as WebAssembly outside a browser"),
    ("npm", "fetching what the site is built with"),
    ("chromium", "the tests of the site (Chrome will do)"),
    ("Xvfb", "drawing with Godot where there is no screen"),
    ("nvcc", "compiling the engine for GPUs"),
)


def doctor(as_machine: ForMachines = False) -> None:
    """Report versions, the engine, and what is missing. Exit code 2 when the engine does not load.

    Example: sandlot doctor --json
    """
    found = collect()
    if as_machine:
        as_json(found)
    else:
        _print(found)
    if not found["engine"]["loads"]:
        raise typer.Exit(2)


def collect() -> dict[str, Any]:
    """Everything that the report shows."""
    return {
        "sandlot": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "processors": os.cpu_count(),
        "engine": _engine(),
        "godot": _godot(),
        "packages": {name: _version(name) for name, _, _ in PACKAGES},
        "tools": {name: _tool(name) for name, _ in TOOLS},
    }


def _engine() -> dict[str, Any]:
    try:
        build = load().sl_build().decode()
    except EngineMissing as problem:
        return {"loads": False, "path": str(default_path()), "problem": str(problem)}
    return {"loads": True, "path": str(default_path()), "build": build}


def _godot() -> dict[str, Any]:
    """The Godot that would run scenes. It is optional, so a missing one is no failure."""
    try:
        found = godot_engine.require()
    except GodotMissing as problem:
        return {"found": False, "problem": str(problem)}
    return {"found": True, "path": str(found.path), "version": found.version, "source": found.source}


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _tool(name: str) -> str | None:
    """The path of a program: on PATH, or beside this Python, where `make` installs tools from PyPI."""
    return shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent))


def _print(found: dict[str, Any]) -> None:
    engine = found["engine"]
    machine = f"{found['system']}, {found['processors']} processors"
    out.print_line(f"sandlot {found['sandlot']}, Python {found['python']}, {machine}")
    out.print_line(f"engine: {engine['build' if engine['loads'] else 'problem']}")
    godot = found["godot"]
    where = f"{godot['version']} at {godot['path']}" if godot["found"] else godot["problem"]
    out.print_line(f"Godot: {where}")
    packages, tools = found["packages"], found["tools"]
    rows = [(n, packages[n] or f"missing: pip install 'sandlot[{extra}]'", use) for n, extra, use in PACKAGES]
    rows += [(n, tools[n] or "not found", use) for n, use in TOOLS]
    table("Optional packages and tools", ("what", "version or place", "for"), rows)
