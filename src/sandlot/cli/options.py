"""Options that several commands share, with one help text each."""

import enum
import os
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ..errors import ConfigError

RUNS = Path("runs")

GameName = Annotated[str, Argument(help="tag, prospector, …")]
RunName = Annotated[str, Argument(help="A run's id or folder, or `latest`.")]
RunsFolder = Annotated[Path, Option(help="Where runs are kept.")]
Threads = Annotated[int, Option(min=1, max=256, help="Threads of engine and policies.")]
OpenBrowser = Annotated[bool, Option("--open/--no-open", help="Open a browser if there is one.")]
ForMachines = Annotated[bool, Option("--json", help="Print JSON.")]
DEADLINES_HELP = "In Godot: how long to wait, of start=60, reset=60, step=30 and close=5."
Deadlines = Annotated[
    str,
    Option(metavar="NAME=SECONDS,…", envvar="SANDLOT_DEADLINES", help=DEADLINES_HELP),
]
Setting = Annotated[
    list[str] | None,
    Option("--set", "-s", metavar="NAME=VALUE", help="Change a setting of the game; may be repeated."),
]


def parse_ints(option: str, text: str, example: str, low: int = 0, high: int = (1 << 63) - 1) -> list[int]:
    """Whole numbers separated by commas, each from low to high."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and low <= int(part) <= high for part in parts):
        limits = f" from {low} to {high}" if high < (1 << 63) - 1 else ""
        raise ConfigError(f"{option} {text}: expected whole numbers{limits}, comma-separated: {example}.")
    return [int(part) for part in parts]


def scene_game(game: str | None, project: Path | None, scene: str | None) -> str | None:
    """The game to open: the given name, or a scene of a Godot project."""
    if project is None:
        if scene is not None:
            raise ConfigError(f"--scene {scene}: name its project too, with --project DIR.")
        return game
    if game is not None:
        raise ConfigError(f"{game} and --project {project}: give one of them.")
    from ..worlds.godot_rl_project import address

    return address(project, scene)


def use_deadlines(text: str) -> None:
    """Check the deadlines, and pass them to every game that this process or its children start."""
    if text:
        from ..worlds.remote import DEADLINES_VARIABLE, Timeouts

        Timeouts.parse(text)
        os.environ[DEADLINES_VARIABLE] = text


class Quality(enum.StrEnum):
    """Rendering quality of Godot."""

    low = "low"
    high = "high"
