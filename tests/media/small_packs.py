"""Small packs of art, made here: real pictures of one pixel, and what a sound begins with."""

import struct
import zipfile
import zlib
from pathlib import Path

LICENCE = b"Little Pack\n\nLicense: (Creative Commons Zero, CC0)\n"
OGG = b"OggS" + bytes(60)


def png(colour: int = 0) -> bytes:
    """A real picture of one pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    pixel = zlib.compress(bytes([0, colour]))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixel) + chunk(b"IEND", b"")


PACK = {
    "License.txt": LICENCE,
    "PNG/ship_A.png": png(1),
    "PNG/station_A.png": png(2),
    "PNG/unused.png": png(3),
    "Vector/ship.svg": b"<svg/>",
    "Sounds/click-a.ogg": OGG,
}


def folder_of(files: dict[str, bytes], at: Path) -> Path:
    for name, data in files.items():
        (at / name).parent.mkdir(parents=True, exist_ok=True)
        (at / name).write_bytes(data)
    return at


def zip_of(files: dict[str, bytes], at: Path) -> Path:
    with zipfile.ZipFile(at, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            made.writestr(zipfile.ZipInfo(name), data, compress_type=zipfile.ZIP_DEFLATED)
    return at
