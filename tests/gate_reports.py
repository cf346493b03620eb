"""Reports made of plain numbers, for tests of what gates do with them."""

import numpy as np

from sandlot.evaluate.report_file import EvalReport, Metric, group_of

SUCCESS = Metric(name="success", field="done", kind="rate", better="higher", low=0, high=1, headline=True)
FINISHED = Metric(name="finished", kind="rate", better="higher", low=0, high=1)
REWARD = Metric(name="reward", field="return", better="higher")
LENGTH = Metric(name="episode_length", unit="steps")
ERROR = Metric(name="error", better="lower", unit="m")
COMFORT = Metric(name="calm", kind="bounded", better="higher", low=0, high=1, group="comfort")
METRICS = (SUCCESS, FINISHED, REWARD, LENGTH, ERROR, COMFORT)


def rows(success, start=0, **columns):
    """One row per entry of success; other columns are numbers or lists."""
    success = np.asarray(success, float)
    n = len(success)
    made = {"finished": 1.0, "reward": 0.0, "episode_length": 100.0, "error": 1.0, "calm": 0.9, **columns}
    lists = {name: np.broadcast_to(np.asarray(values, float), n).tolist() for name, values in made.items()}
    lists["success"] = success.tolist()
    return [{"seed": start + i} | {name: values[i] for name, values in lists.items()} for i in range(n)]


def report(success=(1, 0) * 200, metrics=METRICS, changes=None, start=0, rows_given=None, **columns):
    """A report of a game that nobody has, with these episodes."""
    given = rows(success, start, **columns) if rows_given is None else rows_given
    names = {metric.name for metric in metrics}
    kept = [{k: v for k, v in row.items() if k in names | {"seed"}} for row in given]
    group = group_of(metrics, "agent", None, "policy", kept)
    fields = {
        "created": "2026-01-01T00:00:00.000Z",
        "model": "policy",
        "game": "maze",
        "scenario": "gym:Maze-v0",
        "game_version": "1",
        "interface_hash": "aa",
        "rules_hash": "bb",
        "engine": "gym",
        "git": "nogit",
        "sandlot": "0",
        "seed": start,
        "episodes": len(kept),
        "metrics": list(metrics),
        "groups": [group],
    }
    return EvalReport(**(fields | (changes or {})))
