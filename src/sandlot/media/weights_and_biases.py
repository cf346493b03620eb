"""A run as Weights & Biases shows it: one log call a window, and its checkpoints and replays as artifacts.

Names are those of the prospector brief: run `{run_id}`, artifacts `model-`, `replay-`, `replay_index-` and
`benchmark-`. All calls but the first and the last come from a thread of their own, so that a slow network or
disk never holds up training.
"""

from __future__ import annotations

import json
import os
import queue
import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..errors import ConfigError, MissingExtra, SandlotError
from ..runs.evaluations import read_evaluations
from ..runs.records import IndexEntry, WindowRow
from ..runs.run import Run
from .history import Follower
from .tags import evaluation_tags, numbers

MODES = ("disabled", "offline", "online")
PROJECTS = {"prospector": "asteroid-prospector"}  # any other game: sandlot-{game}
FAREWELL_SECONDS = 120.0  # how long the end of a run waits for uploads


def check_mode(mode: str) -> str:
    """A mode that exists and can be had here, or an error."""
    if mode not in MODES:
        raise ConfigError(f"wandb = {mode!r}: expected {', '.join(MODES)}.")
    if mode != "disabled":
        library()
    return mode


def library() -> Any:
    """The package. It reads its variables when it is imported, and takes a blank one for a value."""
    for name in [name for name, value in os.environ.items() if _is_its(name) and not value.strip()]:
        del os.environ[name]
    try:
        import wandb
    except ImportError:
        raise MissingExtra("Logging to Weights & Biases", "wandb", "wandb") from None
    except ValueError as problem:
        raise _refused(problem) from None
    return wandb


def _is_its(variable: str) -> bool:
    return variable.startswith("WANDB_")


def _refused(problem: ValueError) -> ConfigError:
    """Which variable it was, the package does not say."""
    names = ", ".join(sorted(filter(_is_its, os.environ))) or "none"
    told = " ".join(re.sub(r" *\[type=.*|For further information.*", "", str(problem)).split()[:60])
    return ConfigError(
        f"Weights & Biases refuses its settings: {told}. Correct or unset the variable that says so "
        f"(set are: {names})."
    )


def project_of(game: str) -> str:
    return PROJECTS.get(game, f"sandlot-{game}")


def alias_of(tag: str) -> str:
    """A replay's tag as an alias: W&B allows no colons or slashes there."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", tag)


class WeightsAndBiases:
    """Listens to one run."""

    def __init__(self, run: Run, mode: str, group: str | None = None):
        self._run, self._told = run, {entry.replay_id for entry in _replays(run)}
        self._judged = Follower(run.paths.evaluations, read_evaluations(run.paths.evaluations))
        about = {"name": run.run_id, "id": run.run_id, "group": group, "job_type": "train"}
        self._session = _begin(run.record.game, mode, run.paths.folder, config=run.config, **about)
        self._newest_steps = 0
        self._problem: Exception | None = None
        self._calls: queue.Queue[Callable[[], None] | None] = queue.Queue()
        self._thread = threading.Thread(target=self._work, name="wandb", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str | None:
        """None in offline mode."""
        return None if self._session.offline else self._session.url

    def window(self, row: WindowRow) -> None:
        self._calls.put(lambda: self._log(row))

    def committed(self, window_id: int, checkpoint: Path) -> None:
        self._calls.put(lambda: self._keep_model(window_id, checkpoint))

    def close(self) -> str:
        """Send what is left and say goodbye. Returns a sentence when something could not be sent."""
        self._calls.put(self._say_the_rest)
        self._calls.put(None)
        self._thread.join(FAREWELL_SECONDS)
        if self._thread.is_alive():
            return f"W&B is still sending after {FAREWELL_SECONDS:.0f} s; the run folder has everything."
        self._session.finish()
        return f"W&B did not take everything: {self._problem}" if self._problem else ""

    # ------------------------------------------------------------ in the thread

    def _work(self) -> None:
        """Calls in order. The first problem is kept for the end; it must never stop the training."""
        while (call := self._calls.get()) is not None:
            try:
                call()
            except Exception as problem:  # noqa: BLE001  whatever the service throws
                self._problem = self._problem or problem

    def _log(self, row: WindowRow) -> None:
        """The window, with the newest judgement there is: evaluation runs a little behind the training."""
        self._newest_steps = row.env_steps_total
        judged = self._judged.new()
        told = numbers(row.to_json()) | (_judgement(judged[-1]) if judged else {})
        self._session.log(told, step=row.env_steps_total)
        self._keep_replays()

    def _say_the_rest(self) -> None:
        judged = self._judged.new()
        if judged:  # the same step as the last window: W&B joins the two
            self._session.log(_judgement(judged[-1]), step=self._newest_steps)
        self._keep_replays()
        if self._run.paths.index.exists():
            self._keep(
                "replay_index-" + self._run.run_id, "replay_index", [self._run.paths.index], ["latest"]
            )

    def _keep_model(self, window_id: int, checkpoint: Path) -> None:
        if checkpoint.exists():  # retention may have been faster
            self._keep(f"model-{self._run.run_id}", "model", [checkpoint], ["latest", f"window-{window_id}"])

    def _keep_replays(self) -> None:
        for entry in _replays(self._run):
            if entry.replay_id not in self._told:
                self._told.add(entry.replay_id)
                self._keep(
                    replay_artifact(entry), "replay", [self._run.replay_path(entry)], replay_aliases(entry)
                )

    def _keep(self, name: str, kind: str, files: Sequence[Path], aliases: list[str]) -> None:
        _keep_artifact(self._session, name, kind, files, aliases)


def publish_benchmark(
    report: Path, game: str, run_id: str, mode: str, checkpoints: Sequence[Path] = (), job_type: str = "eval"
) -> None:
    """Log a benchmark's JSON report: numbers under `benchmark/`, file and checkpoints as an artifact."""
    try:
        told = json.loads(report.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise ConfigError(
            f"{report} is no benchmark report ({problem}). Give the JSON that a benchmark wrote."
        ) from None
    name = f"benchmark-{run_id}"
    session = _begin(game, mode, report.parent, name=name, job_type=job_type, config={"report": report.name})
    session.log({f"benchmark/{key}": value for key, value in _flat(told).items()})
    _keep_artifact(session, name, "benchmark", [report, *checkpoints], ["latest", run_id, f"job-{job_type}"])
    session.finish()


def replay_artifact(entry: IndexEntry) -> str:
    return f"replay-{entry.run_id}-{entry.window_id:06d}-{entry.replay_id}"


def replay_aliases(entry: IndexEntry) -> list[str]:
    return ["latest", f"window-{entry.window_id}", *(alias_of(tag) for tag in entry.tags)]


def _begin(game: str, mode: str, folder: Path, **told: Any) -> Any:
    wandb = library()
    settings = wandb.Settings(console="off", silent=True, x_disable_stats=True)
    try:
        return wandb.init(
            project=project_of(game), mode=mode, dir=folder, resume="allow", settings=settings, **told
        )
    except wandb.errors.Error as problem:
        raise SandlotError(
            f"W&B cannot start: {problem}. Log in with `wandb login`, or use --wandb offline."
        ) from None
    except ValueError as problem:  # what pydantic finds in its variables
        raise _refused(problem) from None


def _keep_artifact(session: Any, name: str, kind: str, files: Sequence[Path], aliases: list[str]) -> None:
    artifact = library().Artifact(name, type=kind)
    for file in files:
        artifact.add_file(str(file))
    session.log_artifact(artifact, aliases=aliases)


def _judgement(row: dict[str, Any]) -> dict[str, float]:
    return evaluation_tags(row) | {"evaluation/window_id": float(row["window_id"])}


def _replays(run: Run) -> list[IndexEntry]:
    """The newest ones, oldest first."""
    return run.index.find()[::-1] if run.paths.index.exists() else []


def _flat(told: Any, path: str = "") -> dict[str, float]:
    """The numbers of nested objects by their path. Lists are left to the report."""
    if isinstance(told, dict):
        parts = [_flat(value, f"{path}/{key}" if path else str(key)) for key, value in told.items()]
        return {name: value for part in parts for name, value in part.items()}
    return {path: float(told)} if isinstance(told, (int, float)) and path else {}
