"""`sandlot league`: everyone plays everyone, on the same seeds.

Of a game with two roles comes a cross-play matrix (each seeker against each hider) and a rating for all;
scripted players keep the ratings of the game's fixed scale. Of a one-agent game comes a ranking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..games import Spec
from ..rating import Result, estimate
from .anchors import anchor_ratings, anchor_samples
from .examination import Bout, Progress, Stage, bouts, pilots
from .judge import config_of
from .players import Checkpoint, Player, scripted


@dataclass(frozen=True)
class Standing:
    """One player's place."""

    player: Player
    rating: float
    low: float
    high: float

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.player.name,
            "role": self.player.role,
            "scripted": self.player.scripted,
            "rating": self.rating,
            "rating_interval": [self.low, self.high],
        }


def field_of(spec: Spec, role: str, checkpoints: Sequence[Checkpoint], threads: int = 1) -> list[Player]:
    """All who can play a role: trained ones first, then the scripted."""
    trained = [checkpoint.player(role) for checkpoint in checkpoints if role in checkpoint.policies]
    return [*trained, *scripted(spec, role, "all", threads)]


def league(
    stage: Stage, checkpoints: Sequence[Checkpoint], progress: Progress | None = None
) -> dict[str, Any]:
    """The report."""
    roles = list(dict.fromkeys(stage.spec.roles))
    fields = [field_of(stage.spec, role, checkpoints, stage.threads) for role in roles]
    told = _ranking(stage, fields[0], progress) if len(roles) == 1 else _matrix(stage, fields, progress)
    return {"labels": labels(checkpoints), **told}


def labels(checkpoints: Sequence[Checkpoint]) -> dict[str, str]:
    """Names short enough for a table's columns: `window 12` of a single run, `run 2 @12` among several."""
    runs = list(dict.fromkeys(c.origin["run_id"] for c in checkpoints))
    made = {}
    for c in checkpoints:
        window, number = c.origin["window_id"], 1 + runs.index(c.origin["run_id"])
        one = "trained" if window is None else f"window {window}"
        many = f"run {number}" if window is None else f"run {number} @{window}"
        made[c.name] = one if len(runs) == 1 else many
    return made


def _ranking(stage: Stage, players: Sequence[Player], progress: Progress | None) -> dict[str, Any]:
    ranked = sorted(pilots(stage, players, progress), key=lambda c: -c.figures["net_profit_mean"])
    trained = {p.name for p in players if not p.scripted}
    return {"ranking": [c.as_json(rows=False) | {"scripted": c.name not in trained} for c in ranked]}


def _matrix(stage: Stage, fields: Sequence[Sequence[Player]], progress: Progress | None) -> dict[str, Any]:
    first, second = fields
    fought = bouts(stage, first, second, progress)
    game, config = stage.spec.game, config_of(stage.spec)
    standings = rated(fought, anchor_ratings(game, config), anchor_samples(game, config))
    return {
        "standings": [s.as_json() for s in standings],
        "matrix": {
            "rows": [p.name for p in first],
            "columns": [p.name for p in second],
            "row_role": first[0].role,
            "column_role": second[0].role,
            "row_wins": np.array([b.tally.score.value for b in fought])
            .reshape(len(first), len(second))
            .tolist(),
        },
        "bouts": [b.as_json() for b in fought],
    }


def rated(
    fought: Sequence[Bout],
    anchors: Mapping[str, float],
    anchor_samples: Sequence[Mapping[str, float]] = (),
) -> list[Standing]:
    """Everybody's rating with its 95 % interval, best first."""
    results = [Result(_key(b.player), _key(b.rival), b.tally.points, b.tally.matches) for b in fought]
    found = estimate(results, anchors, anchor_samples)
    players = {_key(p): p for b in fought for p in (b.player, b.rival)}
    made = [Standing(p, found[key].value, found[key].low, found[key].high) for key, p in players.items()]
    return sorted(made, key=lambda s: -s.rating)


def _key(player: Player) -> str:
    return f"{player.role} {player.name}"
