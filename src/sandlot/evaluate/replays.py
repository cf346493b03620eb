"""Record an episode, prove a recording, look into it.

`record` plays one world and keeps seed and actions; `verify` plays them again and must meet the same state
hashes, rewards, events and ending; a `Player` plays them again to show named frames. All three watch the
world through one `_Witness`, so that what was recorded and what is compared cannot drift apart.

A match played in Godot cannot be played again: `record` keeps its frames too, and they are what is shown.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..clock import Clock, iso, now
from ..errors import ConfigError, SpecMismatch
from ..games import Field, Spec, VectorGame, make
from ..games.library import load
from ..runs import Frame, Replay, ReplayEnd, ReplayHeader
from ..runs.records import NATIVE
from ..runs.replays import HASH_EVERY_STEPS, encoding_of, quantise
from ..runs.stored_frames import BLOCKS, StoredFrames
from .play import Policy, act_all, seats_of

MOST_STEPS = 30_000  # more than any episode of our games under default settings


@dataclass(frozen=True)
class Origin:
    """Where a replay comes from, when it comes from a run."""

    run_id: str
    window_id: int
    trainer_backend: str | None = None
    checkpoint_path: str | None = None  # relative to the run folder
    checkpoint_env_steps_total: int | None = None


# ---------------------------------------------------------------- recording


def record(
    game: str,
    policies: Policy | Mapping[str, Policy],
    seed: int,
    config: Mapping[str, Any] | None = None,
    names: Mapping[str, str] | None = None,
    origin: Origin | None = None,
    scored_agent: int = 0,
    exact: bool = False,
    most_steps: int = MOST_STEPS,
    clock: Clock = now,
    engine: str = NATIVE,
) -> Replay:
    """Play one episode and keep it.

    policies: one for all, or one a role. names: what to call them, by role. Continuous actions are rounded to
    127ths before they are played, which keeps files small; exact=True plays them as they are. An episode that
    is still going after `most_steps` is kept with neither ending set. engine: native, or godot, whose matches
    are kept frame by frame.
    """
    with make(game, worlds=1, config=config, engine=engine, autoreset=False) as world:
        world.reset(seed)
        seats = seats_of(world, policies)
        memories: list[Any] = [None] * len(seats)
        rounded = not world.spec.discrete and not exact
        witness = _Witness(world) if engine == NATIVE else _Camera(world)
        while not witness.ended and witness.steps < most_steps:
            act_all(world, seats, memories)
            if rounded:
                world.actions[...] = quantise(world.actions)
            world.step()
            witness.look()
        shape = (witness.steps, *world.actions.shape)
        header = ReplayHeader(
            **_about(world, engine, exact),
            replay_id=new_replay_id(origin.window_id if origin else 0),
            seed=seed,
            policies=_names(world.spec, policies, names or {}),
            scored_agent=scored_agent,
            action_shape=list(shape),
            **(vars(origin) if origin else {}),
            created_at=iso(clock()),
        )
        actions = np.array(witness.actions, world.actions.dtype).reshape(shape)
        kept = witness.frames() if isinstance(witness, _Camera) else None
        return Replay(header, actions, witness.events, witness.all_hashes(), witness.end(), kept)


def _about(world: VectorGame, engine: str, exact: bool) -> dict[str, Any]:
    """What a replay's header says about the game: enough to know whether it can be played again."""
    spec = world.spec
    as_numbers = exact and not spec.discrete
    return {
        "game": spec.game,
        "game_version": spec.version,
        "played_in": engine,
        "engine": _build_of(world),
        "spec_hash": spec.hash,
        "config": spec.config,
        "agents": list(spec.roles),
        "action_encoding": "float32" if as_numbers else encoding_of(spec.action_count),
    }


def _build_of(world: VectorGame) -> str:
    """The engine that plays, as it calls itself."""
    hello = getattr(world, "hello", None)  # of a game in another process
    return str(hello.get("engine", "unknown"))[:200] if hello else load().sl_build().decode()


def new_replay_id(window_id: int) -> str:
    return f"replay-{window_id:06d}-{secrets.token_hex(4)}"


def window_replay_id(checkpoint: str, window_id: int, episode: int) -> str:
    """Of a match of a window's checkpoint (its digest): recorded again it has the same id."""
    digest = hashlib.sha256(f"{checkpoint} {window_id} {episode}".encode()).hexdigest()
    return f"replay-{window_id:06d}-{digest[:8]}"


def _names(spec: Spec, policies: Policy | Mapping[str, Policy], names: Mapping[str, str]) -> dict[str, str]:
    told = {}
    for role in dict.fromkeys(spec.roles):
        policy = policies[role] if isinstance(policies, Mapping) else policies
        told[role] = names.get(role) or str(getattr(policy, "name", type(policy).__name__))
    return told


class _Witness:
    """Watches one world from its reset on, and notes what a replay holds."""

    def __init__(self, world: VectorGame):
        self.world = world
        self.steps = self.ticks = 0
        self.actions: list[np.ndarray] = []
        self.events: list[tuple[int, str]] = []
        self.hashes = self._hash()
        self.returns = np.zeros(world.rows)
        self.ended = False

    def look(self) -> None:
        """After each step."""
        world = self.world
        self.actions.append(world.actions.copy())
        self._note(world.events(0))
        self.steps += 1
        self.ticks += int(world.ticks[0])
        self.returns += world.rewards
        self.ended = bool(world.terminated[0] or world.truncated[0])
        if self.steps % HASH_EVERY_STEPS == 0:
            self.hashes += self._hash()

    def _note(self, events: list[dict[str, Any]]) -> None:
        self.events += [(self.steps, event["name"]) for event in events]

    def _hash(self) -> list[tuple[int, int]]:
        return [(self.steps, self.world.hash(0))]

    def all_hashes(self) -> list[tuple[int, int]]:
        last = self._hash()
        return self.hashes if self.hashes[-1:] == last else self.hashes + last

    def end(self) -> ReplayEnd:
        world = self.world
        sums = world.finished()[0] if self.ended else {}
        return ReplayEnd(
            steps=self.steps,
            ticks=self.ticks,
            returns=self.returns.tolist(),
            terminated=bool(world.terminated[0]),
            truncated=bool(world.truncated[0]),
            episode={f.name: plain(f, sums[f.name]) for f in world.spec.episode if f.name in sums},
        )


class _Camera(_Witness):
    """A witness of what nobody can play again: it keeps every picture, and no hashes."""

    def __init__(self, world: VectorGame):
        super().__init__(world)
        self.rows: dict[str, list[np.ndarray]] = {name: [] for name in BLOCKS}
        self.rewards: list[np.ndarray] = []
        self.step_ticks: list[int] = []
        self.payloads: list[dict[str, float]] = []
        self._shoot()

    def look(self) -> None:
        super().look()
        self.rewards.append(self.world.rewards.copy())
        self.step_ticks.append(int(self.world.ticks[0]))
        self._shoot()

    def _shoot(self) -> None:
        for name in ("info", "render"):
            self.rows[name].append(self.world.block(name, 0))
        self.rows["observations"].append(self.world.observations.copy())

    def _note(self, events: list[dict[str, Any]]) -> None:
        super()._note(events)
        self.payloads += [{k: v for k, v in event.items() if k != "name"} for event in events]

    def _hash(self) -> list[tuple[int, int]]:
        return []

    def frames(self) -> StoredFrames:
        rewards = np.array(self.rewards, np.float32).reshape(self.steps, self.world.rows)
        return StoredFrames.of(self.rows, rewards, np.array(self.step_ticks, np.int32), self.payloads)


# ---------------------------------------------------------------- verifying


@dataclass(frozen=True)
class Verdict:
    """What playing a replay again showed, or what its stored frames say where that cannot be done."""

    steps: int
    hashes: int  # how many were compared
    differences: list[str] = field(default_factory=list)  # a sentence each
    played_again: bool = True

    @property
    def agrees(self) -> bool:
        return not self.differences


def verify(replay: Replay) -> Verdict:
    """Play the actions again from the seed: every hash, the rewards, the events and the ending must agree.

    What was played elsewhere cannot be played again: its frames must agree with its actions, events and sums.
    """
    if replay.frames is not None:
        return Verdict(replay.end.steps, 0, _contradictions(replay, replay.frames), played_again=False)
    with open_world(replay) as world:
        witness = _Witness(world)
        for actions in replay.actions:
            if witness.ended:
                early = f"The episode ends after {witness.steps} of {replay.end.steps} steps."
                return Verdict(witness.steps, len(witness.hashes), [early])
            world.actions[...] = actions
            world.step()
            witness.look()
        return Verdict(witness.steps, len(replay.hashes), _compare(replay, witness))


def _compare(replay: Replay, witness: _Witness) -> list[str]:
    found = dict(witness.all_hashes())
    wrong = [step for step, value in replay.hashes if found.get(step) != value]
    differences = []
    if wrong or len(found) != len(replay.hashes):
        place = f"first at step {wrong[0]}" if wrong else "there are more or fewer of them"
        differences.append(f"The state hashes differ, {place}.")
    if witness.events != replay.events:
        differences.append(
            f"{len(witness.events)} events happen where {len(replay.events)} were recorded, or others."
        )
    end = witness.end().to_json()
    for name, value in replay.end.to_json().items():
        if end[name] != value:
            differences.append(f"{name} is {end[name]}, recorded was {value}.")
    return differences


def _contradictions(replay: Replay, kept: StoredFrames) -> list[str]:
    """A sentence for each thing that the frames and the rest of the file tell differently."""
    spec, end, found = _spec_of(replay), replay.end, []
    ticks, returns = int(kept.ticks.sum()), kept.rewards.astype(np.float64).sum(axis=0).tolist()
    if ticks != end.ticks:
        found.append(f"The frames last {ticks} ticks, recorded were {end.ticks}.")
    if not np.allclose(returns, end.returns, rtol=1e-9, atol=1e-9):
        found.append(f"The rewards of the frames add up to {returns}, recorded was {end.returns}.")
    known = {event["name"]: set(event["values"]) for event in spec.events}
    for (step, name), payload in zip(replay.events, kept.payloads, strict=True):
        if step >= end.steps or name not in known or not set(payload) <= known[name]:
            found.append(f"The event {name} of step {step} is none that {spec.game} has there.")
            break
    tick = next((f.start for f in spec.info if f.name == "tick"), None)
    if tick is not None:
        shown = [int(kept.blocks["info"].row(i)[tick]) for i in range(end.steps + 1)]
        wrong = np.flatnonzero(np.diff(shown) != kept.ticks)
        if len(wrong):
            found.append(f"The clock in the frames does not go with the actions, first at step {wrong[0]}.")
    return found


def open_world(replay: Replay) -> VectorGame:
    """A world at the start of the replay, or a sentence about why this engine cannot play it."""
    _check_version(replay)
    header = replay.header
    if not header.replayable:
        raise SpecMismatch(
            f"{header.replay_id} was played in {header.played_in.capitalize()}, whose physics cannot be "
            "played again. Its frames are kept in the file; look at those."
        )
    world = VectorGame(header.game, worlds=1, config=header.config, autoreset=False)
    world.reset(header.seed)
    return world


def _spec_of(replay: Replay) -> Spec:
    """The spec that lays out the frames of a replay, or a sentence about why this engine has another."""
    _check_version(replay)
    spec = Spec(replay.header.game, replay.header.config)
    widths = {"observations": spec.json["shape"]["observation"] * spec.agents}
    widths |= {name: spec.json["shape"][name] for name in ("info", "render")}
    blocks = {} if replay.frames is None else replay.frames.blocks
    if spec.agents != len(replay.header.agents) or any(
        block.levels.shape[1] != widths[name] for name, block in blocks.items()
    ):
        raise SpecMismatch(
            f"{replay.header.replay_id} holds frames of another layout than {spec.game} {spec.version} has. "
            "Use the engine that recorded it."
        )
    return spec


def _check_version(replay: Replay) -> None:
    """The game's version decides, not the spec's hash: a setting added since leaves old episodes alone."""
    header = replay.header
    version = Spec(header.game).version
    if version != header.game_version:
        raise SpecMismatch(
            f"{header.replay_id} was recorded on {header.game} version {header.game_version}, this engine "
            f"has version {version}: the same actions give another episode. Use the engine that recorded it."
        )


# ---------------------------------------------------------------- frames


@dataclass(frozen=True)
class Page:
    """Some frames of a replay, and where the next ones begin."""

    offset: int
    frames: list[Frame]
    has_more: bool

    @property
    def next_offset(self) -> int:
        return self.offset + len(self.frames)


class Player:
    """Shows the frames of a replay, a page at a time."""

    def __init__(self, replay: Replay):
        self.replay = replay

    def opening(self) -> dict[str, Any]:
        """What is drawn before the first step."""
        raise NotImplementedError

    def page(self, offset: int = 0, limit: int = 256, info: bool = False) -> Page:
        """Frames offset to offset + limit. info: add the game's running figures to each."""
        if offset < 0 or limit < 1:
            raise ConfigError(f"offset = {offset}, limit = {limit}: expected at least 0 and at least 1.")
        total = self.replay.end.steps
        frames = self._frames(min(offset, total), min(limit, max(0, total - offset)), info)
        return Page(offset, frames, has_more=offset + len(frames) < total)

    def _frames(self, offset: int, count: int, info: bool) -> list[Frame]:
        raise NotImplementedError

    def close(self) -> None:
        """Let go of whatever is held."""

    def __enter__(self) -> Player:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_player(replay: Replay) -> Player:
    """Whoever can show this replay, or a sentence about why this engine cannot."""
    return _Again(replay) if replay.frames is None else _Kept(replay, replay.frames)


class _Again(Player):
    """Plays a replay again. Reading on costs nothing extra; going back starts anew."""

    def __init__(self, replay: Replay):
        super().__init__(replay)
        self._world = open_world(replay)
        self._steps = self._ticks = 0
        self._hashes = dict(replay.hashes)
        self._check()

    def _check(self) -> None:
        """Refuse to show another episode than the one that was recorded, as far as this step's hash tells."""
        if self._hashes.get(self._steps, self._world.hash(0)) != self._world.hash(0):
            place = f"after {self._steps} steps is" if self._steps else "begins"
            raise SpecMismatch(
                f"{self.replay.header.replay_id} {place} in another state here than when it was recorded. "
                "Use the engine that recorded it."
            )

    def opening(self) -> dict[str, Any]:
        self._rewind()
        return render_state(self._world)

    def _frames(self, offset: int, count: int, info: bool) -> list[Frame]:
        if offset < self._steps:
            self._rewind()
        while self._steps < offset:
            self._step()
        frames = [self._frame(info) for _ in range(count)]
        self._check()
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
            action=_one_or_all(numbers(world.actions)),
            reward=_one_or_all(numbers(world.rewards)),
            terminated=bool(world.terminated[0]),
            truncated=bool(world.truncated[0]),
            render_state=render_state(world),
            events=world.events(0),
            info=_named(world.spec.info, world.block("info", 0)) if info else None,
        )

    def close(self) -> None:
        self._world.close()


class _Kept(Player):
    """Shows the frames that a replay holds, since what was played cannot be played again."""

    def __init__(self, replay: Replay, kept: StoredFrames):
        super().__init__(replay)
        self._spec, self._kept = _spec_of(replay), kept
        self._ticks = np.cumsum(kept.ticks).tolist()
        self._events: dict[int, list[dict[str, Any]]] = {}
        for (step, name), payload in zip(replay.events, kept.payloads, strict=True):
            self._events.setdefault(step, []).append({"name": name, **payload})

    def opening(self) -> dict[str, Any]:
        return self._state(0)

    def _state(self, row: int) -> dict[str, Any]:
        info, render, seen = (self._kept.blocks[name].row(row) for name in BLOCKS)
        return _state(self._spec, info, render, seen.reshape(self._spec.agents, -1))

    def _frames(self, offset: int, count: int, info: bool) -> list[Frame]:
        return [self._frame(step, info) for step in range(offset, offset + count)]

    def _frame(self, step: int, info: bool) -> Frame:
        kept, end = self._kept, self.replay.end
        last = step == end.steps - 1
        return Frame(
            frame_index=step,
            t=self._ticks[step],
            dt=int(kept.ticks[step]),
            action=_one_or_all(numbers(self.replay.actions[step])),
            reward=_one_or_all(numbers(kept.rewards[step])),
            terminated=last and end.terminated,
            truncated=last and end.truncated,
            render_state=self._state(step + 1),
            events=self._events.get(step, []),
            info=_named(self._spec.info, kept.blocks["info"].row(step + 1)) if info else None,
        )


def frames(replay: Replay, offset: int = 0, limit: int = 256, info: bool = False) -> Page:
    """One page of frames; keep a `Player` to read several."""
    with open_player(replay) as player:
        return player.page(offset, limit, info)


def render_state(world: VectorGame) -> dict[str, Any]:
    """Everything a page draws of world 0: the game's figures, its picture, and what the agents see."""
    return _state(world.spec, world.block("info", 0), world.block("render", 0), world.observations)


def _state(spec: Spec, info: np.ndarray, render: np.ndarray, observations: np.ndarray) -> dict[str, Any]:
    figures = _named(spec.info, info) | _named(spec.render, render)
    return figures | {"observation": _one_or_all(numbers(observations))}


def _named(fields: Sequence[Field], block: np.ndarray) -> dict[str, Any]:
    """A flat block by name. It is rounded as a whole: that takes a tenth of rounding field by field."""
    exact = rounded(block)
    told = {}
    for f in fields:
        if f.size > 1:
            told[f.name] = exact[f.slice].reshape(f.shape).tolist()
        else:
            value = block[f.start]
            word = bool(f.labels) and 0 <= int(value) < len(f.labels)
            told[f.name] = f.labels[int(value)] if word else float(exact[f.start])
    return told


def plain(told: Field, value: Any) -> Any:
    """A value as JSON: an array as lists, a number that stands for a word as the word."""
    if told.size > 1:
        return numbers(value)
    if told.labels and 0 <= int(value) < len(told.labels):
        return told.labels[int(value)]
    return numbers(np.float32(value).reshape(1))[0]


def numbers(values: np.ndarray) -> list[Any]:
    """Lists of whole numbers, or of floats with the nine digits that tell one float32 from the next."""
    return values.tolist() if values.dtype.kind != "f" else rounded(values).tolist()


def rounded(values: np.ndarray) -> np.ndarray:
    """Floats to nine digits, float64."""
    wide = np.asarray(values, np.float64)
    size = np.where(wide == 0.0, 1.0, np.abs(wide))
    scale = 10.0 ** (8 - np.floor(np.log10(size)))
    return np.rint(wide * scale) / scale


def _one_or_all(rows: list[Any]) -> Any:
    """A game of one agent has one action and one reward, not a list of one."""
    return rows[0] if len(rows) == 1 else rows
