"""Record an episode, prove a recording, look into it.

`record` plays one world and keeps seed and actions; `verify` plays them again and must meet the same state
hashes, rewards, events and ending; `Player` plays them again to show named frames. All three watch the world
through one `_Witness`, so that what was recorded and what is compared cannot drift apart.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..clock import Clock, iso, now
from ..errors import ConfigError, SpecMismatch
from ..games import Field, Spec, VectorGame
from ..games.library import load
from ..runs import Frame, Replay, ReplayEnd, ReplayHeader
from ..runs.replays import HASH_EVERY_STEPS, encoding_of, quantise
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
) -> Replay:
    """Play one episode and keep it.

    policies: one for all, or one a role. names: what to call them, by role. Continuous actions are rounded to
    127ths before they are played, which keeps files small; exact=True plays them as they are. An episode that
    is still going after `most_steps` is kept with neither ending set.
    """
    with VectorGame(game, worlds=1, config=config, autoreset=False) as world:
        world.reset(seed)
        seats = seats_of(world, policies)
        memories: list[Any] = [None] * len(seats)
        rounded = not world.spec.discrete and not exact
        witness = _Witness(world)
        while not witness.ended and witness.steps < most_steps:
            act_all(world, seats, memories)
            if rounded:
                world.actions[...] = quantise(world.actions)
            world.step()
            witness.look()
        header = ReplayHeader(
            replay_id=new_replay_id(origin.window_id if origin else 0),
            game=game,
            game_version=world.spec.version,
            engine=load().sl_build().decode(),
            spec_hash=world.spec.hash,
            config=world.spec.config,
            seed=seed,
            agents=list(world.spec.roles),
            policies=_names(world.spec, policies, names or {}),
            scored_agent=scored_agent,
            action_encoding="float32"
            if exact and not world.spec.discrete
            else encoding_of(world.spec.action_count),
            action_shape=[witness.steps, *world.actions.shape],
            **(vars(origin) if origin else {}),
            created_at=iso(clock()),
        )
        shape = (witness.steps, *world.actions.shape)
        actions = np.array(witness.actions, world.actions.dtype).reshape(shape)
        return Replay(header, actions, witness.events, witness.all_hashes(), witness.end())


def new_replay_id(window_id: int) -> str:
    return f"replay-{window_id:06d}-{secrets.token_hex(4)}"


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
        self.hashes = [(0, world.hash(0))]
        self.returns = np.zeros(world.rows)
        self.ended = False

    def look(self) -> None:
        """After each step."""
        world = self.world
        self.actions.append(world.actions.copy())
        self.events += [(self.steps, event["name"]) for event in world.events(0)]
        self.steps += 1
        self.ticks += int(world.ticks[0])
        self.returns += world.rewards
        self.ended = bool(world.terminated[0] or world.truncated[0])
        if self.steps % HASH_EVERY_STEPS == 0:
            self.hashes.append((self.steps, world.hash(0)))

    def all_hashes(self) -> list[tuple[int, int]]:
        last = (self.steps, self.world.hash(0))
        return self.hashes if self.hashes[-1] == last else [*self.hashes, last]

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


# ---------------------------------------------------------------- verifying


@dataclass(frozen=True)
class Verdict:
    """What playing a replay again showed."""

    steps: int
    hashes: int  # how many were compared
    differences: list[str] = field(default_factory=list)  # a sentence each

    @property
    def agrees(self) -> bool:
        return not self.differences


def verify(replay: Replay) -> Verdict:
    """Play the actions again from the seed: every hash, the rewards, the events and the ending must agree."""
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


def open_world(replay: Replay) -> VectorGame:
    """A world at the start of the replay, or a sentence about why this engine cannot play it.

    The game's version decides, not the spec's hash: a setting added since leaves old episodes as they were.
    """
    header = replay.header
    version = Spec(header.game).version
    if version != header.game_version:
        raise SpecMismatch(
            f"{header.replay_id} was recorded on {header.game} version {header.game_version}, this engine "
            f"has version {version}: the same actions give another episode. Use the engine that recorded it."
        )
    world = VectorGame(header.game, worlds=1, config=header.config, autoreset=False)
    world.reset(header.seed)
    return world


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
    """Plays a replay again and shows its frames. Reading on costs nothing extra; going back starts anew."""

    def __init__(self, replay: Replay):
        self.replay = replay
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
        """What is drawn before the first step."""
        self._rewind()
        return render_state(self._world)

    def page(self, offset: int = 0, limit: int = 256, info: bool = False) -> Page:
        """Frames offset to offset + limit. info: add the game's running figures to each."""
        if offset < 0 or limit < 1:
            raise ConfigError(f"offset = {offset}, limit = {limit}: expected at least 0 and at least 1.")
        total = self.replay.end.steps
        if offset < self._steps:
            self._rewind()
        while self._steps < min(offset, total):
            self._step()
        frames = [self._frame(info) for _ in range(min(limit, total - self._steps) if offset <= total else 0)]
        self._check()
        return Page(offset, frames, has_more=offset + len(frames) < total)

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

    def __enter__(self) -> Player:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def frames(replay: Replay, offset: int = 0, limit: int = 256, info: bool = False) -> Page:
    """One page of frames; keep a `Player` to read several."""
    with Player(replay) as player:
        return player.page(offset, limit, info)


def render_state(world: VectorGame) -> dict[str, Any]:
    """Everything a page draws of world 0: the game's figures, its picture, and what the agents see."""
    figures = _named(world.spec.info, world.block("info", 0)) | _named(
        world.spec.render, world.block("render", 0)
    )
    return figures | {"observation": _one_or_all(numbers(world.observations))}


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
