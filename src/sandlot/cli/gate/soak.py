"""`sandlot gate soak`: does memory, the number of handles or of threads grow while something works?"""

from __future__ import annotations

import shlex
import socket
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

from typer import Argument, Option

from ...errors import ConfigError
from ..options import RUNS, ForMachines, RunsFolder
from ..progress import progress
from .common import HtmlFile, JUnitFile, MarkdownFile, Undecided, VerdictFile, command_line, finish

Work = Literal["worlds", "train", "serve"]
PAGES = ("/", "/api/runs", "/api/games")
ANSWER_S = 10
SANDLOT = (sys.executable, "-m", "sandlot")


def soak(
    game: Annotated[str, Argument(metavar="[GAME]", help="What is played or trained on.")] = "",
    work: Annotated[
        Work, Option("--work", help="Worlds opened and closed, a training, or the server with visitors.")
    ] = "worlds",
    command: Annotated[
        str, Option(help="Any program instead, such as 'sandlot godot run vr --headless --fast'.")
    ] = "",
    engine: Annotated[str, Option(help="What simulates the worlds: native, or godot.")] = "native",
    minutes: Annotated[float, Option(min=0.05, max=10_000, help="How long.")] = 10.0,
    memory: Annotated[float, Option(min=0, help="MB that may be gained per hour.")] = 100.0,
    handles: Annotated[
        float, Option(min=0, help="Open files and sockets that may be gained per hour.")
    ] = 20.0,
    threads: Annotated[float, Option(min=0, help="Threads that may be gained per hour.")] = 20.0,
    runs: RunsFolder = RUNS,
    undecided: Undecided = "fail",
    output: VerdictFile = None,
    junit: JUnitFile = None,
    markdown: MarkdownFile = None,
    html: HtmlFile = None,
    as_machine: ForMachines = False,
) -> None:
    """Let something work and see whether it grows: memory, open handles, threads, of all its processes.

    Example: sandlot gate soak landing --work train --minutes 60
    """
    from ...gates.soak import Limits, judge_soak, watch

    if not command and not game and work != "serve":
        raise ConfigError("Name a game, such as landing, or give --command.")
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, progress("Soak") as update:
        words, visit = _work(game, work, command, engine, minutes, runs, Path(folder))
        samples = watch(words, minutes, visit, progress=update)
    name = command or f"{work} {game}".strip()
    limits = Limits(memory, handles, threads)
    verdict = judge_soak(samples, limits, name, command_line(), round(time.monotonic() - started, 3))
    finish(verdict, output, junit, markdown, html, undecided, as_machine)


def _work(
    game: str, work: Work, command: str, engine: str, minutes: float, runs: Path, folder: Path
) -> tuple[list[str], Callable[[], None] | None]:
    """What runs, and who visits it."""
    if command:
        return shlex.split(command), None
    if work == "serve":
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        words = [*SANDLOT, "serve", "--port", str(port), "--no-open", "--runs", str(runs)]
        return words, lambda: _visit(f"http://127.0.0.1:{port}")
    from ...worlds.make import check_engine

    engine = check_engine(game, engine)
    if work == "worlds":
        return [sys.executable, "-m", "sandlot.gates.soak_work", game, engine], None
    words = [*SANDLOT, "train", game, "--engine", engine, "--no-tensorboard"]
    return [*words, "--minutes", str(minutes + 1), "--runs", str(folder)], None


def _visit(address: str) -> None:
    """Every page once; the server may not listen yet."""
    for page in PAGES:
        try:
            with urllib.request.urlopen(address + page, timeout=ANSWER_S) as reply:
                reply.read()
        except OSError:
            time.sleep(0.2)
