"""Debian's Godot, taken from its packages without root and run on an older Debian.

apt works on a private state folder: the system's own packages stay as they are, signatures are checked as
always. The mirror and its key are those that the system's own sources name.
"""

import os
import platform
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from string import Template

SUITE = "forky"  # the oldest Debian that carries a Godot 4.6
# what draws where there is no graphics card
MESA = ("libgl1", "libgl1-mesa-dri", "libegl1", "libglx-mesa0", "libvulkan1", "mesa-vulkan-drivers")
PACKAGES = ("godot", *MESA)
TEMPLATE = "godot-template-release"
# Debian's own keys, where its keyring package puts them; apt's common keys where there is none
KEYRINGS = [f"/usr/share/keyrings/debian-archive-keyring.{suffix}" for suffix in ("pgp", "gpg")]
UPDATE_S = 180
LISTING_S = 60
DOWNLOAD_S = 1200
UNPACK_S = 120  # one package


@dataclass(frozen=True)
class Machine:
    """How Debian names a processor, and where its loader lies inside the unpacked packages."""

    architecture: str
    triplet: str
    loader: str


MACHINES = {
    "x86_64": Machine("amd64", "x86_64-linux-gnu", "usr/lib64/ld-linux-x86-64.so.2"),
    "aarch64": Machine("arm64", "aarch64-linux-gnu", "usr/lib/ld-linux-aarch64.so.1"),
}

# Variables that are set already win: a machine with a graphics card can override them.
LAUNCHER = Template("""#!/bin/sh
# Godot from Debian's packages, run with its own loader and libraries; drawing is done by Mesa in software.
root=$$(dirname "$$(readlink -f "$$0")")/root
libraries=$$root/usr/lib/$triplet
export LIBGL_ALWAYS_SOFTWARE="$${LIBGL_ALWAYS_SOFTWARE-1}"
export LIBGL_DRIVERS_PATH="$${LIBGL_DRIVERS_PATH-$$libraries/dri}"
export GBM_BACKENDS_PATH="$${GBM_BACKENDS_PATH-$$libraries/gbm}"
export __EGL_VENDOR_LIBRARY_DIRS="$${__EGL_VENDOR_LIBRARY_DIRS-$$root/usr/share/glvnd/egl_vendor.d}"
export VK_ICD_FILENAMES="$${VK_ICD_FILENAMES-$$(echo "$$root"/usr/share/vulkan/icd.d/lvp_icd*.json)}"
export XKB_CONFIG_ROOT="$${XKB_CONFIG_ROOT-$$root/usr/share/X11/xkb}"
export XLOCALEDIR="$${XLOCALEDIR-$$root/usr/share/X11/locale}"
exec "$$root/$loader" --library-path "$$libraries:$$libraries/pulseaudio" "$$root/usr/bin/godot" "$$@"
""")


class DebianEngine:
    """One install in the making."""

    def __init__(self, folder: Path, progress: Callable[[str, int, int], None]):
        self.folder, self.progress = folder, progress
        self.apt = folder / "apt"

    def fetch_template(self) -> Path:
        """Download and unpack the export template alone; what it needs is what the engine needs."""
        self._prepare(own_source())
        self.progress("reading Debian's list of packages", 0, 0)
        self._apt_get(UPDATE_S, "update", "-qq")
        self._apt_get(DOWNLOAD_S, "download", TEMPLATE, folder=self.apt / "archives")
        self._unpack()
        shutil.rmtree(self.apt)
        return self.folder / "root/usr/bin" / TEMPLATE

    def fetch(self) -> Path:
        """Download, unpack, and write the launcher; returns its path."""
        here = machine()
        self._prepare(own_source())
        self.progress("reading Debian's list of packages", 0, 0)
        self._apt_get(UPDATE_S, "update", "-qq")
        self._download()
        self._unpack()
        shutil.rmtree(self.apt)
        return self._write_launcher(here)

    def _prepare(self, source: "Source") -> None:
        for place in ("lists/partial", "archives/partial"):
            (self.apt / place).mkdir(parents=True)
        (self.apt / "status").touch()  # nothing is installed yet: the whole closure is fetched
        (self.apt / "sources.list").write_text(source.line(SUITE), encoding="utf-8")

    def _download(self) -> None:
        wanted = self._apt_get(LISTING_S, "install", "-qq", "--print-uris", *PACKAGES)
        total = sum(int(line.rsplit(" ", 2)[1]) for line in wanted.splitlines() if line.startswith("'"))
        if not total:
            raise ValueError(f"Debian {SUITE} names no files for {PACKAGES[0]}")

        def look() -> None:
            got = sum(file.stat().st_size for file in self.apt.glob("archives/**/*.deb") if file.is_file())
            self.progress("downloading", min(got, total), total)

        self._apt_get(DOWNLOAD_S, "install", "-qq", "--yes", "--download-only", *PACKAGES, meanwhile=look)

    def _unpack(self) -> None:
        root = self.folder / "root"
        root.mkdir()
        packages = sorted(self.apt.glob("archives/*.deb"))
        for number, package in enumerate(packages, 1):
            unpacking = ["dpkg-deb", "-x", str(package), str(root)]
            subprocess.run(unpacking, check=True, timeout=UNPACK_S, capture_output=True)
            self.progress("unpacking", number, len(packages))

    def _write_launcher(self, here: Machine) -> Path:
        launcher = self.folder / "godot"
        text = LAUNCHER.substitute(triplet=here.triplet, loader=here.loader)
        launcher.write_text(text, encoding="utf-8")
        launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        return launcher

    def _apt_get(
        self,
        limit_s: float,
        *arguments: str,
        meanwhile: Callable[[], None] = lambda: None,
        folder: Path | None = None,
    ) -> str:
        """folder: where apt-get runs, which is where `download` writes."""
        settings = {
            "Dir::Etc::sourcelist": self.apt / "sources.list",
            "Dir::Etc::sourceparts": "-",
            "Dir::Etc::preferences": "-",
            "Dir::Etc::preferencesparts": "-",
            "Dir::State": self.apt,
            "Dir::State::status": self.apt / "status",
            "Dir::State::lists": self.apt / "lists",
            "Dir::Cache": self.apt,
            "Dir::Cache::archives": self.apt / "archives",
            # a mirror that is some days behind says that its list has expired; signatures are still checked
            "Acquire::Check-Valid-Until": "false",
            "Acquire::Languages": "none",
            "Acquire::Retries": 3,
            "APT::Install-Recommends": "false",
            "APT::Sandbox::User": "root",  # the cache belongs to the user, not to apt's own
            "Debug::NoLocking": "true",  # the folder is ours alone
        }
        options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
        return _run(["apt-get", *arguments, *options], limit_s, meanwhile, folder)


@dataclass(frozen=True)
class Source:
    """Where this system gets its own packages, and the keys that they are signed with."""

    uri: str
    signed_by: str  # "" where apt's common keys hold

    def line(self, suite: str) -> str:
        """The line of a sources.list for a suite."""
        key = f"[signed-by={self.signed_by}] " if self.signed_by else ""
        return f"deb {key}{self.uri} {suite} main\n"


def own_source() -> Source:
    """The Debian mirror of this system, as apt itself lists it."""
    release = platform.freedesktop_os_release() if Path("/etc/os-release").exists() else {}
    if release.get("ID") != "debian" or not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise ValueError("this is no Debian with apt-get and dpkg-deb")
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI)|$(RELEASE)|$(CODENAME)"]
    targets = _run([*command, "Created-By: Packages", "Component: main"], LISTING_S)
    for line in targets.splitlines():
        uri, *suites = line.split("|")
        if release.get("VERSION_CODENAME", "unnamed") in suites:
            return Source(uri, next((key for key in KEYRINGS if Path(key).is_file()), ""))
    raise ValueError("apt's sources name no mirror for this Debian")


def machine() -> Machine:
    """How Debian names this processor; ValueError where its Godot does not run."""
    known = MACHINES.get(platform.machine())
    if known is None:
        raise ValueError(f"Debian's Godot is not known to run on {platform.machine()}")
    return known


def _run(
    command: list[str],
    limit_s: float,
    meanwhile: Callable[[], None] = lambda: None,
    folder: Path | None = None,
) -> str:
    """The output of a program. Its last line is the error where it fails; one that is late is killed."""
    plain = {**os.environ, "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
    running = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=plain,
        cwd=folder,
        start_new_session=True,
    )
    try:
        output, errors = _wait(command[0], running, limit_s, meanwhile)
    except BaseException:
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
        raise
    if running.returncode != 0:
        last = (errors.strip().splitlines() or ["it printed nothing"])[-1]
        raise OSError(f"{command[0]} {command[1]} failed: {last}")
    return output


def _wait(
    program: str, running: subprocess.Popen[str], limit_s: float, meanwhile: Callable[[], None]
) -> tuple[str, str]:
    end = time.monotonic() + limit_s
    while True:
        try:
            return running.communicate(timeout=0.5)
        except subprocess.TimeoutExpired:
            meanwhile()
            if time.monotonic() > end:
                raise OSError(f"{program} was not done after {limit_s:g} s") from None
