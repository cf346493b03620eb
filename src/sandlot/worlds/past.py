"""The actions since the current episodes began: enough to replay them in a new process."""

from collections import deque
from collections.abc import Iterator

import numpy as np

MOST_BYTES = 256 << 20  # of actions that are kept


class Past:
    """The actions since the oldest episode under way began, and each episode's seed and length."""

    def __init__(self, worlds: int, actions: np.ndarray):
        """actions: an array of the kind that is kept, of one step."""
        self.seeds = np.zeros(worlds, np.uint64)
        self._lengths = np.zeros(worlds, np.int64)  # steps of each world's episode
        self._actions: deque[np.ndarray] = deque(maxlen=max(1, MOST_BYTES // max(1, actions.nbytes)))

    def began(self, worlds: np.ndarray, seeds: np.ndarray) -> None:
        """These worlds are at the beginning of episodes with these seeds, [worlds of the batch]."""
        self.seeds[worlds] = seeds[worlds]
        self._lengths[worlds] = 0
        self._forget()

    def played(self, actions: np.ndarray) -> None:
        """Record one step of every world."""
        self._actions.append(actions.copy())
        self._lengths += 1

    @property
    def is_whole(self) -> bool:
        """Whether every episode can be played again from its beginning."""
        return int(self._lengths.max()) <= len(self._actions)

    def again(self) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
        """Step by step: the worlds that begin their episode now, and the actions that follow.

        Worlds whose episode began later play along until it is their turn; what they do then is nobody's.
        """
        longest = int(self._lengths.max())
        kept = list(self._actions)[len(self._actions) - longest :]
        for left in range(longest, 0, -1):
            yield np.flatnonzero(self._lengths == left), kept[longest - left]
        yield np.flatnonzero(self._lengths == 0), None

    def _forget(self) -> None:
        longest = int(self._lengths.max())
        while len(self._actions) > longest:
            self._actions.popleft()
