"""A window opens with its first picture, keeps the pace of the game and closes once."""

import copy
import pickle

import numpy as np
import pygame
import pytest

from sandlot.games.rendering.window import Window

PICTURE = np.zeros((6, 10, 3), np.uint8)
PICTURE[2, 7] = (10, 20, 30)


@pytest.fixture
def window():
    made = Window("Sandlot: Tag", 20.0)
    yield made
    made.close()


def test_nothing_is_opened_before_the_first_picture(window):
    assert pygame.display.get_surface() is None
    window.close()
    window.show(PICTURE)
    assert pygame.display.get_surface() is None, "a closed window stays closed"


def test_the_window_has_the_size_the_title_and_the_picture(window, monkeypatch):
    flips, paces = [], []
    monkeypatch.setattr(pygame.display, "flip", lambda: flips.append(1))
    window._clock = type("Clock", (), {"tick": staticmethod(paces.append)})()
    window.show(PICTURE)
    screen = pygame.display.get_surface()
    assert screen.get_size() == (10, 6) and pygame.display.get_caption()[0] == "Sandlot: Tag"
    assert (pygame.surfarray.array3d(screen).swapaxes(0, 1) == PICTURE).all()
    window.show(PICTURE)
    assert pygame.display.get_surface() is screen, "one window for all pictures"
    assert (flips, paces) == ([1, 1], [20.0, 20.0])


def test_only_a_closing_event_closes_it(window):
    window.show(PICTURE)
    pygame.event.post(pygame.event.Event(pygame.USEREVENT))
    window.show(PICTURE)
    assert pygame.display.get_surface() is not None
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.show(PICTURE)
    assert pygame.display.get_surface() is None


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda w: pickle.loads(pickle.dumps(w))])
def test_a_copy_opens_a_window_of_its_own(window, copied):
    window.show(PICTURE)
    other = copied(window)
    assert (other.title, other.fps, other._screen, other._closed) == ("Sandlot: Tag", 20.0, None, False)
