"""The ctypes door: loads the engine and declares its functions (engine/abi/sandlot.h), nothing more."""

from __future__ import annotations

import ctypes as c
import functools
import sys
from pathlib import Path

from .. import errors

ABI_VERSION = 1
EVENT_VALUES = 4
MAX_EVENTS = 16

_float, _byte, _double, _u64 = (c.POINTER(t) for t in (c.c_float, c.c_uint8, c.c_double, c.c_uint64))


class Buffers(c.Structure):
    """SlBuffers: where the caller's arrays begin."""

    _fields_ = [
        ("observations", c.c_void_p),
        ("final_observations", c.c_void_p),
        ("actions", c.c_void_p),
        ("rewards", c.c_void_p),
        ("terminated", c.c_void_p),
        ("truncated", c.c_void_p),
        ("masks", c.c_void_p),
        ("ticks", c.c_void_p),
    ]


FUNCTIONS = {
    "sl_abi_version": (c.c_int, []),
    "sl_why": (c.c_char_p, []),
    "sl_build": (c.c_char_p, []),
    "sl_use_level": (c.c_int, [c.c_int]),
    "sl_game_count": (c.c_int, []),
    "sl_game_name": (c.c_char_p, [c.c_int]),
    "sl_describe": (c.c_int64, [c.c_char_p, _double, c.c_int, c.c_char_p, c.c_int64]),
    "sl_create": (c.c_void_p, [c.c_char_p, _double, c.c_int, c.c_int, c.c_int, c.c_int]),
    "sl_destroy": (None, [c.c_void_p]),
    "sl_bind": (c.c_int, [c.c_void_p, c.POINTER(Buffers)]),
    "sl_reset": (c.c_int, [c.c_void_p, c.c_void_p, c.c_void_p]),
    "sl_next_episode": (c.c_int, [c.c_void_p, c.c_void_p]),
    "sl_step": (c.c_int, [c.c_void_p]),
    "sl_run": (c.c_int64, [c.c_void_p, c.c_void_p, c.c_int64]),
    "sl_finished": (c.c_int64, [c.c_void_p, c.c_void_p, c.c_void_p, c.c_int64]),
    "sl_finished_waiting": (c.c_int64, [c.c_void_p]),
    "sl_finished_dropped": (c.c_int64, [c.c_void_p]),
    "sl_snapshot_size": (c.c_int64, [c.c_void_p]),
    "sl_snapshot": (c.c_int, [c.c_void_p, c.c_int, c.c_void_p]),
    "sl_restore": (c.c_int, [c.c_void_p, c.c_int, c.c_char_p, c.c_int64]),
    "sl_hash": (c.c_int, [c.c_void_p, c.c_int, _u64]),
    "sl_info": (c.c_int, [c.c_void_p, c.c_int, c.c_void_p]),
    "sl_render": (c.c_int, [c.c_void_p, c.c_int, c.c_void_p]),
    "sl_events": (c.c_int, [c.c_void_p, c.c_int, c.c_void_p, c.c_void_p, c.c_int]),
    "sl_bot_memory": (c.c_int, []),
    "sl_bot_start": (c.c_int, [c.c_uint64, c.c_void_p, c.c_int64]),
    "sl_bot_act": (
        c.c_int,
        [c.c_void_p, c.c_int, c.c_int, c.c_void_p, c.c_void_p, c.c_void_p, c.c_void_p, c.c_int64],
    ),
}

# SlResult, by its number.
RESULTS: dict[int, type[errors.SandlotError]] = {
    -2: errors.ConfigError,
    -3: errors.ConfigError,
    -4: errors.OutOfMemory,
    -6: errors.ActionError,
    -7: errors.SnapshotError,
    -8: errors.NotReset,
}


def file_name() -> str:
    return {"win32": "libsandlot.dll", "darwin": "libsandlot.dylib"}.get(sys.platform, "libsandlot.so")


_chosen: Path | None = None


def use(path: Path) -> None:
    """Load this build of the engine instead of the package's own; to be called before anything is loaded."""
    global _chosen
    _chosen = path
    load.cache_clear()


def default_path() -> Path:
    return _chosen or Path(__file__).parent.parent / "lib" / file_name()


@functools.cache
def load(path: Path | None = None) -> c.CDLL:
    """The engine, loaded once a path."""
    path = path or default_path()
    if not path.exists():
        raise errors.EngineMissing(
            f"The engine is not built: {path} does not exist. Run `make build` in a checkout, "
            "or install a wheel with `pip install sandlot`."
        )
    try:
        library = c.CDLL(str(path))
    except OSError as problem:
        raise errors.EngineMissing(
            f"{path} cannot be loaded ({problem}). Build it on this machine: `make build`."
        ) from None
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name, None)
        if function is None:
            raise errors.EngineMissing(f"{path} has no {name}: it is of another version. Run `make build`.")
        function.restype, function.argtypes = result, arguments
    found = library.sl_abi_version()
    if found != ABI_VERSION:
        raise errors.EngineMissing(
            f"{path} speaks ABI {found}, this Python speaks {ABI_VERSION}. Run `make build`; then both match."
        )
    return library


def check(library: c.CDLL, result: int) -> int:
    """Pass a good result on; turn a refusal into its error."""
    if result >= 0:
        return result
    kind, why = RESULTS.get(result, errors.SandlotError), library.sl_why().decode()
    # a sentence about a setting begins with its name, which stays as it is written
    raise kind(why if kind is errors.ConfigError else f"{why[:1].upper()}{why[1:]}.")
