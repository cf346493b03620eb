"""A scripted player as a teacher: on the states the learner itself reaches, it says what it would do."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ..errors import ConfigError
from ..games import Spec, bot
from .config import TeacherConfig


class Teaching:
    def __init__(self, spec: Spec, config: TeacherConfig, threads: int):
        if not spec.discrete:
            raise ConfigError(
                f"teacher.bot = {config.bot!r}: teachers need a discrete game; {spec.game} is continuous."
            )
        self.config = config
        self.bot = bot(
            spec.game, config.bot, config={"profile": spec.profile, **spec.config}, threads=threads
        )
        self._memory: np.ndarray | None = None

    def weight(self, progress: float) -> float:
        """Of imitation: fades in a straight line and is gone at `until`."""
        return (
            max(0.0, self.config.weight * (1.0 - progress / self.config.until))
            if self.config.until > 0
            else 0.0
        )

    def says(self, observations: np.ndarray, masks: np.ndarray | None) -> torch.Tensor:
        actions, self._memory = self.bot.act(observations, masks, self._memory)
        return torch.from_numpy(actions)

    def restart(self, ended: np.ndarray) -> None:
        if self._memory is not None:
            self.bot.restart(self._memory, ended)

    def state(self) -> dict[str, Any]:
        memory = None if self._memory is None else torch.from_numpy(self._memory.view(np.uint8).copy())
        return {"memory": memory}

    def load(self, told: dict[str, Any]) -> None:
        self._memory = None if told["memory"] is None else told["memory"].numpy().copy().view(np.float32)
