"""Which file of a pack fits which name: packs.json has the patterns of each name, best first.

A pattern is the end of a path in lower case, with * for any characters. The lists know the public-domain
packs by Kenney (Simple Space, Space Shooter Redux and its extension, Planets, UI Pack and its space edition,
Game Icons, Sci-fi Sounds, Interface Sounds, Digital Audio); other packs bring a sandlot-art.json instead.
"""

import fnmatch
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import resources

# Files of one cue: the page plays them in turn, so that ten a second do not sound like a machine.
MAX_VARIANTS = 4
PATTERNS: dict[str, dict[str, list[str]]] = json.loads(
    resources.files(__package__).joinpath("packs.json").read_text("utf-8")
)
GRAPHICS, SOUNDS = PATTERNS["graphics"], PATTERNS["sounds"]  # by name


@dataclass(frozen=True)
class Choice:
    """The files of a pack that have a use."""

    graphics: dict[str, str] = field(default_factory=dict)  # key → path within the pack
    sounds: dict[str, list[str]] = field(default_factory=dict)  # cue → its variants

    def __bool__(self) -> bool:
        return bool(self.graphics or self.sounds)


def choose(paths: Iterable[str]) -> Choice:
    """The best file for each name, as far as the pack has one."""
    ordered = sorted(paths, key=lambda path: (path.count("/"), len(path), path))
    graphics = {key: _first_match(ordered, own) for key, own in GRAPHICS.items()}
    sounds = {cue: _first_match(ordered, own) for cue, own in SOUNDS.items()}
    return Choice(
        {key: found[0] for key, found in graphics.items() if found},
        {cue: found[:MAX_VARIANTS] for cue, found in sounds.items() if found},
    )


def _first_match(paths: list[str], patterns: Iterable[str]) -> list[str]:
    for pattern in patterns:
        found = [path for path in paths if fnmatch.fnmatchcase(f"/{path.lower()}", f"*/{pattern}")]
        if found:
            return found
    return []
