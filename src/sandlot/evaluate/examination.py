"""`sandlot eval`: one checkpoint on held-out seeds, scripted players beside it on the same ones.

A pilot is compared by its figures; a seeker or hider by how often it beats its rivals, and by how often the
scripted players of its role beat the same rivals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import UnknownName
from ..games import Episodes, Spec
from ..rating import Rating, Result, estimate
from .anchors import anchor_ratings, anchor_samples
from .bots import Contender, contender
from .judge import Tally, config_of
from .play import play
from .players import Checkpoint, Player, scripted
from .statistics import Estimate

Progress = Callable[[str, int, int], None]

# What is expected of a trained prospector: a figure that is at least that of this bot; of others, profit.
EXPECTED = {
    "greedy_miner": "net_profit_mean",
    "cautious_scanner": "survival_rate",
    "market_timer": "profit_per_tick_mean",
}
PROFIT = "net_profit_mean"


@dataclass(frozen=True)
class Stage:
    """Under which conditions everybody plays."""

    spec: Spec
    seeds: Sequence[int]
    threads: int = 1
    engine: str = "native"

    def natively(self) -> Stage:
        """The same seeds, where scripts play among themselves: quick, and no engine is judged by them."""
        return replace(self, engine="native")

    def play(self, *players: Player) -> Episodes:
        sides: Any = {p.role: p.policy for p in players} if self.spec.agents > 1 else players[0].policy
        return play(self.spec.game, sides, self.seeds, config_of(self.spec), self.threads, engine=self.engine)


# ---------------------------------------------------------------- one pilot


def pilots(stage: Stage, players: Sequence[Player], progress: Progress | None = None) -> list[Contender]:
    """Everybody's figures on the same seeds, in the order they came."""
    made = []
    for i, player in enumerate(players):
        if progress:
            progress(player.name, i, len(players))
        made.append(contender(player.name, stage.play(player), len(stage.seeds)))
    return made


def deltas(judged: Contender, others: Sequence[Contender]) -> dict[str, dict[str, float]]:
    """By how much the judged is above each other, figure by figure."""
    return {o.name: {key: judged.figures[key] - o.figures[key] for key in judged.figures} for o in others}


@dataclass(frozen=True)
class Expectation:
    """One figure that should be at least a bot's, less a margin; judged by the same seeds' differences."""

    bot: str
    figure: str
    found: float
    wanted: float
    difference: Estimate
    margin: float  # in the figure's own unit
    episodes: int

    @property
    def verdict(self) -> str:
        """met, missed, or undecided: the interval of the difference holds both."""
        if self.difference.low >= -self.margin:
            return "met"
        return "missed" if self.difference.high < -self.margin else "undecided"

    @property
    def episodes_needed(self) -> int | None:
        """About how many would decide, if the difference is what it seems; None where none would."""
        apart = abs(self.difference.value + self.margin)
        half = (self.difference.high - self.difference.low) / 2
        return None if not apart else int(self.episodes * (half / apart) ** 2) + 1

    def as_json(self) -> dict[str, Any]:
        return {
            "bot": self.bot,
            "figure": self.figure,
            "found": self.found,
            "wanted": self.wanted,
            "difference": self.difference.value,
            "interval": self.difference.interval,
            "margin": self.margin,
            "verdict": self.verdict,
            "episodes_needed": self.episodes_needed if self.verdict == "undecided" else None,
        }


def check_expectations(spec: Spec, wished: Sequence[str]) -> None:
    """Refuse names that stand for no expectation, before anybody plays."""
    for name in wished:
        if name not in spec.bots and name != "all":
            raise UnknownName("expectation", name, ["all", *spec.bots])


def expectations(
    judged: Contender, others: Sequence[Contender], wished: Sequence[str], margin: float = 0.0
) -> list[Expectation]:
    """What is asked of the judged by the names of bots, or by `all`. margin: a share of the bot's figure."""
    made = []
    for other in others:
        bot = other.name.partition(":")[0]
        for figure in dict.fromkeys((EXPECTED.get(bot, PROFIT), *([PROFIT] if "all" in wished else []))):
            if bot in wished or "all" in wished:
                found, wanted = judged.figures[figure], other.figures[figure]
                apart = judged.above(other, figure)
                played = min(len(judged.episodes), len(other.episodes))
                made.append(Expectation(bot, figure, found, wanted, apart, margin * abs(wanted), played))
    return made


# ---------------------------------------------------------------- seekers and hiders


@dataclass(frozen=True)
class Bout:
    """One player against one rival."""

    player: Player
    rival: Player
    tally: Tally
    mean_seconds: float
    terms: dict[str, float] = field(default_factory=dict)  # what each reward term came to, a match

    def as_json(self) -> dict[str, Any]:
        return {
            "player": self.player.name,
            "role": self.player.role,
            "rival": self.rival.name,
            "wins": self.tally.wins / max(1, self.tally.matches),
            "draws": self.tally.draws / max(1, self.tally.matches),
            "score": self.tally.score.value,
            "interval": self.tally.score.interval,
            "mean_seconds": self.mean_seconds,
            "games": self.tally.matches,
        }


def bout(stage: Stage, player: Player, rival: Player) -> Bout:
    played = stage.play(player, rival)
    seconds = float(played.column("duration_s").mean())
    return Bout(player, rival, Tally.of(stage.spec, played, player.role), seconds, _terms(played))


def _terms(played: Episodes) -> dict[str, float]:
    for told in played.fields:
        if told.name == "terms":
            means = played.column("terms").mean(axis=0).tolist()
            return dict(zip(told.labels, means, strict=False))
    return {}


def transfer(
    stage: Stage, fought: Sequence[Bout], engine: str, progress: Progress | None = None
) -> list[dict[str, Any]]:
    """The same bouts, on the same seeds, in another engine: by how much they come out differently."""
    rows = []
    elsewhere = replace(stage, engine=engine)
    for i, here in enumerate(fought):
        if progress:
            progress(f"{_pairing(here.player, here.rival)}, {engine}", i, len(fought))
        there = bout(elsewhere, here.player, here.rival)
        rows.append(
            {
                "here": here.as_json() | {"engine": stage.engine},
                "there": there.as_json() | {"engine": engine},
                "gap_points": 100 * (here.tally.score.value - there.tally.score.value),
                "seconds_gap": here.mean_seconds - there.mean_seconds,
                "terms_gap": {name: value - there.terms[name] for name, value in here.terms.items()},
            }
        )
    return rows


def bouts(
    stage: Stage, players: Sequence[Player], rivals: Sequence[Player], progress: Progress | None = None
) -> list[Bout]:
    """Every player against every rival."""
    pairs = [(p, r) for p in players for r in rivals]
    made = []
    for i, (player, rival) in enumerate(pairs):
        if progress:
            progress(f"{_pairing(player, rival)}, {stage.engine}", i, len(pairs))
        made.append(bout(stage, player, rival))
    return made


def _pairing(player: Player, rival: Player) -> str:
    return f"{player.role} {player.name} against {rival.name}"


def other_role(spec: Spec, role: str) -> str:
    return next(r for r in dict.fromkeys(spec.roles) if r != role)


def rivals_of(spec: Spec, role: str, threads: int = 1) -> list[Player]:
    """Whom a role meets when nobody was named: every scripted player of the other, at every level."""
    return scripted(spec, other_role(spec, role), "all", threads)


def rating_of(spec: Spec, fought: Sequence[Bout]) -> Rating:
    """The rating of one player by bouts with scripted rivals, whose ratings are fixed."""
    results = [
        Result("judged", f"{b.rival.role} {b.rival.name}", b.tally.points, b.tally.matches)
        for b in fought
        if b.rival.scripted
    ]
    config = config_of(spec)
    return estimate(results, anchor_ratings(spec.game, config), anchor_samples(spec.game, config))["judged"]


def head_of(stage: Stage, checkpoints: Sequence[Checkpoint]) -> dict[str, Any]:
    """What every report begins with: rules, seeds, and the weights that played."""
    return {
        "game": stage.spec.game,
        "profile": stage.spec.profile,
        "config": stage.spec.config,
        "spec": stage.spec.hash,
        "engine": stage.engine,
        "episodes": len(stage.seeds),
        "checkpoints": [dict(c.origin) for c in checkpoints],
    }
