"""Debian's engine without a network: apt-get and dpkg-deb are two small programs of the test."""

import os
import stat
import subprocess
import sys

import pytest
from leaks import nothing_left_open

from sandlot.bridge import debian

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="apt")

# Writes down how it was called; `install` prints or fetches one package of 1,000 bytes and one of 24.
APT_GET = """#!/bin/sh
echo "$@" >> "$APT_CALLS"
archives=$(echo "$@" | tr ' ' '\\n' | sed -n 's/^Dir::Cache::archives=//p')
case "$*" in
  *indextargets*) echo "http://mirror/debian|trixie|stable" ;;
  *--print-uris*)
    test -n "$APT_EMPTY" || printf "'http://a' a_1.deb 1000 SHA:0\\n'http://b' b_1.deb 24 SHA:0\\nnoise\\n" ;;
  *--download-only*)
    head -c 1000 /dev/zero > "$archives/a_1.deb"; head -c 24 /dev/zero > "$archives/b_1.deb"; sleep 0.7 ;;
esac
test -z "$APT_FAILS" || { echo "E: no luck" >&2; exit 100; }
"""
DPKG_DEB = """#!/bin/sh
mkdir -p "$3/usr/bin" && echo "$(basename "$2")" >> "$3/usr/bin/unpacked"
"""


@pytest.fixture
def system(tmp_path, monkeypatch):
    """A Debian of the test's own making; gives the folder of an install and the calls of apt-get."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("apt-get", APT_GET), ("dpkg-deb", DPKG_DEB)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    calls = tmp_path / "calls"
    calls.touch()
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("APT_CALLS", str(calls))
    monkeypatch.setattr(debian.platform, "machine", lambda: "x86_64")
    release = {"ID": "debian", "VERSION_CODENAME": "trixie"}
    monkeypatch.setattr(debian.platform, "freedesktop_os_release", lambda: release)
    folder = tmp_path / "install"
    folder.mkdir()
    return folder, calls


def test_an_install_is_downloaded_unpacked_and_made_to_run(system):
    folder, _ = system
    progress = []
    with nothing_left_open():
        launcher = debian.DebianEngine(folder, lambda *row: progress.append(row)).fetch()
    assert launcher == folder / "godot" and os.access(launcher, os.X_OK)
    assert stat.S_IMODE(launcher.stat().st_mode) & 0o111 == 0o111
    text = launcher.read_text()
    assert text.startswith("#!/bin/sh\n") and "usr/lib64/ld-linux-x86-64.so.2" in text
    assert "usr/lib/x86_64-linux-gnu" in text and '"$@"' in text
    assert (folder / "root/usr/bin/unpacked").read_text().split() == ["a_1.deb", "b_1.deb"]
    assert not (folder / "apt").exists(), "the packages are not kept"
    whats = [what for what, _, _ in progress]
    assert whats[0] == "reading Debian's list of packages"
    assert progress[-2:] == [("unpacking", 1, 2), ("unpacking", 2, 2)]
    assert ("downloading", 1024, 1024) in progress


def test_apt_works_in_a_folder_of_its_own_and_checks_signatures(system):
    folder, calls = system
    debian.DebianEngine(folder, lambda *_: None).fetch()
    lines = calls.read_text().splitlines()
    kinds = [line.split()[0] for line in lines]
    assert kinds == ["indextargets", "update", "install", "install"]
    for line in lines[1:]:
        assert f"Dir::State={folder}/apt" in line and f"Dir::Cache={folder}/apt" in line
        assert "Dir::Etc::sourceparts=-" in line and "APT::Install-Recommends=false" in line
        assert "Acquire::Retries=3" in line and "AllowUnauthenticated" not in line


def test_apt_is_given_the_systems_mirror_and_an_empty_state(system, monkeypatch):
    folder, _ = system
    monkeypatch.setattr(debian, "KEYRINGS", ("/no/such/key", __file__))
    engine = debian.DebianEngine(folder, lambda *_: None)
    engine._prepare(debian.own_source())
    source = (folder / "apt/sources.list").read_text()
    assert source == f"deb [signed-by={__file__}] http://mirror/debian forky main\n"
    assert (folder / "apt/status").read_text() == ""
    assert (folder / "apt/lists/partial").is_dir() and (folder / "apt/archives/partial").is_dir()


def test_a_mirror_without_the_package_is_refused_before_anything_is_downloaded(system, monkeypatch):
    folder, calls = system
    monkeypatch.setenv("APT_EMPTY", "1")
    with pytest.raises(ValueError, match="names no files for godot"):
        debian.DebianEngine(folder, lambda *_: None).fetch()
    assert "--download-only" not in calls.read_text() and not (folder / "root").exists()


def test_a_failing_apt_ends_the_install_with_its_last_line(system, monkeypatch):
    monkeypatch.setenv("APT_FAILS", "1")
    with nothing_left_open(), pytest.raises(OSError, match="apt-get indextargets failed: E: no luck"):
        debian.DebianEngine(system[0], lambda *_: None).fetch()


def test_a_package_that_cannot_be_unpacked_ends_the_install(system):
    folder, _ = system
    (folder.parent / "bin/dpkg-deb").write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(subprocess.CalledProcessError):
        debian.DebianEngine(folder, lambda *_: None).fetch()


@pytest.mark.parametrize(
    ("machine", "loader"),
    [("x86_64", "usr/lib64/ld-linux-x86-64.so.2"), ("aarch64", "usr/lib/ld-linux-aarch64.so.1")],
)
def test_each_known_processor_has_its_loader(monkeypatch, machine, loader):
    monkeypatch.setattr(debian.platform, "machine", lambda: machine)
    assert debian.machine().loader == loader


def test_another_processor_is_refused(monkeypatch):
    monkeypatch.setattr(debian.platform, "machine", lambda: "riscv64")
    with pytest.raises(ValueError, match="riscv64"):
        debian.machine()


@pytest.mark.parametrize("missing", ["apt-get", "dpkg-deb"])
def test_a_debian_without_its_tools_is_refused(system, monkeypatch, missing):
    which = debian.shutil.which
    monkeypatch.setattr(debian.shutil, "which", lambda name: None if name == missing else which(name))
    with pytest.raises(ValueError, match="no Debian with apt-get and dpkg-deb"):
        debian.own_source()


def test_a_debian_whose_sources_name_no_mirror_of_its_own_is_refused(system, monkeypatch):
    release = {"ID": "debian", "VERSION_CODENAME": "bookworm"}
    monkeypatch.setattr(debian.platform, "freedesktop_os_release", lambda: release)
    with pytest.raises(ValueError, match="no mirror"):
        debian.own_source()


def test_a_program_runs_in_plain_english_and_reads_nothing(tmp_path):
    command = ["sh", "-c", 'echo "$LC_ALL $DEBIAN_FRONTEND"; cat']
    assert debian._run(command, 30) == "C noninteractive\n"


def test_a_program_is_looked_at_while_it_runs():
    looks = []
    debian._run(["sleep", "0.7"], 30, lambda: looks.append(1))
    assert looks


def test_a_program_leads_a_session_of_its_own():
    shown = debian._run([sys.executable, "-c", "import os; print(os.getsid(0) == os.getpid())"], 30)
    assert shown.strip() == "True"


def test_a_program_that_takes_too_long_is_ended_and_named():
    with nothing_left_open(), pytest.raises(OSError, match=r"^sleep was not done after 0\.2 s$"):
        debian._run(["sleep", "60"], 0.2)
