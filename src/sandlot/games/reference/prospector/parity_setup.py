"""Prospector's ParitySetup: settings to play under, what is compared, and goals of the suites."""

from collections.abc import Iterator
from typing import Any

from ..interface import Info, ParitySetup
from . import layout
from .suites import SUITES
from .twin import ProspectorTwin

ENDINGS = ("destroyed", "stranded", "cash_out", "time")
OUTSIDE = "id outside 0..68"


def _goals_met(twin: ProspectorTwin, action: Any, info: Info) -> Iterator[str]:
    """Goals that the last step has met."""
    if 0 <= action < layout.N_ACTIONS:
        yield _action_goal(info["action"], valid=not info["invalid_action"])
    else:
        yield OUTSIDE
    if twin.ending != "none":
        yield f"ending {twin.ending}"
    yield from _episode_goals_met(twin)


def _episode_goals_met(twin: ProspectorTwin) -> Iterator[str]:
    """Goals that the episode has met so far."""
    if twin.pirate_encounters:
        yield "pirates met"
    if twin.overheat_ticks:
        yield "heat overflowed"
    if twin.cargo_total() > layout.CARGO_MAX - 1:
        yield "hold filled"
    if twin.fractures:
        yield "asteroid broke up"
    if twin.price_shock.any():
        yield "price shock"


def _action_goal(action: int, valid: bool) -> str:
    return f"action {action} {'valid' if valid else 'invalid'}"


def goals(twin: ProspectorTwin) -> tuple[str, ...]:
    """Every ending, every action valid and (where the rules can refuse it) invalid, every random event."""
    ids = range(layout.N_ACTIONS)
    return (
        *(f"ending {name}" for name in ENDINGS),
        *(_action_goal(action, valid=True) for action in ids),
        *(_action_goal(action, valid=False) for action in ids if _can_be_refused(twin, action)),
        OUTSIDE,
        *_possible_events(twin),
    )


def _possible_events(twin: ProspectorTwin) -> Iterator[str]:
    """Events possible under these rules; the suites fill the hold only where no pirates rob it."""
    rules = twin.rules
    yield "heat overflowed"
    if rules.pirate_scale > 0:
        yield "pirates met"
    else:
        yield "hold filled"
    if rules.fracture_scale > 0:
        yield "asteroid broke up"
    if rules.shock_rate > 0 and rules.price_noise_scale > 0:
        yield "price shock"


def _can_be_refused(twin: ProspectorTwin, action: int) -> bool:
    """False for actions that are valid in every state under these rules; every node has an edge in slot 0."""
    rules = twin.rules
    fuel, useless = bool(rules.fuel_required), bool(rules.useless_is_invalid)
    conditional = {
        layout.TRAVEL: fuel,
        layout.HOLD: False,
        layout.LISTEN: False,
        layout.BURN: fuel,
        layout.WIDE_SCAN: fuel or useless,
        layout.REFINE: fuel or useless or not rules.refine_at_station,
        layout.COOLDOWN: fuel or useless,
        layout.CASH_OUT: bool(rules.cash_out_at_station or rules.cash_out_needs_profit),
    }
    if layout.JETTISON <= action < layout.DOCK:
        return bool(rules.jettison_needs_cargo)
    return conditional.get(action, True)


# Settings to play under: the two profiles; two mixtures in which every flag has the opposite value of its
# profile once, so that flags are compared in other combinations; and a game without dangers.
VARIANTS: dict[str, dict[str, Any]] = {
    "balanced": {"profile": "balanced"},
    "classic": {"profile": "classic"},
    "mixed": {
        "profile": "balanced", "reward": "sparse", "sparse_time": True, "reward_cargo": 0.7,
        "reward_fracture": 0.5, "reward_hull": 0.3, "mine_repeat": 5, "mine_doubt": 0.1,
        "extract_new_units": False, "profit_minus_spend": True, "hold_twice_for_unknown": True,
        "fuel_required": False, "shuffle_slots": False, "price_norm_by_max": False, "refine_rule": "isotopes",
        "refine_at_station": True, "timers_cleared_by_travel": False, "cash_out_needs_profit": False,
        "sell_along_curve": False, "useless_is_invalid": False, "stock_decay_per_tick": False,
        "way_home_signal": False, "start_fuel_min": 700, "start_credits_max": 2000, "scan_noise_scale": 1.5,
        "price_impact_scale": 2, "shock_rate": 0.02,
    },
    "remixed": {
        "profile": "classic", "extract_new_units": True, "jettison_needs_cargo": True, "dock_once": True,
        "edge_pirates_everywhere": True, "exposed_on_arrival": False, "parent_has_room": True,
        "richness_signal": True, "timers_start_next_step": True, "cash_out_at_station": True,
        "cash_out_needs_profit": True, "charge_invalid_scans": False, "sell_along_curve": True,
        "cumulative_counters": True, "geology": 0.4, "richness_hop_gain": 0.2, "alert_decay": 0.5,
        "price_noise_memory": 20, "pirate_scale": 0.5, "hazard_scale": 0.3, "fracture_scale": 0.5,
        "start_hull_min": 60, "start_tool_min": 50,
    },
    "calm": {
        "profile": "balanced", "pirate_scale": 0, "hazard_scale": 0, "fracture_scale": 0,
        "scan_noise_scale": 0, "price_noise_scale": 0, "price_impact_scale": 0, "richness_log_mean": 1.0,
        "depletion_per_unit": 0.002,
    },
}  # fmt: skip

PARITY_SETUP = ParitySetup(
    make=ProspectorTwin,
    suites=SUITES,
    budget_knob="time_max",
    budgets=(2000, 8000),
    exact=("action", "dt", "invalid_action", "time_remaining"),
    metrics=layout.METRICS,
    goals_met=_goals_met,
    goals=goals,
    episode=ProspectorTwin.episode,
    variants=VARIANTS,
)
