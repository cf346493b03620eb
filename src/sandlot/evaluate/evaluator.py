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
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import seeding
from ..errors import StoreError
from ..games import Spec, bot
from ..games.faces.cast import USUAL_BOT
from ..policies import Policy
from ..policies.policy import unpack
from ..runs.atomic import Lines, read_lines
from ..runs.run import Run
from .judge import HELD_OUT, config_of, judge
from .replays import Origin, record
from .tags import TagRules, tags_for

POLL_SECONDS = 0.5


class Evaluator:
    def __init__(self, run: Run):
        self.run = run
        told = run.config["evaluation"]
        self.episodes, self.replays, self.every = told["episodes"], told["replays"], told["every"]
        self.rules = TagRules(every=self.every, margin=told["best_margin"])
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
        best = self.run.best()
        if best is None or best.value is None or figures["value"] > best.value:
            self.run.promote(window_id, figures["value"])
        self.lines.append(json.dumps(row))
        self.lines.sync()
        self.done.add(window_id)
        return row

    def _record(self, window_id: int, checkpoint: dict[str, Any], policies: dict[str, Policy]) -> None:
        spec = next(iter(policies.values())).spec
        origin = Origin(
            run_id=self.run.run_id,
            window_id=window_id,
            trainer_backend=checkpoint["trainer_backend"],
            checkpoint_path=self.run.paths.relative(self.run.paths.checkpoint(window_id)),
            checkpoint_env_steps_total=checkpoint["env_steps_total"],
        )
        names = {role: f"{role} of window {window_id}" for role in policies}
        names |= {role: f"{USUAL_BOT[role]} (scripted)" for role in set(spec.roles) - set(policies)}
        for episode in range(self.replays):
            seed = seeding.split(HELD_OUT + 1 + window_id, episode)
            players: Any = self._seated(spec, policies)
            replay = record(spec.game, players, seed, {"profile": spec.profile, **spec.config}, names, origin)
            told = replay.end.episode
            tags = tags_for(
                self.rules,
                window_id,
                episode,
                replay.end.returns[replay.header.scored_agent],
                self.run.index.best_return(),
                told.get("net_profit"),
                told.get("survival"),
            )
            self.run.add_replay(replace(replay, header=replay.header.model_copy(update={"tags": tags})))

    def _seated(self, spec: Spec, policies: dict[str, Policy]) -> Any:
        """Who plays a recorded episode: a role that nobody learned is played by its usual script."""
        if len(set(spec.roles)) == 1:
            return next(iter(policies.values()))
        missing = set(spec.roles) - set(policies)
        return policies | {role: bot(spec.game, USUAL_BOT[role], config=config_of(spec)) for role in missing}


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
