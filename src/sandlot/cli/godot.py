"""`sandlot godot`: find or fetch the engine, run a scene in it, test the project with it."""

import json
import sys
import tempfile
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, Literal

import typer
from typer import Argument, Option

from ..bridge import godot_addon, godot_engine, godot_install
from ..bridge.godot_process import TIMED_OUT, GodotProcess, screen
from ..bridge.godot_project import project_folder, scene_path
from ..errors import ConfigError
from ..evaluate.replay_reader import frames
from ..games import DEFAULT_GAME
from ..runs import Replay
from .progress import progress
from .show import as_json, out, problem

TESTS = "res://tests/run.gd"
COULD_NOT_RUN = 2
REPLAY_SUFFIX = ".jsonl.gz"


def godot(
    action: Annotated[
        Literal["install", "path", "run", "test", "sync", "addon", "check", "export"],
        Argument(help="What to do."),
    ],
    scene: Annotated[
        str | None,
        Argument(
            help="run: a scene: tag, tag/Replay, games/tag/Main.tscn. test: a word to choose by. "
            "addon: your project's folder. check and export: a scene; else the main one."
        ),
    ] = None,
    words: Annotated[list[str] | None, Argument(help="run: words for the scene, after a --.")] = None,
    source: Annotated[Literal["auto", "official", "debian"], Option(help="install: from where.")] = "auto",
    force: Annotated[bool, Option("--force", help="install: fetch even if an engine was found.")] = False,
    godot_rl: Annotated[
        bool,
        Option(
            "--godot-rl",
            help="addon: also addons/godot_rl, which has the Godot RL Agents plugin's interface.",
        ),
    ] = False,
    zip_file: Annotated[
        Path | None, Option("--zip", help="addon: write a zip to install in the editor, instead of copying.")
    ] = None,
    output: Annotated[
        Path | None, Option(help="export: the program to write; else PROJECT/build/NAME_headless.x86_64.")
    ] = None,
    headless: Annotated[bool, Option("--headless", help="run: without drawing.")] = False,
    fast: Annotated[bool, Option("--fast", help="run: as fast as possible.")] = False,
    limit_s: Annotated[float, Option("--timeout", min=1, max=86400, help="run and test: time limit.")] = 600,
    project: Annotated[Path | None, Option(help="Another Godot project instead of ours.")] = None,
    as_machine: Annotated[bool, Option("--json", help="install and path: for machines.")] = False,
) -> None:
    """Find or fetch Godot, run and test scenes, and prepare your own project: addon, check, export.

    Exit code 3 when there is no engine; check: 1 when something is wrong.

    Looked for: GODOT_BIN, then godot4 and godot on the PATH, then what was fetched before.

    Examples: sandlot godot install · sandlot godot run tag · sandlot godot test ·
    sandlot godot addon my_game · sandlot godot addon --zip sandlot.zip ·
    sandlot godot check --project my_game · sandlot godot export --project my_game
    """
    if action == "install":
        _install(source, force, as_machine)
    elif action == "path":
        _tell(godot_engine.require(), as_machine)
    elif action == "run":
        _run(project_folder(project), scene or DEFAULT_GAME, words or [], headless, fast, limit_s)
    elif action == "addon":
        _copy_addons(scene, project, godot_rl, zip_file)
    elif action == "check":
        _check(_named(project, "check"), scene, as_machine)
    elif action == "export":
        _export(_named(project, "export"), scene, output, as_machine)
    elif action == "sync":
        from ..worlds.godot import write_specs  # needs an extra: websockets

        for place in write_specs(project_folder(project)):
            out.print_line(f"{place} written")
    else:
        _test(project_folder(project), scene or "", limit_s)


def _install(source: str, force: bool, as_machine: bool) -> None:
    with progress("Godot") as tell:
        engine = godot_install.install(source, force, lambda what, done, of: tell(what, done, max(of, 1)))
    _tell(engine, as_machine)


def _named(project: Path | None, action: str) -> Path:
    if project is None:
        raise ConfigError(f"Name the project: sandlot godot {action} --project DIR.")
    return project_folder(project)


def _check(project: Path, scene: str | None, as_machine: bool) -> None:
    """Exit code 1 if there is a problem; notes alone are none."""
    from ..worlds.godot_check import check_project

    with progress("Godot") as tell:
        found = check_project(project, scene, lambda what: tell(what, 0, 1))
    if as_machine:
        as_json({"project": str(project), "findings": [vars(finding) for finding in found]})
    else:
        for finding in found:
            out.print_line(f"{finding.kind}: {finding.text}")
        if not found:
            out.print_line(f"{project} is ready: sandlot train --project {project}")
    if any(finding.kind == "problem" for finding in found):
        raise typer.Exit(1)


def _export(project: Path, scene: str | None, output: Path | None, as_machine: bool) -> None:
    from ..bridge.godot_build import export
    from ..worlds.godot_check import described_build

    engine = godot_engine.require()
    build = described_build(project, scene, output, engine)
    with progress("Godot") as tell:
        program = export(project, build, engine, lambda what, done, of: tell(what, done, max(of, 1)))
    if as_machine:
        as_json({"program": str(program), "scene": build.scene, "engine": build.engine})
    else:
        out.print_line(f"{program} plays {build.scene}. Train on it: sandlot train --project {program}")


def _copy_addons(named: str | None, project: Path | None, godot_rl: bool, zip_file: Path | None) -> None:
    places = (godot_addon.GODOT_RL, godot_addon.PLACE) if godot_rl else (godot_addon.PLACE,)
    if zip_file is not None:
        version = godot_addon.addon_version(godot_addon.addon_folder())
        written = godot_addon.zip_addon(zip_file, places)
        out.print_line(f"{written}: {', '.join(places)}, version {version}")
        return
    if named is None and project is None:
        raise ConfigError("Name the project to copy the addon into: sandlot godot addon DIR.")
    folder = project_folder(Path(named) if named is not None else project)
    for place in places:
        before = godot_addon.copy_addon(folder, place)
        version = godot_addon.addon_version(godot_addon.addon_folder(place))
        instead = f", in the place of {before}" if before and before != version else ""
        out.print_line(f"{folder / place}: version {version}{instead}")


def _tell(engine: godot_engine.Engine, as_machine: bool) -> None:
    if as_machine:
        as_json({"path": str(engine.path), "version": engine.version, "source": engine.source})
    else:
        out.print_line(str(engine.path))


def _run(project: Path, scene: str, words: list[str], headless: bool, fast: bool, limit_s: float) -> None:
    path = scene_path(project, scene)
    pace = ["--fixed-fps", "60"] if fast else []
    with tempfile.TemporaryDirectory(prefix="sandlot-") as folder:
        words = [_readable_by_godot(word, Path(folder)) for word in words]
        arguments = [*pace, path, *(["--", *words] if words else [])]
        where: AbstractContextManager[Mapping[str, str]] = nullcontext({}) if headless else screen()
        with where as variables:
            running = GodotProcess(arguments, project=project, headless=headless, environment=variables)
            _finish(running, limit_s)


def _readable_by_godot(word: str, folder: Path) -> str:
    """A replay is turned into frames, which Godot can read; a file gets its whole path; other words stay."""
    name, sign, value = word.rpartition("=")
    if sign and Path(value).is_file():  # --seeker=exports/seeker.onnx
        return f"{name}={Path(value).absolute()}"
    file = Path(word)
    if not word.endswith(REPLAY_SUFFIX) or not file.is_file():
        return str(file.absolute()) if file.is_file() else word
    replay = Replay.read(file)
    page = frames(replay, 0, replay.end.steps)
    recording = {"header": replay.header.to_json(), "frames": [frame.to_json() for frame in page.frames]}
    made = folder / f"{replay.header.replay_id}.json"
    made.write_text(json.dumps(recording, allow_nan=False), encoding="utf-8")
    return str(made)


def _test(project: Path, chosen: str, limit_s: float) -> None:
    """Exit code: the number of failed tests, at most 99; 124 when the limit was reached."""
    arguments = ["--fixed-fps", "60", "--script", TESTS, "--", *([chosen] if chosen else [])]
    _finish(GodotProcess(arguments, project=project), limit_s)


def _finish(running: GodotProcess, limit_s: float) -> None:
    """Print its output as it comes, and exit with its exit code."""
    with running:
        code = running.follow(limit_s, sys.stdout.write)
    if code == TIMED_OUT:
        problem(f"Godot was still running after {limit_s:g} s and was ended; --timeout gives it longer.")
    if code:
        raise typer.Exit(code if code > 0 else COULD_NOT_RUN)  # below zero: a signal ended it
