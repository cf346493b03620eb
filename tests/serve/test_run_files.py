"""serve/listing.py: which files of a run are shown, how deep, how many."""

import os

import pytest

from sandlot.runs import Store
from sandlot.serve import run_files as module
from sandlot.serve.errors import ApiError
from sandlot.serve.run_files import file_fields, file_kind, find_file_of_run, list_run_files


@pytest.fixture
def run(tmp_path):
    with Store(tmp_path).create({}, game="tag", trainer_backend="ppo", window_env_steps=10) as made:
        yield made


def put(run, *names):
    for name in names:
        path = run.paths.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("run.json", "settings"), ("metrics/windows.jsonl", "metrics"), ("replays/a.jsonl.gz", "replay"),
        ("checkpoints/.a.pt", None), ("checkpoints/a.tmp", None), ("metrics/.hidden/a", None), ("lock", None),
        ("metrics//a", None), ("../metrics/a", None), ("", None),
    ],
)  # fmt: skip
def test_only_known_folders_are_shown_and_nothing_hidden(name, kind):
    assert file_kind(name) == kind


def test_files_are_listed_four_folders_deep_and_no_deeper(run):
    put(run, "logs/1/2/file", "logs/1/2/3/file")
    names = [name for name, _ in list_run_files(run) if name.startswith("logs")]
    assert names == ["logs/1/2/file"], "logs is the first of the four parts"


def test_as_many_files_are_listed_as_fit_and_no_more(run, monkeypatch):
    put(run, *(f"logs/{n}" for n in range(5)))
    everything = len(list(list_run_files(run)))
    for most in (everything, everything - 1):
        monkeypatch.setattr(module, "MAX_FILES", most)
        assert len(list(list_run_files(run))) == most


def test_twenty_thousand_files_are_the_most():
    assert module.MAX_FILES == 20_000


def test_links_folders_and_missing_files_are_no_files(run, tmp_path):
    put(run, "logs/real")
    (run.paths.logs / "link").symlink_to(run.paths.record)
    (run.paths.logs / "out").symlink_to(tmp_path.parent)
    assert [name for name, _ in list_run_files(run) if name.startswith("logs")] == ["logs/real"]
    assert find_file_of_run(run, "logs/real").read_text() == "x"
    for name in ("logs", "logs/none", "logs/out/x", "state.json", "logs/\x00"):
        with pytest.raises(ApiError) as refused:
            find_file_of_run(run, name)
        assert refused.value.status == 404


def test_a_file_has_its_time_in_utc_and_an_address_that_is_quoted(run):
    put(run, "logs/a b.log")
    os.utime(run.paths.logs / "a b.log", (0, 0))
    fields = file_fields(run, "logs/a b.log", (run.paths.logs / "a b.log").stat())
    assert fields["updated_at"].startswith("1970-01-01T00:00:00")
    assert fields["url"] == f"/api/runs/{run.run_id}/files/logs/a%20b.log"
