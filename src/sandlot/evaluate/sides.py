"""Games of several roles without ratings: the score of one side against the others' default players.

A side is a team that can win; roles that all win together are one side. A player is measured by the score of
its side or, where nobody competes, by the game's headline.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import ConfigError
from ..spec import Spec
from .bots import BotResult, bot_result, headline_json
from .players import EVERY_ROLE, Checkpoint, Player, random_player, scripted
from .report import EvalSetup, Progress
from .shares import Tally

SCORE = {"metric": "score", "name": "score", "kind": "measure", "unit": "", "better": "higher"}


@dataclass(frozen=True)
class Entrant:
    """A player, the side that it is scored by, and its name in tables."""

    name: str
    side: str
    role: str  # of that side, that wins when it does
    player: Player


def sides_of(spec: Spec) -> dict[str, tuple[str, ...]]:
    """Roles by side, in the order of the roles."""
    if not spec.competes:
        return {EVERY_ROLE: spec.role_names}
    winners = {outcome.role for outcome in spec.outcomes if outcome.means == "win"}
    made: dict[str, tuple[str, ...]] = {}
    for role in (role for role in spec.role_names if role in winners):
        team = spec.document.teams.get(role, role)
        made[team] = (*made.get(team, ()), role)
    return made


def measured_by(spec: Spec) -> dict[str, Any]:
    """What players are compared in, as a report's headline."""
    shown = SCORE if spec.competes else headline_json(spec)
    if shown is None:
        raise ConfigError(f"{spec.game} has neither a headline nor a return to rank players by.")
    return shown


def _entrant(side: str, role: str, player: Player) -> Entrant:
    name = player.name if side == EVERY_ROLE and player.role == EVERY_ROLE else f"{side}: {player.name}"
    return Entrant(name, side, role, player)


def trained_entrants(checkpoint: Checkpoint) -> list[Entrant]:
    """The trained players of a checkpoint, one per side."""
    made = []
    for side, roles in sides_of(checkpoint.spec).items():
        policies = {role: checkpoint.policies[role] for role in roles if role in checkpoint.policies}
        if policies:
            player = Player(checkpoint.name, EVERY_ROLE, policies, scripted=False)
            made.append(_entrant(side, roles[0], player))
    return made


def scripted_entrants(spec: Spec, levels: str = "all", threads: int = 1) -> list[Entrant]:
    """Every bot in its role, and random play of each side."""
    made = []
    for side, roles in sides_of(spec).items():
        for role in roles:
            bots = scripted(spec, role, levels, threads)
            made += [Entrant(f"{role}: {bot.name}", side, role, bot) for bot in bots]
        random = random_player(spec)
        policies = {role: random.policy[role] for role in roles}
        made.append(_entrant(side, roles[0], Player(random.name, EVERY_ROLE, policies, scripted=True)))
    return made


def measure(
    setup: EvalSetup, entrants: Sequence[Entrant], progress: Progress | None = None
) -> list[tuple[Entrant, BotResult]]:
    """Each entrant on the same seeds; within a side the best first."""
    spec, made = setup.spec, []
    for i, entrant in enumerate(entrants):
        if progress:
            progress(entrant.name, i, len(entrants))
        played = setup.play(entrant.player)
        result = bot_result(spec, entrant.name, played, len(setup.seeds))
        if spec.competes:
            score = Tally.of(spec, played, entrant.role).score
            result.metrics[SCORE["metric"]] = score.value
            result.estimates[SCORE["metric"]] = score
        made.append((entrant, result))
    metric, order = measured_by(spec), list(sides_of(spec))
    sign = 1 if metric["better"] == "lower" else -1
    return sorted(made, key=lambda one: (order.index(one[0].side), sign * one[1].metrics[metric["metric"]]))
