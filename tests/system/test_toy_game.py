"""A game that is added as docs/engine.md says runs every command, with three roles of different sizes.

The engine and the package are copied, the toy of `toy_game/` is laid over them, and the lines that register
it are added: nothing else knows its name.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from any_game import COMMANDS, WORKS

ROOT = Path(__file__).parents[2]
TOY = Path(__file__).parent / "toy_game"
PAGE = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
# The lines that register a game: in which file, behind what, and what.
LINES = {
    "engine/abi/registry.h": ("G(navigation)", " G(trio)"),
    "CMakeLists.txt": ("set(SANDLOT_GAMES tag prospector landing navigation", " trio"),
    "src/sandlot/games/reference/__init__.py": (
        '"tag": ".tag.parity_setup",',
        '\n    "trio": ".trio.parity_setup",',
    ),
    "src/sandlot/wrappers/__init__.py": (
        '"sandlot/Landing-v0": "landing",',
        '\n    "sandlot/Trio-v0": "trio",',
    ),
}
# Python reads it before the first import: what an editable install finds would come before PYTHONPATH.
ONLY_THE_COPY = """
import sys

sys.meta_path[:] = [one for one in sys.meta_path if type(one).__name__ != "ScikitBuildRedirectingFinder"]
"""
NOT_COPIED = shutil.ignore_patterns("__pycache__", "lib", "docs")


WRAPPERS = """
import gymnasium, numpy as np, sandlot
from pettingzoo.test import parallel_api_test
from sandlot.wrappers.gym_vector import GameVectorEnv
from sandlot.wrappers.zoo import parallel_env

assert sandlot.__file__.startswith(%r), sandlot.__file__
assert sandlot.games() == ["tag", "prospector", "landing", "navigation", "trio"]
sizes = {"scout": (3, 2), "guard": (2, 2), "thief": (1, 1)}
for role, (seen, done) in sizes.items():
    env = gymnasium.make("sandlot/Trio-v0", role=role)
    assert env.observation_space.shape == (seen,) and env.action_space.shape == (done,)
    assert env.reset(seed=1)[0].shape == (seen,)
    assert env.step(env.action_space.sample())[0].shape == (seen,)
    many = GameVectorEnv("trio", 4, role=role)
    many.reset(seed=1)
    assert many.step(many.action_space.sample())[0].shape == (4, seen)
zoo = parallel_env("trio")
assert [zoo.observation_space(name).shape for name in zoo.possible_agents] == [(3,), (2,), (1,)]
parallel_api_test(zoo, num_cycles=30)
"""


def places(name):
    """The files of the page's list, for this game; with whether a game may lack them."""
    block = re.search(r"<!-- places of a game -->\n(.*?)\n\n", PAGE, re.DOTALL)[1]
    rows = re.findall(r"^\| (.+?) \| .* \| (yes|no) \|$", block, re.MULTILINE)
    found = {}
    for files, needed in rows:
        for path in re.findall(r"`([^`]+)`", files):
            found[path.replace("NAME", name)] = needed == "yes"
    return found


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of engine and package with the toy in it, built."""
    folder = tmp_path_factory.mktemp("toy")
    for part in ("engine", "src/sandlot", "godot/addons"):
        shutil.copytree(ROOT / part, folder / part, ignore=NOT_COPIED)
    shutil.copy(ROOT / "CMakeLists.txt", folder)
    shutil.copytree(TOY, folder, dirs_exist_ok=True, ignore=NOT_COPIED)
    for path, (behind, line) in LINES.items():
        text = (folder / path).read_text()
        assert text.count(behind) == 1, f"{path} registers games otherwise now"
        (folder / path).write_text(text.replace(behind, behind + line))
    zig = [] if shutil.which("cc") else ["-DCMAKE_TOOLCHAIN_FILE=engine/zig.cmake"]
    for words in (
        ["-S", ".", "-B", "b", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", *zig],
        ["--build", "b", "--target", "sandlot"],
    ):
        built = subprocess.run(["cmake", *words], cwd=folder, capture_output=True, text=True, timeout=300)
        assert built.returncode == 0, built.stdout + built.stderr
    (folder / "src/sandlot/lib").mkdir()
    (library,) = folder.glob("b/libsandlot.*")
    shutil.copy(library, folder / "src/sandlot/lib")
    (folder / "src/sitecustomize.py").write_text(ONLY_THE_COPY)
    return folder


def python(copy, *words):
    """A Python that imports the copy."""
    environment = os.environ | {"PYTHONPATH": str(copy / "src")}
    done = subprocess.run(
        [sys.executable, *words], cwd=copy, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("together", ["false", "true"])
def test_a_game_added_as_the_page_says_runs_every_command(copy, together):
    """Three roles: two teams against each other, and all of them together."""
    words = ("--game", "trio", "--set", f"settings.together={together}")
    cells = json.loads(python(copy, str(ROOT / "scripts" / "any_game.py"), *words))
    assert cells == dict.fromkeys(COMMANDS, WORKS)


@pytest.mark.slow
def test_an_added_game_has_wrappers_whose_spaces_are_the_roles_own(copy):
    python(copy, "-c", WRAPPERS % str(copy))


def test_the_page_lists_every_place_that_the_toy_touches():
    added = {path.relative_to(TOY).as_posix() for path in TOY.rglob("*.*") if "__pycache__" not in path.parts}
    listed = places("trio")
    inside = tuple(path for path in listed if path.endswith("/"))
    assert [p for p in (*added, *LINES) if p not in listed and not p.startswith(inside)] == []
    required = [path for path, needed in listed.items() if needed]
    touched = (*added, *LINES)
    assert [p for p in required if not any(t.startswith(p) for t in touched)] == []


@pytest.mark.parametrize("name", ["tag", "prospector", "landing", "navigation"])
def test_every_listed_place_holds_each_game_of_the_engine(name):
    for path in places(name):
        place = ROOT / path
        assert place.exists(), path
        if place.is_file() and name not in path:
            assert re.search(rf"\b{name}\b", place.read_text()), f"{path} does not name {name}"


SEARCHED = (
    "engine",
    "CMakeLists.txt",
    "src/sandlot/games",
    "src/sandlot/train",
    "web/src/views/play",
    "web/src/parts",
)
COMMENT = re.compile(
    r"//[^\n]*|/\*.*?\*/|^[ \t]*#(?!include)[^\n]*|\"\"\".*?\"\"\"", re.MULTILINE | re.DOTALL
)
CODE = {".c", ".h", ".cu", ".py", ".toml", ".txt", ".ts", ".tsx"}


@pytest.mark.parametrize("name", ["landing", "navigation"])
def test_no_other_place_of_the_code_names_a_game(name):
    """test_architecture.py searches the packages; this is the rest, and the folders that it leaves out."""
    command = ["git", "ls-files", "--", *SEARCHED]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    inside = (*places(name), f"src/sandlot/train/presets/{name}.")  # and further presets
    others, naming = {"tag", "prospector", "landing", "navigation"} - {name}, []
    for path in listed:
        own = not others & set(Path(path).parts)  # another game may use the word for something else
        if own and not path.startswith(inside) and Path(path).suffix in CODE:
            code = COMMENT.sub("", (ROOT / path).read_text(encoding="utf-8"))
            naming += (
                [path] if re.search(rf"(?<![\w.-])(sl_game_)?{name}(?![\w-])", code, re.IGNORECASE) else []
            )
    assert naming == [], "docs/engine.md lists the places of a game"
