"""Episodes that decided a failed gate: recorded on both sides, shrunk, and put where the site opens them.

Two kinds of oracle. Builds that play the same policy: the actions fail on the current build and do not on the
baseline, so what is left shows the difference between the two. Two policies on one build, or a baseline that
is a report: the actions lead to the same ending as the failed episode. In an engine that is not native they
have to do so every time of several, and there is time for fewer tries.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..evaluate.report_file import SUCCESS
from ..runs import Replay, Run
from ..runs.store import Store
from ..spec import Spec
from ..worlds import load_spec
from .regression import key_of
from .shrink import MOST_SECONDS, Shrunk, shrink
from .sides import BuildCrashed, Key, PlayedSide, Side
from .verdict import FAIL, Check, Episode, Failure, Verdict
from .worker import no_action

ATTEMPTS = 12  # to see a failure again whose policy draws its actions
REPEATS = 2  # of an engine with a clock of its own: a failure that comes back every time
BACKEND = "gate"
Progress = Callable[[str, int, int], None]
Outcome = dict[str, Any]


def attach_failures(
    verdict: Verdict,
    baseline: Side,
    current: PlayedSide,
    count: int,
    runs: Path | str = "runs",
    progress: Progress | None = None,
) -> Verdict:
    """The verdict with the replays of its worst episodes, if it failed."""
    if verdict.result != FAIL or not verdict.worst or not _recordable(current):
        return verdict
    failed = {(check.group, check.name): check for check in verdict.checks if check.result == FAIL}
    chosen = [e for e in verdict.worst if (e.group, e.metric) in failed]
    chosen = list({(e.group, e.seed): e for e in chosen}.values())[:count]
    recorder = _Recorder(baseline, current, Store(runs))
    try:
        for i, episode in enumerate(chosen):
            if progress:
                progress("shrinking failures", i, len(chosen))
            recorder.add(episode, failed[episode.group, episode.metric])
        made = recorder.failures
        run_id = recorder.close()
    except BuildCrashed as crash:
        verdict.notes.append(f"The failures could not be recorded: {crash}")
        recorder.close()
        return verdict
    return verdict.model_copy(update={"failures": _merged(made), "replay_run": run_id})


def _recordable(side: PlayedSide) -> bool:
    """Native games, and scenes of Godot that talk to us; not Gymnasium's, nor the stock plugin's."""
    engine, scenario = side.about["engine"], side.about["scenario"]
    return engine == "godot" or (engine == "native" and ":" not in scenario)


def _merged(failures: list[Failure]) -> list[Failure]:
    """One per fingerprint, with how many more there are."""
    by_print: dict[str, Failure] = {}
    for failure in failures:
        known = by_print.get(failure.fingerprint)
        if known is None:
            by_print[failure.fingerprint] = failure
        else:
            by_print[failure.fingerprint] = known.model_copy(update={"duplicates": known.duplicates + 1})
    return list(by_print.values())


class _Recorder:
    """Records and shrinks one failure after the other, into one run."""

    def __init__(self, baseline: Side, current: PlayedSide, store: Store):
        self.current, self.store, self.groups = current, store, baseline
        # one that plays in an engine of the same kind: a report cannot be asked again
        self.baseline = baseline if isinstance(baseline, PlayedSide) and _recordable(baseline) else None
        self.name = baseline.identity.name
        native = current.about["engine"] == "native"
        self.repeats, self.seconds = (1, MOST_SECONDS) if native else (REPEATS, MOST_SECONDS / 2)
        self.failures: list[Failure] = []
        self._run: Run | None = None

    @property
    def run(self) -> Run:
        """The run that holds the replays; made for the first one."""
        if self._run is None:
            about = self.current.about
            fields = {"game": about["game"], "trainer_backend": BACKEND, "window_env_steps": 1, "seed": 0}
            config = {"gate": {"baseline": self.name, "current": self.current.identity.name}}
            self._run = self.store.create(config, **fields)
        return self._run

    def close(self) -> str | None:
        """The run's id, if there is one."""
        if self._run is None:
            return None
        run_id = self._run.run_id
        self._run.finish("completed")
        self._run.close()
        return run_id

    def add(self, episode: Episode, check: Check) -> None:
        """Record one failed episode on both sides, and shrink it."""
        key, seed = key_of(self.groups, episode.group), episode.seed
        condition = self._condition(check, episode)
        replay = self._failed_again(key, seed, condition)
        if replay is None:
            return
        replays = {"current": self._store(replay, "current")}
        if self.baseline:
            replays["baseline"] = self._store(self.baseline.record(key, seed), "baseline")
        found = _Found(episode, check, condition, len(replay.actions), replays)
        if not self._fails(condition, seed, replay.actions):
            self.failures.append(found.described(None))  # by chance, or an episode without end
            return
        differs = self._differs(condition, seed, replay.actions)

        def oracle(trial: np.ndarray) -> bool:
            if not self._fails(condition, seed, trial):
                return False
            return not differs or not condition.holds(self._of_baseline(seed, trial))

        step = self._divergence(seed, replay.actions) if self._builds else None
        # up to there both builds are in the same state: the latest snapshot from which the failure shows
        start = max(0, step - 1) if differs and step is not None else 0
        before, rest = replay.actions[:start], replay.actions[start:]
        nothing = no_action(self.spec)
        shrunk = shrink(
            rest, nothing, lambda trial: oracle(np.concatenate([before, trial])), seconds=self.seconds
        )
        whole = np.concatenate([before, shrunk.actions])
        replays["shrunk"] = self._store(self.current.record(key, seed, whole), "shrunk")
        self.failures.append(found.described(shrunk, differs, step, start))

    @property
    def _builds(self) -> bool:
        """Whether two builds of the native library can be asked about the same actions."""
        return self.baseline is not None and bool(self.current.library or self.baseline.library)

    def _fails(self, condition: Condition, seed: int, actions: np.ndarray) -> bool:
        """Every time, where an engine has a clock of its own."""
        return all(condition.holds(self.current.outcome(seed, actions)) for _ in range(self.repeats))

    def _of_baseline(self, seed: int, actions: np.ndarray) -> Outcome | None:
        return self.baseline.outcome(seed, actions) if self.baseline else None

    def _differs(self, condition: Condition, seed: int, actions: np.ndarray) -> bool:
        return self._builds and not condition.holds(self._of_baseline(seed, actions))

    @property
    def spec(self) -> Spec:
        """Of the current side."""
        about = self.current.about
        return load_spec(about["scenario"], {"profile": about["profile"], **about["settings"]})

    def _condition(self, check: Check, episode: Episode) -> Condition:
        """What makes an episode the same failure: its ending, or a measure that is as bad."""
        spec = self.spec
        metric = next(m for m in self.current.metrics if m.name == check.name)
        sign = -1 if check.better == "lower" else 1
        if metric.kind != "rate" and metric.field:
            return Condition(field=metric.field, sign=sign, limit=(episode.baseline + episode.current) / 2)
        if metric.field:
            return Condition(field=metric.field, sign=sign, limit=episode.current)
        if metric.name == SUCCESS and spec.outcome is not None:
            role = key_of(self.groups, episode.group)[0]
            won = frozenset(float(code) for code in spec.winning_codes(role))
            return Condition(field=spec.outcome.name, not_in=won)
        return Condition()

    def _failed_again(self, key: Key, seed: int, condition: Condition) -> Replay | None:
        """A recording of the failed episode: of several, if chance is in it, the first that fails again."""
        replay = None
        for attempt in range(ATTEMPTS):
            replay = self.current.record(key, seed, attempt=attempt)
            if condition.holds(self.current.outcome(seed, replay.actions)):
                break
        return replay

    def _divergence(self, seed: int, actions: np.ndarray) -> int | None:
        assert self.baseline is not None
        one, two = self.baseline.hashes(seed, actions), self.current.hashes(seed, actions)
        different = (i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b)
        return next(different, None if len(one) == len(two) else min(len(one), len(two)))

    def _store(self, replay: Replay, tag: str) -> str:
        return self.run.add_replay(replay.with_tags([BACKEND, tag])).replay_id


@dataclass(frozen=True)
class Condition:
    """When an episode shows the failure: it ended, and a field of its sums is as bad as it was."""

    field: str | None = None
    sign: int = 1  # -1 where less is better
    limit: float = 0.0
    not_in: frozenset[float] | None = None  # of a code: what would have been good

    def holds(self, outcome: Outcome | None) -> bool:
        """Of the sums of an episode; None of one that did not end."""
        if outcome is None:
            return False
        if self.field is None:
            return True
        value = float(outcome[self.field])
        if self.not_in is not None:
            return value not in self.not_in
        return self.sign * value <= self.sign * self.limit

    def describe(self) -> str:
        """In words."""
        if self.not_in is not None:
            return f"{self.field} is no win"
        return f"{self.field} {'at least' if self.sign < 0 else 'at most'} {self.limit:.4g}"


@dataclass(frozen=True)
class _Found:
    """A failed episode, and what is known of it before shrinking."""

    episode: Episode
    check: Check
    condition: Condition
    steps: int
    replays: dict[str, str]

    def described(
        self, shrunk: Shrunk | None, differs: bool = False, step: int | None = None, start: int = 0
    ) -> Failure:
        """As a report shows it."""
        name, episode = self.check.name, self.episode
        text = json.dumps([episode.group, name, self.condition.describe(), shrunk is not None and differs])
        return Failure(
            group=episode.group,
            seed=episode.seed,
            metric=name,
            expected_behavior=f"{name} {episode.baseline:.4g}, as in the baseline's episode of this seed.",
            observed_fault=f"{name} {episode.current:.4g}.",
            minimal_reproduction=self._reproduction(shrunk, differs, start),
            replays=self.replays,
            diverges_at_step=step,
            starts_at_step=start,
            actions_before=self.steps,
            actions_after=self.steps if shrunk is None else int((~shrunk.idle).sum()),
            tries=0 if shrunk is None else shrunk.tries,
            fingerprint=hashlib.sha256(text.encode()).hexdigest()[:12],
            rows=[] if shrunk is None else _rows(shrunk, start),
        )

    def _reproduction(self, shrunk: Shrunk | None, differs: bool, start: int) -> str:
        if shrunk is None:
            return "The failure did not come back from its actions alone; the recordings show both episodes."
        idle = int(shrunk.idle.sum())
        acting = len(shrunk.actions) - idle
        text = f"Reset with seed {self.episode.seed}, "
        text += f"play the first {start} actions, " if start else ""
        text += f"then {acting} actions and {idle} steps without one"
        text += f" ({'each needed' if shrunk.minimal else 'shrinking was stopped by its limit'})"
        shows = (
            "which fails on the current build and not on the baseline"
            if differs
            else "which ends the same way"
        )
        return f"{text}, {shows}: {self.condition.describe()}."


def _rows(shrunk: Shrunk, start: int) -> list[dict[str, Any]]:
    """The actions that are left, with the step of the original that each was."""
    rows = []
    for action, step, idle in zip(shrunk.actions, shrunk.steps, shrunk.idle, strict=True):
        if not idle:
            rows.append({"step": start + int(step), "action": _plain(action)})
    return rows


def _plain(action: np.ndarray) -> Any:
    """Short numbers, without the list of agents where there is one."""
    if action.dtype.kind != "f":
        return action.tolist() if len(action) > 1 else int(action[0])
    rows = [[round(float(number), 3) for number in row] for row in action]
    return rows[0] if len(rows) == 1 else rows
