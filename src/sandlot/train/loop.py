"""The training loop: iterates, writes closed windows, commits checkpoints, announces events.

Everything up to the last commit survives a crash. A run that is killed, or stopped with Ctrl-C, continues
from there with `--resume`, bit for bit as if it had never stopped (same kind of machine, same number of
threads).
"""

import importlib.metadata
import platform
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from ..policies.policy import pack, unpack
from ..runs.episodes import EpisodeSample, role_update_columns, update_columns
from ..runs.records import WindowRow
from ..runs.retention import Retention
from ..runs.run import Run
from ..runs.store import Store
from ..spec import Spec
from ..version import __version__
from ..worlds import load_spec
from ..worlds.library import load as load_engine
from ..worlds.make import check_engine
from . import events
from .adapters import trainer_for
from .config import TrainConfig, as_dict
from .curriculum import CurriculumScheduler
from .memory import MemoryWatch
from .selfplay import KINDS
from .trainer import Iteration, opponent_of

CHECKPOINT_FORMAT = "ppo_torch_v1"
EPISODE_ROWS = 2000  # of episodes.csv per window; of more episodes a uniform sample is kept


def begin(store: Store, config: TrainConfig) -> Run:
    """A new run folder for this configuration, locked for its trainer."""
    spec = load_spec(config.game, config.settings)
    limit = config.run.windows * config.run.window_env_steps
    return store.create(
        as_dict(config),
        Retention(
            newest=config.run.keep_checkpoints,
            evaluated_every=config.evaluation.every if config.evaluation.enabled else 0,
        ),
        game=config.game,
        trainer_backend=config.trainer,
        seed=config.run.seed,
        target_env_steps=limit or None,
        window_env_steps=config.run.window_env_steps,
        info_metric_keys=[*spec.measures, *spec.flags],
        versions=versions(),
        spec_hash=spec.hash,
        trainer_info={
            "device": config.run.device,
            "worlds": config.ppo.num_envs,
            "threads": config.run.threads,
            "engine": check_engine(config.game, config.run.engine),
        },
        spec=spec.stored(),
    )


class Loop:
    """One run, from its start or its last commit to its end."""

    def __init__(
        self,
        config: TrainConfig,
        run: Run,
        listeners: Sequence[events.Listener] = (),
        stop: Callable[[], bool] | None = None,
    ):
        self.config, self.run = config, run
        self.listeners = list(listeners)
        self.stop = stop or (lambda: False)
        self.trainer = trainer_for(config, run.run_id)
        self.curriculum = CurriculumScheduler(config.curriculum)
        self.seconds_before = 0.0  # of training in earlier sessions
        self.sample = EpisodeSample(EPISODE_ROWS, config.run.seed)
        self._committed, self._committed_steps = -1, 0
        self._partial: WindowRow | None = None  # of the window in which the run was stopped
        self._last: Iteration | None = None
        self.memory = MemoryWatch()
        self._resume()

    def _announce(self, event: events.Event) -> None:
        for listener in self.listeners:
            listener(event)

    def _resume(self) -> None:
        commit = self.run.committed
        if commit is None:
            return
        saved = commit.trainer
        state = unpack(self.run.resume_state(), "the resume state")
        self.trainer.load(state["trainer"], saved["windows"])
        self.sample.windows = {
            int(window): {name: column.numpy() for name, column in columns.items()}
            for window, columns in state["episodes"].items()
        }
        self.curriculum.load(saved["curriculum"])
        self.seconds_before = saved["seconds"]
        self._partial = WindowRow.model_validate(saved["partial"]) if saved["partial"] else None
        self._committed, self._committed_steps = commit.window_id, self.trainer.windows.env_steps_total

    # ------------------------------------------------------------ training

    def go(self) -> str:
        """Train until a limit is reached or a stop is requested. Returns the status."""
        self._start = time.monotonic()
        resumed = self._committed if self._committed >= 0 else None
        self.run.update(status="running", error=None, finished_at=None)
        self._save_initial()
        folder = str(self.run.paths.folder)
        self._announce(events.Started(self.run.run_id, folder, as_dict(self.config), resumed))
        try:
            status, reason = self._iterate_until_done()
            self._save_partial_window()
            self.run.finish(status)
            self._announce(events.Ended(status, self.trainer.windows.window_id, reason))
        except KeyboardInterrupt:  # the second Ctrl-C: at once, without another commit
            self.run.finish("stopped", "stopped at once; everything up to the last commit is kept")
            raise
        except Exception as problem:
            self.run.finish("failed", str(problem))
            self._announce(events.Ended("failed", self.trainer.windows.window_id, str(problem)))
            raise
        finally:
            self.trainer.close()  # end an engine in another process also after a failure
        return status

    def _iterate_until_done(self) -> tuple[Any, str]:
        while True:
            done = self._done()
            if done:
                return "completed", done
            if self.stop():
                return "stopped", "stop requested; everything is saved"
            iteration = self.trainer.iterate(self._run_share())
            with self.trainer.watch.time("files"):
                self._store(iteration)
            self._report(iteration)
            if warning := self.memory.warning(self.trainer.engine_pids):
                self._announce(events.Warned(warning))

    def _done(self) -> str:
        limit = self.config.run
        if limit.windows and self.trainer.windows.window_id >= limit.windows:
            return f"{limit.windows} windows"
        if limit.minutes and self._seconds() >= 60 * limit.minutes:
            return f"{round(limit.minutes, 2):g} minutes"
        return ""

    def _seconds(self) -> float:
        return self.seconds_before + time.monotonic() - self._start

    def _run_share(self) -> float:
        """Fraction of the run that is over: by windows if they are the limit, else by the clock."""
        limit, windows = self.config.run, self.trainer.windows
        if limit.windows:
            return min(1.0, windows.env_steps_total / (limit.windows * windows.window_env_steps))
        return min(1.0, self._seconds() / (60 * limit.minutes)) if limit.minutes else 0.0

    # ------------------------------------------------------------ windows

    def _store(self, iteration: Iteration) -> None:
        """Write the windows that closed; then update opponents and stage, and commit a checkpoint if due."""
        self._last = iteration
        self._sample_episodes(iteration)
        rows = [self._with_metrics(row, iteration) for row in iteration.rows]
        if not rows:
            return
        self._append(rows)
        for row in rows:
            self._announce(events.WindowClosed(row))
        if any(row.window_id % self.config.selfplay.add_every_windows == 0 for row in rows):
            for role, pool in self.trainer.opponents.pools.items():
                pool.add(self.trainer.policies[role], f"window {rows[-1].window_id}")
        self.trainer.opponents.draw()
        if self.curriculum.advance(rows):
            self.trainer.next_stage()
            stage = self.config.curriculum[self.trainer.stage]
            self._announce(events.StageEntered(self.trainer.stage, stage.name, dict(stage.settings)))
        if any((row.window_id + 1) % self.config.run.checkpoint_every == 0 for row in rows) or self._done():
            self._commit(rows[-1])

    def _with_metrics(self, row: WindowRow, iteration: Iteration) -> WindowRow:
        metrics: dict[str, Any] = {"seconds": self._seconds(), "stage": self.trainer.stage}
        metrics |= self.memory.measure(self.trainer.engine_pids)
        for role, update in iteration.metrics.items():
            metrics |= {f"{role}_{name}": value for name, value in update.items()}
        return row.with_metrics(**metrics)

    def _sample_episodes(self, iteration: Iteration) -> None:
        """Sample the episodes that ended, each with the metrics of the update that followed."""
        episodes, count = iteration.episodes, len(iteration.episodes)
        if not count:
            return
        numbers = self.trainer.windows.episodes_total - count + np.arange(count)
        columns = {
            "episode": numbers,
            "episode_id": numbers,
            "window_id": np.array(iteration.windows),
            "world": episodes.heads["world"].astype(np.int64),
            "seed": episodes.heads["seed"].view(np.int64),  # as torch keeps it
            "steps": episodes.column("length").astype(np.int64),
            **{name: episodes.column(name) for name in ("invalid", "terminated", "truncated")},
        }
        columns |= {name: episodes.column(name) for name in self._episode_columns()}
        columns |= iteration.opponents
        update = update_columns(self.trainer.spec.roles, iteration.metrics)
        columns |= {name: np.full(count, value) for name, value in update.items()}
        self.sample.add(columns["window_id"], columns)

    def _episode_columns(self) -> list[str]:
        """The game's own columns of an episode that are written."""
        spec = self.trainer.spec
        own_return = [field.name for field in spec.episode if field.name == "return"]
        return [*spec.measures, *spec.flags, *own_return, *spec.codes]

    def _append(self, rows: Sequence[WindowRow]) -> None:
        """Rows of windows, and the sample of each one's episodes."""
        spec = self.trainer.spec
        opponents = map(opponent_of, dict.fromkeys(spec.roles)) if len(set(spec.roles)) > 1 else ()
        columns = [*self._episode_columns(), *role_update_columns(spec.roles), *opponents]
        log = self.run.episode_log(columns, codes_of(spec), spec.role_names)
        for row in rows:
            sampled = self.sample.windows
            episodes = sampled.pop(row.window_id, None) if row.window_complete else sampled.get(row.window_id)
            if episodes:
                log.append(episodes | {"seed": episodes["seed"].view(np.uint64)}, len(episodes["episode"]))
        self.run.append_windows(rows)

    # ------------------------------------------------------------ the commit point

    def _commit(self, row: WindowRow) -> None:
        """Save everything up to this row's window; the row of a window in progress is written after it."""
        trainer, window_id, env_steps = self.trainer, row.window_id, row.env_steps_total
        policies = {role: policy.state() for role, policy in trainer.policies.items()}
        about = (self.run.run_id, window_id, env_steps, self.config.trainer)
        checkpoint = checkpoint_of(*about, policies) | {"seed": self.config.run.seed}
        saved = {
            "windows": trainer.windows.to_dict(),
            "curriculum": self.curriculum.state(),
            "partial": None if row.window_complete else row.to_json(),
            "seconds": self._seconds(),
        }
        episodes = {
            str(window): {name: torch.from_numpy(column) for name, column in columns.items()}
            for window, columns in self.sample.windows.items()
        }
        self.run.commit(
            window_id,
            pack(checkpoint),
            trainer=saved,
            record={
                name: getattr(row, name) for name in ("env_steps_total", "ticks_total", "episodes_total")
            },
            policies={role: pack(state) for role, state in policies.items()} if len(policies) > 1 else None,
            resume=pack({"trainer": trainer.state(), "episodes": episodes}),
        )
        self._committed, self._committed_steps = window_id, trainer.windows.env_steps_total
        self._announce(events.Committed(window_id, str(self.run.paths.checkpoint(window_id))))

    def _save_initial(self) -> None:
        """Keep the weights of step 0, to show play before training."""
        policies = {role: policy.state() for role, policy in self.trainer.policies.items()}
        about = (self.run.run_id, None, 0, self.config.trainer)
        self.run.save_initial(pack(checkpoint_of(*about, policies) | {"seed": self.config.run.seed}))

    def _save_partial_window(self) -> None:
        """Commit what was learned in a window that did not close; a resume continues within that window.

        Its row is written after the commit point, so that a resume removes it and later writes the whole row.
        """
        windows = self.trainer.windows
        finished = self.config.run.windows and windows.window_id >= self.config.run.windows
        row = windows.partial()
        learned = windows.env_steps_total > self._committed_steps
        if row is not None and self._last is not None and learned and not finished:
            self._partial = self._with_metrics(row, self._last)
            self._commit(self._partial)
        if self._partial is not None and self._partial.window_id == windows.window_id:
            self._append([self._partial])
            self.run.update(windows_emitted=self.run.window_count())

    def _report(self, iteration: Iteration) -> None:
        seconds, shares = self.trainer.watch.lap()
        windows = self.trainer.windows
        self._announce(
            events.Progressed(
                window_id=windows.window_id,
                share=(windows.env_steps_total % windows.window_env_steps) / windows.window_env_steps,
                run_share=self._run_share(),
                decisions_per_second=iteration.decisions / seconds,
                ticks_per_second=iteration.ticks / seconds,
                env_steps_total=windows.env_steps_total,
                ticks_total=windows.ticks_total,
                episodes_total=windows.episodes_total,
                seconds=self._seconds(),
                shares=shares,
                metrics=iteration.metrics,
                opponents=self.trainer.opponents.win_rates(),
            )
        )


def checkpoint_of(
    run_id: str,
    window_id: int | None,
    env_steps_total: int,
    trainer_backend: str,
    policies: dict[str, Any],
) -> dict[str, Any]:
    """The content of a checkpoint of any trainer. policies: their states by role. window_id: None before the
    first window."""
    return {
        "checkpoint_format": CHECKPOINT_FORMAT,
        "run_id": run_id,
        "window_id": window_id,
        "env_steps_total": env_steps_total,
        "trainer_backend": trainer_backend,
        "versions": versions(),
        "policies": policies,
    }


def codes_of(spec: Spec) -> dict[str, tuple[str, ...]]:
    """Labels of the episode columns that hold codes."""
    opponents = spec.roles if spec.outcome else ()
    return spec.codes | {opponent_of(role): (*KINDS, "") for role in opponents}  # -1, the last: no learner


def versions() -> dict[str, str]:
    """The versions that a checkpoint was made with."""
    return {
        "sandlot": __version__,
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "numpy": importlib.metadata.version("numpy"),
        "engine": load_engine().sl_build().decode(),
    }
