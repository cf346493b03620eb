"""How good a checkpoint is: fixed held-out seeds, fixed rivals, the same in every window and every run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import seeding
from ..games import Episodes, Spec, bot
from ..policies import Policy
from ..rating import Result, fit
from .anchors import anchor_ratings
from .play import play
from .statistics import bootstrap

HELD_OUT = 0x5EED_0FF  # no training run uses seeds split from this


def held_out_seeds(count: int, key: int = HELD_OUT) -> list[int]:
    return [seeding.split(key, i) for i in range(count)]


def judge(
    policies: Mapping[str, Policy], episodes: int, threads: int = 1, key: int = HELD_OUT
) -> dict[str, Any]:
    """Named figures. `value` is the one by which checkpoints are compared: higher is better.

    Another key draws other seeds: whoever chose a recipe by the usual ones is examined on others.
    """
    spec = next(iter(policies.values())).spec
    alone = len(set(spec.roles)) == 1
    seeds = held_out_seeds(episodes, key)
    return (_judge_pilot if alone else _judge_roles)(spec, policies, seeds, threads)


def config_of(spec: Spec) -> dict[str, Any]:
    return {"profile": spec.profile, **spec.config}


def _judge_pilot(
    spec: Spec, policies: Mapping[str, Policy], seeds: list[int], threads: int
) -> dict[str, Any]:
    played = play(spec.game, next(iter(policies.values())), seeds, config_of(spec), threads)
    figures = {f"{f.name}_mean": float(played.column(f.name).mean()) for f in spec.episode if f.size == 1}
    measure = "net_profit" if "net_profit_mean" in figures else "return"
    estimate = bootstrap(played.column(measure))
    figures |= {"value": estimate.value, "value_low": estimate.low, "value_high": estimate.high}
    for field in spec.episode:
        if field.name == "ending":
            endings = played.column("ending").astype(int)
            figures |= {
                f"{label}_rate": float(np.mean(endings == i))
                for i, label in enumerate(field.labels)
                if label != "none"
            }
    return figures | {"episodes": len(played)}


def _judge_roles(
    spec: Spec, policies: Mapping[str, Policy], seeds: list[int], threads: int
) -> dict[str, Any]:
    """Each role that has a policy against every bot of the other, and two policies against one another."""
    episodes, config = len(seeds), config_of(spec)
    roles = list(dict.fromkeys(spec.roles))
    learned = [role for role in roles if role in policies]
    results, figures = [], {}
    for role in learned:
        other = roles[1 - roles.index(role)]
        for name, told in spec.bots.items():
            if told["role"] not in (other, "all"):
                continue
            for level in range(1, told["levels"] + 1):
                sides: dict[str, Any] = {
                    role: policies[role],
                    other: bot(spec.game, name, level, config, seed=level),
                }
                wins = _wins(spec, play(spec.game, sides, seeds, config, threads), role)
                figures[f"{role}_beats_{name}_{level}"] = wins / episodes
                results.append(Result(f"{role} now", f"{other} {name}:{level}", wins, episodes))
    ratings = fit(results, anchor_ratings(spec.game, config))
    figures |= {f"{role}_rating": ratings[f"{role} now"] for role in learned}
    if len(learned) > 1:
        figures |= meet(policies, seeds, threads)
    figures["value"] = float(np.mean([figures[f"{role}_rating"] for role in learned]))
    return figures | {"episodes": episodes}


def meet(policies: Mapping[str, Policy], seeds: list[int], threads: int = 1) -> dict[str, float]:
    """How a match of two policies goes: how often the first role wins, and how long it lasts."""
    spec = next(iter(policies.values())).spec
    played = play(spec.game, policies, seeds, config_of(spec), threads)
    first = spec.roles[0]
    return {
        f"{first}_win_rate": _wins(spec, played, first) / len(seeds),
        "duration_s_mean": float(played.column("duration_s").mean()),
    }


def _wins(spec: Spec, played: Episodes, role: str) -> int:
    return int((played.column("winner") == spec.winners.index(role)).sum())
