"""`sandlot runs`: list, show, verify, remove."""

import json
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from sandlot.cli import runs as module
from sandlot.digest import seal
from sandlot.runs import Run, Store

from .documented import assert_documented

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
    output = sandlot("runs")
    assert output.code == 0 and whole.run_id in output.out and "empty" in output.out
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
    report = json.loads(
        sandlot("runs", "show", "latest", "--runs", str(whole.paths.folder.parent), "--json").out
    )
    assert report["run_id"] == whole.run_id and report["record"]["status"] == "completed"
    assert report["not_evaluated"] == [0]
    assert whole.run_id in sandlot("runs", "show", whole.run_id).out
    assert sandlot("runs", "show").code == 2


def test_runs_are_removed_only_when_that_is_confirmed(sandlot, two, monkeypatch):
    whole, empty = two
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    assert sandlot("runs", "remove", "--empty").code == 1 and empty.paths.folder.exists()
    report = json.loads(sandlot("runs", "remove", "--empty", "--yes", "--json").out)
    assert report["removed"] == [empty.run_id]
    assert not empty.paths.folder.exists() and whole.paths.folder.exists()
    assert sandlot("runs", "remove", whole.run_id, "--yes").code == 0 and not whole.paths.folder.exists()


def test_a_run_that_is_named_is_removed_alone(sandlot, two):
    whole, empty = two
    assert (
        json.loads(sandlot("runs", "list", empty.run_id, "--json").out)["runs"][0]["run_id"] == empty.run_id
    )
    report = json.loads(sandlot("runs", "remove", empty.run_id, "--yes", "--json").out)
    assert report["removed"] == [empty.run_id] and whole.paths.folder.exists()


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
    good = sandlot("runs", "verify", whole.run_id)
    assert good.code == 0 and "undamaged" in good.out
    path = whole.paths.checkpoint(0)
    data = bytearray(path.read_bytes())
    data[3] ^= 1
    path.write_bytes(data)
    bad = sandlot("runs", "verify", whole.run_id, "--json")
    report = json.loads(bad.out)
    assert bad.code == 1 and not report["ok"]
    assert [file["file"] for file in report["files"] if not file["ok"]] == ["checkpoints/ckpt_000000.pt"]
    assert sandlot("runs", "verify", "nothing").code == 2


def test_a_start_that_is_refused_leaves_no_run(sandlot, tmp_path, monkeypatch):
    from sandlot.errors import SandlotError
    from sandlot.media import weights_and_biases

    def refuse(*_, **__):
        raise SandlotError("W&B cannot start: no key. Log in with `wandb login`, or use --wandb offline.")

    monkeypatch.setattr(weights_and_biases, "WeightsAndBiases", refuse)
    done = sandlot("train", "tag", "--windows", "1", "--wandb", "online", "--set", "ppo.num_envs=4")
    assert done.code == 2 and "wandb login" in done.err
    assert not list((tmp_path / "runs").glob("*")), "no folder that looks like a run"
    done = sandlot("train", "tag", "--windows", "1", "--device", "cuda:99", "--set", "ppo.num_envs=4")
    assert done.code == 2 and not list((tmp_path / "runs").glob("*"))


def test_a_live_sitting_without_a_match_leaves_no_run(tmp_path):
    from sandlot.cli.live_run import LiveRun
    from sandlot.worlds import load_spec

    LiveRun(tmp_path / "runs", load_spec("tag"), {"game": "tag"}, seed=1).close("completed")
    assert list((tmp_path / "runs").iterdir()) == []


# ---------------------------------------------------------------- small words


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1_400_000, "1.4 MB"), (999_000_000, "999 MB"),
        (1_000_000_000, "1.0 GB"), (1_234_500_000_000, "1,234.5 GB"),
    ],
)  # fmt: skip
def test_sizes_have_a_unit_and_three_digits(count, text):
    assert module.size(count) == text


def test_the_list_has_status_counts_size_and_time_of_each_run(sandlot, two):
    whole, empty = two
    rows = {row["run_id"]: row for row in json.loads(sandlot("runs", "--json").out)["runs"]}
    text = [" ".join(line.replace("│", " ").split()) for line in sandlot("runs").out.splitlines()]
    for run, status in ((whole, "completed"), (empty, "empty")):
        row = rows[run.run_id]
        size, time = module.size(row["bytes"]), row["updated_at"][:16].replace("T", " ")
        assert f"{run.run_id} tag {status} {row['windows']} {row['replays']} {size} {time}" in text
        assert row["bytes"] == sum(p.stat().st_size for p in run.paths.folder.rglob("*") if p.is_file())
    total = module.size(sum(row["bytes"] for row in rows.values()))
    assert text[0] == f"2 in runs, {total}"


def test_no_run_is_a_sentence(sandlot):
    done = sandlot("runs")
    assert (done.code, done.out) == (0, "There are no runs in runs.\n")
    for words in (["--empty"], ["--older-than", "0"]):
        assert sandlot("runs", "list", *words).out == "No run in runs matches.\n"


@pytest.mark.parametrize(("days", "listed"), [(1.99, 1), (2.0, 1), (2.01, 0)])
def test_a_run_is_listed_once_it_is_so_many_days_old(sandlot, two, monkeypatch, days, listed):
    moment = datetime(2026, 3, 3, tzinfo=UTC)
    monkeypatch.setattr(module, "now", lambda: moment)
    whole, empty = two
    record = json.loads(whole.paths.record.read_text()) | {"updated_at": "2026-03-01T00:00:00Z"}
    whole.paths.record.write_text(json.dumps(record))
    record = json.loads(empty.paths.record.read_text()) | {"updated_at": "some day"}
    empty.paths.record.write_text(json.dumps(record))
    found = json.loads(sandlot("runs", "list", "--older-than", str(days), "--json").out)["runs"]
    assert [row["run_id"] for row in found] == [whole.run_id] * listed, "one of unknown age is never old"


def test_empty_runs_alone_are_listed_and_removed(sandlot, two):
    whole, empty = two
    rows = json.loads(sandlot("runs", "list", "--empty", "--json").out)["runs"]
    assert [row["run_id"] for row in rows] == [empty.run_id]
    done = sandlot("runs", "remove", "--empty", "--yes", "--json")
    assert done.code == 0 and json.loads(done.out) == {"removed": [empty.run_id], "bytes": rows[0]["bytes"]}
    assert whole.paths.folder.exists() and not empty.paths.folder.exists()
    again = sandlot("runs", "remove", "--empty", "--yes")
    assert (again.code, again.out) == (0, "No run matches.\n")


def test_to_remove_without_saying_what_removes_nothing(sandlot, two):
    done = sandlot("runs", "remove", "--yes")
    assert done.code == 2 and "Name runs to remove" in done.err
    assert all(run.paths.folder.exists() for run in two)


def test_a_run_is_shown_with_its_best_checkpoint(sandlot, two, monkeypatch):
    whole, _ = two
    best = SimpleNamespace(window_id=0, report={"value": 1234.5, "episodes": 64}, to_json=dict)
    monkeypatch.setattr(Run, "best", lambda self: best)
    text = sandlot("runs", "show", whole.run_id).out
    assert "best.pt: value 1,234 on 64 report seeds." in text
    shown = [line.replace("│", " ").split() for line in text.splitlines()]
    assert ["game", "tag"] in shown and ["best_window", "0"] in shown and ["error"] in shown
    assert not any(words[:1] in (["bytes"], ["record"], ["best"]) for words in shown)
    best.report = None
    assert "best.pt" not in sandlot("runs", "show", whole.run_id).out
    assert sandlot("runs", "show", whole.run_id, whole.run_id).code == 2


def test_options_defaults_and_ranges_are_as_documented():
    assert_documented("runs")
