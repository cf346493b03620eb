"""Reads what W&B writes in offline mode: a log of protobuf records in blocks, as LevelDB keeps them."""

import json
import struct
from pathlib import Path

HEADER_BYTES, BLOCK_BYTES, RECORD_HEADER_BYTES = 7, 32768, 7
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4


def records(folder: Path) -> list:
    """Every record of the one offline run below a folder."""
    from wandb.proto import wandb_internal_pb2

    (path,) = folder.glob("wandb/offline-run-*/*.wandb")
    return [wandb_internal_pb2.Record.FromString(data) for data in _pieces(path.read_bytes())]


def history(folder: Path) -> dict[int, dict[str, float]]:
    """What was logged, by step."""
    steps = {}
    for record in records(folder):
        if record.WhichOneof("record_type") == "history":
            items = {
                item.key or "/".join(item.nested_key): json.loads(item.value_json)
                for item in record.history.item
            }
            steps.setdefault(int(items["_step"]), {}).update(items)
    return steps


def config(folder: Path) -> dict:
    """The configuration that the run was started with."""
    found = {}
    for record in records(folder):
        if record.WhichOneof("record_type") == "run":
            found |= {item.key: json.loads(item.value_json) for item in record.run.config.update}
    return found


def artifacts(folder: Path) -> dict[str, tuple[str, set[str]]]:
    """Name → type and aliases, over all versions."""
    found = {}
    for artifact in _artifacts(folder):
        kind, aliases = found.get(artifact.name, (artifact.type, set()))
        found[artifact.name] = (kind, aliases | set(artifact.aliases))
    return found


def artifact_files(folder: Path, name: str) -> dict[str, str]:
    """File → MD5 in base64, of the newest version of an artifact."""
    newest = [artifact for artifact in _artifacts(folder) if artifact.name == name][-1]
    return {entry.path: entry.digest for entry in newest.manifest.contents}


def _artifacts(folder: Path):
    for record in records(folder):
        if record.request.WhichOneof("request_type") == "log_artifact":
            yield record.request.log_artifact.artifact
        elif record.WhichOneof("record_type") == "artifact":
            yield record.artifact


def _pieces(data: bytes):
    """Whole records, joined where they were cut at the end of a block."""
    place, parts = HEADER_BYTES, b""
    while place + RECORD_HEADER_BYTES <= len(data):
        left = BLOCK_BYTES - place % BLOCK_BYTES
        if left < RECORD_HEADER_BYTES:
            place += left
            continue
        _, size, kind = struct.unpack("<IHB", data[place : place + RECORD_HEADER_BYTES])
        place += RECORD_HEADER_BYTES
        parts = (b"" if kind in (FULL, FIRST) else parts) + data[place : place + size]
        place += size
        if kind in (FULL, LAST):
            yield parts
