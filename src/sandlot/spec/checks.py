"""What one part of a game's document says against another: each check raises ValueError with one sentence.

`Document.parse` calls `check`. Types and ranges of single values are the models' own.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .document import Document, Field

# Columns that every finished episode has beside the game's own; `length` is the same number in both.
HEAD_COLUMNS = ("seed", "step", "world", "episode", "invalid", "terminated", "truncated")
EVERY_ROLE = "all"  # of a bot or a reward term: any role
ROLE_NAME = re.compile(r"[^\W_][\w .-]{0,63}")  # it becomes part of names of columns and files
COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


def check(document: Document) -> None:
    """ValueError for the first part that is doubled, missing or contradicts another."""
    _check_names(document)
    _check_roles(document)
    _check_sizes(document)
    _check_episode(document)
    _check_outcomes(document)
    _check_settings(document)
    _check_bots(document)
    _check_tables(document)
    _check_play(document)


def kind_of_play(document: Document) -> str:
    """single, competitive, teams or cooperative: what agents, teams and outcomes say together."""
    sides: dict[str, int] = {}
    for role in document.agent_roles:
        sides[document.teams.get(role, role)] = sides.get(document.teams.get(role, role), 0) + 1
    winners = {document.teams.get(o.role, o.role) for o in document.outcomes if o.means == "win"}
    if len(document.agent_roles) == 1:
        return "single"
    if len(winners) < 2:
        return "cooperative"
    return "teams" if max(sides.values()) > 1 else "competitive"


# ---------------------------------------------------------------- the checks


def _check_names(document: Document) -> None:
    if re.search(r"[\x00-\x1f\\]|\.\.", document.name) or document.name.strip() != document.name:
        raise ValueError(f"name is {document.name!r}; expected a plain name")
    for block in ("observation", "actions", "info", "render", "episode", "knobs"):
        _no_doubles([part.name for part in getattr(document, block)], block)
    for role, fields in document.role_observation.items():
        _no_doubles([field.name for field in fields], f"observation of {role}")
    for role, actions in document.role_actions.items():
        _no_doubles([action.name for action in actions], f"actions of {role}")
    for block in ("profiles", "roles"):
        _no_doubles(getattr(document, block), block)
    if not document.profiles:
        raise ValueError("profiles is empty; leave it out for one called default")


def _check_roles(document: Document) -> None:
    roles = set(document.agent_roles)
    if not roles:
        raise ValueError("agent_roles is empty; a world has at least one agent")
    for role in sorted(roles):
        if not ROLE_NAME.fullmatch(role):
            raise ValueError(
                f"a role is called {role!r}; expected letters, digits, spaces, dots, dashes and underscores, "
                "64 at most"
            )
    styled = [style.role for style in document.role_styles]
    _no_doubles(styled, "role_styles")
    named = (*document.roles, *document.role_observation, *document.role_actions, *document.teams, *styled)
    for role in named:
        _known_role(role, roles, "it declares")
    if document.roles and set(document.roles) != roles:
        lacking = ", ".join(sorted(roles - set(document.roles)))
        raise ValueError(f"roles lacks {lacking}, which agent_roles has")
    for table in (document.role_observation, document.role_actions):
        if table and set(table) != roles:
            raise ValueError(f"role {min(roles - set(table))!r} lacks its own observation or actions")


def _known_role(role: Any, roles: set[str], what: str) -> None:
    if role not in roles:
        raise ValueError(f"{what} the role {role!r}, which no agent has ({', '.join(sorted(roles))})")


def _check_sizes(document: Document) -> None:
    """The sizes of a stated shape against what the fields add up to."""
    shape = document.shape
    assert shape is not None, "Document.parse fills it in"
    if shape.agents != len(document.agent_roles):
        raise ValueError(f"shape.agents is {shape.agents}, and agent_roles names {len(document.agent_roles)}")
    lists = [document.observation_of(role) for role in document.agent_roles]
    for name, stated, fields in [
        ("observation", shape.observation, max(lists, key=_width)),
        *(
            (block, getattr(shape, block), getattr(document, block))
            for block in ("info", "render", "episode")
        ),
    ]:
        if stated != _width(fields):
            raise ValueError(f"shape.{name} is {stated}, and its fields have {_width(fields)} numbers")
    decided = max(len(document.actions_of(role)) for role in document.agent_roles)
    if not shape.actions and shape.action_size != decided:
        raise ValueError(f"shape.action_size is {shape.action_size}, and {decided} actions are listed")
    if shape.masked and not shape.actions:
        raise ValueError("masked says that options can be illegal, and the action is not one choice alone")
    for fields in {id(fields): fields for fields in (*lists, document.observation)}.values():
        for field in fields:
            if field.labels and field.size % len(field.labels):
                raise ValueError(
                    f"observation: {field.name} has {len(field.labels)} labels for {field.size} numbers"
                )


def _width(fields: Iterable[Field]) -> int:
    return sum(field.size for field in fields)


def _check_episode(document: Document) -> None:
    names = {field.name for field in document.episode}
    headlines = [field.name for field in document.episode if field.headline]
    if len(headlines) > 1:
        raise ValueError(f"two episode fields are the headline ({', '.join(headlines)}); expected one")
    for field in document.episode:
        if field.name in HEAD_COLUMNS:
            raise ValueError(f"an episode field is called {field.name}, which every episode has already")
        if field.is_code and not field.labels:
            raise ValueError(f"{field.name} is of kind {field.kind} and has no labels")
        if field.is_code:
            _no_doubles(field.labels, f"labels of {field.name}")
        if field.kind != "measure" and field.size != 1:
            raise ValueError(f"{field.name} is of kind {field.kind}, with {field.size} numbers; expected one")
        if field.alias and field.alias in names:
            raise ValueError(f"the alias of {field.name} is {field.alias}, which another field is called")
        if field.headline and (field.size != 1 or field.better == "none" or field.is_code):
            raise ValueError(
                f"{field.name} is the headline, by which play is ranked: expected one number or flag, "
                "with better higher or lower"
            )
    _no_doubles([field.alias for field in document.episode if field.alias], "aliases")
    outcomes = [field.name for field in document.episode if field.kind == "outcome"]
    if len(outcomes) > 1:
        raise ValueError(f"two episode fields are the outcome ({', '.join(outcomes)}); expected one")


def _check_outcomes(document: Document) -> None:
    episode = {field.name: field for field in document.episode}
    means: dict[tuple[str, str], str] = {}
    for outcome in document.outcomes:
        _known_role(outcome.role, set(document.agent_roles), "an outcome names")
        field = episode.get(outcome.field)
        if field is None or outcome.equals not in field.labels:
            raise ValueError(f"an outcome asks for {outcome.field} = {outcome.equals!r}, which it never is")
        if field.kind != "outcome":
            raise ValueError(
                f"an outcome asks for {outcome.field}, which is of kind {field.kind}, not outcome"
            )
        key = (outcome.role, outcome.equals)
        if key in means:
            other = "twice" if means[key] == outcome.means else f"a {means[key]} and a {outcome.means}"
            raise ValueError(f"{outcome.field} = {outcome.equals!r} is declared {other} for {outcome.role}")
        means[key] = outcome.means


def _check_settings(document: Document) -> None:
    for knob in document.knobs:
        if knob.name == "profile":
            raise ValueError("a setting is called profile, which chooses the defaults of all settings")
        if len(knob.defaults) != len(document.profiles):
            raise ValueError(
                f"the setting {knob.name} has {len(knob.defaults)} defaults for "
                f"{len(document.profiles)} profiles"
            )


def _check_bots(document: Document) -> None:
    roles, named = set(document.agent_roles), {}
    for bot in document.bots:
        name, role, levels = _text_of(bot, "bots", "name"), bot.get("role"), bot.get("levels", 1)
        if role != EVERY_ROLE:
            _known_role(role, roles, f"the bot {name} plays")
        if not isinstance(levels, int) or levels < 1:
            raise ValueError(f"the bot {name} has levels {levels!r}; expected a whole number from 1")
        named[name] = role
    _no_doubles([bot["name"] for bot in document.bots], "bots")
    for role, name in document.default_bots.items():
        _known_role(role, roles, "default_bots names")
        if named.get(name) not in (role, EVERY_ROLE):
            raise ValueError(f"the default bot of {role} is {name!r}, which is not a bot of that role")
    fields = {field.name for field in document.episode}
    for name, field in document.compared_by.items():
        if name not in named or field not in fields:
            raise ValueError(f"compared_by says {name} = {field}: expected a bot and an episode field")


def _check_tables(document: Document) -> None:
    roles = set(document.agent_roles)
    terms = []
    for term in document.reward_terms:
        name, role = _text_of(term, "reward_terms", "name"), term.get("role", EVERY_ROLE)
        if role != EVERY_ROLE:
            _known_role(role, roles, f"the reward term {name} is of")
        terms.append((name, role))
    _no_doubles(terms, "reward_terms")
    _no_doubles([_text_of(event, "events", "name") for event in document.events], "events")
    _no_doubles([derived.name for derived in document.derived], "derived")
    for derived in document.derived:
        if derived.name in (derived.above, derived.below):
            raise ValueError(f"the derived metric {derived.name} is made of itself")
    for style in document.role_styles:
        for colour in (style.colour, style.on_dark):
            if not COLOUR.fullmatch(colour):
                raise ValueError(f"the role {style.role} has the colour {colour!r}; expected #rrggbb")
    if document.in_play:
        field = next((field for field in document.info if field.name == document.in_play), None)
        if field is None or field.size != len(document.agent_roles):
            raise ValueError(
                f"in_play is {document.in_play!r}; expected an info field with a number per agent"
            )


def _check_play(document: Document) -> None:
    found = kind_of_play(document)
    if document.play not in (None, found):
        raise ValueError(
            f"play is {document.play}, and {len(document.agent_roles)} agents, their teams and who wins by "
            f"which outcome say {found}"
        )


# ---------------------------------------------------------------- helpers


def _text_of(row: Mapping[str, Any], table: str, key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f"{table} has an entry without a {key}")
    return value


def _no_doubles(names: Sequence[Hashable], block: str) -> None:
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        shown = doubled if isinstance(doubled, str) else " of ".join(map(str, doubled))  # type: ignore[call-overload]
        raise ValueError(f"{block} names {shown!r} twice")
