"""What a gate says: one verdict, and a check per metric with its numbers. A JSON file that reports read."""

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..clock import Clock, iso, now
from ..documents import read_document
from ..rating import Estimate
from ..runs.atomic import write_json
from ..version import __version__

KIND = "sandlot-gate-verdict"
# no_data: there was nothing to judge, such as a training in which no episode ended; reported: not judged
Result = Literal["pass", "fail", "undecided", "no_data"]
PASS, FAIL, UNDECIDED, NO_DATA, REPORTED = "pass", "fail", "undecided", "no_data", "reported"
MAX_FILE_BYTES = 256 << 20


class Part(BaseModel):
    """A part of a verdict; keys of other versions are ignored."""

    model_config = ConfigDict(extra="ignore")


class Number(Part):
    """A value and its interval, where it has one."""

    value: float
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, found: Estimate) -> "Number":
        """Of an estimate."""
        return cls(value=found.value, low=found.low, high=found.high)


class Identity(Part):
    """What was compared: enough to find it again."""

    name: str
    kind: Literal["report", "checkpoint", "player", "build", "events", "trainings", "export"]
    game: str = ""
    scenario: str = ""
    game_version: str = ""
    interface_hash: str = ""
    rules_hash: str = ""
    engine: str = ""
    engine_version: str | None = None
    git: str = ""
    sha256: str | None = None
    created: str = ""


class Check(Part):
    """One metric: what was found, what was allowed, and what follows."""

    name: str
    group: str = ""  # which role against whom; "" where there is only one
    result: Literal["pass", "fail", "undecided", "no_data", "reported"]
    gating: bool = True
    sentence: str
    unit: str = ""
    better: Literal["higher", "lower", "none"] = "none"
    test: str = ""
    baseline: Number | None = None
    current: Number | None = None
    difference: Number | None = None  # current - baseline
    margin: float | None = None  # the drop that must not be missed, in the metric's unit
    limit: float | None = None  # of a threshold or a budget
    samples: int = 0  # pairs, episodes or measurements
    further: int | None = None  # pairs that would decide it, if it stays as measured
    p_worse: float | None = None
    p_beyond: float | None = None

    @property
    def mark(self) -> str:
        """Its result, and of what is only reported whether it is shown to be worse."""
        shown = self.result == REPORTED and (self.p_worse or 1.0) <= 0.01 < (self.p_beyond or 0.0)
        return "worse" if shown else self.result

    @property
    def title(self) -> str:
        """Its name with its group."""
        return f"{self.group}: {self.name}" if self.group else self.name


class Failure(Part):
    """One episode that decided a failed gate, with its replays and how far its actions could be shrunk."""

    group: str = ""
    seed: int
    metric: str
    expected_behavior: str
    observed_fault: str
    minimal_reproduction: str
    replays: dict[str, str] = Field(default_factory=dict)  # current, baseline, shrunk: replay ids
    diverges_at_step: int | None = None  # of two builds given the same actions
    starts_at_step: int = 0  # the state after so many steps is the same on both; only what follows was shrunk
    actions_before: int = 0
    actions_after: int = 0
    tries: int = 0
    duplicates: int = 0  # further episodes with the same signature
    fingerprint: str = ""
    rows: list[dict[str, Any]] = Field(default_factory=list)  # the actions that are left: step, action


class Episode(Part):
    """A pair of episodes worth looking at."""

    group: str = ""
    metric: str
    seed: int
    baseline: float
    current: float


class Curve(Part):
    """Sorted values of both sides, for a plot of their distributions."""

    name: str
    group: str = ""
    unit: str = ""
    baseline: list[float]
    current: list[float]


class Verdict(Part):
    """The whole answer of a gate."""

    schema_version: Literal[1] = 1
    kind: Literal["sandlot-gate-verdict"] = KIND  # type: ignore[assignment]
    gate: str
    result: Result
    sentence: str
    checks: list[Check]
    notes: list[str] = Field(default_factory=list)
    baseline: Identity | None = None
    current: Identity | None = None
    pairs: int = 0
    looks: int = 0
    worst: list[Episode] = Field(default_factory=list)
    curves: list[Curve] = Field(default_factory=list)
    failures: list[Failure] = Field(default_factory=list)
    replay_run: str | None = None  # the run that holds the replays of failures
    command: str = ""
    created: str
    seconds: float = 0.0
    sandlot: str = __version__

    def exit_code(self, undecided: Result = "fail") -> int:
        """0 pass, 1 fail; undecided counts as asked for. No data is never a pass."""
        result = undecided if self.result == UNDECIDED else self.result
        return 0 if result == PASS else 1

    def write(self, path: Path) -> None:
        """Write the file whole or not at all: a killed gate leaves no half verdict."""
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, self.model_dump(mode="json"))


def overall(checks: list[Check]) -> Result:
    """The worst of the checks that judge."""
    found = {check.result for check in checks if check.gating}
    for result in (FAIL, NO_DATA, UNDECIDED):
        if result in found:
            return result  # type: ignore[return-value]
    return PASS if found else NO_DATA  # type: ignore[return-value]


def make_verdict(gate: str, checks: list[Check], clock: Clock = now, **fields: Any) -> Verdict:
    """A verdict of these checks; its sentence names those that decided."""
    result = overall(checks)
    fields.setdefault("sentence", _sentence(result, [c for c in checks if c.gating]))
    return Verdict(gate=gate, result=result, checks=checks, created=iso(clock()), **fields)


def _sentence(result: Result, judged: list[Check]) -> str:
    named = [check.title for check in judged if check.result == result]
    shown = ", ".join(named[:4]) + (f" and {len(named) - 4} more" if len(named) > 4 else "")
    if result == PASS:
        return f"Pass: {shown} no worse than allowed."
    if result == FAIL:
        return f"Fail: {shown}."
    if result == NO_DATA:
        return f"No data: nothing to judge of {shown}." if named else "No data: nothing to judge."
    further = [check.further for check in judged if check.result == UNDECIDED and check.further]
    more = f" About {max(further):,} further pairs would decide." if further else ""
    return f"Undecided: {shown}.{more}"


def read_verdict(path: Path) -> Verdict:
    """A verdict file; Damaged names the first field that is wrong."""
    return read_document(
        path,
        Verdict,
        kind=KIND,
        called="verdict of a gate",
        limit=MAX_FILE_BYTES,
        make="`sandlot gate … --output FILE` writes one.",
        again="Run the gate again.",
    )
