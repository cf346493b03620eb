"""When a lesson is learned: its measure has reached its threshold in enough windows in a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import UnknownName
from ...runs.records import WindowRow
from ..config import Stage


class Teacher:
    def __init__(self, stages: Sequence[Stage]):
        self.stages = tuple(stages)
        self.stage = 0
        self.good = 0  # windows in a row that reached the threshold

    def moves_on(self, rows: Sequence[WindowRow]) -> bool:
        """Look at the windows just closed; True when the next stage begins."""
        for row in rows:
            if self.stage >= len(self.stages) - 1:
                return False
            self.good = self.good + 1 if self._reached(row) else 0
            if self.good >= self.stages[self.stage].windows:
                self.stage, self.good = self.stage + 1, 0
                return True
        return False

    def _reached(self, row: WindowRow) -> bool:
        stage = self.stages[self.stage]
        told: dict[str, Any] = row.to_json()
        if stage.measure not in told:
            raise UnknownName(f"measure for stage {stage.name}: window column", stage.measure, told)
        value = told[stage.measure]
        return value is not None and value >= stage.at_least

    def state(self) -> dict[str, int]:
        return {"stage": self.stage, "good": self.good}

    def load(self, state: dict[str, int]) -> None:
        self.stage, self.good = state["stage"], state["good"]
