"""`sandlot verify`: whether every file of a run is what it was when it was written."""

from __future__ import annotations

import typer

from .options import RUNS, ForMachines, RunName, RunsFolder
from .show import as_json, out, table


def verify(name: RunName, runs: RunsFolder = RUNS, as_machine: ForMachines = False) -> None:
    """Check every file of a run: digests of weights and replays, lines of metrics, the catalogue.

    Nothing is changed. Exit code 0: all is well; 1: something is damaged; 2: it could not be looked at.

    Examples: sandlot verify latest · sandlot verify latest --json
    """
    from ..runs.store import locate
    from ..runs.verify import verify_run

    store, run_id = locate(name, runs)
    found = verify_run(store.open(run_id))
    bad = [each for each in found if each.problem]
    if as_machine:
        as_json({"run_id": run_id, "ok": not bad, "files": [each.as_json() for each in found]})
    else:
        if bad:
            lines = [(each.file, each.problem) for each in bad]
            table(f"{run_id}: {len(bad)} of {len(found)} files are damaged", ("file", "problem"), lines)
        else:
            out.print(f"{run_id}: all {len(found)} files are as they were written.", markup=False)
    if bad:
        raise typer.Exit(1)
