"""The stock godot-rl client playing our arenas: something to measure the bridge against.

The client runs in an environment of its own, because godot-rl pins older packages than we use; `make stock`
builds it. It starts the game itself, so the game gets a program whose name the client accepts. Each of the
two ends by its own deadline when the other is gone.

In Godot it talks to a node of our own that speaks its protocol, or to the plugin itself where it is given.
"""

import contextlib
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sandlot.bridge.godot_addon import GODOT_RL
from sandlot.bridge.godot_engine import require
from sandlot.bridge.godot_process import end, start
from sandlot.bridge.godot_project import CHECKOUT, ensure_imported, project_folder
from sandlot.errors import ConfigError, GodotFailed

ENVIRONMENT = CHECKOUT.parent / ".venv-godot-rl"
SCENE = "res://stock_rl/tag.tscn"
CLIENT = "stock_rl/client.py"
PLUGIN = "addons/godot_rl_agents"
GAMES = ("tag",)  # those with a scene for the stock client
MARK = "STOCK "  # begins the line with the client's measurement
ASKING_S = 60
START_S = 90  # of client and game, which wait 60 s for each other
WARM_UP_SHARE = 0.5  # of a measurement, before it


@dataclass(frozen=True)
class Pace:
    """How the stock client drives a game."""

    ticks: int  # physics ticks a decision
    speedup: int | None = None  # times real time
    frames_per_second: int | None = None  # by the engine's own count: the clock is removed


@dataclass(frozen=True)
class StockClient:
    """A Python that has godot-rl."""

    python: Path
    version: str
    project: Path | None = None  # with the plugin in it; None: ours, with our own node

    def rate(self, worlds: int, pace: Pace, seconds: float) -> float:
        """Agent decisions a second in that many arenas, random play."""
        engine, project = require(), self.project or project_folder()
        ensure_imported(engine, project)
        with tempfile.TemporaryDirectory(prefix="sandlot-stock-") as folder:
            game = Path(folder) / "tag.x86_64"
            write_launcher(game, [str(engine.path), "--audio-driver", "Dummy", "--path", str(project), SCENE])
            command = [
                str(self.python),
                str(project / CLIENT),
                str(game),
                *_client_options(worlds, pace, seconds),
            ]
            output = _run(command, Path(folder) / "client.log", START_S + 10 * seconds)
        return _parse_rate(output)


def default_python() -> Path:
    """That of `make stock`."""
    return ENVIRONMENT / "bin" / "python"


def find(named: Path | None = None) -> StockClient:
    """The client of the Python that is named, or of `make stock`; ConfigError says why there is none."""
    if sys.platform != "linux":
        raise ConfigError("The stock godot-rl client is measured on Linux only.")
    python = named or default_python()
    if not python.is_file():
        raise ConfigError(
            f"The stock godot-rl client is not installed, {python} is missing. Type `make stock`."
        )
    question = "import importlib.metadata as m, godot_rl.core.godot_env; print(m.version('godot-rl'))"
    try:
        asked = subprocess.run(
            [str(python), "-c", question],
            capture_output=True,
            encoding="utf-8",
            timeout=ASKING_S,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise ConfigError(f"{python} could not be asked for godot-rl: {problem}.") from problem
    if asked.returncode != 0:
        why = (asked.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        raise ConfigError(f"{python} has no working godot-rl ({why}). Type `make stock`.")
    return StockClient(python, asked.stdout.strip())


@contextlib.contextmanager
def project_with(plugin: Path | None) -> Iterator[Path | None]:
    """A copy of our project that has this plugin, while it is needed; None for none."""
    if plugin is None:
        yield None
        return
    source = plugin / PLUGIN if (plugin / PLUGIN).is_dir() else plugin
    if not (source / "sync.gd").is_file():
        raise ConfigError(
            f"{plugin} has no {PLUGIN}/sync.gd. Give --plugin the folder of a project, or of a checkout, "
            "that has the Godot RL Agents plugin."
        )
    with tempfile.TemporaryDirectory(prefix="sandlot-stock-") as folder:
        project = Path(folder) / "project"
        without = shutil.ignore_patterns(
            ".godot", "tests", Path(GODOT_RL).name
        )  # its classes have the same names
        shutil.copytree(project_folder(), project, ignore=without)
        shutil.copytree(source, project / PLUGIN)
        yield project


def _client_options(worlds: int, pace: Pace, seconds: float) -> list[str]:
    options = ["--port", str(_free_port()), "--arenas", str(worlds), "--action-repeat", str(pace.ticks)]
    options += ["--seconds", str(seconds), "--warm-up", str(WARM_UP_SHARE * seconds)]
    if pace.speedup is not None:
        options += ["--speedup", str(pace.speedup)]
    if pace.frames_per_second is not None:
        options += ["--framerate", str(pace.frames_per_second)]
    return options


def write_launcher(place: Path, command: list[str]) -> None:
    """A program that starts the scene with whatever the client adds."""
    place.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
    place.chmod(0o755)


def _run(command: list[str], log: Path, limit_s: float) -> str:
    """The output of the client; it hangs for ever where its game dies, hence the limit."""
    process = start(command, log, {**os.environ, "PYTHONUNBUFFERED": "1"})
    try:
        process.wait(limit_s)
    except subprocess.TimeoutExpired:
        raise GodotFailed(f"The stock godot-rl client was not done after {limit_s:.0f} s.") from None
    finally:
        end(process)
    return log.read_text(encoding="utf-8", errors="replace")


def _parse_rate(output: str) -> float:
    rows = [line for line in output.splitlines() if line.startswith(MARK)]
    if not rows:
        last = " / ".join(output.strip().splitlines()[-3:])
        raise GodotFailed(
            f"The stock godot-rl client measured nothing. Its output ends with: {last or 'nothing'}."
        )
    row = json.loads(rows[-1].removeprefix(MARK))
    return row["decisions"] / row["seconds"]


def _free_port() -> int:
    """The client wants a number. Somebody may take it in between; then the measurement says so."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
