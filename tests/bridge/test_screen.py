"""A screen in memory: made when there is none, gone afterwards with everything it opened."""

import shutil

import pytest
from leaks import nothing_left_open

from sandlot.bridge import godot_process
from sandlot.errors import GodotFailed


@pytest.fixture
def no_screen(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)


@pytest.mark.parametrize("variable", ["DISPLAY", "WAYLAND_DISPLAY"])
def test_a_screen_that_is_there_is_used(no_screen, monkeypatch, variable):
    monkeypatch.setenv(variable, ":7")
    with nothing_left_open(), godot_process.screen() as variables:
        assert variables == {}


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs Xvfb")
@pytest.mark.parametrize("fails", [False, True])
def test_a_screen_in_memory_leaves_nothing_open_however_it_ends(no_screen, fails):
    with nothing_left_open():
        try:
            with godot_process.screen() as variables:
                assert int(variables["DISPLAY"].removeprefix(":")) >= 0
                if fails:
                    raise ValueError("in the middle")
        except ValueError:
            assert fails


def test_without_a_way_to_make_one_nothing_is_begun(no_screen, monkeypatch):
    monkeypatch.setattr(godot_process, "XVFB", "no-such-program")
    with nothing_left_open(), pytest.raises(GodotFailed, match="apt-get install xvfb"):
        godot_process.check_screen()


def test_a_program_that_makes_no_screen_is_said_to_make_none(no_screen, monkeypatch):
    monkeypatch.setattr(godot_process, "XVFB", "false")
    with nothing_left_open(), pytest.raises(GodotFailed, match="made no screen"), godot_process.screen():
        pytest.fail("there is no screen")


def test_a_log_of_its_own_is_closed_and_empty():
    with nothing_left_open():
        path = godot_process._fresh_log()
    assert path.stat().st_size == 0 and path.name.startswith("sandlot-godot-")
    path.unlink()
