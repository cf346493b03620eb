"""How good a checkpoint is: fixed held-out seeds, fixed opponents, the same in every window and every run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..games import Episodes, Spec, bot
from ..policies import Policy
from ..rating import Result, estimate
from .anchors import anchor_ratings, anchor_samples
from .play import play
from .statistics import Estimate, bootstrap, proportion


def judge(policies: Mapping[str, Policy], seeds: Sequence[int], threads: int = 1) -> dict[str, Any]:
    """Named metrics. `value` is the one by which checkpoints are compared: higher is better.

    `intervals` holds a 95 % interval for every share and rating.
    """
    spec = next(iter(policies.values())).spec
    alone = len(set(spec.roles)) == 1
    return (_judge_pilot if alone else _judge_roles)(spec, policies, seeds, threads)


def config_of(spec: Spec) -> dict[str, Any]:
    return {"profile": spec.profile, **spec.config}


def _judge_pilot(
    spec: Spec, policies: Mapping[str, Policy], seeds: Sequence[int], threads: int
) -> dict[str, Any]:
    played = play(spec.game, next(iter(policies.values())), seeds, config_of(spec), threads)
    metrics: dict[str, Any] = {
        f"{f.name}_mean": float(played.column(f.name).mean()) for f in spec.episode if f.size == 1
    }
    measure = "net_profit" if "net_profit_mean" in metrics else "return"
    value = bootstrap(played.column(measure))
    metrics |= {"value": value.value, "value_low": value.low, "value_high": value.high}
    shares = {f"{label}_rate": share for label, share in endings(spec, played).items()}
    if "survival_mean" in metrics:
        shares["survival_mean"] = proportion(float(played.column("survival").sum()), len(played))
    return _with_intervals(metrics, shares, len(played))


def endings(spec: Spec, played: Episodes) -> dict[str, Estimate]:
    """How often each kind of ending came, by its label."""
    labels = next((f.labels for f in spec.episode if f.name == "ending"), ())
    codes = played.column("ending").astype(int) if labels else np.zeros(0)
    return {
        label: proportion(float((codes == i).sum()), len(played))
        for i, label in enumerate(labels)
        if label != "none"
    }


def _with_intervals(metrics: dict[str, Any], shares: Mapping[str, Any], episodes: int) -> dict[str, Any]:
    """The metrics with these shares and ratings among them, and their intervals beside them."""
    values = {name: share.value for name, share in shares.items()}
    intervals = {name: share.interval for name, share in shares.items()}
    return metrics | values | {"intervals": intervals, "episodes": episodes}


# ---------------------------------------------------------------- two roles


@dataclass(frozen=True)
class Tally:
    """How matches went for one role. A draw is half a win; `score` is the share of points."""

    wins: int
    draws: int
    matches: int

    @classmethod
    def of(cls, spec: Spec, played: Episodes, role: str) -> Tally:
        winner = played.column("winner")
        mine, nobody = int((winner == spec.winners.index(role)).sum()), int((winner == 0).sum())
        return cls(mine, nobody, len(played))

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    @property
    def score(self) -> Estimate:
        return proportion(self.points, self.matches)


def _judge_roles(
    spec: Spec, policies: Mapping[str, Policy], seeds: Sequence[int], threads: int
) -> dict[str, Any]:
    """Each role that has a policy against every bot of the other, and two policies against one another."""
    config = config_of(spec)
    roles = list(dict.fromkeys(spec.roles))
    learned = [role for role in roles if role in policies]
    results: list[Result] = []
    shares: dict[str, Any] = {}
    for role in learned:
        other = roles[1 - roles.index(role)]
        for name, about in spec.bots.items():
            if about["role"] not in (other, "all"):
                continue
            for level in range(1, about["levels"] + 1):
                sides: dict[str, Any] = {
                    role: policies[role],
                    other: bot(spec.game, name, level, config, seed=level),
                }
                tally = Tally.of(spec, play(spec.game, sides, seeds, config, threads), role)
                shares[f"{role}_beats_{name}_{level}"] = tally.score
                results.append(Result(f"{role} now", f"{other} {name}:{level}", tally.points, tally.matches))
    ratings = estimate(results, anchor_ratings(spec.game, config), anchor_samples(spec.game, config))
    shares |= {f"{role}_rating": ratings[f"{role} now"] for role in learned}
    metrics: dict[str, Any] = {}
    if len(learned) > 1:
        match = meet(policies, seeds, threads)
        metrics, shares = match.metrics, shares | match.shares
    metrics["value"] = float(np.mean([shares[f"{role}_rating"].value for role in learned]))
    return _with_intervals(metrics, shares, len(seeds))


@dataclass(frozen=True)
class Meeting:
    """How matches of two policies went."""

    score: float  # of the first role
    shares: dict[str, Estimate]
    metrics: dict[str, Any]


def meet(policies: Mapping[str, Policy], seeds: Sequence[int], threads: int = 1) -> Meeting:
    """Let two policies play each other on these seeds."""
    spec = next(iter(policies.values())).spec
    played = play(spec.game, policies, seeds, config_of(spec), threads)
    first = spec.roles[0]
    tally = Tally.of(spec, played, first)
    shares = {
        f"{first}_win_rate": proportion(tally.wins, tally.matches),
        "draw_rate": proportion(tally.draws, tally.matches),
    }
    return Meeting(tally.score.value, shares, {"duration_s_mean": float(played.column("duration_s").mean())})
