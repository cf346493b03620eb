"""Who sits where: in most worlds the newest selves meet; in the others a rival plays one role.

worlds   0 ……………………… current ……………… │ rivals play role A │ rivals play role B
learner  A and B both learn here         │ only B learns      │ only A learns
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ... import seeding
from ...games import Episodes, Spec, VectorGame
from ..config import SelfPlayConfig
from ..generators import restore, words
from .pool import Pool, Rival

KINDS = ("current", "past", "scripted")  # of an opponent: the other role's newest self, an older self, a bot
NOT_LEARNING = -1.0  # in place of a kind: an opponent plays this role itself, or nobody does


def seats(
    roles: tuple[str, ...], worlds: int, current: float
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Rows that each role's learner plays, and worlds in which a rival plays each role."""
    names = list(dict.fromkeys(roles))
    row_roles = np.tile(np.array(roles), worlds)
    row_worlds = np.repeat(np.arange(worlds), len(roles))
    if len(names) == 1:
        return {names[0]: np.arange(worlds * len(roles))}, {names[0]: np.arange(0)}
    alone = round(worlds * current)
    parts = np.array_split(np.arange(alone, worlds), len(names))
    rivals = dict(zip(names, parts, strict=True))
    learners = {
        name: np.flatnonzero((row_roles == name) & ~np.isin(row_worlds, rivals[name])) for name in names
    }
    return learners, rivals


@dataclass
class _Seat:
    role: str
    rival: Rival
    worlds: np.ndarray
    rows: np.ndarray
    memory: Any = None


class Opponents:
    """Plays all rows that no learner plays."""

    def __init__(
        self,
        spec: Spec,
        world: VectorGame,
        rival_worlds: dict[str, np.ndarray],
        config: SelfPlayConfig,
        seed: int,
    ):
        self.world, self.config, self.rival_worlds = world, config, rival_worlds
        self.seen = spec.observation_size  # entries that players get; a critic may be told more
        self.pools = {
            role: Pool(spec, role, config, seeding.split(seed, i))
            for i, role in enumerate(rival_worlds)
            if len(rival_worlds[role])
        }
        self.rng = np.random.default_rng(seed)
        self._seats: list[_Seat] = []

    def invite(self) -> None:
        """Draw new rivals; they take over where their worlds are."""
        self._seats = []
        for role, pool in self.pools.items():
            if not pool.rivals:
                continue
            places = np.array_split(self.rival_worlds[role], self.config.opponents)
            for rival, worlds in zip(pool.draw(self.config.opponents, self.rng), places, strict=True):
                if len(worlds):
                    self._seats.append(_Seat(role, rival, worlds, self._rows(role, worlds)))

    def _rows(self, role: str, worlds: np.ndarray) -> np.ndarray:
        """Rows of a role in these worlds."""
        roles = np.array(self.world.spec.roles)
        return (worlds[:, None] * len(roles) + np.flatnonzero(roles == role)[None, :]).reshape(-1)

    def act(self) -> None:
        for seat in self._seats:
            masks = None if self.world.masks is None else self.world.masks[seat.rows]
            actions, seat.memory = seat.rival.player.act(
                self.world.observations[:, : self.seen][seat.rows], masks, seat.memory
            )
            self.world.actions[seat.rows] = actions

    def restart(self, ended: np.ndarray) -> None:
        """Forget finished episodes, [rows] bool."""
        for seat in self._seats:
            if seat.memory is not None:
                seat.rival.player.restart(seat.memory, ended[seat.rows])

    def record(self, episodes: Episodes) -> None:
        """Take in who won, for the next draw."""
        if not self._seats or not len(episodes):
            return
        codes = self.world.spec.winners
        winners, worlds = episodes.column("winner"), episodes.heads["world"]
        for seat in self._seats:
            here = np.isin(worlds, seat.worlds)
            if here.any():
                seat.rival.record(int((winners[here] == codes.index(seat.role)).sum()), int(here.sum()))

    def learners(self) -> dict[str, np.ndarray]:
        """By role, in which worlds the one that learns plays it, bool [worlds]."""
        worlds = np.arange(self.world.worlds)
        return {role: ~np.isin(worlds, theirs) for role, theirs in self.rival_worlds.items()}

    def kinds(self) -> dict[str, np.ndarray]:
        """By role, whom the one that learns meets in each world: an index into KINDS, float [worlds].

        Opponents change only between iterations, at the end of a window; a match that was going on then
        counts as one against whom it ended with.
        """
        learners = self.learners()
        if len(learners) == 1:
            return {}
        everywhere = np.logical_and.reduce(list(learners.values()))
        kinds = {role: np.where(everywhere, 0.0, NOT_LEARNING) for role in learners}
        for seat in self._seats:
            for role in learners:
                if role != seat.role:
                    kinds[role][seat.worlds] = float(KINDS.index(seat.rival.kind))
        return kinds

    def told(self) -> dict[str, float]:
        """How often each rival in play wins, for a dashboard."""
        return {f"{seat.role} {seat.rival.name}": seat.rival.wins for seat in self._seats}

    # ------------------------------------------------------------ saving

    def state(self) -> dict[str, Any]:
        return {
            "pools": {role: pool.state() for role, pool in self.pools.items()},
            "rng": words(self.rng),
            "seats": [(s.role, s.rival.name, _memory(s.memory)) for s in self._seats],
        }

    def load(self, told: dict[str, Any]) -> None:
        for role, pool in self.pools.items():
            pool.load(told["pools"][role])
        restore(self.rng, told["rng"])
        rest = iter(told["seats"])
        self._seats = []
        for role, pool in self.pools.items():
            for worlds in np.array_split(self.rival_worlds[role], self.config.opponents):
                if not len(worlds) or not told["seats"]:
                    continue
                _, name, memory = next(rest)
                rival = next(r for r in pool.rivals if r.name == name)
                self._seats.append(_Seat(role, rival, worlds, self._rows(role, worlds), _unmemory(memory)))


def _memory(memory: Any) -> Any:
    """A bot's float bits survive as bytes; a policy's tensor stays a tensor."""
    return torch.from_numpy(memory.view(np.uint8).copy()) if isinstance(memory, np.ndarray) else memory


def _unmemory(memory: Any) -> Any:
    if isinstance(memory, torch.Tensor) and memory.dtype == torch.uint8:
        return memory.numpy().copy().view(np.float32)
    return memory
