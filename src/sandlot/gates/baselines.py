"""Baselines: folders with a report and, where there is one, the policy. They live in git or beside it.

baselines/NAME/report.json      episodes with seeds: what `gate regression --baseline NAME` compares with
baselines/NAME/policy.pt        the checkpoint that played them (.onnx for an exported one)
baselines/NAME/baseline.json    when, from what, and which verdict promoted it; written last
"""

import shutil
from pathlib import Path
from typing import Any

from ..clock import Clock, iso, now
from ..errors import ConfigError, Damaged, UnknownName
from ..evaluate.report_file import EvalReport, read_report
from ..files import write_bytes
from ..runs.atomic import read_json, write_json
from ..runs.paths import check_name
from .sides import REPORT_NAME, PlayedSide
from .verdict import PASS, Verdict

FOLDER = Path("baselines")
NOTE = "baseline.json"
POLICY = "policy"


class Baselines:
    """The baselines in one folder."""

    def __init__(self, folder: Path = FOLDER):
        self.folder = folder

    def names(self) -> list[str]:
        """Of complete baselines: those whose note was written."""
        return sorted(note.parent.name for note in self.folder.glob(f"*/{NOTE}"))

    def place(self, name: str) -> Path:
        """The folder of a baseline; UnknownName names the nearest."""
        if name not in self.names():
            raise UnknownName(f"baseline in {self.folder}", name, self.names())
        return self.folder / name

    def paths(self) -> dict[str, Path]:
        """Every baseline's folder by name."""
        return {name: self.folder / name for name in self.names()}

    def report(self, name: str) -> EvalReport:
        """Its report."""
        return read_report(self.place(name) / REPORT_NAME)

    def note(self, name: str) -> dict[str, Any]:
        """When it was made, and from what."""
        found = read_json(self.place(name) / NOTE)
        if not isinstance(found, dict):
            raise Damaged(f"{self.place(name) / NOTE} is no JSON object. Save the baseline again.")
        return found

    def save(
        self,
        name: str,
        report: EvalReport,
        policy: Path | None = None,
        source: str = "",
        replace: bool = False,
        verdict: str = "",
        clock: Clock = now,
    ) -> Path:
        """Write a baseline; one that exists is replaced only if asked."""
        place = self.folder / check_name("baseline", name)
        if (place / NOTE).exists() and not replace:
            raise ConfigError(
                f"There is a baseline {name} in {self.folder} already. Choose another name, or put a "
                "better one in "
                "its place: sandlot baseline promote."
            )
        place.mkdir(parents=True, exist_ok=True)
        (place / NOTE).unlink(missing_ok=True)  # until all of it is new, it is none
        report.write(place / REPORT_NAME)
        for old in place.glob(f"{POLICY}.*"):
            old.unlink()
        if policy is not None:
            write_bytes(place / f"{POLICY}{policy.suffix}", policy.read_bytes())
        note = {"schema_version": 1, "name": name, "source": source, "saved_at": iso(clock())}
        write_json(place / NOTE, note | {"verdict": verdict})
        return place

    def promote(self, candidate: str, name: str, verdict: Verdict | None, force: bool = False) -> Path:
        """Put a baseline in another's place. Without force a passed gate has to have compared the two."""
        report = self.report(candidate)
        if not force:
            _check_verdict(verdict, report, candidate)
        policy = policy_of(self.place(candidate))
        judged = verdict.sentence if verdict else ""
        made = self.save(name, report, policy, f"promoted from {candidate}", replace=True, verdict=judged)
        if candidate != name:
            shutil.rmtree(self.place(candidate))
        return made


def policy_of(place: Path) -> Path | None:
    """The policy in a baseline's folder."""
    return next(iter(sorted(place.glob(f"{POLICY}.*"))), None)


def _check_verdict(verdict: Verdict | None, report: EvalReport, candidate: str) -> None:
    if verdict is None:
        raise ConfigError(
            "A baseline is replaced by what passed a gate: give its verdict with --verdict FILE, or say "
            "--force."
        )
    if verdict.result != PASS:
        raise ConfigError(
            f"The verdict is {verdict.result}, not pass ({verdict.sentence}) Say --force if you mean it."
        )
    current = verdict.current
    if current is not None and current.sha256 and report.model_sha256:
        same = current.sha256 == report.model_sha256
    else:
        same = current is not None and current.kind == "report" and current.created == report.created
    if not same:
        judged = current.name if current else "something else"
        raise ConfigError(
            f"The verdict judged {judged}, not what is in {candidate} ({report.model}). Run the gate on it."
        )


def played_report(side: PlayedSide, seeds: list[int]) -> EvalReport:
    """A report of a side that plays now, with its groups against its default opponents."""
    from ..evaluate.report_file import group_of, report_from

    groups = [
        group_of(side.metrics, role, opponent, side.identity.name, side.rows((role, opponent), seeds))
        for role, opponent in side.groups
    ]
    return report_from(side.about, groups, side.metrics)
