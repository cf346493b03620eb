"""`sandlot baseline promote`: replace a baseline by a better one."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ..show import out
from .common import BaselineName, Folder


def promote(
    candidate: Annotated[str, Argument(help="The new baseline, saved before under its own name.")],
    name: BaselineName,
    verdict: Annotated[
        Path | None, Option(help="The verdict of the gate that judged the candidate (--output of a gate).")
    ] = None,
    force: Annotated[bool, Option("--force", help="Promote without a verdict, or against it.")] = False,
    folder: Folder = Path("baselines"),
) -> None:
    """Replace a baseline by another that has passed a gate against it.

    Example: sandlot baseline promote new main --verdict verdict.json
    """
    from ...gates.baselines import Baselines
    from ...gates.verdict import read_verdict

    found = None if verdict is None else read_verdict(verdict)
    place = Baselines(folder).promote(candidate, name, found, force)
    out.print_line(f"{place} is what {candidate} was.")
