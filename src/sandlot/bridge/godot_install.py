"""Fetches a Godot into the cache, without root: the official release, or Debian's package.

An install is made in a temporary folder beside its own and renamed when it is complete.
"""

import contextlib
import hashlib
import json
import os
import platform
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from ..errors import GodotMissing
from ..locking import single_instance
from .debian import DebianEngine
from .godot_engine import ADVICE, RECORD, Engine, ask_version, cache_folder, find, newest_fetched

VERSION = "4.6.3"  # of the official release
RELEASES = "https://github.com/godotengine/godot/releases/download"  # GODOT_RELEASES names another place
ARCHIVES = {
    ("Linux", "x86_64"): "linux.x86_64",
    ("Linux", "aarch64"): "linux.arm64",
    ("Windows", "AMD64"): "win64.exe",
    ("Darwin", "x86_64"): "macos.universal",
    ("Darwin", "arm64"): "macos.universal",
}
ANSWER_S = 10  # for a server to answer
PIECE = 1 << 18
LARGEST_ARCHIVE = 1 << 30

Progress = Callable[[str, int, int], None]  # what is being done, how much of it is done, how much there is


class Unavailable(Exception):
    """An engine cannot be had from this source; the message says why."""


def silent(_what: str, _done: int, _total: int) -> None:
    """Progress that is not shown."""


def install(source: str = "auto", force: bool = False, progress: Progress = silent) -> Engine:
    """The engine that is there, or else a fetched one. `source`: auto, official or debian."""
    found = None if force else find()
    if found:
        return found
    cache_folder().mkdir(parents=True, exist_ok=True)
    with single_instance(cache_folder() / ".lock"):
        _sweep()
        # another process may have installed it while we waited
        found = None if force else newest_fetched()
        return found or _fetch(source, progress)


def _fetch(source: str, progress: Progress) -> Engine:
    ways = {"official": fetch_official, "debian": fetch_debian}
    reasons = []
    for name in ways if source == "auto" else [source]:
        try:
            return ways[name](progress)
        except Unavailable as problem:
            reasons.append(f"{name}: {problem}")
    raise GodotMissing(f"No Godot could be fetched ({'; '.join(reasons)}). {ADVICE}")


def fetch_official(progress: Progress = silent) -> Engine:
    """The release of the makers, checked against the sums that they publish beside it."""
    kind = ARCHIVES.get((platform.system(), platform.machine()))
    if kind is None:
        raise Unavailable(f"there is no release for {platform.system()} on {platform.machine()}")
    base = f"{os.environ.get('GODOT_RELEASES', RELEASES).rstrip('/')}/{VERSION}-stable"
    name = f"Godot_v{VERSION}-stable_{kind}.zip"
    wanted = _published_sum(_text(f"{base}/SHA512-SUMS.txt"), name)
    with _new_folder(f"{VERSION}-official") as folder:
        archive = folder / name
        found = _download(f"{base}/{name}", archive, progress)
        if found != wanted:
            raise Unavailable(f"{name} has the wrong checksum ({found[:12]}…, published is {wanted[:12]}…)")
        launcher = _unpack(archive, folder)
        archive.unlink()
        return _finish(folder, launcher, "official")


def fetch_debian(progress: Progress = silent) -> Engine:
    """Debian's package with its libraries, unpacked into one folder and run with its own loader."""
    with _new_folder(f"debian-{platform.machine()}") as folder:
        try:
            launcher = DebianEngine(folder, progress).fetch()
        except (OSError, ValueError, subprocess.SubprocessError) as problem:
            raise Unavailable(str(problem)) from problem
        return _finish(folder, launcher, "debian")


def _finish(folder: Path, launcher: Path, source: str) -> Engine:
    """Try the engine, write down what it is, and give the folder its name."""
    try:
        version = ask_version(launcher)
    except (OSError, ValueError) as problem:
        raise Unavailable(f"the fetched engine does not run here: {problem}") from problem
    relative = launcher.relative_to(folder)
    record = {"version": version, "source": source, "launcher": str(relative)}
    (folder / RECORD).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    place = cache_folder() / f"{version}-{source}"
    if place.exists():
        shutil.rmtree(place)
    folder.rename(place)
    return Engine(place / relative, version, "cache")


@contextlib.contextmanager
def _new_folder(name: str) -> Iterator[Path]:
    """A folder beside the installs, gone at the end unless it was renamed."""
    folder = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=cache_folder()))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sweep() -> None:
    """Remove what killed installs left; we hold the lock, so nobody is at work there."""
    if os.name == "nt":
        return  # there is no lock
    for left in cache_folder().glob(".*-*"):
        shutil.rmtree(left, ignore_errors=True)


def _text(url: str) -> str:
    try:
        with urllib.request.urlopen(url, timeout=ANSWER_S) as answer:
            return answer.read(1 << 20).decode()
    except (OSError, ValueError) as problem:
        raise Unavailable(f"{url} cannot be reached ({_reason(problem)})") from problem


def _reason(problem: Exception) -> str:
    inner = problem.reason if isinstance(problem, urllib.error.URLError) else problem
    return str(inner) or type(inner).__name__


def _published_sum(sums: str, name: str) -> str:
    for line in sums.splitlines():
        digest, _, file = line.partition("  ")
        if file.strip().lstrip("*") == name:
            return digest.strip().lower()
    raise Unavailable(f"the published sums do not name {name}")


def _download(url: str, place: Path, progress: Progress) -> str:
    """Write a file and return its SHA-512."""
    digest, got = hashlib.sha512(), 0
    try:
        with urllib.request.urlopen(url, timeout=ANSWER_S) as answer, place.open("wb") as file:
            total = int(answer.headers.get("Content-Length") or 0)
            while piece := answer.read(PIECE):
                got += len(piece)
                if got > LARGEST_ARCHIVE:
                    raise Unavailable(f"{url} does not end")
                digest.update(piece)
                file.write(piece)
                progress("downloading", got, total)
    except OSError as problem:
        raise Unavailable(f"{url} broke off after {got} bytes ({_reason(problem)})") from problem
    return digest.hexdigest()


def _unpack(archive: Path, folder: Path) -> Path:
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)  # zipfile itself drops ".." and absolute names
    programs = [*folder.glob("Godot*.x86_64"), *folder.glob("Godot*.arm64"), *folder.glob("Godot*.exe")]
    programs += folder.glob("Godot*.app/Contents/MacOS/Godot")
    if not programs:
        raise Unavailable(f"{archive.name} holds no engine")
    program = sorted(programs)[0]
    for file in program.parent.iterdir():
        file.chmod(0o755)
    return program
