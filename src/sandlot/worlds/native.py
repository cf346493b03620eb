"""A batch of native worlds over numpy arrays: the C engine through ctypes."""

import ctypes as c
import functools
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import ArrayError, NotReset, UnknownName
from ..spec import Document, Spec
from ..spec.settings import resolve
from .arrays import ArrayWorld
from .library import EVENT_VALUES, MAX_EVENTS, Buffers, check, load
from .world import HEAD, Capabilities, Episodes


def games() -> list[str]:
    """The names of the games in this engine."""
    library = load()
    return [library.sl_game_name(i).decode() for i in range(library.sl_game_count())]


def native_spec(game: str, config: Mapping[str, Any] | None = None) -> Spec:
    """The spec of a native game with these settings, from the engine."""
    if not isinstance(game, str):
        raise UnknownName("game", game, games())
    profile, values = resolve(_document(game, None)[0], config or {})
    document, description = _document(game, tuple(values))
    knobs = zip(document.knobs, values, strict=True)
    return Spec(document, description, {"profile": profile} | {k.name: k.value(v) for k, v in knobs})


@functools.lru_cache(maxsize=256)  # a server opens hundreds of worlds under the same settings
def _document(game: str, values: tuple[float, ...] | None) -> tuple[Document, dict[str, Any]]:
    """The engine's description of a game, parsed and raw. None: default settings."""
    if game not in games():
        raise UnknownName("game", game, games())
    library = load()
    knobs = None if values is None else (c.c_double * len(values))(*values)
    count = 0 if values is None else len(values)
    room = check(library, library.sl_describe(game.encode(), knobs, count, None, 0))
    text = c.create_string_buffer(room)
    check(library, library.sl_describe(game.encode(), knobs, count, text, room))
    description = json.loads(text.raw[:room])
    return Document.parse(description, f"The engine's description of {game}"), description


class NativeWorld(ArrayWorld):
    """`worlds` worlds of one game in the C engine."""

    capabilities = Capabilities()

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
        self._library = load()
        self._describe(native_spec(game, config), worlds, threads, seed, autoreset)
        knobs = (c.c_double * len(self.spec.knob_values))(*self.spec.knob_values)
        sizes = (self.worlds, self.threads, int(self.autoreset))
        self._handle = self._library.sl_create(game.encode(), knobs, len(knobs), *sizes)
        if not self._handle:
            check(self._library, -4 if b"memory" in self._library.sl_why() else -2)
        self._bind(buffers or {})
        self._kept: Episodes | None = None  # finished episodes that a copy has taken out of the engine
        self._steps_before = self._dropped_before = 0  # of the batch this one is a copy of

    def _bind(self, given: Mapping[str, np.ndarray]) -> None:
        self._make_arrays(given)
        pointers = {name: array.ctypes.data for name, array in self._arrays.items()}
        self._call("bind", c.byref(Buffers(**pointers)))

    def _call(self, name: str, *arguments: Any) -> int:
        """A function of the engine on this batch; a refusal is raised."""
        self._open()
        return check(self._library, getattr(self._library, f"sl_{name}")(self._handle, *arguments))

    # ------------------------------------------------------------ reset and step

    def reset(self, seed: int | None = None, seeds: Any = None, worlds: Any = None) -> np.ndarray:
        """Begin new episodes and return the observations.

        seed: one number for all (world 0 plays it, the others its children); seeds: one per world. Neither:
        the seed of `make`, and at later calls a new one derived from it. worlds: only these indices.
        """
        self._open()
        roots, which = self._roots_of(seed, seeds, worlds), self._chosen(worlds)
        self._call("reset", roots.ctypes.data, which.ctypes.data)
        return self.observations

    def next_episode(self, worlds: Any = None) -> np.ndarray:
        """Skip to the next episode; returns the observations."""
        self._call("next_episode", self._chosen(worlds).ctypes.data)
        return self.observations

    def step(self, actions: Any = None) -> int:
        """Step every world once; returns how many episodes ended. A refused action changes nothing."""
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

    def finished(self) -> Episodes:
        """The episodes that ended since the last call, with their sums."""
        waiting = self._call("finished_waiting")
        heads = np.zeros(waiting, HEAD)
        values = np.zeros((waiting, self.spec.shape.episode), np.float32)
        if waiting:
            self._call("finished", heads.ctypes.data, values.ctypes.data, waiting)
        heads["step"] += self._steps_before
        kept, self._kept = self._kept, None
        found = Episodes(self.spec.episode, heads, values)
        return found if kept is None else Episodes.concatenate([kept, found])

    @property
    def finished_dropped(self) -> int:
        """Episodes that were dropped because they were not fetched, the oldest first."""
        return self._call("finished_dropped") + self._dropped_before

    # ------------------------------------------------------------ one world

    def snapshot(self, world: int) -> bytes:
        """The state of one world as bytes; `restore` it into any world of the same game and settings."""
        state = c.create_string_buffer(self._call("snapshot_size"))
        self._call("snapshot", self._world(world), state)
        return state.raw

    def restore(self, world: int, state: bytes) -> None:
        """Restore a world from a snapshot, with its observation and mask."""
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

    def block(self, name: str, world: int = 0) -> np.ndarray:
        """`info` or `render` as it is, float32; the spec's fields of that name say what lies where."""
        out = np.zeros(getattr(self.spec.shape, name), np.float32)
        self._call(name, self._world(world), out.ctypes.data)
        return out

    def events(self, world: int = 0) -> list[dict[str, Any]]:
        """What happened in one world's last step: a name and a small payload each."""
        kinds, values = np.zeros(MAX_EVENTS, np.int32), np.zeros((MAX_EVENTS, EVENT_VALUES), np.float32)
        count = self._call("events", self._world(world), kinds.ctypes.data, values.ctypes.data, MAX_EVENTS)
        events = [self.spec.events[kind] for kind in kinds[:count]]
        rows = zip(events, values.tolist(), strict=False)
        return [{"name": e["name"], **dict(zip(e["values"], row, strict=False))} for e, row in rows]

    # ------------------------------------------------------------ copies

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, a deep copy and a pickle are the same: a batch of its own that plays on from here."""
        self._open()
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

    def close(self) -> None:
        """Free the engine's memory. The arrays stay readable."""
        if getattr(self, "_handle", None) is not None:
            self._library.sl_destroy(self._handle)
            self._handle = None

    def __repr__(self) -> str:
        state = "closed" if self._handle is None else f"{self.worlds} worlds, {self.threads} threads"
        return f"NativeWorld({self.spec.game}, {state})"
