"""The evaluator: a process of its own that judges every committed checkpoint and records its replays.

    python -m sandlot.evaluate.evaluator RUN_FOLDER

It reads what the trainer committed and never makes it wait. There is one per run: a second waits until the
first has ended. It ends when the run has ended and nothing is left to judge. One that a trainer started also
ends, after the checkpoint at hand, when that trainer is gone: its standard input is closed then.

Checkpoints are compared on seeds of their own ("select"). The best of many owes some of its lead to luck, so
what it holds is measured once more, on seeds on which nothing was chosen ("report"); that is what best.json
reports.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import seeding
from ..errors import BridgeError, Damaged, GodotFailed, GodotMissing, MissingExtra, RunLocked, SandlotError
from ..games.make import ENGINES
from ..policies import Policy
from ..policies.policy import pack, unpack
from ..processes import lower_priority
from ..rating import SCALE
from ..runs.atomic import Lines
from ..runs.evaluations import parse_evaluations
from ..runs.lock import RunLock
from ..runs.records import NATIVE, Best, RoleBest
from ..runs.run import Run, sha256
from .judge import judge, meet
from .recording import record_match
from .replays import Origin, window_replay_id
from .tags import EVERY_N, EVERY_WINDOW, TagRules

POLL_SECONDS = 0.5
FAIR = 50.0  # rating points: whoever leads by so much wins four matches of seven
SHORTLIST = 3  # of each role, that the newest of the other meet
AGAIN = 4  # times as many matches, on other seeds, before a pair is taken
REPORT = 2  # times as many episodes for the report on the best checkpoint


@dataclass(frozen=True, eq=False)
class Candidate:
    """A role of one window: how good it is, and its policy as it is stored."""

    note: RoleBest
    state: dict[str, Any]


class Evaluator:
    """Judges the checkpoints of one run. Holds a lock until it is closed: there is one per run."""

    def __init__(self, run: Run):
        self.run = run
        self.episodes, self.replays, self.every, margin, engine = _settings(run)
        self.rules = TagRules(every=self.every, margin=margin)
        self.engine = engine if engine in ENGINES else NATIVE  # what replays are recorded in
        self._lock = RunLock(run.paths.evaluator_lock)
        self.seeds = seeding.held_out("select", self.episodes)
        for problem in parse_evaluations(run.paths.evaluations)[1]:
            _warn(problem)
        self.lines = Lines(run.paths.evaluations)
        self.shortlist: dict[str, list[Candidate]] = {}  # by role, the best first
        self.failed: set[int] = set()  # windows that cannot be judged; they are not tried again
        self.reported: str | None = None  # digest of the best checkpoint that cannot be reported on

    def waiting(self) -> list[int]:
        """Committed windows that nobody has judged yet, oldest first."""
        return [window for window in self.run.unevaluated(self.every) if window not in self.failed]

    def work(self) -> bool:
        """Judge the oldest checkpoint that waits, or report on the best. False: there is nothing to do."""
        waiting = self.waiting()
        if not waiting:
            return self._report()
        try:
            self.evaluate(waiting[0])
        except (SandlotError, OSError) as problem:
            self.failed.add(waiting[0])
            _warn(f"window {waiting[0]} is not evaluated: {problem}")
        return True

    def evaluate(self, window_id: int) -> dict[str, Any]:
        """Judge one checkpoint, record its replays, note what came of it."""
        path = self.run.paths.checkpoint(window_id)
        data = path.read_bytes()
        checkpoint = unpack(data, path.name)
        policies = {role: Policy.from_state(state) for role, state in checkpoint["policies"].items()}
        metrics = judge(policies, self.seeds)
        row = {
            "schema_version": 1,
            "window_id": window_id,
            "checkpoint_sha256": sha256(data),
            "env_steps_total": checkpoint["env_steps_total"],
            "evaluator_pid": os.getpid(),
            **metrics,
        }
        self._record(window_id, sha256(data), checkpoint, policies)
        self._promote(window_id, data, checkpoint, metrics)
        self.lines.append(json.dumps(row))
        self.lines.sync()
        return row

    def _report(self) -> bool:
        """Measure what best.pt holds on seeds on which nothing was chosen, once."""
        best = self.run.best()
        if best is None or best.report is not None or best.checkpoint_sha256 == self.reported:
            return False
        self.reported = best.checkpoint_sha256  # also when it fails: it would fail again
        try:
            kept = unpack(self.run.paths.best.read_bytes(), self.run.paths.best.name)
            policies = {role: Policy.from_state(state) for role, state in kept["policies"].items()}
            metrics = judge(policies, seeding.held_out("report", REPORT * self.episodes))
            self.run.report_best({"seeds": "report", **metrics})
        except (SandlotError, OSError) as problem:
            _warn(f"the best checkpoint is not reported on: {problem}")
        return True

    def _promote(
        self, window_id: int, data: bytes, checkpoint: dict[str, Any], metrics: dict[str, Any]
    ) -> None:
        """Take this window, or one role of it, into best.pt if that is worth more than what is there."""
        best = self.run.best()
        fresh = {
            role: Candidate(RoleBest(window_id=window_id, value=rating), state)
            for role, state in checkpoint["policies"].items()
            for rating in [metrics.get(f"{role}_rating", metrics["value"])]
        }
        if best is not None and not self.shortlist:
            self.shortlist = self._remembered(best, fresh)
        value = -math.inf if best is None or best.value is None else best.value
        value, chosen = self._better(value, fresh, metrics)
        if chosen is not None:
            weights = data if chosen == fresh else pack(_joined(checkpoint, chosen))
            self.run.promote(window_id, value, weights, {role: one.note for role, one in chosen.items()})
        for role, one in fresh.items():
            known = [*self.shortlist.get(role, []), one]
            self.shortlist[role] = sorted(known, key=lambda it: it.note.value, reverse=True)[:SHORTLIST]

    def _better(
        self, highest: float, fresh: dict[str, Candidate], metrics: dict[str, Any]
    ) -> tuple[float, dict[str, Candidate] | None]:
        """The pair with somebody new in it that is worth most, if that is more than so much.

        Of many pairs the one that looks even owes some of it to luck, so it meets again before it is taken.
        """
        chosen = None
        for pair in _pairs(fresh, self.shortlist):
            ratings = [one.note.value for one in pair.values()]
            if worth(ratings) <= highest:
                continue  # however even a match it is
            value = worth(ratings, self._first_score(pair, fresh, metrics))
            if value > highest and len(pair) > 1:
                others = seeding.held_out("select", (1 + AGAIN) * self.episodes)[self.episodes :]
                value = worth(ratings, _meet(pair, others))
            if value > highest:
                highest, chosen = value, pair
        return highest, chosen

    def _remembered(self, best: Best, roles: Iterable[str]) -> dict[str, list[Candidate]]:
        """What an evaluator before this one found: the roles in best.pt."""
        if best.value is None:
            return {}
        alike = RoleBest(window_id=best.window_id, value=best.value)  # a note without roles tells it of all
        kept = unpack(self.run.paths.best.read_bytes(), self.run.paths.best.name)["policies"]
        return {role: [Candidate(best.roles.get(role, alike), kept[role])] for role in roles}

    def _first_score(
        self, pair: dict[str, Candidate], fresh: dict[str, Candidate], metrics: dict[str, Any]
    ) -> float:
        """The first role's share of points when these two meet; those of one window have met already."""
        if pair == fresh:
            win_rate = f"{next(iter(pair))}_win_rate"
            return float(metrics.get(win_rate, 0.5) + metrics.get("draw_rate", 0.0) / 2)
        return _meet(pair, self.seeds)

    def _record(
        self, window_id: int, digest: str, checkpoint: dict[str, Any], policies: dict[str, Policy]
    ) -> None:
        origin = Origin(
            run_id=self.run.run_id,
            window_id=window_id,
            trainer_backend=checkpoint["trainer_backend"],
            checkpoint_path=self.run.paths.relative(self.run.paths.checkpoint(window_id)),
            checkpoint_env_steps_total=checkpoint["env_steps_total"],
        )
        names = [window_replay_id(digest, window_id, episode) for episode in range(self.replays)]
        seeds = seeding.held_out("replay", self.replays, window_id)
        for episode, (replay_id, seed) in enumerate(zip(names, seeds, strict=True)):
            if self.run.index.find_one(replay_id):
                continue  # by an evaluator that was killed before it noted the window
            match = (self.run, policies, origin, seed, episode, self.rules)
            try:
                record_match(*match, self.engine, replay_id=replay_id)
            except (BridgeError, GodotMissing, GodotFailed, MissingExtra) as problem:
                # the engine stays away for the rest of the run: every window would wait for it in vain
                _warn(f"window {window_id} is recorded natively: {problem}")
                self.engine = NATIVE
                record_match(*match, replay_id=replay_id)
        self._forget_replays(window_id, names)

    def _forget_replays(self, window_id: int, names: Sequence[str]) -> None:
        """Remove what an earlier checkpoint of the same window left; a window has one regular replay."""
        for entry in self.run.index.find(tags_any=(EVERY_WINDOW, EVERY_N), window_id=window_id):
            if names and entry.replay_id not in names:
                self.run.remove_replay(entry)

    def close(self) -> None:
        self.lines.close()
        self._lock.release()

    def __enter__(self) -> Evaluator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _settings(run: Run) -> tuple[int, int, int, float, Any]:
    """What config.json says about evaluation, and about the engine."""
    try:
        config = run.config
        wanted = config["evaluation"]
        counts = (int(wanted["episodes"]), int(wanted["replays"]), int(wanted["every"]))
        return (*counts, float(wanted["best_margin"]), config.get("run", {}).get("engine", NATIVE))
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        if isinstance(problem, SandlotError):
            raise
        raise Damaged(
            f"{run.paths.config} has no valid settings of evaluation ({problem!r}). Restore it from a copy."
        ) from None


def worth(ratings: Sequence[float], first_wins: float = 0.5) -> float:
    """Of a checkpoint: the mean rating of its roles, less what makes their match one nobody wants to see.

    Whoever leads by more than FAIR points costs what is more: of two pairs of about the same skill,
    the one in which either side may win is the better one.
    """
    odds = min(max(first_wins, 0.01), 0.99)
    lead = SCALE * abs(math.log10(odds / (1.0 - odds)))
    return sum(ratings) / len(ratings) - max(0.0, lead - FAIR)


def _joined(checkpoint: dict[str, Any], chosen: Mapping[str, Candidate]) -> dict[str, Any]:
    """A checkpoint whose roles are of different windows, and says so."""
    states = {role: one.state for role, one in chosen.items()}
    windows = {role: one.note.window_id for role, one in chosen.items()}
    return {**checkpoint, "policies": states, "windows": windows}


def _meet(pair: Mapping[str, Candidate], seeds: list[int]) -> float:
    """The first role's share of points."""
    return meet({role: Policy.from_state(one.state) for role, one in pair.items()}, seeds).score


def _pairs(
    fresh: dict[str, Candidate], shortlist: Mapping[str, list[Candidate]]
) -> Iterator[dict[str, Candidate]]:
    """What is new in all roles; then what is new in one of them, with each on the list for the other."""
    yield fresh
    for role in fresh if len(fresh) > 1 else ():
        listed = {one: [new] if one == role else shortlist.get(one, []) for one, new in fresh.items()}
        for chosen in itertools.product(*listed.values()):
            yield dict(zip(listed, chosen, strict=True))


def follow(folder: Path, orphaned: Callable[[], bool] = lambda: False) -> int:
    """Judge until the run has ended; 1 when a window could not be judged. orphaned: the trainer is gone."""
    run = Run(folder)
    evaluator = _the_only(run, orphaned)
    if evaluator is None:
        return 0
    with evaluator:
        while not orphaned():
            ended = run.record.status != "running"  # before looking for work: the last commit comes first
            if evaluator.work():
                continue
            if ended:
                break
            time.sleep(POLL_SECONDS)
    return 1 if evaluator.failed else 0


def _the_only(run: Run, orphaned: Callable[[], bool]) -> Evaluator | None:
    """The evaluator, once there is no other: after a kill one may still finish its checkpoint."""
    while not orphaned():
        try:
            return Evaluator(run)
        except RunLocked:
            time.sleep(POLL_SECONDS)
    return None


def _warn(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _closed_input() -> Callable[[], bool]:
    """Whether standard input has been closed: its other end is the trainer's, and goes with it."""
    gone = threading.Event()

    def wait() -> None:
        while os.read(0, 1024):
            pass
        gone.set()

    threading.Thread(target=wait, daemon=True).start()
    return gone.is_set


def main() -> int:
    import torch

    parser = argparse.ArgumentParser(description="Judge the committed checkpoints of a run.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--until-input-closes", action="store_true", help="end with the process at its input")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    lower_priority()  # the trainer comes first
    try:
        return follow(asked.folder, _closed_input() if asked.until_input_closes else lambda: False)
    except KeyboardInterrupt:
        return 130
    except SandlotError as problem:
        _warn(str(problem))
        return problem.exit_code


if __name__ == "__main__":
    sys.exit(main())
