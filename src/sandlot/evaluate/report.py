"""The report of `sandlot eval`: one checkpoint on held-out seeds, next to scripted players on the same seeds.

A player of a one-agent game is compared by its metrics. A role of a game with two is compared by its win rate
against scripted opponents, next to those of the scripted players of its role against the same opponents.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import UnknownName
from ..games.scripted import default_players
from ..rating import Estimate, Result, estimate
from ..spec import Spec
from ..worlds import Episodes
from .anchors import anchor_ratings, anchor_samples
from .bots import BotResult, bot_result
from .play import play
from .players import EVERY_ROLE, Checkpoint, Player, scripted
from .shares import Tally, mean_seconds

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class EvalSetup:
    """What all players of a report have in common: rules, seeds and engine."""

    spec: Spec
    seeds: Sequence[int]
    threads: int = 1
    engine: str = "native"

    def natively(self) -> "EvalSetup":
        """The same seeds in the native engine, for matches between scripted players."""
        return replace(self, engine="native")

    def play(self, *players: Player) -> Episodes:
        """One episode per seed with these players: one per role, or one for all of them."""
        sides: dict[str, Any] = {}
        for player in players:
            sides |= player.policy if player.role == EVERY_ROLE else {player.role: player.policy}
        sides |= default_players(self.spec, set(self.spec.role_names) - set(sides))
        return play(
            self.spec.address, sides, self.seeds, self.spec.settings, self.threads, engine=self.engine
        )


# ---------------------------------------------------------------- one role


def play_pilots(
    setup: EvalSetup, players: Sequence[Player], progress: Progress | None = None
) -> list[BotResult]:
    """Metrics of each player on the same seeds, in the given order."""
    made = []
    for i, player in enumerate(players):
        if progress:
            progress(player.name, i, len(players))
        made.append(bot_result(setup.spec, player.name, setup.play(player), len(setup.seeds)))
    return made


def deltas(own: BotResult, others: Sequence[BotResult]) -> dict[str, dict[str, float]]:
    """A player\'s metrics minus those of each other player, by its name."""
    return {o.name: {key: own.metrics[key] - o.metrics[key] for key in own.metrics} for o in others}


@dataclass(frozen=True)
class Expectation:
    """One metric that should be at least a bot's minus a margin, by paired differences on the same seeds."""

    bot: str
    metric: str
    value: float
    bot_value: float
    difference: Estimate
    margin: float  # in the metric's own unit
    episodes: int

    @property
    def verdict(self) -> str:
        """ "met", "missed", or "undecided" where the interval of the difference allows both."""
        if self.difference.low >= -self.margin:
            return "met"
        return "missed" if self.difference.high < -self.margin else "undecided"

    @property
    def episodes_needed(self) -> int | None:
        """Roughly how many episodes would decide if the difference is as measured; None if none would."""
        distance = abs(self.difference.value + self.margin)
        half_width = (self.difference.high - self.difference.low) / 2
        return None if not distance else int(self.episodes * (half_width / distance) ** 2) + 1

    def as_json(self) -> dict[str, Any]:
        """One entry of the report's `expectations`."""
        return {
            "bot": self.bot,
            "metric": self.metric,
            "value": self.value,
            "bot_value": self.bot_value,
            "difference": self.difference.value,
            "interval": self.difference.interval,
            "margin": self.margin,
            "verdict": self.verdict,
            "episodes_needed": self.episodes_needed if self.verdict == "undecided" else None,
        }


def check_expectations(spec: Spec, required: Sequence[str]) -> None:
    """Refuse unknown names before any episode is played."""
    for name in required:
        if name not in spec.bots and name != "all":
            raise UnknownName("expectation", name, ["all", *spec.bots])


def expectations(
    spec: Spec, own: BotResult, others: Sequence[BotResult], required: Sequence[str], margin: float = 0.0
) -> list[Expectation]:
    """Expectations against the required bots, or against `all`: in the field in which a bot is compared, and
    with `all` in the headline too. margin: a share of the bot's metric."""
    made = []
    for other in others:
        bot = other.name.partition(":")[0]
        if not {bot, "all"} & set(required):
            continue
        for column in dict.fromkeys((spec.compared_by(bot), *([spec.headline] if "all" in required else []))):
            if column is not None:
                value, bot_value = own.metrics[column.metric], other.metrics[column.metric]
                played = min(len(own.episodes), len(other.episodes))
                difference = own.above(other, column)
                limit = margin * abs(bot_value)
                made.append(Expectation(bot, column.metric, value, bot_value, difference, limit, played))
    return made


# ---------------------------------------------------------------- two roles


@dataclass(frozen=True)
class Matchup:
    """Result of one player against one opponent."""

    player: Player
    opponent: Player
    tally: Tally
    mean_seconds: float
    terms: dict[str, float] = field(default_factory=dict)  # mean of each reward term per match
    played: Episodes | None = field(default=None, compare=False, repr=False)

    def as_json(self) -> dict[str, Any]:
        """One entry of the report's `matchups`."""
        return {
            "player": self.player.name,
            "role": self.player.role,
            "opponent": self.opponent.name,
            "wins": self.tally.wins / max(1, self.tally.matches),
            "draws": self.tally.draws / max(1, self.tally.matches),
            "score": self.tally.score.value,
            "interval": self.tally.score.interval,
            "mean_seconds": self.mean_seconds,
            "games": self.tally.matches,
        }


def play_matchup(setup: EvalSetup, player: Player, opponent: Player) -> Matchup:
    """One match per seed."""
    played = setup.play(player, opponent)
    seconds = mean_seconds(setup.spec, played)
    tally = Tally.of(setup.spec, played, player.role)
    return Matchup(player, opponent, tally, seconds, _terms(played), played)


def _terms(played: Episodes) -> dict[str, float]:
    labels = next((f.labels for f in played.fields if f.name == "terms"), None)
    terms = played.column("terms").mean(axis=0).tolist() if labels else ()
    return dict(zip(labels or (), terms, strict=False))


def transfer(
    setup: EvalSetup, matchups: Sequence[Matchup], engine: str, progress: Progress | None = None
) -> list[dict[str, Any]]:
    """The same matchups on the same seeds in another engine: the differences in score, length and rewards."""
    rows = []
    elsewhere = replace(setup, engine=engine)
    for i, here in enumerate(matchups):
        if progress:
            progress(f"{_pairing(here.player, here.opponent)}, {engine}", i, len(matchups))
        there = play_matchup(elsewhere, here.player, here.opponent)
        rows.append(
            {
                "here": here.as_json() | {"engine": setup.engine},
                "there": there.as_json() | {"engine": engine},
                "gap_points": 100 * (here.tally.score.value - there.tally.score.value),
                "seconds_gap": here.mean_seconds - there.mean_seconds,
                "terms_gap": {name: value - there.terms[name] for name, value in here.terms.items()},
            }
        )
    return rows


def play_matchups(
    setup: EvalSetup,
    players: Sequence[Player],
    opponents: Sequence[Player],
    progress: Progress | None = None,
) -> list[Matchup]:
    """Every player against every opponent."""
    pairs = [(p, r) for p in players for r in opponents]
    made = []
    for i, (player, opponent) in enumerate(pairs):
        if progress:
            progress(f"{_pairing(player, opponent)}, {setup.engine}", i, len(pairs))
        made.append(play_matchup(setup, player, opponent))
    return made


def _pairing(player: Player, opponent: Player) -> str:
    return f"{player.role} {player.name} against {opponent.name}"


def other_role(spec: Spec, role: str) -> str:
    """The role that plays against this one."""
    return next(r for r in dict.fromkeys(spec.roles) if r != role)


def opponents_of(spec: Spec, role: str, threads: int = 1) -> list[Player]:
    """The default opponents of a role: every scripted player of the other role, at every level."""
    return scripted(spec, other_role(spec, role), "all", threads)


def rating_of(spec: Spec, matchups: Sequence[Matchup]) -> Estimate:
    """The rating of one player from its matchups with scripted opponents, whose ratings are fixed."""
    results = [
        Result("player", f"{m.opponent.role} {m.opponent.name}", m.tally.points, m.tally.matches)
        for m in matchups
        if m.opponent.scripted
    ]
    scale = (spec.game, spec.settings)
    return estimate(results, anchor_ratings(*scale), anchor_samples(*scale))["player"]


def report_header(setup: EvalSetup, checkpoints: Sequence[Checkpoint]) -> dict[str, Any]:
    """The first fields of every report: rules, seeds and the checkpoints that played."""
    return {
        "game": setup.spec.game,
        "address": setup.spec.address,
        "profile": setup.spec.profile,
        "config": setup.spec.config,
        "spec": setup.spec.hash,
        "engine": setup.engine,
        "episodes": len(setup.seeds),
        "checkpoints": [dict(c.origin) for c in checkpoints],
    }
