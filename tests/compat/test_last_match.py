"""The end of a session: what prevents its match or film is reported, and nothing is left half made."""

import sys

import pytest

from sandlot.compat import last_match
from sandlot.compat.last_match import FilmOptions, play_and_film
from sandlot.errors import ConfigError

OPTIONS = FilmOptions(fps=5, quality="low", limit_s=60)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder of its own; nobody has weights there, so scripts play."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SANDLOT_GODOT_LOG", "")  # so that what a match sets is undone
    (tmp_path / "debug").mkdir()
    return tmp_path


def ended(here, options=OPTIONS):
    return play_and_film("seeker", "native", options, here / "debug")


def left_over(here):
    return [path.name for path in here.rglob("*") if path.suffix in (".mp4", ".part", ".png")]


def test_without_a_screen_the_match_stays_and_xvfb_is_named(here, pretender, monkeypatch, capsys):
    pretender("true")
    monkeypatch.delenv("DISPLAY")
    monkeypatch.setenv("PATH", str(here))
    made = ended(here)
    assert made.code == 2 and made.trajectory.exists() and made.film is None
    assert "No film was made: Drawing needs a screen" in capsys.readouterr().err


def test_without_an_encoder_nothing_is_drawn_and_the_extra_is_named(here, pretender, monkeypatch, capsys):
    pretender("echo it was started; exit 7")
    monkeypatch.setitem(sys.modules, "av", None)
    assert ended(here).code == 2
    assert "sandlot[godot]" in capsys.readouterr().err and not (here / "debug/godot_film.log").exists()


def test_an_engine_that_dies_is_quoted_and_leaves_nothing(here, pretender, capsys):
    pretender('echo "out of paint"; exit 7')
    assert ended(here).code == 2 and left_over(here) == []
    assert "out of paint" in capsys.readouterr().err
    assert "out of paint" in (here / "debug/godot_film.log").read_text()


def test_of_all_that_a_dying_engine_says_its_errors_are_reported(here, pretender, capsys):
    pretender('echo "ERROR: no screen."; for i in 1 2 3; do echo "WARNING: leak $i"; done; exit 1')
    ended(here)
    assert "Its log ends with: ERROR: no screen." in capsys.readouterr().err


def test_a_film_that_takes_too_long_is_given_up(here, pretender, capsys):
    pretender("exec sleep 300")
    assert ended(here, FilmOptions(5, "low", limit_s=1)).code == 2 and left_over(here) == []
    assert "TRAIN_FILM_TIMEOUT" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_named(here, monkeypatch, capsys):
    (here / "data").write_text("a file where a folder should be")
    made = ended(here)
    assert made.code == 2 and made.trajectory is None
    assert "No match was recorded" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("TRAIN_FILM_TIMEOUT", "0"),
        ("AI_RECORD_FPS", "0"),
        ("AI_RECORD_FPS", "999"),
        ("AI_RENDER_QUALITY", "x"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused_before_training(name, text, monkeypatch):
    monkeypatch.setenv(name, text)
    with pytest.raises(ConfigError, match=name):
        last_match.film_options()
