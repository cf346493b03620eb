"""Gymnasium's spaces as fields of an observation and entries of an action.

Observations are flattened as Gymnasium's FlattenObservation does it: Dict and Tuple part after part, Discrete
as one of n. Pictures keep their numbers from 0 to 255 and become height x width x channels.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

MOST_NUMBERS = 1 << 18  # of one observation: a picture of 295 x 295 in colour
SMALLEST_PICTURE = 8  # pixels; smaller uint8 arrays are treated as numbers
MOST_CHANNELS = 16  # of a picture: stacked frames have several
LARGEST_BOUND = 1e30  # larger bounds count as unbounded
UNBOUNDED = 1.0  # the bound of an action whose Box has none


class UnknownSpace(ValueError):
    """An unsupported space; the message names it and what to do."""


# ---------------------------------------------------------------- observations


@dataclass(frozen=True)
class Part:
    """One leaf of an observation space, and where it lies in a row."""

    path: tuple[Any, ...]  # keys and indices that lead to it
    space: Any
    place: slice
    channels_first: bool = False

    def of(self, observation: Any) -> Any:
        """This part of a whole observation."""
        for key in self.path:
            observation = observation[key]
        return observation


class ObservationRows:
    """Writes observations of a space into rows of floats."""

    def __init__(self, space: Any):
        self.fields: list[dict[str, Any]] = []  # as a spec's document has them
        self.parts: list[Part] = []
        self.size = 0
        for path, leaf in _leaves(space, ()):
            self._add(path, leaf)
        if not self.size:
            raise UnknownSpace("its observation is empty; an agent must see something.")
        self._box = space if isinstance(space, spaces.Box) else None  # fast path for the most common space

    def _add(self, path: tuple[Any, ...], leaf: Any) -> None:
        name = "/".join(str(key) for key in path) or "observation"
        field: dict[str, Any] = {"name": name[:128]}
        first = False
        if isinstance(leaf, spaces.Box):
            if np.dtype(leaf.dtype).kind not in "biuf":
                raise UnknownSpace(f"its {_called(path)} holds {leaf.dtype}, expected numbers.")
            picture = _picture_shape(leaf)
            first = picture is not None and picture != _with_channel(leaf.shape)
            field |= {"shape": list(picture or leaf.shape or (1,)), "image": picture is not None}
            field |= _bounds(leaf)
        elif isinstance(leaf, (spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)):
            field |= {"shape": [spaces.flatdim(leaf)], "low": 0.0, "high": 1.0}
        else:
            kind = type(leaf).__name__
            raise UnknownSpace(
                f"its {_called(path)} is a {kind} space, expected Box, Discrete, MultiDiscrete, "
                "MultiBinary, or a Dict or Tuple of them. Wrap the env so that it gives numbers."
            )
        size = int(np.prod(field["shape"], dtype=np.int64))
        if self.size + size > MOST_NUMBERS:
            raise UnknownSpace(
                f"its observation has more than {MOST_NUMBERS:,} numbers ({name}: {size:,}). "
                "Wrap the env, for example with ResizeObservation."
            )
        if size:
            self.fields.append(field)
            self.parts.append(Part(path, leaf, slice(self.size, self.size + size), first))
            self.size += size

    def write(self, observation: Any, row: np.ndarray) -> None:
        """Write one observation into its row, float32 [size]; ValueError where its shape is another."""
        if self._box is not None:
            row[:] = _flat(observation, self._box.shape, self.parts[0].channels_first)
            return
        for part in self.parts:
            value, space = part.of(observation), part.space
            if not isinstance(space, spaces.Box):
                row[part.place] = spaces.flatten(space, value)
                continue
            row[part.place] = _flat(value, space.shape, part.channels_first, part.path)


def _called(path: tuple[Any, ...]) -> str:
    """A part of an observation, as messages name it."""
    return f"observation {'/'.join(map(str, path))}" if path else "observation"


def _flat(value: Any, shape: tuple[int, ...], channels_first: bool, path: tuple[Any, ...] = ()) -> np.ndarray:
    array = np.asarray(value)
    if array.shape != shape:
        raise ValueError(f"its {_called(path)} has the shape {array.shape}, declared is {shape}")
    return (np.moveaxis(array, 0, -1) if channels_first else array).reshape(-1)


def _leaves(space: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The leaf spaces, in the order in which Gymnasium flattens them."""
    if isinstance(space, spaces.Dict):
        for key, inner in space.spaces.items():
            yield from _leaves(inner, (*path, key))
    elif isinstance(space, spaces.Tuple):
        for index, inner in enumerate(space.spaces):
            yield from _leaves(inner, (*path, index))
    else:
        yield path, space


def _with_channel(shape: tuple[int, ...]) -> tuple[int, ...]:
    return shape if len(shape) == 3 else (*shape, 1)


def _picture_shape(box: Any) -> tuple[int, ...] | None:
    """Height, width and channels of a Box of bytes that is a picture, else None."""
    if box.dtype != np.uint8 or len(box.shape) not in (2, 3):
        return None
    shape = _with_channel(box.shape)
    if shape[2] > MOST_CHANNELS and shape[0] <= MOST_CHANNELS:
        shape = (shape[1], shape[2], shape[0])
    fits = min(shape[:2]) >= SMALLEST_PICTURE and shape[2] <= MOST_CHANNELS
    return shape if fits else None


def _bounds(box: Any) -> dict[str, float]:
    """Lowest and highest number of a Box, where it has any."""
    made = {}
    for name, bound in (("low", box.low.min(initial=0)), ("high", box.high.max(initial=0))):
        if np.isfinite(bound) and abs(float(bound)) < LARGEST_BOUND:
            made[name] = float(bound)
    return made


# ---------------------------------------------------------------- actions


class ActionRows:
    """Turns rows of actions into what an env's step() takes."""

    def __init__(self, space: Any):
        self.actions: list[dict[str, Any]] = []  # as a spec's document has them
        self._root = self._node(space, ())
        if not self.actions:
            raise UnknownSpace("its action space leaves nothing to decide.")

    def to_env(self, rows: np.ndarray) -> list[Any]:
        """One action of the env per row. rows: int [rows] of one choice, else float32 [rows, entries]."""
        return self._root(rows[:, None] if rows.ndim == 1 else rows)

    def _node(self, space: Any, path: tuple[Any, ...]) -> Any:
        """A function from rows to one value per row."""
        if isinstance(space, spaces.Dict):
            inner = {key: self._node(one, (*path, key)) for key, one in space.spaces.items()}

            def of_dict(rows: np.ndarray) -> list[Any]:
                columns = [decode(rows) for decode in inner.values()]
                return [dict(zip(inner, values, strict=True)) for values in zip(*columns, strict=True)]

            return of_dict
        if isinstance(space, spaces.Tuple):
            nodes = [self._node(one, (*path, i)) for i, one in enumerate(space.spaces)]
            return lambda rows: list(zip(*(decode(rows) for decode in nodes), strict=True))
        makers = (
            (spaces.Discrete, self._discrete),
            (spaces.MultiDiscrete, self._multi_discrete),
            (spaces.MultiBinary, self._multi_binary),
            (spaces.Box, self._box),
        )
        name = "/".join(str(key) for key in path) or "action"
        for kind, make in makers:
            if isinstance(space, kind):
                return make(space, name)
        raise UnknownSpace(
            f"its {name} is a {type(space).__name__} space, expected Box, Discrete, MultiDiscrete, "
            "MultiBinary, or a Dict or Tuple of them. Wrap the env."
        )

    def _declare(self, name: str, kind: str, **more: Any) -> int:
        """Add an entry; returns its column."""
        self.actions.append({"name": name, "kind": kind, "group": "", "text": "", **more})
        return len(self.actions) - 1

    def _discrete(self, space: Any, name: str) -> Any:
        first, count = int(space.start), int(space.n)
        if count == 1:
            return lambda rows: [first] * len(rows)
        column = self._declare(name, "choice", options=[str(first + i) for i in range(count)])
        return lambda rows: [first + int(value) for value in rows[:, column]]

    def _multi_discrete(self, space: Any, name: str) -> Any:
        counts = space.nvec.reshape(-1)
        start = np.asarray(getattr(space, "start", np.zeros_like(counts))).reshape(-1)
        free = np.flatnonzero(counts > 1)
        columns = [
            self._declare(
                f"{name}_{i}", "choice", options=[str(int(start[i]) + k) for k in range(int(counts[i]))]
            )
            for i in free.tolist()
        ]

        def decode(rows: np.ndarray) -> list[Any]:
            values = np.tile(start.astype(np.int64), (len(rows), 1))
            values[:, free] += rows[:, columns].astype(np.int64)
            return list(values.astype(space.dtype).reshape(-1, *space.nvec.shape))

        return decode

    def _multi_binary(self, space: Any, name: str) -> Any:
        count = int(np.prod(space.shape))
        columns = [self._declare(f"{name}_{i}", "button") for i in range(count)]
        return lambda rows: list((rows[:, columns] > 0).astype(space.dtype).reshape(-1, *space.shape))

    def _box(self, space: Any, name: str) -> Any:
        if space.dtype.kind not in "iuf":
            raise UnknownSpace(f"its {name} holds {space.dtype}, expected numbers.")
        low, high = _reach(space)
        free = np.flatnonzero(low < high)
        single = len(low) == 1
        columns = [
            self._declare(name if single else f"{name}_{i}", "axis", low=float(low[i]), high=float(high[i]))
            for i in free.tolist()
        ]
        middle, half = (high + low) / 2, (high - low) / 2  # float64: exact where bounds are -1 and 1
        whole = space.dtype.kind in "iu"

        def decode(rows: np.ndarray) -> list[Any]:
            values = np.tile(middle, (len(rows), 1))
            values[:, free] += np.clip(rows[:, columns], -1.0, 1.0) * half[free]
            values = np.clip(np.rint(values) if whole else values, low, high).astype(space.dtype)
            return list(values.reshape(-1, *space.shape))

        return decode


def _reach(box: Any) -> tuple[np.ndarray, np.ndarray]:
    """What -1 and 1 of each entry mean: the Box's bounds, else UNBOUNDED from 0, or 2 from its only bound."""
    low, high = (np.asarray(bound, np.float64).reshape(-1).copy() for bound in (box.low, box.high))
    no_low, no_high = (~(np.abs(bound) < LARGEST_BOUND) for bound in (low, high))
    low[no_low & no_high], high[no_low & no_high] = -UNBOUNDED, UNBOUNDED
    low[no_low & ~no_high] = high[no_low & ~no_high] - 2 * UNBOUNDED
    high[no_high & ~no_low] = low[no_high & ~no_low] + 2 * UNBOUNDED
    return low, high
