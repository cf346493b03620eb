"""Which checkpoints stay when a new one is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import ConfigError


@dataclass(frozen=True)
class Retention:
    """The newest few, the best, and every n-th as a trail for learning films and leagues."""

    newest: int = 5  # at least 1: a run resumes from its newest
    every: int = 0  # keep windows divisible by this for good; 0: none, 1: all
    evaluated_every: int = 0  # windows between evaluated ones, which stay until then; 0: nobody evaluates

    def __post_init__(self) -> None:
        if self.newest < 1 or self.every < 0 or self.evaluated_every < 0:
            raise ConfigError(
                f"keep newest = {self.newest}, every = {self.every}: expected at least 1 and at least 0; "
                "a run needs its newest checkpoint to resume from."
            )

    def kept(self, windows: Iterable[int], best: int | None) -> set[int]:
        ordered = sorted(windows)
        trail = {w for w in ordered if self.every and w % self.every == 0}
        return set(ordered[-self.newest :]) | trail | ({best} & set(ordered) if best is not None else set())
