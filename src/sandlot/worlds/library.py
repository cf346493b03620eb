"""The ctypes binding: loads the engine and declares its functions (engine/abi/sandlot.h), nothing more."""

import ctypes as c
import functools
import os
import sys
from pathlib import Path

from .. import errors

ABI_VERSION = 2
EVENT_VALUES = 4
MAX_EVENTS = 16

# Arrays of a batch, in the order of SlBuffers.
ARRAYS: tuple[str, ...] = ("observations", "final_observations", "actions", "rewards", "terminated")
ARRAYS += ("truncated", "masks", "ticks", "invalid")

_double, _u64 = c.POINTER(c.c_double), c.POINTER(c.c_uint64)


class Buffers(c.Structure):
    """SlBuffers: addresses of the caller's arrays."""

    _fields_ = [(name, c.c_void_p) for name in ARRAYS]


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


LIBRARY_VARIABLE = "SANDLOT_LIBRARY"  # environment: another build of the engine than the package's

_chosen: Path | None = None


def use(path: Path) -> None:
    """Load this build of the engine from now on; objects made before keep the build they have."""
    global _chosen
    _chosen = path
    load.cache_clear()


def default_path() -> Path:
    """The build that load() takes: the one chosen by use(), that of SANDLOT_LIBRARY, or the package's own."""
    named = os.environ.get(LIBRARY_VARIABLE)
    if _chosen is None and named:
        return Path(named).absolute()
    suffix = {"win32": "dll", "darwin": "dylib"}.get(sys.platform, "so")
    return _chosen or Path(__file__).parent.parent / "lib" / f"libsandlot.{suffix}"


@functools.cache
def load(path: Path | None = None) -> c.CDLL:
    """The engine, loaded once per path; EngineMissing if it is absent, broken or of another version."""
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
        versions = f"speaks ABI {found}, this Python speaks {ABI_VERSION}"
        raise errors.EngineMissing(f"{path} {versions}. Run `make build`; then both match.")
    return library


def check(library: c.CDLL, result: int) -> int:
    """Return a result that is not negative; raise the error of a negative one, with the engine's message."""
    if result >= 0:
        return result
    kind, why = RESULTS.get(result, errors.SandlotError), library.sl_why().decode()
    # a ConfigError's message begins with the name of a setting, which keeps its lower case
    raise kind(why if kind is errors.ConfigError else f"{why[:1].upper()}{why[1:]}.")
