"""Suites of actions for the parity harness: scripts that exercise every rule of landing.

A script reads the twin's whole state, which no pilot can. It yields one array [5] per step, for as long as
the episode lasts.
"""

from collections.abc import Callable, Iterator
from random import Random

import numpy as np

from ..base import action, held_actions, random_actions
from ..interface import Suite
from .twin import LandingTwin

Actions = Iterator[np.ndarray]  # float32 [5] per step
EXTREMES = (-1.0, -0.5, -1e-4, 0.0, 1e-4, 0.5, 1.0)


def _away(twin: LandingTwin, rng: Random) -> Actions:
    """Up, or sideways while hovering, until a bound is left."""
    side = rng.choice(((0.0, 1.0, 0.0), (0.7, 0.7, 0.0), (0.0, 0.7, -0.7), (-0.7, 0.7, 0.1)))
    while True:
        yield action(*side, 0.0, 0.0)


def _hover(twin: LandingTwin, rng: Random) -> Actions:
    """Hold the height, to the end of the time or of the fuel."""
    while True:
        w, rules = twin.world, twin.rules
        share = float((rules.dry_mass + w.fuel) / rules.max_thrust)
        up = (float(rules.gravity) - 1.5 * float(w.vy)) * share
        yield action(-0.3 * float(w.vx) * share, up, -0.3 * float(w.vz) * share, 0.0, 0.0)


def _guided(touchdown: float, x: float = 0.0, lean: float = 0.0) -> Callable[[LandingTwin, Random], Actions]:
    """Guidance to a place at so many metres per second, leaning at the end by so many degrees."""

    def play(twin: LandingTwin, rng: Random) -> Actions:
        while True:
            w, rules = twin.world, twin.rules
            height = max(float(w.y - rules.leg_length), 0.0)
            glide = 1.1 * float(rules.glide)
            descent = min((2 * glide * height) ** 0.5, touchdown + 0.4 * height)
            descent = max(descent, touchdown)
            follow = 0.4 * descent if descent < (2 * glide * height) ** 0.5 else glide
            climb = float(rules.gravity) + follow * (descent > touchdown) + 1.5 * (-descent - float(w.vy))
            time = max((2 * height / glide) ** 0.5, 2.0)
            aside = [1.2 * ((goal - float(p)) / time - float(v)) for p, v, goal in
                     ((w.x, w.vx, x), (w.z, w.vz, 0.0))]  # fmt: skip
            share = float((rules.dry_mass + w.fuel) / rules.max_thrust)
            wanted = lean / 360 if height < 4 else 0.0
            level = [12 * (goal - float(p)) - 4 * float(rate) for p, rate, goal in
                     ((w.pitch, w.pitch_rate, wanted), (w.roll, w.roll_rate, -wanted))]  # fmt: skip
            yield action(aside[0] * share, climb * share, aside[1] * share, *level)

    return play


SUITES = (
    Suite("random", random_actions(5, EXTREMES)),
    Suite("held", held_actions(5, 5, 40)),
    Suite("away", _away),
    Suite("hover", _hover),
    Suite("soft", _guided(0.8)),
    Suite("hard", _guided(3.0)),
    Suite("fast", _guided(6.0)),
    Suite("beside", _guided(0.8, x=40.0)),
    Suite("leaning", _guided(0.8, lean=40.0)),
    Suite("autopilot", bot="autopilot"),
    Suite("brake", bot="brake"),
    Suite("idle", bot="idle"),
)
