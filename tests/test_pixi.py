"""pixi.toml is well-formed: what pixi would refuse or what would not run is found here, without pixi."""

import shlex
import sys
from pathlib import Path

import pytest

from sandlot.cli.main import COMMANDS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pytest brings it on older Pythons

ROOT = Path(__file__).parent.parent
PIXI = tomllib.loads((ROOT / "pixi.toml").read_text())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
TABLES = {"workspace", "dependencies", "target", "pypi-dependencies", "feature", "environments", "tasks"}
TASK_KEYS = {"cmd", "depends-on", "description", "cwd", "env", "inputs", "outputs", "args"}
TASKS = PIXI["tasks"] | PIXI["feature"]["train"]["tasks"]
PROGRAMS = {"sandlot", "pytest", "ruff", "mypy", "python", "cmake", "node"}


def test_it_names_the_four_platforms_and_a_channel():
    assert set(PIXI["workspace"]["platforms"]) == {"osx-64", "osx-arm64", "linux-64", "win-64"}
    assert PIXI["workspace"]["channels"] == ["conda-forge"]
    assert PIXI["workspace"]["name"] == PROJECT["name"]


def test_it_has_no_table_that_pixi_does_not_know():
    assert set(PIXI) <= TABLES


def test_environments_are_made_of_features_that_exist():
    assert set(PIXI["environments"]) >= {"default", "train"}
    for environment in PIXI["environments"].values():
        assert set(environment.get("features", [])) <= set(PIXI["feature"])


def test_the_default_environment_has_no_torch():
    extras = PIXI["pypi-dependencies"]["sandlot"]["extras"]
    wanted = [package for extra in extras for package in PROJECT["optional-dependencies"][extra]]
    assert not [package for package in wanted if package.startswith(("torch", "stable-baselines3"))]


def test_every_extra_it_asks_for_exists():
    for part in (PIXI, PIXI["feature"]["train"]):
        assert set(part["pypi-dependencies"]["sandlot"]["extras"]) <= set(PROJECT["optional-dependencies"])


def test_its_python_is_one_that_the_package_supports():
    oldest = tuple(int(part) for part in PROJECT["requires-python"].removeprefix(">=").split("."))
    assert tuple(int(part) for part in PIXI["dependencies"]["python"].split(".")[:2]) >= oldest


@pytest.mark.parametrize("name", TASKS)
def test_a_task_runs_something_that_exists(name):
    task = TASKS[name]
    assert set(task) <= TASK_KEYS
    assert task.get("description"), f"{name} needs a description: `pixi task list` shows it"
    for other in task.get("depends-on", []):
        assert other in TASKS
    if "cmd" in task:
        program, *words = shlex.split(task["cmd"])
        assert program in PROGRAMS
        assert program != "sandlot" or words[0] in COMMANDS
        for word in words:
            if word.split("/")[0] in ("src", "tests", "benchmarks", "examples", "docs", "scripts", "engine"):
                assert (ROOT / word).exists(), f"{name} names {word}, which is not there"
