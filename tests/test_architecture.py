"""Which package of src/sandlot may import which, and that the pages list every package."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "sandlot"
ALLOWED_IMPORTS = {
    "spec": set(),
    "runs": set(),
    "bridge": {"spec"},
    "worlds": {"spec", "bridge"},
    "games": {"spec", "worlds", "bridge"},
    "wrappers": {"spec", "worlds", "games"},
    "policies": {"spec", "worlds", "games"},
    "media": {"spec", "worlds", "runs"},
    "train": {"spec", "worlds", "games", "policies", "runs"},
    "evaluate": {"spec", "worlds", "games", "policies", "runs"},
    "serve": {"spec", "worlds", "games", "policies", "runs", "evaluate", "media"},
}
# Entry points join the packages and may import all of them; no package imports an entry point.
ENTRY_POINTS = {"__init__", "__main__", "cli", "compat"}


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
            # `from .. import seeding` names a module, `from .. import make` the public API
            names |= {f"{module}.{a.name}" if module == "sandlot" else module for a in node.names}
    return {
        name.removeprefix("sandlot").removeprefix(".") for name in names if name.split(".")[0] == "sandlot"
    }


def forbidden_imports(source: Path) -> list[str]:
    """One sentence for each import that the table does not allow."""
    leaves = {path.stem for path in source.glob("*.py")} - {"__init__"}
    forbidden = []
    for file in sorted(source.rglob("*.py")):
        package = file.relative_to(source).parts[0].removesuffix(".py")
        if package in ENTRY_POINTS:
            continue
        for other in sorted({name.split(".")[0] for name in imported_modules(file, source)}):
            if other != package and other not in leaves and other not in ALLOWED_IMPORTS.get(package, set()):
                name = other or "sandlot/__init__.py"
                forbidden.append(f"{file.relative_to(source)}: {package} may not import {name}")
    return forbidden


def packages() -> set[str]:
    return {path.parent.name for path in SOURCE.glob("*/*.py")}


def test_every_import_is_allowed():
    assert forbidden_imports(SOURCE) == []


def test_every_package_is_in_the_table():
    assert packages() <= set(ALLOWED_IMPORTS) | ENTRY_POINTS, "add its allowed imports here"


def test_contributing_and_the_architecture_page_list_every_package():
    for page in ("CONTRIBUTING.md", "docs/architecture.md"):
        named = set(re.findall(r"`(?:src/sandlot/)?(\w+)/`", (ROOT / page).read_text()))
        assert packages() <= named, page


def test_files_that_the_architecture_page_names_exist():
    text = (ROOT / "docs" / "architecture.md").read_text()
    names = re.findall(r"`([\w./-]+\.(?:py|c|h|ts|tsx|gd|md|toml))`", text)
    missing = [name for name in names if not (ROOT / name).exists() and not (SOURCE / name).exists()]
    assert names and missing == []


def test_a_forbidden_import_is_reported(tmp_path):
    (tmp_path / "errors.py").write_text("")
    for package in ("games", "train"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("")
    (tmp_path / "games" / "good.py").write_text(
        "import numpy\nfrom ..errors import Closed\nfrom .. import errors\n"
    )
    assert forbidden_imports(tmp_path) == []

    planted = [
        "from ..train import ppo",
        "from .. import train",
        "import sandlot.train.ppo",
        "from sandlot.train import ppo",
    ]
    for line in planted:
        (tmp_path / "games" / "bad.py").write_text(f"def later():\n    {line}\n")
        assert forbidden_imports(tmp_path) == ["games/bad.py: games may not import train"], line
    (tmp_path / "games" / "bad.py").write_text("from .. import make\n")
    assert forbidden_imports(tmp_path) == ["games/bad.py: games may not import make"]
