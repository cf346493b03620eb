"""docs/any_game.md is true: every command of the README, run on a game of each kind.

One tiny run per game serves all of its commands.
"""

import re

import any_game
import pytest
from any_game import COMMANDS, GAMES, MACHINE, PAGE, ROOT, WORKS, AnyGame
from lacking import lacking

from sandlot.bridge.godot_engine import find
from sandlot.cli.main import COMMANDS as PROGRAM
from sandlot.cli.main import FAMILIES

# What no game may refuse: it is what a game is there for.
NEVER_REFUSED = ("games", "train", "train --resume", "runs", "plot", "eval", "league", "bench", "serve",
                 "replay", "film", "demo", "export")  # fmt: skip
SITE = ROOT / "src/sandlot/serve/site/index.html"


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    if find() is None:
        lacking("no Godot: sandlot godot install")
    if not SITE.exists():
        lacking("no site: make web")
    return AnyGame(tmp_path_factory.mktemp("any_game"))


@pytest.fixture(scope="module")
def said():
    """What the page says, by command and game."""
    return any_game.cells_of(PAGE.read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("game", GAMES)
def test_a_command_does_with_a_game_what_the_page_says(shared, said, command, game):
    assert shared.cell(command, game) == said[command, game], "python scripts/any_game.py"


@pytest.mark.slow
@pytest.mark.parametrize("command", MACHINE)
def test_commands_about_the_machine_need_no_game(shared, command):
    done = shared.run(MACHINE[command].split())
    assert done.code == 0 and done.out, done.err


def test_the_page_is_written_by_its_script(said):
    assert any_game.page(lambda command, game: said[command, game]) == PAGE.read_text(encoding="utf-8")


def test_every_command_of_the_program_and_of_the_readme_is_in_the_table(said):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = {command.split()[0] for command in COMMANDS} | set(MACHINE)
    assert named == {*PROGRAM, *FAMILIES} >= set(re.findall(r"`sandlot (\w+)", readme))
    assert set(said) == {(command, game) for command in COMMANDS for game in GAMES}


def test_what_a_game_is_there_for_works_with_every_game_and_refusals_are_sentences(said):
    assert [key for key, cell in said.items() if key[0] in NEVER_REFUSED and cell != WORKS] == []
    assert all(cell == WORKS or (cell[0].isupper() and cell.endswith(".")) for cell in said.values())
