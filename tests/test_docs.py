"""The pages hold together: links lead somewhere, what a page names exists, and code on a page runs."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from sandlot.cli.main import COMMANDS, FAMILIES
from sandlot.compat.__main__ import COMMANDS as COMPAT_COMMANDS

ROOT = Path(__file__).parent.parent
FEATURES = ROOT / "docs" / "from_the_briefs.md"
COUNTS = {"T": 86, "P": 56, "V": 63, "G": 103}  # features named by each brief
MAKE_TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
TOP_FOLDERS = {path.name for path in ROOT.iterdir() if path.is_dir()} | {".ci"}

PAGES = sorted(
    page.relative_to(ROOT).as_posix()
    for page in [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("examples/*.md"),
        *ROOT.glob("benchmarks/*.md"),
        *ROOT.glob("engine/**/*.md"),
        *ROOT.glob("rl_training/*.md"),
        *ROOT.glob("scripts/ml/*.md"),
    ]
)


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def prose_of(page: str) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", text_of(page), flags=re.MULTILINE | re.DOTALL)


def anchor(heading: str) -> str:
    """A heading as a link to it is written."""
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose_of(page)):
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        name, _, part = target.partition("#")
        linked = (ROOT / page).parent / name if name else ROOT / page
        assert linked.exists(), f"{page} links to {target}"
        if part:
            headings = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert part in {anchor(heading) for heading in headings}, f"{page} links to {target}"


def test_every_page_can_be_found_from_the_index_or_the_readme():
    reached, new = set(), {"README.md", "docs/index.md"}
    while new:
        page = new.pop()
        reached.add(page)
        for target in re.findall(r"\]\(([^)#\s]+)", text_of(page)):
            path = ((ROOT / page).parent / target).resolve()
            for found in (path, path / "README.md"):
                if found.suffix == ".md" and found.exists() and ROOT in found.parents:
                    new |= {found.relative_to(ROOT).as_posix()} - reached
    lost = [page for page in PAGES if page.startswith("docs/") and page not in reached]
    assert lost == []


# ---------------------------------------------------------------- what pages name


MADE_BY_TRAINING = ("trainer/policy", "trainer/logs")  # not in git


def code_words(text: str) -> list[str]:
    return [code.replace("\\|", "|") for code in re.findall(r"`([^`\n]+)`", text)]


def missing_from(code: str) -> str | None:
    """The code, if it names something of ours that is not there."""
    words = code.split()
    if words[0] == "sandlot" and len(words) > 1 and re.fullmatch(r"[a-z]+", words[1]):
        return None if words[1] in (*COMMANDS, *FAMILIES) else code
    if words[:3] == ["python", "-m", "sandlot.compat"] and len(words) > 3 and words[3].isalpha():
        return None if words[3] in COMPAT_COMMANDS else code
    if words[0] == "make" and len(words) > 1 and re.fullmatch(r"[a-z]+", words[1]):
        return None if words[1] in MAKE_TARGETS else code
    for word in words:
        path = word.split("::")[0].rstrip("/,.")
        named_ours = "/" in path and path.split("/")[0] in TOP_FOLDERS - {"build", "runs", "data", "debug"}
        made_by_us = path.startswith(MADE_BY_TRAINING)
        a_pattern = not re.fullmatch(r"[\w./\-]+", path) or "NAME" in path or "GAME" in path
        if named_ours and not made_by_us and not a_pattern and not (ROOT / path).exists():
            return code
    return None


@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_path_that_a_page_names_exists(page):
    if page != "docs/from_the_briefs.md":  # its left column names things of the briefs
        assert [code for code in code_words(prose_of(page)) if missing_from(code)] == []


def test_a_command_or_path_that_does_not_exist_would_be_found():
    assert (
        missing_from("sandlot fly tag")
        and missing_from("make coffee")
        and missing_from("tests/no_such_test.py")
    )
    assert (
        not missing_from("sandlot games tag")
        and not missing_from("make test")
        and not missing_from("tests/test_docs.py")
    )


# ---------------------------------------------------------------- features of the briefs


def features() -> list[tuple[str, str, str]]:
    rows = [
        line.strip().strip("|").split("|")
        for line in FEATURES.read_text().splitlines()
        if re.match(r"\| [TPVG]-", line)
    ]
    return [(row[0].strip(), row[1].strip(), "|".join(row[2:]).strip()) for row in rows]


def test_every_feature_of_the_briefs_has_exactly_one_row():
    expected = [f"{brief}-{number:03d}" for brief, count in COUNTS.items() for number in range(1, count + 1)]
    assert [feature for feature, _, _ in features()] == expected
    assert all(feature for _, feature, _ in features())


@pytest.mark.parametrize(
    ("feature", "shown"), [(feature, shown) for feature, _, shown in features() if shown]
)
def test_what_shows_a_feature_exists(feature, shown):
    links = re.findall(r"\]\(([^)#\s]+)", shown)
    codes = code_words(shown)
    assert links or codes, f"{feature} says nothing that can be run or read"
    assert all((FEATURES.parent / link).exists() for link in links)
    assert [code for code in codes if missing_from(code)] == []
    for path, test in re.findall(r"`(?:pytest )?(tests/[\w/]+\.py)::(\w+)", shown):
        assert f"def {test}" in (ROOT / path).read_text(), f"{feature} names {test}"


# ---------------------------------------------------------------- code on pages runs


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text_of(page), re.MULTILINE | re.DOTALL)


PYTHON_BLOCKS = [
    (page, i) for page in ("README.md", "docs/start.md") for i in range(len(blocks(page, "python")))
]


@pytest.mark.parametrize(("page", "number"), PYTHON_BLOCKS)
def test_python_on_a_page_runs_as_it_stands(page, number, tmp_path):
    code = blocks(page, "python")[number]
    if "import sandlot" not in code:
        code = f"import sandlot\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr


def shell_lines() -> list[tuple[str, str]]:
    pages = ("README.md", "docs/start.md", "CONTRIBUTING.md", "docs/engine.md")
    return [
        (page, line) for page in pages for block in blocks(page, "sh") for line in block.splitlines() if line
    ]


@pytest.mark.parametrize(("page", "line"), shell_lines())
def test_shell_on_a_page_names_what_exists(page, line):
    for part in line.split("#")[0].split("&&"):
        words = shlex.split(part)
        assert words and missing_from(" ".join(words)) is None, f"{page}: {line}"


# ---------------------------------------------------------------- manners


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_no_place_of_somebodys_machine(page):
    assert not re.search(r"(?<![\w.])/(home|root|work|tmp|Users)/", text_of(page))
