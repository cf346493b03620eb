"""What every scripted player decides, at every level, on short plays of every variant: one digest each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sandlot
from sandlot.games.reference import parity_setup
from sandlot.worlds import load_spec

KEPT = Path(__file__).parents[1] / "golden" / "bots.json"
WORLDS, SEED = 6, 17
STEPS = {"tag": 120}  # its bots show all they do in little; others travel
MORE_STEPS = 400


def cases() -> Iterator[tuple[str, str, str, int]]:
    """Game, variant, scripted player, level."""
    for game in sandlot.games():
        for variant in parity_setup(game).variants or {}:
            for name, about in load_spec(game).bots.items():
                for level in range(1, about["levels"] + 1):
                    yield game, variant, name, level


def digest(game: str, variant: str, name: str, level: int) -> str:
    """16 digits over every action of a bot that plays all agents, and so over all that it is shown."""
    config: dict[str, Any] = dict(parity_setup(game).settings(variant))
    seen = hashlib.sha256()
    with sandlot.make(game, WORLDS, config=config) as world:
        player = sandlot.bot(game, name, level, config=config, seed=SEED)
        world.reset(seed=SEED)
        state = player.start(world.rows)
        for _ in range(STEPS.get(game, MORE_STEPS)):
            actions, state = player.act(world.observations, world.masks, state)
            seen.update(actions.tobytes())
            if world.step(actions):
                player.restart(state, world.terminated | world.truncated)
    return seen.hexdigest()[:16]


def kept() -> dict[str, dict[str, dict[str, str]]]:
    """The digests of tests/golden/bots.json: by game, variant, and player with its level."""
    return json.loads(KEPT.read_text())


def found(game: str, variant: str) -> dict[str, str]:
    """The same digests as the engine gives them now."""
    mine = [(name, level) for g, v, name, level in cases() if (g, v) == (game, variant)]
    return {f"{name} {level}": digest(game, variant, name, level) for name, level in mine}
