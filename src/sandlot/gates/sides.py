"""The two sides of a comparison: reports that were written, or policies and builds that are played now."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .. import errors
from ..closing import Closing
from ..errors import ConfigError, SandlotError, SpecMismatch
from ..evaluate.report_file import EvalReport, Metric, Row, read_report
from ..processes import describe_exit
from ..runs import Replay
from ..worlds.library import LIBRARY_VARIABLE
from .verdict import Identity
from .worker import Request, Worker, answer, library_of, packed

REPLY_S = 900.0  # for one batch of episodes, or for opening
Key = tuple[str, str | None]  # role and opponent
LIBRARIES = (".so", ".dll", ".dylib")


class BuildCrashed(Exception):
    """The process of a build ended by itself: a finding about the build, not a problem of the gate."""


class Side(Protocol):
    """One of the two that are compared."""

    identity: Identity
    metrics: list[Metric]
    groups: list[Key]
    seeds: list[int] | None  # of a report: the only ones there are

    def rows(self, key: Key, seeds: Sequence[int]) -> list[Row]:
        """One row per seed, in their order."""

    def close(self) -> None:
        """Give everything back."""


# ---------------------------------------------------------------- reports


class ReportSide(Closing):
    """Episodes that were played before."""

    def __init__(self, report: EvalReport, where: str):
        self.report, self.where = report, where
        self.identity = Identity(
            name=report.model,
            kind="report",
            git=report.git,
            sha256=report.model_sha256,
            created=report.created,
            **{name: getattr(report, name) for name in IDENTITY},
        )
        self.metrics = report.metrics
        self.groups = [group.key for group in report.groups]
        self._rows = {
            group.key: {int(row["seed"] or 0): row for row in group.rows} for group in report.groups
        }
        lists = {tuple(group.seeds) for group in report.groups}
        if len({tuple(sorted(seeds)) for seeds in lists}) > 1:
            raise ConfigError(f"{where}: its groups were played on different seeds. Make the report again.")
        self.seeds: list[int] | None = list(next(iter(lists)))

    def rows(self, key: Key, seeds: Sequence[int]) -> list[Row]:
        """The rows of these seeds; ConfigError names what is missing."""
        have = self._rows[key]
        missing = [seed for seed in seeds if seed not in have]
        if missing:
            raise ConfigError(
                f"{self.where} has no episode of {len(missing)} of {len(seeds)} seeds, such as "
                f"{missing[0]}: the "
                "two sides were played on different seeds. Evaluate both with the same --seeds and "
                "--episodes."
            )
        return [have[seed] for seed in seeds]


IDENTITY = (
    *("game", "scenario", "game_version", "interface_hash", "rules_hash", "engine", "engine_version"),
)


# ---------------------------------------------------------------- played now


class PlayedSide(Closing):
    """A policy that plays, in this process or with another build in a process of its own."""

    def __init__(self, request: Request, library: Path | None = None):
        self.request, self.library = request, library
        self._process = None if library is None else _Process(request, library)
        self._worker = Worker(request) if library is None else None
        try:
            about = self._ask("describe")
        except BaseException:
            self.close()
            raise
        kind: Any = "build" if library else "player" if about["sha256"] is None else "checkpoint"
        name = f"{about['name']} on {library}" if library else about["name"]
        self.about = about
        self.identity = Identity(
            name=name, kind=kind, sha256=about["sha256"], **{field: about[field] for field in IDENTITY}
        )
        self.metrics = [Metric.model_validate(metric) for metric in about["metrics"]]
        self.groups: list[Key] = [(role, opponent) for role, opponent in about["groups"]]
        self.seeds: list[int] | None = None

    def _ask(self, do: str, **message: Any) -> Any:
        if self._process:
            return self._process.ask({"do": do, **message})
        assert self._worker is not None
        return answer(self._worker, {"do": do, **message})

    def rows(self, key: Key, seeds: Sequence[int]) -> list[Row]:
        """Play one episode per seed."""
        found: list[Row] = self._ask("play", role=key[0], opponent=key[1], seeds=list(seeds))
        return found

    def record(self, key: Key, seed: int, actions: np.ndarray | None = None, attempt: int = 0) -> Replay:
        """One episode as a replay."""
        given = None if actions is None else packed(actions)
        data = self._ask("record", role=key[0], opponent=key[1], seed=seed, actions=given, attempt=attempt)
        return Replay.from_bytes(base64.b64decode(data))

    def outcome(self, seed: int, actions: np.ndarray) -> dict[str, Any] | None:
        """The sums of the episode of these actions; None where it does not end within them."""
        found: dict[str, Any] | None = self._ask("outcome", seed=seed, actions=packed(actions))
        return found

    def hashes(self, seed: int, actions: np.ndarray) -> list[int]:
        """State fingerprints after every step."""
        found: list[int] = self._ask("hashes", seed=seed, actions=packed(actions))
        return found

    def time_steps(self, worlds: int, steps: int) -> np.ndarray:
        """Microseconds per step of one world."""
        return np.array(self._ask("time", worlds=worlds, steps=steps), np.float64)

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process:
            self._process.close()
        if self._worker:
            self._worker.close()


class _Process:
    """A worker in a process of its own, with a deadline for every answer."""

    def __init__(self, request: Request, library: Path):
        self._first: dict[str, Any] = {"open": request.to_json()}
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  closed in close()
        self._library = library
        self._process = subprocess.Popen(
            [sys.executable, "-m", "sandlot.gates.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, LIBRARY_VARIABLE: str(library.absolute())},
        )
        self._replies: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._replies.put(line)
        self._replies.put(b"")

    def ask(self, message: dict[str, Any]) -> Any:
        """Send one request and wait for its answer."""
        assert self._process.stdin is not None
        message, self._first = {**message, **self._first}, {}
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
            line = self._replies.get(timeout=REPLY_S)
        except (BrokenPipeError, OSError):
            line = b""
        except queue.Empty:
            self.close()
            raise BuildCrashed(f"{self._library} did not answer within {REPLY_S:g} s.") from None
        if not line:
            raise BuildCrashed(f"The process of {self._library} {self._ended()}.")
        reply = json.loads(line)
        if "error" in reply:
            raise _refusal(reply["type"], reply["error"])
        return reply["is"]

    def _ended(self) -> str:
        code = self._process.wait(10)
        self._errors.seek(0)
        last = self._errors.read().decode(errors="replace").strip().splitlines()[-1:]
        return describe_exit(code) + (f" ({last[0][:200]})" if last else "")

    def close(self) -> None:
        """End it."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(10)
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                with contextlib.suppress(OSError):  # what it never read
                    stream.close()
        self._errors.close()


def _refusal(name: str, text: str) -> SandlotError:
    """The error of the other process, where its class is made of a sentence alone."""
    kind = getattr(errors, name, SandlotError)
    own = [c for c in kind.__mro__ if c.__module__ == errors.__name__]
    return SandlotError(text) if any("__init__" in vars(c) for c in own) else kind(text)


# ---------------------------------------------------------------- from words


def open_side(
    word: str, request: Request, baselines: Mapping[str, Path] | None = None, playable: bool = False
) -> Side:
    """A side by what a user types: a report, a baseline's name, a run, a file, a build or a checkout.

    request: how to play what plays; its policy is the one that a build plays with. playable: of a baseline
    take the policy, if it has one, in place of its report.
    """
    path = (baselines or {}).get(word) or Path(word)
    policy = next(iter(sorted(path.glob("policy.*"))), None) if path.is_dir() else None
    if policy is not None and playable:
        return PlayedSide(_changed(request, policy=str(policy)))
    if path.suffix == ".json":
        return ReportSide(read_report(path), str(path))
    if path.is_dir() and (path / REPORT_NAME).is_file():
        return ReportSide(read_report(path / REPORT_NAME), str(path / REPORT_NAME))
    if path.suffix in LIBRARIES or (path / "src" / "sandlot").is_dir():
        if path.suffix in LIBRARIES and not path.is_file():
            raise ConfigError(f"There is no native library at {path}.")
        return PlayedSide(_changed(request, build=True), library_of(path))
    return PlayedSide(_changed(request, policy=word))


REPORT_NAME = "report.json"  # in the folder of a baseline


def open_baseline(
    word: str, current: Side, request: Request, baselines: Mapping[str, Path] | None = None
) -> Side:
    """The other side of `current`: a baseline's policy plays too, unless that would prove nothing.

    Where the current side plays the very policy of the baseline, it is the game that is judged, and what
    it was like is in the baseline's report: the policy would meet the same build twice.
    """
    if isinstance(current, ReportSide):
        return open_side(word, request, baselines)
    side = open_side(word, request, baselines, playable=True)
    place = (baselines or {}).get(word) or Path(word)
    digests = {side.identity.sha256, current.identity.sha256}
    if not (place / REPORT_NAME).is_file() or len(digests) > 1 or None in digests:
        return side
    if current.identity.kind == "build":
        return side
    side.close()
    return open_side(str(place / REPORT_NAME), request)


def _changed(request: Request, **fields: Any) -> Request:
    return Request(**{**request.to_json(), **fields})


def check_comparable(baseline: Side, current: Side, across_rules: bool = False) -> list[str]:
    """Refuse sides of which a comparison would mean nothing; returns notes on what differs all the same."""
    one, two = baseline.identity, current.identity
    if one.game != two.game:
        raise SpecMismatch(
            f"The baseline plays {one.game}, the current side {two.game}. Compare like with like."
        )
    if one.interface_hash != two.interface_hash:
        raise SpecMismatch(
            f"The two sides of {one.game} have different observations, actions or roles (interface "
            f"{one.interface_hash} and {two.interface_hash}). Make a new baseline with this version."
        )
    notes = []
    if one.rules_hash != two.rules_hash:
        text = f"other rules or settings (version {one.game_version} and {two.game_version})"
        if not across_rules:
            raise SpecMismatch(
                f"The two sides of {one.game} were played under {text}. If that is what you want to judge, "
                "say "
                "--across-rules; otherwise make a new baseline: sandlot baseline save."
            )
        notes.append(f"The two sides were played under {text}.")
    if one.engine != two.engine:
        notes.append(f"The baseline was played in {one.engine}, the current side in {two.engine}.")
    missing = [key for key in baseline.groups if key not in current.groups and current.seeds is not None]
    if missing:
        role, opponent = missing[0]
        raise SpecMismatch(f"The current report has no episodes of {role} against {opponent or 'nobody'}.")
    return notes
