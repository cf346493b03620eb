"""When a stage is done: its metric has reached its threshold in enough consecutive windows."""

from collections.abc import Sequence
from typing import Any

from ...errors import UnknownName
from ...runs.records import WindowRow
from ..config import Stage


class CurriculumScheduler:
    """Decides from closed windows when the next stage begins. Without stages it never advances."""

    def __init__(self, stages: Sequence[Stage]):
        self.stages = tuple(stages)
        self.stage = 0
        self.good_windows = 0  # consecutive ones that reached the threshold

    def advance(self, rows: Sequence[WindowRow]) -> bool:
        """Look at the windows just closed; True when the next stage begins."""
        for row in rows:
            if self.stage >= len(self.stages) - 1:
                return False
            self.good_windows = self.good_windows + 1 if self._reached(row) else 0
            if self.good_windows >= self.stages[self.stage].consecutive_windows:
                self.stage, self.good_windows = self.stage + 1, 0
                return True
        return False

    def _reached(self, row: WindowRow) -> bool:
        stage = self.stages[self.stage]
        columns: dict[str, Any] = row.to_json()
        if stage.metric not in columns:
            raise UnknownName(f"metric for stage {stage.name}: window column", stage.metric, columns)
        value = columns[stage.metric]
        return value is not None and value >= stage.threshold

    def state(self) -> dict[str, int]:
        """The state that a resumed run continues from."""
        return {"stage": self.stage, "good_windows": self.good_windows}

    def load(self, state: dict[str, int]) -> None:
        """Continue from what `state` gave."""
        self.stage, self.good_windows = state["stage"], state["good_windows"]
