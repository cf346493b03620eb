"""The names that pages use for pictures, sounds and effects, read from table.json.

Pages never name files. A page asks for `entity.station` or the cue `siren`; an adopted pack may have a file
for it, else the page draws or synthesises it. table.json also says which effect, cue and icon each action and
each event of a game has; null is an explicit none. The site is built from the same file.
"""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Any, Literal

Kind = Literal["actions", "events"]
FILE = "table.json"


@functools.cache
def table() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(resources.files(__package__).joinpath(FILE).read_text("utf-8"))
    return found


def graphics() -> list[str]:
    return list(table()["graphics"])


def sounds() -> list[str]:
    return list(table()["sounds"])


def signs(game: str, kind: Kind) -> dict[str, dict[str, str | None]]:
    """Effect, sound and icon of every action or event of a game, by its name."""
    rows = table()["games"].get(game, {}).get(kind, [])
    return {
        name: {part: row[part] for part in ("effect", "sound", "icon")}
        for row in rows
        for name in row["names"]
    }
