"""Does a program grow while it works? Memory, open handles and threads of a process and its children.

Sampled while it works; what a start fills is left out. The slope is that of the medians of equal blocks of
time, with the interval of a straight line through them: single spikes, such as a collector's, move no median.
"""

import contextlib
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields

import numpy as np

from ..errors import ConfigError, GameFailed, MissingExtra
from ..processes import describe_exit, new_session_options
from .verdict import FAIL, PASS, UNDECIDED, Check, Curve, Identity, Number, Verdict, make_verdict

try:
    import psutil
except ImportError:
    raise MissingExtra("A soak", "psutil", "train") from None

GATE = "soak"
BLOCKS = 12
T_99 = 3.169  # of a straight line through 12 points: 10 degrees of freedom, 99 %
LEAST_SAMPLES = 3 * BLOCKS
WARM_UP = 1 / 3  # of the time: caches and first windows
ENDED_S = 10
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Sample:
    """A process and its children at one moment."""

    seconds: float
    memory_mb: float
    handles: float
    threads: float


@dataclass(frozen=True)
class Limits:
    """How much may be gained in an hour."""

    memory_mb: float = 100.0
    handles: float = 20.0
    threads: float = 20.0


UNITS = {"memory_mb": "MB", "handles": "handles", "threads": "threads"}


# ---------------------------------------------------------------- watching


def watch(
    command: Sequence[str],
    minutes: float,
    visit: Callable[[], None] | None = None,
    every_s: float | None = None,
    progress: Progress | None = None,
    environment: Mapping[str, str] | None = None,
) -> list[Sample]:
    """Samples of a command while it works; it is ended afterwards. visit: gives it something to do.

    GameFailed if it ends with an error; one that is done early is judged by what was seen of it.
    """
    every_s = every_s or max(0.05, min(5.0, 60 * minutes / 400))
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env={**os.environ, **(environment or {})}, **new_session_options(),
        )  # fmt: skip
        try:
            found = _sampled(psutil.Process(process.pid), process, 60 * minutes, visit, every_s, progress)
            code = process.poll()
        finally:
            _end(process.pid)
            process.wait(ENDED_S)
        if code:
            log.seek(0)
            last = log.read().decode(errors="replace").strip().splitlines()[-1:]
            raise GameFailed(f"{command[0]} {describe_exit(code)}: {' '.join(last)[:300]}")
    return found


def _sampled(
    root: psutil.Process,
    process: subprocess.Popen[bytes],
    seconds: float,
    visit: Callable[[], None] | None,
    every_s: float,
    progress: Progress | None,
) -> list[Sample]:
    found: list[Sample] = []
    started = time.monotonic()
    while process.poll() is None:
        now = time.monotonic() - started
        if now >= seconds:
            break
        if not found or now >= found[-1].seconds + every_s:
            with contextlib.suppress(psutil.Error):  # it ends at this moment
                found.append(_sample(root, now))
            if progress:
                progress("soaking", int(now), int(seconds))
        if visit:
            visit()
        else:
            time.sleep(min(every_s, 0.1))
    return found


def _sample(root: psutil.Process, now: float) -> Sample:
    memory = handles = threads = 0.0
    for process in (root, *root.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            memory += process.memory_info().rss
            handles += process.num_handles() if os.name == "nt" else process.num_fds()
            threads += process.num_threads()
    return Sample(now, memory / 2**20, handles, threads)


def _end(pid: int) -> None:
    """The process and all that it started."""
    with contextlib.suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        for process in (*root.children(recursive=True), root):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()


# ---------------------------------------------------------------- judging


def slope(seconds: np.ndarray, values: np.ndarray) -> Number:
    """Growth per hour with a 99 % interval."""
    parts = [part for part in np.array_split(np.arange(len(values)), BLOCKS) if len(part)]
    x = np.array([seconds[part].mean() for part in parts]) / 3600
    y = np.array([np.median(values[part]) for part in parts])
    if np.ptp(y) == 0:
        return Number(value=0.0, low=0.0, high=0.0)
    away = x - x.mean()
    rate = float((away * y).sum() / (away**2).sum())
    rest = y - y.mean() - rate * away
    error = float(np.sqrt((rest**2).sum() / (len(parts) - 2) / (away**2).sum()))
    return Number(value=rate, low=rate - T_99 * error, high=rate + T_99 * error)


def judge_soak(
    samples: Sequence[Sample], limits: Limits, name: str = "", command: str = "", seconds: float = 0.0
) -> Verdict:
    """Each growth against what is allowed."""
    kept = list(samples[int(len(samples) * WARM_UP) :])
    if len(kept) < LEAST_SAMPLES:
        raise ConfigError(
            f"{len(samples)} samples were taken, and {len(kept)} of them after the start; at least "
            f"{LEAST_SAMPLES} are needed. Soak longer (--minutes), or give a command that works longer."
        )
    columns = np.array([astuple(sample) for sample in kept])
    names = [field.name for field in fields(Sample)][1:]
    hours = (kept[-1].seconds - kept[0].seconds) / 3600
    checks = [
        _check(what, slope(columns[:, 0], columns[:, i]), columns[:, i], getattr(limits, what), hours)
        for i, what in enumerate(names, 1)
    ]
    curves = [
        Curve(name=what, unit=UNITS[what], baseline=[], current=columns[:, i].tolist())
        for i, what in enumerate(names, 1)
    ]
    note = f"{len(kept)} samples over {60 * hours:.1f} minutes, after a start of {kept[0].seconds:.0f} s."
    identity = Identity(name=name, kind="build")
    return make_verdict(
        GATE, checks, notes=[note], current=identity, curves=curves, command=command, seconds=seconds
    )


def _check(name: str, found: Number, values: np.ndarray, limit: float, hours: float) -> Check:
    assert found.low is not None and found.high is not None
    result = PASS if found.high <= limit else FAIL if found.low > limit else UNDECIDED
    unit = UNITS[name]
    text = (
        f"{name} grows by {found.value:.4g} {unit} per hour (99 %: {found.low:.4g} to {found.high:.4g}), "
        f"from {values[0]:.4g} to {values[-1]:.4g}; {limit:g} per hour are allowed"
    )
    more = ""
    if result == UNDECIDED and found.high > found.low:
        # an interval shrinks with the time to the power of 1.5
        room = max(abs(limit - found.value), 1e-9)
        longer = ((found.high - found.value) / room) ** (2 / 3)
        more = f"; about {60 * hours * longer:.0f} minutes would decide" if longer < 100 else ""
    return Check(
        name=name,
        result=result,  # type: ignore[arg-type]
        sentence=f"{text}{more}.",
        unit=f"{unit} per hour",
        better="lower",
        test="slope of block medians",
        current=found,
        limit=limit,
        samples=len(values),
    )
