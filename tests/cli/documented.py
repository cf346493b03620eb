"""docs/commands.md is the contract of the command line: names, defaults and ranges of every option."""

from pathlib import Path

import typer.main
from commands_page import section

from sandlot.cli.main import app

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"


def assert_documented(name: str) -> None:
    """The section of a command is what the program says now; else: make docs."""
    command = typer.main.get_command(app).commands[name]
    page = PAGE.read_text(encoding="utf-8")
    begin = page.index(f"### sandlot {name}\n")
    ends = [at for mark in ("\n### ", "\n## ") if (at := page.find(mark, begin)) > 0]
    assert page[begin : min(ends, default=len(page))].strip() == "\n".join(section(name, command)).strip()
