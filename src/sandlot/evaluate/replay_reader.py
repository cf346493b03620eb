"""Read the frames of a replay, and open the world it was recorded in.

`open_replay` returns a `ReplayReader`: a native replay is simulated again from its seed and actions, one that
was played in Godot is read from the frames kept in its file. Values become JSON here, by name.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..closing import Closing
from ..errors import ConfigError, SpecMismatch
from ..runs import Frame, Replay
from ..runs.stored_frames import BLOCKS, StoredFrames
from ..spec import Field, Spec
from ..worlds import NativeWorld, World, load_spec


def open_world(replay: Replay) -> World:
    """A world at the start of the replay; SpecMismatch if this engine cannot play it."""
    _check_version(replay)
    header = replay.header
    if not header.replayable:
        raise SpecMismatch(
            f"{header.replay_id} was played in {header.played_in.capitalize()}, whose physics cannot be "
            "played again. Read the frames that its file holds instead."
        )
    world = NativeWorld(header.game, worlds=1, config=header.config, autoreset=False)
    world.reset(header.seed)
    return world


def replay_spec(replay: Replay) -> Spec:
    """The spec of a replay's frames; SpecMismatch if this engine has another layout."""
    _check_version(replay)
    spec = _own_spec(replay) or load_spec(replay.header.game, replay.header.config)
    widths = {"observations": len(kept_entries(spec)) * spec.agents}
    widths |= {name: getattr(spec.shape, name) for name in ("info", "render")}
    blocks = {} if replay.frames is None else replay.frames.blocks
    if spec.agents != len(replay.header.agents) or any(
        block.levels.shape[1] != widths[name] for name, block in blocks.items()
    ):
        raise SpecMismatch(
            f"{replay.header.replay_id} holds frames of another layout than {spec.game} {spec.version} has. "
            "Use the engine that recorded it."
        )
    return spec


def _own_spec(replay: Replay) -> Spec | None:
    """The spec stored in a replay, for games that would have to be opened to be described."""
    stored = replay.header.spec
    return None if stored is None else Spec.restored(stored, f"The spec in {replay.header.replay_id}")


def kept_entries(spec: Spec) -> np.ndarray:
    """Entries of an observation that a replay keeps: all but pictures, which are too large."""
    kept = np.ones(spec.observation_size, bool)
    for field in spec.observation:
        kept[field.slice] = not field.image
    return np.flatnonzero(kept)


def _check_version(replay: Replay) -> None:
    """The game's version decides, not the spec's hash: adding a setting changes no old episode."""
    header = replay.header
    own = _own_spec(replay)
    version = load_spec(header.game).version if own is None else own.version
    if version != header.game_version:
        raise SpecMismatch(
            f"{header.replay_id} was recorded on {header.game} version {header.game_version}, this engine "
            f"has version {version}: the same actions give another episode. Use the engine that recorded it."
        )


# ---------------------------------------------------------------- frames


@dataclass(frozen=True)
class FramePage:
    """Some frames of a replay, and where the next ones begin."""

    offset: int
    frames: list[Frame]
    has_more: bool

    @property
    def next_offset(self) -> int:
        """Where the next page begins."""
        return self.offset + len(self.frames)


class ReplayReader(Closing, ABC):
    """Reads the frames of a replay page by page. Use it with `with`."""

    def __init__(self, replay: Replay):
        self.replay = replay

    @abstractmethod
    def initial_state(self) -> dict[str, Any]:
        """The render state before the first step."""

    def page(self, offset: int = 0, limit: int = 256, info: bool = False) -> FramePage:
        """Frames from offset up to offset + limit. info: with the game's running metrics."""
        if offset < 0 or limit < 1:
            raise ConfigError(f"offset = {offset}, limit = {limit}: expected at least 0 and at least 1.")
        total = self.replay.end.steps
        frames = self._frames(min(offset, total), min(limit, max(0, total - offset)), info)
        return FramePage(offset, frames, has_more=offset + len(frames) < total)

    @abstractmethod
    def _frames(self, offset: int, count: int, info: bool) -> list[Frame]: ...


def open_replay(replay: Replay) -> ReplayReader:
    """A reader for this replay; SpecMismatch if this engine cannot show it."""
    return _SimulatedReader(replay) if replay.frames is None else _StoredReader(replay, replay.frames)


class _SimulatedReader(ReplayReader):
    """Simulates a replay again. Reading forward is cheap; reading backward starts from the seed again."""

    def __init__(self, replay: Replay):
        super().__init__(replay)
        self._world = open_world(replay)
        self._steps = self._ticks = 0
        self._hashes = dict(replay.hashes)
        self._check_hash()

    def _check_hash(self) -> None:
        """Refuse to show a state that differs from the recorded hash of this step, if there is one."""
        if self._hashes.get(self._steps, self._world.hash(0)) != self._world.hash(0):
            place = f"after {self._steps} steps is" if self._steps else "begins"
            raise SpecMismatch(
                f"{self.replay.header.replay_id} {place} in another state than when it was recorded. "
                "Use the engine that recorded it."
            )

    def initial_state(self) -> dict[str, Any]:
        self._rewind()
        return render_state(self._world)

    def _frames(self, offset: int, count: int, info: bool) -> list[Frame]:
        if offset < self._steps:
            self._rewind()
        while self._steps < offset:
            self._step()
        frames = [self._frame(info) for _ in range(count)]
        self._check_hash()
        return frames

    def _rewind(self) -> None:
        self._world.reset(self.replay.header.seed)
        self._steps = self._ticks = 0

    def _step(self) -> None:
        self._world.actions[...] = self.replay.actions[self._steps]
        self._world.step()
        self._steps += 1
        self._ticks += int(self._world.ticks[0])

    def _frame(self, info: bool) -> Frame:
        self._step()
        world = self._world
        return Frame(
            frame_index=self._steps - 1,
            t=self._ticks,
            dt=int(world.ticks[0]),
            action=_single_or_list(numbers(world.actions)),
            reward=_single_or_list(numbers(world.rewards)),
            terminated=bool(world.terminated[0]),
            truncated=bool(world.truncated[0]),
            render_state=render_state(world),
            events=world.events(0),
            info=_named(world.spec.info, world.block("info", 0)) if info else None,
        )

    def close(self) -> None:
        self._world.close()


class _StoredReader(ReplayReader):
    """Reads the frames stored in a replay that cannot be simulated again."""

    def __init__(self, replay: Replay, kept: StoredFrames):
        super().__init__(replay)
        self._spec, self._kept = replay_spec(replay), kept
        self._ticks = np.cumsum(kept.ticks).tolist()
        self._events: dict[int, list[dict[str, Any]]] = {}
        for (step, name), payload in zip(replay.events, kept.payloads, strict=True):
            self._events.setdefault(step, []).append({"name": name, **payload})

    def initial_state(self) -> dict[str, Any]:
        return self._state(0)

    def _state(self, row: int) -> dict[str, Any]:
        info, render, seen = (self._kept.blocks[name].row(row) for name in BLOCKS)
        agents = self._spec.agents
        return _state(self._spec, info, render, seen.reshape(agents, len(seen) // agents))

    def _frames(self, offset: int, count: int, info: bool) -> list[Frame]:
        return [self._frame(step, info) for step in range(offset, offset + count)]

    def _frame(self, step: int, info: bool) -> Frame:
        kept, end = self._kept, self.replay.end
        last = step == end.steps - 1
        return Frame(
            frame_index=step,
            t=self._ticks[step],
            dt=int(kept.ticks[step]),
            action=_single_or_list(numbers(self.replay.actions[step])),
            reward=_single_or_list(numbers(kept.rewards[step])),
            terminated=last and end.terminated,
            truncated=last and end.truncated,
            render_state=self._state(step + 1),
            events=self._events.get(step, []),
            info=_named(self._spec.info, kept.blocks["info"].row(step + 1)) if info else None,
        )


def frames(replay: Replay, offset: int = 0, limit: int = 256, info: bool = False) -> FramePage:
    """One page of frames; keep a `ReplayReader` to read several."""
    with open_replay(replay) as reader:
        return reader.page(offset, limit, info)


# ---------------------------------------------------------------- values as JSON


def render_state(world: World) -> dict[str, Any]:
    """Everything that is drawn of world 0: the game's info, its render block and the observations."""
    return _state(world.spec, world.block("info", 0), world.block("render", 0), world.observations)


def _state(spec: Spec, info: np.ndarray, render: np.ndarray, observations: np.ndarray) -> dict[str, Any]:
    drawn = _named(spec.info, info) | _named(spec.render, render)
    return drawn | {"observation": _single_or_list(numbers(observations))}


def _named(fields: Sequence[Field], block: np.ndarray) -> dict[str, Any]:
    """A flat block by name. Rounded as a whole, which takes a tenth of the time of rounding each field."""
    exact = rounded(block)
    named = {}
    for f in fields:
        if f.size > 1:
            named[f.name] = exact[f.slice].reshape(f.shape).tolist()
        else:
            named[f.name] = _label(f, block[f.start]) or float(exact[f.start])
    return named


def plain(field: Field, value: Any) -> Any:
    """A value as JSON: an array as lists, a code with a label as its label."""
    if field.size > 1:
        return numbers(value)
    return _label(field, value) or numbers(np.float32(value).reshape(1))[0]


def _label(field: Field, value: Any) -> str | None:
    """The label of a code; None where the field has none for it."""
    return field.labels[int(value)] if field.labels and 0 <= int(value) < len(field.labels) else None


def numbers(values: np.ndarray) -> list[Any]:
    """Lists of integers, or of floats with nine significant digits: enough to restore any float32."""
    return values.tolist() if values.dtype.kind != "f" else rounded(values).tolist()


def rounded(values: np.ndarray) -> np.ndarray:
    """Floats rounded to nine significant digits, float64."""
    wide = np.asarray(values, np.float64)
    size = np.where(wide == 0.0, 1.0, np.abs(wide))
    scale = 10.0 ** (8 - np.floor(np.log10(size)))
    return np.rint(wide * scale) / scale


def _single_or_list(rows: list[Any]) -> Any:
    """The only entry of a game with one agent, else the list."""
    return rows[0] if len(rows) == 1 else rows
