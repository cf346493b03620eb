"""Arenas in a Godot process that this process starts and ends.

Two kinds of game run there: a native game that our Godot project has too (`make("tag", engine="godot")`), and
a game that exists only in Godot, named by its project and scene: `godot:DIR` or `godot:DIR#res://arena.tscn`.
"""

import contextlib
import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..bridge.godot_addon import addon_folder, addon_version, check_addon, check_trainer_node
from ..bridge.godot_build import Build, is_build, read_build
from ..bridge.godot_engine import require
from ..bridge.godot_process import GodotProcess, check_screen, screen
from ..bridge.godot_project import project_folder, scene_path
from ..bridge.messages import DEFAULT_PORT
from ..errors import ConfigError, GameSilent
from ..spec import Spec
from ..spec.spec_file import SpecFile
from .native import native_spec
from .remote import RemoteWorld

PREFIX = "godot:"  # prefix of the address of a game that exists only in Godot
LOG_VARIABLE = "SANDLOT_GODOT_LOG"  # file for the engine's output, for worlds that are made indirectly
TRAINING_SCENE = "train"  # every native game that can be trained in Godot has one of this name
UID = "uid://"  # a resource named by its id instead of its path
SECTION = re.compile(r"\[(\w+)\]")  # of project.godot
DEFAULT_TICK_RATE = 60  # physics ticks per second of a project that does not say


def address(project: Path, scene: str | None = None) -> str:
    """The name of a Godot game: its project's folder and, unless it is the main one, its scene.

    A build of a project (`sandlot godot export`) is named by its file, and plays its own scene.
    """
    if is_build(project):
        build = read_build(project)
        if scene not in (None, build.scene):
            raise ConfigError(f"{project} plays {build.scene} only. Export {scene}, or leave --scene out.")
        return f"{PREFIX}{build.program}"
    folder = project_folder(project)
    return f"{PREFIX}{folder}" + (f"#{scene_path(folder, scene)}" if scene else "")


def absolute(place: str) -> str:
    """`DIR#SCENE` with an absolute folder: a run must open its game from any working folder."""
    folder, _, scene = place.partition("#")
    return str(project_folder(Path(folder).expanduser())) + (f"#{scene}" if scene else "")


def parse_address(name: str) -> tuple[Path, str]:
    """The folder and the scene of `godot:DIR#SCENE`; of a build, those that it was made of."""
    place, _, scene = name.removeprefix(PREFIX).partition("#")
    build = build_of(name)
    if build:
        return project_folder(build.project), build.scene
    folder = project_folder(Path(place).expanduser())
    return folder, scene_path(folder, scene or _main_scene(folder))


def build_of(name: str) -> Build | None:
    """The build that an address names; None for a project's folder."""
    place = Path(name.removeprefix(PREFIX).partition("#")[0]).expanduser()
    return read_build(place) if is_build(place) else None


def tick_rate(project: Path) -> int:
    """Physics ticks per second, as the project sets them."""
    declared = project_setting(project, "physics", "common/physics_ticks_per_second")
    return int(float(declared or DEFAULT_TICK_RATE))


def _main_scene(folder: Path) -> str:
    scene = project_setting(folder, "application", "run/main_scene")
    if scene.startswith(UID):
        scene = _scene_of_uid(folder, scene)
    if not scene:
        raise ConfigError(f"{folder} has no main scene. Name one: --scene res://arena.tscn.")
    return scene


def _scene_of_uid(folder: Path, uid: str) -> str:
    """The scene whose first line says this id; "" where there is none."""
    for path in sorted(folder.rglob("*.tscn")):
        with path.open(encoding="utf-8", errors="replace") as file:
            if f'uid="{uid}"' in file.readline():
                return f"res://{path.relative_to(folder).as_posix()}"
    return ""


def project_setting(folder: Path, section: str, key: str) -> str:
    """A value of project.godot that stands on one line, or an empty text. Other values span several lines."""
    found = ""
    for line in (folder / "project.godot").read_text(encoding="utf-8", errors="replace").splitlines():
        if header := SECTION.fullmatch(line.strip()):
            found = header[1]
        elif found == section and line.startswith(f"{key}="):
            return line.partition("=")[2].strip().strip('"')
    return ""


class GodotWorld(RemoteWorld):
    """`worlds` arenas in one Godot process, in lock-step: physics runs the same ticks at any speed.

    It is headless, except where an agent has a camera: pictures are drawn on the screen that is there, or in
    memory.
    """

    def __init__(
        self,
        game: str,
        worlds: int = 1,
        threads: int = 1,
        seed: int = 0,
        config: Mapping[str, Any] | None = None,
        *,
        scene: str | None = None,
        project: Path | str | None = None,
        log: Path | None = None,
        window: bool = False,
        attach: bool = False,
        **options: Any,
    ):
        """scene: instead of the game's own training scene. log: file for the engine's output.
        window: drawn on the screen and in real time, to be watched.
        attach: start nothing; wait at port 8765 for a scene that is started by hand, such as in the editor.

        threads has no effect: it is accepted so that every engine is made with the same arguments.
        """
        del threads
        self._scene: GodotProcess | None = None
        self._open_screen = contextlib.ExitStack()
        native = None if game.startswith(PREFIX) else game
        if attach:
            options.setdefault("port", DEFAULT_PORT)
            super().__init__(native, worlds, seed, config, address=game, **options)
            return
        self._log_file = log or (Path(os.environ[LOG_VARIABLE]) if os.environ.get(LOG_VARIABLE) else None)
        self._draws, self._starts = window, 0
        self._screen: Mapping[str, str] = {}
        if native is None and build_of(game) is None:
            game = PREFIX + absolute(game.removeprefix(PREFIX))
        self._program, self._words = _program(game, native, scene, project, config, window)
        if native is None and build_of(game) is None:
            options["spec_file"] = SpecFile.beside(parse_address(game)[0])
        options |= {"launch": self._launch_scene, "log_tail": self._last_lines, "address": game}
        try:
            super().__init__(native, worlds, seed, config, **options)
            if native is None and not window and _has_pictures(self.spec):
                self._draw_from_now_on(worlds, seed, config, options)
        except GameSilent as problem:
            node = f" Is there a SandlotTrainer node in {self._words[-1]}?" if native is None else ""
            raise GameSilent(f"{problem}{node}") from None
        except BaseException:
            self._open_screen.close()
            raise

    def _launch_scene(self, variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
        if self._draws:
            self._screen = self._open_screen.enter_context(screen())
        if (
            self._starts and self._log_file and self._log_file.is_file()
        ):  # what a dead process printed is kept
            self._log_file.replace(self._log_file.with_stem(f"{self._log_file.stem}_start{self._starts}"))
        self._starts += 1
        self._scene = GodotProcess(
            self._words,
            project=self._program,
            environment={**self._screen, **variables},
            headless=not self._draws,
            log=self._log_file,
        )
        return self._scene.process

    @property
    def pid(self) -> int:
        """The process id of the engine; 0 if it has ended or was started by hand."""
        return self._scene.pid if self._scene else 0

    def _draw_from_now_on(
        self, worlds: int, seed: int, config: Mapping[str, Any] | None, options: Mapping[str, Any]
    ) -> None:
        """Restart with a screen: headless Godot draws nothing, so cameras would see nothing."""
        self.close()
        check_screen()
        self._draws = True
        super().__init__(None, worlds, seed, config, **options)

    def _last_lines(self) -> str:
        lines = self._scene.log_tail().splitlines() if self._scene else []
        return "\n".join([line for line in lines if line.strip()][-6:])

    def close(self) -> None:
        """End the game, its process and its temporary log."""
        super().close()
        scene, self._scene = getattr(self, "_scene", None), None
        if scene is not None:
            scene.__exit__(None, None, None)  # removes its log as well, unless one was asked for
        if hasattr(self, "_open_screen"):
            self._open_screen.close()


def _program(
    game: str,
    native: str | None,
    scene: str | None,
    project: Path | str | None,
    config: Mapping[str, Any] | None,
    real_time: bool,
) -> tuple[Path, list[str]]:
    """The project or build to run and its arguments: physics ticks without a clock."""
    if native is not None:
        folder = project_folder(None if project is None else Path(project))
        path = scene_path(folder, scene or f"{native}/{TRAINING_SCENE}")
        return folder, [*_pace(native_spec(native, config).tick_rate or DEFAULT_TICK_RATE, real_time), path]
    build = build_of(game)
    if build is not None:
        check_build(build)
        return build.program, _pace(build.tick_rate, real_time)
    folder, path = parse_address(game)
    check_addon(folder)
    return folder, [*_pace(tick_rate(folder), real_time), path]


def _pace(rate: float, real_time: bool) -> list[str]:
    """One physics tick per frame and no waiting for the clock: the engine runs as fast as it can."""
    return [] if real_time else ["--fixed-fps", str(int(rate))]


def _has_pictures(spec: Spec) -> bool:
    return any(field.image for role in set(spec.roles) for field in spec.document.observation_of(role))


def check_build(build: Build) -> None:
    """ConfigError where a build cannot be trained by this Sandlot."""
    ours = addon_version(addon_folder())
    if build.stock:
        raise ConfigError(
            f"{build.program} talks through a Sync node. Start it with a godot-rl client (env_path), or "
            f"train its project: --project {build.project}."
        )
    if build.addon != ours:
        raise ConfigError(
            f"{build.program} was exported with version {build.addon or 'none'} of addons/sandlot, this "
            f"Sandlot has {ours}. Export it again: sandlot godot export --project {build.project}."
        )


def check_playable(game: str) -> None:
    """Raise the errors of opening a game in Godot, before anything is written."""
    if game.startswith(PREFIX):
        build = build_of(game)
        if build is not None:
            check_build(build)
            return
        require()
        folder, _ = parse_address(game)
        check_addon(folder)
        check_trainer_node(folder)
        return
    scenes = sorted(project_folder().glob(f"games/*/{TRAINING_SCENE}.tscn"))
    if game not in (playable := [path.parent.name for path in scenes]):
        raise ConfigError(
            f"{game} has no scene in Godot, which plays only {', '.join(playable)}; "
            "leave the engine godot out."
        )
    require()


def write_specs(project: Path) -> list[Path]:
    """Write the description of each game beside its scenes, for those that run without a trainer."""
    written = []
    for place in sorted(project.glob("games/*/spec.json")):
        text = spec_text(place.parent.name)
        if place.read_text(encoding="utf-8") != text:
            place.write_text(text, encoding="utf-8")
            written.append(place)
    return written


def spec_text(game: str) -> str:
    """The description of a game as the text of its spec.json."""
    return json.dumps(native_spec(game).json, indent=1) + "\n"
