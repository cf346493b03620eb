"""pixi.toml is well-formed: what pixi would refuse or what would not run is found here, without pixi."""

import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from sandlot.cli.main import COMMANDS, FAMILIES

ROOT = Path(__file__).parent.parent
PIXI = tomllib.loads((ROOT / "pixi.toml").read_text())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
TABLES = {"workspace", "dependencies", "target", "pypi-dependencies", "feature", "environments", "tasks"}
TASK_KEYS = {"cmd", "depends-on", "description", "cwd", "env", "inputs", "outputs", "args"}
TASKS = PIXI["tasks"] | PIXI["feature"]["train"]["tasks"] | PIXI["feature"]["weights"]["tasks"]
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


def packages_of(environment: str) -> dict[str, set[str]]:
    """What an environment is asked to have on Linux: conda's packages, PyPI's, and extras of sandlot."""
    parts = [PIXI, *(PIXI["feature"][name] for name in PIXI["environments"][environment].get("features", []))]
    parts += [part["target"]["linux-64"] for part in parts if "linux-64" in part.get("target", {})]
    found: dict[str, set[str]] = {"conda": set(), "pypi": set(), "extras": set()}
    for part in parts:
        found["conda"] |= set(part.get("dependencies", {}))
        found["pypi"] |= set(part.get("pypi-dependencies", {}))
        found["extras"] |= set(part.get("pypi-dependencies", {}).get("sandlot", {}).get("extras", []))
    return found


def test_pixi_install_alone_brings_what_both_environments_need():
    """It installs `default` and nothing else; one solve, so `train` is linked from the same packages."""
    assert packages_of("default") == packages_of("train")
    assert "pytorch" in packages_of("default")["conda"] and "ray" in packages_of("default")["pypi"]
    groups = {environment.get("solve-group") for environment in PIXI["environments"].values()}
    assert len(groups) == 1 and None not in groups


def test_the_lean_environment_has_no_torch():
    lean = packages_of("lean")
    wanted = [package for extra in lean["extras"] for package in PROJECT["optional-dependencies"][extra]]
    assert "pytorch" not in lean["conda"]
    assert not [package for package in wanted if package.startswith(("torch", "stable-baselines3", "ray"))]


def test_nothing_is_asked_of_pypi_that_it_lacks_for_intel_macs():
    """Newer torch and ray have no wheel for osx-64, and without a solution for one platform there is none."""
    everywhere = [PIXI["pypi-dependencies"], PIXI["feature"]["train"]["pypi-dependencies"]]
    assert not [name for part in everywhere for name in part if name in ("torch", "ray")]
    assert "rllib" not in PIXI["feature"]["train"]["pypi-dependencies"]["sandlot"]["extras"]
    assert "osx-64" not in PIXI["feature"]["train"]["target"]


def test_the_server_of_the_first_environment_needs_no_torch_and_the_other_loads_weights():
    assert PIXI["tasks"]["server"]["cmd"] == "python -m sandlot.bridge.random_server tag"
    blocked = "import sys, runpy; sys.modules['torch'] = None; sys.argv = ['server', '--help'];"
    code = f"{blocked} runpy.run_module('sandlot.bridge.random_server', run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "--port" in done.stdout, done.stderr
    assert PIXI["feature"]["weights"]["tasks"]["server"]["cmd"] == "python trainer/server.py"
    assert "weights" not in PIXI["environments"]["default"].get("features", [])
    assert "weights" in PIXI["environments"]["train"]["features"]


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
        assert program != "sandlot" or words[0] in (*COMMANDS, *FAMILIES)
        for word in words:
            if word.split("/")[0] in ("src", "tests", "benchmarks", "examples", "docs", "scripts", "engine"):
                assert (ROOT / word).exists(), f"{name} names {word}, which is not there"
