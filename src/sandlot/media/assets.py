"""The folder of installed art packs: pictures and sounds that the user adds, outside the repository.

    {data folder}/assets/
      manifest.json             which packs there are and which file a name means; its rename is the commit
      simple-space-1a2b3c4d/    one adopted pack: only files with a use, under our names, and its licences

A folder that the manifest does not name is left from a kill and removed by the next change. The later a
pack was adopted, the more it counts where two have a file for the same name.
"""

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints

from ..clock import Clock, iso, now
from ..errors import AssetError, RunLocked, UnknownName
from ..locking import FileLock
from ..runs.atomic import read_json, temporary, write_bytes, write_json
from ..runs.records import Record, parse
from .art import packs, table
from .art.source import PICTURES, SOUNDS, TEXTS, Source, opened, suffix_of
from .clips import files_digest

FOLDER_SETTING = "SANDLOT_ASSETS"  # environment: another asset folder
OWN_MANIFEST = "sandlot-art.json"  # in a pack: maps names to its files, instead of our patterns
LICENCE = re.compile(r"(^|/)(licen[cs]e|copying)[^/]*$", re.IGNORECASE)
PUBLIC_DOMAIN = re.compile(r"\bCC0\b|publicdomain/zero", re.IGNORECASE)
MAX_LICENCE_BYTES = 64 << 10
MAX_LICENCES = 32
MAX_PACK_BYTES = 64 << 20  # of one installed pack
WAIT_S = 20.0  # for another change to end
SHIPPED = Path(__file__).parent / "art" / "kenney"  # an asset folder, made by `sandlot assets install --to`

FileName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][A-Za-z0-9._-]{0,127}$")]


class Pack(BaseModel, frozen=True, extra="forbid"):
    """One adopted pack. Files are names in its folder."""

    name: FileName  # what the user calls it
    folder: FileName
    licence: str
    licence_files: list[FileName] = []
    graphics: dict[str, FileName] = {}
    sounds: dict[str, list[FileName]] = {}
    origins: dict[FileName, str] = {}  # our file → its path in the pack
    bytes: int = Field(ge=0)
    adopted_at: str

    def files(self) -> set[str]:
        """Names of all files of the pack."""
        variants = [name for names in self.sounds.values() for name in names]
        return {*self.graphics.values(), *variants, *self.licence_files}


class Manifest(Record):
    """manifest.json, the packs in the order of their adoption."""

    packs: list[Pack] = Field(default=[])

    def public(self) -> dict[str, Any]:
        """The manifest as the site reads it: each name's file as `pack folder/file`, and the credits."""
        graphics: dict[str, str] = {}
        sounds: dict[str, list[str]] = {}
        for pack in self.packs:
            graphics |= {key: f"{pack.folder}/{file}" for key, file in pack.graphics.items()}
            sounds |= {cue: [f"{pack.folder}/{file}" for file in files] for cue, files in pack.sounds.items()}
        credits = [
            {
                "name": pack.name,
                "licence": pack.licence,
                "licence_files": [f"{pack.folder}/{file}" for file in pack.licence_files],
            }
            for pack in self.packs
        ]
        return {
            "schema_version": self.schema_version,
            "graphics": graphics,
            "sounds": sounds,
            "packs": credits,
        }


def default_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """The user's asset folder: $SANDLOT_ASSETS, else in the system's folder for application data."""
    if environ.get(FOLDER_SETTING):
        return Path(environ[FOLDER_SETTING]).expanduser()
    if sys.platform == "win32":
        base = Path(environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "sandlot" / "assets"


# ---------------------------------------------------------------- reading


def read_manifest(asset_folder: Path) -> Manifest:
    """The installed packs; none if the folder does not exist."""
    path = asset_folder / "manifest.json"
    return parse(Manifest, read_json(path), str(path)) if path.exists() else Manifest()


def shown_packs(asset_folder: Path) -> Manifest:
    """What the site shows: Kenney's art that comes with Sandlot, and over it what the user adopted."""
    return Manifest(packs=[*read_manifest(SHIPPED).packs, *read_manifest(asset_folder).packs])


def find_file(asset_folder: Path, path: str) -> Path:
    """The file behind `pack folder/file name` of a page's manifest; anything else does not exist."""
    folder, _, name = path.partition("/")
    for place in (asset_folder, SHIPPED):
        for pack in read_manifest(place).packs:
            if pack.folder == folder and name in pack.files():
                return place / folder / name
    raise UnknownName("adopted file", path, [])


# ---------------------------------------------------------------- changing


def install(path: Path, asset_folder: Path, licence: str | None = None, clock: Clock = now) -> Pack:
    """Install the useful files of a folder or zip: all of them, or the asset folder stays as it was.

    licence: given by the user, for a pack without a licence file or with another licence than CC0.
    """
    with opened(path) as source:
        files, fields = _read_pack(source, licence)
    name = _pack_name(path)
    pack = Pack(
        name=name,
        folder=f"{name}-{files_digest(files)[:8]}",  # browsers may keep a file: its address never changes
        bytes=sum(map(len, files.values())),
        adopted_at=iso(clock()),
        **fields,
    )
    with _locked(asset_folder):
        others = [each for each in read_manifest(asset_folder).packs if each.name != name]
        _put(asset_folder / pack.folder, files)
        _commit(asset_folder, [*others, pack])
    return pack


def remove(name: str, asset_folder: Path) -> Pack:
    """Remove a pack."""
    with _locked(asset_folder) if asset_folder.exists() else nullcontext():
        installed = read_manifest(asset_folder).packs
        gone = next((pack for pack in installed if pack.name == name), None)
        if gone is None:
            raise UnknownName("adopted pack", name, [pack.name for pack in installed])
        _commit(asset_folder, [pack for pack in installed if pack.name != name])
    return gone


@contextmanager
def _locked(asset_folder: Path) -> Iterator[None]:
    """One change at a time: two would each write a manifest without the other's pack."""
    asset_folder.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + WAIT_S
    while True:
        try:
            lock = FileLock(asset_folder / ".lock")
            break
        except RunLocked:
            if time.monotonic() > deadline:
                text = f"Another program is changing {asset_folder}. Try again when it is done."
                raise AssetError(text) from None
            time.sleep(0.05)
    try:
        yield
    finally:
        lock.release()


def _commit(asset_folder: Path, kept: list[Pack]) -> None:
    write_json(asset_folder / "manifest.json", Manifest(packs=kept).to_json())
    folders = {pack.folder for pack in kept}
    for found in asset_folder.iterdir():
        if found.is_dir() and found.name not in folders:
            # a page may have a file of it open; removed by the next change
            shutil.rmtree(found, ignore_errors=True)


def _put(folder: Path, files: Mapping[str, bytes]) -> None:
    """The folder of a pack, whole or not at all."""
    if folder.exists():
        shutil.rmtree(folder)  # the same bytes, or a torn folder of a kill
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = temporary(folder)
    try:
        unfinished.mkdir()
        for name, data in files.items():
            write_bytes(unfinished / name, data)
        unfinished.rename(folder)
    except OSError as problem:
        raise AssetError(f"{folder} could not be written ({problem.strerror or problem}).") from problem
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _pack_name(path: Path) -> str:
    """kenney_simpleSpace.zip → simple-space."""
    name = path.resolve().stem if path.is_file() else path.resolve().name
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name)
    plain = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
    return plain.removeprefix("kenney-")[:60].strip("-") or "pack"


# ---------------------------------------------------------------- reading a pack


def _read_pack(source: Source, licence: str | None) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The files that are kept, by our names, and what the manifest says about them: fields of Pack."""
    choice = _own_choice(source) if OWN_MANIFEST in source.names else packs.choose(_media(source))
    if not choice:
        raise AssetError(
            f"Nothing in {source.path} has a name that we know. Give one of Kenney's packs (Simple Space, "
            f"Space Shooter Redux, Sci-fi Sounds, …), or add a {OWN_MANIFEST} that says which file is what: "
            "docs/art.md."
        )
    licences, stated = _licences(source, licence)
    reader = _PackReader(source)
    graphics = {key: reader.media(key, path, PICTURES) for key, path in choice.graphics.items()}
    sounds = {
        cue: [reader.media(f"cue.{cue}.{i}", path, SOUNDS) for i, path in enumerate(paths)]
        for cue, paths in choice.sounds.items()
    }
    texts = [reader.text(f"licence.{i}.txt", name, data) for i, (name, data) in enumerate(licences.items())]
    fields = {"graphics": graphics, "sounds": sounds, "licence_files": texts, "licence": stated}
    return reader.files, fields | {"origins": reader.origins}


class _PackReader:
    """Reads the chosen files of a pack, up to MAX_PACK_BYTES."""

    def __init__(self, source: Source):
        self.source = source
        self.files: dict[str, bytes] = {}
        self.origins: dict[str, str] = {}

    def media(self, key: str, path: str, suffixes: tuple[str, ...]) -> str:
        """One picture or sound under the name of its key; a file that serves twice is kept once."""
        for ours, origin in self.origins.items():
            if origin == path and suffix_of(ours) in suffixes:
                return ours
        if path not in self.source.names:
            pack = self.source.path.name
            raise AssetError(f"{OWN_MANIFEST} names {path!r} for {key}, which is not in {pack}.")
        return self.text(f"{key}{suffix_of(path)}", path, self.source.read_media(path, suffixes))

    def text(self, ours: str, path: str, data: bytes) -> str:
        """Keep a file under our name."""
        self.files[ours], self.origins[ours] = data, path
        if sum(map(len, self.files.values())) > MAX_PACK_BYTES:
            raise AssetError(f"{self.source.path} would take more than {MAX_PACK_BYTES >> 20} MiB.")
        return ours


def _media(source: Source) -> list[str]:
    """Names worth looking at. What a Mac adds to a zip looks like pictures and is not."""
    media = [name for name in source.names if suffix_of(name) in PICTURES + SOUNDS]
    return [name for name in media if not name.startswith("__MACOSX/")]


def _own_choice(source: Source) -> packs.Choice:
    """What a pack says about itself."""
    try:
        value = json.loads(source.read(OWN_MANIFEST))
        graphics, sounds = value.get("graphics", {}), value.get("sounds", {})
        choice = packs.Choice(
            {key: str(path) for key, path in graphics.items()},
            {cue: [paths] if isinstance(paths, str) else [*map(str, paths)] for cue, paths in sounds.items()},
        )
    except (ValueError, AttributeError, TypeError, RecursionError):
        raise AssetError(
            f'{OWN_MANIFEST} of {source.path.name} is not as expected: {{"graphics": {{"entity.station": '
            '"station.png"}, "sounds": {"siren": ["siren.ogg"]}}.'
        ) from None
    named = [("picture", key, table.graphics()) for key in choice.graphics]
    for kind, key, known in named + [("sound", key, table.sounds()) for key in choice.sounds]:
        if key not in known:
            raise UnknownName(kind, key, known)
    return choice


def _licences(source: Source, stated: str | None) -> tuple[dict[str, bytes], str]:
    """The licence files, and the licence in words. Art without a known licence is not adopted."""
    names = [n for n in source.names if LICENCE.search(n) and suffix_of(n) in TEXTS and "__MACOSX" not in n]
    found = {name: source.read(name, MAX_LICENCE_BYTES) for name in sorted(names)[:MAX_LICENCES]}
    if stated:
        return found, stated
    if not found:
        raise AssetError(f"{source.path} brings no licence file. If you know it, say it: --licence CC0-1.0.")
    if not all(PUBLIC_DOMAIN.search(text.decode(errors="replace")) for text in found.values()):
        raise AssetError(
            f"The licence in {source.path} does not say CC0 ({', '.join(found)}). Only art in the public "
            "domain is adopted by itself; if you may use it, say its licence: --licence CC-BY-4.0."
        )
    return found, "CC0-1.0"
