"""The arrays of a batch, and what does not depend on where its worlds run.

A base for implementations of the World protocol: sizes, arrays, checks of actions, seeds and world numbers.
"""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

import numpy as np

from .. import seeding
from ..closing import Closing
from ..errors import (
    ActionError,
    ArrayError,
    Closed,
    ConfigError,
    NotReset,
    OutOfMemory,
    SnapshotError,
    UnknownName,
)
from ..spec import Spec
from ..spec.spec import named
from .world import HEAD, Capabilities, Episodes

MAX_WORLDS, MAX_THREADS = 262_144, 256

# Only the world writes these: it rewrites only what changed.
OUTPUTS = (
    "observations", "final_observations", "rewards", "terminated", "truncated", "masks", "ticks", "invalid",
)  # fmt: skip


class ArrayWorld(Closing):
    """Sizes, arrays and checks of a batch of worlds."""

    capabilities = Capabilities()

    def _describe(
        self, spec: Spec, worlds: int, threads: int, seed: int, autoreset: bool, most: int = MAX_WORLDS
    ) -> None:
        """Sizes, seed and counters; most: worlds."""
        self.spec = spec
        self.worlds = check_count("worlds", worlds, most)
        self.threads = check_count("threads", threads, MAX_THREADS)
        self.rows = self.worlds * spec.agents
        self.autoreset = bool(autoreset)
        self._seed, self._resets = seeding.check(seed), 0
        self.steps = 0

    # ------------------------------------------------------------ arrays

    def layout(self) -> dict[str, tuple[tuple[int, ...], type]]:
        """Shape and dtype of every array, by name."""
        spec, rows = self.spec, self.rows
        shapes: dict[str, tuple[tuple[int, ...], type]] = {
            "observations": ((rows, spec.observation_size), np.float32),
            "final_observations": ((rows, spec.observation_size), np.float32),
            "actions": ((rows,), np.int32) if spec.discrete else ((rows, spec.action_size), np.float32),
            "rewards": ((rows,), np.float32),
            "terminated": ((rows,), np.uint8),
            "truncated": ((rows,), np.uint8),
            "ticks": ((rows,), np.int32),
            "invalid": ((rows,), np.uint8),
        }
        if spec.masked:
            shapes["masks"] = ((rows, spec.action_count), np.uint8)
        return shapes

    def _make_arrays(self, given: Mapping[str, np.ndarray]) -> None:
        layout = self.layout()
        for name in given:
            if name not in layout:
                raise UnknownName("array", name, layout)
        try:
            own = {n: given[n] if n in given else np.zeros(s, d) for n, (s, d) in layout.items()}
        except MemoryError:
            raise OutOfMemory(f"No memory for the arrays of {self.worlds} worlds; make fewer.") from None
        for name, array in own.items():
            _check_array(name, array, *layout[name])
        for one, other in itertools.combinations(given, 2):
            if np.may_share_memory(given[one], given[other]):  # exact here, as neither has gaps
                raise ArrayError(f"{one} and {other} overlap in memory; give each its own.")
        self._arrays = own  # kept alive as long as the engine points at them
        self._actions = own["actions"]
        for name in OUTPUTS:
            view = own[name].view() if name in own else None
            if view is not None:
                if view.dtype == np.uint8 and name != "masks":
                    view = view.view(np.bool_)
                view.flags.writeable = False
            setattr(self, name, view)

    observations: np.ndarray  # float32 [rows, D]
    final_observations: np.ndarray  # float32 [rows, D]; of rows that ended in this step
    rewards: np.ndarray  # float32 [rows]
    terminated: np.ndarray  # bool [rows]: the game ended
    truncated: np.ndarray  # bool [rows]: cut off, for example by a time limit
    masks: np.ndarray | None  # uint8 [rows, A]: 1 where an action is legal
    ticks: np.ndarray  # int32 [rows]: how long the last step lasted
    invalid: np.ndarray  # bool [rows]: the last action does not exist, or is masked

    def shared(self, name: str) -> np.ndarray:
        """The array itself, for libraries that insist on writable memory. Do not write into outputs."""
        if name not in self._arrays:
            raise UnknownName("array", name, self._arrays)
        return self._arrays[name]

    @property
    def actions(self) -> np.ndarray:
        """Write here before `step()`: int32 [rows] or float32 [rows, size]."""
        return self._actions

    @actions.setter
    def actions(self, values: Any) -> None:
        self.put(values)

    def put(self, values: Any, rows: slice = slice(None)) -> None:
        """Check actions and write them into their rows; ids that do not exist become an invalid one."""
        target = self._actions[rows]
        target[...] = self._checked(values, rows, target.shape)

    def _checked(self, values: Any, rows: slice, shape: tuple[int, ...]) -> np.ndarray:
        """Actions for these rows as the engine takes them; an error for wrong ones."""
        values = np.asarray(values)
        if self.spec.document.role_actions and values.ndim == 2 and len(values) == shape[0]:
            missing = max(0, shape[1] - values.shape[1])  # of a role with fewer entries than others
            values = np.pad(values, ((0, 0), (0, missing)))
        if values.shape != shape:
            raise ArrayError(f"actions have shape {values.shape}, expected {shape}, one row per agent.")
        if self.spec.discrete:
            if values.dtype.kind not in "iu":
                raise ArrayError(f"actions of {self.spec.game} are whole numbers, not {values.dtype}.")
            if values.dtype != np.int32:  # a narrower type would wrap a large id around to a legal one
                values = np.where((values < 0) | (values >= self.spec.action_count), -1, values)
            values = values.astype(np.int32, copy=False)
        else:
            if values.dtype.kind not in "iuf":
                raise ArrayError(f"actions of {self.spec.game} are numbers in -1..1, not {values.dtype}.")
            with np.errstate(over="ignore"):  # too large becomes infinite, and is refused as that
                values = values.astype(np.float32, copy=False)
            self._check_range(values, rows)
        return values

    def _check_range(self, values: np.ndarray, rows: slice = slice(None)) -> None:
        """Refuse actions outside their bounds, naming the first."""
        low, high = self.spec.action_bounds
        good = (values >= low) & (values <= high)
        if good.all():
            return
        index, entry = np.argwhere(~good)[0].tolist()
        row, name = range(self.rows)[rows][index], self.spec.action_names[entry]
        place = f"Row {row} asks for {name} = {values[index, entry]}"
        raise ActionError(f"{place}; expected {self._bounds_text(entry)}. Clip it before step().")

    def _bounds_text(self, entry: int) -> str:
        low, high = (bound[entry] for bound in self.spec.action_bounds)
        return f"a number in {low:g}..{high:g}"

    def act(self, rows: Any, actions: np.ndarray) -> None:
        """Write a policy's actions into its rows, unchecked: as wide as its role's action."""
        target = self._actions
        if actions.ndim == target.ndim and (target.ndim == 1 or actions.shape[1] == target.shape[1]):
            target[rows] = actions
        else:  # of a role with fewer entries than others, or with one choice
            own = actions.reshape(len(actions), -1)
            target[rows, : own.shape[1]] = own

    # ------------------------------------------------------------ seeds and world numbers

    def _chosen(self, worlds: Any) -> np.ndarray:
        """One byte per world: 1 for those named, or for all."""
        which = np.zeros(self.worlds, np.uint8)
        which[slice(None) if worlds is None else self._indices(worlds)] = 1
        return which

    def _roots_of(self, seed: Any, seeds: Any, worlds: Any) -> np.ndarray:
        if seed is not None and seeds is not None:
            raise ConfigError("Give reset() one seed or one seed per world, not both.")
        if seeds is None:
            if seed is None:
                seed = seeding.for_episode(self._seed, self._resets)
            self._resets += 1
            return seeding.for_worlds(seeding.check(seed), self.worlds)
        targets = np.arange(self.worlds) if worlds is None else self._indices(worlds)
        values = [seeding.check(s) for s in np.asarray(seeds, dtype=object).reshape(-1)]
        if len(values) != len(targets):
            raise ArrayError(f"{len(values)} seeds for {len(targets)} worlds; give one seed per world.")
        roots = np.zeros(self.worlds, np.uint64)
        roots[targets] = np.array(values, np.uint64)
        return roots

    def _indices(self, worlds: Any) -> np.ndarray:
        indices = np.atleast_1d(np.asarray(worlds))
        if indices.dtype.kind not in "iu" or indices.ndim != 1:
            raise ArrayError(f"worlds must be whole numbers from 0 to {self.worlds - 1}, not {worlds!r}.")
        if indices.size and not (indices.min() >= 0 and indices.max() < self.worlds):
            raise ArrayError(f"worlds must lie in 0..{self.worlds - 1}: {indices.min()}..{indices.max()}.")
        if len(np.unique(indices)) != len(indices):
            raise ArrayError(f"worlds names one twice: {indices.tolist()}; name each once.")
        return indices

    def _check_recorded(self, actions: np.ndarray) -> None:
        if not isinstance(actions, np.ndarray) or actions.shape[1:] != self._actions.shape:
            shape = ", ".join(map(str, self._actions.shape))
            raise ArrayError(f"recorded actions must be an array [steps, {shape}].")
        if actions.dtype != self._actions.dtype or not actions.flags.c_contiguous:
            expected, found = self._actions.dtype, actions.dtype
            raise ArrayError(f"recorded actions must be one block of {expected}, not {found}.")
        if self.spec.discrete:
            return
        low, high = self.spec.action_bounds
        good = (actions >= low) & (actions <= high)
        if not good.all():
            step, row, entry = np.argwhere(~good)[0].tolist()
            value = actions[step, row, entry]
            place = f"Recorded step {step}, row {row}: {self.spec.action_names[entry]}"
            raise ActionError(f"{place} = {value}; expected {self._bounds_text(entry)}.")

    # ------------------------------------------------------------ one world

    def snapshot(self, world: int) -> bytes:
        """The state of one world as bytes, if the engine can save it."""
        self._cannot_save()

    def restore(self, world: int, state: bytes) -> None:
        """Restore a world from a snapshot, if the engine can save worlds."""
        self._cannot_save()

    def _cannot_save(self) -> NoReturn:
        raise SnapshotError(
            f"A world of {self.spec.game} cannot be saved or restored: it runs in another engine. "
            "Use native worlds for snapshots, or reset(seed) to repeat an episode."
        )

    def block(self, name: str, world: int = 0) -> np.ndarray:
        """`info` or `render` as it is, float32; empty where the game has none."""
        return np.zeros(getattr(self.spec.shape, name), np.float32)

    def info(self, world: int = 0) -> dict[str, Any]:
        """The game's named running metrics of one world."""
        return named(self.spec.info, self.block("info", world))

    def render(self, world: int = 0) -> dict[str, Any]:
        """The render state of one world, by name."""
        return named(self.spec.render, self.block("render", world))

    def events(self, world: int = 0) -> list[dict[str, Any]]:
        """What happened in one world's last step: a name and a small payload each."""
        return []

    def _world(self, world: int) -> int:
        whole = isinstance(world, (int, np.integer)) and not isinstance(world, bool)
        if not whole or not 0 <= world < self.worlds:
            raise ArrayError(f"world {world!r} is not in this batch; expected 0..{self.worlds - 1}.")
        return int(world)

    # ------------------------------------------------------------ life

    @property
    def engine_pids(self) -> tuple[int, ...]:
        """Processes that run the worlds, where it is not this one."""
        return ()

    def _closed(self) -> NoReturn:
        raise Closed("This world is closed. Make a new one with sandlot.make(...).")

    def __del__(self) -> None:
        self.close()

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.worlds))


class EpisodeLog:
    """Counts episodes for worlds that do not count their own; keeps finished ones until fetched."""

    MOST_FINISHED = 65_536  # finished episodes that are kept; the oldest are dropped first

    def __init__(self, spec: Spec, worlds: int):
        self._fields, self._width = spec.episode, spec.shape.episode
        self._roots = np.zeros(worlds, np.uint64)
        self._episode = np.full(worlds, -1, np.int64)  # -1: never reset; counts from 0
        self._over = np.zeros(worlds, bool)  # ended, and autoreset is off
        self._length = np.zeros(worlds, np.int64)  # steps of the episode in progress
        self._invalid = np.zeros(worlds, np.int64)  # and its invalid actions
        self._finished: list[tuple[tuple[Any, ...], np.ndarray]] = []
        self.dropped = 0

    def begin(self, worlds: np.ndarray, roots: np.ndarray) -> None:
        """These worlds were reset with these seeds."""
        self._roots[worlds], self._episode[worlds], self._over[worlds] = roots, 0, False
        self._length[worlds] = self._invalid[worlds] = 0

    def check_ready(self) -> None:
        """NotReset where a world cannot be stepped."""
        for worlds, why in ((self._episode < 0, "was never reset"), (self._over, "has ended")):
            if worlds.any():
                raise NotReset(f"World {int(np.argmax(worlds))} {why}. Call reset() first.")

    def started(self, worlds: np.ndarray) -> bool:
        """Whether all of these worlds were reset at least once."""
        return bool((self._episode[worlds] >= 0).all())

    def count(self, invalid: np.ndarray | None) -> None:
        """One step of every world; invalid: actions that were refused, [worlds]."""
        self._length += 1
        if invalid is not None:
            self._invalid += invalid

    def length(self, world: int) -> int:
        """Steps of the episode in progress."""
        return int(self._length[world])

    def next_seed(self, world: int) -> int:
        """The seed of the next episode of a world."""
        return seeding.for_episode(int(self._roots[world]), int(self._episode[world]) + 1)

    @property
    def seeds(self) -> np.ndarray:
        """The seed of each world's current episode, uint64 [worlds]."""
        pairs = zip(self._roots, self._episode, strict=True)
        return np.array([seeding.for_episode(int(root), int(episode)) for root, episode in pairs], np.uint64)

    def continue_as(self, seeds: np.ndarray) -> None:
        """The current episodes are those of a reset with these seeds, counted from 0."""
        self._roots[:], self._episode[:] = seeds, 0

    def skip(self, world: int) -> None:
        """The current episode was skipped; it is not counted as finished."""
        self._episode[world] += 1
        self._length[world] = self._invalid[world] = 0
        self._over[world] = False

    def end(
        self, world: int, step: int, terminated: bool, truncated: bool, sums: np.ndarray, autoreset: bool
    ) -> None:
        """An episode ended; sums: the numbers of the spec's episode block."""
        episode = int(self._episode[world])
        seed = seeding.for_episode(int(self._roots[world]), episode)
        counts = int(self._length[world]), int(self._invalid[world])
        self._finished.append(((seed, step, world, episode, *counts, terminated, truncated), sums.copy()))
        if len(self._finished) > self.MOST_FINISHED:
            self._finished.pop(0)
            self.dropped += 1
        self._length[world] = self._invalid[world] = 0
        self._episode[world] += 1
        self._over[world] = not autoreset

    def fetch(self) -> Episodes:
        """The finished episodes, once."""
        heads = np.zeros(len(self._finished), HEAD)
        values = np.zeros((len(self._finished), self._width), np.float32)
        for i, (head, sums) in enumerate(self._finished):
            heads[i], values[i] = head, sums
        self._finished.clear()
        return Episodes(self._fields, heads, values)


class LoggedWorld(ArrayWorld):
    """A batch whose engine does not count episodes; `_log` does."""

    _log: EpisodeLog

    def step(self, actions: Any = None) -> int:
        """Step every world once; returns how many episodes ended."""
        raise NotImplementedError

    def run(self, actions: np.ndarray) -> int:
        """Play recorded actions, [steps, rows, …]; returns how many episodes ended."""
        self._open()
        self._check_recorded(actions)
        return sum(self.step(one) for one in actions)

    def _open(self) -> None:
        """Raise Closed."""
        raise NotImplementedError

    def finished(self) -> Episodes:
        """Episodes that ended since the last call."""
        return self._log.fetch()

    @property
    def finished_dropped(self) -> int:
        """Finished episodes that were dropped because they were not fetched."""
        return self._log.dropped


def check_count(name: str, value: Any, most: int) -> int:
    """A valid count as an int; ConfigError for any other value."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not 1 <= value <= most:
        raise ConfigError(f"{name} = {value!r}: expected a whole number from 1 to {most}.")
    return int(value)


def _check_array(name: str, array: Any, shape: tuple[int, ...], dtype: type) -> None:
    if not isinstance(array, np.ndarray):
        raise ArrayError(f"{name} must be a numpy array, not {type(array).__name__}.")
    bytes_alike = dtype is np.uint8 and array.dtype == np.bool_
    if array.shape != shape or (array.dtype != dtype and not bytes_alike):
        raise ArrayError(f"{name} is {array.dtype} {array.shape}, expected {np.dtype(dtype)} {shape}.")
    if not array.flags.c_contiguous or not array.flags.aligned:
        raise ArrayError(
            f"{name} has gaps between its rows (strides {array.strides}); expected one block. "
            "Use np.ascontiguousarray."
        )
    if not array.flags.writeable:
        raise ArrayError(f"{name} is read-only; the engine needs to write into it. Pass a copy.")
