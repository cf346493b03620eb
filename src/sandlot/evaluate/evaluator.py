"""The evaluator: a process of its own that judges every committed checkpoint and records its replays.

    python -m sandlot.evaluate.evaluator RUN_FOLDER

It reads what the trainer committed and never makes it wait. It ends when the run has ended and nothing is
left to judge, or when the trainer is gone.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Any

from .. import seeding
from ..errors import BridgeError, GodotFailed, GodotMissing, MissingExtra, StoreError
from ..games.make import ENGINES
from ..policies import Policy
from ..policies.policy import pack, unpack
from ..runs.atomic import Lines, read_lines
from ..runs.records import NATIVE, Best, RoleBest
from ..runs.run import Run
from .judge import HELD_OUT, judge
from .recording import record_match
from .replays import Origin, window_replay_id
from .tags import TagRules

POLL_SECONDS = 0.5


class Evaluator:
    def __init__(self, run: Run):
        self.run = run
        told = run.config["evaluation"]
        self.episodes, self.replays, self.every = told["episodes"], told["replays"], told["every"]
        self.rules = TagRules(every=self.every, margin=told["best_margin"])
        chosen = run.config.get("run", {}).get("engine", NATIVE)
        self.engine = chosen if chosen in ENGINES else NATIVE  # what replays are recorded in
        self.lines = Lines(run.paths.evaluations)
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
        """Keep the best of each role: in self-play one may be at its best while the other is not."""
        best = self.run.best()
        now = {
            role: RoleBest(window_id=window_id, value=figures.get(f"{role}_rating", figures["value"]))
            for role in checkpoint["policies"]
        }
        known = _known(best, now)
        better = {role for role, one in now.items() if role not in known or one.value > known[role].value}
        if len(better) == len(now):
            self.run.promote(window_id, figures["value"], roles=now)
        elif better:
            roles = {role: one if role in better else known[role] for role, one in now.items()}
            value = sum(one.value for one in roles.values()) / len(roles)
            self.run.promote(window_id, value, self._joined(checkpoint, better), roles)

    def _joined(self, checkpoint: dict[str, Any], better: Container[str]) -> bytes:
        """These roles of a checkpoint, with the others as best.pt has them."""
        kept = unpack(self.run.paths.best.read_bytes(), self.run.paths.best.name)["policies"]
        chosen = {role: own if role in better else kept[role] for role, own in checkpoint["policies"].items()}
        return pack({**checkpoint, "policies": chosen})

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


def _known(best: Best | None, roles: Iterable[str]) -> dict[str, RoleBest]:
    """How good the roles in best.pt are; a note without roles tells it of all of them."""
    if best is None or best.value is None:
        return {}
    alike = RoleBest(window_id=best.window_id, value=best.value)
    return {role: best.roles.get(role, alike) for role in roles}


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
