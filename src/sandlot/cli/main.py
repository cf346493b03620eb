"""Wires the commands together. Exit codes: 0 success, 1 a check failed, 2 could not run, 3 no Godot,
130 stopped by Ctrl-C."""

import functools
import importlib
import inspect
import os
import sys
from collections.abc import Callable
from typing import Any

import typer
from typer import Option
from typer.core import TyperGroup

from ..errors import SandlotError
from ..version import __version__
from .show import problem

# Groups of the help. Each command is a module of this folder with a function of the same name.
GROUPS = {
    "Train": ("games", "train", "runs", "plot"),
    "Evaluate": ("eval", "league", "bots", "parity", "bench"),
    "Watch and play": ("serve", "play", "replay", "film", "demo"),
    "Gate": ("report",),
    "Ship": ("export", "bridge"),
    "Set up": ("doctor", "godot", "assets"),
}
COMMANDS = tuple(name for names in GROUPS.values() for name in names)
# Commands with commands of their own: a folder here, one module each; the folder's docstring is the help.
FAMILIES = {
    "gate": ("regression", "validate", "budget", "training", "export", "soak"),
    "baseline": ("save", "list", "show", "promote"),
}
FAMILY_GROUP = "Gate"


class Commands(TyperGroup):
    """Lists the commands by group, each with its whole first sentence, which click would truncate."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            row = (name, command.get_short_help_str(1000))
            groups.setdefault(command.rich_help_panel or "Commands", []).append(row)
        for title, rows in groups.items():
            with formatter.section(title):
                formatter.write_dl(rows)


def make_app(about: str) -> typer.Typer:
    """A command line without commands yet; `about` heads its help."""
    return typer.Typer(
        cls=Commands,
        help=about,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


ABOUT = "Train game agents fast in native worlds, prove them in the real engine, and show them to people."
app = make_app(ABOUT)


def _version(asked: bool) -> None:
    if asked:
        print(f"sandlot {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and stop."
    ),
) -> None:
    pass


def _stoppable(command: Callable[..., Any]) -> Callable[..., Any]:
    """Handle Ctrl-C (exit code 130) and a closed pipe (`sandlot games | head`), which typer would hide."""

    @functools.wraps(command)
    def call(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
            sys.stdout.flush()  # raises BrokenPipeError here rather than at exit
        except KeyboardInterrupt:
            problem("Stopped.")
            raise typer.Exit(130) from None
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None

    return call


def _help(text: str) -> str:
    """The docstring with one example per line; \\b keeps click from wrapping them."""
    about, found, examples = inspect.cleandoc(text).partition("Example")
    if not found:
        return about
    commands = " ".join(examples.partition(":")[2].split()).split(" · ")
    lines = "".join(f"\n  {command}" for command in commands)
    return f"{about}Example{'s' if len(commands) > 1 else ''}:\n\n\b{lines}"


def add_commands(to: typer.Typer, names: tuple[str, ...], package: str, group: str | None = None) -> None:
    """One command per module of a package, its function of the same name."""
    for name in names:
        command = getattr(importlib.import_module(f".{name}", package), name)
        to.command(name, help=_help(command.__doc__), rich_help_panel=group)(_stoppable(command))


for _group, _names in GROUPS.items():
    add_commands(app, _names, str(__package__), _group)
for _family, _names in FAMILIES.items():
    _place = f"{__package__}.{_family}"
    _commands = make_app(_help(str(importlib.import_module(_place).__doc__)))
    add_commands(_commands, _names, _place)
    app.add_typer(_commands, name=_family, rich_help_panel=FAMILY_GROUP)


def run(program: typer.Typer = app) -> None:
    """Entry point of the `sandlot` program; a problem is one sentence and an exit code."""
    try:
        program()
    except SandlotError as error:
        problem(f"{error} {error.hint}".rstrip())
        sys.exit(error.exit_code)
