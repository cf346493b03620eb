"""Policies as ONNX for browsers: exported from a checkpoint when first asked for, kept in a cache folder."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

from ..runs import Run
from .errors import Refusal
from .rivals import Which, checkpoint_path, read_checkpoint

MOST_KEPT = 256


class Exports:
    def __init__(self, folder: Path):
        self._folder = folder / "onnx"
        self._lock = threading.Lock()  # one export at a time: it is short, and needs all the cores it gets

    def get(self, run: Run, role: str, window: Which) -> Path:
        """The file for a role of a run's checkpoint."""
        source = checkpoint_path(run, window)
        path = self._folder / f"{_fingerprint(source, role)}.onnx"
        with self._lock:
            if not path.is_file():
                self._export(source, role, path)
                self._forget_old()
            return path

    def _export(self, source: Path, role: str, path: Path) -> None:
        from ..policies.export import export_onnx  # torch and onnx take seconds to load

        checkpoint = read_checkpoint(source)
        if role not in checkpoint.policies:
            raise Refusal(
                404, "not_found",
                f"{checkpoint.name} has weights for {', '.join(checkpoint.policies)}, not for {role[:64]!r}.",
            )  # fmt: skip
        run_id, window_id = checkpoint.origin["run_id"], checkpoint.window_of(role)
        export_onnx(checkpoint.policies[role], path, run_id=run_id, window_id=window_id)

    def _forget_old(self) -> None:
        files = sorted(self._folder.glob("*.onnx"), key=lambda path: path.stat().st_mtime)
        for path in files[: max(0, len(files) - MOST_KEPT)]:
            path.unlink(missing_ok=True)


def _fingerprint(source: Path, role: str) -> str:
    """Changes with the weights: a checkpoint that is written anew is exported anew."""
    digest = hashlib.sha256(source.read_bytes())
    digest.update(role.encode())
    return digest.hexdigest()[:32]
