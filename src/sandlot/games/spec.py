"""What a game says about itself: names, sizes, ranges, units. Asked of the core, never written again."""

import ctypes as c
import functools
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, TypeVar

import numpy as np

from ..errors import ConfigError, UnknownName
from .library import check, load

R = TypeVar("R")
BLOCKS = ("observation", "info", "render")  # an episode's fields declare a meaning too


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
        """Entries."""
        return math.prod(self.shape)

    @property
    def slice(self) -> slice:
        """Where it lies in the block."""
        return slice(self.start, self.start + self.size)


@dataclass(frozen=True)
class EpisodeField(Field):
    """A number of a finished episode, and what it means to code that knows no game."""

    kind: str = "measure"  # outcome (who won), code (a label), flag (0 or 1), measure
    better: str = "none"  # higher, lower, none
    headline: bool = False  # the one number that play is ranked by

    @property
    def metric(self) -> str:
        """What its mean over episodes is called: a share of episodes for a flag."""
        return f"{self.name}_rate" if self.kind == "flag" else f"{self.name}_mean"

    @property
    def is_code(self) -> bool:
        """Whether its values stand for labels."""
        return self.kind in ("outcome", "code")


@dataclass(frozen=True)
class Outcome:
    """What an episode's outcome means for a role: win, loss or draw where `field` has the label `equals`."""

    role: str
    field: str
    equals: str
    means: str


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
        numeric = isinstance(value, (int, float, np.integer, np.floating))
        good = numeric and not isinstance(value, (bool, np.bool_))
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
        description = _describe(game, values)
        self.json: dict[str, Any] = description
        shape = description["shape"]
        self.title, self.version, self.text = (description[key] for key in ("title", "version", "text"))
        self.profiles: tuple[str, ...] = tuple(description["profiles"])
        self.agents: int = shape["agents"]
        self.observation_size: int = shape["observation"]
        self.action_count: int = shape["actions"]
        self.action_size: int = shape["action_size"]
        self.masked: bool = shape["masked"]
        self.discrete = self.action_count > 0  # whether actions are indices
        self.action_names = tuple(action["name"] for action in description["actions"])
        self.roles: tuple[str, ...] = tuple(description["agent_roles"])  # at the start of an episode
        self.reward_terms: tuple[dict[str, Any], ...] = tuple(description["reward_terms"])  # name, role, …
        self.events: tuple[dict[str, Any], ...] = tuple(description["events"])  # name and values
        self.bots: dict[str, dict[str, Any]] = {bot["name"]: bot for bot in description["bots"]}
        # Changes when a policy or replay made under this spec no longer fits: names, sizes, version and
        # settings count; explanations do not, nor what is only looked at. 16 hex digits.
        self.hash: str = description["hash"]
        self.observation, self.info, self.render = (_fields(game, values, block) for block in BLOCKS)
        self.episode = _episode_fields(game, values)
        self.outcomes = tuple(_record(Outcome, row) for row in description.get("outcomes", ()))
        self.default_bots: dict[str, str] = description.get("default_bots", {})
        self.knobs = _knobs(game)
        self.config = {k.name: k.value(v) for k, v in zip(self.knobs, self.knob_values, strict=True)}

    @property
    def winners(self) -> tuple[str, ...]:
        """What the codes of an episode's `winner` mean: nobody, then roles, whoever sits first."""
        return self.outcome.labels if self.outcome else ("nobody", *dict.fromkeys(self.roles))

    @property
    def outcome(self) -> EpisodeField | None:
        """The episode field that says who won, if the game has one."""
        return next((field for field in self.episode if field.kind == "outcome"), None)

    @property
    def headline(self) -> EpisodeField | None:
        """The episode field that play is ranked by: the declared one, else the return; None if neither is."""
        candidates = [field for field in self.episode if field.headline or field.name == "return"]
        return max(candidates, key=lambda field: field.headline, default=None)

    def compared_by(self, bot: str) -> EpisodeField | None:
        """The episode field in which others are compared with this bot."""
        name = self.json.get("compared_by", {}).get(bot)
        return next((field for field in self.episode if field.name == name), self.headline)

    @property
    def codes(self) -> dict[str, tuple[str, ...]]:
        """Labels of every episode field that holds a code, the outcome among them."""
        return {field.name: field.labels for field in self.episode if field.is_code}

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the episode's single numbers that are averaged; the return is reported apart."""
        plain = (field for field in self.episode if field.size == 1 and field.kind == "measure")
        return tuple(field.name for field in plain if field.name != "return")

    @property
    def flags(self) -> tuple[str, ...]:
        """Names of the episode's flags, which are reported as shares of episodes."""
        return tuple(field.name for field in self.episode if field.kind == "flag")

    @property
    def role_flags(self) -> dict[str, int]:
        """Observation entries that are 1 while the row has a role: those labelled with the role's name."""
        return {
            label: field.start + i
            for field in self.observation
            for i, label in enumerate(field.labels)
            if label in self.roles and len(field.labels) == field.size
        }

    def field(self, name: str) -> slice:
        """Where a named part of the observation lies: `observations[:, spec.field("rays")]`."""
        return self.entry(name).slice

    def entry(self, name: str) -> Field:
        """The whole entry of a named part of the observation."""
        for field in self.observation:
            if field.name == name:
                return field
        raise UnknownName(f"observation field of {self.game}", name, [f.name for f in self.observation])

    @property
    def settings(self) -> dict[str, Any]:
        """Profile and settings: `Spec(spec.game, spec.settings)` is the same spec again."""
        return {"profile": self.profile, **self.config}

    def __repr__(self) -> str:
        shape = f"{self.observation_size} observations, {self.action_count or self.action_size} actions"
        return f"Spec({self.game} {self.version}, {self.profile}, {self.agents} agents, {shape})"


def games() -> list[str]:
    """The names of the games in this engine."""
    library = load()
    return [library.sl_game_name(i).decode() for i in range(library.sl_game_count())]


def parse_settings(words: Iterable[str] | None) -> dict[str, Any]:
    """NAME=VALUE words as settings: values are read as JSON where they are JSON, else as text."""
    settings: dict[str, Any] = {}
    for word in words or ():
        name, sign, text = word.partition("=")
        if not sign or not name:
            raise ConfigError(f"{word[:64]}: expected NAME=VALUE, for example mode=switch.")
        try:
            settings[name] = json.loads(text, parse_constant=lambda constant: constant)
        except (ValueError, RecursionError):
            settings[name] = text
    return settings


def resolve(game: str, config: Mapping[str, Any]) -> tuple[str, list[float]]:
    """A profile's defaults with the given settings laid over them, as the engine's numbers."""
    if not isinstance(config, Mapping):
        raise ConfigError(f"A configuration is a mapping of names to values, not {type(config).__name__}.")
    if not isinstance(game, str):
        raise UnknownName("game", game, games())
    description = _describe(game, None)
    knobs = _knobs(game)
    settings = dict(config)
    profile = settings.pop("profile", description["profiles"][0])
    if profile not in description["profiles"]:
        raise UnknownName(f"profile of {game}", profile, description["profiles"])
    column = description["profiles"].index(profile)
    values = {knob.name: float(knob.defaults[column]) for knob in knobs}
    by_name = {knob.name: knob for knob in knobs}
    for name, value in settings.items():
        if name not in by_name:
            raise UnknownName(f"setting of {game}", name, ["profile", *by_name])
        values[name] = by_name[name].number(value)
    return profile, list(values.values())


@functools.lru_cache(maxsize=256)
def _describe(game: str, values: tuple[float, ...] | None) -> dict[str, Any]:
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
def _fields(game: str, values: tuple[float, ...], block: str) -> tuple[Field, ...]:
    """The fields of the observation, or of the info or render block."""
    return tuple(_record(Field, row) for row in _describe(game, values)[block])


@functools.lru_cache(maxsize=256)
def _episode_fields(game: str, values: tuple[float, ...]) -> tuple[EpisodeField, ...]:
    description = _describe(game, values)
    rows, meaning = description["episode"], {row["field"]: row for row in description.get("meaning", ())}
    unknown = meaning.keys() - {row["name"] for row in rows}
    if unknown:
        raise ConfigError(f"{game} declares a meaning of {sorted(unknown)}, which its episodes do not have.")
    return tuple(_record(EpisodeField, row | meaning.get(row["name"], {})) for row in rows)


def _record(kind: type[R], row: Mapping[str, Any]) -> R:
    """A row of the description as a dataclass, its lists as tuples; what it lacks is the default, or None."""
    wanted = {f.name: row.get(f.name, None if f.default is MISSING else f.default) for f in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: tuple(v) if isinstance(v, list) else v for name, v in wanted.items()})


@functools.cache
def _knobs(game: str) -> tuple[Knob, ...]:
    return tuple(_record(Knob, row) for row in _describe(game, None)["knobs"])
