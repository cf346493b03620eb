"""Installed art: what is taken, what is refused, and that a change is whole or not at all."""

import json
import os
import stat
import struct
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from leaks import nothing_left_open
from refusals import refused

from sandlot.errors import AssetError, Damaged, NewerSchema, SandlotError, UnknownName, UnsafePath
from sandlot.locking import FileLock
from sandlot.media import assets
from sandlot.media.art import packs, source, table

from .small_packs import LICENCE, OGG, PACK, folder_of, png, zip_of


@pytest.fixture
def asset_folder(tmp_path):
    return tmp_path / "asset_folder"


@pytest.fixture(params=["folder", "zip"])
def pack(request, tmp_path):
    make = folder_of if request.param == "folder" else zip_of
    return make(PACK, tmp_path / ("kenney_littlePack" + (".zip" if request.param == "zip" else "")))


# ---------------------------------------------------------------- what is taken


def test_a_pack_is_adopted_from_a_folder_and_from_a_zip(pack, asset_folder):
    adopted = assets.install(pack, asset_folder)
    assert adopted.name == "little-pack" and adopted.licence == "CC0-1.0"
    assert adopted.graphics == {
        "entity.ship.agent": "entity.ship.agent.png",
        "entity.station": "entity.station.png",
    }
    assert adopted.sounds == {"click": ["cue.click.0.ogg"]}
    assert adopted.origins["entity.ship.agent.png"] == "PNG/ship_A.png"


def test_only_files_with_a_use_and_the_licence_are_kept(pack, asset_folder):
    adopted = assets.install(pack, asset_folder)
    kept = {path.name: path.read_bytes() for path in (asset_folder / adopted.folder).iterdir()}
    assert kept == {
        "entity.ship.agent.png": png(1), "entity.station.png": png(2), "cue.click.0.ogg": OGG,
        "licence.0.txt": LICENCE,
    }  # fmt: skip


def test_every_name_that_the_page_is_reported_has_a_file(pack, asset_folder):
    assets.install(pack, asset_folder)
    page = assets.read_manifest(asset_folder).public()
    result = [*page["graphics"].values(), *(f for files in page["sounds"].values() for f in files)]
    result += [file for each in page["packs"] for file in each["licence_files"]]
    assert len(result) == 4
    assert all(assets.find_file(asset_folder, path).stat().st_size for path in result)
    assert set(page["graphics"]) <= set(table.graphics()) and set(page["sounds"]) <= set(table.sounds())


def test_the_later_pack_counts_more_and_removing_it_brings_the_earlier_back(tmp_path, asset_folder):
    licence = {"License.txt": LICENCE}
    first = folder_of(licence | {"ship_A.png": png(1), "station_A.png": png(2)}, tmp_path / "first")
    second = folder_of(licence | {"ship_A.png": png(9)}, tmp_path / "second")
    assets.install(first, asset_folder)
    assets.install(second, asset_folder)

    def ship() -> bytes:
        page = assets.read_manifest(asset_folder).public()
        return assets.find_file(asset_folder, page["graphics"]["entity.ship.agent"]).read_bytes()

    assert ship() == png(9)
    assert "entity.station" in assets.read_manifest(asset_folder).public()["graphics"]
    assets.remove("second", asset_folder)
    assert ship() == png(1)


def test_adopting_again_replaces_the_pack_and_leaves_no_old_folder(tmp_path, asset_folder):
    at = tmp_path / "pack"
    assets.install(folder_of(PACK, at), asset_folder)
    assets.install(folder_of({"PNG/ship_A.png": png(7)}, at), asset_folder)
    assets.install(at, asset_folder)
    folders = [path for path in asset_folder.iterdir() if path.is_dir()]
    assert len(folders) == len(assets.read_manifest(asset_folder).packs) == 1
    assert (folders[0] / "entity.ship.agent.png").read_bytes() == png(7)


def test_a_file_that_serves_two_names_is_kept_once(tmp_path, asset_folder):
    adopted = assets.install(
        folder_of({"License.txt": LICENCE, "tap-a.ogg": OGG}, tmp_path / "p"), asset_folder
    )
    assert adopted.sounds["select"] == adopted.sounds["jump"]
    assert len(list((asset_folder / adopted.folder).iterdir())) == 2


def test_a_pack_may_say_itself_which_file_is_what(tmp_path, asset_folder):
    own = {
        "graphics": {"entity.pirate.ship": "bad guy.png"},
        "sounds": {"siren": ["a.ogg", "b.ogg"], "end": "a.ogg"},
    }
    files = {"LICENSE": b"CC0", "bad guy.png": png(), "a.ogg": OGG, "b.ogg": OGG + b"b"}
    adopted = assets.install(
        folder_of(files | {assets.OWN_MANIFEST: json.dumps(own).encode()}, tmp_path / "mine"), asset_folder
    )
    assert set(adopted.graphics) == {"entity.pirate.ship"}
    assert len(adopted.sounds["siren"]) == 2 and adopted.sounds["end"] == adopted.sounds["siren"][:1]


def test_what_a_mac_adds_to_a_zip_is_left_alone(tmp_path, asset_folder):
    files = PACK | {"__MACOSX/PNG/._ship_A.png": b"Mac OS X", "__MACOSX/._License.txt": b"Mac OS X"}
    assert assets.install(zip_of(files, tmp_path / "p.zip"), asset_folder).licence == "CC0-1.0"


def test_kenneys_art_is_the_default_look_with_licence_and_source_and_stays_small(asset_folder):
    page = assets.shown_packs(asset_folder).public()
    assert {"entity.station", "entity.ship.agent", "entity.asteroid.large", "entity.pirate.ship"} <= set(
        page["graphics"]
    )
    assert {pack["licence"] for pack in page["packs"]} == {"CC0-1.0"}
    for pack in page["packs"]:
        (text,) = [assets.find_file(asset_folder, path).read_text() for path in pack["licence_files"]]
        assert "Kenney" in text and "creativecommons.org/publicdomain/zero" in text
    files = [path for path in assets.SHIPPED.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 300_000
    listed = [*page["graphics"].values(), *(path for paths in page["sounds"].values() for path in paths)]
    assert all(assets.find_file(asset_folder, path).is_file() for path in listed)


def test_an_adopted_pack_goes_over_kenneys(pack, asset_folder):
    before = assets.shown_packs(asset_folder).public()["graphics"]
    adopted = assets.install(pack, asset_folder)
    after = assets.shown_packs(asset_folder).public()["graphics"]
    assert set(before) <= set(after)
    assert all(after[key].startswith(adopted.folder) for key in adopted.graphics)


def test_an_asset_folder_that_was_never_used_is_empty(asset_folder):
    assert assets.read_manifest(asset_folder).public() == {
        "schema_version": 1,
        "graphics": {},
        "sounds": {},
        "packs": [],
    }
    assert not asset_folder.exists()


def test_the_asset_folder_is_in_the_users_data_folder_unless_the_setting_says_otherwise(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("sys.platform", "linux")
    assert assets.default_folder({"SANDLOT_ASSETS": str(tmp_path)}) == tmp_path
    assert assets.default_folder({"XDG_DATA_HOME": str(tmp_path)}) == tmp_path / "sandlot" / "assets"
    assert assets.default_folder({}).parts[-3:] == ("share", "sandlot", "assets")


@pytest.mark.parametrize(
    ("system", "environ", "end"),
    [
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/sandlot/assets"),
        ("win32", {}, "/home/AppData/Local/sandlot/assets"),
        ("darwin", {"XDG_DATA_HOME": "/not"}, "/home/Library/Application Support/sandlot/assets"),
        ("linux", {"LOCALAPPDATA": "/not"}, "/home/.local/share/sandlot/assets"),
        ("linux", {"SANDLOT_ASSETS": "~/mine"}, "/home/mine"),
    ],
)  # fmt: skip
def test_every_system_has_its_own_place_for_data(system, environ, end, monkeypatch):
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setenv("HOME", "/home")
    assert assets.default_folder(environ).as_posix() == end


def test_the_time_of_adoption_is_reported(pack, asset_folder):
    then = datetime(2026, 1, 31, 9, 5, tzinfo=UTC)
    assert assets.install(pack, asset_folder, clock=lambda: then).adopted_at == "2026-01-31T09:05:00.000Z"


# ---------------------------------------------------------------- what is refused


def install_refused(path: Path, asset_folder: Path, kind: type[Exception], words: str, **how: str) -> None:
    """Nothing is adopted, and pack and folder of assets have the same bytes as before."""
    with refused(asset_folder.parent, kind, words):
        assets.install(path, asset_folder, **how)


TRICKY_NAMES = [
    "../ship_A.png",
    "PNG/../../ship_A.png",
    "/etc/ship_A.png",
    "C:/ship_A.png",
    "PNG\\..\\ship_A.png",
    "PNG//ship_A.png",
    "./ship_A.png",
    "ship\x07_A.png",
    "a" * 500 + "/ship_A.png",
]


@pytest.mark.parametrize("name", TRICKY_NAMES)
def test_a_zip_with_a_name_that_leads_out_is_refused(name, tmp_path, asset_folder):
    install_refused(zip_of(PACK | {name: png()}, tmp_path / "p.zip"), asset_folder, UnsafePath, "leads out")
    assert not (tmp_path / "ship_A.png").exists()


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_a_link_or_device_in_a_zip_is_refused(kind, tmp_path, asset_folder):
    path = zip_of(PACK, tmp_path / "p.zip")
    with zipfile.ZipFile(path, "a") as made:
        entry = zipfile.ZipInfo("PNG/enemy_A.png")
        entry.create_system, entry.external_attr = 3, (kind | 0o777) << 16
        made.writestr(entry, "/etc/passwd")
    install_refused(path, asset_folder, UnsafePath, "link or a device")


def test_a_link_in_a_folder_is_refused(tmp_path, asset_folder):
    at = folder_of(PACK, tmp_path / "pack")
    secret = tmp_path / "secret.png"
    secret.write_bytes(png())
    (at / "PNG" / "enemy_A.png").symlink_to(secret)
    install_refused(at, asset_folder, UnsafePath, "is a link")


def test_a_picture_that_unpacks_to_gigabytes_is_refused_after_a_few_megabytes(
    tmp_path, asset_folder, monkeypatch
):
    monkeypatch.setattr(source, "MAX_FILE_BYTES", 1 << 16)
    bomb = png() + bytes(1 << 20)
    path = zip_of(PACK | {"PNG/enemy_A.png": bomb}, tmp_path / "p.zip")
    assert path.stat().st_size < 8000
    monkeypatch.setattr(source.Source.read, "__defaults__", (1 << 16,))
    install_refused(path, asset_folder, AssetError, "unpacks to more than")


def test_a_zip_that_lies_about_its_sizes_gains_nothing(tmp_path, asset_folder):
    """The size in the directory says 10 bytes; what comes out is counted, and the check sum does not fit."""
    path = zip_of({"License.txt": LICENCE, "ship_A.png": png() + bytes(1 << 16)}, tmp_path / "p.zip")
    data = path.read_bytes()
    size = struct.pack("<I", len(png()) + (1 << 16))
    path.write_bytes(data.replace(size, struct.pack("<I", 10)))
    install_refused(path, asset_folder, AssetError, "cannot be read|does not begin")


def test_more_files_than_any_pack_has_are_refused(tmp_path, asset_folder, monkeypatch):
    monkeypatch.setattr(source, "MAX_FILES", 5)
    install_refused(zip_of(PACK, tmp_path / "p.zip"), asset_folder, AssetError, "more than 5 files")
    install_refused(folder_of(PACK, tmp_path / "p"), asset_folder, AssetError, "more than 5 files")


def test_a_pack_that_would_fill_the_asset_folder_is_refused(pack, asset_folder, monkeypatch):
    monkeypatch.setattr(assets, "MAX_PACK_BYTES", 100)
    install_refused(pack, asset_folder, AssetError, "would take more than")


DISGUISES = {
    "PNG/ship_A.png": b"<script>alert(1)</script>",
    "Sounds/click-a.ogg": b"MZ\x90\x00",
    "PNG/station_A.png": b"",
}


@pytest.mark.parametrize("name", DISGUISES)
def test_a_file_that_is_not_what_its_name_says_is_refused(name, tmp_path, asset_folder):
    install_refused(
        folder_of(PACK | {name: DISGUISES[name]}, tmp_path / "p"),
        asset_folder,
        AssetError,
        "does not begin like",
    )


def test_a_file_twice_in_a_zip_is_refused(tmp_path, asset_folder):
    path = zip_of(PACK, tmp_path / "p.zip")
    with zipfile.ZipFile(path, "a") as made, pytest.warns(UserWarning, match="Duplicate"):
        made.writestr("PNG/ship_A.png", png(5))
    install_refused(path, asset_folder, AssetError, "twice")


def test_a_locked_zip_is_refused(tmp_path, asset_folder):
    path = zip_of(PACK, tmp_path / "p.zip")
    data = bytearray(path.read_bytes())
    for mark, place in (
        (b"PK\x01\x02", 8),
        (b"PK\x03\x04", 6),
    ):  # the flag in the directory and in each entry
        at = data.find(mark)
        while at >= 0:
            data[at + place] |= 1
            at = data.find(mark, at + 4)
    path.write_bytes(bytes(data))
    install_refused(path, asset_folder, AssetError, "password")


def test_a_torn_zip_and_a_file_that_is_no_zip_are_refused(tmp_path, asset_folder):
    path = zip_of(PACK, tmp_path / "p.zip")
    path.write_bytes(path.read_bytes()[:-40])
    install_refused(path, asset_folder, AssetError, "is not a zip")
    path.write_bytes(b"hello")
    install_refused(path, asset_folder, AssetError, "is not a zip")


def test_a_zip_with_damaged_bytes_is_refused(tmp_path, asset_folder):
    path = zip_of({"License.txt": LICENCE, "ship_A.png": png() + os.urandom(400)}, tmp_path / "p.zip")
    data = bytearray(path.read_bytes())
    data[data.find(b"ship_A.png") + 120] ^= 0xFF
    path.write_bytes(bytes(data))
    install_refused(path, asset_folder, AssetError, "cannot be read|does not begin")


def test_a_pack_with_nothing_of_use_is_refused_with_what_to_do(tmp_path, asset_folder):
    install_refused(
        folder_of({"License.txt": LICENCE, "a.exe": b"MZ"}, tmp_path / "p"),
        asset_folder,
        AssetError,
        "sandlot-art.json",
    )


def test_a_pack_without_a_licence_is_refused_unless_the_user_says_it(tmp_path, asset_folder):
    at = folder_of({"ship_A.png": png()}, tmp_path / "p")
    install_refused(at, asset_folder, AssetError, "--licence CC0-1.0")
    assert assets.install(at, asset_folder, licence="CC0-1.0").licence == "CC0-1.0"


def test_a_pack_of_another_licence_is_refused_unless_the_user_says_it(tmp_path, asset_folder):
    at = folder_of({"ship_A.png": png(), "License.txt": b"All rights reserved."}, tmp_path / "p")
    install_refused(at, asset_folder, AssetError, "does not say CC0")
    adopted = assets.install(at, asset_folder, licence="bought from the artist")
    assert adopted.licence == "bought from the artist"
    assert (asset_folder / adopted.folder / "licence.0.txt").read_bytes() == b"All rights reserved."


OWN_MISTAKES = {
    "not json": ("{", AssetError, "not as expected"),
    "a list": ("[]", AssetError, "not as expected"),
    "numbers": ('{"sounds": {"siren": 3}}', AssetError, "not as expected"),
    "an unknown picture": ('{"graphics": {"entity.staton": "ship_A.png"}}', UnknownName, "entity.station"),
    "a missing file": ('{"graphics": {"entity.station": "no.png"}}', AssetError, "not in p"),
    "a path that leads out": ('{"graphics": {"entity.station": "../../secret.png"}}', AssetError, "not in p"),
    "no picture": ('{"graphics": {"entity.station": "License.txt"}}', AssetError, "expected .png"),
    "a sound as picture": ('{"graphics": {"entity.station": "click-a.ogg"}}', AssetError, "expected .png"),
    "a program": ('{"graphics": {"entity.station": "ship.svg"}}', AssetError, "expected .png"),
}


@pytest.mark.parametrize("mistake", OWN_MISTAKES)
def test_a_pack_that_tells_of_itself_wrongly_is_refused(mistake, tmp_path, asset_folder):
    text, kind, words = OWN_MISTAKES[mistake]
    files = {"License.txt": LICENCE, "ship_A.png": png(), "click-a.ogg": OGG, "ship.svg": b"<svg/>"}
    install_refused(
        folder_of(files | {assets.OWN_MANIFEST: text.encode()}, tmp_path / "p"), asset_folder, kind, words
    )


def test_a_place_that_is_not_there_is_refused(tmp_path, asset_folder):
    install_refused(tmp_path / "nowhere", asset_folder, AssetError, "There is no folder or zip")


def test_removing_what_is_not_there_names_the_nearest(pack, asset_folder):
    assets.install(pack, asset_folder)
    with pytest.raises(UnknownName, match="little-pack"):
        assets.remove("litle-pack", asset_folder)


# ---------------------------------------------------------------- whole or not at all


def test_a_failure_in_mid_write_leaves_the_asset_folder_as_it_was(tmp_path, asset_folder, monkeypatch):
    assets.install(folder_of(PACK, tmp_path / "first"), asset_folder)
    before = assets.read_manifest(asset_folder)
    written = assets.write_bytes

    def fails_at_the_licence(path: Path, data: bytes) -> None:
        if path.name.startswith("licence"):
            raise AssetError("the disk is full")
        written(path, data)

    monkeypatch.setattr(assets, "write_bytes", fails_at_the_licence)
    install_refused(
        folder_of(PACK | {"PNG/ship_A.png": png(8)}, tmp_path / "second"),
        asset_folder,
        SandlotError,
        "disk is full",
    )
    assert assets.read_manifest(asset_folder) == before


def test_many_who_adopt_at_the_same_moment_lose_nothing(tmp_path, asset_folder):
    def adopt(number: int) -> None:
        files = {"License.txt": LICENCE, "ship_A.png": png(number)}
        assets.install(folder_of(files, tmp_path / f"pack{number}"), asset_folder)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(adopt, range(8)))
    adopted = assets.read_manifest(asset_folder).packs
    assert sorted(pack.name for pack in adopted) == [f"pack{number}" for number in range(8)]
    assert all((asset_folder / pack.folder / "entity.ship.agent.png").exists() for pack in adopted)


def test_an_asset_folder_that_somebody_holds_for_long_is_reported(pack, asset_folder, monkeypatch):
    monkeypatch.setattr(assets, "WAIT_S", 0.1)
    asset_folder.mkdir()
    holder = FileLock(asset_folder / ".lock")
    with pytest.raises(AssetError, match="Another program is changing"):
        assets.install(pack, asset_folder)
    holder.release()
    assets.install(pack, asset_folder)


def test_every_name_with_patterns_has_a_file_once_all_packs_are_there(tmp_path, asset_folder):
    files = {"License.txt": LICENCE}
    for patterns in packs.GRAPHICS.values():
        files[patterns[0]] = png()
    for patterns in packs.SOUNDS.values():
        files[patterns[0].replace("*", "0")] = OGG
    assets.install(folder_of(files, tmp_path / "all"), asset_folder)
    page = assets.read_manifest(asset_folder).public()
    assert set(page["graphics"]) == set(packs.GRAPHICS) and set(page["sounds"]) == set(packs.SOUNDS)
    result = [*page["graphics"].values(), *(file for each in page["sounds"].values() for file in each)]
    assert all(assets.find_file(asset_folder, path).exists() for path in result)


def test_what_a_kill_left_behind_is_swept_by_the_next_change(pack, asset_folder):
    (asset_folder / "torn-00000000").mkdir(parents=True)
    assets.install(pack, asset_folder)
    assert not (asset_folder / "torn-00000000").exists()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{", Damaged),
        ("[]", Damaged),
        ('{"packs": [{"name": "../x"}]}', Damaged),
        ('{"schema_version": 9}', NewerSchema),
    ],
)
def test_a_broken_manifest_is_reported_with_its_path(text, kind, asset_folder):
    asset_folder.mkdir()
    (asset_folder / "manifest.json").write_text(text)
    with pytest.raises(kind, match=r"manifest\.json"):
        assets.read_manifest(asset_folder)


@pytest.mark.parametrize(
    "path", ["manifest.json", "../manifest.json", "little-pack/x.png", "", "/etc/passwd"]
)
def test_nothing_but_files_of_the_manifest_is_found(path, pack, asset_folder):
    adopted = assets.install(pack, asset_folder)
    (asset_folder / adopted.folder / "planted.png").write_bytes(png())
    for asked in (
        path,
        f"{adopted.folder}/{path}",
        f"{adopted.folder}/planted.png",
        f"{adopted.folder}/../manifest.json",
    ):
        with pytest.raises(UnknownName):
            assets.find_file(asset_folder, asked)


# ---------------------------------------------------------------- names of folders, waiting, clean-up


def folder_with(files, asset_folder, tmp_path):
    adopted = assets.install(folder_of({"License.txt": LICENCE, **files}, tmp_path / "pack"), asset_folder)
    for path in (tmp_path / "pack").iterdir():
        path.unlink()
    return adopted


def test_a_folder_is_named_by_the_names_and_the_bytes_in_it(tmp_path, asset_folder):
    """The site may keep a file for ever under its address, so another content has another address."""
    first = folder_with({"ship_A.png": png(1), "station_A.png": png(2)}, asset_folder, tmp_path)
    again = folder_with({"ship_A.png": png(1), "station_A.png": png(2)}, asset_folder, tmp_path)
    other = folder_with({"ship_A.png": png(1), "station_A.png": png(3)}, asset_folder, tmp_path)
    swapped = folder_with({"ship_A.png": png(2), "station_A.png": png(1)}, asset_folder, tmp_path)
    assert first.folder == again.folder
    assert len({first.folder, other.folder, swapped.folder}) == 3
    assert first.bytes == len(png(1)) + len(png(2)) + len(LICENCE)


def test_the_same_bytes_under_another_name_are_another_folder():
    one, two = {"a.png": b"x", "b.png": b"y"}, {"b.png": b"x", "c.png": b"y"}
    assert assets.files_digest(one) != assets.files_digest(two)
    assert assets.files_digest(one) == assets.files_digest(dict(reversed(one.items())))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("kenney_simpleSpace.zip", "simple-space"),
        ("Sci-fi Sounds (1.0).zip", "sci-fi-sounds-1-0"),
        ("kenney_.zip", "kenney"),
        ("---.zip", "pack"),
        ("x" * 90 + ".zip", "x" * 60),
        ("UI2Pack.zip", "ui2-pack"),
    ],
)
def test_a_pack_is_called_as_its_file(path, name, tmp_path):
    (tmp_path / path).write_bytes(b"")
    assert assets._pack_name(tmp_path / path) == name


def test_a_change_waits_for_another_and_gives_up_with_a_sentence(pack, asset_folder, monkeypatch):
    asset_folder.mkdir()
    clock = iter([0.0, 5.0, 20.0, 20.1])
    waits = []
    monkeypatch.setattr(assets.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(assets.time, "sleep", waits.append)
    monkeypatch.setattr("sandlot.locking.TRIES", 0)
    lock = FileLock(asset_folder / ".lock")
    try:
        with nothing_left_open(), refused(asset_folder, AssetError, "Another program is changing"):
            assets.install(pack, asset_folder)
    finally:
        lock.release()
    assert waits == [0.05, 0.05] and assets.WAIT_S == 20.0


def test_nothing_is_left_open_by_a_change_or_by_a_refusal(pack, asset_folder, tmp_path):
    with nothing_left_open():
        assets.install(pack, asset_folder)
        with refused(asset_folder, UnknownName, "adopted pack"):
            assets.remove("another", asset_folder)
        with refused(asset_folder, AssetError, "brings no licence"):
            assets.install(folder_of({"ship_A.png": png(1)}, tmp_path / "bare"), asset_folder)


def test_a_licence_may_have_so_many_bytes_and_so_many_files(tmp_path, asset_folder):
    several = {f"{i:02d}/license.txt": LICENCE for i in range(assets.MAX_LICENCES + 3)}
    adopted = assets.install(folder_of({"ship_A.png": png(1), **several}, tmp_path / "pack"), asset_folder)
    assert len(adopted.licence_files) == assets.MAX_LICENCES == 32
    assert adopted.licence_files[:2] == ["licence.0.txt", "licence.1.txt"]
    assert (assets.MAX_LICENCE_BYTES, assets.MAX_PACK_BYTES) == (65536, 64 << 20)
