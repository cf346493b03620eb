"""A pack as it comes: a folder or a zip. Names are checked before anything is read, sizes while it is read.

Refused: names that lead out of the pack, links, locked zips, more files or bytes than any pack of art has,
and files that are not what their names say. A zip's declared sizes are not trusted: bytes are counted as they
come out.
"""

import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from ...errors import AssetError, UnsafePath

MAX_FILES = 20_000  # Kenney's largest pack has some 4,000
MAX_FILE_BYTES = 8 << 20
MAX_ZIP_BYTES = 512 << 20
MAX_PATH_CHARACTERS = 400

# How a file of each kind begins. SVG is left out on purpose: it can hold a program, which would run as ours.
BEGINNINGS: dict[str, tuple[bytes, ...]] = {
    ".png": (b"\x89PNG\r\n\x1a\n",),
    ".jpg": (b"\xff\xd8\xff",),
    ".webp": (b"RIFF",),
    ".ogg": (b"OggS",),
    ".mp3": (b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2"),
    ".wav": (b"RIFF",),
}
RIFF_KINDS = {".webp": b"WEBP", ".wav": b"WAVE"}  # at byte 8
PICTURES = (".png", ".jpg", ".webp")
SOUNDS = (".ogg", ".mp3", ".wav")
TEXTS = (".txt", ".md", "")
UNREADABLE = (OSError, RuntimeError, zipfile.BadZipFile, zlib.error, EOFError)  # of a file in a pack


@dataclass(frozen=True)
class Source:
    """Names and bytes of a pack. Paths are relative, with forward slashes."""

    path: Path
    names: list[str]
    open: Callable[[str], IO[bytes]]  # a file by its name

    def read(self, name: str, most_bytes: int = MAX_FILE_BYTES) -> bytes:
        """A whole file, unless it is larger than `most_bytes` once unpacked."""
        try:
            with self.open(name) as file:
                data = file.read(most_bytes + 1)
        except UNREADABLE as problem:
            text = f"{name} in {self.path.name} cannot be read ({problem}). Get the pack anew."
            raise AssetError(text) from None
        if len(data) > most_bytes:
            text = f"{name} in {self.path.name} unpacks to more than {most_bytes:,} bytes."
            raise AssetError(f"{text} No picture or sound of the site is that large; make it smaller.")
        return data

    def read_media(self, name: str, suffixes: tuple[str, ...]) -> bytes:
        """A picture or sound, if it is one."""
        suffix = suffix_of(name)
        if suffix not in suffixes:
            raise AssetError(f"{name} is not a file that a page can use: expected {', '.join(suffixes)}.")
        data = self.read(name)
        if not _is(suffix, data):
            text = f"{name} in {self.path.name} ends in {suffix} but does not begin like such a file."
            raise AssetError(f"{text} Nothing was installed; get the pack anew.")
        return data


@contextmanager
def opened(path: Path) -> Iterator[Source]:
    """The folder or zip at `path`."""
    if not path.exists():
        raise AssetError(f"There is no folder or zip {path}.")
    if path.is_dir():
        yield Source(path, _folder_names(path), lambda name: (path / name).open("rb"))
        return
    if path.stat().st_size > MAX_ZIP_BYTES:
        limit = f"{MAX_ZIP_BYTES >> 20} MiB"
        raise AssetError(f"{path} has more than {limit}. Unpack it and give the folder.")
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError) as problem:
        raise AssetError(f"{path} is not a zip ({problem}). Give a folder or a .zip file.") from None
    with archive:
        entries = _zip_entries(archive, path)
        yield Source(path, list(entries), lambda name: archive.open(entries[name]))


def _folder_names(path: Path) -> list[str]:
    names: list[str] = []
    for found in path.rglob("*"):
        name = found.relative_to(path).as_posix()
        if found.is_symlink():
            raise UnsafePath(f"{name} in {path} is a link. Packs hold plain files; copy its target.")
        if found.is_file():
            names.append(_checked(name))
        _check_count(len(names), path)
    return names


def _zip_entries(archive: zipfile.ZipFile, path: Path) -> dict[str, zipfile.ZipInfo]:
    entries: dict[str, zipfile.ZipInfo] = {}
    _check_count(len(archive.infolist()), path)
    for entry in archive.infolist():
        name = _checked(entry.orig_filename)
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise UnsafePath(f"{name} in {path.name} is a link or a device. Packs hold plain files.")
        if entry.flag_bits & 0x1:
            raise AssetError(f"{path.name} is locked with a password. Unpack it and give the folder.")
        if name in entries:
            raise AssetError(f"{path.name} holds {name} twice. Get the pack anew.")
        if not entry.is_dir():
            entries[name] = entry
    return entries


def suffix_of(name: str) -> str:
    """The file name's ending in lower case."""
    suffix = PurePosixPath(name).suffix.lower()
    return ".jpg" if suffix == ".jpeg" else suffix


def _is(suffix: str, data: bytes) -> bool:
    begins = data.startswith(BEGINNINGS[suffix])
    return begins and (suffix not in RIFF_KINDS or data[8:12] == RIFF_KINDS[suffix])


def _check_count(count: int, path: Path) -> None:
    if count > MAX_FILES:
        raise AssetError(f"{path} holds more than {MAX_FILES:,} files. Give the folder of one pack.")


def _checked(name: str) -> str:
    """The name, if it stays inside the pack on every system."""
    parts = name.rstrip("/").split("/")
    bad = (
        len(name) > MAX_PATH_CHARACTERS
        or "\\" in name
        or ":" in parts[0]
        or any(part in ("", ".", "..") for part in parts)
        or not name.isprintable()
    )
    if bad:
        raise UnsafePath(f"The pack names a file {name[:80]!r}, which leads out of it. Do not use this pack.")
    return name
