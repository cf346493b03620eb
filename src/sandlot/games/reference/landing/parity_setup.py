"""Landing's ParitySetup: settings to play under, what is compared, and goals of the suites."""

from typing import Any

from ..interface import ParitySetup
from .suites import SUITES
from .twin import LandingTwin
from .world import ENDINGS

# Both profiles from lower starts, another planet, other legs and clocks, and a tank that runs dry.
LOW = {"altitude_min": 100.0, "altitude_max": 250.0, "start_offset": 60.0}
VARIANTS: dict[str, dict[str, Any]] = {
    "default": LOW,
    "disturbed": {"profile": "disturbed", **LOW},
    "moon": {
        **LOW, "gravity": 1.6, "max_thrust": 2500.0, "start_fall": 10.0, "ceiling": 255.0, "bounds": 120.0,
        "descent": 0.8,
    },
    "thirsty": {
        "altitude_min": 60.0, "altitude_max": 90.0, "start_offset": 30.0, "start_fall": 5.0,
        "dry_mass": 900.0, "fuel": 40.0, "max_thrust": 15000.0, "terrain_height": 20.0, "bounds": 150.0,
    },
    "fine": {
        **LOW, "tick_rate": 120, "ticks_per_step": 13, "leg_length": 3.0, "leg_spread": 2.5, "ceiling": 255.0,
    },
}  # fmt: skip

ALWAYS = (
    *(f"ended by {ending}" for ending in ENDINGS[1:-1]),
    "thrust below zero",
    "thrust along the nose",
    "thrust cut to its limit",
    "crashed by speed",
    "crashed by attitude",
    "on the pad",
    "off the pad",
    "out sideways",
    "a foot touched",
    "saw the terrain",
)


def goals(twin: LandingTwin) -> tuple[str, ...]:
    """Notes (see World.note) that the suites together must produce under the twin's settings."""
    found = [*ALWAYS]
    found += (
        ["the last fuel", "thrust without fuel"]
        if twin.rules.fuel < 50
        else ["ended by timeout", "the hull touched"]
    )
    found += ["out above"] if twin.rules.ceiling < 300 else []
    return tuple(found)


PARITY_SETUP = ParitySetup(
    make=LandingTwin,
    suites=SUITES,
    budget_knob="time_limit",
    budgets=(30,),
    exact=(
        "tick", "steps", "time_elapsed", "time_left", "ending", "position", "velocity", "speed", "tilt",
        "distance_to_pad", "terrain_below", "fuel", "mass",
    ),
    goals=goals,
    episode=LandingTwin.episode,
    steps=700,
    variants=VARIANTS,
)  # fmt: skip
