"""How these tests call the program: mostly within this process, and as a user does where that matters."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from sandlot.cli import main, show

PROGRAM = [sys.executable, "-c", "from sandlot.cli.main import run; run()"]
# What a pipe sees: no colours, and lines wide enough that no sentence is broken.
PLAIN = {**os.environ, "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "200"}


@dataclass(frozen=True)
class Done:
    """What a call left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def sandlot(monkeypatch, capsys, tmp_path) -> Callable[..., Done]:
    """`sandlot("games", "tag")`: the entry point in an empty folder, without the time a process takes."""
    monkeypatch.chdir(tmp_path)
    for console in (show.out, show.err):
        monkeypatch.setattr(console, "width", 200)

    def call(*words: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["sandlot", *words])
        code = 0
        try:
            main.run()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        said = capsys.readouterr()
        return Done(code, said.out, said.err)

    return call


@pytest.fixture
def process(tmp_path) -> Callable[..., Done]:
    """The same in a process of its own; `env` goes over what a pipe sees."""

    def call(*words: str, env: dict[str, str] | None = None, program: list[str] = PROGRAM) -> Done:
        done = subprocess.run(
            [*program, *words],
            capture_output=True,
            text=True,
            timeout=120,
            cwd=tmp_path,
            env=PLAIN | (env or {}),
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def pretender(monkeypatch, tmp_path):
    """An engine that knows its version, but does something else than drawing."""
    from sandlot.bridge import godot_process

    monkeypatch.setattr(godot_process, "imported", lambda *_: None)  # or it would mark the real project

    def make(does: str) -> None:
        cases = f"*--version*) echo 4.6.stable;; *) {does};;"
        path = tmp_path / "godot"
        path.write_text(f'#!/bin/sh\ncase "$*" in {cases} esac\n')
        path.chmod(0o755)
        monkeypatch.setenv("GODOT_BIN", str(path))
        monkeypatch.setenv("DISPLAY", ":nowhere")

    return make
