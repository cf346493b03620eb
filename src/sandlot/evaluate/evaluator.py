"""The evaluator: a process of its own that judges every committed checkpoint and records its replays.

    python -m sandlot.evaluate.evaluator RUN_FOLDER

It reads what the trainer committed and never makes it wait. It ends when the run has ended and nothing is
left to judge, or when the trainer is gone.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import seeding
from ..errors import BridgeError, GodotFailed, GodotMissing, MissingExtra, StoreError
from ..games.make import ENGINES
from ..policies import Policy
from ..policies.policy import pack, unpack
from ..rating import SCALE
from ..runs.atomic import Lines, read_lines
from ..runs.records import NATIVE, Best, RoleBest
from ..runs.run import Run
from .judge import HELD_OUT, held_out_seeds, judge, meet
from .recording import record_match
from .replays import Origin, window_replay_id
from .tags import TagRules

POLL_SECONDS = 0.5
FAIR = 50.0  # rating points: whoever leads by so much wins four matches of seven
SHORTLIST = 3  # of each role, that the newest of the other meet
AGAIN = 4  # times as many matches, on other seeds, before a pair is taken


@dataclass(frozen=True, eq=False)
class Candidate:
    """A role of one window: how good it is, and its policy as it is stored."""

    note: RoleBest
    state: dict[str, Any]


class Evaluator:
    def __init__(self, run: Run):
        self.run = run
        told = run.config["evaluation"]
        self.episodes, self.replays, self.every = told["episodes"], told["replays"], told["every"]
        self.rules = TagRules(every=self.every, margin=told["best_margin"])
        chosen = run.config.get("run", {}).get("engine", NATIVE)
        self.engine = chosen if chosen in ENGINES else NATIVE  # what replays are recorded in
        self.lines = Lines(run.paths.evaluations)
        self.shortlist: dict[str, list[Candidate]] = {}  # by role, the best first
        self.done = {json.loads(line)["window_id"] for line in read_lines(run.paths.evaluations)}

    def waiting(self) -> list[int]:
        """Committed windows that nobody has judged yet, oldest first."""
        commit = self.run.committed
        if commit is None:
            return []
        return [
            w
            for w in self.run.checkpoints()
            if w <= commit.window_id and w not in self.done and w % self.every == 0
        ]

    def evaluate(self, window_id: int) -> dict[str, Any]:
        """Judge one checkpoint, record its replays, note what came of it."""
        path = self.run.paths.checkpoint(window_id)
        checkpoint = unpack(path.read_bytes(), path.name)
        policies = {role: Policy.from_state(state) for role, state in checkpoint["policies"].items()}
        figures = judge(policies, self.episodes)
        row = {"window_id": window_id, "env_steps_total": checkpoint["env_steps_total"], **figures}
        self._record(window_id, checkpoint, policies)
        self._promote(window_id, checkpoint, figures)
        self.lines.append(json.dumps(row))
        self.lines.sync()
        self.done.add(window_id)
        return row

    def _promote(self, window_id: int, checkpoint: dict[str, Any], figures: dict[str, Any]) -> None:
        """Take this window, or one role of it, into best.pt if that is worth more than what is there."""
        best = self.run.best()
        fresh = {
            role: Candidate(RoleBest(window_id=window_id, value=rating), state)
            for role, state in checkpoint["policies"].items()
            for rating in [figures.get(f"{role}_rating", figures["value"])]
        }
        if best is not None and not self.shortlist:
            self.shortlist = self._remembered(best, fresh)
        value = -math.inf if best is None or best.value is None else best.value
        value, chosen = self._better(value, fresh, figures)
        if chosen is not None:
            states = {role: one.state for role, one in chosen.items()}
            weights = None if chosen == fresh else pack({**checkpoint, "policies": states})
            self.run.promote(window_id, value, weights, {role: one.note for role, one in chosen.items()})
        for role, one in fresh.items():
            known = [*self.shortlist.get(role, []), one]
            self.shortlist[role] = sorted(known, key=lambda it: it.note.value, reverse=True)[:SHORTLIST]

    def _better(
        self, highest: float, fresh: dict[str, Candidate], figures: dict[str, Any]
    ) -> tuple[float, dict[str, Candidate] | None]:
        """The pair with somebody new in it that is worth most, if that is more than so much.

        Of many pairs the one that looks even owes some of it to luck, so it meets again before it is taken.
        """
        chosen = None
        for pair in _pairs(fresh, self.shortlist):
            ratings = [one.note.value for one in pair.values()]
            if worth(ratings) <= highest:
                continue  # however even a match it is
            value = worth(ratings, self._first_wins(pair, fresh, figures))
            if value > highest and len(pair) > 1:
                others = held_out_seeds((1 + AGAIN) * self.episodes)[self.episodes :]
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

    def _first_wins(
        self, pair: dict[str, Candidate], fresh: dict[str, Candidate], figures: dict[str, Any]
    ) -> float:
        """How often the first role wins when these two meet; those of one window have met already."""
        if pair == fresh:
            return float(figures.get(f"{next(iter(pair))}_win_rate", 0.5))
        return _meet(pair, held_out_seeds(self.episodes))

    def _record(self, window_id: int, checkpoint: dict[str, Any], policies: dict[str, Policy]) -> None:
        origin = Origin(
            run_id=self.run.run_id,
            window_id=window_id,
            trainer_backend=checkpoint["trainer_backend"],
            checkpoint_path=self.run.paths.relative(self.run.paths.checkpoint(window_id)),
            checkpoint_env_steps_total=checkpoint["env_steps_total"],
        )
        for episode in range(self.replays):
            replay_id = window_replay_id(self.run.run_id, window_id, episode)
            if self.run.index.find_one(replay_id):
                continue  # by an evaluator that was killed before it noted the window
            seed = seeding.split(HELD_OUT + 1 + window_id, episode)
            match = (self.run, policies, origin, seed, episode, self.rules)
            try:
                record_match(*match, self.engine, replay_id=replay_id)
            except (BridgeError, GodotMissing, GodotFailed, MissingExtra) as problem:
                # the engine stays away for the rest of the run: every window would wait for it in vain
                print(f"window {window_id} is recorded natively: {problem}", file=sys.stderr)
                self.engine = NATIVE
                record_match(*match, replay_id=replay_id)


def worth(ratings: Sequence[float], first_wins: float = 0.5) -> float:
    """Of a checkpoint: the mean rating of its roles, less what makes their match one nobody wants to see.

    Whoever leads by more than FAIR points costs what is more: of two pairs of about the same skill,
    the one in which either side may win is the better one.
    """
    odds = min(max(first_wins, 0.01), 0.99)
    lead = SCALE * abs(math.log10(odds / (1.0 - odds)))
    return sum(ratings) / len(ratings) - max(0.0, lead - FAIR)


def _meet(pair: Mapping[str, Candidate], seeds: list[int]) -> float:
    """How often the first role wins."""
    sides = {role: Policy.from_state(one.state) for role, one in pair.items()}
    return meet(sides, seeds)[f"{next(iter(sides.values())).spec.roles[0]}_win_rate"]


def _pairs(
    fresh: dict[str, Candidate], shortlist: Mapping[str, list[Candidate]]
) -> Iterator[dict[str, Candidate]]:
    """What is new in all roles; then what is new in one of them, with each on the list for the other."""
    yield fresh
    for role in fresh if len(fresh) > 1 else ():
        listed = {one: [new] if one == role else shortlist.get(one, []) for one, new in fresh.items()}
        for chosen in itertools.product(*listed.values()):
            yield dict(zip(listed, chosen, strict=True))


def follow(folder: Path, trainer: int | None = None) -> int:
    """Judge until the run has ended. trainer: its process; when that is gone, what is committed is judged."""
    run = Run(folder)
    evaluator = Evaluator(run)
    while True:
        waiting = evaluator.waiting()
        if waiting:
            try:
                evaluator.evaluate(waiting[0])
            except (StoreError, FileNotFoundError) as problem:  # retention removed it before we came to it
                print(f"window {waiting[0]} is left out: {problem}", file=sys.stderr)
                evaluator.done.add(waiting[0])
            continue
        if run.record.status != "running" or (trainer is not None and not _alive(trainer)):
            return 0
        time.sleep(POLL_SECONDS)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


if __name__ == "__main__":
    import torch

    torch.set_num_threads(1)
    os.nice(10)  # the trainer comes first
    try:
        sys.exit(follow(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None))
    except KeyboardInterrupt:
        sys.exit(130)
