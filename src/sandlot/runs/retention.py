"""Which checkpoints stay when a new one is written."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import ConfigError


@dataclass(frozen=True)
class Retention:
    """Keep the newest few, the best, and every n-th for films and leagues."""

    newest: int = 5  # at least 1: a run resumes from its newest
    every: int = 0  # keep windows divisible by this for good; 0: none, 1: all
    evaluated_every: int = 0  # windows between evaluated ones, kept until then; 0: there is no evaluator

    def __post_init__(self) -> None:
        if self.newest < 1 or self.every < 0 or self.evaluated_every < 0:
            raise ConfigError(
                f"keep newest = {self.newest}, every = {self.every}: expected at least 1 and at least 0; "
                "a run needs its newest checkpoint to resume from."
            )

    def kept(self, windows: Iterable[int], best: int | None) -> set[int]:
        """The windows whose checkpoints stay."""
        ordered = sorted(windows)
        every_nth = {w for w in ordered if self.every and w % self.every == 0}
        best_kept = set() if best is None else {best} & set(ordered)
        return set(ordered[-self.newest :]) | every_nth | best_kept
