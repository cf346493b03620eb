"""`sandlot baseline list`: every baseline of a folder."""

from pathlib import Path

from ..options import ForMachines
from ..show import as_json, table
from .common import Folder


def list(folder: Folder = Path("baselines"), as_machine: ForMachines = False) -> None:
    """List the baselines: what they hold, when they were saved.

    Example: sandlot baseline list
    """
    from ...gates.baselines import Baselines

    known = Baselines(folder)
    rows = [_row(name, known.note(name), known.report(name)) for name in known.names()]
    if as_machine:
        as_json(rows)
        return
    head = ("name", "game", "model", "episodes>", "success>", "reward>", "saved")
    table(f"Baselines in {folder}", head, [[_text(row[key]) for key in row] for row in rows])


def _row(name: str, note: dict, report: object) -> dict:
    own = {key: getattr(report, key) for key in ("game", "model", "episodes", "success_rate", "mean_reward")}
    return {"name": name, **own, "saved_at": note.get("saved_at", "")}


def _text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)
