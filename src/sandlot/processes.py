"""Processes on POSIX and Windows: is one alive, lower our priority, start one in a session of its own.

os.kill(pid, 0), the usual check on POSIX, would send Ctrl-C on Windows.
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

OUT_OF_MEMORY = 9  # what the kernel sends when memory runs out; also what `kill -9` sends

# Constants of the Windows API: an access right, two results, a priority class.
_QUERY, _STILL_ACTIVE, _ACCESS_DENIED, _BELOW_NORMAL = 0x1000, 259, 5, 0x4000


def is_alive(process: int) -> bool:
    """Whether a process with this id exists, of any user."""
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.OpenProcess.restype = ctypes.c_void_p
        handle = ctypes.c_void_p(kernel.OpenProcess(_QUERY, False, process))
        if not handle:
            return bool(ctypes.get_last_error() == _ACCESS_DENIED)
        code = ctypes.c_ulong()
        kernel.GetExitCodeProcess(handle, ctypes.byref(code))
        kernel.CloseHandle(handle)
        return code.value == _STILL_ACTIVE
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it is alive, of another user
    return True


def lower_priority() -> None:
    """Give other processes precedence on the CPU."""
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32")
        kernel.SetPriorityClass(kernel.GetCurrentProcess(), _BELOW_NORMAL)
    else:
        os.nice(10)


def describe_exit(code: int) -> str:
    """How a process ended: its exit code, or the signal that killed it (a negative code, or 128 and more)."""
    number = -code if code < 0 else code - 128 if code > 128 else 0
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"ended with exit code {code}"
    more = "; perhaps the machine ran out of memory" if number == OUT_OF_MEMORY else ""
    return f"was killed by signal {number} ({name}){more}"


def run_quietly(command: Sequence[str], timeout_s: float, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program without input; both streams are returned as text."""
    quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "capture_output": True, "encoding": "utf-8"}
    return subprocess.run(command, timeout=timeout_s, errors="replace", **quiet, **options)


def new_session_options() -> dict[str, Any]:
    """Arguments of Popen for a child that does not receive Ctrl-C of our terminal."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}
