"""A match of a run's policies, recorded into the run's catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..games import bot
from ..games.faces.cast import USUAL_BOT
from ..policies import Policy
from ..runs import IndexEntry, Run
from ..runs.records import NATIVE
from .judge import config_of
from .players import Player
from .replays import Origin, record
from .tags import TagRules, tags_for


def record_match(
    run: Run,
    policies: Mapping[str, Policy],
    origin: Origin,
    seed: int,
    episode: int,
    rules: TagRules,
    engine: str = NATIVE,
    rival: Player | None = None,
    replay_id: str | None = None,
    windows: Mapping[str, int] | None = None,
) -> IndexEntry:
    """Play one match, tag it and enter it. episode: its number within the window's evaluation.

    rival: who plays against them; else a role that nobody learned is played by its usual script.
    replay_id: what to call it; else a new name. windows: which window each role is of, where not one.
    """
    spec = next(iter(policies.values())).spec
    of = windows or {}
    names = {role: f"{role} of window {of.get(role, origin.window_id)}" for role in policies}
    players: dict[str, Any] = dict(policies)
    for role in set(spec.roles) - set(policies):
        players[role] = bot(spec.game, USUAL_BOT[role], config=config_of(spec))
        names[role] = f"{USUAL_BOT[role]} (scripted)"
    if rival is not None:
        players[rival.role], names[rival.role] = rival.policy, rival.name
    seated = players if len(set(spec.roles)) > 1 else next(iter(policies.values()))
    replay = record(spec.game, seated, seed, config_of(spec), names, origin, engine=engine)
    if replay_id is not None:
        replay = replay.called(replay_id)
    told = replay.end.episode
    tags = tags_for(
        rules,
        origin.window_id,
        episode,
        replay.end.returns[replay.header.scored_agent],
        run.index.best_return(),
        told.get("net_profit"),
        told.get("survival"),
    )
    return run.add_replay(replay.with_tags(tags if engine == NATIVE else [*tags, engine]))
