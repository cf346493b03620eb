"""The tags of a replay: reasons to watch it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import ConfigError
from ..spec import EpisodeField

EVERY_WINDOW, EVERY_N, BEST = "every_window", "every_n", "best_so_far"


@dataclass(frozen=True)
class TagRules:
    """When a replay is worth a tag."""

    every: int = 1  # windows between canonical replays; 1: each window has one
    margin: float = 0.0  # by which share of the best return before it a return must exceed that
    returns: tuple[float, ...] = (10, 25, 50)  # milestones of the return, in every game

    def __post_init__(self) -> None:
        if self.every < 1 or self.margin < 0:
            bounds = "expected at least 1 and at least 0"
            raise ConfigError(f"every = {self.every}, margin = {self.margin}: {bounds}.")


def tags_for(
    rules: TagRules,
    window_id: int,
    episode: int,
    return_total: float,
    best_before: float | None,
    fields: Iterable[EpisodeField] = (),
    episode_sums: Mapping[str, Any] | None = None,
) -> list[str]:
    """The tags of one replay. The first window's have no best and no milestones.

    episode: its number within the window's evaluation; the first is the canonical one, whatever its return.
    best_before: the best return of the run so far (`ReplayIndex.best_return`), None for its first replay,
    which has nothing to be better than. fields: those of the game's episodes, which declare its milestones.
    """
    tags = [(EVERY_WINDOW if rules.every == 1 else EVERY_N)] if episode == 0 else []
    if window_id == 0:  # hardly trained, and nothing to be better than
        return tags
    if best_before is not None and return_total > best_before + rules.margin * abs(best_before):
        tags.append(BEST)
    sums = episode_sums or {}
    reached: list[tuple[str, Any, tuple[float, ...]]] = [("return", return_total, rules.returns)]
    reached += [(f.alias or f.name, sums.get(f.name), f.milestones) for f in fields if f.milestones]
    for name, value, thresholds in sorted(reached, key=lambda milestone: milestone[0]):
        tags += [f"milestone:{name}:{_short(t)}" for t in thresholds if value is not None and value >= t]
    return tags


def _short(threshold: Any) -> str:
    """Without trailing zeros: 1, 0.5, 1000."""
    text = f"{float(threshold):.10f}".rstrip("0").rstrip(".")
    return text or "0"
