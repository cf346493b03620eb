"""Scripted players (bots) evaluated on fixed seeds: the baseline of a trained policy.

All players play the same seeds: 1,000 episodes per player in the full protocol, 100 seeds from each of three
lists in the quick one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import seeding
from ..games import bot
from ..rating import Estimate
from ..spec import EpisodeField, Spec
from ..worlds import Episodes, load_spec
from .play import play
from .shares import Tally, mean_seconds, shares_of
from .statistics import bootstrap, paired_difference

SEED_LISTS = (7, 19, 31)
Progress = Callable[[str, int, int], None]


def seed_list(episodes: int, lists: Sequence[int] = SEED_LISTS) -> list[int]:
    """`episodes` held-out seeds, taken in turn from the lists with these numbers. No run trains on them."""
    per_list = -(-episodes // len(lists))
    rows = zip(*(seeding.held_out("list", per_list, number) for number in lists), strict=True)
    return [seed for row in rows for seed in row][:episodes]


# ---------------------------------------------------------------- games of one agent: one row per bot


@dataclass
class BotResult:
    """Metrics of one player, a bot or a trained policy, over the seed list."""

    name: str
    episodes: Episodes
    metrics: dict[str, float]
    estimates: dict[str, Estimate] = field(default_factory=dict)  # of the metrics that have an interval

    def as_json(self, rows: bool) -> dict[str, Any]:
        """One entry of a report. rows: also one row per episode."""
        report: dict[str, Any] = {"name": self.name, "episodes": len(self.episodes), **self.metrics}
        report["intervals"] = {name: share.interval for name, share in self.estimates.items()}
        if rows:
            report["rows"] = [dict(_plain(e)) for e in self.episodes]
        return report

    def above(self, other: "BotResult", column: EpisodeField) -> Estimate:
        """Mean difference between this player and another, paired over the seeds that both finished."""
        sides = (other, self) if column.better == "lower" else (self, other)
        more, less = (_by_seed(result.episodes, column.name) for result in sides)
        both = [seed for seed in more if seed in less]
        return paired_difference(np.array([more[s] for s in both]), np.array([less[s] for s in both]))


def _by_seed(episodes: Episodes, column: str) -> dict[int, float]:
    return dict(zip(episodes.heads["seed"].tolist(), episodes.column(column).tolist(), strict=True))


def _plain(episode: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in episode.items()}


def rank_bots(
    game: str,
    episodes: int,
    config: Mapping[str, Any] | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> list[BotResult]:
    """Every bot of a one-agent game on the same seeds, the best in the headline first."""
    seeds, spec = seed_list(episodes), load_spec(game, config)
    made = []
    for name in spec.bots:
        player = bot(game, name, config=config)
        report = (lambda done, of, name=name: progress(name, done, of)) if progress else None
        played = play(game, player, seeds, config, threads, progress=report)
        made.append(bot_result(spec, name, played, len(seeds)))
    return ranked(spec, made)


def ranked(spec: Spec, results: Sequence[BotResult]) -> list[BotResult]:
    """The best in the game's headline first."""
    if spec.headline is None:
        return list(results)
    metric, sign = spec.headline.metric, 1 if spec.headline.better == "lower" else -1
    return sorted(results, key=lambda result: sign * result.metrics[metric])


def bot_result(spec: Spec, name: str, played: Episodes, requested: int) -> BotResult:
    """Metrics of the episodes that finished, of the number requested."""
    estimates = shares_of(spec, played)
    for measure in (f for f in spec.episode if f.kind == "measure"):
        if measure == spec.headline or measure.name == "return":
            estimates[measure.metric] = bootstrap(played.column(measure.name))
    averaged = [f.name for f in spec.episode if f.size == 1 and f.kind == "measure"]
    metrics = {f"{column}_mean": float(played.column(column).mean()) for column in averaged}
    metrics |= {f"{column}_median": float(np.median(played.column(column))) for column in averaged}
    metrics |= {metric: estimate.value for metric, estimate in estimates.items()}
    steps = float(played.column("length").sum())
    metrics["invalid_rate"] = float(played.column("invalid").sum()) / max(1.0, steps)
    metrics["capped_episodes"] = requested - len(played)  # did not end within the step limit
    return BotResult(name, played, metrics, estimates)


def headline_json(spec: Spec) -> dict[str, Any] | None:
    """The field that a report's players are ranked by; None for a game of two roles."""
    shown, names = spec.headline, ("metric", "name", "kind", "unit", "better")
    return {name: getattr(shown, name) for name in names} if shown else None


# ---------------------------------------------------------------- games of two roles: cross-play


@dataclass(frozen=True)
class BotMatchup:
    """A bot of one role against a bot of the other over the seed list."""

    roles: tuple[str, ...]
    names: tuple[str, ...]  # of the bots, in the order of the roles
    tally: Tally  # of the first role
    mean_seconds: float


def cross_play(
    game: str,
    episodes: int,
    config: Mapping[str, Any] | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> list[BotMatchup]:
    """Every bot of the first role at every level against every bot of the second role at every level."""
    seeds, spec = seed_list(episodes), load_spec(game, config)
    first, second = roles = tuple(dict.fromkeys(spec.roles))
    pairs = [(a, b) for a in _levels(spec, first) for b in _levels(spec, second)]
    made = []
    for i, pair in enumerate(pairs):
        sides = {
            role: bot(game, name, level, config, seed=1 + place)
            for place, (role, (name, level)) in enumerate(zip(roles, pair, strict=True))
        }
        played = play(game, sides, seeds, config, threads)
        names = tuple(f"{name}:{level}" for name, level in pair)
        seconds = mean_seconds(spec, played)
        made.append(BotMatchup(roles, names, Tally.of(spec, played, first), seconds))
        if progress:
            progress(f"{names[0]} against {names[1]}", i + 1, len(pairs))
    return made


def _levels(spec: Spec, role: str) -> list[tuple[str, int]]:
    """Every bot that plays a role, at every level."""
    own = {name: about["levels"] for name, about in spec.bots.items() if about["role"] in (role, "all")}
    return [(name, level) for name, levels in own.items() for level in range(1, levels + 1)]
