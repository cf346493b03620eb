"""What W&B is told, read back from the files it writes in offline mode; and life without W&B."""

import base64
import hashlib
import json
import os
import subprocess
import sys

import pytest
import wandb

from sandlot.errors import ConfigError, MissingExtra
from sandlot.media import weights_and_biases as module
from sandlot.media.weights_and_biases import (
    WeightsAndBiases,
    alias_of,
    check_mode,
    project_of,
    publish_benchmark,
)

from . import offline
from .making import STEPS, judge, make_pilot_run, pilot_metrics, window_row

CONFIG = {"game": "prospector", "ppo": {"learning_rate": 3e-4}, "network": {"hidden": [64, 64]}}


@pytest.fixture
def logged(tmp_path):
    """A run whose two windows, checkpoint, replay and judgement W&B was told of."""
    from runs.making import make_replay

    run = make_pilot_run(tmp_path / "runs", windows=0, config=CONFIG)
    tracker = WeightsAndBiases(run, "offline", group="night")
    tracker.window(window_row(run.run_id, 0, **pilot_metrics(0)))
    run.paths.checkpoint(0).write_bytes(b"weights")
    tracker.committed(0, run.paths.checkpoint(0))
    judge(run, 2, lambda window: {"net_profit_mean": 7.0 + window})
    replay = make_replay("replay-000001-0000abcd", window_id=1, tags=["best_so_far", "milestone:profit:100"])
    run.add_replay(replay)
    tracker.window(window_row(run.run_id, 1, **pilot_metrics(1)))
    assert tracker.url is None and tracker.close() == ""
    wandb.teardown()  # its helper process has now written everything
    return run


def test_offline_files_hold_one_row_a_window_at_its_env_steps(logged):
    rows = offline.history(logged.paths.folder)
    assert list(rows) == [STEPS, 2 * STEPS]
    assert rows[2 * STEPS]["profit_mean"] == 10.0 and rows[2 * STEPS]["window_id"] == 1
    judged = [
        row["evaluation/net_profit_mean"] for row in rows.values() if "evaluation/net_profit_mean" in row
    ]
    assert judged[-1] == 8.0


def test_offline_files_name_project_run_and_group(logged):
    (result,) = [r.run for r in offline.records(logged.paths.folder) if r.WhichOneof("record_type") == "run"][
        :1
    ]
    assert (result.project, result.display_name, result.run_group) == (
        "asteroid-prospector",
        logged.run_id,
        "night",
    )


def test_offline_files_hold_the_configuration(logged):
    held = offline.config(logged.paths.folder)
    assert {name: held[name] for name in CONFIG} == CONFIG


def test_the_model_artifact_holds_the_bytes_of_the_checkpoint(logged):
    files = offline.artifact_files(logged.paths.folder, f"model-{logged.run_id}")
    digest = base64.b64encode(hashlib.md5(b"weights").digest()).decode()
    assert files == {logged.paths.checkpoint(0).name: digest}


def test_offline_files_hold_model_replay_and_index(logged):
    found = offline.artifacts(logged.paths.folder)
    assert found[f"model-{logged.run_id}"] == ("model", {"latest", "window-0"})
    (replay,) = [name for name in found if name.startswith("replay-")]
    assert replay == "replay-run-000001-replay-000001-0000abcd"
    assert found[replay] == ("replay", {"latest", "window-1", "best_so_far", "milestone-profit-100"})
    assert f"replay_index-{logged.run_id}" in found


def test_a_benchmark_is_logged_with_its_checkpoints(tmp_path):
    report = tmp_path / "report.json"
    report.write_text(json.dumps({"contenders": {"mine": {"net_profit": 12.5}}, "names": ["a"]}))
    publish_benchmark(report, "prospector", "b1", "offline")
    wandb.teardown()
    assert offline.artifacts(tmp_path)["benchmark-b1"] == ("benchmark", {"latest", "b1", "job-eval"})
    (row,) = offline.history(tmp_path).values()
    assert row["benchmark/contenders/mine/net_profit"] == 12.5


def test_a_report_that_is_none_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="not a benchmark report"):
        publish_benchmark(tmp_path / "none.json", "tag", "b1", "offline")


def test_a_problem_of_the_service_is_reported_at_the_end_and_stops_nothing(tmp_path, monkeypatch):
    class Broken:
        offline = True
        log = property(lambda self: (_ for _ in ()).throw(ConnectionError("no network")))
        finish = staticmethod(lambda: None)

    monkeypatch.setattr(module, "_begin", lambda *args, **result: Broken())
    run = make_pilot_run(tmp_path, windows=0)
    tracker = WeightsAndBiases(run, "online")
    tracker.window(window_row(run.run_id, 0))
    assert "no network" in tracker.close()


def test_the_project_is_named_after_the_game():
    assert project_of("prospector") == "asteroid-prospector" and project_of("tag") == "sandlot-tag"


def test_an_alias_has_no_sign_that_is_not_allowed():
    assert alias_of("milestone:return:25") == "milestone-return-25"


@pytest.mark.parametrize(
    ("variable", "value", "problem"),
    [
        ("WANDB_MODE", "", ""), ("WANDB_MODE", " ", ""), ("WANDB_SILENT", "", ""), ("WANDB_TAGS", "", ""),
        ("WANDB_RUN_ID", "", ""), ("WANDB_BASE_URL", "", ""),
        ("WANDB_MODE", "sometimes", "refuses its settings"),
        ("WANDB_SILENT", "maybe", "refuses its settings"),
        ("WANDB_BASE_URL", "nonsense", "refuses its settings"),
        ("WANDB_RUN_ID", "a/b", "cannot start"),
    ],
)  # fmt: skip
def test_a_blank_variable_counts_as_unset_and_a_wrong_one_is_named(variable, value, problem, tmp_path):
    """In a process of its own: the package reads its variables once, when it is imported."""
    script = (
        "import sys, pathlib\nfrom sandlot.errors import SandlotError\n"
        "from sandlot.media.weights_and_biases import _begin\n"
        "try: _begin('tag', 'offline', pathlib.Path(sys.argv[1])).finish()\n"
        "except SandlotError as problem: sys.exit(str(problem))"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    done = subprocess.run(
        command, env=os.environ | {variable: value}, capture_output=True, text=True, timeout=60
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == (1 if problem else 0), done.stderr
    if problem == "refuses its settings":
        assert problem in done.stderr and variable in done.stderr
    assert problem in done.stderr and bool(list(tmp_path.glob("wandb/offline-run-*"))) == (not problem)


def test_an_unknown_mode_is_refused():
    with pytest.raises(ConfigError, match="disabled, offline, online"):
        check_mode("onlin")


def test_absent_it_is_missed_only_when_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "wandb", None)
    assert check_mode("disabled") == "disabled"
    with pytest.raises(MissingExtra, match=r"sandlot\[wandb\]"):
        check_mode("offline")
