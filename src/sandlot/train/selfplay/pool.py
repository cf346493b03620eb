"""The opponents of one role: past policies and bots, each with its recent win rate."""

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ... import seeding
from ...games import bot
from ...policies import Policy
from ...spec import Spec
from ..config import SelfPlayConfig
from ..generators import restore_generator

DECAY = 0.97  # decay of a win rate per match
INITIAL_WIN_RATE = 0.5  # of an opponent that has not played yet


@dataclass
class Opponent:
    """A past policy or a bot."""

    name: str
    player: Any  # a Policy or a Bot
    state: dict[str, Any] | None  # of a past policy; a bot is made again from its name
    win_rate: float = INITIAL_WIN_RATE  # of its recent matches

    @property
    def kind(self) -> str:
        """As in opponents.KINDS."""
        return "scripted" if self.state is None else "past"

    def record(self, wins: int, played: int) -> None:
        """Average in the outcome of some matches."""
        old = DECAY**played
        self.win_rate = old * self.win_rate + (1 - old) * (wins / played)


class OpponentPool:
    """The opponents that can be drawn for one role."""

    def __init__(
        self, spec: Spec, role: str, config: SelfPlayConfig, seed: int, device: torch.device | str = "cpu"
    ):
        self.device = device  # of past policies
        self.spec, self.role, self.seed, self.config = spec, role, seed, config
        self.opponents = self._bots(seed) if config.use_bots else []

    def _bots(self, seed: int) -> list[Opponent]:
        config = {"profile": self.spec.profile, **self.spec.config}
        return [
            Opponent(f"{name}:{level}", bot(self.spec.game, name, level, config, seed), None)
            for name, about in self.spec.bots.items()
            if about["role"] in (self.role, "all")
            for level in range(1, about["levels"] + 1)
        ]

    def add(self, policy: Policy, name: str) -> None:
        """Add a copy of a policy; when the pool is full, the past policy with the lowest win rate goes."""
        state = policy.state()
        self.opponents.append(Opponent(name, self._frozen(state, name), state))
        past = [opponent for opponent in self.opponents if opponent.state is not None]
        if len(past) > self.config.pool_size:
            self.opponents.remove(min(past[:-1], key=lambda opponent: opponent.win_rate))

    def draw(self, count: int, rng: np.random.Generator) -> list[Opponent]:
        """Draw opponents: bots for their fraction of `count`, past policies for the rest.

        Both kinds keep their share, because a policy that beats its past may still lose to a simple bot.
        """
        bots = [opponent for opponent in self.opponents if opponent.state is None]
        past = [opponent for opponent in self.opponents if opponent.state is not None]
        if bots and past:
            num_bots = round(count * self.config.scripted_fraction)
        else:
            num_bots = count if bots else 0
        return self._sample(bots, num_bots, rng) + self._sample(past, count - num_bots, rng)

    def _sample(self, opponents: list[Opponent], count: int, rng: np.random.Generator) -> list[Opponent]:
        """Prioritized by win rate, mixed with uniform draws: a forgotten skill shows only against those who
        were beaten once. Repeats only when there are too few."""
        if not count:
            return []
        weights = np.array([(0.05 + o.win_rate) ** self.config.prioritization for o in opponents])
        uniform = self.config.uniform_fraction
        probabilities = (1 - uniform) * weights / weights.sum() + uniform / len(opponents)
        probabilities = probabilities / probabilities.sum()
        picks = rng.choice(len(opponents), count, replace=count > len(opponents), p=probabilities)
        return [opponents[i] for i in picks]

    def _frozen(self, state: dict[str, Any], name: str) -> Policy:
        """A past policy that acts as it did then, with a random stream of its own."""
        policy = Policy.from_state(state).to(self.device)
        policy.greedy = False
        policy.rng.manual_seed(seeding.split(self.seed, zlib.crc32(name.encode())) & 0x7FFFFFFF)
        return policy

    def state(self) -> list[dict[str, Any]]:
        """The state that a resumed run continues from."""
        return [
            {"name": o.name, "state": o.state, "win_rate": o.win_rate, "rng": _rng_state(o.player)}
            for o in self.opponents
        ]

    def load(self, saved: list[dict[str, Any]]) -> None:
        """Continue from what `state` gave."""
        bots = {opponent.name: opponent.player for opponent in self.opponents}
        self.opponents = []
        for s in saved:
            player = bots[s["name"]] if s["state"] is None else self._frozen(s["state"], s["name"])
            if s["rng"] is not None:
                restore_generator(player.rng, s["rng"])
            self.opponents.append(Opponent(s["name"], player, s["state"], s["win_rate"]))


def _rng_state(player: Any) -> Any:
    """Of a past policy; a bot keeps its generator in its own state."""
    return player.rng.get_state() if isinstance(player, Policy) else None
