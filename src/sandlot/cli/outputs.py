"""The files that the tag brief names, kept in step with a run: trainer/, charts/, and the debug bundle.

trainer/policy_seeker.pt  policy_hider.pt  policy.pt     newest weights; policy.pt is the seeker's
trainer/logs/metrics.csv                                 one row an episode of the newest run
trainer/logs/runs/{approach}/{id}/                       metrics.csv, metadata.json, summary.json, charts/
trainer/logs/latest_run.txt
learn_progress-{stamp}.mp4                               a film of its newest weights
debug/{id}/                                              everything that helps to find a fault
"""

from __future__ import annotations

import csv
import getpass
import io
import platform
import shutil
import socket
import subprocess
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from ..files import write_bytes
from ..runs.atomic import write_json, write_text
from ..runs.episodes import MATCH_COLUMNS, legacy_of, read_episodes
from ..runs.run import Run
from ..variables import trajectories_folder

TRAINER = Path("trainer")
METRICS = TRAINER / "logs" / "metrics.csv"
ROLES = ("seeker", "hider")
FRAMES_LIMIT = 600  # newest frames that go into a bundle unless told otherwise
GIT_S = 5


def stamp() -> str:
    return datetime.now().strftime("%Y%m%d_%H%M%S")


def film_path() -> Path:
    """Where a new film goes when nobody says where: here, under the name that the brief gives it."""
    return Path(f"learn_progress-{datetime.now():%Y%m%d-%H%M%S}.mp4")


def policy_file(role: str) -> Path:
    return TRAINER / f"policy_{role}.pt"


class Publisher:
    """Listens to a run: after every commit the named files are those of its newest window."""

    def __init__(self, run: Run, session: Path, facts: Mapping[str, Any]):
        self.run, self.session = run, session
        session.mkdir(parents=True, exist_ok=True)
        write_json(session / "metadata.json", {**facts, "run": run.run_id, "platform": platform.platform()})
        write_text(TRAINER / "logs" / "latest_run.txt", f"{session}\n")

    def __call__(self, event: Any) -> None:
        if type(event).__name__ in ("Committed", "Ended"):
            self.publish()

    def publish(self) -> None:
        publish_policies(self.run)
        rows = read_episodes(self.run.paths.episodes)
        for path in (METRICS, self.session / "metrics.csv"):
            write_metrics(path, rows)

    def summarise(self, status: str, seconds: float) -> None:
        rows = read_episodes(self.run.paths.episodes)
        wins = {role: sum(row["winner"] == role for row in rows) for role in ROLES}
        told = {"run": self.run.run_id, "status": status, "seconds": round(seconds, 1), "episodes": len(rows)}
        write_json(self.session / "summary.json", told | {f"{role}_wins": n for role, n in wins.items()})


def publish_policies(run: Run) -> None:
    for role in ROLES:
        source = run.paths.policy(role)
        if source.exists():
            data = source.read_bytes()
            TRAINER.mkdir(exist_ok=True)
            write_bytes(policy_file(role), data)
            if role == "seeker":
                write_bytes(TRAINER / "policy.pt", data)


def write_metrics(path: Path, rows: Iterable[Mapping[str, str]]) -> None:
    """The columns of the brief, in their order. A file with others is moved aside, not written over."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        with path.open(encoding="utf-8", errors="replace") as file:
            if file.readline().strip() != ",".join(MATCH_COLUMNS):
                path.replace(legacy_of(path))
    text = io.StringIO()
    writer = csv.DictWriter(text, MATCH_COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, text.getvalue())


# ---------------------------------------------------------------- the debug bundle


def collect(
    folder: Path,
    logs: Iterable[Path] = (),
    trajectory: Path | None = None,
    frames: Path | None = None,
    frames_limit: int = FRAMES_LIMIT,
    more: Iterable[Path] = (),
) -> list[str]:
    """Fill a bundle with what is there; returns the names of what went in."""
    from ..runs.trajectories import newest

    folder.mkdir(parents=True, exist_ok=True)
    took = []
    singles = [*logs, METRICS, TRAINER / "policy.pt", *(policy_file(role) for role in ROLES), *more]
    for path in singles:
        if path.is_file() and path.resolve().parent != folder.resolve():
            shutil.copy2(path, folder / path.name)
            took.append(path.name)
    if trajectory is not None:
        shutil.copy2(trajectory, folder / "trajectory.jsonl")
        took.append("trajectory.jsonl")
    elif (last := newest([trajectories_folder()])) is not None:
        shutil.copy2(last, folder / last.name)
        took.append(last.name)
    took += _charts_and_checkpoints(folder)
    if frames is not None and frames.is_dir():
        (folder / "frames").mkdir(exist_ok=True)
        for path in sorted(frames.glob("frame_*.png"))[-frames_limit:]:
            shutil.copy2(path, folder / "frames" / path.name)
        took.append("frames")
    write_text(folder / "metadata.txt", metadata())
    return [*took, "metadata.txt"]


def _charts_and_checkpoints(folder: Path) -> list[str]:
    took = []
    charts = sorted(Path("charts").glob("*.png"))
    checkpoints = sorted(_latest_checkpoints(), key=lambda path: path.name)[-8:]
    for name, files in (("charts", charts), ("checkpoints", checkpoints)):
        if files:
            (folder / name).mkdir(exist_ok=True)
            for path in files:
                shutil.copy2(path, folder / name / path.name)
            took.append(name)
    return took


def _latest_checkpoints() -> list[Path]:
    from ..errors import StoreError
    from ..runs.store import Store

    try:
        return list(Store().latest().checkpoints().values())
    except StoreError:
        return []


def metadata() -> str:
    """Who, where, when, and which revision."""
    facts = {
        "created": datetime.now().isoformat(timespec="seconds"),
        "repository": str(Path.cwd()),
        "git head": _git("rev-parse", "HEAD"),
        "git branch": _git("rev-parse", "--abbrev-ref", "HEAD"),
        "host": socket.gethostname(),
        "user": _user(),
        "platform": platform.platform(),
        "python": platform.python_version(),
    }
    return "".join(f"{name}: {value}\n" for name, value in facts.items())


def _git(*words: str) -> str:
    try:
        done = subprocess.run(["git", *words], capture_output=True, text=True, timeout=GIT_S)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return done.stdout.strip() or "unknown"


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"
