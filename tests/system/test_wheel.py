"""A wheel carries the engine, fits every Python 3 of its platform, and works where there is no checkout."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent.parent
BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built as pip builds it, but with the tools that are here."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    done = subprocess.run(
        [*command, "--config-settings", f"build-dir={out}/build", "--wheel-dir", str(out), str(ROOT)],
        env=os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    (made,) = out.glob("*.whl")
    return made


@pytest.mark.slow
def test_a_wheel_fits_every_python_of_its_platform(wheel):
    _, _, python, abi, platform = wheel.stem.split("-")
    assert (python, abi) == ("py3", "none") and platform != "any"


@pytest.mark.slow
def test_a_wheel_holds_the_engine_and_the_licence_and_no_tests(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert [name for name in names if name.startswith("sandlot/lib/libsandlot.")]
    assert [name for name in names if name.endswith("LICENSE")]
    assert not [name for name in names if name.split("/")[0] in ("tests", "engine", "docs", "runs", "build")]


@pytest.mark.slow
def test_a_wheel_holds_every_module_and_table_of_the_package(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    tracked = ["git", "ls-files", "src/sandlot"]
    files = subprocess.run(tracked, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert files and [file for file in files if file.removeprefix("src/") not in names] == []


@pytest.mark.slow
def test_a_wheel_holds_the_godot_project_and_nothing_that_the_engine_made(wheel):
    names = [name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("sandlot/godot/")]
    tracked = subprocess.run(
        ["git", "ls-files", "godot"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert {f"sandlot/{file}" for file in tracked.stdout.split()} <= set(names)
    assert not [name for name in names if ".godot/" in name or name.endswith((".uid", ".import"))]


@pytest.mark.slow
def test_a_wheel_holds_the_site_where_it_was_built(wheel):
    site = ROOT / "src" / "sandlot" / "serve" / "site"
    if not (site / "index.html").exists():
        pytest.skip("needs the site: make web")
    names = set(zipfile.ZipFile(wheel).namelist())
    built = [path.relative_to(ROOT / "src").as_posix() for path in site.rglob("*") if path.is_file()]
    assert [name for name in built if name not in names] == []


@pytest.mark.slow
def test_an_unpacked_wheel_plays_without_the_checkout(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "packages")
    # without `site` an editable install of the checkout cannot step in; numpy comes from where it is
    places = [str(tmp_path / "packages"), str(Path(np.__file__).parent.parent)]
    code = (
        f"import sys; sys.path[:0] = {places}; import json, sandlot;"
        "world = sandlot.make('tag', worlds=3); world.reset(); world.step();"
        "print(json.dumps([sandlot.games(), sandlot.__file__, world.observations.shape]))"
    )
    command = [sys.executable, "-S", "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    games, place, shape = json.loads(done.stdout)
    assert "tag" in games and shape[0] == 6
    assert Path(place).is_relative_to(tmp_path)
