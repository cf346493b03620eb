"""A run as Weights & Biases shows it: one log call per window, and its checkpoints and replays as artifacts.

Names are those of the prospector brief: run `{run_id}`, artifacts `model-`, `replay-`, `replay_index-` and
`benchmark-`. All calls but the first and the last come from a thread of their own, so that a slow network or
disk never holds up training.
"""

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
from ..worlds import known_spec
from .history import EvaluationFollower
from .tags import evaluation_tags, numbers

MODES = ("disabled", "offline", "online")
CLOSE_TIMEOUT_S = 120.0  # for which the end of a run waits for uploads


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
    reason = " ".join(re.sub(r" *\[type=.*|For further information.*", "", str(problem)).split()[:60])
    how = f"Correct or unset the variable that says so (set are: {names})."
    return ConfigError(f"Weights & Biases refuses its settings: {reason}. {how}")


def project_of(game: str) -> str:
    """The W&B project of a game."""
    spec = known_spec(game)
    return (spec.document.wandb_project if spec else "") or f"sandlot-{game}"


def alias_of(tag: str) -> str:
    """A replay's tag as an alias: W&B allows no colons or slashes there."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", tag)


class WeightsAndBiases:
    """Logs one run."""

    def __init__(self, run: Run, mode: str, group: str | None = None):
        self._run, self._logged_replays = run, {entry.replay_id for entry in _replays(run)}
        self._evaluations = EvaluationFollower(run.paths.evaluations, read_evaluations(run.paths.evaluations))
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
        """Log a window."""
        self._calls.put(lambda: self._log(row))

    def committed(self, window_id: int, checkpoint: Path) -> None:
        """Log a checkpoint as an artifact."""
        self._calls.put(lambda: self._log_model(window_id, checkpoint))

    def close(self) -> str:
        """Send the rest and finish. Returns a sentence if something could not be sent."""
        self._calls.put(self._log_rest)
        self._calls.put(None)
        self._thread.join(CLOSE_TIMEOUT_S)
        if self._thread.is_alive():
            return f"W&B is still sending after {CLOSE_TIMEOUT_S:.0f} s; the run folder has everything."
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
        """Log a window with the newest evaluation, which is a little behind the training."""
        self._newest_steps = row.env_steps_total
        evaluations = self._evaluations.new()
        metrics = numbers(row.to_json()) | (_evaluation(evaluations[-1]) if evaluations else {})
        self._session.log(metrics, step=row.env_steps_total)
        self._log_replays()

    def _log_rest(self) -> None:
        evaluations = self._evaluations.new()
        if evaluations:  # the same step as the last window: W&B joins the two
            self._session.log(_evaluation(evaluations[-1]), step=self._newest_steps)
        self._log_replays()
        if self._run.paths.index.exists():
            name = f"replay_index-{self._run.run_id}"
            _log_artifact(self._session, name, "replay_index", [self._run.paths.index], ["latest"])

    def _log_model(self, window_id: int, checkpoint: Path) -> None:
        if checkpoint.exists():  # retention may have been faster
            aliases = ["latest", f"window-{window_id}"]
            _log_artifact(self._session, f"model-{self._run.run_id}", "model", [checkpoint], aliases)

    def _log_replays(self) -> None:
        for entry in _replays(self._run):
            if entry.replay_id not in self._logged_replays:
                self._logged_replays.add(entry.replay_id)
                files, aliases = [self._run.replay_path(entry)], replay_aliases(entry)
                _log_artifact(self._session, replay_artifact(entry), "replay", files, aliases)


def publish_benchmark(
    report: Path, game: str, run_id: str, mode: str, checkpoints: Sequence[Path] = (), job_type: str = "eval"
) -> None:
    """Log a benchmark's JSON report: numbers under `benchmark/`, file and checkpoints as an artifact."""
    try:
        content = json.loads(report.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        text = f"{report} is not a benchmark report ({problem}). Give the JSON that a benchmark wrote."
        raise ConfigError(text) from None
    name = f"benchmark-{run_id}"
    session = _begin(game, mode, report.parent, name=name, job_type=job_type, config={"report": report.name})
    session.log({f"benchmark/{key}": value for key, value in _flat(content).items()})
    _log_artifact(session, name, "benchmark", [report, *checkpoints], ["latest", run_id, f"job-{job_type}"])
    session.finish()


def replay_artifact(entry: IndexEntry) -> str:
    """The artifact name of a replay."""
    return f"replay-{entry.run_id}-{entry.window_id:06d}-{entry.replay_id}"


def replay_aliases(entry: IndexEntry) -> list[str]:
    """The artifact aliases of a replay."""
    return ["latest", f"window-{entry.window_id}", *(alias_of(tag) for tag in entry.tags)]


def _begin(game: str, mode: str, folder: Path, **options: Any) -> Any:
    wandb = library()
    settings = wandb.Settings(console="off", silent=True, x_disable_stats=True)
    try:
        about = {"project": project_of(game), "mode": mode, "dir": folder, "resume": "allow"}
        return wandb.init(**about, settings=settings, **options)
    except wandb.errors.Error as problem:
        text = f"W&B cannot start: {problem}. Log in with `wandb login`, or use --wandb offline."
        raise SandlotError(text) from None
    except ValueError as problem:  # what pydantic finds in its variables
        raise _refused(problem) from None


def _log_artifact(session: Any, name: str, kind: str, files: Sequence[Path], aliases: list[str]) -> None:
    artifact = library().Artifact(name, type=kind)
    for file in files:
        artifact.add_file(str(file))
    session.log_artifact(artifact, aliases=aliases)


def _evaluation(row: dict[str, Any]) -> dict[str, float]:
    return evaluation_tags(row) | {"evaluation/window_id": float(row["window_id"])}


def _replays(run: Run) -> list[IndexEntry]:
    """The newest ones, oldest first."""
    return run.index.find()[::-1] if run.paths.index.exists() else []


def _flat(value: Any, path: str = "") -> dict[str, float]:
    """The numbers of nested objects by their path. Lists are left to the report."""
    if isinstance(value, dict):
        parts = [_flat(part, f"{path}/{key}" if path else str(key)) for key, part in value.items()]
        return {name: number for found in parts for name, number in found.items()}
    return {path: float(value)} if isinstance(value, (int, float)) and path else {}
