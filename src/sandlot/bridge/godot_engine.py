"""Which Godot runs our scenes: the one that GODOT_BIN names, one on the PATH, or one in the cache.

Looking never fetches; `godot_install` does that. Every engine has to print its version before it is used.
"""

import functools
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ..errors import GodotMissing
from ..processes import run_quietly

OLDEST = (4, 4)  # Jolt is part of the engine since then
VERSION_S = 30  # for an engine to print its version; usually it takes a twentieth of a second
RECORD = "install.json"  # the last file of an install: a folder without it is half an install
ON_THE_PATH = ("godot4", "godot")
ADVICE = "Type `sandlot godot install`, or set GODOT_BIN to a Godot of version 4.4 or newer."


@dataclass(frozen=True)
class Engine:
    """A Godot that printed its version."""

    path: Path
    version: str  # as it prints it: "4.6.3.stable.official.ab12cd34e"
    source: str  # "GODOT_BIN", "PATH" or "cache"

    @property
    def number(self) -> tuple[int, ...]:
        """The version as numbers: (4, 6, 3)."""
        return version_number(self.version)

    def __str__(self) -> str:
        return f"Godot {self.version} at {self.path} (from {self.source})"


def cache_folder() -> Path:
    """Where fetched engines live; one folder each."""
    root = os.environ.get("XDG_CACHE_HOME", "")
    # the standard asks to ignore a relative path
    base = Path(root) if root and Path(root).is_absolute() else Path.home() / ".cache"
    return base / "sandlot" / "godot"


def version_number(text: str) -> tuple[int, ...]:
    """(4, 6, 3) of "4.6.3.stable.debian"; () where no number begins the text."""
    match = re.match(r"\d+(\.\d+)*", text.strip())
    return tuple(int(part) for part in match[0].split(".")) if match else ()


def find() -> Engine | None:
    """The engine to use, or None. A GODOT_BIN that does not work is an error, not a hint."""
    named = os.environ.get("GODOT_BIN", "").strip()
    if named:
        return _named(named)
    for name in ON_THE_PATH:
        place = shutil.which(name)
        engine = _checked(Path(place), "PATH") if place else None
        if engine:
            return engine
    return newest_fetched()


def require() -> Engine:
    """The engine to use; GodotMissing (exit code 3) where there is none."""
    engine = find()
    if engine is None:
        raise GodotMissing(f"There is no Godot 4.4 or newer on this machine. {ADVICE}")
    return engine


def newest_fetched() -> Engine | None:
    """The newest complete engine of the cache."""
    fetched = [engine for record in cache_folder().glob(f"*/{RECORD}") if (engine := _recorded(record))]
    return max(fetched, key=lambda engine: engine.number, default=None)


def ask_version(path: Path) -> str:
    """The version that an engine prints; OSError or ValueError where it prints none."""
    command = [str(path), "--headless", "--version"]
    try:
        done = run_quietly(command, VERSION_S)
    except subprocess.TimeoutExpired as late:
        raise OSError(f"it did not print its version within {VERSION_S} s") from late
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines or not version_number(lines[-1]):
        raise ValueError(f"it prints no Godot version (exit code {done.returncode})")
    return lines[-1].strip()


_asked_once = functools.lru_cache(maxsize=32)(lambda path, _modified_ns: ask_version(path))


def _version(path: Path) -> str:
    """Once per process and file: commands need it often, engines change rarely."""
    return _asked_once(path, path.stat().st_mtime_ns)


def _named(named: str) -> Engine:
    place = shutil.which(named) or shutil.which(Path(named).expanduser())
    if place is None:
        raise GodotMissing(f"GODOT_BIN is {named}, which is not an executable program. {ADVICE}")
    path = Path(place).absolute()
    try:
        version = _version(path)
    except (OSError, ValueError) as problem:
        raise GodotMissing(f"GODOT_BIN is {named}, but {problem}. {ADVICE}") from problem
    if version_number(version) < OLDEST:
        raise GodotMissing(f"GODOT_BIN is {named}, Godot {version}; 4.4 is the oldest that works. {ADVICE}")
    return Engine(path, version, "GODOT_BIN")


def _checked(path: Path, source: str) -> Engine | None:
    try:
        version = _version(path)
    except (OSError, ValueError):
        return None
    return Engine(path.absolute(), version, source) if version_number(version) >= OLDEST else None


def _recorded(record: Path) -> Engine | None:
    try:
        launcher = record.parent / json.loads(record.read_text(encoding="utf-8"))["launcher"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return _checked(launcher, "cache") if launcher.is_file() else None
