"""Wires the commands together. Exit codes: 0 good, 1 judged bad, 2 could not run, 130 stopped by Ctrl-C."""

from __future__ import annotations

import importlib
import sys

import typer

from .. import __version__
from ..errors import SandlotError
from .show import problem

# One module of this folder each, with a function of the same name.
COMMANDS = ("games", "bots", "bench", "parity", "doctor", "demo")

app = typer.Typer(
    help="Train game agents fast in native worlds, prove them in the real engine, and show them to people.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        print(f"sandlot {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version and stop."),
) -> None:
    pass


for _name in COMMANDS:
    _module = importlib.import_module(f".{_name}", __package__)
    app.command(_name)(getattr(_module, _name))


def run() -> None:
    """Entry point of the `sandlot` program."""
    try:
        app()
    except SandlotError as error:
        problem(str(error))
        sys.exit(2)
    except KeyboardInterrupt:
        problem("Stopped.")
        sys.exit(130)
    except BrokenPipeError:  # `sandlot games | head` closes our output; that is not an error
        sys.stderr.close()
        sys.exit(0)
