"""Arenas in a Godot process that is started here and ends with us.

Two kinds of game run there: a native game that our Godot project plays too (`make("tag", engine="godot")`),
and a game that is only Godot's, named by its project and scene: `godot:DIR` or `godot:DIR#res://arena.tscn`.
"""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..bridge.godot_addon import check_addon, check_trainer_node
from ..bridge.godot_engine import require
from ..bridge.godot_process import GodotProcess
from ..bridge.godot_project import project_folder, scene_path
from ..bridge.messages import DEFAULT_PORT
from ..errors import ConfigError, GameSilent
from .native import native_spec
from .remote import RemoteWorld

PREFIX = "godot:"  # of the address of a game that is only Godot's
USUAL_WORLDS = 64  # arenas in which one process is about as fast as it gets
LOG_VARIABLE = "SANDLOT_GODOT_LOG"  # file for the engine's output, for worlds that are made indirectly
TRAINING_SCENE = "train"  # every native game that can be trained in Godot has one of this name
UID = "uid://"  # a resource named by its id instead of its path
SECTION = re.compile(r"\[(\w+)\]")  # of project.godot
DEFAULT_TICK_RATE = 60  # physics ticks per second of a project that does not say


def address(project: Path, scene: str | None = None) -> str:
    """What names a Godot game everywhere: its project's folder and, unless it is the main one, its scene."""
    folder = project_folder(project)
    return f"{PREFIX}{folder}" + (f"#{scene_path(folder, scene)}" if scene else "")


def parse_address(name: str) -> tuple[Path, str]:
    """The folder and the scene of `godot:DIR#SCENE`."""
    place, _, scene = name.removeprefix(PREFIX).partition("#")
    folder = project_folder(Path(place).expanduser())
    return folder, scene_path(folder, scene or _main_scene(folder))


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


@dataclass(frozen=True)
class TrainingScene:
    """The scene that a game is trained in: of our project for a native game, else of a project of its own."""

    folder: Path
    path: str
    tick_rate: float

    @classmethod
    def of(
        cls, game: str, config: Mapping[str, Any] | None, scene: str | None, project: Path | str | None
    ) -> "TrainingScene":
        """scene, project: instead of a native game's own."""
        if game.startswith(PREFIX):
            folder, path = parse_address(game)
            check_addon(folder)
            return cls(folder, path, tick_rate(folder))
        folder = project_folder(None if project is None else Path(project))
        path = scene_path(folder, scene or f"{game}/{TRAINING_SCENE}")
        return cls(folder, path, native_spec(game, config).tick_rate or DEFAULT_TICK_RATE)

    def start(self, variables: Mapping[str, str], log: Path | None) -> GodotProcess:
        """One physics tick per frame and no waiting for the wall clock: the engine runs as fast as it can."""
        arguments = ["--fixed-fps", str(int(self.tick_rate)), self.path]
        return GodotProcess(arguments, project=self.folder, environment=variables, log=log)


class GodotWorld(RemoteWorld):
    """`worlds` arenas in one headless Godot, in lock-step: physics runs the same ticks at any speed."""

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
        attach: bool = False,
        **options: Any,
    ):
        """scene: instead of the game's own training scene. log: file for the engine's output.
        attach: start nothing; wait at port 8765 for a scene that is started by hand, such as in the editor.

        threads has no effect: it is accepted so that every engine is made with the same arguments.
        """
        del threads
        self._scene: GodotProcess | None = None
        native = None if game.startswith(PREFIX) else game
        if attach:
            options.setdefault("port", DEFAULT_PORT)
            super().__init__(native, worlds, seed, config, address=game, **options)
            return
        log = log or (Path(os.environ[LOG_VARIABLE]) if os.environ.get(LOG_VARIABLE) else None)
        place = TrainingScene.of(game, config, scene, project)
        path = place.path

        def launch(variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
            self._scene = place.start(variables, log)
            return self._scene.process

        options |= {"launch": launch, "log_tail": self._last_lines, "address": game}
        try:
            super().__init__(native, worlds, seed, config, **options)
        except GameSilent as problem:
            node = f" Is there a SandlotTrainer node in {path}?" if native is None else ""
            raise GameSilent(f"{problem}{node}") from None

    def _last_lines(self) -> str:
        lines = self._scene.log_tail().splitlines() if self._scene else []
        return "\n".join([line for line in lines if line.strip()][-6:])

    def close(self) -> None:
        """End the game, its process and its temporary log."""
        super().close()
        scene, self._scene = getattr(self, "_scene", None), None
        if scene is not None:
            scene.__exit__(None, None, None)  # its log goes too, unless somebody asked for it


def check_playable(game: str) -> None:
    """Raise what would stop the game from opening in Godot, before anything is written."""
    if game.startswith(PREFIX):
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
