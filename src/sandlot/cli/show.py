"""How commands speak: tables for people, JSON for machines, problems on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text


class Terminal(Console):
    """rich's console, except that a closed pipe is left to main.py, which knows that it is no error."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


PIPE_WIDTH = 200  # columns of a table that no terminal shows: cells stay on one line

out = Terminal(highlight=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)
err = Terminal(stderr=True, highlight=False)


def problem(text: str) -> None:
    err.print(f"sandlot: {text}", style="red", markup=False, soft_wrap=True)


def as_json(value: Any) -> None:
    json.dump(value, sys.stdout, indent=2, allow_nan=False)
    sys.stdout.write("\n")


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A table; columns whose names end in '>' are aligned to the right."""
    made = Table(title=title, title_justify="left", title_style="bold", header_style="bold")
    for name in columns:
        made.add_column(name.rstrip(">"), justify="right" if name.endswith(">") else "left", overflow="fold")
    for row in rows:
        made.add_row(*(Text(str(cell)) for cell in row))  # plain: "sandlot[gym]" is no markup
    out.print(made)
