"""Holds the arrows of the house: which room of src/sandlot may import which. Read with ast, not imported."""

import ast
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "sandlot"
ARROWS = {
    "games": set(),
    "runs": set(),
    "policies": {"games"},
    "bridge": {"games", "policies"},
    "media": {"games", "runs"},
    "train": {"games", "policies", "runs"},
    "evaluate": {"games", "policies", "runs"},
    "serve": {"games", "policies", "runs", "evaluate", "media"},
}
WIRING = {
    "__init__",
    "__main__",
    "cli",
}  # the front door and the command line join the rooms; no room imports them


def imported_modules(file: Path, source: Path) -> set[str]:
    """Modules of ours that a file imports, without the package's name: "games.spec", "errors"."""
    package = ["sandlot", *file.relative_to(source).parent.parts]
    names = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            # `from .. import seeding` names a module, `from .. import make` the front door
            names |= {f"{module}.{a.name}" if module == "sandlot" else module for a in node.names}
    return {
        name.removeprefix("sandlot").removeprefix(".") for name in names if name.split(".")[0] == "sandlot"
    }


def wrong_arrows(source: Path) -> list[str]:
    """A sentence for each import that goes against the arrows."""
    leaves = {path.stem for path in source.glob("*.py")} - {"__init__"}
    wrong = []
    for file in sorted(source.rglob("*.py")):
        here = file.relative_to(source).parts[0].removesuffix(".py")
        if here in WIRING:
            continue
        for there in sorted({name.split(".")[0] for name in imported_modules(file, source)}):
            if there != here and there not in leaves and there not in ARROWS.get(here, set()):
                wrong.append(f"{file.relative_to(source)}: {here} may not import {there or 'the front door'}")
    return wrong


def test_every_import_follows_the_arrows():
    assert wrong_arrows(SOURCE) == []


def test_every_folder_is_a_room_with_arrows():
    rooms = {path.parent.name for path in SOURCE.glob("*/*.py")}
    assert rooms <= set(ARROWS) | WIRING, "a new room needs its arrows here and in CONTRIBUTING.md"


def test_a_wrong_arrow_is_shown(tmp_path):
    (tmp_path / "errors.py").write_text("")
    for room in ("games", "train"):
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").write_text("")
    (tmp_path / "games" / "good.py").write_text(
        "import numpy\nfrom ..errors import Closed\nfrom .. import errors\n"
    )
    assert wrong_arrows(tmp_path) == []

    planted = [
        "from ..train import ppo",
        "from .. import train",
        "import sandlot.train.ppo",
        "from sandlot.train import ppo",
    ]
    for line in planted:
        (tmp_path / "games" / "bad.py").write_text(f"def later():\n    {line}\n")
        assert wrong_arrows(tmp_path) == ["games/bad.py: games may not import train"], line
    (tmp_path / "games" / "bad.py").write_text("from .. import make\n")
    assert wrong_arrows(tmp_path) == ["games/bad.py: games may not import make"]
