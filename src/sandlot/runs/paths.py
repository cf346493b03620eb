"""All file names of a run; no other module knows one. No name can lead out of the run folder."""

import re
import subprocess
from pathlib import Path

from ..clock import Clock, now, stamp
from ..errors import UnsafePath
from ..processes import run_quietly

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
CHECKPOINT = re.compile(r"ckpt_(\d{6,})\.pt")
REPLAY_SUFFIX = ".jsonl.gz"
STAGED_SUFFIX = ".staged.tmp"


def check_name(kind: str, name: str) -> str:
    """The name, if it is safe as one part of a path on every system; else UnsafePath."""
    if not isinstance(name, str) or not NAME.fullmatch(name) or name.endswith("."):
        raise UnsafePath(
            f"{name!r} cannot be the name of a {kind}: expected 1 to 128 letters, digits, dots, dashes "
            "or underscores, beginning with a letter or digit."
        )
    return name


class RunPaths:
    """The files of one run."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.config = folder / "config.json"  # the configuration
        self.spec = folder / "spec.json"  # what the game says about itself, so that it need not be opened
        self.record = folder / "run.json"  # status and counters
        self.state = folder / "state.json"  # the last commit point; its rename is the commit
        self.lock = folder / ".lock"
        self.evaluator_lock = folder / ".evaluator.lock"
        self.metrics = folder / "metrics"
        self.windows = self.metrics / "windows.jsonl"
        self.episodes = self.metrics / "episodes.csv"
        self.evaluations = self.metrics / "evaluations.jsonl"  # one line per evaluated window
        self.checkpoints = folder / "checkpoints"
        self.initial = self.checkpoints / "initial.pt"  # the policies before the first step
        self.best = self.checkpoints / "best.pt"
        self.best_note = self.checkpoints / "best.json"  # which window each role in best.pt is of, and why
        self.replays = folder / "replays"
        self.learning = folder / "learning"  # the same seeds at every stage of training
        self.index = folder / "replay_index.sqlite"
        self.tensorboard = folder / "tensorboard"
        self.charts = folder / "charts"
        self.videos = folder / "videos"
        self.exports = folder / "exports"
        self.logs = folder / "logs"

    def resume(self, window_id: int) -> Path:
        """The trainer's state for an exact resume; only the newest is kept."""
        return self.checkpoints / f"resume_{window_id:06d}.pt"

    def checkpoint(self, window_id: int) -> Path:
        """The policies after a window."""
        return self.checkpoints / f"ckpt_{window_id:06d}.pt"

    def policy(self, role: str) -> Path:
        """The newest weights of one role."""
        return self.checkpoints / f"policy_{check_name('role', role)}.pt"

    def replay(self, replay_id: str) -> Path:
        """The file of a replay."""
        return self.replays / f"{check_name('replay', replay_id)}{REPLAY_SUFFIX}"

    def relative(self, path: Path) -> str:
        """A path as it is stored: relative to the run folder, with forward slashes."""
        return path.relative_to(self.folder).as_posix()

    def inside(self, relative: str) -> Path:
        """The file of a stored relative path; UnsafePath if it lies outside the run folder."""
        path = (self.folder / relative).resolve()
        if "\\" in relative or ":" in relative or not path.is_relative_to(self.folder.resolve()):
            text = f"{relative!r} leads out of the run folder {self.folder}"
            raise UnsafePath(f"{text}. The file that names it was changed.")
        return path

    def make_folders(self) -> None:
        """Create the folders that every run has."""
        for folder in (self.metrics, self.checkpoints, self.replays, self.logs):
            folder.mkdir(parents=True, exist_ok=True)


def export_name(role: str, window_id: int | None, variant: str = "") -> str:
    """The file name of an export. variant: `int8`, `64x64`, …; empty for the policy as it is."""
    window = "policy" if window_id is None else f"{window_id:06d}"
    parts = [check_name("role", role), window, *([check_name("variant", variant)] if variant else [])]
    return f"{'-'.join(parts)}.onnx"


def staged(path: Path) -> Path:
    """The name of a file until its commit; `remove_temporaries` removes it after a kill."""
    return path.with_name(f".{path.name}{STAGED_SUFFIX}")


def window_of(path: Path) -> int | None:
    """The window of a checkpoint file, None for any other file."""
    found = CHECKPOINT.fullmatch(path.name)
    return int(found[1]) if found else None


def new_run_folder(root: Path, clock: Clock = now, revision: str | None = None) -> Path:
    """Create `root/{stamp}-{revision}`; further runs of the same second get -2, -3, …"""
    root.mkdir(parents=True, exist_ok=True)
    name = f"{stamp(clock())}-{check_name('revision', revision or git_revision())}"
    number = 1
    while True:
        folder = root / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            number += 1
        else:
            return folder


def git_revision(folder: Path | None = None) -> str:
    """The short hash of the checkout that this code runs from, or `nogit`."""
    try:
        command = ["git", "rev-parse", "--short=8", "HEAD"]
        asked = run_quietly(command, 10, cwd=folder or Path(__file__).parent, check=True)
    except (OSError, subprocess.SubprocessError):
        return "nogit"
    found = asked.stdout.strip()
    return found if re.fullmatch(r"[0-9a-f]{4,40}", found) else "nogit"
