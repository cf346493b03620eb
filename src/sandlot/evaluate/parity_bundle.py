"""What a failed parity case leaves behind: a folder from which the difference can be studied alone."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np

from .parity import CaseResult, Moment, Trace, failure_as_json


def write_bundle(bundles: Path, result: CaseResult, trace: Trace) -> Path:
    """A new folder with mismatch.json, actions.json, twin.npz and engine.npz, named in the result."""
    case = result.case
    stamp = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%S%fZ")
    folder = bundles / f"{stamp}-{case.profile}-{case.suite}-seed{case.seed}-budget{case.budget}"
    folder.mkdir(parents=True)
    result.bundle = str(folder)
    write_json(folder / "mismatch.json", failure_as_json(result))
    write_json(folder / "actions.json", {"resets": trace.seeds, "actions": trace.actions})
    for side in ("twin", "engine"):
        arrays: dict[str, Any] = columns(getattr(trace, side))
        np.savez_compressed(folder / f"{side}.npz", **arrays)
    return folder


def columns(moments: list[Moment]) -> dict[str, np.ndarray]:
    """A trace as arrays with one row a moment: every reset and every decision, in order."""
    names = ("observation", "reward", "terminated", "truncated")
    arrays = {name: np.stack([getattr(moment, name) for moment in moments]) for name in names}
    if moments[0].mask is not None:
        arrays["mask"] = np.stack([np.asarray(moment.mask) for moment in moments])
    for name in moments[0].info:
        arrays[f"info_{name}"] = np.asarray([moment.info[name] for moment in moments])
    return arrays


def write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, indent=1, default=plain) + "\n", encoding="utf-8")


def plain(value: Any) -> Any:
    """numpy's numbers as Python's."""
    return value.tolist()
