"""What every world did, decision by decision, until somebody takes it: what windows are counted from.

A library may ask for a step that is none (Gymnasium's next-step reset). Worlds then differ in how far they
are: `take` gives no more decisions than all of them have made, and keeps the rest for the next time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...games import Episodes


@dataclass(frozen=True)
class Page:
    """Some decisions of every world, and the episodes that ended in them."""

    rewards: np.ndarray  # float32 [decisions, worlds, roles]
    ticks: np.ndarray  # int32 [decisions, worlds]
    episodes: Episodes  # heads["step"] counts the page's decisions, from 1


class Ledger:
    def __init__(self, worlds: int, roles: int = 1):
        self.worlds, self.roles = worlds, roles
        self._made = np.zeros(worlds, np.int64)  # decisions that wait here, by world
        self._rows: list[
            tuple[np.ndarray, np.ndarray, np.ndarray]
        ] = []  # rewards, ticks, which of them count
        self._ended: list[Episodes] = []

    def add(self, rewards: np.ndarray, ticks: np.ndarray, counts: np.ndarray | None = None) -> None:
        """One step of the batch, rewards [worlds, roles]. counts: false where a world made no decision."""
        counts = np.ones(self.worlds, bool) if counts is None else counts
        self._rows.append((np.array(rewards, np.float32), np.array(ticks, np.int32), counts))
        self._made += counts

    def end(self, episodes: Episodes) -> None:
        """Episodes that ended in the step that was added last."""
        heads = episodes.heads.copy()
        heads["step"] = self._made[heads["world"]]
        self._ended.append(Episodes(episodes.fields, heads, episodes.values))

    @property
    def ready(self) -> int:
        """Decisions that every world has made."""
        return int(self._made.min())

    def take(self, none: Episodes, length: int | None = None) -> Page:
        """The next `length` decisions of every world, or all that are ready. none: no episodes."""
        length = self.ready if length is None else length
        columns = self._columns()
        page = Page(
            np.stack([rewards[:length] for rewards, _ in columns], axis=1),
            np.stack([ticks[:length] for _, ticks in columns], axis=1),
            self._ended_until(length, none),
        )
        self._keep([(rewards[length:], ticks[length:]) for rewards, ticks in columns])
        return page

    def _columns(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Rewards and ticks of each world's own decisions."""
        rewards, ticks, counts = (np.array([row[i] for row in self._rows]) for i in range(3))
        if not len(counts):
            return [(np.zeros((0, self.roles), np.float32), np.zeros(0, np.int32))] * self.worlds
        return [(rewards[counts[:, w], w], ticks[counts[:, w], w]) for w in range(self.worlds)]

    def _ended_until(self, length: int, none: Episodes) -> Episodes:
        ended = joined(self._ended) if self._ended else none
        now = ended.heads["step"] <= length
        later = Episodes(ended.fields, ended.heads[~now].copy(), ended.values[~now])
        later.heads["step"] -= length
        self._ended = [later] if len(later) else []
        return Episodes(ended.fields, ended.heads[now], ended.values[now])

    def _keep(self, rest: list[tuple[np.ndarray, np.ndarray]]) -> None:
        """What the faster worlds did beyond the page, as rows again."""
        self._made = np.array([len(ticks) for _, ticks in rest], np.int64)
        self._rows = []
        for i in range(int(self._made.max())):
            there = self._made > i
            nothing = np.zeros(self.roles, np.float32)
            rewards = np.array([r[i] if len(r) > i else nothing for r, _ in rest], np.float32)
            ticks = np.array([t[i] if len(t) > i else 1 for _, t in rest], np.int32)
            self._rows.append((rewards, ticks, there))


def joined(parts: list[Episodes]) -> Episodes:
    """Several lots of episodes as one."""
    heads = np.concatenate([part.heads for part in parts])
    return Episodes(parts[0].fields, heads, np.concatenate([part.values for part in parts]))


def side_by_side(pages: list[Page]) -> Page:
    """Equally long pages of several processes as one, their worlds numbered on."""
    lots, first = [], 0
    for page in pages:
        heads = page.episodes.heads.copy()
        heads["world"] += first
        first += page.ticks.shape[1]
        lots.append(Episodes(page.episodes.fields, heads, page.episodes.values))
    rewards = np.concatenate([page.rewards for page in pages], axis=1)
    ticks = np.concatenate([page.ticks for page in pages], axis=1)
    return Page(rewards, ticks, joined(lots))
