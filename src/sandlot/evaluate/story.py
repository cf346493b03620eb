"""What a run learned, shown by matches: an early, a middle and a late checkpoint play the same seeds.

Matches are counted (win rates with intervals, times to the end) and one seed is chosen by rule. Its matches
are kept as replays of exactly the actions that were counted. How many seeds show the same pattern is
reported too: the chosen seed need not be typical.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import seeding
from ..errors import ConfigError
from ..rating import Estimate
from ..runs import Replay, Run
from ..spec import Spec
from ..worlds import World
from .play import play
from .players import read_checkpoint
from .replay_recorder import Origin, record
from .shares import UNKNOWN_TICK_RATE
from .statistics import proportion

SEEDS = 100  # that every stage plays
MIDDLE_S = (0.25, 0.6)  # share of the longest match within which the middle one is decided
LATE = 0.8  # share of it after which a decision is a late one
NAMES = ("before", "middle", "after")


@dataclass(frozen=True)
class LearningStage:
    """A checkpoint, and how far training had come by then."""

    name: str
    path: Path
    window_id: int | None  # None: before the first step
    trained_s: float | None  # None where the run does not say


@dataclass(frozen=True, eq=False)
class Matches:
    """One match per seed, of one stage."""

    winners: tuple[str, ...]  # a role, or "" for nobody
    seconds: np.ndarray  # [seeds]
    nearest: np.ndarray  # metres between opponents at the closest, [seeds]; nan where the game has no places
    closeness: np.ndarray  # mean of 1 / metres, [seeds]
    actions: tuple[np.ndarray, ...]  # of each seed, [steps, agents, …]

    def wins(self, role: str) -> Estimate:
        """The share of matches that a role won, with its exact interval."""
        return proportion(self.winners.count(role), len(self.winners))

    def median_s(self, role: str) -> float | None:
        """The median length of the matches that a role won; None if it won none."""
        own = self.seconds[[winner == role for winner in self.winners]]
        return float(np.median(own)) if len(own) else None


@dataclass(frozen=True, eq=False)
class Story:
    """What was played, and which seed shows it."""

    spec: Spec
    seeds: Sequence[int]
    stages: Sequence[LearningStage]
    matches: Sequence[Matches]  # of each stage
    chaser: str  # the role whose wins end matches early
    runner: str  # the role that wins by lasting
    chosen: int  # place of the seed
    pattern: str  # what the chosen seed shows, in words
    fits: int  # seeds that show it

    @property
    def limit_s(self) -> float:
        """The longest match."""
        return max(float(played.seconds.max()) for played in self.matches)

    def to_json(self) -> dict[str, Any]:
        """Everything that was counted."""
        rows = [_row(self, stage, played) for stage, played in zip(self.stages, self.matches, strict=True)]
        return {
            "seed": str(self.seeds[self.chosen]),
            "pattern": self.pattern,
            "seeds_with_pattern": self.fits,
            "seeds_tried": len(self.seeds),
            "stages": rows,
        }


def _row(story: Story, stage: LearningStage, played: Matches) -> dict[str, Any]:
    wins = {role: played.wins(role) for role in (story.chaser, story.runner)}
    return {
        "stage": stage.name,
        "window_id": stage.window_id,
        "trained_s": stage.trained_s,
        "wins": {role: {"share": one.value, "interval": list(one.interval)} for role, one in wins.items()},
        "median_s": {role: played.median_s(role) for role in wins},
        "shown": {"winner": played.winners[story.chosen], "seconds": float(played.seconds[story.chosen])},
    }


# ---------------------------------------------------------------- the stages


def stages_of(run: Run) -> list[LearningStage]:
    """Up to three: the weights of step 0 (else the oldest), the middle, and the best (else the newest)."""
    kept = run.checkpoints()
    best = run.best()
    last = _last_window(run, best)
    if last is None:
        return []
    seconds = {row.window_id: row.metrics.get("seconds") for row in run.windows()}
    found = [LearningStage(NAMES[2], run.paths.best if best else kept[last], last, seconds.get(last))]
    earlier = [window for window in kept if window < last]
    if run.paths.initial.exists():
        found.insert(0, LearningStage(NAMES[0], run.paths.initial, None, 0.0))
    elif earlier:
        first = earlier.pop(0)
        found.insert(0, LearningStage(NAMES[0], kept[first], first, seconds.get(first)))
    if earlier and len(found) > 1:
        middle = min(earlier, key=lambda window: abs(window - last / 2))
        found.insert(1, LearningStage(NAMES[1], kept[middle], middle, seconds.get(middle)))
    return found


def _last_window(run: Run, best: Any) -> int | None:
    """The window of the best weights, the later one where roles come from two; else the newest."""
    if best is not None:
        return max([one.window_id for one in best.roles.values()] or [best.window_id])
    return max(run.checkpoints(), default=None)


def tells_story(spec: Spec) -> bool:
    """Whether a game has such matches: two agents of two roles that win against each other."""
    return spec.competes and len(spec.role_names) == 2 and spec.agents == 2 and spec.outcome is not None


# ---------------------------------------------------------------- playing


def tell(
    stages: Sequence[LearningStage],
    seeds: Sequence[int] = (),
    threads: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
) -> Story:
    """Play every stage on the same seeds and choose the one to show."""
    if len(stages) < 2:
        raise ConfigError("There is only one checkpoint. Train at least two windows.")
    seeds = seeds or seeding.held_out("report", SEEDS)
    checkpoints = [read_checkpoint(stage.path) for stage in stages]
    spec = checkpoints[-1].spec
    if not tells_story(spec):
        raise ConfigError(f"{spec.game} has no two roles that win against each other.")
    matches = []
    for number, (stage, checkpoint) in enumerate(zip(stages, checkpoints, strict=True)):
        matches.append(_play(spec, checkpoint.policies, seeds, threads))
        if progress:
            progress(stage.name, number + 1, len(stages))
    chaser, runner = _parts(spec, matches)
    chosen, pattern, fits = _choose(matches, chaser, runner)
    return Story(spec, seeds, stages, matches, chaser, runner, chosen, pattern, fits)


class _Watcher:
    """Keeps the actions of every step, and how far apart opponents are."""

    def __init__(self, spec: Spec):
        place = next((field for field in spec.render if field.name == "position"), None)
        self.place = place if place and place.shape[0] == spec.agents else None
        self.actions: list[np.ndarray] = []
        self.distances: list[np.ndarray] = []

    def look(self, world: World) -> None:
        """Before each step."""
        self.actions.append(world.actions.copy())
        if self.place is not None:
            blocks = np.stack([world.block("render", i)[self.place.slice] for i in range(world.worlds)])
            first, second = np.moveaxis(blocks.reshape(world.worlds, *self.place.shape), 1, 0)
            self.distances.append(np.linalg.norm(first - second, axis=1))


def _play(spec: Spec, policies: Any, seeds: Sequence[int], threads: int) -> Matches:
    watcher = _Watcher(spec)
    played = play(spec.address, policies, seeds, spec.settings, threads, watch=watcher.look)
    if len(played) != len(seeds):
        raise ConfigError(f"A match of {spec.game} did not end within the step limit; give it a time limit.")
    steps = played.heads["length"].astype(int)
    actions = np.stack(watcher.actions)
    actions = actions.reshape(len(actions), len(seeds), spec.agents, *actions.shape[2:])
    away = np.stack(watcher.distances) if watcher.distances else np.full((len(actions), len(seeds)), np.nan)
    mine = [away[:count, i] for i, count in enumerate(steps)]
    return Matches(
        winners=_winners(spec, played),
        seconds=_seconds(spec, played),
        nearest=np.array([each.min() for each in mine]),
        closeness=np.array([(1 / np.maximum(each, 1e-3)).mean() for each in mine]),
        actions=tuple(actions[:count, i] for i, count in enumerate(steps)),
    )


def _winners(spec: Spec, played: Any) -> tuple[str, ...]:
    assert spec.outcome is not None  # tells_story
    by_code = {code: role for role in spec.role_names for code in spec.winning_codes(role)}
    return tuple(by_code.get(int(code), "") for code in played.column(spec.outcome.name))


def _seconds(spec: Spec, played: Any) -> np.ndarray:
    if played.has("duration_s"):
        return np.asarray(played.column("duration_s"), float)
    ticks = played.column("ticks") if played.has("ticks") else played.column("length")
    return np.asarray(ticks, float) / (spec.tick_rate or UNKNOWN_TICK_RATE)


# ---------------------------------------------------------------- choosing


def _parts(spec: Spec, matches: Sequence[Matches]) -> tuple[str, str]:
    """Who chases and who runs: the chaser's wins are the shorter ones."""
    winners = np.array([winner for played in matches for winner in played.winners])
    seconds = np.concatenate([played.seconds for played in matches])
    lengths = {r: float(np.median(seconds[winners == r])) for r in spec.role_names if (winners == r).any()}
    first, second = spec.role_names
    if lengths.get(second, np.inf) < lengths.get(first, np.inf):
        return second, first
    return first, second


def _choose(matches: Sequence[Matches], chaser: str, runner: str) -> tuple[int, str, int]:
    """The seed to show, what it shows, and how many seeds show the same.

    The first pattern that any seed shows; of several seeds the one with the closest last match.
    """
    limit = max(float(played.seconds.max()) for played in matches)
    first, last = matches[0], matches[-1]
    middle = matches[1] if len(matches) > 2 else None
    missed = _won(first, runner)
    escaped, late = _won(last, runner), _won(last, chaser) & (last.seconds >= LATE * limit)
    if middle is None:
        patterns = [(f"the {runner} lasts, then the {chaser} wins", missed & _won(last, chaser))]
    else:
        low, high = (share * limit for share in MIDDLE_S)
        caught = _won(middle, chaser)
        timely = caught & (middle.seconds >= low) & (middle.seconds <= high)
        turn = f"the {runner} lasts, the {chaser} wins, then the {runner} lasts or nearly"
        patterns = [
            (turn, missed & timely & (escaped | late)),
            (f"the {runner} lasts, then the {chaser} wins twice", missed & caught & _won(last, chaser)),
            (f"the {chaser} wins, then the {runner} lasts", caught & escaped),
        ]
    for words, fits in patterns:
        if fits.any():
            return _closest(last, fits), words, int(fits.sum())
    return _usual(matches)


def _usual(matches: Sequence[Matches]) -> tuple[int, str, int]:
    """No pattern fits: the outcome that most seeds have in all stages."""
    outcomes = list(zip(*(played.winners for played in matches), strict=True))
    usual = max(outcomes, key=outcomes.count)
    fits = np.array([one == usual for one in outcomes])
    return (
        _closest(matches[-1], fits),
        "won by " + ", ".join(one or "nobody" for one in usual),
        int(fits.sum()),
    )


def _won(played: Matches, role: str) -> np.ndarray:
    return np.array([winner == role for winner in played.winners])


def _closest(played: Matches, fits: np.ndarray) -> int:
    """Of the seeds that fit, the one whose opponents are closest; the first where that is unknown."""
    closeness = np.nan_to_num(played.closeness, nan=0.0)
    return int(np.argmax(np.where(fits, closeness, -1.0)))


# ---------------------------------------------------------------- replays


class Tape:
    """Plays the actions that a role took."""

    def __init__(self, name: str, actions: np.ndarray):
        self.name, self._actions, self._step = name, actions, -1

    def act(self, observations: Any, masks: Any = None, state: Any = None) -> tuple[np.ndarray, Any]:
        """The next actions, whatever is observed."""
        self._step += 1
        return self._actions[self._step], None


def replays(story: Story, run_id: str, names: Sequence[str]) -> list[Replay]:
    """The chosen seed's match of each stage, as it was counted. names: of the stages, in plain words."""
    spec, made = story.spec, []
    roles = np.array(spec.roles)
    for stage, played, name in zip(story.stages, story.matches, names, strict=True):
        actions = played.actions[story.chosen]
        tapes = {role: Tape(name, actions[:, np.flatnonzero(roles == role)]) for role in spec.role_names}
        origin = Origin(run_id, stage.window_id) if stage.window_id is not None else None
        replay = record(
            spec.address, tapes, story.seeds[story.chosen], spec.settings, origin=origin, exact=True
        )
        winner = replay.end.episode.get(spec.outcome.name) if spec.outcome else None
        if winner not in (played.winners[story.chosen], spec.winners[0]) or replay.end.steps != len(actions):
            raise ConfigError(f"The match of {name} came out differently when it was recorded. Report this.")
        made.append(replay)
    return made
