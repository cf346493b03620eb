"""Shrinks the actions of a failure to those that are needed for it.

Counter-based delta debugging: the actions of a round are tested in runs of equal length, each once deleted
and once replaced by doing nothing, which keeps the timing. Whatever survives a round is tested in shorter
runs in the next, down to single actions; then every single one is needed, as far as the tries reach. Last,
values are moved toward zero. The oracle says whether an action list still shows the same failure.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

SHRINK = 0.5  # length of the runs from round to round
MOST_TRIES = 1500
MOST_SECONDS = 60.0

Oracle = Callable[[np.ndarray], bool]


@dataclass(frozen=True)
class Shrunk:
    """What is left of a failure's actions."""

    actions: np.ndarray  # [steps, …]
    steps: np.ndarray  # which of the original steps they were
    idle: np.ndarray  # bool [steps]: replaced by doing nothing
    tries: int
    minimal: bool  # every action left was tried alone; False where the tries ran out


class _Shrinker:
    def __init__(
        self, actions: np.ndarray, nothing: np.ndarray | None, oracle: Oracle, tries: int, seconds: float
    ):
        self.actions, self.nothing, self.oracle = actions.copy(), nothing, oracle
        self.steps, self.idle = np.arange(len(actions)), np.zeros(len(actions), bool)
        self.left, self.deadline, self.tries = tries, time.monotonic() + seconds, 0
        if nothing is not None:
            self.idle = np.array([np.array_equal(action, nothing) for action in actions], bool)

    def out_of_tries(self) -> bool:
        return self.tries >= self.left or time.monotonic() > self.deadline

    def fails(self, actions: np.ndarray) -> bool:
        self.tries += 1
        return self.oracle(actions)

    def cut(self) -> None:
        """The shortest beginning that still fails, by halves."""
        low, high = 0, len(self.actions)
        while high - low > 1 and not self.out_of_tries():
            middle = (low + high) // 2
            low, high = (low, middle) if self.fails(self.actions[:middle]) else (middle, high)
        self.keep(np.arange(high))

    def keep(self, which: np.ndarray) -> None:
        self.actions, self.steps, self.idle = self.actions[which], self.steps[which], self.idle[which]

    def round(self, length: int) -> bool:
        """Try each run of this length once; returns whether any could go."""
        changed, at = False, 0
        while at < len(self.actions) and not self.out_of_tries():
            run = slice(at, at + length)
            rest = np.delete(self.actions, run, axis=0)
            if len(rest) and self.fails(rest):
                self.keep(np.delete(np.arange(len(self.actions)), run))
                changed = True
            else:
                changed |= self.silence(run)
                at += length
        return changed

    def silence(self, run: slice) -> bool:
        """Do nothing during a run."""
        if self.nothing is None or self.idle[run].all() or self.out_of_tries():
            return False
        trial = self.actions.copy()
        trial[run] = self.nothing
        if not self.fails(trial):
            return False
        self.actions, self.idle[run] = trial, True
        return True

    def simplify(self) -> None:
        """Move the numbers of continuous actions toward zero: none, else a whole step, else a half."""
        if self.actions.dtype.kind != "f":
            return
        for place in np.argwhere(
            (self.actions != 0) & (self.actions != (self.nothing if self.nothing is not None else 0))
        ):
            index = tuple(place)
            for value in (0.0, float(np.sign(self.actions[index])), round(float(self.actions[index]), 1)):
                if self.out_of_tries() or value == self.actions[index]:
                    break
                trial = self.actions.copy()
                trial[index] = value
                if self.fails(trial):
                    self.actions = trial
                    break


def shrink(
    actions: np.ndarray,
    nothing: np.ndarray | None,
    oracle: Oracle,
    tries: int = MOST_TRIES,
    seconds: float = MOST_SECONDS,
) -> Shrunk:
    """The actions of a failure that are needed for it. nothing: one step's action without effect, if any."""
    work = _Shrinker(actions, nothing, oracle, tries, seconds)
    work.cut()
    length = max(1, len(work.actions) // 2)
    while length > 1 and not work.out_of_tries():
        work.round(length)
        length = max(1, min(int(length * SHRINK), len(work.actions) // 2))
    minimal = False
    while not work.out_of_tries():
        if not work.round(1):
            minimal = not work.out_of_tries()
            break
    work.simplify()
    return Shrunk(work.actions, work.steps, work.idle, work.tries, minimal)
