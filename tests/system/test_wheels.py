"""`make wheels`: one wheel per platform; engines for other systems play the golden traces here."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from lacking import lacking

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests" / "engine")]

import builds  # noqa: E402
import traces  # noqa: E402
import wheels  # noqa: E402

from sandlot.worlds.library import FUNCTIONS  # noqa: E402

BUILDS = ROOT / "build" / "wheels"  # kept, so that a second run compiles only what changed
SITE = ROOT / "src" / "sandlot" / "serve" / "site"

# zig compiles its C library for each platform the first time: minutes on a busy machine
pytestmark = [pytest.mark.slow, pytest.mark.timeout(wheels.BUILD_TIMEOUT_S + 300)]

# The first bytes that say for which system and processor a library is.
ELF, MACH_O, PE = b"\x7fELF", b"\xcf\xfa\xed\xfe", b"MZ"
MACHINES = {
    "linux-x86_64": (ELF, 0x3E),
    "linux-aarch64": (ELF, 0xB7),
    "macos-x86_64": (MACH_O, 0x01000007),
    "macos-arm64": (MACH_O, 0x0100000C),
    "windows-x86_64": (PE, 0x8664),
}


@pytest.fixture(scope="module", params=wheels.PLATFORMS)
def platform(request) -> str:
    return request.param


_made: dict[str, Path] = {}


def wheel_of(name: str, factory: pytest.TempPathFactory) -> Path:
    if name not in _made:
        _made[name] = wheels.build_wheel(name, factory.mktemp("wheels"), BUILDS)
    return _made[name]


@pytest.fixture(scope="module")
def wheel(platform, tmp_path_factory) -> Path:
    return wheel_of(platform, tmp_path_factory)


def library_in(wheel: Path) -> bytes:
    archive = zipfile.ZipFile(wheel)
    (name,) = [name for name in archive.namelist() if name.startswith("sandlot/lib/")]
    return archive.read(name)


def machine_of(library: bytes) -> tuple[bytes, int]:
    if library.startswith(ELF):
        return ELF, struct.unpack_from("<H", library, 18)[0]
    if library.startswith(MACH_O):
        return MACH_O, struct.unpack_from("<I", library, 4)[0]
    assert library.startswith(PE)
    header = struct.unpack_from("<I", library, 0x3C)[0]
    assert library[header : header + 4] == b"PE\0\0"
    return PE, struct.unpack_from("<H", library, header + 4)[0]


def test_every_platform_has_a_machine_to_be_compared_with():
    assert set(MACHINES) == set(wheels.PLATFORMS)


def test_a_wheel_is_named_after_its_platform(platform, wheel):
    tag = f"py3-none-{wheels.PLATFORMS[platform].tag}"
    assert wheel.name.endswith(f"-{tag}.whl")
    archive = zipfile.ZipFile(wheel)
    (about,) = [name for name in archive.namelist() if name.endswith(".dist-info/WHEEL")]
    assert f"Tag: {tag}\n" in archive.read(about).decode()


def test_a_wheel_holds_one_engine_and_it_is_for_its_platform(platform, wheel):
    names = [name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("sandlot/lib/")]
    assert names == [f"sandlot/lib/{wheels.PLATFORMS[platform].library}"]
    assert machine_of(library_in(wheel)) == MACHINES[platform]


def test_an_engine_has_every_function_that_python_calls(wheel):
    library = library_in(wheel)
    assert [name for name in FUNCTIONS if name.encode() not in library] == []


def test_a_wheel_holds_the_site_the_presets_and_the_godot_project(wheel):
    assert (SITE / "index.html").exists(), "needs the site: make web"
    names = set(zipfile.ZipFile(wheel).namelist())
    site = {path.relative_to(ROOT / "src").as_posix() for path in SITE.rglob("*") if path.is_file()}
    presets = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("presets/*.toml")}
    assert presets and not (site | presets | {"sandlot/godot/project.godot"}) - names


@pytest.mark.parametrize("name", ["linux-x86_64", "linux-aarch64"])
def test_a_linux_engine_asks_for_no_newer_glibc_than_its_tag_says(name, tmp_path_factory):
    versions = re.findall(rb"GLIBC_2\.(\d+)", library_in(wheel_of(name, tmp_path_factory)))
    assert versions and max(map(int, versions)) <= 17


@pytest.mark.parametrize("name", ["macos-x86_64", "macos-arm64"])
def test_a_macos_engine_asks_for_no_newer_system_than_its_tag_says_and_is_signed(name, tmp_path_factory):
    library = library_in(wheel_of(name, tmp_path_factory))
    build_version, code_signature = 0x32, 0x1D  # load commands
    commands, place = {}, 32
    for _ in range(struct.unpack_from("<I", library, 16)[0]):
        kind, size = struct.unpack_from("<II", library, place)
        commands[kind] = library[place : place + size]
        place += size
    assert struct.unpack_from("<I", commands[build_version], 12)[0] >> 16 == 11
    assert name != "macos-arm64" or code_signature in commands  # arm64 loads nothing unsigned


def test_the_linux_wheel_installs_into_a_fresh_environment_and_knows_its_games(tmp_path, tmp_path_factory):
    wheel = wheel_of("linux-x86_64", tmp_path_factory)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True, timeout=120)
    pip = [tmp_path / "venv" / "bin" / "pip", "--disable-pip-version-check", "--quiet", "install"]
    subprocess.run([*pip, "--constraint", ROOT / "constraints.txt", wheel], check=True, timeout=300)
    done = subprocess.run(
        [tmp_path / "venv" / "bin" / "sandlot", "games"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "tag" in done.stdout and "prospector" in done.stdout


# ---------------------------------------------------------------- engines that run here, on other systems


def emulator(platform: str) -> list[str]:
    """The command in front of a program for that platform."""
    if platform == "windows-x86_64":
        places = ("wine64", "wine", "/usr/lib/wine/wine64")
        wine = next((path for place in places if (path := shutil.which(place))), None)
        return [wine] if wine else lacking("needs wine64: .ci/needs windows")
    qemu, libraries = shutil.which("qemu-aarch64"), Path("/usr/aarch64-linux-gnu")
    if not qemu or not libraries.is_dir():
        lacking("needs qemu-user and libc6-arm64-cross: .ci/needs arm")
    return [qemu, "-L", str(libraries)]


@pytest.fixture(scope="module", params=["windows-x86_64", "linux-aarch64"])
def foreign(request, tmp_path_factory):
    """engine_trace beside the very library of the wheel, and the command that runs it."""
    name = request.param
    before = emulator(name)
    wheel, folder = wheel_of(name, tmp_path_factory), tmp_path_factory.mktemp(name)
    library = folder / wheels.PLATFORMS[name].library
    library.write_bytes(library_in(wheel))
    windows = name.startswith("windows")
    link = BUILDS / name / "libsandlot.dll.a" if windows else library
    program = folder / ("trace.exe" if windows else "trace")
    zig = [
        *builds.ZIG,
        "-target",
        wheels.PLATFORMS[name].target,
        "-std=gnu11",
        "-O3",
        "-s",
        "-fno-sanitize=all",
    ]
    origin = [] if windows else ["-Wl,-rpath,$ORIGIN"]
    builds.run([*zig, str(builds.ENGINE / "tests" / "trace.c"), str(link), *origin, "-o", str(program)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WINEPREFIX", str(folder / "wine"))
        patch.setenv("WINEDEBUG", "-all")
        yield [*before, str(program)]
        if windows and (server := shutil.which("wineserver") or shutil.which("/usr/lib/wine/wineserver")):
            subprocess.run([server, "--kill", "--wait"], check=False, timeout=60)


@pytest.mark.parametrize("case", traces.CASES)
def test_an_engine_for_another_system_prints_the_golden_trace(case, foreign):
    spec = traces.json.loads(builds.run([*foreign, traces.CASES[case]["game"], "--describe"]).stdout)
    words = traces.case_arguments(traces.CASES[case], spec)
    traces.assert_same_trace(traces.trace(foreign, words), traces.golden(case), os.fspath(foreign[-1]))


def test_threads_of_another_system_change_nothing(foreign):
    few = traces.CASES["tag_eight"] | {"seeds": 24}
    spec = traces.json.loads(builds.run([*foreign, few["game"], "--describe"]).stdout)
    words = [*traces.case_arguments(few, spec), "--threads", "2", "--batch", "24"]
    traces.assert_same_trace(traces.trace(foreign, words), traces.golden("tag_eight")[:24], "two threads")
