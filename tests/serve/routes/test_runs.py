"""serve/routes/runs.py: one run in a list, and where else its metrics are."""

from types import SimpleNamespace

import pytest

from sandlot.runs import Store
from sandlot.serve.routes.runs import _replays, _trackers, run_summary

from ..contract import assert_as_agreed


@pytest.fixture
def run(tmp_path):
    about = {"game": "tag", "trainer_backend": "ppo", "window_env_steps": 10, "seed": 2**63}
    with Store(tmp_path).create({}, **about) as made:
        yield made


def test_the_routes_are_as_agreed():
    assert_as_agreed("runs")


def test_a_run_with_a_damaged_index_has_no_replays(run):
    assert _replays(run) == (0, None)
    run.paths.index.write_text("no database")
    assert _replays(run) == (0, None)


def test_a_summary_has_the_seed_as_text_and_the_newest_replay(run, tmp_path):
    context = SimpleNamespace(store=SimpleNamespace(root=tmp_path))
    summary = run_summary(context, run.record)
    assert (summary.seed, summary.replay_count, summary.latest_replay) == (str(2**63), 0, None)
    recorded = run.record.model_copy(update={"latest_replay": "replay-1"})
    assert run_summary(context, recorded).latest_replay == "replay-1"


def trackers(run, runs="runs"):
    context = SimpleNamespace(settings=SimpleNamespace(runs=run.paths.folder.parent.__class__(runs)))
    return [(each.name, each.url, each.command) for each in _trackers(context, run)]


def test_only_trackers_that_were_used_are_named(run):
    assert trackers(run) == []
    for name in ("wandb/offline-run-1", "wandb/offline-run-2", "tensorboard"):
        (run.paths.folder / name).mkdir(parents=True, exist_ok=True)
    (run.paths.tensorboard / "events.out.tfevents.1").touch()
    place = f"runs/{run.run_id}"
    board = ("TensorBoard", None, f"tensorboard --logdir {place}/tensorboard")
    assert trackers(run) == [("Weights & Biases", None, f"wandb sync {place}/wandb/offline-run-2"), board]
    assert trackers(run, "/home/me/runs")[1] == board, "no path of this machine is shown"
    run.update(wandb_run_url="https://wandb.example/1")
    assert trackers(run)[0] == ("Weights & Biases", "https://wandb.example/1", None)
