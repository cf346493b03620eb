"""Wires the commands together. Exit codes: 0 good, 1 judged bad, 2 could not run, 3 no Godot,
130 stopped by Ctrl-C."""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import sys
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperGroup

from ..errors import SandlotError
from ..version import __version__
from .show import problem

# One module of this folder each, with a function of the same name.
COMMANDS = (
    "games",
    "train",
    "runs",
    "verify",
    "eval",
    "league",
    "bots",
    "bench",
    "parity",
    "replay",
    "serve",
    "play",
    "plot",
    "export",
    "assets",
    "bridge",
    "session",
    "episode",
    "record",
    "film",
    "render",
    "frames",
    "bundle",
    "migrate",
    "godot",
    "doctor",
    "demo",
)


class Commands(TyperGroup):
    """Every command with its whole first sentence: click would cut it off at the edge of the terminal."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, found.get_short_help_str(1000)) for name, found in commands if found])


app = typer.Typer(
    cls=Commands,
    help="Train game agents fast in native worlds, prove them in the real engine, and show them to people.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        print(f"sandlot {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and stop."
    ),
) -> None:
    pass


def _stoppable(command: Callable[..., Any]) -> Callable[..., Any]:
    """Answer what typer would swallow: Ctrl-C, and a reader who has seen enough (`sandlot games | head`)."""

    @functools.wraps(command)
    def call(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
            sys.stdout.flush()  # a closed pipe shows itself here, not at Python's exit
        except KeyboardInterrupt:
            problem("Stopped.")
            raise typer.Exit(130) from None
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None

    return call


def _help(text: str) -> str:
    """A docstring with one example per line, which click is told not to wrap."""
    about, found, examples = inspect.cleandoc(text).partition("Example")
    if not found:
        return about
    commands = " ".join(examples.partition(":")[2].split()).split(" · ")
    lines = "".join(f"\n  {command}" for command in commands)
    return f"{about}Example{'s' if len(commands) > 1 else ''}:\n\n\b{lines}"


for _name in COMMANDS:
    _module = importlib.import_module(f".{_name}", __package__)
    _command = getattr(_module, _name)
    app.command(_name, help=_help(_command.__doc__))(_stoppable(_command))


def run() -> None:
    """Entry point of the `sandlot` program."""
    try:
        app()
    except SandlotError as error:
        problem(f"{error} {error.hint}".rstrip())
        sys.exit(error.exit_code)
