"""The evaluator: a separate process that evaluates every committed checkpoint and records its replays.

    python -m sandlot.evaluate.evaluator RUN_FOLDER

It reads what the trainer committed and never blocks the trainer. There is one per run: a second one waits
until the first has ended. It ends when the run has ended and every checkpoint is evaluated. One started by a
trainer also ends, after its current checkpoint, when the trainer is gone: its standard input is closed then.

Checkpoints are compared on the held-out seeds "select". The best of many is partly lucky, so best.pt is
evaluated once more on the seeds "report", which chose nothing; best.json has that result.
"""

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
from ..closing import Closing
from ..errors import BridgeError, Damaged, GodotFailed, GodotMissing, MissingExtra, RunLocked, SandlotError
from ..locking import FileLock
from ..policies import Policy
from ..policies.policy import pack, unpack
from ..processes import lower_priority
from ..rating import SCALE
from ..runs.atomic import Lines
from ..runs.evaluations import parse_evaluations
from ..runs.learning import Learning
from ..runs.records import NATIVE, Best, RoleBest
from ..runs.run import Run, sha256
from ..worlds.make import CUDA, ENGINES
from .recording import record_match
from .replay_recorder import Origin, window_replay_id
from .scoring import evaluate, head_to_head
from .stages import initial_metrics, record_stage, stage_row
from .tags import EVERY_N, EVERY_WINDOW, TagRules

POLL_SECONDS = 0.5
FAIR_LEAD = 50.0  # rating points: a player that leads by this much wins about four matches of seven
SHORTLIST = 3  # candidates per role that are paired with new ones of the other role
RECHECK_FACTOR = 4  # times as many matches, on other seeds, before a pair becomes the best
REPORT_FACTOR = 2  # times as many episodes for the report on the best checkpoint


@dataclass(frozen=True, eq=False)
class Candidate:
    """One role of one window: its value, and the state of its policy."""

    best: RoleBest
    state: dict[str, Any]


class Evaluator(Closing):
    """Evaluates the checkpoints of one run. Holds the evaluator's lock of the run until it is closed."""

    def __init__(self, run: Run):
        self.run = run
        self.episodes, self.replays, self.every, margin, engine = _settings(run)
        self.rules = TagRules(every=self.every, margin=margin)
        self.engine = engine if engine in ENGINES and engine != CUDA else NATIVE  # plays the recorded matches
        self.seeds = seeding.held_out("select", self.episodes)
        self._lock = FileLock(run.paths.evaluator_lock)
        try:
            for problem in parse_evaluations(run.paths.evaluations)[1]:
                _warn(problem)
            self.lines = Lines(run.paths.evaluations)
            run.finish_promotion()
        except BaseException:
            self._lock.release()
            raise
        self.shortlist: dict[str, list[Candidate]] = {}  # by role, the best first
        self.failed: set[int] = set()  # windows whose evaluation failed; they are not tried again
        self.learning = Learning.of(run.paths)
        self.initial_waits = True  # the weights of step 0 are looked at first, once
        # digest of the best checkpoint that was reported on, or failed to be
        self.reported: str | None = None

    def waiting(self) -> list[int]:
        """Committed windows that are not evaluated yet, oldest first."""
        return [window for window in self.run.unevaluated(self.every) if window not in self.failed]

    def work(self) -> bool:
        """Evaluate the oldest waiting checkpoint, or report on the best. False: there is nothing to do."""
        if self.initial_waits and self.replays and self.run.paths.initial.exists():  # else not yet
            self.initial_waits = False
            self._evaluate_initial()
        waiting = self.waiting()
        if not waiting:
            return self._report()
        try:
            self.evaluate(waiting[0])
        except (SandlotError, OSError) as problem:
            self.failed.add(waiting[0])
            _warn(f"window {waiting[0]} is not evaluated: {problem}")
        return True

    def evaluate(self, window_id: int) -> None:
        """Evaluate one checkpoint, record its replays, keep it if it is the best, append the result."""
        path = self.run.paths.checkpoint(window_id)
        data = path.read_bytes()
        checkpoint = unpack(data, path.name)
        policies = {role: Policy.from_state(state) for role, state in checkpoint["policies"].items()}
        metrics = evaluate(policies, self.seeds)
        row = {
            "schema_version": 1,
            "window_id": window_id,
            "checkpoint_sha256": sha256(data),
            "env_steps_total": checkpoint["env_steps_total"],
            "evaluator_pid": os.getpid(),
            **metrics,
        }
        self._record(window_id, sha256(data), checkpoint, policies)
        if self.replays:
            self._add_stage(checkpoint, sha256(data), policies, metrics)
        self._promote(window_id, data, checkpoint, metrics)
        self.lines.append(json.dumps(row))
        self.lines.sync()

    def _evaluate_initial(self) -> None:
        """Play before any training: what every later stage is compared with."""
        path = self.run.paths.initial
        try:
            data = path.read_bytes()
            if self.learning.knows(None, sha256(data)):
                return
            checkpoint = unpack(data, path.name)
            policies = {role: Policy.from_state(state) for role, state in checkpoint["policies"].items()}
            self._add_stage(checkpoint, sha256(data), policies, initial_metrics(policies, self.seeds))
        except (SandlotError, OSError) as problem:
            _warn(f"play before training is not evaluated: {problem}")

    def _add_stage(
        self,
        checkpoint: dict[str, Any],
        digest: str,
        policies: dict[str, Policy],
        metrics: Mapping[str, Any],
    ) -> None:
        """Record these weights on the seeds that every stage of the run plays."""
        window_id, steps = checkpoint["window_id"], checkpoint["env_steps_total"]
        spec = next(iter(policies.values())).spec
        trained_s: float | None = 0.0
        if window_id is None:
            replays = record_stage(policies, None, "before training")
        else:
            origin = Origin(self.run.run_id, window_id, checkpoint["trainer_backend"])
            replays = record_stage(policies, origin, f"of window {window_id}")
            rows = {row.window_id: row.metrics.get("seconds") for row in self.run.windows()}
            trained_s = rows.get(window_id)
        self.learning.add(stage_row(spec, metrics, replays, window_id, steps, trained_s, digest), replays)

    def _report(self) -> bool:
        """Evaluate best.pt once, on seeds that were not used to choose it."""
        best = self.run.best()
        if best is None or best.report is not None or best.checkpoint_sha256 == self.reported:
            return False
        self.reported = best.checkpoint_sha256  # also when it fails: it would fail again
        try:
            kept = unpack(self.run.paths.best.read_bytes(), self.run.paths.best.name)
            policies = {role: Policy.from_state(state) for role, state in kept["policies"].items()}
            metrics = evaluate(policies, seeding.held_out("report", REPORT_FACTOR * self.episodes))
            self.run.report_best({"seeds": "report", **metrics, **_pair_value(policies, metrics)})
        except (SandlotError, OSError) as problem:
            _warn(f"the best checkpoint is not reported on: {problem}")
        return True

    def _promote(
        self, window_id: int, data: bytes, checkpoint: dict[str, Any], metrics: dict[str, Any]
    ) -> None:
        """Put this window, or one role of it, into best.pt if that improves its value."""
        best = self.run.best()
        fresh = {
            role: Candidate(RoleBest(window_id=window_id, value=rating), state)
            for role, state in checkpoint["policies"].items()
            for rating in [metrics.get(f"{role}_rating", metrics["value"])]
        }
        if best is not None and not self.shortlist:
            self.shortlist = self._restored_shortlist(best, fresh)
        value = -math.inf if best is None or best.value is None else best.value
        value, chosen = self._best_pair(value, fresh, metrics)
        if chosen is not None:
            weights = data if chosen == fresh else pack(_combined_checkpoint(checkpoint, chosen))
            self.run.promote(window_id, value, weights, {role: one.best for role, one in chosen.items()})
        for role, one in fresh.items():
            known = [*self.shortlist.get(role, []), one]
            self.shortlist[role] = sorted(known, key=lambda it: it.best.value, reverse=True)[:SHORTLIST]

    def _best_pair(
        self, highest: float, fresh: dict[str, Candidate], metrics: dict[str, Any]
    ) -> tuple[float, dict[str, Candidate] | None]:
        """The pair with a new role in it that has the highest value, if that is above `highest`.

        The best-looking of many pairs is partly lucky, so it plays again before it is chosen.
        """
        chosen = None
        if not any(f"{role}_rating" in metrics for role in fresh):  # all of its roles together have one value
            value = float(metrics["value"])
            return (value, fresh) if value > highest else (highest, None)
        for pair in _pairs(fresh, self.shortlist):
            ratings = [one.best.value for one in pair.values()]
            if checkpoint_value(ratings) <= highest:
                continue  # even if their match were perfectly even
            value = checkpoint_value(ratings, self._first_score(pair, fresh, metrics))
            if value > highest and len(pair) > 1:
                others = seeding.held_out("select", (1 + RECHECK_FACTOR) * self.episodes)[self.episodes :]
                value = checkpoint_value(ratings, _pair_score(pair, others))
            if value > highest:
                highest, chosen = value, pair
        return highest, chosen

    def _restored_shortlist(self, best: Best, roles: Iterable[str]) -> dict[str, list[Candidate]]:
        """The roles in best.pt, which an earlier evaluator chose."""
        if best.value is None:
            return {}
        shared = RoleBest(window_id=best.window_id, value=best.value)  # for roles without an entry
        kept = unpack(self.run.paths.best.read_bytes(), self.run.paths.best.name)["policies"]
        return {role: [Candidate(best.roles.get(role, shared), kept[role])] for role in roles}

    def _first_score(
        self, pair: dict[str, Candidate], fresh: dict[str, Candidate], metrics: dict[str, Any]
    ) -> float:
        """The first role's score against the second; known already for two of the same window."""
        return _score_within(pair, metrics) if pair == fresh else _pair_score(pair, self.seeds)

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
                continue  # recorded before a kill, by an evaluator that had not yet appended its line
            match = (self.run, policies, origin, seed, episode, self.rules)
            try:
                record_match(*match, self.engine, replay_id=replay_id)
            except (BridgeError, GodotMissing, GodotFailed, MissingExtra) as problem:
                # not tried again in this run: every window would wait for it
                _warn(f"window {window_id} is recorded natively: {problem}")
                self.engine = NATIVE
                record_match(*match, replay_id=replay_id)
        self._remove_old_replays(window_id, names)

    def _remove_old_replays(self, window_id: int, names: Sequence[str]) -> None:
        """Remove the replays of an earlier checkpoint of the same window."""
        for entry in self.run.index.find(tags_any=(EVERY_WINDOW, EVERY_N), window_id=window_id):
            if names and entry.replay_id not in names:
                self.run.remove_replay(entry)

    def close(self) -> None:
        """Close the file and release the lock."""
        self.lines.close()
        self._lock.release()


def _settings(run: Run) -> tuple[int, int, int, float, Any]:
    """Episodes, replays, every, best_margin and engine from config.json."""
    try:
        config = run.config
        wanted = config["evaluation"]
        counts = (int(wanted["episodes"]), int(wanted["replays"]), int(wanted["every"]))
        return (*counts, float(wanted["best_margin"]), config.get("run", {}).get("engine", NATIVE))
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        if isinstance(problem, SandlotError):
            raise
        text = f"{run.paths.config} has no valid evaluation settings ({problem!r})"
        raise Damaged(f"{text}. Restore it from a copy.") from None


def checkpoint_value(ratings: Sequence[float], first_wins: float = 0.5) -> float:
    """The mean rating of a checkpoint's roles, minus a penalty for an uneven match between them.

    A lead above FAIR_LEAD rating points is subtracted: of two pairs of about the same skill, the
    more even one has the higher value.
    """
    odds = min(max(first_wins, 0.01), 0.99)
    lead = SCALE * abs(math.log10(odds / (1.0 - odds)))
    return sum(ratings) / len(ratings) - max(0.0, lead - FAIR_LEAD)


def _pair_value(roles: Iterable[str], metrics: Mapping[str, Any]) -> dict[str, float]:
    """The value of a rated pair as `checkpoint_value` has it: the measure by which best.pt was chosen."""
    ratings = [metrics[f"{role}_rating"] for role in roles if f"{role}_rating" in metrics]
    return {"value": checkpoint_value(ratings, _score_within(roles, metrics))} if len(ratings) > 1 else {}


def _score_within(roles: Iterable[str], metrics: Mapping[str, Any]) -> float:
    """The first role's score against the second of the same window, from their evaluation."""
    return float(metrics.get(f"{next(iter(roles))}_win_rate", 0.5) + metrics.get("draw_rate", 0.0) / 2)


def _combined_checkpoint(checkpoint: dict[str, Any], chosen: Mapping[str, Candidate]) -> dict[str, Any]:
    """A checkpoint whose roles come from different windows, with the window of each."""
    states = {role: one.state for role, one in chosen.items()}
    windows = {role: one.best.window_id for role, one in chosen.items()}
    return {**checkpoint, "policies": states, "windows": windows}


def _pair_score(pair: Mapping[str, Candidate], seeds: list[int]) -> float:
    """The first role's score in a match of this pair."""
    return head_to_head({role: Policy.from_state(one.state) for role, one in pair.items()}, seeds).score


def _pairs(
    fresh: dict[str, Candidate], shortlist: Mapping[str, list[Candidate]]
) -> Iterator[dict[str, Candidate]]:
    """The new roles together; then each new role with every shortlisted candidate of the other role."""
    yield fresh
    for role in fresh if len(fresh) > 1 else ():
        listed = {one: [new] if one == role else shortlist.get(one, []) for one, new in fresh.items()}
        for chosen in itertools.product(*listed.values()):
            yield dict(zip(listed, chosen, strict=True))


def follow(folder: Path, orphaned: Callable[[], bool] = lambda: False) -> int:
    """Evaluate until the run has ended; returns 1 if a window failed. orphaned: the trainer is gone."""
    run = Run(folder)
    evaluator = _wait_for_lock(run, orphaned)
    if evaluator is None:
        return 0
    with evaluator:
        while not orphaned():
            ended = (
                run.record.status != "running"
            )  # read before looking for work, so that the last commit is not missed
            if evaluator.work():
                continue
            if ended:
                break
            time.sleep(POLL_SECONDS)
    return 1 if evaluator.failed else 0


def _wait_for_lock(run: Run, orphaned: Callable[[], bool]) -> Evaluator | None:
    """The evaluator, as soon as it gets the lock: another one may still be finishing its checkpoint."""
    while not orphaned():
        try:
            return Evaluator(run)
        except RunLocked:
            time.sleep(POLL_SECONDS)
    return None


def _warn(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _watch_input() -> Callable[[], bool]:
    """A function that tells whether standard input is closed, as it is when the trainer has ended."""
    gone = threading.Event()

    def wait() -> None:
        while os.read(0, 1024):
            pass
        gone.set()

    threading.Thread(target=wait, daemon=True).start()
    return gone.is_set


def main() -> int:
    """The command line of the evaluator; returns its exit code."""
    import torch

    parser = argparse.ArgumentParser(description="Evaluate the committed checkpoints of a run.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--until-input-closes", action="store_true", help="end with the process at its input")
    options = parser.parse_args()
    torch.set_num_threads(1)
    lower_priority()  # below the trainer's priority
    try:
        return follow(options.folder, _watch_input() if options.until_input_closes else lambda: False)
    except KeyboardInterrupt:
        return 130
    except SandlotError as problem:
        _warn(str(problem))
        return problem.exit_code


if __name__ == "__main__":
    sys.exit(main())
