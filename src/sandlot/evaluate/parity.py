"""Compares the engine with a slow Python twin of the same rules: both play the same actions.

Both sides start a case with the same seed, get the same actions, and must agree after every decision: flags
exactly, numbers within the tolerances below. After an ending both start again with the next seed. The first
difference ends a case and leaves a bundle: the actions, both traces and one JSON file that says where.

A matrix of cases also has to reach goals (every ending, every action): a game's ParitySetup names them, and
a matrix that misses one does not pass.
"""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from ..games import Bot
from ..games.reference.interface import ParitySetup, Suite, Tolerances
from ..worlds import World

ACTION_STREAM_OFFSET = 1000  # the action stream of a case is seeded by its seed plus this


@dataclass(frozen=True)
class Case:
    """One cell of the matrix."""

    game: str
    profile: str
    suite: str
    seed: int
    budget: int
    steps: int

    def title(self) -> str:
        """A short description."""
        return f"{self.profile} {self.suite} seed {self.seed} budget {self.budget}"


@dataclass
class StepResult:
    """What one side returns after a reset or a decision. Rows are agents."""

    observation: np.ndarray  # [agents, D]
    reward: np.ndarray  # [agents]
    terminated: np.ndarray  # [agents]
    truncated: np.ndarray  # [agents]
    mask: np.ndarray | None
    info: Mapping[str, Any]
    episode: Mapping[str, Any] | None = None  # sums, once it is over

    @property
    def over(self) -> bool:
        """Whether the episode has ended for all agents."""
        return bool(np.all(self.terminated | self.truncated))


@dataclass(frozen=True)
class Mismatch:
    """The first difference of a case."""

    step: int  # decisions since the start of the case
    field: str
    index: int | None  # place in the observation or mask
    twin: float
    engine: float
    difference: float

    def sentence(self) -> str:
        """The difference as a sentence."""
        place = "" if self.index is None else f"[{self.index}]"
        return (
            f"step {self.step}: {self.field}{place} is {self.twin!r} in the twin "
            f"and {self.engine!r} in the engine (off by {self.difference:.3g})"
        )


@dataclass
class Trace:
    """Everything that both sides returned, for the bundle."""

    actions: list[Any] = field(default_factory=list)
    seeds: list[tuple[int, int]] = field(default_factory=list)  # (step, seed) of every reset
    twin: list[StepResult] = field(default_factory=list)
    engine: list[StepResult] = field(default_factory=list)


@dataclass
class CaseResult:
    """The outcome of one case."""

    case: Case
    decisions: int
    episodes: int
    goals_met: Counter[str]
    mismatch: Mismatch | None = None
    bundle: str | None = None


@dataclass
class Report:
    """The verdict over a matrix."""

    game: str
    cases: list[CaseResult] = field(default_factory=list)
    goals: dict[str, tuple[str, ...]] = field(default_factory=dict)  # by profile
    coverage_required: bool = True

    def mismatches(self) -> list[CaseResult]:
        """Cases with a difference."""
        return [result for result in self.cases if result.mismatch]

    def coverage(self) -> dict[str, dict[str, int]]:
        """How often each goal was reached, by profile."""
        met: dict[str, Counter[str]] = {profile: Counter() for profile in self.goals}
        for result in self.cases:
            met[result.case.profile].update(result.goals_met)
        return {profile: {goal: met[profile][goal] for goal in some} for profile, some in self.goals.items()}

    def missing(self) -> dict[str, list[str]]:
        """Goals that were never reached, by profile."""
        counts = self.coverage().items()
        return {profile: [goal for goal, times in each.items() if not times] for profile, each in counts}

    def complete(self) -> bool:
        """Whether every goal was reached."""
        return not any(self.missing().values())

    def good(self) -> bool:
        """Whether nothing differs and, if required, every goal was reached."""
        return not self.mismatches() and (self.complete() or not self.coverage_required)

    def as_json(self) -> dict[str, Any]:
        """The report as plain JSON values."""
        return {
            "game": self.game,
            "good": self.good(),
            "cases": len(self.cases),
            "decisions": sum(result.decisions for result in self.cases),
            "episodes": sum(result.episodes for result in self.cases),
            "mismatches": [failure_as_json(result) for result in self.mismatches()],
            "coverage_required": self.coverage_required,
            "coverage": self.coverage(),
            "missing": self.missing(),
        }


def failure_as_json(result: CaseResult) -> dict[str, Any]:
    """The JSON file of a bundle, and one row of a report."""
    assert result.mismatch
    return {**asdict(result.case), "first_mismatch": asdict(result.mismatch), "bundle": result.bundle}


# ---- comparing ---------------------------------------------------------------------------------------------


def compare(
    setup: ParitySetup, tolerances: Tolerances, step: int, twin: StepResult, engine: StepResult
) -> Mismatch | None:
    """The first difference between the results of both sides: flags before numbers, metrics last."""
    for name, ours, theirs, tolerance in pairs(setup, tolerances, twin, engine):
        if found := first_difference(step, name, ours, theirs, tolerance):
            return found
    return None


ToleranceRule = Callable[[np.ndarray, np.ndarray], np.ndarray]
Pair = tuple[str, Any, Any, ToleranceRule]


def pairs(setup: ParitySetup, tolerances: Tolerances, twin: StepResult, engine: StepResult) -> Iterator[Pair]:
    """What is compared, in order: name, both values, and their tolerance."""
    for name in ("terminated", "truncated"):
        yield name, getattr(twin, name), getattr(engine, name), no_tolerance
    for name in setup.exact:
        yield name, twin.info[name], engine.info[name], no_tolerance
    for name in ("reward", "observation"):
        yield name, getattr(twin, name), getattr(engine, name), tolerances.value_tolerance
    ours, theirs = (() if side.mask is None else side.mask for side in (twin, engine))  # none is empty
    yield "mask", ours, theirs, no_tolerance
    for name in setup.metrics:
        yield name, twin.info[name], engine.info[name], tolerances.metric_tolerance
    if setup.episode and twin.episode and engine.episode:
        for name, value in twin.episode.items():
            yield f"episode.{name}", value, engine.episode[name], tolerances.metric_tolerance


def no_tolerance(twin: np.ndarray, engine: np.ndarray) -> np.ndarray:
    """For values that must be equal."""
    return np.zeros_like(twin)


def first_difference(
    step: int, name: str, twin: Any, engine: Any, tolerance: ToleranceRule
) -> Mismatch | None:
    """The first entry whose difference exceeds its tolerance; a NaN on either side is always a difference."""
    if isinstance(twin, (int, float)) and twin == engine:
        return None  # most numbers of most steps
    a, b = (np.asarray(values, np.float64).reshape(-1) for values in (twin, engine))
    if a.size != b.size:
        return Mismatch(step, f"{name}.size", None, a.size, b.size, abs(a.size - b.size))
    if (a == b).all():
        return None
    difference = np.abs(a - b)
    beyond = np.flatnonzero(~(difference <= tolerance(a, b)))
    if not beyond.size:
        return None
    at = int(beyond[0])
    index = at if a.size > 1 else None
    return Mismatch(step, name, index, float(a[at]), float(b[at]), float(difference[at]))


# ---- the two sides -----------------------------------------------------------------------------------------


class TwinSide:
    """A twin's answers, one row per agent."""

    def __init__(self, twin: Any, episode: Callable[[Any], Mapping[str, Any]] | None = None) -> None:
        self.twin = twin
        self.episode = episode

    def reset(self, seed: int) -> StepResult:
        """Start the episode of this seed."""
        observation, info = self.twin.reset(seed)
        return self._result(observation, 0.0, False, False, info)

    def step(self, action: Any) -> StepResult:
        """Play one action."""
        result = self._result(*self.twin.step(action))
        if result.over and self.episode:
            result.episode = self.episode(self.twin)
        return result

    def _result(
        self, seen: np.ndarray, reward: Any, terminated: Any, truncated: Any, info: Any
    ) -> StepResult:
        """The twin's values, one row per agent."""
        rows = seen.reshape(-1, seen.shape[-1])
        return StepResult(
            observation=rows.copy(),
            reward=per_row(rows, reward, np.float32),
            terminated=per_row(rows, terminated, np.bool_),
            truncated=per_row(rows, truncated, np.bool_),
            mask=self.twin.mask(),
            info=info,
        )


class EngineSide:
    """One native world that stays at its ending until it is reset."""

    def __init__(self, world: World) -> None:
        self.world = world

    def reset(self, seed: int) -> StepResult:
        """Start the episode of this seed."""
        self.world.reset(seeds=[seed])
        return self._result(resetting=True)

    def step(self, action: Any) -> StepResult:
        """Play one action."""
        self.world.actions[:] = action  # unchecked: the core itself must handle invalid ids
        self.world.step()
        result = self._result()
        for episode in self.world.finished():
            result.episode = episode
        return result

    def _result(self, resetting: bool = False) -> StepResult:
        """The engine's arrays, copied; a reset writes no reward and no ending."""
        world = self.world
        arrays = (world.rewards, world.terminated, world.truncated)
        results = (np.zeros_like(array) if resetting else array.copy() for array in arrays)
        reward, terminated, truncated = results
        mask = None if world.masks is None else world.masks.copy()
        return StepResult(world.observations.copy(), reward, terminated, truncated, mask, world.info(0))


def per_row(rows: np.ndarray, value: Any, dtype: type) -> np.ndarray:
    """One entry per row; a twin may return a single value for all rows."""
    return np.broadcast_to(np.asarray(value, dtype), len(rows))


# ---- playing -----------------------------------------------------------------------------------------------


@dataclass
class ParityRun:
    """One case being played."""

    case: Case
    setup: ParitySetup
    suite: Suite
    twin: TwinSide
    engine: EngineSide
    tolerances: Tolerances
    bot: Bot | None = None  # of a bot suite

    def __post_init__(self) -> None:
        self.rng = random.Random(self.case.seed + ACTION_STREAM_OFFSET)
        self.trace = Trace()
        self.result = CaseResult(self.case, decisions=0, episodes=0, goals_met=Counter())

    def play(self) -> CaseResult:
        """Episode after episode, to the last decision of the case or to the first difference."""
        seed = self.case.seed
        while self.result.decisions < self.case.steps and not self.result.mismatch:
            self.play_episode(seed)
            seed += 1
        return self.result

    def play_episode(self, seed: int) -> None:
        """One episode, to its end or to the first difference."""
        self.trace.seeds.append((self.result.decisions, seed))
        if not self.agree(self.twin.reset(seed), self.engine.reset(seed)):
            return
        self.result.episodes += 1
        for action in self.actions():
            twin = self.decide(action)
            if self.result.mismatch or twin.over or self.result.decisions >= self.case.steps:
                return

    def decide(self, action: Any) -> StepResult:
        """One action on both sides."""
        twin, engine = self.twin.step(action), self.engine.step(action)
        self.trace.actions.append(action)
        self.agree(twin, engine)
        self.result.decisions += 1
        self.result.goals_met.update(self.setup.goals_met(self.twin.twin, action, twin.info))
        return twin

    def agree(self, twin: StepResult, engine: StepResult) -> bool:
        """Compare both sides; False at the first difference."""
        self.trace.twin.append(twin)
        self.trace.engine.append(engine)
        self.result.mismatch = compare(self.setup, self.tolerances, self.result.decisions, twin, engine)
        return self.result.mismatch is None

    def actions(self) -> Iterator[Any]:
        """The actions of one episode: from the suite's script, or from its bot."""
        if self.suite.script:
            yield from self.suite.script(self.twin.twin, self.rng)
            raise RuntimeError(f"Suite {self.suite.name} ran out of actions before the episode ended.")
        assert self.bot
        state = None
        while True:
            latest = self.trace.twin[-1]
            masks = None if latest.mask is None else latest.mask.reshape(len(latest.observation), -1)
            actions, state = self.bot.act(latest.observation, masks, state)
            yield actions if len(actions) > 1 else actions[0]


# ---- the bundle of a failed case ---------------------------------------------------------------------------


def write_bundle(bundles: Path, result: CaseResult, trace: Trace) -> Path:
    """A new folder with mismatch.json, actions.json, twin.npz and engine.npz, named in the result."""
    case = result.case
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    folder = bundles / f"{stamp}-{case.profile}-{case.suite}-seed{case.seed}-budget{case.budget}"
    folder.mkdir(parents=True)
    result.bundle = str(folder)
    files = {
        "mismatch": failure_as_json(result),
        "actions": {"resets": trace.seeds, "actions": trace.actions},
    }
    for name, content in files.items():
        text = json.dumps(content, indent=1, default=lambda number: number.tolist())  # NumPy scalars
        (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    for side in ("twin", "engine"):
        arrays: dict[str, Any] = columns(getattr(trace, side))
        np.savez_compressed(folder / f"{side}.npz", **arrays)
    return folder


def columns(results: list[StepResult]) -> dict[str, np.ndarray]:
    """A trace as arrays with one row per reset and per decision, in order."""
    names = ("observation", "reward", "terminated", "truncated")
    arrays = {name: np.stack([getattr(result, name) for result in results]) for name in names}
    if results[0].mask is not None:
        arrays["mask"] = np.stack([np.asarray(result.mask) for result in results])
    for name in results[0].info:
        arrays[f"info_{name}"] = np.asarray([result.info[name] for result in results])
    return arrays
