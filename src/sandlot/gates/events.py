"""Scalars of a TensorBoard folder, ours or anybody's: the newest event file below it, tag by tag.

A file that a kill cut off is refused: what it lacks might be what a threshold asks for.
"""

import struct
from dataclasses import dataclass
from pathlib import Path

from ..errors import Damaged, MissingExtra, StoreError

PATTERN = "*tfevents*"
MAX_FILE_BYTES = 1 << 30


@dataclass(frozen=True)
class Scalars:
    """The values of each tag in the order of their steps."""

    path: Path
    by_tag: dict[str, list[tuple[int, float]]]

    @property
    def last_step(self) -> int:
        """The largest step of any tag."""
        return max((step for rows in self.by_tag.values() for step, _ in rows), default=0)


def newest_events(folder: Path) -> Path:
    """The newest event file in a folder or below it."""
    if folder.is_file():
        return folder
    found = [path for path in folder.rglob(PATTERN) if path.is_file()]
    if not found:
        raise StoreError(f"{folder} holds no TensorBoard events (files named {PATTERN}), here or below.")
    return max(found, key=lambda path: (path.stat().st_mtime_ns, path.name))


def read_scalars(folder: Path) -> Scalars:
    """Every scalar of the newest event file; Damaged if it was cut off or changed."""
    path = newest_events(folder)
    _check_whole(path)
    try:
        from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
        from tensorboard.util.tensor_util import make_ndarray
    except ImportError:
        raise MissingExtra("Reading TensorBoard events", "tensorboard", "train") from None
    by_tag: dict[str, list[tuple[int, float]]] = {}
    for event in EventFileLoader(str(path)).Load():
        for value in event.summary.value if event.HasField("summary") else ():
            if value.HasField("simple_value"):
                number = value.simple_value
            elif value.HasField("tensor"):
                array = make_ndarray(value.tensor)
                if array.size != 1 or array.dtype.kind not in "fiu":
                    continue
                number = array.item()
            else:
                continue
            by_tag.setdefault(value.tag, []).append((event.step, float(number)))
    return Scalars(path, by_tag)


def _check_whole(path: Path) -> None:
    """Walk the records: length (8 bytes), its checksum (4), the data, its checksum (4)."""
    if path.stat().st_size > MAX_FILE_BYTES:
        raise Damaged(f"{path} is larger than {MAX_FILE_BYTES >> 20} MiB.")
    data, at = path.read_bytes(), 0
    while at < len(data):
        head = data[at : at + 12]
        length = struct.unpack("<Q", head[:8])[0] if len(head) == 12 else len(data)
        at += 16 + length
        if at > len(data):
            raise Damaged(f"{path} was cut off: its last record is incomplete. Judge a training that ended.")
    if not data:
        raise Damaged(f"{path} is empty: the training that writes it has not begun, or was stopped.")
