"""Does the engine do what the rules say? It and a slow Python twin play the same actions and are compared.

Both sides start a case with the same seed, get the same actions, and must agree after every decision: flags
exactly, numbers within the tolerances below. After an ending both start again with the next seed. The first
difference ends a case and leaves a bundle: the actions, both traces and one JSON file that says where.

A matrix of cases also has to *reach* things (every ending, every action): a game's kit names the goals, and
a matrix that misses one is not a pass.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np

from ..games.reference.kit import Kit, Player, Suite, Tolerances

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
        return f"{self.profile} {self.suite} seed {self.seed} budget {self.budget}"


@dataclass
class Moment:
    """What one side says after a reset or a decision. Rows are agents."""

    observation: np.ndarray  # [agents, D]
    reward: np.ndarray  # [agents]
    terminated: np.ndarray  # [agents]
    truncated: np.ndarray  # [agents]
    mask: np.ndarray | None
    info: Mapping[str, Any]
    episode: Mapping[str, Any] | None = None  # sums, once it is over

    @property
    def over(self) -> bool:
        return bool(np.all(self.terminated | self.truncated))


class Side(Protocol):
    def reset(self, seed: int) -> Moment: ...

    def step(self, action: Any) -> Moment: ...


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
        place = "" if self.index is None else f"[{self.index}]"
        return (
            f"step {self.step}: {self.field}{place} is {self.twin!r} in the twin "
            f"and {self.engine!r} in the engine (off by {self.difference:.3g})"
        )


@dataclass
class Trace:
    """Everything that both sides said, for the bundle."""

    actions: list[Any] = field(default_factory=list)
    seeds: list[tuple[int, int]] = field(default_factory=list)  # (step, seed) of every reset
    twin: list[Moment] = field(default_factory=list)
    engine: list[Moment] = field(default_factory=list)


@dataclass
class CaseResult:
    case: Case
    decisions: int
    episodes: int
    shown: Counter[str]
    mismatch: Mismatch | None = None
    bundle: str | None = None


@dataclass
class Report:
    """The verdict over a matrix."""

    game: str
    cases: list[CaseResult] = field(default_factory=list)
    goals: dict[str, tuple[str, ...]] = field(default_factory=dict)  # by profile
    coverage_judged: bool = True

    def mismatches(self) -> list[CaseResult]:
        return [result for result in self.cases if result.mismatch]

    def coverage(self) -> dict[str, dict[str, int]]:
        """How often each goal was reached, by profile."""
        shown: dict[str, Counter[str]] = {profile: Counter() for profile in self.goals}
        for result in self.cases:
            shown[result.case.profile].update(result.shown)
        return {
            profile: {goal: shown[profile][goal] for goal in goals} for profile, goals in self.goals.items()
        }

    def missing(self) -> dict[str, list[str]]:
        return {
            profile: [goal for goal, times in counts.items() if not times]
            for profile, counts in self.coverage().items()
        }

    def complete(self) -> bool:
        return not any(self.missing().values())

    def good(self) -> bool:
        return not self.mismatches() and (self.complete() or not self.coverage_judged)

    def as_json(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "good": self.good(),
            "cases": len(self.cases),
            "decisions": sum(result.decisions for result in self.cases),
            "episodes": sum(result.episodes for result in self.cases),
            "mismatches": [failure_as_json(result) for result in self.mismatches()],
            "coverage_judged": self.coverage_judged,
            "coverage": self.coverage(),
            "missing": self.missing(),
        }


def failure_as_json(result: CaseResult) -> dict[str, Any]:
    """The JSON file of a bundle, and one row of a report."""
    assert result.mismatch
    return {**asdict(result.case), "first_mismatch": asdict(result.mismatch), "bundle": result.bundle}


# ---- comparing ---------------------------------------------------------------------------------------------


def compare(kit: Kit, tolerances: Tolerances, step: int, twin: Moment, engine: Moment) -> Mismatch | None:
    """The first difference between two moments: flags before numbers, metrics last."""
    for name, ours, theirs, room in pairs(kit, tolerances, twin, engine):
        if found := first_beyond(step, name, ours, theirs, room):
            return found
    return None


Room = Callable[[np.ndarray, np.ndarray], np.ndarray]
Pair = tuple[str, Any, Any, Room]


def pairs(kit: Kit, tolerances: Tolerances, twin: Moment, engine: Moment) -> Iterator[Pair]:
    """What is compared, in order: name, both values, and how far they may lie apart."""
    for name in ("terminated", "truncated"):
        yield name, getattr(twin, name), getattr(engine, name), no_room
    for name in kit.exact:
        yield name, twin.info[name], engine.info[name], no_room
    for name in ("reward", "observation"):
        yield name, getattr(twin, name), getattr(engine, name), tolerances.value_room
    yield "mask", mask_of(twin), mask_of(engine), no_room
    for name in kit.metrics:
        yield name, twin.info[name], engine.info[name], tolerances.metric_room
    if kit.episode and twin.episode and engine.episode:
        for name, value in twin.episode.items():
            yield f"episode.{name}", value, engine.episode[name], tolerances.metric_room


def no_room(twin: np.ndarray, engine: np.ndarray) -> np.ndarray:
    return np.zeros_like(twin)


def mask_of(moment: Moment) -> Any:
    """A game without masks counts as one with an empty mask."""
    return () if moment.mask is None else moment.mask


def numbers(values: Any) -> np.ndarray:
    return np.asarray(values, dtype=np.float64).reshape(-1)


def first_beyond(step: int, name: str, twin: Any, engine: Any, room: Room) -> Mismatch | None:
    """The first entry further apart than its room; a NaN on either side is always a difference."""
    if isinstance(twin, (int, float)) and twin == engine:
        return None  # most numbers of most steps
    a, b = numbers(twin), numbers(engine)
    if a.size != b.size:
        return Mismatch(step, f"{name}.size", None, a.size, b.size, abs(a.size - b.size))
    if (a == b).all():
        return None
    difference = np.abs(a - b)
    beyond = np.flatnonzero(~(difference <= room(a, b)))
    if not beyond.size:
        return None
    at = int(beyond[0])
    index = at if a.size > 1 else None
    return Mismatch(step, name, index, float(a[at]), float(b[at]), float(difference[at]))


# ---- the two sides -----------------------------------------------------------------------------------------


class TwinSide:
    """A twin's answers, one row an agent."""

    def __init__(self, twin: Any, episode: Callable[[Any], Mapping[str, Any]] | None = None) -> None:
        self.twin = twin
        self.episode = episode

    def reset(self, seed: int) -> Moment:
        observation, info = self.twin.reset(seed)
        return self.moment(observation, 0.0, False, False, info)

    def step(self, action: Any) -> Moment:
        moment = self.moment(*self.twin.step(action))
        if moment.over and self.episode:
            moment.episode = self.episode(self.twin)
        return moment

    def moment(self, seen: np.ndarray, reward: Any, terminated: Any, truncated: Any, info: Any) -> Moment:
        rows = seen.reshape(-1, seen.shape[-1])
        return Moment(
            observation=rows.copy(),
            reward=a_row_each(rows, reward, np.float32),
            terminated=a_row_each(rows, terminated, np.bool_),
            truncated=a_row_each(rows, truncated, np.bool_),
            mask=self.twin.mask(),
            info=info,
        )


def a_row_each(rows: np.ndarray, value: Any, dtype: type) -> np.ndarray:
    """One entry a row, also where a twin says the same for all with one value."""
    return np.broadcast_to(np.asarray(value, dtype), len(rows))


# ---- playing -----------------------------------------------------------------------------------------------


@dataclass
class Match:
    """One case being played."""

    case: Case
    kit: Kit
    suite: Suite
    twin: TwinSide
    engine: Side
    tolerances: Tolerances
    player: Player | None = None  # the scripted player of a bot suite

    def __post_init__(self) -> None:
        self.rng = random.Random(self.case.seed + ACTION_STREAM_OFFSET)
        self.trace = Trace()
        self.result = CaseResult(self.case, decisions=0, episodes=0, shown=Counter())

    def play(self) -> CaseResult:
        """Episode after episode, to the last decision of the case or to the first difference."""
        seed = self.case.seed
        while self.result.decisions < self.case.steps and not self.result.mismatch:
            self.play_episode(seed)
            seed += 1
        return self.result

    def play_episode(self, seed: int) -> None:
        self.trace.seeds.append((self.result.decisions, seed))
        if not self.agree(self.twin.reset(seed), self.engine.reset(seed)):
            return
        self.result.episodes += 1
        for action in self.actions():
            moment = self.decide(action)
            if self.result.mismatch or moment.over or self.result.decisions >= self.case.steps:
                return

    def decide(self, action: Any) -> Moment:
        twin, engine = self.twin.step(action), self.engine.step(action)
        self.trace.actions.append(action)
        self.agree(twin, engine)
        self.result.decisions += 1
        self.result.shown.update(self.kit.shown(self.twin.twin, action, twin.info))
        return twin

    def agree(self, twin: Moment, engine: Moment) -> bool:
        self.trace.twin.append(twin)
        self.trace.engine.append(engine)
        self.result.mismatch = compare(self.kit, self.tolerances, self.result.decisions, twin, engine)
        return self.result.mismatch is None

    def actions(self) -> Iterator[Any]:
        """The actions of one episode: from the suite's script, or from the library's scripted player."""
        if self.suite.script:
            yield from self.suite.script(self.twin.twin, self.rng)
            raise RuntimeError(
                f"Suite {self.suite.name} ran out of actions; a script must outlast the episode."
            )
        assert self.player
        state = None
        while True:
            latest = self.trace.twin[-1]
            masks = None if latest.mask is None else latest.mask.reshape(len(latest.observation), -1)
            actions, state = self.player.act(latest.observation, masks, state)
            yield actions if len(actions) > 1 else actions[0]
