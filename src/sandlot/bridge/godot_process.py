"""Godot processes: started with a deadline, read while they run, and gone when we are.

A process leads a group of its own, so that ending it ends what it started. The kernel ends it when Python is
killed (Linux); everywhere else the link notices the closed socket.
"""

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
from typing import Any, Self

from ..errors import GodotFailed
from ..processes import describe_exit, new_session_options
from .godot_engine import Engine, require
from .godot_project import ensure_imported

START_S = 60  # a screen or an import may take so long, not longer
FOLLOW_S = 0.1  # between two looks at what a process printed
GRACE_S = 3  # between asking a process to end and ending it
KEPT_CHARACTERS = 4000  # of a process's log, for the message when it fails
TIMED_OUT = 124  # exit code of a run that was ended at its limit, as `timeout` has it
XVFB = "Xvfb"  # makes a screen in memory
SCREEN_SIZE = "1920x1920x24"  # upright pictures too
PR_SET_PDEATHSIG = 1
HTTP_API = "GODOT_ENABLE_HTTP_API"  # a scene that is started here opens no port unless somebody asks for it
ALLOW_NETWORK = "SANDLOT_ALLOW_NETWORK"  # without it a release build connects to nobody
# Variables by which a scene knows where to record, and their defaults; none: in the data root.
DATA_FOLDERS = {"AI_DATA_ROOT": "data", "AI_TRAJECTORIES_DIR": "", "AI_FRAMES_DIR": ""}


@dataclass(frozen=True)
class ProcessResult:
    """How a process ended."""

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
        """project: its folder, or a build of it, which plays its own main scene."""
        is_build = project.is_file()
        program = [str(project)]
        if not is_build:
            engine = engine or require()
            ensure_imported(engine, project)
            program = [str(engine.path), "--path", str(project)]
        self._own_log = log is None
        self.log = log or _fresh_log()
        mode = ["--headless"] if headless else []
        command = [program[0], *mode, "--audio-driver", "Dummy", *program[1:], *arguments]
        asked = {ALLOW_NETWORK: "1"} if is_build else {}  # whoever starts it here wants to talk to it
        variables = {HTTP_API: "false", **os.environ, **_data_folders(), **asked, **(environment or {})}
        self.process = start(command, self.log, variables)

    @property
    def pid(self) -> int:
        """The process id."""
        return self.process.pid

    @property
    def code(self) -> int | None:
        """The exit code, or None while it runs."""
        return self.process.poll()

    def wait(self, limit_s: float) -> ProcessResult:
        """Wait for its end; at the limit it is ended."""
        try:
            code = self.process.wait(limit_s)
        except subprocess.TimeoutExpired:
            self.stop()
            code = TIMED_OUT
        return ProcessResult(code, self.log_tail())

    def follow(self, limit_s: float, show: Callable[[str], object]) -> int:
        """Pass its output on until it ends or the limit is reached; its exit code, or TIMED_OUT."""
        end_at = time.monotonic() + limit_s
        with self.log.open(encoding="utf-8", errors="replace") as log:
            while self.code is None and time.monotonic() < end_at:
                show(log.read())
                time.sleep(FOLLOW_S)
            code = self.wait(0.0).code
            show(log.read())
        return code

    def log_tail(self) -> str:
        """The last of what it printed."""
        with contextlib.suppress(OSError):
            return self.log.read_text(encoding="utf-8", errors="replace")[-KEPT_CHARACTERS:]
        return ""

    def failure(self, doing: str) -> GodotFailed:
        """The error for a process that has ended, or does not answer."""
        state = "froze" if self.code is None else describe_exit(self.code)
        tail = _summary(self.log_tail()) or "nothing"
        return GodotFailed(f"Godot {state} while {doing}. Its log ends with: {tail}.")

    def stop(self) -> None:
        """End it, and what it started."""
        end(self.process)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self._own_log:
            self.log.unlink(missing_ok=True)


def _data_folders() -> dict[str, str]:
    """Where a scene records: our folders as absolute paths, since a scene runs in another folder."""
    named = {name: os.environ.get(name, "").strip() or usual for name, usual in DATA_FOLDERS.items()}
    return {name: str(Path(folder).absolute()) for name, folder in named.items() if folder}


def _summary(log: str) -> str:
    """Its last errors, where it printed any, else its last lines."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("ERROR", "SCRIPT ERROR", "sandlot:"))]
    return " / ".join(errors[-2:] or lines[-3:]).rstrip(".")


def start(command: Sequence[str], log: Path, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """A process whose output goes into a file, so that it never waits for a reader."""
    with log.open("wb") as sink:
        options = {"env": dict(environment), **_child_options()}
        return subprocess.Popen(command, stdout=sink, stderr=subprocess.STDOUT, **options)


def end(process: subprocess.Popen[bytes]) -> None:
    """Terminate it, and kill it if it does not end. Nothing is left, not even a zombie."""
    if process.poll() is None:
        _signal(process, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
    if process.poll() is None:
        _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    process.wait()


def has_screen() -> bool:
    """Whether there is a screen already."""
    given = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return bool(given) or sys.platform in ("win32", "darwin")


def check_screen() -> None:
    """Raise, before anything is drawn, where there is no screen to draw on."""
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
    command = [XVFB, "-displayfd", str(writing), "-screen", "0", SCREEN_SIZE, "-nolisten", "tcp"]
    nowhere: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    made = subprocess.Popen(command, pass_fds=[writing], **nowhere, **_child_options())
    os.close(writing)
    try:
        yield {"DISPLAY": f":{_display_number(reading)}"}
    finally:
        os.close(reading)
        end(made)


def _display_number(pipe: int) -> int:
    """What Xvfb writes when it is ready."""
    os.set_blocking(pipe, False)
    limit, answer = time.monotonic() + START_S, b""
    while not answer.endswith(b"\n"):
        with contextlib.suppress(BlockingIOError):
            piece = os.read(pipe, 64)
            if not piece:
                break
            answer += piece
        if time.monotonic() > limit:
            break
        time.sleep(0.02)
    if not answer.strip().isdigit():
        raise GodotFailed(f"Xvfb made no screen within {START_S} s.")
    return int(answer)


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


def _child_options() -> dict[str, Any]:
    """Options of Popen for a child without input that leads a group of its own and ends with us."""
    return {"stdin": subprocess.DEVNULL, "preexec_fn": _with_parent(), **new_session_options()}


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
