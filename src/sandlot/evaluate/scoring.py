"""How good a checkpoint is: fixed held-out seeds, fixed opponents, the same in every window and every run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ConfigError
from ..games import bot
from ..games.scripted import default_players
from ..policies import Policy
from ..rating import Estimate, Result, estimate
from ..spec import Spec
from .anchors import anchor_ratings, anchor_samples
from .play import play
from .shares import Tally, mean_seconds, shares_of
from .statistics import bootstrap, proportion


def evaluate(policies: Mapping[str, Policy], seeds: Sequence[int], threads: int = 1) -> dict[str, Any]:
    """Metrics of policies on these seeds. Checkpoints are compared by `value`; higher is better.

    `intervals` holds a 95 % interval for every share and rating.
    """
    spec = next(iter(policies.values())).spec
    return (_evaluate_roles if spec.rates_roles else _evaluate_together)(spec, policies, seeds, threads)


def _evaluate_together(
    spec: Spec, policies: Mapping[str, Policy], seeds: Sequence[int], threads: int
) -> dict[str, Any]:
    """Means of what an episode sums, ordered by the headline; several roles play with each other.

    Where roles compete and no headline is declared, each plays against the default players of the others:
    the value is the mean of their scores.
    """
    one = len(spec.role_names) == 1
    players: Any = next(iter(policies.values())) if one else _completed(spec, policies)
    played = play(spec.address, players, seeds, spec.settings, threads)
    if not len(played):
        raise ConfigError(f"No episode of {spec.address} ended within the step limit; give it a time limit.")
    columns = [f.name for f in spec.episode if f.size == 1 and f.kind == "measure"]
    metrics: dict[str, Any] = {f"{name}_mean": float(played.column(name).mean()) for name in columns}
    shares = shares_of(spec, played)
    if spec.headline is not None and (spec.headline.headline or not spec.competes):
        value = bootstrap(played.column(spec.headline.name) * (-1 if spec.headline.better == "lower" else 1))
        metrics |= {"value": value.value, "value_low": value.low, "value_high": value.high}
        return _with_intervals(metrics, shares, len(played))
    scores = {role: _score(spec, role, policies, seeds, threads) for role in policies if _can_win(spec, role)}
    if not scores:
        raise ConfigError(f"{spec.game} has neither a headline nor a return: nothing orders its checkpoints.")
    metrics["value"] = float(np.mean([score.value for score in scores.values()]))
    return _with_intervals(metrics, shares | {f"{r}_score": s for r, s in scores.items()}, len(played))


def _can_win(spec: Spec, role: str) -> bool:
    return any(outcome.role == role and outcome.means == "win" for outcome in spec.outcomes)


def _score(
    spec: Spec, role: str, policies: Mapping[str, Policy], seeds: Sequence[int], threads: int
) -> Estimate:
    """Points per episode of one role; its team plays trained policies, the others default players."""
    team = spec.document.teams.get(role, role)
    allies = {one: policies[one] for one in policies if spec.document.teams.get(one, one) == team}
    return Tally.of(
        spec, play(spec.address, _completed(spec, allies), seeds, spec.settings, threads), role
    ).score


def _completed(spec: Spec, policies: Mapping[str, Policy]) -> dict[str, Any]:
    """The policies, and for roles without one their default bot, else random actions."""
    return dict(policies) | default_players(spec, set(spec.role_names) - set(policies))


def _with_intervals(metrics: dict[str, Any], shares: Mapping[str, Any], episodes: int) -> dict[str, Any]:
    """The metrics together with these shares and ratings and their intervals."""
    values = {name: share.value for name, share in shares.items()}
    intervals = {name: share.interval for name, share in shares.items()}
    return metrics | values | {"intervals": intervals, "episodes": episodes}


# ---------------------------------------------------------------- two roles


def _evaluate_roles(
    spec: Spec, policies: Mapping[str, Policy], seeds: Sequence[int], threads: int
) -> dict[str, Any]:
    """Each role that has a policy against every bot of the other role, and two policies head to head."""
    config = spec.settings
    roles = list(dict.fromkeys(spec.roles))
    learners = [role for role in roles if role in policies]
    results: list[Result] = []
    shares: dict[str, Any] = {}
    for role in learners:
        other = roles[1 - roles.index(role)]
        for name, info in spec.bots.items():
            if info["role"] not in (other, "all"):
                continue
            for level in range(1, info["levels"] + 1):
                opponent = bot(spec.game, name, level, config, seed=level)
                sides: dict[str, Any] = {role: policies[role], other: opponent}
                tally = Tally.of(spec, play(spec.address, sides, seeds, config, threads), role)
                shares[f"{role}_beats_{name}_{level}"] = tally.score
                results.append(Result(f"{role} now", f"{other} {name}:{level}", tally.points, tally.matches))
    ratings = estimate(results, anchor_ratings(spec.game, config), anchor_samples(spec.game, config))
    shares |= {f"{role}_rating": ratings[f"{role} now"] for role in learners}
    metrics: dict[str, Any] = {}
    if len(learners) > 1:
        match = head_to_head(policies, seeds, threads)
        metrics, shares = match.metrics, shares | match.shares
    metrics["value"] = float(np.mean([shares[f"{role}_rating"].value for role in learners]))
    return _with_intervals(metrics, shares, len(seeds))


@dataclass(frozen=True)
class HeadToHead:
    """Result of two policies against each other."""

    score: float  # points per match of the first role
    shares: dict[str, Estimate]
    metrics: dict[str, Any]


def head_to_head(policies: Mapping[str, Policy], seeds: Sequence[int], threads: int = 1) -> HeadToHead:
    """Play two policies against each other, one match per seed."""
    spec = next(iter(policies.values())).spec
    played = play(spec.address, policies, seeds, spec.settings, threads)
    first = spec.roles[0]
    tally = Tally.of(spec, played, first)
    counts = {f"{first}_win_rate": tally.wins, "draw_rate": tally.draws}
    shares = {name: proportion(count, tally.matches) for name, count in counts.items()}
    seconds = mean_seconds(spec, played)
    return HeadToHead(tally.score.value, shares, {"duration_s_mean": seconds})
