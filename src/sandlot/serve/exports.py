"""Policies as ONNX for browsers: exported from a checkpoint on the first request, then cached on disk."""

import hashlib
import threading
from pathlib import Path

from ..runs import Run
from .errors import ApiError
from .opponents import WindowSelector, checkpoint_path, read_checkpoint

MAX_ENTRIES = 256


class ExportCache:
    """ONNX files by the content of their checkpoint."""

    def __init__(self, folder: Path):
        self._folder = folder / "onnx"
        self._lock = threading.Lock()  # one export at a time: it is short and uses all cores

    def get(self, run: Run, role: str, window: WindowSelector) -> Path:
        """The ONNX file of one role in a run's checkpoint."""
        source = checkpoint_path(run, window)
        path = self._folder / f"{_fingerprint(source, role)}.onnx"
        with self._lock:
            if not path.is_file():
                self._export(source, role, path)
                self._remove_oldest()
            return path

    def _export(self, source: Path, role: str, path: Path) -> None:
        from ..policies.export import export_onnx  # torch and onnx take seconds to load

        checkpoint = read_checkpoint(source)
        if role not in checkpoint.policies:
            known = ", ".join(checkpoint.policies)
            text = f"{checkpoint.name} has weights for {known}, not for {role[:64]!r}."
            raise ApiError(404, "not_found", text)
        run_id, window_id = checkpoint.origin["run_id"], checkpoint.window_of(role)
        export_onnx(checkpoint.policies[role], path, run_id=run_id, window_id=window_id)

    def _remove_oldest(self) -> None:
        files = sorted(self._folder.glob("*.onnx"), key=lambda path: path.stat().st_mtime)
        for path in files[: max(0, len(files) - MAX_ENTRIES)]:
            path.unlink(missing_ok=True)


def _fingerprint(source: Path, role: str) -> str:
    """Changes with the weights, so a rewritten checkpoint is exported again."""
    digest = hashlib.sha256(source.read_bytes())
    digest.update(role.encode())
    return digest.hexdigest()[:32]
