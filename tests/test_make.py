"""The way in: make's words, and what is said on a machine where something is missing."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from lacking import lacking

ROOT = Path(__file__).parent.parent
NEEDS = ROOT / ".ci" / "needs"
PAGES = ("README.md", "CONTRIBUTING.md", "docs/start.md", "docs/engine.md")
WORDS = {
    word
    for page in PAGES
    for word in re.findall(r"(?:^|`)make ([a-z]+)", (ROOT / page).read_text(), re.MULTILINE)
}


def test_the_pages_name_the_words_to_know():
    assert {"setup", "build", "demo", "test", "check", "bench", "docs"} <= WORDS


@pytest.mark.parametrize("word", sorted(WORDS))
def test_make_knows_a_word_that_a_page_names(word):
    done = subprocess.run(["make", "-n", word], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_make_help_explains_every_word():
    said = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, timeout=60).stdout
    assert all(re.search(rf"make {word} +\w", said) for word in WORDS)


def needs(path: Path, *what: str, **variables: str) -> subprocess.CompletedProcess:
    """`.ci/needs` on a machine whose programs are those in one folder."""
    for name in ("bash", "id"):
        (path / name).symlink_to(shutil.which(name) or "/bin/false")
    command = [str(path / "bash"), str(NEEDS), *what]
    return subprocess.run(
        command, env={"PATH": str(path), **variables}, capture_output=True, text=True, timeout=60
    )


def test_a_bare_machine_is_told_everything_it_lacks(tmp_path):
    done = needs(tmp_path, "python", "compiler", "node")
    assert done.returncode == 2
    for thing in ("Python 3.10", "C compiler", "node"):
        assert thing in done.stderr
    assert "package manager" in done.stderr


def test_a_compiler_of_another_name_is_asked_for_by_that_name(tmp_path):
    done = needs(tmp_path, "compiler", CC="my-own-cc")
    assert done.returncode == 2 and "looked for as my-own-cc" in done.stderr


def a_node(folder: Path, version: str) -> None:
    """A node that says it is of this version, and asks itself whether that is new enough."""
    real = shutil.which("node")
    if real is None:
        lacking("needs node")
    program = folder / "node"
    asked = f"Object.defineProperty(process.versions, 'node', {{ value: '{version}' }}); $2"
    program.write_text(
        f'#!{shutil.which("bash")}\n[ "$1" = -e ] && exec {real} -e "{asked}"\necho v{version}\n'
    )
    program.chmod(0o755)


@pytest.mark.parametrize("version", ["20.19.0", "22.3.1"])
def test_a_node_that_builds_the_site_is_enough(tmp_path, version):
    a_node(tmp_path, version)
    assert needs(tmp_path, "--ask", "node").returncode == 0


@pytest.mark.parametrize("version", ["18.20.4", "20.18.3"])
def test_a_node_too_old_for_the_site_is_named_with_its_version(tmp_path, version):
    a_node(tmp_path, version)
    done = needs(tmp_path, "node")
    assert done.returncode == 2
    assert "20.19 or newer" in done.stderr and f"v{version}" in done.stderr


def test_asking_says_and_installs_nothing(tmp_path):
    done = needs(tmp_path, "--ask", "compiler", "node")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


def test_a_complete_machine_is_told_nothing():
    done = subprocess.run(
        [str(NEEDS), "python", "compiler"], capture_output=True, text=True, timeout=60, env=os.environ
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_machine_checks_and_tests_before_a_change_lands():
    steps = (ROOT / ".ci" / "run").read_text()
    assert "make check" in steps and "make test" in steps
