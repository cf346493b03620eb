"""The document that describes a game: models of its parts, what may be left out, what contradicts itself.

Everything but names and sizes has a default, so that a scene or an env that declares little is a valid game:
one role `agent`, no outcome, ranked by its return. `python -m sandlot.spec` prints the JSON schema.
"""

import functools
import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic import Field as Declared

from ..documents import first_invalid
from ..errors import ConfigError, SpecError, UnknownName
from .checks import check

SCHEMA_VERSION = 1
MOST_ENTRIES = 1 << 20  # numbers in one block of a document from outside
Better = Literal["higher", "lower", "none"]


class Part(BaseModel):
    """A part of a document: read-only; keys that this version does not know are kept out of it."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Field(Part):
    """A named run of numbers in a flat block."""

    name: str = Declared(min_length=1, max_length=128)
    start: int = -1  # in its block; -1: behind the field before it
    shape: tuple[int, ...] = (1,)
    low: float | None = Declared(None, allow_inf_nan=False)
    high: float | None = Declared(None, allow_inf_nan=False)
    unit: str = ""
    scale: float | None = Declared(
        None, gt=0, allow_inf_nan=False
    )  # units that one stands for: 50 where 1.0 means 50 m/s
    labels: tuple[str, ...] = ()
    text: str = ""
    image: bool = False  # height x width x channels of a picture, 0 to 255

    @functools.cached_property
    def size(self) -> int:
        """Entries."""
        return math.prod(self.shape)

    @property
    def slice(self) -> slice:
        """Where it lies in the block."""
        return slice(self.start, self.start + self.size)

    @model_validator(mode="after")
    def _check_shape(self) -> "Field":
        if not self.shape or min(self.shape) < 1 or self.size > MOST_ENTRIES:
            raise ValueError(f"{self.name} has shape {list(self.shape)}; expected positive sizes")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"{self.name} goes from {self.low:g} to {self.high:g}")
        if self.image and len(self.shape) != 3:
            raise ValueError(
                f"the picture {self.name} has shape {list(self.shape)}; expected height, width, channels"
            )
        return self


class EpisodeField(Field):
    """A number of a finished episode, and what it means to code that knows no game."""

    kind: Literal["outcome", "code", "measure", "flag"] = "measure"
    better: Better = "none"
    headline: bool = False  # the one number that play is ranked by
    alias: str = ""  # the name of its metrics and milestones, where that is not its own
    group: str = ""  # the part of a report that it is in: comfort, performance; "" for none
    milestones: tuple[float, ...] = ()  # values at which a replay is worth watching

    @property
    def metric(self) -> str:
        """What its mean over episodes is called: a share of episodes for a flag."""
        return self.metric_as(self.name)

    def metric_as(self, name: str) -> str:
        """Its mean over episodes under another name."""
        return f"{name}_rate" if self.kind == "flag" else f"{name}_mean"

    @property
    def is_code(self) -> bool:
        """Whether its values stand for labels."""
        return self.kind in ("outcome", "code")


class Action(Part):
    """Something an agent decides in every step: an axis (-1 to 1), a button (-1 or 1) or a choice."""

    name: str = Declared(min_length=1, max_length=128)
    kind: Literal["axis", "button", "choice"] = "axis"
    options: tuple[str, ...] = ()  # of a choice
    low: float = -1.0  # what -1 and 1 of an axis mean to the game
    high: float = 1.0
    group: str = ""  # actions of one group belong together: "move" for the two axes of a stick
    unit: str = ""
    text: str = ""

    @model_validator(mode="after")
    def _check_options(self) -> "Action":
        if self.kind == "choice" and len(self.options) < 2:
            raise ValueError(f"the choice {self.name} has {len(self.options)} options; expected two or more")
        if len(set(self.options)) != len(self.options):
            raise ValueError(f"the choice {self.name} names an option twice")
        if not self.low < self.high:
            raise ValueError(f"the axis {self.name} goes from {self.low:g} to {self.high:g}")
        return self

    @property
    def bounds(self) -> tuple[float, float]:
        """Of its column in the array of actions."""
        return (0.0, len(self.options) - 1.0) if self.kind == "choice" else (-1.0, 1.0)


class Outcome(Part):
    """What an episode's outcome means for a role: win, loss or draw where `field` has the label `equals`."""

    role: str
    field: str
    equals: str
    means: Literal["win", "loss", "draw"]


class RoleStyle(Part):
    """How a role is shown: colours `#rrggbb`, and the words of a film."""

    role: str
    colour: str  # on a light page
    on_dark: str  # on a dark picture
    best: str = ""  # heading of the best match that it won
    won: str = ""  # before the time of its win: "escaped for"


class Derived(Part):
    """A metric that follows from two others of a window."""

    name: str
    kind: Literal["ratio", "penalty"] = "ratio"
    above: str
    below: str
    factor: float = 1.0

    def value(self, above: float, below: float) -> float:
        """factor * above / below, nan where nothing is below; a penalty: above - factor * (1 - below)."""
        if self.kind == "penalty":
            return above - self.factor * (1 - below)
        return self.factor * above / below if below > 0 else math.nan


class ChartLine(Part):
    """One line of a chart of the game's own, over windows; the lines of one panel stand together."""

    chart: str  # name of its file
    title: str
    panel: str = ""
    unit: str = ""
    column: str
    line: str = ""  # "" where the panel says what it is
    colour: str = ""  # "" for the next one of the palette


class Knob(Part):
    """One setting: its kind, range, and default by profile."""

    name: str = Declared(min_length=1, max_length=128)
    kind: Literal["float", "integer", "flag", "choice"] = "float"
    low: float = -1e30
    high: float = 1e30
    defaults: tuple[float, ...]
    unit: str = ""
    choices: tuple[str, ...] = ()
    text: str = ""

    @model_validator(mode="after")
    def _check_defaults(self) -> "Knob":
        if self.kind == "choice" and (not self.choices or len(set(self.choices)) != len(self.choices)):
            raise ValueError(
                f"the setting {self.name} chooses from {list(self.choices)}; expected names, each once"
            )
        low, high = (0, len(self.choices) - 1) if self.kind == "choice" else (self.low, self.high)
        for value in self.defaults:
            slack = 1e-6 * max(abs(low), abs(high), 1.0)  # an engine's defaults are of 32 bits
            if not low - slack <= value <= high + slack or (self.kind != "float" and value != int(value)):
                raise ValueError(
                    f"the setting {self.name} is {value:g} by default; expected {self._expected()}"
                )
        return self

    def number(self, value: Any) -> float:
        """The value as the game takes it, or an error that says what would be right."""
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
        """The game's number as a person would write it."""
        if self.kind == "choice":
            return self.choices[int(number)]
        return bool(number) if self.kind == "flag" else int(number) if self.kind == "integer" else number

    def _expected(self) -> str:
        if self.kind == "flag":
            return "true or false"
        if self.kind == "choice":
            return f"0 to {len(self.choices) - 1}, the place of its choice"
        kind = "a whole number" if self.kind == "integer" else "a number"
        return f"{kind} from {self.low:g} to {self.high:g}{' ' + self.unit if self.unit else ''}"


class Shape(Part):
    """Sizes of the blocks, as the engine states them; otherwise they follow from the fields."""

    agents: int
    observation: int
    actions: int = 0  # of a game with one choice per step: its options
    action_size: int = 1
    masked: bool = False
    info: int = 0
    render: int = 0
    episode: int = 0


class Document(Part):
    """A game, complete: `Document.parse` reads and checks it."""

    model_config = ConfigDict(frozen=True, extra="allow")  # a game's own tables, such as costs

    schema_version: int = SCHEMA_VERSION
    source: Literal["engine", "godot", "godot-rl", "gymnasium", "file"] = "engine"
    name: str = Declared(min_length=1, max_length=256)
    title: str = ""
    version: str = "1"
    text: str = ""
    play: Literal["single", "competitive", "teams", "cooperative"] | None = (
        None  # None: by roles and outcomes
    )
    # ticks per second; None: the setting tick_rate, else unknown
    tick_rate: float | None = Declared(None, gt=0, allow_inf_nan=False)
    ticks_per_step: int | None = Declared(None, ge=1)
    seeded: bool = True  # whether the seed of an episode decides how it begins
    profiles: tuple[str, ...] = ("default",)
    shape: Shape | None = None
    roles: tuple[str, ...] = ()  # in the order in which they are named; (): that of agent_roles
    agent_roles: tuple[str, ...] = ("agent",)  # of each agent of a world, in the order of its rows
    teams: dict[str, str] = Declared(default_factory=dict)  # by role; roles of one team win together
    observation: tuple[Field, ...] = ()
    role_observation: dict[str, tuple[Field, ...]] = Declared(default_factory=dict)  # where roles differ
    actions: tuple[Action, ...] = ()
    role_actions: dict[str, tuple[Action, ...]] = Declared(default_factory=dict)
    masked: bool = False
    knobs: tuple[Knob, ...] = ()
    bots: tuple[dict[str, Any], ...] = ()
    default_bots: dict[str, str] = Declared(default_factory=dict)
    compared_by: dict[str, str] = Declared(default_factory=dict)
    reward_terms: tuple[dict[str, Any], ...] = ()
    info: tuple[Field, ...] = ()
    render: tuple[Field, ...] = ()
    episode: tuple[EpisodeField, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    events: tuple[dict[str, Any], ...] = ()
    role_styles: tuple[RoleStyle, ...] = ()
    derived: tuple[Derived, ...] = ()
    charts: tuple[ChartLine, ...] = ()
    wandb_project: str = ""  # "": sandlot-{name}
    in_play: str = ""  # info field with one number per agent, 0 while it is out of an episode that goes on
    replay_scene: str = ""  # of our Godot project, that draws a replay: "tag/Replay"; "" where there is none
    hash: str = ""  # the engine's own; otherwise computed from the document

    @classmethod
    def parse(cls, given: Any, where: str = "The game's spec") -> "Document":
        """Check a document; SpecError names the first part that is missing, doubled or contradictory."""
        if not isinstance(given, Mapping):
            raise SpecError(
                f"{where} is {type(given).__name__}, expected an object with name, observation, …"
            )
        if given.get("schema_version", SCHEMA_VERSION) != SCHEMA_VERSION:
            found = given["schema_version"]
            raise SpecError(f"{where} has schema_version {found!r}, this Sandlot reads {SCHEMA_VERSION}.")
        try:
            made = cls.model_validate(_normalized(given))
            check(made)
        except ValidationError as problem:
            raise SpecError(f"{where}: {first_invalid(problem)}.") from None
        except ValueError as problem:
            raise SpecError(f"{where}: {problem}.") from None
        return made

    def observation_of(self, role: str) -> tuple[Field, ...]:
        """The fields that a role observes."""
        return self.role_observation.get(role, self.observation)

    def actions_of(self, role: str) -> tuple[Action, ...]:
        """What a role decides."""
        return self.role_actions.get(role, self.actions)


# Parts that are read before the models check them.
_OUTER = (
    (("role_observation", "role_actions", "shape"), (dict,), "an object"),
    (("meaning", "aliases", "agent_roles"), (list, tuple), "a list"),
)


def _normalized(given: Mapping[str, Any]) -> dict[str, Any]:
    """Starts of fields, sizes of blocks and meaning of episode fields, where they follow from the rest."""
    made = dict(given)
    for tables, kinds, called in _OUTER:
        wrong = [table for table in tables if not isinstance(made.get(table, kinds[0]()), kinds)]
        if wrong:
            raise ValueError(f"{wrong[0]} is {type(made[wrong[0]]).__name__}, expected {called}")
    for block in ("observation", "info", "render", "episode"):
        made[block] = _placed(made.get(block) or (), block)
    if made.get("role_observation"):
        fields = made["role_observation"].items()
        made["role_observation"] = {role: _placed(own, f"observation of {role}") for role, own in fields}
    made["episode"] = _with_meaning(made["episode"], (*made.get("meaning", ()), *made.get("aliases", ())))
    if not made.get("shape"):
        made["shape"] = _sizes(made)
    elif made["shape"].get("actions"):  # the engine lists the options of its one choice as actions
        made["actions"] = ()
    return made


def _placed(fields: Any, block: str) -> list[dict[str, Any]]:
    if not isinstance(fields, (list, tuple)) or not all(isinstance(field, Mapping) for field in fields):
        raise ValueError(f"{block} is not a list of fields")
    at, made = 0, []
    for field in fields:
        shape = field.get("shape", (1,))
        if not isinstance(shape, (list, tuple)) or not all(map(_is_size, shape)):
            raise ValueError(f"{block}: {field.get('name')} has shape {shape!r}; expected positive sizes")
        shape = [int(n) for n in shape]
        if field.get("start", at) != at:
            raise ValueError(f"{block}: {field.get('name')} starts at {field['start']}, expected {at}")
        made.append({**field, "shape": shape, "start": at})
        at += math.prod(shape)
        if at > MOST_ENTRIES:
            raise ValueError(f"{block} has more than {MOST_ENTRIES} numbers")
    return made


def _is_size(number: Any) -> bool:
    """Whether it is a whole number from 1; JSON of Godot has 3.0 for 3."""
    whole = isinstance(number, int) or (isinstance(number, float) and number.is_integer())
    return whole and not isinstance(number, bool) and number >= 1


def _with_meaning(fields: list[dict[str, Any]], meaning: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The engine declares what its episode fields mean, and their aliases, in tables of their own."""
    by_field: dict[Any, dict[str, Any]] = {}
    for row in meaning:
        if not isinstance(row, Mapping) or "field" not in row:
            raise ValueError("meaning and aliases are lists of objects, each with a field")
        by_field.setdefault(row["field"], {}).update({k: v for k, v in row.items() if k != "field"})
    unknown = by_field.keys() - {field.get("name") for field in fields}
    if unknown:
        raise ValueError(f"it declares a meaning of {sorted(unknown)}, which its episodes do not have")
    return [field | by_field.get(field.get("name"), {}) for field in fields]


def _sizes(document: Mapping[str, Any]) -> dict[str, Any]:
    def width(fields: Iterable[Mapping[str, Any]]) -> int:
        return sum(math.prod(field["shape"]) for field in fields)

    own = document.get("role_observation") or {}
    observation = max([width(document["observation"]), *(width(fields) for fields in own.values())])
    if not observation:
        raise ValueError("observation has no field; an agent must see something")
    roles = document.get("agent_roles", ("agent",))
    by_role = document.get("role_actions") or {}
    lists = [*by_role.values()] or [document.get("actions") or ()]
    if not all(isinstance(actions, (list, tuple)) and actions for actions in lists):
        raise ValueError("actions has no entry; an agent must be able to do something")
    single_choice = len(lists) == 1 and len(lists[0]) == 1 and lists[0][0].get("kind") == "choice"
    return {
        "agents": len(roles),
        "observation": observation,
        "actions": len(lists[0][0].get("options", ())) if single_choice else 0,
        "action_size": max(len(actions) for actions in lists),
        "masked": bool(document.get("masked", False)),
        **{block: width(document[block]) for block in ("info", "render", "episode")},
    }


def digest(value: Any) -> str:
    """16 hex digits of the canonical JSON of plain values."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
