"""`sandlot games`: what there is, and what a game says about itself."""

from __future__ import annotations

import json
from typing import Annotated, Any, Optional

import typer

from ..errors import ConfigError
from ..games import Spec
from ..games import games as game_names
from .options import Setting
from .show import as_json, out, table


def config_of(settings: list[str] | None) -> dict[str, Any]:
    """NAME=VALUE words as a configuration; values are read as JSON where they are JSON, else as text."""
    config: dict[str, Any] = {}
    for word in settings or []:
        name, sign, text = word.partition("=")
        if not sign or not name:
            raise ConfigError(f"--set {word}: expected NAME=VALUE, for example --set mode=switch.")
        try:
            config[name] = json.loads(text)
        except json.JSONDecodeError:
            config[name] = text
    return config


def games(
    name: Annotated[Optional[str], typer.Argument(help="A game; without one, the list of games.")] = None,  # noqa: UP045
    settings: Setting = None,
    as_machine: Annotated[bool, typer.Option("--json", help="Everything, as the engine says it.")] = False,
) -> None:
    """List the games, or show one game's observation, action, reward and settings tables.

    Example: sandlot games tag --set mode=switch
    """
    if name is None:
        _list(as_machine)
        return
    spec = Spec(name, config_of(settings))
    if as_machine:
        as_json(spec.json | {"profile": spec.profile, "config": spec.config, "hash": spec.hash})
    else:
        _show(spec)


def _list(as_machine: bool) -> None:
    specs = [Spec(name) for name in game_names()]
    if as_machine:
        as_json([{"name": s.game, "title": s.title, "version": s.version, "text": s.text} for s in specs])
        return
    rows = [
        (s.game, s.title, s.agents, s.observation_size, s.action_count or f"{s.action_size} continuous")
        for s in specs
    ]
    table("Games", ("name", "title", "agents>", "observation>", "actions>"), rows)
    out.print("More of one: [bold]sandlot games NAME[/]")


def _show(spec: Spec) -> None:
    out.print(f"[bold]{spec.title}[/] ({spec.game} {spec.version}, profile {spec.profile}, spec {spec.hash})")
    out.print(spec.text, markup=False)
    columns = ("field", "entries", "shape", "range", "unit", "meaning")
    rows = [
        (f.name, _span(f), "x".join(map(str, f.shape)), _range(f.low, f.high), f.unit, _meaning(f))
        for f in spec.observation
    ]
    table(f"Observation: {spec.observation_size} floats", columns, rows)
    actions = [(i, a["name"], a["group"], a["text"]) for i, a in enumerate(spec.json["actions"])]
    kind = f"one of {spec.action_count}" if spec.discrete else f"{spec.action_size} numbers in -1..1"
    table(f"Action: {kind}", ("id>", "name", "group", "meaning"), actions)
    table(
        "Reward terms",
        ("term", "pays", "setting", "meaning"),
        [(t["name"], t["role"], t["knob"], t["text"]) for t in spec.reward_terms],
    )
    settings = [(k.name, spec.config[k.name], _choices(k), k.unit, k.text) for k in spec.knobs]
    table(
        f"Settings (profiles: {', '.join(spec.profiles)})",
        ("setting", "value>", "range", "unit", "meaning"),
        settings,
    )
    table(
        "Scripted players",
        ("bot", "levels>", "role", "meaning"),
        [(b["name"], b["levels"], b["role"], b["text"]) for b in spec.bots.values()],
    )
    table(
        "Events",
        ("event", "carries", "meaning"),
        [(e["name"], ", ".join(e["values"]), e["text"]) for e in spec.events],
    )


def _span(field: Any) -> str:
    return str(field.start) if field.size == 1 else f"{field.start}-{field.start + field.size - 1}"


def _meaning(field: Any) -> str:
    """What it means, and the names of its entries (of one row, where there are several rows)."""
    if not field.labels:
        return field.text
    each = "each: " if len(field.shape) > 1 else ""
    return f"{field.text}\n{each}{', '.join(field.labels)}"


def _range(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:g}..{high:g}"


def _choices(knob: Any) -> str:
    return (
        " | ".join(knob.choices)
        if knob.kind == "choice"
        else "yes | no"
        if knob.kind == "flag"
        else _range(knob.low, knob.high)
    )
