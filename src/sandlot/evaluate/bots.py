"""Scripted players measured on fixed seeds: the table that a trained policy has to beat.

Seeds are the same for every player. Full protocol: 1,000 episodes a player; the quick one takes 100 from each
of three seed lists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import seeding
from ..games import Episodes, Spec, bot
from .play import play
from .statistics import Estimate, bootstrap, paired_difference, proportion

SEED_LISTS = (7, 19, 31)
Progress = Callable[[str, int, int], None]


def seed_list(episodes: int, lists: Sequence[int] = SEED_LISTS) -> list[int]:
    """`episodes` seeds, dealt in turn from the lists of these numbers. No run trains on them."""
    each = -(-episodes // len(lists))
    dealt = zip(*(seeding.held_out("list", each, number) for number in lists), strict=True)
    return [seed for row in dealt for seed in row][:episodes]


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
    shares: dict[str, Estimate] = field(default_factory=dict)  # survival and endings, among the figures too

    def as_json(self, rows: bool) -> dict[str, Any]:
        report: dict[str, Any] = {"name": self.name, "episodes": len(self.episodes), **self.figures}
        report["net_profit_interval"] = self.profit.interval
        report["return_interval"] = self.returned.interval
        report["intervals"] = {name: share.interval for name, share in self.shares.items()}
        if rows:
            report["rows"] = [dict(_plain(e)) for e in self.episodes]
        return report

    def above(self, other: Contender, figure: str) -> Estimate:
        """By how much the mean of a figure is above another player's, episode by episode of the same seed."""
        column = next(column for name, column, _ in PILOT_FIGURES if name == figure)
        mine, theirs = (_by_seed(c.episodes, column) for c in (self, other))
        both = [seed for seed in mine if seed in theirs]  # without those still going at the decision cap
        return paired_difference(np.array([mine[s] for s in both]), np.array([theirs[s] for s in both]))


def _by_seed(episodes: Episodes, column: str) -> dict[int, float]:
    return dict(zip(episodes.heads["seed"].tolist(), episodes.column(column).tolist(), strict=True))


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
    counts = {f"{ending}_rate": (endings == i).sum() for i, ending in enumerate(ENDINGS) if i}
    counts["survival_rate"] = played.column("survival").sum()
    shares = {name: proportion(float(count), len(played)) for name, count in counts.items()}
    figures |= {name: share.value for name, share in shares.items()}
    decisions = float(played.column("decisions").sum())
    figures["invalid_rate"] = float(played.column("invalid_actions").sum()) / max(1.0, decisions)
    figures["capped_episodes"] = asked - len(played)  # still going at the decision cap
    profit, returned = bootstrap(played.column("net_profit")), bootstrap(played.column("return"))
    return Contender(name, played, figures, profit, returned, shares)


# ---------------------------------------------------------------- seekers against hiders: a matrix


@dataclass(frozen=True)
class Match:
    """One seeker against one hider over the seed list."""

    seeker: str
    hider: str
    points: float  # of the seeker: a win is one, a draw a half
    draws: int
    matches: int
    mean_seconds: float

    @property
    def score(self) -> Estimate:
        """The seeker's share of points."""
        return proportion(self.points, self.matches)


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
    players = [(name, level) for name, about in bots.items() for level in range(1, about["levels"] + 1)]
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
        winner = played.column("winner")
        draws = int((winner == 0).sum())
        points = float((winner == 1).sum()) + draws / 2
        names = [f"{name}:{level}" for name, level in (seeker, hider)]
        seconds = float(played.column("duration_s").mean())
        made.append(Match(names[0], names[1], points, draws, len(played), seconds))
        if progress:
            progress(f"{names[0]} against {names[1]}", i + 1, len(pairs))
    return made
