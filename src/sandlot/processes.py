"""Other processes, on POSIX and on Windows: whether one lives, how to start one apart from us, and manners.

Windows has no signals: os.kill(process, 0), the usual question there, would press Ctrl-C for it.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from typing import Any

# Windows' own numbers: the right to ask, two answers, a priority class.
_QUERY, _STILL_ACTIVE, _ACCESS_DENIED, _BELOW_NORMAL = 0x1000, 259, 5, 0x4000


def is_alive(process: int) -> bool:
    """Whether there is a process of this number, ours or somebody else's."""
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
        pass  # it lives, as somebody else
    return True


def lower_priority() -> None:
    """Let others have the processor first."""
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32")
        kernel.SetPriorityClass(kernel.GetCurrentProcess(), _BELOW_NORMAL)
    else:
        os.nice(10)


def apart() -> dict[str, Any]:
    """Arguments of Popen for a child that a Ctrl-C in our terminal does not reach."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}
