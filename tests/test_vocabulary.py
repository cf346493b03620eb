"""Identifiers use the field's words (Gymnasium, SB3, CleanRL, Godot); every public name has a docstring."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = {
    "src/sandlot": ("*.py",),
    "web/src": ("*.ts", "*.tsx"),
    "godot": ("*.gd",),
    "engine": ("*.c", "*.h", "*.cu"),
}
NOT_OURS = ("serve/site/", "schema.d.ts")  # built, generated

# Not as a part of any identifier: the right-hand side is what to write instead.
BANNED_WORDS = {
    "told": "metrics, row, message, payload: what it is",
    "figures": "metrics",
    "wish wishes wished": "options, request",
    "seat seats seated": "agent_slots, rows",
    "dice": "generator",
    "deed deeds": "action",
    "manners": "headers",
    "reel reels": "frame_reader",
    "shelf": "cache",
    "patience": "timeouts",
    "conversation": "connection_handler",
    "bout bouts": "matchup",
    "examination": "evaluation",
    "contender": "bot_result",
    "surplus": "excess",
    "said": "label, message",
    "rival rivals": "opponent",
    "rooms house": "packages",
}
# Not as a whole identifier.
BANNED_NAMES = {
    "Cast": "ScriptedOpponents",
    "Door": "Listener",
    "alone": "single_instance",
    "last_words": "log_tail",
    "in_words": "format_duration, …",
    "config_of": "one meaning per name",
    "rounding": "autocast",
    "gradient_cap": "max_grad_norm",
    "kl_limit": "target_kl",
    "value_weight": "vf_coef",
    "entropy_weight": "ent_coef",
    "least_spread": "min_std",
    "explained": "explained_variance",
    "FrameShelf": "FrameCache",
    "Teacher": "demonstrations, imitation",
    "gae_trace": "gae_lambda",
}
# Catch-all words: fine for a local variable, not for a class, a function, a method or a field.
CATCH_ALL = {"found", "given", "made", "mine", "one", "ones", "ours", "theirs", "things", "wanted", "whom"}
WORDS = {word: instead for words, instead in BANNED_WORDS.items() for word in words.split()}
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
COMMENTS_AND_TEXT = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`", re.S
)
IN_TEMPLATE = re.compile(r"\$\{([^{}]*)\}")  # code within a text of TypeScript
GDSCRIPT_COMMENTS_AND_TEXT = re.compile(r"#[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'")


def files() -> list[Path]:
    globs = [(ROOT / folder, kind) for folder, kinds in SOURCES.items() for kind in kinds]
    found = [path for folder, kind in globs for path in folder.rglob(kind)]
    return sorted(path for path in found if not any(part in path.as_posix() for part in NOT_OURS))


def identifiers(path: Path) -> set[str]:
    """Names that the code defines or uses; comments and text left out."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return python_identifiers(ast.parse(text))
    if path.suffix == ".gd":
        return set(IDENTIFIER.findall(GDSCRIPT_COMMENTS_AND_TEXT.sub(" ", text)))
    return set(IDENTIFIER.findall(COMMENTS_AND_TEXT.sub(_code_within, text)))


def _code_within(text: re.Match[str]) -> str:
    """What a comment or a text leaves: the expressions of a template."""
    return " ".join(["", *IN_TEMPLATE.findall(text[0])]) if text[0].startswith("`") else " "


def python_identifiers(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        for attribute in ("id", "attr", "arg", "name", "asname"):
            value = getattr(node, attribute, None)
            if isinstance(value, str):
                names.add(value)
    return names


def banned(name: str) -> str | None:
    """What to write instead of a name, if it has a banned part."""
    if name in BANNED_NAMES:
        return BANNED_NAMES[name]
    return next((WORDS[part] for part in map(str.lower, PART.findall(name)) if part in WORDS), None)


def test_no_identifier_has_a_private_word():
    found = [
        f"{path.relative_to(ROOT)}: {name} (write: {banned(name)})"
        for path in files()
        for name in sorted(identifiers(path))
        if banned(name)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("name", "is_banned"),
    [("told", True), ("told_rows", True), ("toldRows", True), ("ToldRows", True), ("untold", False)],
)
def test_a_private_word_is_found_as_a_part_of_a_name(name, is_banned):
    assert (banned(name) is not None) == is_banned


def test_every_kind_of_file_is_read():
    suffixes = {path.suffix for path in files()}
    assert suffixes == {kind.removeprefix("*") for kinds in SOURCES.values() for kind in kinds}
    folders = {path.relative_to(ROOT).parts[:3] for path in files()}
    assert {
        ("godot", "addons", "sandlot"),
        ("godot", "addons", "godot_rl"),
        ("src", "sandlot", "gates"),
    } <= folders


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "x = f'{told}'\n"),
        ("a.py", "def f(told): ...\n"),
        ("a.ts", "const x = `of ${row.told} rows`\n"),
        ("a.gd", "var told := 1\n"),
        ("a.h", "int told;\n"),
    ],
)
def test_a_private_word_is_found_in_every_language(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    assert "told" in identifiers(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "# told\n'told'\n"),
        ("a.ts", "// told\n'told'; `told`\n"),
        ("a.gd", "# told\nvar a = 'told'\n"),
    ],
)
def test_a_word_in_a_comment_or_a_text_is_no_identifier(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    assert "told" not in identifiers(tmp_path / name)


# The name of a test is a sentence, in which something is told or said; a chart is a figure of matplotlib's.
WORDS_OF_SENTENCES = {"told", "said", "figures", "rooms", "house", "patience"}


def test_tests_use_the_same_nouns():
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for folder in ("tests", "benchmarks", "scripts", "examples")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for name in sorted(identifiers(path))
        for part in map(str.lower, PART.findall(name))
        if part in WORDS.keys() - WORDS_OF_SENTENCES
    ]
    assert found == []


def catch_alls(tree: ast.Module) -> list[str]:
    """Classes, functions, methods and fields that are called by a catch-all word."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.append(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.append(node.attr)
        if isinstance(node, ast.ClassDef):
            fields = [part.target for part in node.body if isinstance(part, ast.AnnAssign)]
            found += [field.id for field in fields if isinstance(field, ast.Name)]
    return [name for name in found if name.lower() in CATCH_ALL]


def test_no_class_function_or_field_has_a_catch_all_name():
    # `found` is a field of the API and of `sandlot doctor --json`: whether there is such a thing
    allowed = {"src/sandlot/serve/routes/league.py": ["found"]}
    for path in files():
        if path.suffix == ".py":
            place = path.relative_to(ROOT).as_posix()
            assert catch_alls(ast.parse(path.read_text())) == allowed.get(place, []), place


def test_a_catch_all_name_is_found_where_others_would_read_it():
    text = "class Found:\n    given: int\n    def made(self):\n        self.wanted = one = 1\n"
    assert sorted(catch_alls(ast.parse(text))) == ["Found", "given", "made", "wanted"]


def public_without_docstring(path: Path) -> list[str]:
    """Public classes and functions of a module, and public methods of its public classes."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    missing = []
    for node in filter(is_public, tree.body):
        if ast.get_docstring(node) is None:
            missing.append(node.name)
        for method in filter(is_public, node.body if isinstance(node, ast.ClassDef) else ()):
            if ast.get_docstring(method) is None and not inherits_docstring(path, node.name, method.name):
                missing.append(f"{node.name}.{method.name}")
    return missing


def is_public(node: ast.stmt) -> bool:
    return isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name[0] != "_"


def inherits_docstring(path: Path, class_name: str, method: str) -> bool:
    """Whether a base class describes what is overridden: ours by a docstring, others in their docs."""
    name = ".".join(("sandlot", *path.relative_to(ROOT / "src" / "sandlot").with_suffix("").parts))
    found = getattr(importlib.import_module(name.removesuffix(".__init__")), class_name)
    if inspect.getdoc(vars(found)[method]):
        return True  # a setter: its property has it
    bases = [base for base in found.__mro__[1:] if method in vars(base)]
    return any(not base.__module__.startswith("sandlot") or vars(base)[method].__doc__ for base in bases)


def test_every_public_function_and_class_has_a_docstring():
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in files()
        if path.suffix == ".py"
        for name in public_without_docstring(path)
    ]
    assert found == []
