"""The files that the tag brief names, kept in step with a run: trainer/, charts/, and the debug bundle.

trainer/policy_seeker.pt  policy_hider.pt                newest weights of each role
trainer/policy.pt                                        what plays both: one shared network, or one per role
trainer/logs/metrics.csv                                 one row per match, session after session
trainer/logs/runs/{approach}/{id}/                       metrics.csv, metadata.json, summary.json, charts/
trainer/logs/latest_run.txt
learn_progress-{stamp}.mp4                               a film of its newest weights
debug/{id}/                                              everything that helps to find a fault
"""

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

from ..cli.plot import METRICS
from ..errors import StoreError
from ..files import write_bytes
from ..runs.atomic import write_json, write_text
from ..runs.episodes import legacy_of, match_columns, read_episodes
from ..runs.run import Run
from ..runs.store import Store
from ..version import __version__
from .trajectories import newest
from .variables import trajectories_folder

TRAINER = Path("trainer")
POLICY = TRAINER / "policy.pt"
ROLES = ("seeker", "hider")
MATCH_COLUMNS = match_columns(ROLES)
ROOT = Path(__file__).resolve().parents[3]  # of a checkout
FRAMES_LIMIT = 600  # newest frames that go into a bundle unless set otherwise
GIT_S = 5


def stamp() -> str:
    """The time now, as part of a file name."""
    return datetime.now().strftime("%Y%m%d_%H%M%S")


def film_path() -> Path:
    """Where a new film goes when nobody says where: here, under the name that the brief gives it."""
    return Path(f"learn_progress-{datetime.now():%Y%m%d-%H%M%S}.mp4")


def policy_file(role: str) -> Path:
    """Where the newest weights of a role are."""
    return TRAINER / f"policy_{role}.pt"


class Publisher:
    """Listens to a run: after every commit the named files are those of its newest window."""

    def __init__(self, run: Run, session: Path, facts: Mapping[str, Any]):
        self.run, self.session = run, session
        session.mkdir(parents=True, exist_ok=True)
        # what earlier rounds and sessions wrote stays in front
        self._earlier = {path: earlier_metrics(path) for path in (METRICS, session / "metrics.csv")}
        write_json(session / "metadata.json", {**facts, "run": run.run_id, "platform": platform.platform()})
        write_text(TRAINER / "logs" / "latest_run.txt", f"{session}\n")

    def __call__(self, event: Any) -> None:
        if type(event).__name__ in ("Committed", "Ended"):
            self.publish()

    def publish(self) -> None:
        """Write the weights and the metrics of the newest window."""
        publish_policies(self.run)
        rows = read_episodes(self.run.paths.episodes)
        for path, earlier in self._earlier.items():
            write_metrics(path, [*earlier, *rows])

    def summarise(self, status: str, seconds: float) -> None:
        """Write summary.json of the session."""
        rows = read_episodes(self.session / "metrics.csv")
        wins = {role: sum(row["winner"] == role for row in rows) for role in ROLES}
        summary = {"run": self.run.run_id, "status": status, "seconds": round(seconds, 1)}
        counts = {"episodes": len(rows)} | {f"{role}_wins": n for role, n in wins.items()}
        write_json(self.session / "summary.json", summary | counts)


def publish_policies(run: Run) -> None:
    """Copy the weights of a run into trainer/; nothing where a role has none yet."""
    sources = {role: run.paths.policy(role) for role in ROLES}
    if all(source.exists() for source in sources.values()):
        TRAINER.mkdir(exist_ok=True)
        for role, source in sources.items():
            write_bytes(policy_file(role), source.read_bytes())
        write_bytes(POLICY, _for_both(run, sources))


def _for_both(run: Run, sources: Mapping[str, Path]) -> bytes:
    """policy.pt: the network that both roles share, or the networks of both."""
    from ..policies.policy import SHARED, pack, unpack

    states = {role: unpack(source.read_bytes(), source.name) for role, source in sources.items()}
    if run.config.get("selfplay", {}).get("shared"):
        return pack(states[ROLES[0]] | {"role": SHARED})
    return pack({"run_id": run.run_id, "policies": states})


def earlier_metrics(path: Path) -> list[dict[str, str]]:
    """Rows that are there already. A file with other columns is moved aside, not written over."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", errors="replace") as file:
        known = file.readline().strip() == ",".join(MATCH_COLUMNS)
    if not known:
        path.replace(legacy_of(path))
        return []
    return read_episodes(path)


def write_metrics(path: Path, rows: Iterable[Mapping[str, str]]) -> None:
    """The columns of the brief, in their order; `episode` counts the matches of the whole file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = io.StringIO()
    writer = csv.DictWriter(text, MATCH_COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, "episode": number} for number, row in enumerate(rows))
    write_text(path, text.getvalue())


# ---------------------------------------------------------------- the debug bundle


def collect(
    folder: Path,
    logs: Iterable[Path] = (),
    trajectory: Path | None = None,
    frames: Path | None = None,
    frames_limit: int = FRAMES_LIMIT,
    more: Iterable[Path] = (),
    since_ns: int = 0,
) -> list[str]:
    """Fill a bundle with what is there; returns the names of what went in.

    since_ns: leave out what was last changed before (st_mtime_ns), such as the files of an earlier session.
    """

    def fresh(path: Path) -> bool:
        return path.is_file() and path.stat().st_mtime_ns >= since_ns

    def put(name: str, files: Iterable[Path], place: Path = folder) -> None:
        """Copy files, if there are any, into the bundle or a folder of it."""
        copies = list(files)
        if copies:
            place.mkdir(parents=True, exist_ok=True)
            took.append(name)
        for path in copies:
            shutil.copy2(path, place / path.name)

    took: list[str] = []
    folder.mkdir(parents=True, exist_ok=True)
    for path in (*logs, METRICS, POLICY, *(policy_file(role) for role in ROLES), *more):
        if fresh(path) and path.resolve().parent != folder.resolve():
            put(path.name, [path])
    if trajectory is not None:
        shutil.copy2(trajectory, folder / "trajectory.jsonl")
        took.append("trajectory.jsonl")
    elif (last := newest([trajectories_folder()])) is not None and fresh(last):
        put(last.name, [last])
    put("charts", sorted(filter(fresh, Path("charts").glob("*.png"))), folder / "charts")
    checkpoints = sorted(filter(fresh, _latest_checkpoints()), key=lambda path: path.name)
    put("checkpoints", checkpoints[-8:], folder / "checkpoints")
    if frames is not None:
        put("frames", sorted(frames.glob("frame_*.png"))[-frames_limit:], folder / "frames")
    write_text(folder / "metadata.txt", metadata())
    return [*took, "metadata.txt"]


def _latest_checkpoints() -> list[Path]:
    try:
        return list(Store().latest().checkpoints().values())
    except StoreError:
        return []


def metadata() -> str:
    """Who, where, when, and which revision."""
    facts = {
        "created": datetime.now().isoformat(timespec="seconds"),
        "folder": str(Path.cwd()),
        **revision(ROOT),
        "host": socket.gethostname(),
        "user": _user(),
        "platform": platform.platform(),
        "python": platform.python_version(),
    }
    return "".join(f"{name}: {value}\n" for name, value in facts.items())


def revision(root: Path) -> dict[str, str]:
    """Which code this is: of the checkout that sandlot runs from, whatever folder it is started in."""
    if not (root / ".git").exists():
        none = f"none: sandlot {__version__} runs from a package or an archive, not from a git checkout"
        return {"repository": none, "git head": none, "git branch": none}
    changes = _git(root, "status", "--porcelain", "--untracked-files=no")
    return {
        "repository": str(root),
        "git head": _git(root, "rev-parse", "HEAD"),
        "git branch": _git(root, "rev-parse", "--abbrev-ref", "HEAD"),
        "git changes": f"{len(changes.splitlines())} files differ from it" if changes else "none",
    }


def _git(root: Path, *words: str) -> str:
    """What git says of a checkout, also of one that belongs to somebody else."""
    program = ["git", "-c", f"safe.directory={root}", "-C", str(root), *words]
    try:
        done = subprocess.run(program, capture_output=True, encoding="utf-8", timeout=GIT_S)
    except FileNotFoundError:
        return "unknown: git is not installed"
    except (OSError, subprocess.TimeoutExpired):
        return "unknown: git did not answer"
    return done.stdout.strip() if done.returncode == 0 else f"unknown: {done.stderr.strip()}"


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"
