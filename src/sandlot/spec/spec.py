"""A game under one configuration: names, sizes, ranges, units. What every other package asks about a game."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import SpecError, UnknownName
from .checks import kind_of_play
from .document import Action, Document, EpisodeField, Field, digest
from .settings import resolve


class Spec:
    """A document and the values of its settings. Iterate its tables, or ask `field("rays")` for a slice."""

    def __init__(
        self,
        document: Document,
        description: Mapping[str, Any],
        config: Mapping[str, Any] | None = None,
        address: str | None = None,
    ):
        """description: the document as the game gave it. config: profile and settings.

        address: what opens the game again, where that is not its name ("gym:CartPole-v1").
        """
        self.document, self.game = document, document.name
        self._whole: Spec | None = None  # of what one role sees: the spec that it is a part of
        self.address = address or document.name
        self.profile, self.knob_values = resolve(document, config or {})
        self.json: dict[str, Any] = dict(description)
        shape = document.shape
        assert shape is not None, "Document.parse fills it in"
        self.shape = shape
        self.title, self.version, self.text = document.title or document.name, document.version, document.text
        self.source = document.source
        self.profiles = document.profiles
        self.agents: int = shape.agents
        self.observation_size: int = shape.observation  # the longest, where roles differ
        self.action_count: int = shape.actions
        self.action_size: int = shape.action_size
        self.masked: bool = shape.masked
        self.discrete = self.action_count > 0  # whether an action is one index
        self.roles = document.agent_roles  # at the start of an episode
        self.observation, self.info, self.render = document.observation, document.info, document.render
        self.actions: tuple[Action, ...] = document.actions
        self.reward_terms = document.reward_terms  # name, role, …
        self.events = document.events  # name and values
        self.bots: dict[str, dict[str, Any]] = {bot["name"]: bot for bot in document.bots}
        self.default_bots = document.default_bots
        self.episode, self.outcomes = document.episode, document.outcomes
        self.knobs = document.knobs
        self.config = {k.name: k.value(v) for k, v in zip(self.knobs, self.knob_values, strict=True)}

    @functools.cached_property
    def hash(self) -> str:
        """The rules hash: changes when a replay made under this spec no longer fits.

        Names, sizes, version and settings count; explanations do not, nor what is only looked at.
        """
        own = [self.game, self.version, self.config, self.interface_hash, [f.name for f in self.episode]]
        return self.document.hash or digest(own)

    @functools.cached_property
    def interface_hash(self) -> str:
        """Changes when a policy made under this spec no longer fits: observations, actions, roles."""
        roles = {
            role: [
                [[f.name, *f.shape] for f in self.document.observation_of(role)],
                [[a.name, a.kind, *a.options] for a in self.document.actions_of(role)] or self.action_names,
            ]
            for role in dict.fromkeys(self.roles)
        }
        return digest([self.observation_size, self.action_count, self.action_size, list(self.roles), roles])

    @functools.cached_property
    def action_names(self) -> tuple[str, ...]:
        """Of the options of a game with one choice per step, else of the entries of an action."""
        if self.discrete and self.actions:
            return self.actions[0].options
        named = [action.name for action in self.actions]
        return tuple(named or [action["name"] for action in self.json.get("actions", ())])

    def for_role(self, role: str) -> "Spec":
        """The spec as one role sees it: its own observation and actions, where roles differ in them."""
        if self._whole is not None:
            return self._whole.for_role(role)
        document = self.document
        if not document.role_observation and not document.role_actions:
            return self
        fields, actions = document.observation_of(role), document.actions_of(role)
        single_choice = len(actions) == 1 and actions[0].kind == "choice"
        sizes = {
            "observation": sum(field.size for field in fields),
            "actions": len(actions[0].options) if single_choice else 0,
            "action_size": len(actions),
        }
        own = document.model_copy(
            update={
                "shape": self.shape.model_copy(update=sizes),
                "observation": fields,
                "actions": actions,
                "role_observation": {},
                "role_actions": {},
            }
        )
        made = Spec(own, self.json, self.settings, self.address)
        made._whole, made.hash, made.interface_hash = self, self.hash, self.interface_hash
        return made

    # ------------------------------------------------------------ saved with what was made under it

    def stored(self) -> dict[str, Any]:
        """The document, its settings and its address as plain values: `restored` gives the same spec."""
        return {"document": self.json, "settings": self.settings, "address": self.address}

    @classmethod
    def restored(cls, stored: Any, what: str = "The stored spec") -> "Spec":
        """The spec that `stored()` was taken of; SpecError names the first problem. what: names its place."""
        if not isinstance(stored, Mapping) or not isinstance(stored.get("settings"), Mapping):
            raise SpecError(f"{what} holds no spec: expected an object with document, settings and address.")
        document = Document.parse(stored.get("document"), what)
        address = stored.get("address")
        given = stored["document"]
        return cls(document, given, stored["settings"], address if isinstance(address, str) else None)

    # ------------------------------------------------------------ what the numbers of an episode mean

    @property
    def winners(self) -> tuple[str, ...]:
        """What the codes of the outcome mean: nobody, then roles, whoever sits first."""
        return self.outcome.labels if self.outcome else ("nobody", *dict.fromkeys(self.roles))

    @property
    def outcome(self) -> EpisodeField | None:
        """The episode field that says who won, if the game has one."""
        return next((field for field in self.episode if field.kind == "outcome"), None)

    def winning_codes(self, role: str, means: str = "win") -> list[int]:
        """Codes of the outcome with which a role wins (or means: loss, draw)."""
        outcome = self.outcome
        if outcome is None:
            return []
        declared = [
            o.equals for o in self.outcomes if (o.role, o.field, o.means) == (role, outcome.name, means)
        ]
        return [outcome.labels.index(label) for label in declared]

    @property
    def headline(self) -> EpisodeField | None:
        """The episode field that play is ranked by: the declared one, else the return; None if neither is."""
        candidates = [field for field in self.episode if field.headline or field.name == "return"]
        return max(candidates, key=lambda field: field.headline, default=None)

    @functools.cached_property
    def play(self) -> str:
        """Who plays with whom: single, competitive, teams or cooperative."""
        return kind_of_play(self.document)

    @property
    def competes(self) -> bool:
        """Whether roles of different teams can win: then no sum over all of them says who plays well."""
        teams = self.document.teams
        return len({teams.get(o.role, o.role) for o in self.outcomes if o.means == "win"}) > 1

    @property
    def rates_roles(self) -> bool:
        """Whether players get ratings: two roles play against each other, and both have bots."""
        played = {bot["role"] for bot in self.bots.values()}
        return len(self.role_names) == 2 and ("all" in played or played >= set(self.role_names))

    def compared_by(self, bot: str) -> EpisodeField | None:
        """The episode field in which others are compared with this bot."""
        name = self.document.compared_by.get(bot)
        return next((field for field in self.episode if field.name == name), self.headline)

    @property
    def role_names(self) -> tuple[str, ...]:
        """Each role once, the first one first whoever sits first."""
        ordered = [role for role in self.document.roles if role in self.roles]
        return tuple(dict.fromkeys([*ordered, *self.roles]))

    @property
    def results(self) -> list[EpisodeField]:
        """What an episode is shown by: the headline, and flags that are good."""
        return [f for f in self.episode if f.headline or (f.kind == "flag" and f.better == "higher")]

    @property
    def aliases(self) -> dict[str, str]:
        """Episode fields whose metrics go by another name too, and that name."""
        return {field.name: field.alias for field in self.episode if field.alias}

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

    # ------------------------------------------------------------ observations and actions

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

    @functools.cached_property
    def action_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest value of each entry of an action that is not a single index, float32 [size]."""
        lists = [self.document.actions_of(role) for role in dict.fromkeys(self.roles)]
        low, high = np.full(self.action_size, -1.0, np.float32), np.full(self.action_size, 1.0, np.float32)
        for actions in lists:
            for i, action in enumerate(actions):
                low[i], high[i] = min(low[i], action.bounds[0]), max(high[i], action.bounds[1])
        if len(lists) == 1 or not self.document.role_actions:
            for i, action in enumerate(self.actions):
                low[i], high[i] = action.bounds
        return low, high

    # ------------------------------------------------------------ time and settings

    @property
    def tick_rate(self) -> float | None:
        """Ticks per simulated second; None where the game does not say."""
        return self.document.tick_rate or self.config.get("tick_rate")

    @property
    def settings(self) -> dict[str, Any]:
        """Profile and settings: a spec made with them is the same spec again."""
        return {"profile": self.profile, **self.config}

    def __repr__(self) -> str:
        shape = f"{self.observation_size} observations, {self.action_count or self.action_size} actions"
        return f"Spec({self.game} {self.version}, {self.profile}, {self.agents} agents, {shape})"


def named(fields: Sequence[Field], values: np.ndarray) -> dict[str, Any]:
    """A flat block as a mapping: a float for a single number, an array for several."""
    return {
        f.name: float(values[f.start]) if f.size == 1 else values[f.slice].reshape(f.shape).copy()
        for f in fields
    }
