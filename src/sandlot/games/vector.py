"""A batch of native worlds over numpy arrays: what trainers, evaluators and recorders use."""

import ctypes as c
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn, Self

import numpy as np

from .. import seeding
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
from .library import EVENT_VALUES, MAX_EVENTS, Buffers, check, load
from .spec import Field, Spec

HEAD = np.dtype(
    [
        ("seed", np.uint64),
        ("step", np.int64),
        ("world", np.int32),
        ("episode", np.int32),
        ("length", np.int32),  # steps of the episode
        ("invalid", np.int32),  # invalid actions of all agents
        ("terminated", np.bool_),
        ("truncated", np.bool_),
    ],
    align=True,
)
MAX_WORLDS, MAX_THREADS = 262_144, 256

# Written by the engine alone: it rewrites only what changed, so nobody else may write there.
OUTPUTS = (
    "observations", "final_observations", "rewards", "terminated", "truncated", "masks", "ticks", "invalid",
)  # fmt: skip


class Episodes(Sequence):
    """Finished episodes, oldest first. Iterate for one mapping per episode, or take `column("return")`."""

    def __init__(self, fields: tuple[Field, ...], heads: np.ndarray, values: np.ndarray):
        self.fields, self.heads, self.values = fields, heads, values

    def __len__(self) -> int:
        return len(self.heads)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, (slice, np.ndarray)):
            return Episodes(self.fields, self.heads[index], self.values[index])
        head = {name: self.heads[index][name].item() for name in HEAD.names or ()}
        return head | named(self.fields, self.values[index])

    @classmethod
    def concatenate(cls, parts: Sequence["Episodes"]) -> "Episodes":
        """Several lists of episodes as one."""
        heads, values = (np.concatenate([getattr(p, name) for p in parts]) for name in ("heads", "values"))
        return cls(parts[0].fields, heads, values)

    def has(self, name: str) -> bool:
        """Whether the game sums something of this name."""
        return any(field.name == name for field in self.fields)

    def column(self, name: str) -> np.ndarray:
        """One named sum of every episode, float32 [episodes] (or [episodes, …] for a field of several)."""
        if name in (HEAD.names or ()):
            return self.heads[name]
        for field in self.fields:
            if field.name == name:
                part = self.values[:, field.slice]
                return part[:, 0] if field.size == 1 else part.reshape(len(part), *field.shape)
        raise UnknownName("episode column", name, [*(HEAD.names or ()), *(f.name for f in self.fields)])


def named(fields: tuple[Field, ...], values: np.ndarray) -> dict[str, Any]:
    """A flat block as a mapping: a float for a single number, an array for several."""
    return {
        f.name: float(values[f.start]) if f.size == 1 else values[f.slice].reshape(f.shape).copy()
        for f in fields
    }


class VectorGame:
    """`worlds` worlds of one game. Arrays are made once and stay where they are; rows = worlds x agents.

    Write `actions`, call `step()`, read the rest. A world that ends is reset within the same step (unless
    autoreset=False): `observations` then show the new episode, `final_observations` the end of the old one.
    """

    restorable = True  # whether its worlds can be saved and put back

    def __init__(
        self,
        game: str,
        worlds: int = 1,
        threads: int = 1,
        seed: int = 0,
        config: Mapping[str, Any] | None = None,
        autoreset: bool = True,
        buffers: Mapping[str, np.ndarray] | None = None,
    ):
        self._handle: int | None = None
        self._describe(Spec(game, config), worlds, threads, seed, autoreset)
        knobs = (c.c_double * len(self.spec.knob_values))(*self.spec.knob_values)
        sizes = (self.worlds, self.threads, int(self.autoreset))
        self._handle = self._library.sl_create(game.encode(), knobs, len(knobs), *sizes)
        if not self._handle:
            check(self._library, -4 if b"memory" in self._library.sl_why() else -2)
        self._bind(buffers or {})
        self._kept: Episodes | None = None  # finished episodes that a copy has taken out of the engine
        self._steps_before = self._dropped_before = 0  # of the batch this one is a copy of

    def _describe(
        self, spec: Spec, worlds: int, threads: int, seed: int, autoreset: bool, most: int = MAX_WORLDS
    ) -> None:
        """Sizes, seed and counters of a batch, wherever its worlds run; most: worlds."""
        self.spec = spec
        self.worlds = check_count("worlds", worlds, most)
        self.threads = check_count("threads", threads, MAX_THREADS)
        self.rows = self.worlds * spec.agents
        self.autoreset = bool(autoreset)
        self._seed, self._resets = seeding.check(seed), 0
        self.steps = 0  # of the batch since it was made; `finished()` counts by it
        self._library = load()

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

    def _bind(self, given: Mapping[str, np.ndarray]) -> None:
        self._make_arrays(given)
        pointers = {name: array.ctypes.data for name, array in self._arrays.items()}
        self._call("bind", c.byref(Buffers(**pointers)))

    def _call(self, name: str, *arguments: Any) -> int:
        """A function of the engine on this batch; a refusal is raised."""
        self._open()
        return check(self._library, getattr(self._library, f"sl_{name}")(self._handle, *arguments))

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
    truncated: np.ndarray  # bool [rows]: we stopped watching
    masks: np.ndarray | None  # uint8 [rows, A]: 1 where an action is legal
    ticks: np.ndarray  # int32 [rows]: how long the last step lasted
    invalid: np.ndarray  # bool [rows]: the last action was none of the game's, or masked

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
        """Check actions and write them into their rows; ids beyond the game's become one that is invalid."""
        target, values = self._actions[rows], np.asarray(values)
        if values.shape != target.shape:
            raise ArrayError(f"actions have shape {values.shape}, expected {target.shape}, a row per agent.")
        if self.spec.discrete:
            if values.dtype.kind not in "iu":
                raise ArrayError(f"actions of {self.spec.game} are whole numbers, not {values.dtype}.")
            if values.dtype != np.int32:  # a narrower type would wrap a large id around to a legal one
                values = np.where((values < 0) | (values >= self.spec.action_count), -1, values)
        else:
            if values.dtype.kind not in "iuf":
                raise ArrayError(f"actions of {self.spec.game} are numbers in -1..1, not {values.dtype}.")
            with np.errstate(over="ignore"):  # too large becomes infinite, and is refused as that
                values = values.astype(np.float32, copy=False)
            self._check_range(values, rows)
        target[...] = values

    def _check_range(self, values: np.ndarray, rows: slice = slice(None)) -> None:
        """Refuse continuous actions that are no numbers in -1..1, naming the first."""
        good = np.abs(values) <= 1.0
        if good.all():
            return
        index, entry = np.argwhere(~good)[0].tolist()
        row, name = range(self.rows)[rows][index], self.spec.action_names[entry]
        place = f"Row {row} asks for {name} = {values[index, entry]}"
        raise ActionError(f"{place}; expected a number in -1..1. Clip it before step().")

    # ------------------------------------------------------------ reset and step

    def reset(self, seed: int | None = None, seeds: Any = None, worlds: Any = None) -> np.ndarray:
        """Begin anew and return the observations.

        seed: one number for all (world 0 plays it, the others its children); seeds: one per world. Neither:
        the seed of `make`, and at later calls a new one derived from it. worlds: only these indices.
        """
        self._open()
        roots, which = self._roots_of(seed, seeds, worlds), self._chosen(worlds)
        self._call("reset", roots.ctypes.data, which.ctypes.data)
        return self.observations

    def next_episode(self, worlds: Any = None) -> np.ndarray:
        """Leave the present episode for the one that would have followed it; returns the observations."""
        self._call("next_episode", self._chosen(worlds).ctypes.data)
        return self.observations

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

    def step(self, actions: Any = None) -> int:
        """Step every world once; returns how many episodes ended. Nothing moves if an action is refused."""
        if actions is not None:
            self.actions = actions
        if self._handle is None:
            self._open()
        result = self._library.sl_step(self._handle)
        if result < 0:
            self._refused(result)
        self.steps += 1
        return result

    def _refused(self, result: int) -> int:
        if result == -6:
            self._check_range(self._actions)
        return check(self._library, result)

    def run(self, actions: np.ndarray) -> int:
        """Play recorded actions, [steps, *actions.shape], in one call; returns how many episodes ended."""
        self._open()
        self._check_recorded(actions)
        result = self._library.sl_run(self._handle, actions.ctypes.data, len(actions))
        if result < 0:
            self._refused(result)
        self.steps += len(actions)
        return result

    def _check_recorded(self, actions: np.ndarray) -> None:
        if not isinstance(actions, np.ndarray) or actions.shape[1:] != self._actions.shape:
            shape = ", ".join(map(str, self._actions.shape))
            raise ArrayError(f"recorded actions must be an array [steps, {shape}].")
        if actions.dtype != self._actions.dtype or not actions.flags.c_contiguous:
            expected, found = self._actions.dtype, actions.dtype
            raise ArrayError(f"recorded actions must be one block of {expected}, not {found}.")
        if not self.spec.discrete and not (np.abs(actions) <= 1.0).all():
            step, row, entry = np.argwhere(~(np.abs(actions) <= 1.0))[0].tolist()
            value = actions[step, row, entry]
            place = f"Recorded step {step}, row {row}: {self.spec.action_names[entry]}"
            raise ActionError(f"{place} = {value}; expected -1..1.")

    def finished(self) -> Episodes:
        """The episodes that ended since the last call, with their sums."""
        waiting = self._call("finished_waiting")
        heads = np.zeros(waiting, HEAD)
        values = np.zeros((waiting, self.spec.json["shape"]["episode"]), np.float32)
        if waiting:
            self._call("finished", heads.ctypes.data, values.ctypes.data, waiting)
        heads["step"] += self._steps_before
        kept, self._kept = self._kept, None
        found = Episodes(self.spec.episode, heads, values)
        return found if kept is None else Episodes.concatenate([kept, found])

    @property
    def finished_dropped(self) -> int:
        """Episodes that were thrown away because nobody fetched them: the oldest go first."""
        return self._call("finished_dropped") + self._dropped_before

    # ------------------------------------------------------------ one world

    def snapshot(self, world: int) -> bytes:
        """All of one world as bytes; `restore` into any world of the same game and settings."""
        state = c.create_string_buffer(self._call("snapshot_size"))
        self._call("snapshot", self._world(world), state)
        return state.raw

    def restore(self, world: int, state: bytes) -> None:
        """Put a snapshot in the place of a world; its observation and mask are written anew."""
        self._open()
        if not isinstance(state, (bytes, bytearray, memoryview)):
            raise ArrayError(f"A snapshot is bytes, not {type(state).__name__}.")
        state = bytes(state)
        self._call("restore", self._world(world), state, len(state))

    def fork(self, source: int, target: int) -> None:
        """Copy one world over another."""
        self.restore(target, self.snapshot(source))

    def hash(self, world: int) -> int:
        """A 64-bit fingerprint of one world's state: equal states, equal numbers, on every machine."""
        out = c.c_uint64()
        self._call("hash", self._world(world), c.byref(out))
        return out.value

    def info(self, world: int = 0) -> dict[str, Any]:
        """The game's named running metrics of one world."""
        return named(self.spec.info, self.block("info", world))

    def render(self, world: int = 0) -> dict[str, Any]:
        """What a page or a film draws of one world, by name."""
        return named(self.spec.render, self.block("render", world))

    def block(self, name: str, world: int = 0) -> np.ndarray:
        """`info` or `render` as it is, float32; the spec's fields of that name say what lies where."""
        out = np.zeros(self.spec.json["shape"][name], np.float32)
        self._call(name, self._world(world), out.ctypes.data)
        return out

    def events(self, world: int = 0) -> list[dict[str, Any]]:
        """What happened in one world's last step: a name and a small payload each."""
        kinds, values = np.zeros(MAX_EVENTS, np.int32), np.zeros((MAX_EVENTS, EVENT_VALUES), np.float32)
        count = self._call("events", self._world(world), kinds.ctypes.data, values.ctypes.data, MAX_EVENTS)
        events = [self.spec.events[kind] for kind in kinds[:count]]
        rows = zip(events, values.tolist(), strict=False)
        return [{"name": e["name"], **dict(zip(e["values"], row, strict=False))} for e, row in rows]

    def _world(self, world: int) -> int:
        whole = isinstance(world, (int, np.integer)) and not isinstance(world, bool)
        if not whole or not 0 <= world < self.worlds:
            raise ArrayError(f"world {world!r} is not in this batch; expected 0..{self.worlds - 1}.")
        return int(world)

    # ------------------------------------------------------------ copies

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, a deep copy and a pickle are the same: a batch of its own that plays on from here."""
        self._open()
        if not self.restorable:
            raise SnapshotError("A batch whose worlds run in another process cannot be copied; make another.")
        config = {"profile": self.spec.profile} | self.spec.config
        made_with = self.spec.game, self.worlds, self.threads, self._seed, config, self.autoreset
        self._kept = self.finished()  # still waiting, from now on in both
        state = {
            "worlds": [self._state_of(world) for world in self],
            "arrays": {name: array.copy() for name, array in self._arrays.items()},
            "_resets": self._resets,
            "steps": self.steps,
            "_steps_before": self.steps,
            "_dropped_before": self.finished_dropped,
            "_kept": self._kept,
        }
        return type(self), made_with, state

    def __setstate__(self, state: dict[str, Any]) -> None:
        for world, saved in enumerate(state.pop("worlds")):
            if saved is not None:
                self.restore(world, saved)
        for name, array in state.pop("arrays").items():
            self._arrays[name][...] = array
        vars(self).update(state)

    def _state_of(self, world: int) -> bytes | None:
        """A snapshot, or None of a world that was never reset."""
        try:
            return self.snapshot(world)
        except NotReset:
            return None

    # ------------------------------------------------------------ life

    def _open(self) -> None:
        if self._handle is None:
            self._closed()

    def _closed(self) -> NoReturn:
        raise Closed("This world is closed. Make a new one with sandlot.make(...).")

    def close(self) -> None:
        """Give the engine's memory back. The arrays stay readable."""
        if self._handle is not None:
            self._library.sl_destroy(self._handle)
            self._handle = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.worlds))

    def __repr__(self) -> str:
        state = "closed" if self._handle is None else f"{self.worlds} worlds, {self.threads} threads"
        return f"VectorGame({self.spec.game}, {state})"


def check_count(name: str, value: Any, most: int) -> int:
    """Return a count as an int, or say what would be one."""
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
