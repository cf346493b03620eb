"""Scripted players measured on fixed seeds: the table that a trained policy has to beat.

Seeds are the same for every player. Full protocol: 1,000 episodes a player; the quick one takes 100 from each
of three seed lists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import seeding
from ..games import Episodes, Spec, bot
from .play import play
from .statistics import Estimate, bootstrap

SEED_LISTS = (7, 19, 31)
Progress = Callable[[str, int, int], None]


def seed_list(episodes: int, lists: Sequence[int] = SEED_LISTS) -> list[int]:
    """`episodes` seeds, dealt in turn from the children of 7, 19 and 31, or of other lists."""
    return [seeding.split(lists[i % len(lists)], i // len(lists)) for i in range(episodes)]


# ---------------------------------------------------------------- one pilot: a row a bot

# name in the report, episode column, statistic
PILOT_FIGURES: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("net_profit_mean", "net_profit", np.mean),
    ("net_profit_median", "net_profit", np.median),
    ("return_mean", "return", np.mean),
    ("return_median", "return", np.median),
    ("eval_return_mean", "eval_return", np.mean),
    ("survival_rate", "survival", np.mean),
    ("profit_per_tick_mean", "profit_per_tick", np.mean),
    ("overheat_ticks_mean", "overheat_ticks", np.mean),
    ("pirate_encounters_mean", "pirate_encounters", np.mean),
    ("value_lost_to_pirates_mean", "value_lost_to_pirates", np.mean),
    ("scan_count_mean", "scan_count", np.mean),
    ("mining_ticks_mean", "mining_ticks", np.mean),
    ("cargo_utilization_mean", "cargo_utilization_avg", np.mean),
    ("decisions_mean", "decisions", np.mean),
    ("ticks_mean", "ticks", np.mean),
)
ENDINGS = ("none", "destroyed", "stranded", "cash_out", "time")


@dataclass
class Contender:
    """One player's figures over the seed list."""

    name: str
    episodes: Episodes
    figures: dict[str, float]
    profit: Estimate
    returned: Estimate

    def as_json(self, rows: bool) -> dict[str, Any]:
        told: dict[str, Any] = {"name": self.name, "episodes": len(self.episodes), **self.figures}
        told["net_profit_interval"] = [self.profit.low, self.profit.high]
        told["return_interval"] = [self.returned.low, self.returned.high]
        if rows:
            told["rows"] = [dict(_plain(e)) for e in self.episodes]
        return told


def _plain(episode: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in episode.items()}


def pilots(
    game: str,
    episodes: int,
    config: Mapping[str, Any] | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> list[Contender]:
    """Every scripted pilot of a one-agent game on the same seeds, best profit first."""
    seeds = seed_list(episodes)
    made = []
    for name in Spec(game, config).bots:
        player = bot(game, name, config=config)
        tell = (lambda done, of, name=name: progress(name, done, of)) if progress else None
        made.append(contender(name, play(game, player, seeds, config, threads, progress=tell), len(seeds)))
    return sorted(made, key=lambda c: -c.figures["net_profit_mean"])


def contender(name: str, played: Episodes, asked: int) -> Contender:
    """The figures of what somebody played, of `asked` episodes."""
    figures = {key: float(statistic(played.column(column))) for key, column, statistic in PILOT_FIGURES}
    endings = played.column("ending").astype(int)
    for i, ending in enumerate(ENDINGS[1:], start=1):
        figures[f"{ending}_rate"] = float(np.mean(endings == i))
    decisions = float(played.column("decisions").sum())
    figures["invalid_rate"] = float(played.column("invalid_actions").sum()) / max(1.0, decisions)
    figures["capped_episodes"] = asked - len(played)  # still going at the decision cap
    profit, returned = bootstrap(played.column("net_profit")), bootstrap(played.column("return"))
    return Contender(name, played, figures, profit, returned)


# ---------------------------------------------------------------- seekers against hiders: a matrix


@dataclass(frozen=True)
class Match:
    """One seeker against one hider over the seed list."""

    seeker: str
    hider: str
    seeker_wins: Estimate
    mean_seconds: float


def matches(
    game: str,
    episodes: int,
    config: Mapping[str, Any] | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> list[Match]:
    """Every scripted player at every level, as seeker against every other as hider."""
    seeds = seed_list(episodes)
    bots = Spec(game, config).bots
    players = [(name, level) for name, told in bots.items() for level in range(1, told["levels"] + 1)]
    pairs = [
        (s, h)
        for s in players
        for h in players
        if bots[s[0]]["role"] in ("seeker", "all") and bots[h[0]]["role"] in ("hider", "all")
    ]
    made = []
    for i, (seeker, hider) in enumerate(pairs):
        sides = {
            "seeker": bot(game, seeker[0], seeker[1], config, seed=1),
            "hider": bot(game, hider[0], hider[1], config, seed=2),
        }
        played = play(game, sides, seeds, config, threads)
        wins = bootstrap(played.column("winner") == 1)
        names = [f"{name}:{level}" for name, level in (seeker, hider)]
        made.append(Match(names[0], names[1], wins, float(played.column("duration_s").mean())))
        if progress:
            progress(f"{names[0]} against {names[1]}", i + 1, len(pairs))
    return made
