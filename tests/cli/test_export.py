"""`sandlot export`: files in the run, a table for people, JSON for machines, refusals in a sentence."""

import json
from pathlib import Path

import pytest

import sandlot as package
from sandlot.runs.store import Store
from sandlot.train.compose import compose
from sandlot.train.loop import Loop, begin

from .documented import assert_documented

SMALL = (
    "run.windows=2", "run.window_env_steps=700", "ppo.num_envs=16", "ppo.num_steps=16",
    "ppo.num_minibatches=4", "ppo.rollouts_per_iteration=1", "run.threads=1", "network.hidden_sizes=[16]",
)  # fmt: skip


def train(root: Path, game: str) -> str:
    config = compose(game, words=SMALL)
    with begin(Store(root), config) as run:
        Loop(config, run).go()
        return run.run_id


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> dict[str, str]:
    """A run of each game; and where they are."""
    root = tmp_path_factory.mktemp("runs")
    return {"root": str(root)} | {game: train(root, game) for game in ("tag", "prospector")}


def test_a_run_leaves_one_file_a_role_that_plays_as_it_does(sandlot, runs):
    report = json.loads(sandlot("export", runs["tag"], "--runs", runs["root"], "--json").out)
    folder = Path(runs["root"]) / runs["tag"] / "exports"
    assert set(report["roles"]) == {"seeker", "hider"}
    for role, found in report["roles"].items():
        (file,) = found["files"]
        assert file["file"] == f"{role}-{report['window_id']:06d}.onnx" and (folder / file["file"]).is_file()
        assert file["max_difference"] < 1e-4 and file["greedy_agreement"] == 1.0
        assert [row["rows"] for row in found["microseconds"]] == [1, 64, 1024]
        assert package.load_policy(folder / file["file"]).facts["run_id"] == runs["tag"]


def test_smaller_forms_are_written_beside_it_and_compared(sandlot, runs):
    words = ("--onnx", "--int8", "--godot-rl", "--distill", "8,8", "--rounds", "2", "--json")
    report = json.loads(sandlot("export", runs["prospector"], "--runs", runs["root"], *words).out)
    files = report["roles"]["pilot"]["files"]
    assert [file["form"] for file in files] == ["onnx", "int8", "8x8", "8x8-int8", "godot_rl"]
    assert files[1]["bytes"] < files[0]["bytes"]
    assert files[2]["student"]["parameters"] < files[2]["student"]["teacher_parameters"]
    assert 0 <= files[2]["student"]["agreement"] <= 1


def test_a_person_sees_sizes_agreement_and_speed(sandlot, runs):
    checkpoint = Path(runs["root"]) / runs["tag"] / "checkpoints" / "ckpt_000000.pt"
    printed = sandlot("export", str(checkpoint), "--role", "hider", "--int8").out
    assert "hider-000000-int8.onnx" in printed and "microseconds per call" in printed
    assert "seeker-000000" not in printed and str(checkpoint.parent.parent / "exports") in printed


def test_an_exported_file_can_be_judged(sandlot, runs, tmp_path):
    sandlot(
        "export", runs["tag"], "--runs", runs["root"], "--output", str(tmp_path / "out"), "--role", "seeker"
    )
    (file,) = (tmp_path / "out").iterdir()
    report = json.loads(sandlot("eval", str(file), "--episodes", "4", "--json").out)
    assert set(report["roles"]) == {"seeker"}
    refused = sandlot("export", str(file))
    assert refused.code == 2 and "is an exported policy" in refused.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--distill", "64,x"), "expected whole numbers"),
        (("--distill", "0"), "expected 1 to 8 layers"),
        (("--role", "goalkeeper"), "has weights for seeker, hider"),
    ],
)
def test_what_cannot_be_done_is_said_and_exits_with_2(sandlot, runs, words, sentence):
    done = sandlot("export", runs["tag"], "--runs", runs["root"], *words)
    assert done.code == 2 and sentence in done.err


def test_a_folder_that_cannot_be_made_is_said(sandlot, runs, tmp_path):
    (tmp_path / "taken").write_text("a file")
    done = sandlot(
        "export", runs["tag"], "--runs", runs["root"], "--output", str(tmp_path / "taken" / "here")
    )
    assert done.code == 2 and "could not be written" in done.err


def test_an_unknown_run_and_a_missing_file_are_named(sandlot, runs):
    assert "no run" in sandlot("export", "nobody", "--runs", runs["root"]).err
    done = sandlot("export", "nothing.pt")
    assert done.code == 2 and "There is no file nothing.pt" in done.err


def test_options_defaults_and_ranges_are_as_documented():
    assert_documented("export")
