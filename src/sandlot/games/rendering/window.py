"""Pictures on the screen, by pygame: one window that shows a picture and keeps the game's pace."""

import os
from typing import Any

import numpy as np

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it would write to standard output
import pygame


class Window:
    """Opens with the first picture. If the user closes it, the game continues without it."""

    def __init__(self, title: str, fps: float):
        self.title, self.fps = title, fps
        self._screen: Any = None
        self._clock = pygame.time.Clock()
        self._closed = False

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.title, self.fps)  # a copy opens a window of its own

    def show(self, picture: np.ndarray) -> None:
        """Show a picture and wait for the next frame's time."""
        if self._closed:
            return
        height, width, _ = picture.shape
        if self._screen is None:
            pygame.display.init()
            pygame.display.set_caption(self.title)
            self._screen = pygame.display.set_mode((width, height))
        self._screen.blit(pygame.surfarray.make_surface(picture.swapaxes(0, 1)), (0, 0))
        pygame.display.flip()
        self._clock.tick(self.fps)
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()

    def close(self) -> None:
        """Close the window for good."""
        self._closed = True
        if self._screen is not None:
            self._screen = None
            pygame.display.quit()
