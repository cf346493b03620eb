"""`sandlot.make("tag", engine="godot")`: arenas in a Godot process that is started here and ends with us."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..games import Spec
from .godot_engine import require
from .godot_process import GodotProcess
from .godot_project import project_folder, scene_path
from .messages import DEFAULT_PORT
from .remote import RemoteGame

USUAL_WORLDS = 64  # arenas in which one process is about as fast as it gets
LOG_VARIABLE = "SANDLOT_GODOT_LOG"  # file for the engine's output, for worlds that are made indirectly
TRAINING_SCENE = "train"  # every game that can be trained in Godot has one of this name


class GodotGame(RemoteGame):
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
        if attach:
            options.setdefault("port", DEFAULT_PORT)
            super().__init__(game, worlds, seed, config, **options)
            return
        log = log or (Path(os.environ[LOG_VARIABLE]) if os.environ.get(LOG_VARIABLE) else None)
        folder = project_folder(None if project is None else Path(project))
        path = scene_path(folder, scene or f"{game}/{TRAINING_SCENE}")

        def launch(variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
            arguments = [*_clock(game, config), path]
            self._scene = GodotProcess(arguments, project=folder, environment=variables, log=log)
            return self._scene.process

        super().__init__(game, worlds, seed, config, launch=launch, log_tail=self._last_lines, **options)

    def _last_lines(self) -> str:
        lines = self._scene.log_tail().splitlines() if self._scene else []
        return "\n".join([line for line in lines if line.strip()][-6:])

    def close(self) -> None:
        """End the game, its process and its temporary log."""
        super().close()
        scene, self._scene = getattr(self, "_scene", None), None
        if scene is not None:
            scene.__exit__(None, None, None)  # its log goes too, unless somebody asked for it

    def __repr__(self) -> str:
        return super().__repr__().replace("RemoteGame", "GodotGame")


def check_playable(game: str) -> None:
    """Raise what would stop `make(game, engine="godot")` before anything is written: no engine, no scene."""
    require()
    scene_path(project_folder(), f"{game}/{TRAINING_SCENE}")


def _clock(game: str, config: Mapping[str, Any] | None) -> list[str]:
    """One physics tick a frame and no waiting for the wall clock: the engine runs as fast as it can."""
    rate = Spec(game, config).config.get("tick_rate", 60)
    return ["--fixed-fps", str(int(rate))]
