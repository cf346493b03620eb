"""Finding the engine, fetching it whole or not at all, and running it so that nothing is left behind."""

import hashlib
import http.server
import io
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from functools import partial
from pathlib import Path

import pytest
from lacking import lacking

from sandlot.bridge import debian, godot_engine, godot_install, godot_project
from sandlot.bridge.godot_process import TIMED_OUT, GodotProcess, end, screen, start
from sandlot.bridge.godot_project import ensure_imported, project_folder, scene_path
from sandlot.errors import ConfigError, GodotFailed, GodotMissing

ARCHIVE = f"Godot_v{godot_install.VERSION}-stable_linux.x86_64"
linux = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64", reason="Linux on x86-64"
)


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine without Godot: nothing on the PATH, an empty cache."""
    monkeypatch.delenv("GODOT_BIN", raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(godot_engine, "ON_THE_PATH", ("godot4-of-a-test",))
    return tmp_path


def program(place: Path, body: str) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\n{body}\n")
    place.chmod(0o755)
    return place


# ---------------------------------------------------------------- finding


def test_nothing_found_is_one_sentence_that_says_what_to_type(bare):
    assert godot_engine.find() is None
    with pytest.raises(GodotMissing, match="sandlot godot install") as missing:
        godot_engine.require()
    assert missing.value.exit_code == 3


def test_godot_bin_wins_over_everything(bare, monkeypatch):
    place = program(bare / "mine", "echo 4.5.1.stable.official.abc")
    monkeypatch.setenv("GODOT_BIN", str(place))
    found = godot_engine.require()
    assert (found.path, found.number, found.source) == (place, (4, 5, 1), "GODOT_BIN")


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("echo 4.3.stable", "4.4 is the oldest"),
        ("echo 3.6.stable", "4.4 is the oldest"),
        ("echo hello", "prints no Godot version"),
        ("exit 7", "exit code 7"),
    ],
)
def test_a_godot_bin_of_no_use_is_refused_in_words(bare, monkeypatch, body, sentence):
    monkeypatch.setenv("GODOT_BIN", str(program(bare / "mine", body)))
    with pytest.raises(GodotMissing, match=sentence):
        godot_engine.require()


def test_a_godot_bin_that_is_not_there_is_refused(bare, monkeypatch):
    monkeypatch.setenv("GODOT_BIN", str(bare / "nothing"))
    with pytest.raises(GodotMissing, match="not an executable program"):
        godot_engine.require()


def test_a_frozen_engine_does_not_freeze_us(bare, monkeypatch):
    monkeypatch.setattr(godot_engine, "VERSION_S", 0.5)
    monkeypatch.setenv("GODOT_BIN", str(program(bare / "mine", "exec sleep 60")))
    with pytest.raises(GodotMissing, match="did not print its version"):
        godot_engine.require()


def test_an_old_engine_on_the_path_is_passed_over(bare, monkeypatch):
    program(bare / "bin" / "godot4-of-a-test", "echo 4.2.2.stable")
    monkeypatch.setenv("PATH", f"{bare / 'bin'}:/usr/bin:/bin")
    assert godot_engine.find() is None
    program(bare / "bin" / "godot4-of-a-test", "echo 4.4.stable")
    assert godot_engine.require().source == "PATH"


def test_the_newest_of_the_cache_is_used_and_half_an_install_never(bare):
    cache = godot_engine.cache_folder()
    for version in ("4.4.1.stable", "4.10.stable", "4.6.stable"):
        program(cache / version / "godot", f"echo {version}")
        (cache / version / godot_engine.RECORD).write_text('{"launcher": "godot"}')
    program(cache / "half" / "godot", "echo 4.99.stable")  # no record: it was never finished
    program(cache / "torn" / "godot", "echo 4.98.stable")
    (cache / "torn" / godot_engine.RECORD).write_text('{"launch')
    assert godot_engine.require().version == "4.10.stable"


def test_a_relative_cache_variable_is_ignored_as_the_standard_asks(bare, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    assert godot_engine.cache_folder().is_absolute()


# ---------------------------------------------------------------- fetching the official release


def archive(body: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as files:
        files.writestr(ARCHIVE, f"#!/bin/sh\n{body}\n")
    return packed.getvalue()


@pytest.fixture
def releases(bare, monkeypatch):
    """A server with one release; `releases(data, sums)` puts it there."""
    folder = bare / "served" / f"{godot_install.VERSION}-stable"
    folder.mkdir(parents=True)
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(bare / "served"))
    handler.log_message = lambda *_: None  # type: ignore[attr-defined]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("GODOT_RELEASES", f"http://127.0.0.1:{server.server_port}")

    def publish(data: bytes, published: bytes | None = None) -> None:
        digest = hashlib.sha512(data if published is None else published).hexdigest()
        (folder / f"{ARCHIVE}.zip").write_bytes(data)
        (folder / "SHA512-SUMS.txt").write_text(f"{digest}  {ARCHIVE}.zip\n")

    yield publish
    server.shutdown()
    server.server_close()


def left_in_cache() -> list[str]:
    return sorted(path.name for path in godot_engine.cache_folder().iterdir() if path.name != ".lock")


@linux
def test_the_official_release_is_fetched_checked_and_found_again(releases):
    releases(archive("echo 4.6.3.stable.official.test"))
    seen = []
    engine = godot_install.install("official", progress=lambda what, done, of: seen.append((what, done, of)))
    assert engine.version == "4.6.3.stable.official.test"
    assert engine == godot_engine.require()
    assert seen[-1][1] == seen[-1][2] > 0
    assert left_in_cache() == ["4.6.3.stable.official.test-official"]


@linux
def test_a_wrong_checksum_leaves_nothing_behind(releases):
    releases(archive("echo 4.6.3.stable"), published=b"something else")
    with pytest.raises(GodotMissing, match="wrong checksum"):
        godot_install.install("official")
    assert left_in_cache() == []


@linux
def test_an_engine_that_does_not_run_here_is_not_installed(releases):
    releases(archive("exit 1"))
    with pytest.raises(GodotMissing, match="does not run here"):
        godot_install.install("official")
    assert left_in_cache() == []


@linux
def test_a_server_that_is_not_there_is_said_at_once(bare, monkeypatch):
    monkeypatch.setenv("GODOT_RELEASES", "http://127.0.0.1:9")
    began = time.monotonic()
    with pytest.raises(GodotMissing, match="cannot be reached"):
        godot_install.install("official")
    assert time.monotonic() - began < 10


@linux
def test_what_a_killed_install_left_is_swept_away(releases):
    releases(archive("echo 4.6.3.stable.official"))
    left = godot_engine.cache_folder() / ".4.6.3-official-killed"
    left.mkdir(parents=True)
    godot_install.install("official")
    assert not left.exists()


# ---------------------------------------------------------------- Debian's package


def test_the_mirror_is_the_one_of_the_system(monkeypatch):
    monkeypatch.setattr(
        debian.platform, "freedesktop_os_release", lambda: {"ID": "debian", "VERSION_CODENAME": "bookworm"}
    )
    monkeypatch.setattr(debian.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(debian, "KEYRINGS", ())
    targets = "http://one/|nodistro|nodistro\nhttp://mirror/debian/|bookworm|bookworm\n"
    monkeypatch.setattr(debian, "_run", lambda command, limit: targets)
    assert debian.own_source().line("forky") == "deb http://mirror/debian/ forky main\n"


def test_other_systems_are_reported_that_this_way_is_closed(monkeypatch):
    monkeypatch.setattr(debian.platform, "freedesktop_os_release", lambda: {"ID": "fedora"})
    with pytest.raises(ValueError, match="no Debian"):
        debian.own_source()


def test_a_program_that_is_late_is_ended_with_its_children(tmp_path):
    mark = tmp_path / "pid"
    with pytest.raises(OSError, match="not done after"):
        debian._run(["sh", "-c", f"sleep 60 & echo $! > {mark}; wait"], 1.0)
    time.sleep(0.2)
    assert not alive(int(mark.read_text()))


# ---------------------------------------------------------------- processes


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").exists() and " Z " not in Path(f"/proc/{pid}/stat").read_text()


def test_a_process_that_ignores_a_polite_end_is_ended(tmp_path):
    process = start(
        ["sh", "-c", "trap '' TERM; while true; do sleep 0.1; done"], tmp_path / "log", os.environ
    )
    time.sleep(0.2)
    end(process)
    assert process.returncode == -signal.SIGKILL


@linux
def test_the_engine_is_gone_when_python_is_killed(tmp_path):
    script = (
        "import os, sys, time; from pathlib import Path; from sandlot.bridge.godot_process import start\n"
        f"p = start(['sleep', '60'], Path({str(tmp_path / 'log')!r}), os.environ); print(p.pid, flush=True)\n"
        "time.sleep(60)"
    )
    python = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    child = int(python.stdout.readline())
    python.kill()
    python.wait()
    stop = time.monotonic() + 5
    while alive(child) and time.monotonic() < stop:
        time.sleep(0.05)
    assert not alive(child)


@pytest.fixture
def real():
    found = godot_engine.find()
    if found is None:
        lacking("no Godot: sandlot godot install")
    return found


@pytest.fixture
def small_project(tmp_path):
    (tmp_path / "project.godot").write_text('config_version=5\n[application]\nconfig/name="small"\n')
    return tmp_path


def scene(project: Path, body: str) -> list[str]:
    (project / "play.gd").write_text(f"extends SceneTree\nfunc _initialize():\n\t{body}\n")
    return ["--script", "res://play.gd"]


def test_a_scene_that_freezes_is_ended_at_its_limit(real, small_project):
    words = scene(small_project, "print('begun')\n\twhile true: pass")
    with GodotProcess(words, project=small_project, engine=real) as process:
        ended = process.wait(4.0)
        assert ended.code == TIMED_OUT and "begun" in ended.output
        assert not alive(process.pid)
        log = process.log
    assert not log.exists()


def test_a_scene_that_crashes_says_what_it_said_last(real, small_project):
    words = scene(small_project, "print('about to fall'); OS.crash('fell')")
    with GodotProcess(words, project=small_project, engine=real) as process:
        process.wait(60)
        assert isinstance(process.failure("playing"), GodotFailed)
        sentence = str(process.failure("playing"))
        assert "killed by signal" in sentence and "fell" in sentence and process.code != 0


def test_a_project_is_imported_once_and_again_when_it_changes(real, small_project):
    scene(small_project, "quit()")
    ensure_imported(real, small_project)
    mark = small_project / ".godot" / "sandlot_imported"
    first = mark.stat().st_mtime_ns
    ensure_imported(real, small_project)
    assert mark.stat().st_mtime_ns == first
    later = time.time() + 5
    os.utime(small_project / "play.gd", (later, later))
    ensure_imported(real, small_project)
    assert mark.stat().st_mtime_ns > first


def test_a_screen_is_there_only_as_long_as_it_is_needed(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with screen() as variables:
        number = variables["DISPLAY"].removeprefix(":")
        assert Path(f"/tmp/.X11-unix/X{number}").exists()
    assert not Path(f"/tmp/.X11-unix/X{number}").exists()


def test_an_installed_package_gets_a_copy_where_the_engine_may_write(bare, monkeypatch):
    packaged = bare / "package" / "godot"
    packaged.mkdir(parents=True)
    (packaged / "project.godot").write_text("config_version=5\n")
    monkeypatch.setattr(godot_project, "CHECKOUT", bare / "nowhere")
    monkeypatch.setattr(godot_project, "PACKAGED", packaged)
    copy = project_folder()
    assert copy != packaged and (copy / "project.godot").is_file()
    assert project_folder() == copy
    assert [path.name for path in copy.parent.iterdir() if path.name.startswith(".project")] == []


def test_a_folder_without_a_project_and_a_scene_that_is_not_there_are_named(tmp_path):
    with pytest.raises(ConfigError, match=r"no project\.godot"):
        project_folder(tmp_path)
    with pytest.raises(ConfigError, match=r"games/tag/Main\.tscn"):
        scene_path(project_folder(), "tga")
