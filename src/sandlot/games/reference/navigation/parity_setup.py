"""Navigation's ParitySetup: settings to play under, what is compared, and goals of the suites."""

from typing import Any

from ..interface import ParitySetup
from .suites import SUITES
from .twin import NavigationTwin

# Every layout, with pits and without, both edges, both profiles, other clocks and bodies.
VARIANTS: dict[str, dict[str, Any]] = {
    "open": {"layout": "open", "max_goal_distance": 10.0},
    "course": {"max_goal_distance": 20.0, "pits": 0.15, "max_collisions": 3},
    "maze": {"layout": "maze", "max_goal_distance": 10.0, "max_collisions": 3, "goal_radius": 1.5},
    "perfect": {"layout": "maze", "openness": 0.0, "max_goal_distance": 10, "pits": 0.1, "goal_radius": 2.5},
    "comfort": {
        "profile": "comfort", "edge": "drop", "obstacles": 0.8, "max_goal_distance": 12.0,
        "max_collisions": 2,
    },
    "tasks": {
        "layout": "any", "task_id": True, "turning": "snap", "snap_angle": 30.0, "max_goal_distance": 10.0,
        "max_collisions": 3, "goal_radius": 1.5,
    },
    "fine": {
        "tick_rate": 60, "ticks_per_step": 5, "player_radius": 0.7, "max_movement_speed": 3.0,
        "dead_zone": 0.0, "action_smoothing": 0.0, "max_goal_distance": 10.0, "max_collisions": 4,
    },
}  # fmt: skip

ALWAYS = (
    "ended by goal",
    "ended by timeout",
    "a command cut to its limit",
    "a command in the dead zone",
    "a vignette",
    "walked too fast for comfort",
)
SMOOTH = ("turned too fast for comfort", "leaned too far for comfort")
SNAPS = ("a snap turn", "a snap turn that must wait")
WITH_WALLS = ("touched a wall", "a collision", "a contact that goes on")
WITH_POSTS = ("touched a corner", "ended by collisions", "moved to a room")


def goals(twin: NavigationTwin) -> tuple[str, ...]:
    """Notes (see World.note) that the suites together must produce under the twin's settings."""
    rules = twin.rules
    found = [*ALWAYS, *(SNAPS if rules.turning else SMOOTH)]
    found += WITH_WALLS if rules.kind != "open" or not rules.edge else ()
    found += WITH_POSTS if rules.kind != "open" and rules.max_collisions < 5 else ()
    found += ("stepped into a pit", "ended by fell") if rules.pits > 0 or rules.edge else ()
    return tuple(found)


PARITY_SETUP = ParitySetup(
    make=NavigationTwin,
    suites=SUITES,
    budget_knob="time_limit",
    budgets=(20,),
    exact=(
        "tick", "steps", "time_elapsed", "time_left", "ending", "position", "speed", "distance",
        "collisions", "comfort_score", "vignette", "falling",
    ),
    goals=goals,
    episode=NavigationTwin.episode,
    steps=500,
    variants=VARIANTS,
)  # fmt: skip
