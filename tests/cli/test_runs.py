"""`sandlot runs` and `sandlot verify`: what there is, away with what is not needed, and what is damaged."""

import json

import pytest

from sandlot.digest import seal
from sandlot.runs import Store

WEIGHTS = seal(b"PK\x05\x06" + bytes(18))


def make(root, commit=True, **fields):
    about = {"game": "tag", "trainer_backend": "ppo", "window_env_steps": 10, "seed": 1} | fields
    run = Store(root).create({"a": 1}, **about)
    if commit:
        run.commit(0, WEIGHTS)
        run.finish("completed")
    return run


@pytest.fixture
def two(tmp_path):
    """A run with weights and one with nothing in it, both closed."""
    whole, empty = make(tmp_path / "runs"), make(tmp_path / "runs", commit=False)
    empty.finish("completed")
    for run in (whole, empty):
        run.close()
        assert run.run_id  # read once: the folder may be gone later
    return whole, empty


def test_runs_are_listed_with_their_size_and_empty_ones_marked(sandlot, two):
    whole, _ = two
    said = sandlot("runs")
    assert said.code == 0 and whole.run_id in said.out and "empty" in said.out
    rows = {row["run_id"]: row for row in json.loads(sandlot("runs", "list", "--json").out)["runs"]}
    assert rows[whole.run_id]["checkpoints"] == 1 and rows[whole.run_id]["bytes"] > 500
    assert [rows[run.run_id]["empty"] for run in two] == [False, True]
    sizes = [
        row["bytes"] for row in json.loads(sandlot("runs", "list", "--sort", "size", "--json").out)["runs"]
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert json.loads(sandlot("runs", "list", "--older-than", "1", "--json").out) == {"runs": []}


def test_one_run_is_shown(sandlot, two):
    whole, _ = two
    told = json.loads(
        sandlot("runs", "show", "latest", "--runs", str(whole.paths.folder.parent), "--json").out
    )
    assert told["run_id"] == whole.run_id and told["record"]["status"] == "completed"
    assert told["not_evaluated"] == [0]
    assert whole.run_id in sandlot("runs", "show", whole.run_id).out
    assert sandlot("runs", "show").code == 2


def test_runs_are_removed_only_when_that_is_confirmed(sandlot, two, monkeypatch):
    whole, empty = two
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    assert sandlot("runs", "remove", "--empty").code == 1 and empty.paths.folder.exists()
    told = json.loads(sandlot("runs", "remove", "--empty", "--yes", "--json").out)
    assert told["removed"] == [empty.run_id]
    assert not empty.paths.folder.exists() and whole.paths.folder.exists()
    assert sandlot("runs", "remove", whole.run_id, "--yes").code == 0 and not whole.paths.folder.exists()


def test_nothing_is_removed_without_a_choice_nor_a_run_that_is_being_trained(sandlot, tmp_path):
    with make(tmp_path / "runs") as running:
        running.update(status="running")
        before = sorted(path.name for path in running.paths.folder.rglob("*"))
        refused = sandlot("runs", "remove", running.run_id, "--yes")
        assert refused.code == 2 and "is in use by process" in refused.err
        assert sandlot("runs", "remove", "--yes").code == 2
        names = sorted(path.name for path in running.paths.folder.rglob("*"))
        assert [name for name in names if name != ".evaluator.lock"] == before


def test_verify_says_that_all_is_well_or_which_file_is_not(sandlot, two):
    whole, _ = two
    good = sandlot("verify", whole.run_id)
    assert good.code == 0 and "as they were written" in good.out
    path = whole.paths.checkpoint(0)
    data = bytearray(path.read_bytes())
    data[3] ^= 1
    path.write_bytes(data)
    bad = sandlot("verify", whole.run_id, "--json")
    told = json.loads(bad.out)
    assert bad.code == 1 and not told["ok"]
    assert [file["file"] for file in told["files"] if not file["ok"]] == ["checkpoints/ckpt_000000.pt"]
    assert sandlot("verify", "nothing").code == 2


def test_a_start_that_is_refused_leaves_no_run(sandlot, tmp_path, monkeypatch):
    from sandlot.errors import SandlotError
    from sandlot.media import weights_and_biases

    def refuse(*_, **__):
        raise SandlotError("W&B cannot start: no key. Log in with `wandb login`, or use --wandb offline.")

    monkeypatch.setattr(weights_and_biases, "WeightsAndBiases", refuse)
    done = sandlot("train", "tag", "--windows", "1", "--wandb", "online", "--set", "ppo.worlds=4")
    assert done.code == 2 and "wandb login" in done.err
    assert not list((tmp_path / "runs").glob("*")), "no folder that looks like a run"
    done = sandlot("train", "tag", "--windows", "1", "--device", "cuda:99", "--set", "ppo.worlds=4")
    assert done.code == 2 and not list((tmp_path / "runs").glob("*"))


def test_a_live_sitting_without_a_match_leaves_no_run(tmp_path):
    from sandlot.cli.live_run import LiveRun
    from sandlot.games import Spec

    LiveRun(tmp_path / "runs", Spec("tag"), {"game": "tag"}, seed=1).close("completed")
    assert list((tmp_path / "runs").iterdir()) == []
