"""What a game says about itself: names, sizes, ranges, units. Asked of the core, never written again."""

from __future__ import annotations

import ctypes as c
import functools
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ConfigError, UnknownName
from .library import check, load


@dataclass(frozen=True)
class Field:
    """A named run of numbers in a flat block."""

    name: str
    start: int
    shape: tuple[int, ...]
    low: float | None
    high: float | None
    unit: str
    labels: tuple[str, ...]
    text: str

    @functools.cached_property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def slice(self) -> slice:
        return slice(self.start, self.start + self.size)


@dataclass(frozen=True)
class Knob:
    """One setting: its kind (float, integer, flag, choice), range, and default by profile."""

    name: str
    kind: str
    low: float
    high: float
    defaults: tuple[float, ...]
    unit: str
    choices: tuple[str, ...]
    text: str

    def number(self, value: Any) -> float:
        """The value as the engine takes it, or an error that says what would be right."""
        if self.kind == "choice":
            if value in self.choices:
                return float(self.choices.index(value))
            raise UnknownName(f"choice for {self.name}", value, self.choices)
        if self.kind == "flag" and isinstance(value, (bool, np.bool_)):
            return float(value)
        whole = self.kind in ("integer", "flag")
        good = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(
            value, (bool, np.bool_)
        )
        if not good or not self.low <= value <= self.high or (whole and value != int(value)):
            raise ConfigError(f"{self.name} = {value!r}: expected {self._expected()} ({self.text}).")
        return float(value)

    def value(self, number: float) -> Any:
        """The engine's number as a person would write it."""
        if self.kind == "choice":
            return self.choices[int(number)]
        return bool(number) if self.kind == "flag" else int(number) if self.kind == "integer" else number

    def _expected(self) -> str:
        if self.kind == "flag":
            return "true or false"
        kind = "a whole number" if self.kind == "integer" else "a number"
        return f"{kind} from {self.low:g} to {self.high:g}{' ' + self.unit if self.unit else ''}"


class Spec:
    """A game under one configuration. Iterate its tables, or ask `field("rays")` for a slice."""

    def __init__(self, game: str, config: Mapping[str, Any] | None = None):
        self.game = game
        self.profile, self.knob_values = resolve(game, config or {})
        values = tuple(self.knob_values)
        told = _described(game, values)
        self.json: dict[str, Any] = told
        shape = told["shape"]
        self.title, self.version, self.text = told["title"], told["version"], told["text"]
        self.profiles: tuple[str, ...] = tuple(told["profiles"])
        self.agents: int = shape["agents"]
        self.observation_size: int = shape["observation"]
        self.action_count: int = shape["actions"]
        self.action_size: int = shape["action_size"]
        self.masked: bool = shape["masked"]
        self.observation, self.info, self.render, self.episode = _blocks(game, values)
        self.knobs = _knobs(game)
        self.config = {k.name: k.value(v) for k, v in zip(self.knobs, self.knob_values, strict=True)}

    @property
    def discrete(self) -> bool:
        return self.action_count > 0

    @property
    def roles(self) -> tuple[str, ...]:
        """The role of each agent at the start of an episode."""
        return tuple(self.json["agent_roles"])

    @property
    def winners(self) -> tuple[str, ...]:
        """What the codes of an episode's `winner` mean: nobody, then roles, whoever sits first."""
        told = next((field.labels for field in self.episode if field.name == "winner"), ())
        return told or ("nobody", *dict.fromkeys(self.roles))

    @property
    def action_names(self) -> tuple[str, ...]:
        return tuple(action["name"] for action in self.json["actions"])

    @property
    def reward_terms(self) -> tuple[dict[str, Any], ...]:
        return tuple(self.json["reward_terms"])

    @property
    def events(self) -> tuple[dict[str, Any], ...]:
        return tuple(self.json["events"])

    @property
    def bots(self) -> dict[str, dict[str, Any]]:
        return {bot["name"]: bot for bot in self.json["bots"]}

    def field(self, name: str) -> slice:
        """Where a named part of the observation lies: `observations[:, spec.field("rays")]`."""
        return self.entry(name).slice

    def entry(self, name: str) -> Field:
        """The whole entry of a named part of the observation."""
        for field in self.observation:
            if field.name == name:
                return field
        raise UnknownName(f"observation field of {self.game}", name, [f.name for f in self.observation])

    @functools.cached_property
    def hash(self) -> str:
        """Changes when a policy or replay made under this spec no longer fits: 16 hex digits.

        Names, sizes, version and settings count; explanations do not, nor what is only looked at.
        """
        fields = [(f.name, f.start, f.shape) for f in self.observation]
        shape = {name: size for name, size in self.json["shape"].items() if name not in ("info", "render")}
        parts = [self.game, self.version, shape, fields, self.action_names, self.config]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]

    def __repr__(self) -> str:
        shape = f"{self.observation_size} observations, {self.action_count or self.action_size} actions"
        return f"Spec({self.game} {self.version}, {self.profile}, {self.agents} agents, {shape})"


def games() -> list[str]:
    """The names of the games in this engine."""
    library = load()
    return [library.sl_game_name(i).decode() for i in range(library.sl_game_count())]


def resolve(game: str, config: Mapping[str, Any]) -> tuple[str, list[float]]:
    """A profile's defaults with the given settings laid over them, as the engine's numbers."""
    if not isinstance(config, Mapping):
        raise ConfigError(f"A configuration is a mapping of names to values, not {type(config).__name__}.")
    if not isinstance(game, str):
        raise UnknownName("game", game, games())
    told = _described(game, None)
    knobs = _knobs(game)
    wishes = dict(config)
    profile = wishes.pop("profile", told["profiles"][0])
    if profile not in told["profiles"]:
        raise UnknownName(f"profile of {game}", profile, told["profiles"])
    column = told["profiles"].index(profile)
    values = {knob.name: float(knob.defaults[column]) for knob in knobs}
    by_name = {knob.name: knob for knob in knobs}
    for name, value in wishes.items():
        if name not in by_name:
            raise UnknownName(f"setting of {game}", name, ["profile", *by_name])
        values[name] = by_name[name].number(value)
    return profile, list(values.values())


@functools.lru_cache(maxsize=256)
def _described(game: str, values: tuple[float, ...] | None) -> dict[str, Any]:
    if game not in games():
        raise UnknownName("game", game, games())
    library = load()
    knobs = None if values is None else (c.c_double * len(values))(*values)
    count = 0 if values is None else len(values)
    room = check(library, library.sl_describe(game.encode(), knobs, count, None, 0))
    text = c.create_string_buffer(room)
    check(library, library.sl_describe(game.encode(), knobs, count, text, room))
    return json.loads(text.raw[:room])


@functools.lru_cache(maxsize=256)  # a server opens hundreds of worlds under the same settings
def _blocks(game: str, values: tuple[float, ...]) -> tuple[tuple[Field, ...], ...]:
    """The fields of an observation, and of the info, render and episode blocks."""
    told = _described(game, values)
    return tuple(_fields(told[block]) for block in ("observation", "info", "render", "episode"))


def _fields(rows: list[dict[str, Any]]) -> tuple[Field, ...]:
    return tuple(
        Field(
            r["name"],
            r["start"],
            tuple(r["shape"]),
            r.get("low"),
            r.get("high"),
            r["unit"],
            tuple(r["labels"]),
            r["text"],
        )
        for r in rows
    )


@functools.cache
def _knobs(game: str) -> tuple[Knob, ...]:
    return tuple(
        Knob(
            r["name"],
            r["kind"],
            r["low"],
            r["high"],
            tuple(r["defaults"]),
            r["unit"],
            tuple(r["choices"]),
            r["text"],
        )
        for r in _described(game, None)["knobs"]
    )
