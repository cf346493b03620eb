"""The exceptions of Sandlot. Each message says what happened, what was expected, and what to do.

SandlotError
├── UnknownName      a game, bot, setting, profile or field that does not exist (names the nearest)
├── ConfigError      a setting of the wrong type or out of range
├── ArrayError       an array of the wrong shape, dtype, layout, or read-only
├── ActionError      an action that is not a number in -1..1
├── SeedError        a seed that is not a whole number from 0 to 2**64 - 1
├── SnapshotError    a snapshot of another game, version or configuration
├── NotReset         stepping or reading a world before its reset, or after its end
├── Closed           using a world after close()
├── OutOfMemory      not enough memory for so many worlds
├── CheckpointError  a file that is not a Sandlot policy or checkpoint, is damaged, or contains code
├── SpecError        a game's description that is incomplete or contradicts itself
├── SpecMismatch     a policy or replay made under another version or configuration of a game
├── GameFailed       an env that raised, or gave something other than it declares
├── DemosRefused     demonstrations of another game, cut off, or not made of numbers
├── TrainingFailed   NaN or infinity in an update, or an update that is not possible
├── MissingExtra     an optional package is not installed (names the extra)
├── EngineMissing    the native library is not built, or of another version
├── GpuMissing       no GPU, no driver that is new enough, or no compiler for its kernels
├── AssetError       a pack of pictures or sounds that cannot be installed
├── GodotMissing     no Godot that is new enough, and none could be fetched (exit code 3)
├── GodotFailed      a Godot process that crashed, hung, or quit early
├── BridgeError      a problem with a game behind a socket
│   ├── PortInUse    another program listens on the port
│   ├── Refused      a hello with other rules, another protocol or a wrong token
│   ├── BadMessage   a message that does not follow the protocol
│   ├── GameLost     the game died, quit or closed its socket
│   └── GameSilent   no answer before the deadline
└── StoreError       a run folder that cannot be read or written as asked
    ├── DiskFull     no space left during a write; earlier commits are still valid
    ├── Damaged      a file that is truncated, modified, or not what its name says
    ├── NewerSchema  written by a later version of Sandlot
    ├── RunLocked    another trainer writes to the run folder
    └── UnsafePath   a name that would leave the run folder
"""

import difflib
from collections.abc import Iterable


class SandlotError(Exception):
    """The root of the tree above."""

    exit_code = 2  # of the program when a command ends with it: could not run
    hint = ""  # one more sentence: how to continue


class UnknownName(SandlotError, ValueError):
    """There is nothing with this name."""

    def __init__(self, kind: str, name: object, known: Iterable[str]):
        known = list(known)
        near = difflib.get_close_matches(str(name), known)
        hint = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(known) or 'none'}."
        super().__init__(f"There is no {kind} called {name!r}. {hint}")
        self.kind, self.name, self.nearest = kind, name, near[0] if near else None


class ConfigError(SandlotError, ValueError):
    """A setting of the wrong type or out of range."""


class ArrayError(SandlotError, ValueError):
    """An array the engine cannot write into or read from."""


class ActionError(SandlotError, ValueError):
    """A continuous action that is not a number in -1..1; no world has moved."""


class SeedError(SandlotError, ValueError):
    """A seed that is not a whole number from 0 to 2**64 - 1."""


class SnapshotError(SandlotError, ValueError):
    """A snapshot that does not belong to this game, version or configuration."""


class NotReset(SandlotError, RuntimeError):
    """A world was used before its first reset, or after its end without a reset."""


class Closed(SandlotError, RuntimeError):
    """A world was used after close()."""


class OutOfMemory(SandlotError, MemoryError):
    """Not enough memory for so many worlds."""


class MissingExtra(SandlotError, ImportError):
    """An optional package is missing."""

    def __init__(self, what: str, package: str, extra: str):
        super().__init__(
            f"{what} needs {package}, which is not installed: pip install 'sandlot[{extra}]'"
            " (in a checkout: make dev)"
        )
        self.extra = extra


class EngineMissing(SandlotError, OSError):
    """The native library cannot be loaded."""


class GpuMissing(SandlotError, OSError):
    """Worlds cannot run on a GPU here."""


class GodotMissing(SandlotError, OSError):
    """There is no Godot that is new enough, and none could be fetched."""

    exit_code = 3


class GodotFailed(SandlotError, RuntimeError):
    """A Godot process crashed, hung, or quit early."""


class AssetError(SandlotError, ValueError):
    """A pack of pictures or sounds that cannot be installed; nothing of it was kept."""


class StoreError(SandlotError):
    """A run folder that cannot be read or written as asked."""


class DiskFull(StoreError, OSError):
    """No space left during a write; earlier commits are still valid."""


class Damaged(StoreError, ValueError):
    """A file that is truncated, modified, or not what its name says."""


class NewerSchema(StoreError, ValueError):
    """A file written by a later version of Sandlot."""

    def __init__(self, what: str, found: object, known: int):
        super().__init__(
            f"{what} has schema version {found}; this Sandlot reads up to {known}. "
            "Upgrade with `pip install --upgrade sandlot`, or use the version that wrote it."
        )


class RunLocked(StoreError, RuntimeError):
    """Another trainer writes to the run folder."""


class UnsafePath(StoreError, ValueError):
    """A name that would leave the run folder."""


class CheckpointError(SandlotError, ValueError):
    """A file that is not a Sandlot policy or checkpoint, is damaged, or contains code."""


class SpecError(SandlotError, ValueError):
    """A game's description that is incomplete or contradicts itself."""


class SpecMismatch(SandlotError, ValueError):
    """Made under another version or configuration of a game."""


class GameFailed(SandlotError, RuntimeError):
    """A game of somebody else's raised, or gave something other than it declares."""


class DemosRefused(SandlotError, ValueError):
    """Demonstrations that a policy cannot learn from."""


class TrainingFailed(SandlotError, RuntimeError):
    """Training cannot continue; the message names the cause."""


class BridgeError(SandlotError, RuntimeError):
    """A problem with a game behind a socket."""


class PortInUse(BridgeError, OSError):
    """Another program listens on the port."""


class Refused(BridgeError):
    """A hello that names other rules, another protocol, or the wrong token."""

    final = False  # whether it is the game process that we started, so that no other will connect


class BadMessage(BridgeError, ValueError):
    """A message that does not follow the protocol. `code` is sent in the error reply."""

    def __init__(self, text: str, code: str = "bad_message"):
        super().__init__(text)
        self.code = code


class GameLost(BridgeError):
    """The game died, quit or closed its socket."""


class GameSilent(BridgeError, TimeoutError):
    """The game did not answer before the deadline."""
