"""What must be true of a run, whoever trained it."""

from __future__ import annotations

from typing import Any

import torch

from sandlot.evaluate.evaluator import Evaluator
from sandlot.evaluate.play import play
from sandlot.games import bot
from sandlot.policies import Policy
from sandlot.policies.policy import unpack
from sandlot.runs.episodes import read_episodes
from sandlot.runs.evaluations import read_evaluations
from sandlot.runs.run import Run
from sandlot.runs.store import Store
from sandlot.train.adapters.actor_critic import policy_for
from sandlot.train.config import build
from sandlot.train.loop import Loop


def policies_of(run: Run) -> dict[str, Policy]:
    path = run.newest_checkpoint()
    states = unpack(path.read_bytes(), path.name)["policies"]
    return {role: Policy.from_state(state) for role, state in states.items()}


def has_the_files_of_a_run(run: Run, trainer: str, windows: int = 2) -> None:
    assert run.record.trainer_backend == trainer and run.record.status == "completed"
    assert run.config["trainer"] == trainer
    rows = run.windows()
    assert [row.window_id for row in rows][:windows] == list(range(windows))
    assert all(row.env_steps_in_window == run.record.window_env_steps for row in rows)
    assert run.committed.window_id == rows[-1].window_id
    assert rows[-1].episodes_total > 0 and run.paths.episodes.exists()
    result = {name.partition("_")[2] for name in rows[-1].metrics}  # without the role before it
    assert {"policy_loss", "value_loss"} <= result


def learned_something(run: Run) -> None:
    """Its weights are numbers, and no longer those that the seed gave."""
    for role, policy in policies_of(run).items():
        fresh = policy_for(build(run.config), policy.spec, role)
        for before, after in zip(fresh.parameters(), policy.parameters(), strict=True):
            assert torch.isfinite(after).all()
            assert not torch.equal(before, after)


def can_be_judged_and_replayed(run: Run) -> dict[str, Any]:
    with Evaluator(run) as evaluator:
        evaluator.evaluate(run.committed.window_id)
    assert run.best().window_id == run.committed.window_id
    assert run.index.newest_id() is not None
    return read_evaluations(run.paths.evaluations)[-1]


EASY_TAG = (
    "ppo.num_envs=32", "ppo.num_steps=32", "ppo.update_epochs=4", "ppo.num_minibatches=4",
    "ppo.learning_rate=2e-3", "network.hidden_sizes=[64, 64]", "network.num_directions=8",
    "run.windows=6", "run.window_env_steps=5000",
    "settings.arena_half=6", "settings.obstacles=0", "settings.spawn_separation=4",
    "settings.field_of_view=180", "adapter.opponent=wander", "adapter.opponent_level=1",
)  # fmt: skip  # an empty little arena and an opponent that strolls: learned in some 30,000 decisions


def catches_a_stroller(run: Run) -> None:
    """On fixed seeds the trained seeker catches nearly every time, the untrained one far less often."""
    seeker = policies_of(run)["seeker"]
    untrained = policy_for(build(run.config), seeker.spec, "seeker")
    before, after = _catches(untrained), _catches(seeker)
    assert after >= 0.85 and after >= before + 0.1, f"{before:.2f} untrained, {after:.2f} trained"


def _catches(seeker: Policy) -> float:
    seeker.greedy = False
    config = seeker.spec.config
    sides = {"seeker": seeker, "hider": bot("tag", "wander", 1, config)}
    return float((play("tag", sides, range(96), config).column("winner") == 1).mean())


def goes_on(run: Run, windows: int = 3) -> None:
    """Resumed with one window more, it adds that window to the others."""
    before = [row.to_json() for row in run.windows()]
    played = {row["seed"] for row in read_episodes(run.paths.episodes)}
    config = build(run.config | {"run": run.config["run"] | {"windows": windows}})
    with Store(run.paths.folder.parent).resume(run.run_id) as again:
        Loop(config, again).go()
        rows = [row.to_json() for row in again.windows()]
    assert rows[: len(before)] == before and len(rows) >= windows
    later = [row for row in read_episodes(run.paths.episodes) if int(row["window_id"]) >= len(before)]
    repeated = played & {row["seed"] for row in later}
    assert not repeated, "an episode was played again after a resume"
