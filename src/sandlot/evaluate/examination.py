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
from ..rating import Result, fit
from .anchors import anchor_ratings
from .bots import Contender, contender
from .judge import config_of
from .play import play
from .players import Checkpoint, Player, scripted
from .statistics import Estimate, bootstrap

Progress = Callable[[str, int, int], None]

# What is expected of a trained prospector: a figure that is at least that of this bot.
EXPECTED = {
    "greedy_miner": "net_profit_mean",
    "cautious_scanner": "survival_rate",
    "market_timer": "profit_per_tick_mean",
}


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
    """One figure that should be at least a bot's."""

    bot: str
    figure: str
    found: float
    wanted: float

    @property
    def met(self) -> bool:
        return self.found >= self.wanted

    def as_json(self) -> dict[str, Any]:
        return {
            "bot": self.bot,
            "figure": self.figure,
            "found": self.found,
            "wanted": self.wanted,
            "met": self.met,
        }


def check_expectations(wished: Sequence[str]) -> None:
    """Refuse names that stand for no expectation, before anybody plays."""
    for name in wished:
        if name not in EXPECTED and name != "all":
            raise UnknownName("expectation", name, ["all", *EXPECTED])


def expectations(judged: Contender, others: Sequence[Contender], wished: Sequence[str]) -> list[Expectation]:
    """What is asked of the judged by the names of bots, or by `all`."""
    figures = {other.name.partition(":")[0]: other.figures for other in others}
    return [
        Expectation(bot, figure, judged.figures[figure], figures[bot][figure])
        for bot, figure in EXPECTED.items()
        if bot in figures and (bot in wished or "all" in wished)
    ]


# ---------------------------------------------------------------- seekers and hiders


@dataclass(frozen=True)
class Bout:
    """One player against one rival."""

    player: Player
    rival: Player
    wins: Estimate
    mean_seconds: float
    games: int
    terms: dict[str, float] = field(default_factory=dict)  # what each reward term came to, a match

    def as_json(self) -> dict[str, Any]:
        return {
            "player": self.player.name,
            "role": self.player.role,
            "rival": self.rival.name,
            "wins": self.wins.value,
            "interval": [self.wins.low, self.wins.high],
            "mean_seconds": self.mean_seconds,
            "games": self.games,
        }


def bout(stage: Stage, player: Player, rival: Player) -> Bout:
    played = stage.play(player, rival)
    won = played.column("winner") == stage.spec.winners.index(player.role)
    seconds = float(played.column("duration_s").mean())
    return Bout(player, rival, bootstrap(won), seconds, len(played), _terms(played))


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
                "gap_points": 100 * (here.wins.value - there.wins.value),
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


def rating_of(spec: Spec, fought: Sequence[Bout]) -> float:
    """The rating of one player by bouts with scripted rivals, whose ratings are fixed."""
    results = [
        Result("judged", f"{b.rival.role} {b.rival.name}", b.wins.value * b.games, b.games)
        for b in fought
        if b.rival.scripted
    ]
    return fit(results, anchor_ratings(spec.game, config_of(spec)))["judged"]


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
