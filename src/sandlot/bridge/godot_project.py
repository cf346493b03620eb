"""Our Godot project: where it lies, and what has to be done once before a scene of it runs."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from ..errors import ConfigError, GodotFailed
from ..locking import single_instance
from ..processes import run_quietly
from ..version import __version__
from .godot_engine import Engine, cache_folder

IMPORT_S = 180
MARK = ".godot/sandlot_imported"  # written by us after a complete import; the engine's own files come and go
MADE_BY_IMPORT = (".uid", ".import")
LOCK = ".godot/sandlot_import.lock"
HERE = Path(__file__).resolve()
CHECKOUT = HERE.parents[3] / "godot"
PACKAGED = HERE.parents[1] / "godot"  # in an installed package, which may be read-only
SCENES = ("games/{name}/{title}.tscn", "games/{name}/Main.tscn", "{name}")


def project_folder(given: Path | None = None) -> Path:
    """The folder with project.godot: the one given, that of the checkout, or a copy of the packaged one."""
    place = given or CHECKOUT
    if (place / "project.godot").is_file():
        return place.resolve()
    if given is None and (PACKAGED / "project.godot").is_file():
        return _copied()
    raise ConfigError(f"There is no Godot project (no project.godot) in {place}.")


def _copied() -> Path:
    """A copy where the engine may write. Its name holds the package version: a new one gets a new copy."""
    stamp = (PACKAGED / "project.godot").stat().st_mtime_ns
    place = cache_folder().parent / f"project-{__version__}-{stamp:x}"
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=".project-", dir=place.parent))
        try:
            shutil.copytree(PACKAGED, new, dirs_exist_ok=True)
            with contextlib.suppress(OSError):  # another process was quicker
                new.rename(place)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    return place


def scene_path(project: Path, name: str) -> str:
    """`tag`, `tag/Replay`, or a path of the project, as a res:// path of a scene that exists."""
    bare = name.removeprefix("res://")
    game, _, title = bare.partition("/")
    for pattern in SCENES:
        relative = pattern.format(name=game if "games/" in pattern else bare, title=title or "Main")
        if relative.endswith(".tscn") and (project / relative).is_file():
            return f"res://{relative}"
    found = [*project.glob("games/**/*.tscn")] or project.glob("**/*.tscn")
    known = sorted(str(path.relative_to(project)) for path in found)
    raise ConfigError(f"{project.name} has no scene {name}. There are: {', '.join(known) or 'none'}.")


def ensure_imported(engine: Engine, project: Path) -> None:
    """Let the engine read the project once; again when a script or asset is newer than the last time."""
    import_log(engine, project)


def _is_imported(project: Path) -> bool:
    mark = project / MARK
    return mark.is_file() and mark.stat().st_mtime >= _newest(project)


def import_log(engine: Engine, project: Path, again: bool = False) -> str:
    """Let the engine read the project once, and what it printed meanwhile; "" where that is done already.

    again: also where it is done."""
    if _is_imported(project) and not again:
        return ""
    (project / MARK).parent.mkdir(exist_ok=True)
    with single_instance(project / LOCK):
        is_done = _is_imported(project) and not again  # by another process, meanwhile
        return "" if is_done else _import(engine, project)


def _import(engine: Engine, project: Path) -> str:
    """What the engine printed while it imported."""
    mark = project / MARK
    command = [str(engine.path), "--headless", "--path", str(project), "--import"]
    began = _newest(project)
    try:
        done = run_quietly(command, IMPORT_S)
    except subprocess.TimeoutExpired:
        raise GodotFailed(f"Godot did not import {project} within {IMPORT_S} s.") from None
    except OSError as problem:
        raise GodotFailed(f"Godot could not be started to import {project}: {problem}.") from problem
    if done.returncode != 0:
        last = (done.stdout + done.stderr).strip().splitlines()[-3:]
        raise GodotFailed(f"Godot could not import {project}: {' / '.join(last) or 'it printed nothing'}.")
    mark.touch()
    os.utime(mark, (began, began))
    return done.stdout + done.stderr


def _newest(project: Path) -> float:
    """When anything that an import reads was last changed."""
    newest = 0.0
    for folder, folders, files in os.walk(project):
        folders[:] = [name for name in folders if name != ".godot"]
        for name in files:
            if name.endswith(MADE_BY_IMPORT):
                continue
            with contextlib.suppress(OSError):
                newest = max(newest, (Path(folder) / name).stat().st_mtime)
    return newest
