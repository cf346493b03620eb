"""Rendering of a world: as a picture (`rgb_array`), in a window (`human`) and as text (`ansi`).

    canvas.py               shapes and text into an image, smooth edges: Pillow
    tag.py, prospector.py, landing.py, navigation.py   one game each: how its scene is drawn
    values.py               any other game: its numbers by name
    window.py               a picture on the screen: pygame
    text.py                 letters, for terminals and logs

A game is registered in RENDERERS; wrappers ask `View` and know no game. Importing this package needs neither
Pillow nor pygame.
"""

import importlib
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...errors import MissingExtra, UnknownName
from ...spec import Spec
from ...worlds import World

if TYPE_CHECKING:
    from .window import Window

RENDER_MODES = ["ansi", "human", "rgb_array"]
MAX_TILES = 16  # worlds of a batch that one window shows

# A game's name -> module:class of its renderer, and module:function of its text. Without: its numbers.
RENDERERS = {
    "tag": "tag:TagRenderer",
    "prospector": "prospector:ProspectorRenderer",
    "landing": "landing:LandingRenderer",
    "navigation": "navigation:NavigationRenderer",
}
TEXTS = {"tag": "text:arena"}
ANY_RENDERER, ANY_TEXT = "values:ValuesRenderer", "text:table"


class Renderer(Protocol):
    """Draws one world of a game. It may keep state such as a trail, so every world has its own renderer."""

    fps: float  # of a film at the game's own pace

    def __init__(self, spec: Spec): ...

    def draw(self, scene: dict[str, Any]) -> np.ndarray:
        """A picture, uint8 [height, width, 3], of what `World.render` returns."""


def check_mode(mode: str | None) -> str | None:
    """The mode, if it exists; UnknownName else."""
    if mode not in (None, *RENDER_MODES):
        raise UnknownName("render mode", mode, RENDER_MODES)
    return mode


class View:
    """The worlds of a batch as one render mode shows them. Without a mode it costs nothing."""

    def __init__(self, world: World, mode: str | None):
        self.mode, self._world = check_mode(mode), world
        self._renderers: list[Renderer] = []
        self._window: Window | None = None
        if mode in ("rgb_array", "human"):
            make = _loaded(RENDERERS.get(world.spec.game, ANY_RENDERER))
            self._renderers = [make(world.spec) for _ in world]
        if mode == "human":
            self._window = _loaded("window:Window")(f"Sandlot: {world.spec.title}", self.fps)

    @property
    def fps(self) -> float:
        """Frames per second of the game's own pace."""
        return self._renderers[0].fps if self._renderers else 20.0

    def of_world(self, index: int = 0) -> Any:
        """A picture or the text of one world."""
        if self.mode == "ansi":
            draw = _loaded(TEXTS.get(self._world.spec.game, ANY_TEXT))
            return draw(self._world, index)
        return self._renderers[index].draw(self._world.render(index))

    def of_all(self) -> tuple[Any, ...]:
        """Pictures or texts of all worlds."""
        return tuple(self.of_world(index) for index in self._world)

    def show(self) -> None:
        """In mode `human`: the first worlds, side by side, on the screen."""
        if self._window is not None:
            self._window.show(tiled([self.of_world(i) for i in range(min(self._world.worlds, MAX_TILES))]))

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()


def tiled(pictures: list[np.ndarray]) -> np.ndarray:
    """Pictures of one size in a grid that is about square."""
    columns = int(np.ceil(np.sqrt(len(pictures))))
    blank = np.zeros_like(pictures[0])
    rows = [pictures[i : i + columns] for i in range(0, len(pictures), columns)]
    return np.vstack([np.hstack([*row, *[blank] * (columns - len(row))]) for row in rows])


def _loaded(place: str) -> Any:
    module, name = place.split(":")
    try:
        return getattr(importlib.import_module(f".{module}", __name__), name)
    except ModuleNotFoundError as problem:
        extras = {"PIL": ("pillow", "gym"), "pygame": ("pygame", "render")}
        if problem.name not in extras:
            raise
        raise MissingExtra("Rendering", *extras[problem.name]) from None
