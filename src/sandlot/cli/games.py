"""`sandlot games`: the list of games, or the spec of one."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from rich.text import Text
from typer import Argument, Option

from ..spec import Action, EpisodeField, Spec, parse_settings
from ..worlds import games as game_names
from ..worlds import load_spec
from .options import Setting
from .show import as_json, out, table

UNBOUNDED = 1e30  # a bound that is none


def games(
    name: Annotated[str | None, Argument(help="A game; without one, the list of games.")] = None,
    settings: Setting = None,
    as_machine: Annotated[bool, Option("--json", help="The whole spec as JSON.")] = False,
) -> None:
    """List the games, or show one game's observation, action, reward and settings tables.

    Example: sandlot games tag --set mode=switch
    """
    if name is None:
        _list(as_machine)
        return
    spec = load_spec(name, parse_settings(settings))
    if as_machine:
        as_json(spec.json | {"profile": spec.profile, "config": spec.config, "hash": spec.hash})
    else:
        _show(spec)


def _list(as_machine: bool) -> None:
    specs = [load_spec(name) for name in game_names()]
    if as_machine:
        as_json([{"name": s.game, "title": s.title, "version": s.version, "text": s.text} for s in specs])
        return
    rows = [
        (s.game, s.title, s.agents, s.observation_size, s.action_count or f"{s.action_size} continuous")
        for s in specs
    ]
    table("Games", ("name", "title", "agents>", "observation>", "actions>"), rows)
    out.print(Text.assemble("More of one: ", ("sandlot games NAME", "bold")))


def _show(spec: Spec) -> None:
    about = f" ({spec.game} {spec.version}, profile {spec.profile}, spec {spec.hash})"
    out.print(Text.assemble((spec.title, "bold"), about))
    if spec.text:
        out.print_line(spec.text)
    out.print_line(_who(spec))
    if spec.document.role_observation or spec.document.role_actions:
        for role in spec.role_names:
            _show_interface(spec.for_role(role), f" of {role}")
    else:
        _show_interface(spec)
    episode = [(f.name, _kind(f), _better(f), f.unit, _meaning(f)) for f in spec.episode]
    _table_if("Of a finished episode", ("number", "kind", "better", "unit", "meaning"), episode)
    terms = _rows(spec.reward_terms, "name", "role", "knob", "text")
    _table_if("Reward terms", ("term", "pays", "setting", "meaning"), terms)
    settings = [(k.name, spec.config[k.name], _choices(k), k.unit, k.text) for k in spec.knobs]
    title = f"Settings (profiles: {', '.join(spec.profiles)})"
    table(title, ("setting", "value>", "range", "unit", "meaning"), settings)
    bots = _rows(spec.bots.values(), "name", "levels", "role", "text")
    _table_if("Scripted players", ("bot", "levels>", "role", "meaning"), bots)
    events = [(e["name"], ", ".join(e.get("values", ())), e.get("text", "")) for e in spec.events]
    _table_if("Events", ("event", "carries", "meaning"), events)


def _who(spec: Spec) -> str:
    """Who plays with whom, and what play is ranked by."""
    counts = [(spec.roles.count(role), role) for role in spec.role_names]
    agents = ", ".join(role if count == 1 else f"{count} {role}" for count, role in counts)
    ranked = spec.headline
    by = "wins" if spec.competes else f"{ranked.name} ({ranked.better} is better)" if ranked else "nothing"
    return f"Agents: {agents}. Play: {spec.play}, ranked by {by}."


def _kind(field: EpisodeField) -> str:
    return f"{field.kind}: {', '.join(field.labels)}" if field.is_code else field.kind


def _better(field: EpisodeField) -> str:
    return ("" if field.better == "none" else field.better) + (", headline" if field.headline else "")


def _show_interface(spec: Spec, whose: str = "") -> None:
    """Tables of an agent's observation and actions. whose: the role, if roles differ."""
    columns = ("field", "entries", "shape", "range", "unit", "meaning")
    rows = [
        (f.name, _span(f), "x".join(map(str, f.shape)), _range(f.low, f.high), f.unit, _meaning(f))
        for f in spec.observation
    ]
    table(f"Observation{whose}: {spec.observation_size} floats", columns, rows)
    _show_actions(spec, whose)


def _show_actions(spec: Spec, whose: str) -> None:
    kind = f"one of {spec.action_count}" if spec.discrete else f"{spec.action_size} entries"
    if spec.actions:
        rows = [(i, a.name, a.kind, _values(a), a.group, a.text) for i, a in enumerate(spec.actions)]
        table(f"Action{whose}: {kind}", ("id>", "name", "kind", "values", "group", "meaning"), rows)
    else:  # one choice, whose options have a text each
        options = [(i, a["name"], a["group"], a["text"]) for i, a in enumerate(spec.json["actions"])]
        table(f"Action{whose}: {kind}", ("id>", "name", "group", "meaning"), options)


def _values(action: Action) -> str:
    """What an action may be, in the game's own terms."""
    if action.kind == "choice":
        return ", ".join(action.options)
    low, high = f"{action.low:g}", f"{action.high:g}"
    return f"{low}..{high} {action.unit}".rstrip() if action.kind == "axis" else "off, on"


def _rows(parts: Iterable[Mapping[str, Any]], *keys: str) -> list[tuple[Any, ...]]:
    """Of each part these keys; a document from outside the engine may leave some of them out."""
    return [tuple(part.get(key, "") for key in keys) for part in parts]


def _table_if(title: str, columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    """A table, unless it would be empty."""
    if rows:
        table(title, columns, rows)


def _span(field: Any) -> str:
    return str(field.start) if field.size == 1 else f"{field.start}-{field.start + field.size - 1}"


def _meaning(field: Any) -> str:
    """What it means, and the names of its entries (of one row, where there are several rows)."""
    if not field.labels or getattr(field, "is_code", False):
        return field.text
    each = "each: " if len(field.shape) > 1 else ""
    return f"{field.text}\n{each}{', '.join(field.labels)}"


def _range(low: float | None, high: float | None) -> str:
    known = low is not None and high is not None and max(abs(low), abs(high)) < UNBOUNDED
    return f"{low:g}..{high:g}" if known else ""


def _choices(knob: Any) -> str:
    if knob.kind == "choice":
        return " | ".join(knob.choices)
    return "yes | no" if knob.kind == "flag" else _range(knob.low, knob.high)
