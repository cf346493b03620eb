"""`sandlot.toml`: what the author of a game says about it in a file, laid over what the game says itself.

Names, units, meanings, titles, texts. Sizes and numbers stay the game's: whatever the file says against them
is an error that names both places.
"""

import math
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import ConfigError, UnknownName
from .document import (
    Action,
    ChartLine,
    Derived,
    Document,
    EpisodeField,
    Field,
    Knob,
    Outcome,
    Part,
    RoleStyle,
)

FILE = "sandlot.toml"
# What a game alone can know: its file has no word in it.
OWN_OF_THE_GAME = ("schema_version", "source", "shape", "hash", "agent_roles", "masked", "seeded")
# Lists of tables, whose entries are known by their names: one of the file adds to the game's of that name.
PARTS: dict[str, type[Part]] = {
    "observation": Field, "actions": Action, "info": Field, "render": Field, "episode": EpisodeField,
    "knobs": Knob, "outcomes": Outcome, "role_styles": RoleStyle, "derived": Derived, "charts": ChartLine,
}  # fmt: skip
FREE = ("bots", "reward_terms", "events")  # lists of tables with keys of their own


class SpecFile:
    """The file beside a game; one without a file adds nothing."""

    def __init__(self, path: Path, more_keys: Sequence[str] = ()):
        """path: of the file, which need not exist. more_keys: that this kind of game has besides."""
        self.path = path
        self.content = self._read(more_keys) if path.is_file() else {}

    @classmethod
    def beside(cls, folder: Path) -> "SpecFile":
        """That of a folder."""
        return cls(folder / FILE)

    def _read(self, more_keys: Sequence[str]) -> dict[str, Any]:
        try:
            given = tomllib.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as problem:
            raise ConfigError(f"{self.path} cannot be read: {problem}.") from None
        known = [*more_keys, *(key for key in Document.model_fields if key not in OWN_OF_THE_GAME)]
        for key, value in given.items():
            if key in OWN_OF_THE_GAME:
                raise ConfigError(f"{self.path} says {key}, which the game alone can say. Remove the line.")
            if key not in known:
                raise UnknownName(f"key of {self.path}", key, known)
            if key in PARTS or key in FREE:
                self._check_tables(key, value)
        return given

    def _check_tables(self, key: str, tables: Any) -> None:
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise ConfigError(f"{self.path}: {key} is a list of tables: [[{key}]] before each.")
        known = list(PARTS[key].model_fields) if key in PARTS else None
        for table in tables:
            unknown = [name for name in table if known and name not in known]
            if known and unknown:
                raise UnknownName(f"key of a [[{key}]] in {self.path}", unknown[0], known)
            if (known is None or "name" in known) and not isinstance(table.get("name"), str):
                raise ConfigError(f"{self.path}: a [[{key}]] has no name.")

    def laid_over(self, described: Mapping[str, Any], game: str, reports: bool = False) -> dict[str, Any]:
        """The game's description with the file's words; ConfigError where they contradict each other.

        game: what describes itself, for errors. reports: the game may report more numbers of an episode than
        it describes.
        """
        made = dict(described)
        for key, value in self.content.items():
            if key not in Document.model_fields:
                continue
            if key in ("observation", "actions"):
                self._check_interface(key, described, {"": value}, game)
            elif key in ("role_observation", "role_actions"):
                self._check_interface(key, described, value, game)
                value = {**described[key], **value}
            elif key == "episode":
                value = self._episode(described.get(key) or [], value, game, reports)
            elif key in ("info", "render", "knobs"):
                value = self._named(key, described.get(key) or [], value, game)
            made[key] = value
        return made

    def _check_interface(self, key: str, described: Mapping[str, Any], given: Any, game: str) -> None:
        """As many numbers, or actions of the same kinds, as the game has; by role where roles differ."""
        by_role = key.startswith("role_")
        there = described.get(key) or {} if by_role else {"": described.get(key) or ()}
        if by_role != bool(described.get(f"role_{key.removeprefix('role_')}")):
            other = key.removeprefix("role_") if by_role else f"role_{key}"
            raise ConfigError(f"{self.path} has {key}, {game} has {other} in its place.")
        if not isinstance(given, Mapping) or not set(given) <= set(there):
            raise ConfigError(f"{self.path}: {key} has a list for any of {', '.join(there)}.")
        size_of = _numbers if "observation" in key else _kinds
        for role, parts in given.items():
            self._check_tables(key.removeprefix("role_"), parts)
            named, sent = size_of(parts), size_of(there[role])
            if named != sent:
                whose = f" of {role}" if role else ""
                raise ConfigError(f"{self.path} has {named} in {key}{whose}, {game} has {sent}.")

    def _episode(
        self, usual: Sequence[Mapping[str, Any]], given: list[dict[str, Any]], game: str, reports: bool
    ) -> list[dict[str, Any]]:
        """The game's fields of an episode and those of the file, by name; one headline in all."""
        if any(one.get("headline") for one in given):
            usual = [{**one, "headline": False} for one in usual]
        return self._named("episode", usual, given, game, may_add=reports)

    def _named(
        self,
        key: str,
        usual: Sequence[Mapping[str, Any]],
        given: list[dict[str, Any]],
        game: str,
        may_add: bool = False,
    ) -> list[dict[str, Any]]:
        by_name = {one["name"]: dict(one) for one in usual}
        for one in given:
            name = one["name"]
            if name not in by_name and not may_add:
                there = ", ".join(by_name) or "nothing"
                raise ConfigError(f"{self.path} has {name!r} in {key}, {game} declares {there}.")
            before = by_name.get(name, {})
            for fixed in ("shape", "start"):
                if fixed in one and name in by_name and one[fixed] != before.get(fixed, [1]):
                    raise ConfigError(
                        f"{self.path} says {fixed} = {one[fixed]} of {name}, {game} says "
                        f"{before.get(fixed, [1])}."
                    )
            by_name[name] = before | one
        return list(by_name.values())


def _numbers(fields: Sequence[Mapping[str, Any]]) -> str:
    try:
        return f"{sum(math.prod(field.get('shape', [1])) for field in fields)} numbers"
    except TypeError:
        return "shapes that are none"


def _kinds(actions: Sequence[Mapping[str, Any]]) -> str:
    """What kinds of actions there are, in their order, and how many options each has."""
    options = [len(one.get("options", ())) for one in actions]
    kinds = [one.get("kind", "axis") for one in actions]
    return ", ".join(f"{k} of {n}" if n else str(k) for k, n in zip(kinds, options, strict=True)) or "nothing"
