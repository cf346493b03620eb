"""How tests call a command line within their own process, and an engine that is none."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sandlot.cli import main, show


@dataclass(frozen=True)
class Done:
    """What a call left behind."""

    code: int
    out: str
    err: str


def caller(monkeypatch: Any, capsys: Any, folder: Any, app: Any, name: str) -> Callable[..., Done]:
    """Calls an app with these words in this folder, without the time that a process takes."""
    monkeypatch.chdir(folder)
    for console in (show.out, show.err):
        monkeypatch.setattr(console, "width", 200)

    def call(*words: str) -> Done:
        monkeypatch.setattr(sys, "argv", [name, *words])
        code = 0
        try:
            main.run(app)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        shown = capsys.readouterr()
        return Done(code, shown.out, shown.err)

    return call


def fake_engine(monkeypatch: Any, folder: Any) -> Callable[[str], None]:
    """`make(shell text)`: GODOT_BIN is a program that knows a version and otherwise runs this text."""
    from sandlot.bridge import godot_process

    monkeypatch.setattr(godot_process, "ensure_imported", lambda *_: None)  # else it marks the real project

    def make(does: str) -> None:
        cases = f"*--version*) echo 4.6.stable;; *) {does};;"
        path = folder / "godot"
        path.write_text(f'#!/bin/sh\ncase "$*" in {cases} esac\n')
        path.chmod(0o755)
        monkeypatch.setenv("GODOT_BIN", str(path))
        monkeypatch.setenv("DISPLAY", ":nowhere")

    return make
