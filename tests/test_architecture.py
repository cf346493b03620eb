"""Which package of src/sandlot may import which; pages list every package; generic code names no game."""

import ast
import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from sandlot.worlds import games, load_spec

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
    "gates": {"spec", "worlds", "games", "policies", "runs", "evaluate"},
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


def reachable(edges: dict[str, set[str]]) -> dict[str, set[str]]:
    """What each package imports, directly or through others."""
    closed = {name: set(others) for name, others in edges.items()}
    for _ in closed:
        for others in closed.values():
            others |= set().union(*(closed.get(other, set()) for other in others))
    return closed


def test_contributing_says_what_each_package_may_import():
    rows = re.findall(
        r"^\| `(\w+)/` \|.*\| ([\w, ]*)\|$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE
    )
    documented = {name: set(filter(None, re.split(r"[, ]+", imports))) for name, imports in rows}
    assert {name: documented.get(name) for name in ALLOWED_IMPORTS} == ALLOWED_IMPORTS


def test_the_diagram_of_packages_has_the_arrows_of_the_table():
    text = (ROOT / "docs" / "architecture.md").read_text().partition("graph TD")[2].partition("```")[0]
    edges: dict[str, set[str]] = {}
    for line in re.sub(r'\["[^"]*"\]', "", text).split("\n"):
        groups = [set(group.split(" & ")) for group in line.strip().split(" --> ")]
        for names, targets in pairwise(groups):
            for name in names:
                edges.setdefault(name, set()).update(targets)
    drawn, allowed = reachable(edges), reachable(ALLOWED_IMPORTS)
    assert {name: drawn.get(name, set()) & set(allowed) for name in allowed} == allowed


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


# ---------------------------------------------------------------- generic code names no game

GAME_FOLDERS = ("games", "compat")  # of src/sandlot: what belongs to single games, and the briefs' own names
# Other places that may name a game, a role or a game's own numbers, each with its reason.
NAMED_IN = {
    "wrappers/__init__.py": "ids of Gymnasium, registered where the engine is not built",
    "wrappers/zoo.py": "tag_parallel_env(), tag_env()",
}
WEB_GAMES = (
    *("parts/tag/", "parts/prospector/", "parts/landing/", "parts/navigation/", "parts/art/"),
    *("views/play/", "api/schema.d.ts"),
)
# Names that one game alone has and that are ordinary words of generic code as well.
ORDINARY = {
    "action", "boxes", "decisions", "distance", "dt", "edges",
    "events", "heat", "in_play", "invalid_action", "position",
    "rays", "reason", "returns", "roles", "speed", "steps", "tags", "terminated", "tick", "truncated",
    "winner"
}  # fmt: skip
REPLAY_TAGS = {"views/watch/Advanced.tsx", "views/watch/Picker.tsx"}  # of the site: a tag is a replay's there


def game_words() -> set[str]:
    """Names of games, roles and bots, and of numbers of episodes and info blocks that one game alone has."""
    documents = [load_spec(game).document for game in games()]
    fields = [{field.name for field in (*d.episode, *d.info)} for d in documents]
    own = {
        name for i, names in enumerate(fields) for name in names - set().union(*fields[:i], *fields[i + 1 :])
    }
    aliases = {field.alias for d in documents for field in d.episode if field.alias}
    roles = {role for d in documents for role in (*d.roles, *d.agent_roles)}
    bots = {bot["name"] for d in documents for bot in d.bots if "_" in bot["name"]}
    return (set(games()) | roles | bots | own | aliases) - ORDINARY


def naming(strings: Iterable[str], words: set[str]) -> list[str]:
    """Words in strings: whole, or as part of a metric such as `net_profit_mean`. A game: its name alone."""
    found = []
    for text in strings:
        for part in re.split(r"[^A-Za-z0-9_]+", text):
            bare = re.sub(r"_(mean|median|rate|rating|win_rate)$", "", part)
            if {bare, part} & words and (text == part or part not in games()):
                found.append(part)
    return found


def strings_of(text: str) -> list[tuple[int, str]]:
    """The string constants of a Python file but docstrings and the texts of help, with their lines."""
    tree, skipped = ast.parse(text), set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            skipped.add(id(body[0].value))
        if isinstance(node, ast.keyword) and node.arg in ("help", "text", "description"):
            skipped |= {id(part) for part in ast.walk(node.value)}
    constants = (
        node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in skipped
    )
    return [(node.lineno, node.value) for node in constants if isinstance(node.value, str)]


def test_generic_packages_name_no_game_no_role_and_no_number_of_one_game():
    words = game_words()
    assert {"tag", "seeker", "pilot", "net_profit", "profit", "survival"} <= words
    found = []
    for file in sorted(SOURCE.rglob("*.py")):
        place = file.relative_to(SOURCE).as_posix()
        if place.startswith(GAME_FOLDERS) or place in NAMED_IN:
            continue
        for line, text in strings_of(file.read_text()):
            found += [f"{place}:{line}: {word}" for word in naming([text], words)]
    assert found == []


def test_generic_pages_of_the_site_name_no_game_no_role_and_no_number_of_one_game():
    words, found = game_words() - {"navigation"}, []  # a word of browsers
    for file in sorted((ROOT / "web" / "src").rglob("*.ts*")):
        place = file.relative_to(ROOT / "web" / "src").as_posix()
        if not place.startswith(WEB_GAMES):
            code = re.sub(r"//.*|/\*.*?\*/", "", file.read_text())
            strings = re.findall(r"\"([^\"\n]*)\"", code)
            allowed = {"tag"} if place in REPLAY_TAGS else set()
            found += [f"{place}: {word}" for word in naming(strings, words - allowed)]
    assert found == []


def test_places_that_may_name_a_game_exist_and_do():
    words = game_words()
    for place in NAMED_IN:
        strings = [text for _, text in strings_of((SOURCE / place).read_text())]
        assert naming(strings, words) or "asteroid" in str(strings), place


def test_a_planted_name_is_found():
    words = game_words()
    planted = 'x = row["net_profit_mean"] if game == "tag" else "seeker_rating"\n'
    strings = [text for _, text in strings_of(planted)]
    assert sorted(naming(strings, words)) == ["net_profit_mean", "seeker_rating", "tag"]
    assert naming(["SELECT tag FROM tags", "milestone:return:10", "returns"], words) == []
    assert strings_of('def f():\n    """tag"""\n    return g(help="a seeker")\n') == []
