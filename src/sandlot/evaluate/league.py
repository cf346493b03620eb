"""`sandlot league`: a round robin of all players on the same seeds.

Two roles with bots give a cross-play matrix and a rating per player; scripted players keep the ratings of
the game's fixed scale. A game of one role gives a ranking by its headline, any other one by sides (sides.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ConfigError
from ..rating import Estimate, Result, estimate
from ..spec import Spec
from .anchors import anchor_ratings, anchor_samples
from .bots import headline_json, ranked
from .players import Checkpoint, Player, scripted
from .report import EvalSetup, Matchup, Progress, play_matchups, play_pilots
from .sides import measure, measured_by, scripted_entrants, trained_entrants


@dataclass(frozen=True)
class Standing:
    """One player's rating with its 95 % interval."""

    player: Player
    rating: Estimate

    def as_json(self) -> dict[str, Any]:
        """One entry of the report's `standings`."""
        return {
            "name": self.player.name,
            "role": self.player.role,
            "scripted": self.player.scripted,
            "rating": self.rating.value,
            "rating_interval": self.rating.interval,
        }


def players_of(spec: Spec, role: str, checkpoints: Sequence[Checkpoint], threads: int) -> list[Player]:
    """Everyone who can play a role: trained players first, then the scripted ones."""
    trained = [checkpoint.player(role) for checkpoint in checkpoints if role in checkpoint.policies]
    return [*trained, *scripted(spec, role, "all", threads)]


def league(
    setup: EvalSetup, checkpoints: Sequence[Checkpoint], progress: Progress | None = None
) -> dict[str, Any]:
    """Play the league; returns its report."""
    roles = list(dict.fromkeys(setup.spec.roles))
    short = labels(checkpoints)
    if len(roles) > 1 and not setup.spec.rates_roles:
        return _by_sides(setup, checkpoints, short, progress)
    players = [players_of(setup.spec, role, checkpoints, setup.threads) for role in roles]
    if len(roles) == 1:
        results = _ranking(setup, players[0], progress)
    else:
        results = _matrix(setup, players[0], players[1], progress)
    return {"labels": short, **results}


def labels(checkpoints: Sequence[Checkpoint]) -> dict[str, str]:
    """Short names for a table's columns: `window 12` for a single run, `run 2 @12` among several."""
    runs = list(dict.fromkeys(c.origin["run_id"] for c in checkpoints))
    made = {}
    for c in checkpoints:
        window, number = c.origin["window_id"], 1 + runs.index(c.origin["run_id"])
        one = "trained" if window is None else f"window {window}"
        many = f"run {number}" if window is None else f"run {number} @{window}"
        made[c.name] = one if len(runs) == 1 else many
    return made


def _ranking(setup: EvalSetup, players: Sequence[Player], progress: Progress | None) -> dict[str, Any]:
    results = ranked(setup.spec, play_pilots(setup, players, progress))
    trained = {p.name for p in players if not p.scripted}
    shown = headline_json(setup.spec)
    if shown is None:
        raise ConfigError(f"{setup.spec.game} has neither a headline nor a return to rank players by.")
    rows = []
    for result in results:
        estimate = result.estimates[shown["metric"]]
        own = {"value": estimate.value, "value_interval": estimate.interval}
        rows.append(result.as_json(rows=False) | own | {"scripted": result.name not in trained})
    return {"headline": shown, "ranking": rows}


def _by_sides(
    setup: EvalSetup, checkpoints: Sequence[Checkpoint], short: Mapping[str, str], progress: Progress | None
) -> dict[str, Any]:
    """Every player of every side, beside the default players of the others."""
    trained = [entrant for checkpoint in checkpoints for entrant in trained_entrants(checkpoint)]
    entrants = [*trained, *scripted_entrants(setup.spec, "all", setup.threads)]
    shown = measured_by(setup.spec)
    rows = []
    for entrant, result in measure(setup, entrants, progress):
        estimate = result.estimates[shown["metric"]]
        own = {"value": estimate.value, "value_interval": estimate.interval}
        rows.append(result.as_json(rows=False) | own | {"scripted": entrant.player.scripted})
    names = {e.name: e.name.replace(e.player.name, short[e.player.name]) for e in trained}
    return {"labels": names, "headline": shown, "ranking": rows}


def _matrix(
    setup: EvalSetup, first: Sequence[Player], second: Sequence[Player], progress: Progress | None
) -> dict[str, Any]:
    matchups = play_matchups(setup, first, second, progress)
    scores = np.array([matchup.tally.score.value for matchup in matchups])
    game, config = setup.spec.game, setup.spec.settings
    standings = rate_players(matchups, anchor_ratings(game, config), anchor_samples(game, config))
    return {
        "standings": [s.as_json() for s in standings],
        "matrix": {
            "rows": [p.name for p in first],
            "columns": [p.name for p in second],
            "row_role": first[0].role,
            "column_role": second[0].role,
            "row_wins": scores.reshape(len(first), len(second)).tolist(),
        },
        "matchups": [matchup.as_json() for matchup in matchups],
    }


def rate_players(
    matchups: Sequence[Matchup],
    anchors: Mapping[str, float],
    anchor_samples: Sequence[Mapping[str, float]] = (),
) -> list[Standing]:
    """Every player's rating with its 95 % interval, best first."""
    results = [Result(_key(m.player), _key(m.opponent), m.tally.points, m.tally.matches) for m in matchups]
    found = estimate(results, anchors, anchor_samples)
    players = {_key(p): p for m in matchups for p in (m.player, m.opponent)}
    made = [Standing(player, found[key]) for key, player in players.items()]
    return sorted(made, key=lambda s: -s.rating.value)


def _key(player: Player) -> str:
    return f"{player.role} {player.name}"
