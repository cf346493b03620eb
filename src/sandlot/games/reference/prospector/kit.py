"""The prospector's side of the parity harness: what is compared, and what the suites must reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..kit import Info, Kit
from . import layout
from .suites import SUITES
from .twin import ProspectorTwin

ENDINGS = ("destroyed", "stranded", "cash_out", "time")
OUTSIDE = "id outside 0..68"


def shown(twin: ProspectorTwin, action: Any, info: Info) -> Iterator[str]:
    """Goals that the last decision has met."""
    if 0 <= action < layout.N_ACTIONS:
        yield action_goal(info["action"], valid=not info["invalid_action"])
    else:
        yield OUTSIDE
    if twin.ending != "none":
        yield f"ending {twin.ending}"
    yield from happenings(twin)


def happenings(twin: ProspectorTwin) -> Iterator[str]:
    """What chance and carelessness have done in this episode."""
    if twin.pirate_encounters:
        yield "pirates met"
    if twin.overheat_ticks:
        yield "heat overflowed"
    if twin.fractures:
        yield "asteroid broke up"
    if twin.price_shock.any():
        yield "price shock"


def action_goal(action: int, valid: bool) -> str:
    return f"action {action} {'valid' if valid else 'invalid'}"


def goals(twin: ProspectorTwin) -> tuple[str, ...]:
    """Every ending, every action valid and (where the rules can refuse it) invalid, every stroke of fate."""
    ids = range(layout.N_ACTIONS)
    wanted = [f"ending {name}" for name in ENDINGS]
    wanted += [action_goal(action, valid=True) for action in ids]
    wanted += [action_goal(action, valid=False) for action in ids if can_be_refused(twin, action)]
    wanted += [OUTSIDE, "pirates met", "heat overflowed", "asteroid broke up"]
    return (*wanted, "price shock") if twin.rules.shock_rate > 0 else tuple(wanted)


def can_be_refused(twin: ProspectorTwin, action: int) -> bool:
    """Some actions are valid always and everywhere, more of them in `classic`."""
    rules = twin.rules
    fuel, useless = bool(rules.fuel_required), bool(rules.useless_is_invalid)
    conditional = {
        layout.HOLD: False,
        layout.LISTEN: False,
        layout.BURN: fuel,
        layout.WIDE_SCAN: fuel or useless,
        layout.REFINE: fuel or useless or not rules.refine_at_station,
        layout.COOLDOWN: fuel or useless,
        layout.CASH_OUT: bool(rules.cash_out_at_station),
    }
    if layout.JETTISON <= action < layout.DOCK:
        return bool(rules.jettison_needs_cargo)
    return conditional.get(action, True)


KIT = Kit(
    make=ProspectorTwin,
    suites=SUITES,
    budget_knob="time_max",
    budgets=(2000, 8000),
    exact=("action", "dt", "invalid_action", "time_remaining"),
    metrics=layout.METRICS,
    shown=shown,
    goals=goals,
)
