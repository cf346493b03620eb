"""Refused messages: counted by code, the first of them kept in a file of the run."""

import contextlib
import json
import time
from collections import Counter
from pathlib import Path

from . import limits


class Quarantine:
    """Refused messages. None of them reaches a policy, a learner or a match."""

    def __init__(self, file: Path | None = None):
        """file: None counts only."""
        self.file = file
        self.counts: Counter[str] = Counter()
        self._kept = self._bytes = 0

    @property
    def total(self) -> int:
        """How many messages were refused."""
        return self.counts.total()

    def add(self, connection: int, code: str, reason: str, message: object) -> None:
        """message: the message or the part of it that was refused; its beginning is kept."""
        self.counts[code] += 1
        if self.file is None or self._kept >= limits.QUARANTINED:
            return
        row = {
            "time": round(time.time(), 3),
            "connection": connection,
            "code": code,
            "reason": reason[: limits.EXCERPT],
            "message": str(message)[: limits.EXCERPT],
        }
        line = json.dumps(row) + "\n"
        if self._bytes + len(line) > limits.QUARANTINE_BYTES:
            return
        self._kept, self._bytes = self._kept + 1, self._bytes + len(line)
        # a full disk must not end us
        with contextlib.suppress(OSError), self.file.open("a", encoding="utf-8") as sink:
            sink.write(line)

    def summary(self) -> str:
        """One sentence; empty where nothing was refused."""
        if not self.counts:
            return ""
        by_code = ", ".join(f"{count:,} {code}" for code, count in self.counts.most_common(5))
        where = f"; the first {self._kept:,} are in {self.file}" if self._kept else ""
        return f"{self.total:,} refused ({by_code}){where}"
