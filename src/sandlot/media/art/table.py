"""The names that pages use for pictures, sounds and effects, read from table.json.

Pages never name files. A page asks for `entity.station` or the cue `siren`; an adopted pack may have a file
for it, else the page draws or synthesises it. table.json also says which effect, cue and icon each action and
each event of a game has; null is an explicit none. The site is built from the same file.
"""

import functools
import json
from importlib import resources
from typing import Any

FILE = "table.json"


@functools.cache
def table() -> dict[str, Any]:
    """The table of art: names with their meaning."""
    found: dict[str, Any] = json.loads(resources.files(__package__).joinpath(FILE).read_text("utf-8"))
    return found


def graphics() -> list[str]:
    """Names of pictures."""
    return list(table()["graphics"])


def sounds() -> list[str]:
    """Names of sounds."""
    return list(table()["sounds"])
