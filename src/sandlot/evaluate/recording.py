"""Record a match of a run's policies into the run."""

from collections.abc import Mapping
from typing import Any

from ..games.scripted import default_players
from ..policies import Policy
from ..runs import IndexEntry, Run
from ..runs.records import NATIVE
from .players import Player
from .replay_recorder import Origin, record
from .tags import TagRules, tags_for


def record_match(
    run: Run,
    policies: Mapping[str, Policy],
    origin: Origin,
    seed: int,
    episode: int,
    rules: TagRules,
    engine: str = NATIVE,
    opponent: Player | None = None,
    replay_id: str | None = None,
    windows: Mapping[str, int] | None = None,
) -> IndexEntry:
    """Play one match, tag it and add it to the run. episode: its number within the window's evaluation.

    opponent: replaces the policy of its role. A role without a policy is played by its default bot.
    replay_id: a new one if None. windows: the window of each role's weights, where they differ.
    """
    spec = next(iter(policies.values())).spec
    by_role = windows or {}
    names = {role: f"{role} of window {by_role.get(role, origin.window_id)}" for role in policies}
    players: dict[str, Any] = dict(policies)
    for role, bot in default_players(spec, set(spec.roles) - set(policies)).items():
        players[role], names[role] = bot, f"{bot.name} (scripted)"
    if opponent is not None:
        players[opponent.role], names[opponent.role] = opponent.policy, opponent.name
    playing = players if len(set(spec.roles)) > 1 else next(iter(policies.values()))
    replay = record(spec.address, playing, seed, spec.settings, names, origin, engine=engine)
    if replay_id is not None:
        replay = replay.called(replay_id)
    scored = replay.end.returns[replay.header.scored_agent]
    outcome = (scored, run.index.best_return(), spec.episode, replay.end.episode)
    tags = tags_for(rules, origin.window_id, episode, *outcome)
    elsewhere = spec.source == "engine" and engine != NATIVE  # a native game's match, in another engine
    return run.add_replay(replay.with_tags([*tags, engine] if elsewhere else tags))
