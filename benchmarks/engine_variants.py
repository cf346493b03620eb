"""Builds variants of the engine with one change in its source, as a studio's commit would change it.

Only the changed game is compiled anew; the others' objects are kept in the folder. One processor level, so
that a variant takes seconds.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GAMES = ("tag", "prospector", "landing", "navigation", "learn")
FLAGS = (
    *("-std=gnu11", "-fPIC", "-fvisibility=hidden", "-fno-fast-math", "-ffp-contract=off"),
    *("-fno-math-errno", "-fno-trapping-math", "-DSL_SUFFIX=_base", "-w"),
)
LIMIT_S = 300


@dataclass(frozen=True)
class Change:
    """One replacement in one source file of the engine."""

    file: str  # below engine/
    old: str
    new: str


class Variants:
    """A folder of builds. compiler: what `cc` is here."""

    def __init__(self, folder: Path, compiler: Sequence[str] = ("cc",), optimise: str = "-O1"):
        self.folder, self.compiler, self.optimise = folder, list(compiler), optimise
        folder.mkdir(parents=True, exist_ok=True)

    def build(self, name: str, changes: Sequence[Change] = ()) -> Path:
        """The library with these changes; ValueError where a text to replace is not there."""
        source = self.folder / f"{name}-source"
        shutil.rmtree(source, ignore_errors=True)
        shutil.copytree(ROOT / "engine", source / "engine")
        for change in changes:
            path = source / "engine" / change.file
            text = path.read_text(encoding="utf-8")
            if change.old not in text:
                raise ValueError(f"{change.file} holds no {change.old!r}: the engine has changed since.")
            path.write_text(text.replace(change.old, change.new, 1), encoding="utf-8")
        changed = {change.file.split("/")[0] for change in changes}
        objects = [self._object(game, source, name if game in changed else "clean") for game in GAMES]
        library = self.folder / f"{name}.so"
        rest = [str(source / "engine" / part) for part in ("abi/abi.c", "learn/learn.c")]
        self._run(
            [*self.compiler, self.optimise, *FLAGS, "-shared", *map(str, objects), *rest, "-pthread"], library
        )
        shutil.rmtree(source)
        return library

    def _object(self, game: str, source: Path, variant: str) -> Path:
        made = self.folder / f"{game}-{variant}{self.optimise}.o"
        if variant != "clean" or not made.exists():
            unit = source / "engine" / game / "unit.c"
            self._run([*self.compiler, self.optimise, *FLAGS, "-c", str(unit)], made)
        return made

    def _run(self, command: list[str], output: Path) -> None:
        done = subprocess.run([*command, "-o", str(output)], capture_output=True, text=True, timeout=LIMIT_S)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command[:4])} … failed:\n{done.stderr[-2000:]}")
