"""How these tests call the program: mostly within this process, and as a user does where that matters."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from calling import Done, caller, fake_engine

from sandlot.cli import main

PROGRAM = [sys.executable, "-c", "from sandlot.cli.main import run; run()"]
# What a pipe sees: no colours, and lines wide enough that no sentence is broken.
PLAIN = {**os.environ, "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "200"}


@pytest.fixture
def sandlot(monkeypatch, capsys, tmp_path) -> Callable[..., Done]:
    """`sandlot("games", "tag")`: the entry point in an empty folder, without the time a process takes."""
    return caller(monkeypatch, capsys, tmp_path, main.app, "sandlot")


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
    return fake_engine(monkeypatch, tmp_path)
