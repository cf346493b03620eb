"""The pool of one role: past selves and scripted players, each with how often it won lately."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import seeding
from ...games import Spec, bot
from ...policies import Policy
from ..config import SelfPlayConfig

MEMORY = 0.97  # how much of a rival's record survives one more match
EVEN = 0.5  # what a new rival is thought to win


@dataclass
class Rival:
    """Somebody to play against."""

    name: str
    player: Any  # a Policy or a Bot
    state: dict[str, Any] | None  # of a past self; a bot is known by its name
    wins: float = EVEN  # share of its recent matches that it won

    @property
    def kind(self) -> str:
        """As in opponents.KINDS."""
        return "scripted" if self.state is None else "past"

    def record(self, won: int, played: int) -> None:
        fade = MEMORY**played
        self.wins = fade * self.wins + (1 - fade) * (won / played)


class Pool:
    """The rivals of one role."""

    def __init__(self, spec: Spec, role: str, config: SelfPlayConfig, seed: int):
        self.spec, self.role, self.seed, self.config = spec, role, seed, config
        self.rivals = self._bots(seed) if config.bots else []

    def _bots(self, seed: int) -> list[Rival]:
        config = {"profile": self.spec.profile, **self.spec.config}
        return [
            Rival(f"{name}:{level}", bot(self.spec.game, name, level, config, seed), None)
            for name, told in self.spec.bots.items()
            if told["role"] in (self.role, "all")
            for level in range(1, told["levels"] + 1)
        ]

    def add(self, policy: Policy, name: str) -> None:
        """Take in a past self; when there are too many, the one that wins least goes."""
        state = policy.state()
        self.rivals.append(Rival(name, self._frozen(state, name), state))
        selves = [rival for rival in self.rivals if rival.state is not None]
        if len(selves) > self.config.pool:
            self.rivals.remove(min(selves[:-1], key=lambda rival: rival.wins))

    def draw(self, count: int, rng: np.random.Generator) -> list[Rival]:
        """So many rivals: scripted players in their share of the seats, past selves in the rest.

        Both kinds keep their seats, for what beats one's past selves may lose to a simple chase.
        """
        bots = [rival for rival in self.rivals if rival.state is None]
        selves = [rival for rival in self.rivals if rival.state is not None]
        seats = round(count * self.config.scripted) if bots and selves else count if bots else 0
        return self._likely(bots, seats, rng) + self._likely(selves, count - seats, rng)

    def _likely(self, rivals: list[Rival], count: int, rng: np.random.Generator) -> list[Rival]:
        """Those that win more often the likelier, but everybody in some draws: a skill that was lost shows
        only against those it had beaten. Repeats only when there are too few."""
        if not count:
            return []
        weights = np.array([(0.05 + rival.wins) ** self.config.prioritise for rival in rivals])
        even = self.config.even
        shares = (1 - even) * weights / weights.sum() + even / len(rivals)
        picks = rng.choice(len(rivals), count, replace=count > len(rivals), p=shares / shares.sum())
        return [rivals[i] for i in picks]

    def _frozen(self, state: dict[str, Any], name: str) -> Policy:
        """A past self plays as it played then, and draws from a random stream of its own."""
        policy = Policy.from_state(state)
        policy.greedy = False
        policy.rng.manual_seed(seeding.split(self.seed, zlib.crc32(name.encode())) & 0x7FFFFFFF)
        return policy

    def state(self) -> list[dict[str, Any]]:
        return [
            {"name": r.name, "state": r.state, "wins": r.wins, "rng": _rng(r.player)} for r in self.rivals
        ]

    def load(self, told: list[dict[str, Any]]) -> None:
        bots = {rival.name: rival.player for rival in self.rivals}
        self.rivals = [
            Rival(
                t["name"],
                bots[t["name"]] if t["state"] is None else self._frozen(t["state"], t["name"]),
                t["state"],
                t["wins"],
            )
            for t in told
        ]
        for rival, t in zip(self.rivals, told, strict=True):
            if t["rng"] is not None:
                rival.player.rng.set_state(t["rng"])


def _rng(player: Any) -> Any:
    """Where a past self's dice stand; a bot keeps its own in its memory."""
    return player.rng.get_state() if isinstance(player, Policy) else None
