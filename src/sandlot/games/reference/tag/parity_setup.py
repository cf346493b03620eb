"""Tag's ParitySetup: settings to play under, what is compared, and goals of the suites."""

from typing import Any

from ..interface import ParitySetup
from .episode import episode
from .suites import SUITES
from .twin import TagTwin

# Settings worth comparing: every mode, layout and flag, two to eight agents, and clocks of other lengths.
VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "reference": {"profile": "reference"},
    "open": {"obstacles": 0, "first_is_seeker": False},
    "turning": {"turn_control": True, "privileged": True},
    "recall": {"recall": True, "privileged": True, "hiders": 2},
    "reference84": {"layout": "reference84", "privileged": True, "hiders": 2},
    "switch": {"mode": "switch", "privileged": True, "arena_half": 6.0},
    "passing": {  # several passes per step, so that one agent both passes the role and gets it
        "mode": "switch", "seekers": 2, "hiders": 3, "immunity_s": 0.1, "ticks_per_step": 12,
        "arena_half": 5.0, "spawn_separation": 2.0, "obstacles": 1,
    },
    "trio": {"hiders": 2, "low_share": 1.0, "ticks_per_step": 1, "tick_rate": 30},
    "four": {"seekers": 2, "hiders": 2, "tick_rate": 30, "ticks_per_step": 2, "head_start_s": 1.0},
    "six": {"seekers": 3, "hiders": 3, "spawn_separation": 4.0, "seeker_speed": 1.5, "hider_speed": 0.5},
    "seven": {"seekers": 6, "spawn_separation": 4.0, "vision_range": 3.0, "field_of_view": 180.0},
    "eight": {
        "seekers": 3, "hiders": 5, "spawn_separation": 3.0, "first_is_seeker": False,
        "seeker_speed": 1.5, "hider_speed": 0.25,
    },
    "tight": {  # no room for all boxes and spawn places; the last step of a match is a short one
        "seekers": 2, "hiders": 2, "arena_half": 4.0, "spawn_separation": 5.9, "obstacles": 12,
        "body_edge": 0.5, "tick_rate": 120, "ticks_per_step": 7,
    },
}  # fmt: skip

SIDES = tuple(sign + axis for sign in "+-" for axis in "xz")
ALWAYS = (
    *(f"stopped by a wall on {side}" for side in SIDES),
    "jumped",
    "landed on the floor",
    "saw wall",
    "saw agent",
)
WITH_BOXES = (
    *(f"stopped by a box on {side}" for side in SIDES),
    "landed on a box",
    "walked off an edge",
    "jumped in coyote time",
    "a low box",
    "looked over a box",
    "somebody behind a wall or out of range",
)
WITH_FRIENDS = (*(f"stopped by a body on {side}" for side in SIDES), "landed on a body", "bumped the head")


def goals(twin: TagTwin) -> tuple[str, ...]:
    """Notes (see World.note) that the suites together must produce under the twin's settings."""
    rules = twin.rules
    found = [*ALWAYS]
    found += WITH_BOXES if rules.obstacles > 3 else ()
    found += WITH_FRIENDS if rules.agents > 3 else ()
    found += ("turned by the fourth action",) if rules.turn_control else ("turned left", "turned right")
    found += ["remembered a velocity", "saw somebody anew"] if rules.recall else []
    if rules.mode == "timed":
        found += ["a tag", "ended by tag in timed", "ended by timeout in timed", "the last hider is out"]
        found += ["a hider is out"] if rules.hiders > 1 else []
    else:
        found += ["a pass", "ended by timeout in switch", "a touch that immunity undid"]
        found += ["passed and was touched in one step"] if rules.immune_ticks < rules.ticks_per_step else []
    found += ["spawned on the lattice"] if rules.cells * rules.cells == rules.agents else []
    found += ["a box that found no room"] if rules.obstacles == 12 else []
    found += ["held by the head start"] if rules.head_start_ticks else []
    return tuple(found)


PARITY_SETUP = ParitySetup(
    make=TagTwin,
    suites=SUITES,
    budget_knob="time_limit",
    budgets=(10,),
    exact=(
        "tick", "steps", "time_elapsed", "time_left", "winner", "reason", "tags", "distance", "progress",
        "seeker", "in_play", "immunity", "sees_opponent",
    ),
    goals=goals,
    episode=episode,
    steps=400,  # two whole matches
    variants=VARIANTS,
)  # fmt: skip
