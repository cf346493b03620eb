"""A bot as a policy: observations in, actions out, with a small state per row."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ... import seeding
from ...errors import ArrayError, ConfigError, UnknownName
from ...worlds import NativeWorld
from ...worlds.library import check


class Bot:
    """One bot by name, at its top level by default. It gets observations and masks as a policy does.

    level: 1 to the bot's number of levels in `spec.bots`.
    """

    def __init__(
        self,
        game: str,
        name: str,
        level: int | None = None,
        config: Mapping[str, Any] | None = None,
        seed: int = 0,
        threads: int = 1,
    ):
        self._rules = NativeWorld(game, threads, threads, config=config)  # never stepped
        self.spec = self._rules.spec
        if name not in self.spec.bots:
            raise UnknownName(f"bot of {game}", name, self.spec.bots)
        levels = self.spec.bots[name]["levels"]
        self.game, self.name, self.level = game, name, levels if level is None else level
        if not isinstance(self.level, int) or isinstance(self.level, bool) or not 1 <= self.level <= levels:
            raise ConfigError(f"level = {level!r}: {name} has levels 1 to {levels}.")
        self._index = list(self.spec.bots).index(name)
        self._seed = seeding.check(seed)
        role = self.spec.bots[name]["role"]
        own = self.spec.for_role(role) if role in self.spec.roles else self.spec
        self._seen = own.observation_size  # numbers that its role sees
        self._width = self._rules._library.sl_bot_memory()

    def start(self, rows: int, seed: int | None = None) -> np.ndarray:
        """A new state for so many rows, float32 [rows, width]; each row has its own random stream.

        seed: for this state; None for the bot's own.
        """
        seed = self._seed if seed is None else seeding.check(seed)
        memory = np.zeros((rows, self._width), np.float32)
        check(self._rules._library, self._rules._library.sl_bot_start(seed, memory.ctypes.data, rows))
        return memory

    def restart(self, state: np.ndarray, ended: np.ndarray) -> None:
        """Clear the state of rows whose episode ended; their random streams continue."""
        state[np.asarray(ended, bool), 2:] = 0.0

    def act(
        self, observations: np.ndarray, masks: np.ndarray | None = None, state: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Actions for every row, and the state to pass to the next call (updated in place)."""
        spec = self.spec
        observations = np.ascontiguousarray(observations, np.float32)
        if observations.ndim == 2 and observations.shape[1] == self._seen < spec.observation_size:
            padding = ((0, 0), (0, spec.observation_size - self._seen))
            observations = np.pad(
                observations, padding
            )  # the engine's rows are as long as the longest role's
        if observations.ndim != 2 or observations.shape[1] != spec.observation_size:
            expected = f"[rows, {spec.observation_size}]"
            raise ArrayError(f"observations are {observations.shape}, expected {expected}.")
        rows = len(observations)
        if spec.masked:
            if masks is None or np.shape(masks) != (rows, spec.action_count):
                raise ArrayError(f"{self.name} needs masks of shape ({rows}, {spec.action_count}).")
            masks = np.ascontiguousarray(masks, np.uint8)
        state = self.start(rows) if state is None else state
        shape = (rows, self._width)
        fits = isinstance(state, np.ndarray) and state.shape == shape and state.dtype == np.float32
        if not fits or not state.flags.c_contiguous or not state.flags.writeable:
            raise ArrayError(f"state must be float32 {(rows, self._width)} as start({rows}) makes it.")
        action_shape = (rows,) if spec.discrete else (rows, spec.action_size)
        actions = np.zeros(action_shape, np.int32 if spec.discrete else np.float32)
        arrays = (observations, masks, state, actions)
        pointers = [None if array is None else array.ctypes.data for array in arrays]
        self._rules._call("bot_act", self._index, self.level, *pointers, rows)
        return actions, state

    def __repr__(self) -> str:
        return f"Bot({self.game} {self.name}, level {self.level})"


bot = Bot  # lower case like sandlot.make: sandlot.bot("tag", "chase")
