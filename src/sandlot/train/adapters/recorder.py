"""Records the steps of every world until they are taken; windows are counted from them.

A library may ask for a step that does not count (Gymnasium's next-step reset). Worlds then differ in their
number of steps: `take` gives no more than all of them have, and keeps the rest for the next time.
"""

from dataclasses import dataclass

import numpy as np

from ...runs.windows import StepRecord
from ...worlds import Episodes


@dataclass(frozen=True)
class RecordedSteps:
    """Some steps of every world, and the episodes that ended in them."""

    record: StepRecord
    episodes: Episodes  # heads["step"] counts these steps, from 1


class MetricsRecorder:
    """Steps and finished episodes of a batch of worlds."""

    def __init__(self, worlds: int, roles: int = 1):
        self.worlds, self.roles = worlds, roles
        # steps of the batch, [worlds, …], and which of them count
        self._rows: list[tuple[StepRecord, np.ndarray]] = []
        self._counts = np.zeros(worlds, np.int64)  # recorded steps, by world
        self._episodes: list[Episodes] = []

    def add(self, step: StepRecord, counts: np.ndarray | None = None) -> None:
        """One step of the batch, arrays [worlds, …]. counts: false where it does not count."""
        counts = np.ones(self.worlds, bool) if counts is None else counts
        self._rows.append((step.map(np.array), counts))
        self._counts += counts

    def add_episodes(self, episodes: Episodes) -> None:
        """Episodes that ended in the step that was added last."""
        heads = episodes.heads.copy()
        heads["step"] = self._counts[heads["world"]]
        self._episodes.append(Episodes(episodes.fields, heads, episodes.values))

    @property
    def ready(self) -> int:
        """Steps that every world has."""
        return int(self._counts.min())

    def take(self, none: Episodes, length: int | None = None) -> RecordedSteps:
        """The next `length` steps of every world, or all that are ready. none: no episodes."""
        length = self.ready if length is None else length
        rows = self._rows or [self._blank()]
        steps = StepRecord.join([step for step, _ in rows], np.array)
        counts = np.array([counted for _, counted in rows])
        order = np.argsort(~counts, axis=0, kind="stable")  # the steps of each world that count come first
        steps = steps.map(lambda a: a[order, np.arange(self.worlds)])
        counts = counts[order, np.arange(self.worlds)]
        rest = [i for i in range(length, len(counts)) if counts[i].any()]
        self._rows = [(StepRecord(*(array[i] for array in steps)), counts[i]) for i in rest]
        self._counts -= length
        return RecordedSteps(steps.map(lambda a: a[:length]), self._take_episodes(length, none))

    def _blank(self) -> tuple[StepRecord, np.ndarray]:
        """A step that does not count in any world."""
        ticks, rewards = np.ones(self.worlds, np.int32), np.zeros((self.worlds, self.roles), np.float32)
        return StepRecord(ticks, rewards, np.zeros(self.worlds, bool)), np.zeros(self.worlds, bool)

    def _take_episodes(self, length: int, none: Episodes) -> Episodes:
        ended = Episodes.concatenate([none, *self._episodes])
        now = ended.heads["step"] <= length
        later = ended[~now]
        later.heads["step"] -= length
        self._episodes = [later]
        return ended[now]


def concatenate_worlds(parts: list[RecordedSteps]) -> RecordedSteps:
    """Records of several processes, equally long, as one; worlds are numbered consecutively."""
    episodes, first = [], 0
    for part in parts:
        heads = part.episodes.heads.copy()
        heads["world"] += first
        first += part.record.ticks.shape[1]
        episodes.append(Episodes(part.episodes.fields, heads, part.episodes.values))
    record = StepRecord.join([part.record for part in parts], np.concatenate, axis=1)
    return RecordedSteps(record, Episodes.concatenate(episodes))
