"""Words that several commands understand: one name, one meaning and one help text each."""

from __future__ import annotations

import enum
import os
from pathlib import Path
from typing import Annotated, Optional

import typer

RUNS = Path("runs")

GameName = Annotated[str, typer.Argument(help="tag, prospector, …")]
RunName = Annotated[str, typer.Argument(help="A run's id or folder, or `latest`.")]
RunsFolder = Annotated[Path, typer.Option(help="Where runs are kept.")]
ForMachines = Annotated[bool, typer.Option("--json", help="For machines.")]
Deadlines = Annotated[
    str,
    typer.Option(
        metavar="NAME=SECONDS,…",
        envvar="SANDLOT_DEADLINES",
        help="In Godot: how long to wait, of start=60, reset=60, step=30 and close=5.",
    ),
]
Setting = Annotated[
    Optional[list[str]],  # noqa: UP045  (typer reads Optional on every Python)
    typer.Option(
        "--set", "-s", metavar="NAME=VALUE", help="Change a setting of the game; may be given many times."
    ),
]


def use_deadlines(words: str) -> None:
    """Check them, and hand them to every game that is started from here, also by child processes."""
    if words:
        from ..bridge.remote import DEADLINES_VARIABLE, Patience

        Patience.of(words)
        os.environ[DEADLINES_VARIABLE] = words


class Quality(str, enum.Enum):
    """How much care Godot takes with a picture."""

    low = "low"
    high = "high"
