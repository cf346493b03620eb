"""`sandlot.make("tag", engine="godot")`: arenas in a Godot process that is started here and ends with us."""

from __future__ import annotations

import os
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
LOG_VARIABLE = "SANDLOT_GODOT_LOG"  # where the engine's words go, for whoever makes worlds indirectly
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
        """scene: another than the game's own training scene. log: where the engine's words go.
        attach: start nothing; wait at port 8765 for a scene that somebody starts, in the editor say.

        threads are of no use here and taken only so that every engine is made by the same words.
        """
        del threads
        self._child: _Child | None = None
        if attach:
            options.setdefault("port", DEFAULT_PORT)
            super().__init__(game, worlds, seed, config, **options)
            return
        log = log or (Path(os.environ[LOG_VARIABLE]) if os.environ.get(LOG_VARIABLE) else None)
        folder = project_folder(None if project is None else Path(project))
        path = scene_path(folder, scene or f"{game}/{TRAINING_SCENE}")

        def launch(variables: Mapping[str, str]) -> _Child:
            self._child = _Child([*_clock(game, config), path], folder, variables, log)
            return self._child

        super().__init__(game, worlds, seed, config, launch=launch, last_words=self._said, **options)

    def _said(self) -> str:
        lines = self._child.scene.said().splitlines() if self._child else []
        return "\n".join([line for line in lines if line.strip()][-6:])

    def close(self) -> None:
        super().close()
        child, self._child = getattr(self, "_child", None), None
        if child is not None:
            child.scene.__exit__(None, None, None)  # its log goes too, unless somebody asked for it

    def __repr__(self) -> str:
        return super().__repr__().replace("RemoteGame", "GodotGame")


def check_playable(game: str) -> None:
    """Say before anything is written what would stop `make(game, engine="godot")`: no engine, no scene."""
    require()
    scene_path(project_folder(), f"{game}/{TRAINING_SCENE}")


def _clock(game: str, config: Mapping[str, Any] | None) -> list[str]:
    """One physics tick a frame and no waiting for the wall clock: the engine runs as fast as it can."""
    rate = Spec(game, config).config.get("tick_rate", 60)
    return ["--fixed-fps", str(int(rate))]


class _Child:
    """A GodotProcess with the few words that RemoteGame asks of a process."""

    def __init__(self, arguments: list[str], project: Path, variables: Mapping[str, str], log: Path | None):
        self.scene = GodotProcess(arguments, project=project, environment=variables, log=log)
        self.pid = self.scene.pid

    def poll(self) -> int | None:
        return self.scene.code

    def wait(self, timeout: float | None = None) -> int:
        return self.scene._process.wait(timeout)

    def terminate(self) -> None:
        self.scene.stop()

    kill = terminate
