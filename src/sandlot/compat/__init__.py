"""The briefs' own commands, variables and file names, mapped onto the rest of Sandlot.

    python -m sandlot.compat --help

`session`, `episode`, `render`, `frames`, `bundle` and `migrate` are what `scripts/*.sh` and the pixi tasks
call. `variables.py` is the table of environment variables, `outputs.py` the files that a session leaves in
`trainer/`, `charts/` and `debug/`, `trajectories.py` and `trajectory_log.py` the ep_*.jsonl files. Begin
reading with `session.py`. Nothing imports this package: what others need belongs into theirs.
"""
