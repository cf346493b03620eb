"""Record an episode, and verify a recording.

`record` plays one world and keeps seed and actions. `verify` plays the actions again and must arrive at the
same state hashes, rewards, events and ending. Both collect them with `_EpisodeRecorder`.

An episode played in Godot cannot be played again, and a Gymnasium env may not be installed where a replay is
watched: `record` keeps their frames too.
"""

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..clock import Clock, iso, now
from ..errors import SandlotError
from ..games.players import Actor, Players
from ..runs import Replay, ReplayEnd, ReplayHeader
from ..runs.records import NATIVE
from ..runs.replays import HASH_EVERY_STEPS, encoding_of, quantise
from ..runs.stored_frames import BLOCKS, StoredFrames
from ..spec import Spec
from ..worlds import World, make
from ..worlds.library import load
from ..worlds.make import engine_to_watch
from .replay_reader import kept_entries, open_world, plain, replay_spec

MAX_STEPS = 30_000  # more than any episode of our games with default settings


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
    policies: Actor | Mapping[str, Actor],
    seed: int,
    config: Mapping[str, Any] | None = None,
    names: Mapping[str, str] | None = None,
    origin: Origin | None = None,
    scored_agent: int = 0,
    exact: bool = False,
    max_steps: int = MAX_STEPS,
    clock: Clock = now,
    engine: str = NATIVE,
    kept_as: str | None = None,
) -> Replay:
    """Play one episode and return it as a replay.

    game: a name or address that worlds.make opens. policies: one for all agents, or one per role. names: of
    the policies, by role.
    Continuous actions are rounded to 127ths before they are played, which keeps files small; exact=True plays
    them unrounded, as always in games that are not native. An episode that does not end within `max_steps`
    is kept neither terminated nor truncated. engine: native, or another, whose episodes are kept by frames.
    kept_as: keep the frames under this name of an engine, of a build that others cannot play again.
    """
    engine = engine_to_watch(game, engine)
    with make(game, worlds=1, config=config, engine=engine, autoreset=False) as world:
        world.reset(seed)
        players = Players(world, policies)
        exact = exact or world.spec.source != "engine"
        rounded = not world.spec.discrete and not exact
        recorder = _EpisodeRecorder(world) if (kept_as or engine) == NATIVE else _FrameRecorder(world)
        while not recorder.ended and recorder.steps < max_steps:
            players.act()
            if rounded:
                world.actions[...] = quantise(world.actions)
            recorder.record_step(world.step())
        shape = (recorder.steps, *world.actions.shape)
        header = ReplayHeader(
            **_game_fields(world, kept_as or engine, exact),
            replay_id=new_replay_id(origin.window_id if origin else 0),
            seed=seed,
            policies=_names(world.spec, policies, names or {}),
            scored_agent=scored_agent,
            action_shape=list(shape),
            **(vars(origin) if origin else {}),
            created_at=iso(clock()),
        )
        actions = np.array(recorder.actions, world.actions.dtype).reshape(shape)
        kept = recorder.frames() if isinstance(recorder, _FrameRecorder) else None
        return Replay(header, actions, recorder.events, recorder.all_hashes(), recorder.end(), kept)


def _game_fields(world: World, engine: str, exact: bool) -> dict[str, Any]:
    """The header's fields about the game: enough to know whether the replay can be played again."""
    spec = world.spec
    as_numbers = exact and not spec.discrete
    return {
        "game": spec.game,
        "game_version": spec.version,
        "played_in": engine,
        "engine": _build_of(world),
        "spec_hash": spec.hash,
        "config": spec.config,
        "spec": None if spec.source == "engine" else spec.stored(),
        "agents": list(spec.roles),
        "action_encoding": "float32" if as_numbers else encoding_of(spec.action_count),
    }


def _build_of(world: World) -> str:
    """Name and version of the engine that plays."""
    hello = getattr(world, "hello", None)  # of a game in another process
    own = hello.get("engine", "unknown") if hello else getattr(world, "engine_version", None)
    return str(own)[:200] if own else load().sl_build().decode()


def new_replay_id(window_id: int) -> str:
    """A random id."""
    return f"replay-{window_id:06d}-{secrets.token_hex(4)}"


def window_replay_id(checkpoint: str, window_id: int, episode: int) -> str:
    """The id of an episode of a checkpoint (its digest): the same when it is recorded again."""
    digest = hashlib.sha256(f"{checkpoint} {window_id} {episode}".encode()).hexdigest()
    return f"replay-{window_id:06d}-{digest[:8]}"


def _names(spec: Spec, policies: Actor | Mapping[str, Actor], names: Mapping[str, str]) -> dict[str, str]:
    by_role = policies if isinstance(policies, Mapping) else dict.fromkeys(spec.roles, policies)
    return {
        role: names.get(role) or str(getattr(by_role[role], "name", type(by_role[role]).__name__))
        for role in dict.fromkeys(spec.roles)
    }


class _EpisodeRecorder:
    """Collects what a replay holds from one world, from its reset on."""

    def __init__(self, world: World):
        self.world = world
        self.steps = self.ticks = 0
        self.actions: list[np.ndarray] = []
        self.events: list[tuple[int, str]] = []
        self.hashes = self._hash()
        self.returns = np.zeros(world.rows)
        self.ended = False

    def record_step(self, ended: int) -> None:
        """Call it after each step. ended: what step() returned, how many episodes ended."""
        world = self.world
        self.actions.append(world.actions.copy())
        self._add_events(world.events(0))
        self.steps += 1
        self.ticks += int(world.ticks[0])
        self.returns += world.rewards
        self.ended = ended > 0
        if self.steps % HASH_EVERY_STEPS == 0:
            self.hashes += self._hash()

    def _add_events(self, events: list[dict[str, Any]]) -> None:
        self.events += [(self.steps, event["name"]) for event in events]

    def _hash(self) -> list[tuple[int, int]]:
        return [(self.steps, self.world.hash(0))]

    def all_hashes(self) -> list[tuple[int, int]]:
        """The hashes so far, with that of the current state."""
        last = self._hash()
        return self.hashes if self.hashes[-1:] == last else self.hashes + last

    def end(self) -> ReplayEnd:
        """The result of the episode."""
        world = self.world
        sums = world.finished()[0] if self.ended else {}
        return ReplayEnd(
            steps=self.steps,
            ticks=self.ticks,
            returns=self.returns.tolist(),
            terminated=bool(world.terminated.any()),
            truncated=bool(world.truncated.any()),
            episode={f.name: plain(f, sums[f.name]) for f in world.spec.episode if f.name in sums},
        )


class _FrameRecorder(_EpisodeRecorder):
    """For an engine other than the native one: keeps every frame; hashes if the game is deterministic."""

    def __init__(self, world: World):
        super().__init__(world)
        self.kept = kept_entries(world.spec)
        self.rows: dict[str, list[np.ndarray]] = {name: [] for name in BLOCKS}
        self.rewards: list[np.ndarray] = []
        self.step_ticks: list[int] = []
        self.payloads: list[dict[str, float]] = []
        self._capture()

    def record_step(self, ended: int) -> None:
        super().record_step(ended)
        self.rewards.append(self.world.rewards.copy())
        self.step_ticks.append(int(self.world.ticks[0]))
        self._capture()

    def _capture(self) -> None:
        for name in ("info", "render"):
            self.rows[name].append(self.world.block(name, 0))
        self.rows["observations"].append(self.world.observations[:, self.kept])

    def _add_events(self, events: list[dict[str, Any]]) -> None:
        super()._add_events(events)
        self.payloads += [{k: v for k, v in event.items() if k != "name"} for event in events]

    def _hash(self) -> list[tuple[int, int]]:
        world = self.world
        repeats = world.spec.source != "engine" and world.capabilities.deterministic
        return super()._hash() if repeats else []

    def frames(self) -> StoredFrames:
        """All frames, quantised."""
        rewards = np.array(self.rewards, np.float32).reshape(self.steps, self.world.rows)
        return StoredFrames.of(self.rows, rewards, np.array(self.step_ticks, np.int32), self.payloads)


# ---------------------------------------------------------------- verifying


@dataclass(frozen=True)
class Verification:
    """The outcome of `verify`."""

    steps: int
    hashes: int  # number of state hashes that were compared
    differences: list[str] = field(default_factory=list)  # one sentence each
    simulated: bool = True  # False: only stored frames were checked

    @property
    def agrees(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


def verify(replay: Replay) -> Verification:
    """Play the actions again from the seed: every hash, the rewards, the events and the ending must agree.

    Stored frames must agree with actions, events and sums; they are all that can be checked of an episode
    that cannot be played again, or not here.
    """
    if replay.frames is not None:
        differences = _check_stored_frames(replay, replay.frames)
        world = None if differences else _reopened(replay)
        if world is None:
            return Verification(replay.end.steps, 0, differences, simulated=False)
        return _played_again(replay, world)
    return _played_again(replay, open_world(replay))


def _reopened(replay: Replay) -> World | None:
    """A world at the start of the replay; None where its game is not deterministic or not installed."""
    if not replay.hashes or replay.header.spec is None:
        return None
    spec = replay_spec(replay)
    try:
        world = make(spec.address, config=spec.settings, autoreset=False)
    except SandlotError:
        return None
    world.reset(replay.header.seed)
    return world


def _played_again(replay: Replay, world: World) -> Verification:
    with world:
        recorder = _EpisodeRecorder(world)
        for actions in replay.actions:
            if recorder.ended:
                early = f"The episode ends after {recorder.steps} of {replay.end.steps} steps."
                return Verification(recorder.steps, len(recorder.hashes), [early])
            world.actions[...] = actions
            recorder.record_step(world.step())
        return Verification(recorder.steps, len(replay.hashes), _compare(replay, recorder))


def _compare(replay: Replay, recorder: _EpisodeRecorder) -> list[str]:
    found = dict(recorder.all_hashes())
    wrong = [step for step, value in replay.hashes if found.get(step) != value]
    differences = []
    if wrong or len(found) != len(replay.hashes):
        place = f"first at step {wrong[0]}" if wrong else "there are more or fewer of them"
        differences.append(f"The state hashes differ, {place}.")
    if recorder.events != replay.events:
        happened, recorded = len(recorder.events), len(replay.events)
        differences.append(f"{happened} events happen, {recorded} were recorded, or their kinds differ.")
    end = recorder.end().to_json()
    for name, value in replay.end.to_json().items():
        if end[name] != value:
            differences.append(f"{name} is {end[name]}, recorded was {value}.")
    return differences


def _check_stored_frames(replay: Replay, kept: StoredFrames) -> list[str]:
    """A sentence for each contradiction between the stored frames and the rest of the file."""
    spec, end, found = replay_spec(replay), replay.end, []
    ticks, returns = int(kept.ticks.sum()), kept.rewards.astype(np.float64).sum(axis=0).tolist()
    if ticks != end.ticks:
        found.append(f"The frames last {ticks} ticks, recorded were {end.ticks}.")
    if not np.allclose(returns, end.returns, rtol=1e-9, atol=1e-9):
        found.append(f"The rewards of the frames add up to {returns}, recorded was {end.returns}.")
    known = {event["name"]: set(event["values"]) for event in spec.events}
    for (step, name), payload in zip(replay.events, kept.payloads, strict=True):
        if step >= end.steps or name not in known or not set(payload) <= known[name]:
            found.append(f"The event {name} of step {step} does not exist in {spec.game}.")
            break
    tick = next((f.start for f in spec.info if f.name == "tick"), None)
    if tick is not None:
        shown = [int(kept.blocks["info"].row(i)[tick]) for i in range(end.steps + 1)]
        wrong = np.flatnonzero(np.diff(shown) != kept.ticks)
        if len(wrong):
            found.append(f"The clock in the frames does not match the actions, first at step {wrong[0]}.")
    return found
