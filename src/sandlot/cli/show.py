"""Output of commands: tables, JSON, and problems on standard error."""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text


class Terminal(Console):
    """rich's console with text taken literally: names of games and paths hold brackets and colons.

    A closed pipe raises BrokenPipeError, which main.py handles.
    """

    def __init__(self, **options: Any):
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError

    def print_line(self, text: str, style: str | None = None) -> None:
        """Print text without breaking lines, so that paths can be copied."""
        self.print(text, style=style, soft_wrap=True)


PIPE_WIDTH = 200  # width of tables in a pipe, so that cells stay on one line

out = Terminal(width=None if sys.stdout.isatty() else PIPE_WIDTH)
err = Terminal(stderr=True)


def problem(text: str) -> None:
    """Print an error message."""
    err.print_line(f"sandlot: {text}", style="red")


def as_json(value: Any) -> None:
    """Print a value as JSON."""
    json.dump(value, sys.stdout, indent=2, allow_nan=False)
    sys.stdout.write("\n")


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A table; columns whose names end in '>' are aligned to the right."""
    made = Table(title=title, title_justify="left", title_style="bold", header_style="bold")
    for name in columns:
        made.add_column(name.rstrip(">"), justify="right" if name.endswith(">") else "left", overflow="fold")
    for row in rows:
        made.add_row(*(Text(str(cell)) for cell in row))  # no markup: "sandlot[gym]" stays as it is
    out.print(made)
