"""Fetching an engine: which way is tried, what is refused, and that nothing half made is left."""

import hashlib
import io
import os
import zipfile

import pytest
from leaks import nothing_left_open

from sandlot.bridge import godot_engine, godot_install
from sandlot.bridge.godot_install import Unavailable
from sandlot.errors import GodotMissing

NAME = f"Godot_v{godot_install.VERSION}-stable_linux.x86_64"


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """A machine without an engine, of the kind that releases are made for."""
    monkeypatch.delenv("GODOT_BIN", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(godot_engine, "ON_THE_PATH", ())
    monkeypatch.setattr(godot_install.platform, "system", lambda: "Linux")
    monkeypatch.setattr(godot_install.platform, "machine", lambda: "x86_64")
    folder = godot_engine.cache_folder()
    folder.mkdir(parents=True)
    return folder


def archive(*names):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as files:
        for name in names:
            files.writestr(name, "#!/bin/sh\necho 4.6.3.stable.test\n")
    return packed.getvalue()


@pytest.fixture
def release(cache, tmp_path, monkeypatch):
    """release(data): a release in a folder, reached by a file: address."""

    def publish(data, sums=None):
        folder = tmp_path / "served" / f"{godot_install.VERSION}-stable"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{NAME}.zip").write_bytes(data)
        usual = f"{hashlib.sha512(data).hexdigest().upper()} *{NAME}.zip\n".replace(" *", "  *")
        (folder / "SHA512-SUMS.txt").write_text(usual if sums is None else sums)
        monkeypatch.setenv("GODOT_RELEASES", f"file://{tmp_path}/served/")

    return publish


def left(cache):
    return [path.name for path in cache.iterdir() if path.name != ".lock"]


def test_a_release_is_installed_and_can_be_run_by_all(release, cache):
    release(archive(NAME))
    with nothing_left_open():
        engine = godot_install.install("official")
    assert engine.version == "4.6.3.stable.test" and engine.source == "cache"
    assert engine.path == cache / "4.6.3.stable.test-official" / NAME and os.access(engine.path, os.X_OK)
    assert engine.path.parent.stat().st_mode & 0o777 == 0o755
    assert engine.path.stat().st_mode & 0o777 == 0o755
    assert not list(engine.path.parent.glob("*.zip")), "the archive is not kept"


def test_an_engine_that_is_there_is_used_and_fetched_again_only_by_force(release, cache, monkeypatch):
    release(archive(NAME))
    first = godot_install.install("official")
    (cache / "4.6.3.stable.test-official" / "mark").touch()
    assert godot_install.install("official") == first and (first.path.parent / "mark").exists()
    assert (
        godot_install.install("official", force=True) == first and not (first.path.parent / "mark").exists()
    )


@pytest.mark.parametrize(
    ("data", "sums", "sentence"),
    [
        (archive("README"), None, "holds no engine"),
        (archive(NAME), f"{'0' * 128}  {NAME}.zip\n", "wrong checksum"),
        (archive(NAME), f"{'0' * 128}  other.zip\n", "do not name"),
        (archive(NAME), "", "do not name"),
    ],
)
def test_a_release_that_is_not_right_leaves_nothing(release, cache, data, sums, sentence):
    release(data, sums)
    with nothing_left_open(), pytest.raises(GodotMissing, match=sentence):
        godot_install.install("official")
    assert left(cache) == []


def test_a_download_that_does_not_end_is_given_up(release, cache, monkeypatch):
    release(archive(NAME))
    monkeypatch.setattr(godot_install, "LARGEST_ARCHIVE", 10)
    with nothing_left_open(), pytest.raises(GodotMissing, match="does not end"):
        godot_install.install("official")
    assert left(cache) == []


def test_a_full_disk_leaves_nothing(release, cache, monkeypatch):
    release(archive(NAME))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(godot_install, "_download", lambda *_: full())
    with nothing_left_open(), pytest.raises(OSError, match="No space"):
        godot_install.install("official")
    assert left(cache) == []


def test_a_machine_without_a_release_is_named(cache, monkeypatch):
    monkeypatch.setattr(godot_install.platform, "machine", lambda: "riscv64")
    with pytest.raises(Unavailable, match="no release for Linux on riscv64"):
        godot_install.fetch_official()


@pytest.mark.parametrize(
    ("source", "tried"),
    [("auto", ["official", "debian"]), ("official", ["official"]), ("debian", ["debian"])],
)
def test_each_way_is_tried_in_its_turn_and_every_reason_is_reported(cache, monkeypatch, source, tried):
    order = []

    def closed(name):
        def fetch(progress):
            order.append(name)
            raise Unavailable(f"{name} is closed")

        return fetch

    for name in ("official", "debian"):
        monkeypatch.setattr(godot_install, f"fetch_{name}", closed(name))
    with pytest.raises(GodotMissing) as missing:
        godot_install.install(source)
    assert order == tried and missing.value.exit_code == 3
    assert all(f"{name}: {name} is closed" in str(missing.value) for name in tried)


@pytest.mark.parametrize("trouble", [OSError("no apt"), ValueError("no mirror")])
def test_a_debian_that_cannot_be_had_is_a_reason(cache, monkeypatch, trouble):
    class Engine:
        def __init__(self, folder, progress):
            (folder / "half").touch()

        def fetch(self):
            raise trouble

    monkeypatch.setattr(godot_install, "DebianEngine", Engine)
    with pytest.raises(Unavailable, match=str(trouble)):
        godot_install.fetch_debian()
    assert left(cache) == []


def test_nothing_is_reported_where_nobody_listens():
    assert godot_install.silent("downloading", 1, 2) is None
