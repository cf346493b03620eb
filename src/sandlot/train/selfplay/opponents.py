"""Who plays which rows: in some worlds the latest policies meet, in the others an opponent plays one role.

worlds    0 ……………… latest ……………… │ opponents play role A │ opponents play role B
learners  A and B both learn here      │ only B learns         │ only A learns
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ... import seeding
from ...spec import Spec
from ...worlds import Episodes, World
from ..config import SelfPlayConfig
from ..generators import restore_rng, rng_state
from .pool import Opponent, OpponentPool

KINDS = ("current", "past", "scripted")  # of opponents: the other role's latest policy, an older one, a bot
NOT_LEARNING = -1.0  # instead of a kind: no learner plays this role in this world


def assign_rows(
    roles: tuple[str, ...], worlds: int, latest_fraction: float
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Rows that each role's learner plays, and worlds in which an opponent plays each role."""
    names = list(dict.fromkeys(roles))
    row_roles = np.tile(np.array(roles), worlds)
    row_worlds = np.repeat(np.arange(worlds), len(roles))
    if len(names) == 1:
        return {names[0]: np.arange(worlds * len(roles))}, {names[0]: np.arange(0)}
    latest = round(worlds * latest_fraction)
    parts = np.array_split(np.arange(latest, worlds), len(names))
    opponent_worlds = dict(zip(names, parts, strict=True))
    learner_rows = {
        name: np.flatnonzero((row_roles == name) & ~np.isin(row_worlds, opponent_worlds[name]))
        for name in names
    }
    return learner_rows, opponent_worlds


@dataclass
class Assignment:
    """One opponent in one role, in some worlds."""

    role: str
    opponent: Opponent
    worlds: np.ndarray
    rows: np.ndarray
    observation_size: int  # of the role
    state: Any = None  # of its player
    on_device: Any = None  # its rows as tensors, where worlds are on a device


class Opponents:
    """Plays all rows that no learner plays."""

    def __init__(
        self,
        spec: Spec,
        world: World,
        opponent_worlds: dict[str, np.ndarray],
        config: SelfPlayConfig,
        seed: int,
        device: torch.device | str = "cpu",
    ):
        self.device = device  # where past policies play
        self.world, self.config, self.opponent_worlds = world, config, opponent_worlds
        self._spec = spec  # of players; a privileged critic sees more
        self.pools = {
            role: OpponentPool(spec, role, config, seeding.split(seed, i), device)
            for i, role in enumerate(opponent_worlds)
            if len(opponent_worlds[role])
        }
        self.rng = np.random.default_rng(seed)
        self._assignments: list[Assignment] = []

    def draw(self) -> None:
        """Draw new opponents; they take over the episodes in progress."""
        self._assignments = []
        for role, pool in self.pools.items():
            if not pool.opponents:
                continue
            parts = np.array_split(self.opponent_worlds[role], self.config.num_opponents)
            drawn = pool.draw(self.config.num_opponents, self.rng)
            for opponent, worlds in zip(drawn, parts, strict=True):
                if len(worlds):
                    self._assignments.append(self._assigned(role, opponent, worlds))

    def _assigned(self, role: str, opponent: Opponent, worlds: np.ndarray, state: Any = None) -> Assignment:
        size = self._spec.for_role(role).observation_size
        return Assignment(role, opponent, worlds, self._rows(role, worlds), size, state)

    def _rows(self, role: str, worlds: np.ndarray) -> np.ndarray:
        """Rows of a role in these worlds."""
        roles = np.array(self.world.spec.roles)
        return (worlds[:, None] * len(roles) + np.flatnonzero(roles == role)[None, :]).reshape(-1)

    def act(self) -> None:
        """Write the actions of all opponents into the world."""
        for each in self._assignments:
            masks = None if self.world.masks is None else self.world.masks[each.rows]
            observations = self.world.observations[:, : each.observation_size][each.rows]
            actions, each.state = each.opponent.player.act(observations, masks, each.state)
            self.world.act(each.rows, actions)

    def restart(self, ended: np.ndarray) -> None:
        """Reset the players' states on rows whose episode ended, [rows] bool."""
        for each in self._assignments:
            if each.state is not None:
                each.opponent.player.restart(each.state, ended[each.rows])

    def record(self, episodes: Episodes) -> None:
        """Update win rates from finished episodes, for the next draw."""
        spec = self.world.spec
        if not self._assignments or not len(episodes) or spec.outcome is None:
            return
        outcomes, worlds = episodes.column(spec.outcome.name), episodes.heads["world"]
        for each in self._assignments:
            here = np.isin(worlds, each.worlds)
            if here.any():
                wins = int(np.isin(outcomes[here], spec.winning_codes(each.role)).sum())
                each.opponent.record(wins, int(here.sum()))

    def learners(self) -> dict[str, np.ndarray]:
        """By role, in which worlds its learner plays it, bool [worlds]."""
        worlds = np.arange(self.world.worlds)
        return {role: ~np.isin(worlds, theirs) for role, theirs in self.opponent_worlds.items()}

    def kinds(self) -> dict[str, np.ndarray]:
        """By role, the kind of its learner's opponent in each world: an index into KINDS, float [worlds].

        Opponents change only between iterations, at the end of a window; an episode in progress counts as one
        against the opponent it ended with.
        """
        learners = self.learners()
        if len(learners) == 1:
            return {}
        everywhere = np.logical_and.reduce(list(learners.values()))
        kinds = {role: np.where(everywhere, 0.0, NOT_LEARNING) for role in learners}
        for each in self._assignments:
            for role in learners:
                if role != each.role:
                    kinds[role][each.worlds] = float(KINDS.index(each.opponent.kind))
        return kinds

    def win_rates(self) -> dict[str, float]:
        """Win rate of each opponent in play, for a dashboard."""
        return {f"{each.role} {each.opponent.name}": each.opponent.win_rate for each in self._assignments}

    # ------------------------------------------------------------ saving

    def state(self) -> dict[str, Any]:
        """The state that a resumed run continues from."""
        return {
            "pools": {role: pool.state() for role, pool in self.pools.items()},
            "rng": rng_state(self.rng),
            "assignments": [(a.role, a.opponent.name, _save(a.state)) for a in self._assignments],
        }

    def load(self, state: dict[str, Any]) -> None:
        """Continue from what `state` gave; without assignments, `draw` follows."""
        for role, pool in self.pools.items():
            pool.load(state["pools"][role])
        restore_rng(self.rng, state["rng"])
        saved = iter(state["assignments"])
        self._assignments = []
        for role, pool in self.pools.items():
            for worlds in np.array_split(self.opponent_worlds[role], self.config.num_opponents):
                if not len(worlds) or not state["assignments"]:
                    continue
                _, name, player_state = next(saved)
                opponent = next(o for o in pool.opponents if o.name == name)
                self._assignments.append(self._assigned(role, opponent, worlds, _restore(player_state)))


def _save(state: Any) -> Any:
    """A bot's float bits survive as bytes; a policy's tensor stays a tensor."""
    return torch.from_numpy(state.view(np.uint8).copy()) if isinstance(state, np.ndarray) else state


def _restore(state: Any) -> Any:
    if isinstance(state, torch.Tensor) and state.dtype == torch.uint8:
        return state.numpy().copy().view(np.float32)
    return state
