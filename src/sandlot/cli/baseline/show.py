"""`sandlot baseline show`: one baseline with its metrics and intervals."""

from pathlib import Path

from ..options import ForMachines
from ..show import as_json, out, table
from .common import BaselineName, Folder


def show(name: BaselineName, folder: Folder = Path("baselines"), as_machine: ForMachines = False) -> None:
    """Show a baseline: where it comes from, and every metric with its 95 % interval.

    Example: sandlot baseline show main
    """
    from ...gates.baselines import Baselines

    known = Baselines(folder)
    report, note = known.report(name), known.note(name)
    if as_machine:
        as_json(
            {
                "note": note,
                "report": report.model_dump(mode="json", exclude={"groups": {"__all__": {"rows"}}}),
            }
        )
        return
    for group in report.groups:
        rows = [
            (
                key,
                f"{found.value:.4g}",
                f"{found.low:.4g} to {found.high:.4g}",
                f"{found.std:.4g}",
                found.episodes,
            )
            for key, found in group.metrics.items()
        ]
        who = f"{group.role} against {group.opponent}" if group.opponent else group.role
        table(f"{name}: {report.model}, {who}", ("metric", "mean>", "95 %>", "std>", "episodes>"), rows)
    where = f"{report.scenario} {report.game_version}, {report.engine}, rules {report.rules_hash}"
    out.print_line(
        f"{where}, revision {report.git}, saved {note.get('saved_at', '')} from {note.get('source', '')}"
    )
    if note.get("verdict"):
        out.print_line(f"Promoted by: {note['verdict']}")
