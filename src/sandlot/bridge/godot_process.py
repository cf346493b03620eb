"""Godot processes: started with a deadline, read while they run, and gone when we are.

A process leads a group of its own, so that ending it ends what it started. The kernel ends it when Python is
killed (Linux); everywhere else the link notices the closed socket.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import GodotFailed
from ..processes import apart
from ..variables import get
from .endings import how_it_ended
from .godot_engine import Engine, require
from .godot_project import imported

START_S = 60  # a screen or an import may take so long, not longer
FOLLOW_S = 0.1  # between two looks at what a process printed
GRACE_S = 3  # between asking a process to end and ending it
KEPT_CHARACTERS = 4000  # of what a process said, for the message when it fails
TIMED_OUT = 124  # exit code of a run that was ended at its limit, as `timeout` has it
XVFB = "Xvfb"  # makes a screen in memory
SCREEN_SIZE = "1920x1080x24"
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Ended:
    """How a process went."""

    code: int  # TIMED_OUT when it ran past its limit
    output: str  # both streams; only its end when it was long


class GodotProcess:
    """A running scene. Use it with `with`, or call `stop()`; its output goes to `log`, or away."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        project: Path,
        engine: Engine | None = None,
        headless: bool = True,
        environment: Mapping[str, str] | None = None,
        log: Path | None = None,
    ):
        engine = engine or require()
        imported(engine, project)
        self._own_log = log is None
        self.log = log or _fresh_log()
        mode = ["--headless"] if headless else []
        words = [str(engine.path), *mode, "--audio-driver", "Dummy", "--path", str(project), *arguments]
        variables = {**os.environ, **_data_folders(), **(environment or {})}
        self._process = start(words, self.log, variables)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def code(self) -> int | None:
        """The exit code, or None while it runs."""
        return self._process.poll()

    def wait(self, limit_s: float) -> Ended:
        """Its natural end, or the end we make at the limit."""
        try:
            code = self._process.wait(limit_s)
        except subprocess.TimeoutExpired:
            self.stop()
            code = TIMED_OUT
        return Ended(code, self.said())

    def follow(self, limit_s: float, tell: Callable[[str], object]) -> int:
        """Pass on what it prints until it ends or the limit is reached; its exit code, or TIMED_OUT."""
        end_at = time.monotonic() + limit_s
        with self.log.open(encoding="utf-8", errors="replace") as log:
            while self.code is None and time.monotonic() < end_at:
                tell(log.read())
                time.sleep(FOLLOW_S)
            code = self.wait(0.0).code
            tell(log.read())
        return code

    def said(self) -> str:
        """The last of what it printed."""
        with contextlib.suppress(OSError):
            return self.log.read_text(encoding="utf-8", errors="replace")[-KEPT_CHARACTERS:]
        return ""

    def failure(self, doing: str) -> GodotFailed:
        """The error for a process that is not there any more, or says nothing."""
        state = "froze" if self.code is None else how_it_ended(self.code)
        return GodotFailed(
            f"Godot {state} while {doing}. It said last: {_telling(self.said()) or 'nothing'}."
        )

    def stop(self) -> None:
        end(self._process)

    def __enter__(self) -> GodotProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self._own_log:
            self.log.unlink(missing_ok=True)


def _data_folders() -> dict[str, str]:
    """Where a scene records: the folders of this process, as whole paths, since a scene's own is another."""
    named = {name: get(name) for name in ("AI_DATA_ROOT", "AI_TRAJECTORIES_DIR", "AI_FRAMES_DIR")}
    return {name: str(path.absolute()) for name, path in named.items() if path is not None}


def _telling(said: str) -> str:
    """The lines that tell most: its errors, where it named any, else the last ones."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("ERROR", "SCRIPT ERROR", "sandlot:"))]
    return " / ".join(errors[-2:] or lines[-3:]).rstrip(".")


def start(words: Sequence[str], log: Path, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """A process whose output goes into a file, so that nobody has to read a pipe to keep it running."""
    with log.open("wb") as sink:
        return subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            **apart(),
            preexec_fn=_with_parent(),
        )


def end(process: subprocess.Popen[bytes]) -> None:
    """Ask, wait a moment, then insist. Nothing is left, not even a zombie."""
    if process.poll() is None:
        _signal(process, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
    if process.poll() is None:
        _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    process.wait()


def has_screen() -> bool:
    """Whether there is one already to draw on."""
    given = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return bool(given) or sys.platform in ("win32", "darwin")


def check_screen() -> None:
    """Say before anything is drawn that there is nothing to draw on."""
    if not has_screen() and shutil.which(XVFB) is None:
        raise GodotFailed("Drawing needs a screen, and Xvfb to make one in memory: apt-get install xvfb.")


@contextlib.contextmanager
def screen() -> Iterator[Mapping[str, str]]:
    """The variables of a screen to draw on: the one that is there, or one in memory while it is needed."""
    check_screen()
    if has_screen():
        yield {}
        return
    reading, writing = os.pipe()
    words = [XVFB, "-displayfd", str(writing), "-screen", "0", SCREEN_SIZE, "-nolisten", "tcp"]
    made = subprocess.Popen(
        words,
        pass_fds=[writing],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **apart(),
        preexec_fn=_with_parent(),
    )
    os.close(writing)
    try:
        yield {"DISPLAY": f":{_display_number(reading)}"}
    finally:
        os.close(reading)
        end(made)


def _display_number(pipe: int) -> int:
    """What Xvfb writes when it is ready."""
    os.set_blocking(pipe, False)
    limit, said = time.monotonic() + START_S, b""
    while not said.endswith(b"\n"):
        with contextlib.suppress(BlockingIOError):
            piece = os.read(pipe, 64)
            if not piece:
                break
            said += piece
        if time.monotonic() > limit:
            break
        time.sleep(0.02)
    if not said.strip().isdigit():
        raise GodotFailed(f"Xvfb made no screen within {START_S} s.")
    return int(said)


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)


def _fresh_log() -> Path:
    handle, name = tempfile.mkstemp(prefix="sandlot-godot-", suffix=".log")
    os.close(handle)
    return Path(name)


_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def _with_parent() -> Callable[[], None] | None:
    """What ties a child's life to ours. The kernel means the *thread* that started it, so a worker thread's
    child would end with that thread: there the link's closed socket has to do.
    """
    main = threading.current_thread() is threading.main_thread()
    return _die_with_parent if sys.platform == "linux" and main else None


def _die_with_parent() -> None:
    """Runs in the child before the engine does: let the kernel end it when its parent is gone."""
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
