"""Trajectory logs: one file per match, one JSON object per line, to find out why an agent does not learn.

    ep_00012.jsonl    episode_start, then one step line per agent and step, tag or timeout, episode_end

A file gets its name when the match is over; until then it ends in `.part`. docs/trajectory_rendering.md has
the fields. Replays (replays.py) are smaller and exact; these are plain.
"""

import json
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..errors import StoreError

Line = dict[str, Any]
NAME = re.compile(r"ep_(\d+)\.jsonl")


class TrajectoryFile:
    """One match being written."""

    def __init__(self, folder: Path, episode: int):
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"ep_{episode:05d}.jsonl"
        self._part = self.path.with_name(self.path.name + ".part")
        self._file = self._part.open("w", encoding="utf-8")
        self._began = time.monotonic()

    def write(self, kind: str, **facts: Any) -> None:
        """Append one line of a type."""
        line = {"type": kind, "ts": int(1000 * (time.monotonic() - self._began)), **facts}
        self._file.write(json.dumps(line, allow_nan=False, separators=(",", ":")) + "\n")

    def close(self) -> Path:
        """Give the complete file its name."""
        self._file.close()
        self._part.replace(self.path)
        return self.path

    def abandon(self) -> None:
        """Remove the file of a match that will not be finished."""
        self._file.close()
        self._part.unlink(missing_ok=True)


def next_number(folder: Path) -> int:
    """One more than the highest that is there; 1 for an empty folder."""
    found = [int(m[1]) for path in folder.glob("ep_*.jsonl") if (m := NAME.fullmatch(path.name))]
    return max(found, default=0) + 1


def read_trajectory(path: Path) -> Iterator[Line]:
    """Its lines; one that is no JSON object is skipped, as the last of a log that was cut off may be."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    row = json.loads(line)
                except ValueError:
                    continue
                if isinstance(row, dict) and "type" in row:
                    yield row
    except OSError as problem:
        raise StoreError(f"{path} cannot be read: {problem.strerror}.") from None


def newest(folders: Iterable[Path]) -> Path | None:
    """The newest trajectory of the first folder that has any."""
    for folder in folders:
        found = [path for path in folder.glob("ep_*.jsonl") if path.is_file()]
        if found:
            return max(found, key=lambda path: (path.stat().st_mtime, path.name))
    return None


def states_of(lines: Iterable[Line]) -> tuple[Line, list[dict[str, Any]], Line]:
    """The start line, the states a path map is drawn from (one a step), and the end line."""
    start, end = {}, {}
    by_agent: dict[str, list[Line]] = {}
    for line in lines:
        if line["type"] == "episode_start":
            start = line
        elif line["type"] == "episode_end":
            end = line
        elif line["type"] == "step" and isinstance(line.get("pos"), list) and len(line["pos"]) == 3:
            by_agent.setdefault(str(line.get("agent")), []).append(line)
    config = start.get("config", {})
    boxes = start.get("boxes", [])
    around = {"arena_half": config.get("arena_half", 10.0), "boxes": boxes, "box_count": len(boxes)}
    length = min((len(steps) for steps in by_agent.values()), default=0)
    states = [
        {
            "position": [steps[i]["pos"] for steps in by_agent.values()],
            "seeker": [float(bool(steps[i].get("is_it"))) for steps in by_agent.values()],
            **around,
        }
        for i in range(length)
    ]
    return start, states, end
