import re
import subprocess

import pytest
from making import TickingClock

from sandlot.errors import UnsafePath
from sandlot.runs.paths import RunPaths, check_name, git_revision, new_run_folder, window_of


def test_names_are_those_that_everybody_knows(tmp_path):
    paths = RunPaths(tmp_path)
    names = [
        paths.checkpoint(12),
        paths.best,
        paths.policy("seeker"),
        paths.windows,
        paths.replay("replay-000012-00ff00ff"),
    ]
    assert [paths.relative(path) for path in names] == [
        "checkpoints/ckpt_000012.pt",
        "checkpoints/best.pt",
        "checkpoints/policy_seeker.pt",
        "metrics/windows.jsonl",
        "replays/replay-000012-00ff00ff.jsonl.gz",
    ]


def test_a_checkpoint_name_gives_its_window_back(tmp_path):
    paths = RunPaths(tmp_path)
    assert [window_of(paths.checkpoint(w)) for w in (0, 999_999, 1_234_567)] == [0, 999_999, 1_234_567]
    assert window_of(paths.best) is None


TRICKS = [
    "",
    ".",
    "..",
    "../x",
    "a/b",
    "a\\b",
    "/etc/passwd",
    "C:x",
    "a\0b",
    "~",
    "-rf",
    "a\n",
    "x" * 129,
    "aux.",
    "é",
    7,
]


@pytest.mark.parametrize("name", TRICKS)
def test_a_name_that_could_leave_the_folder_is_refused(tmp_path, name):
    with pytest.raises(UnsafePath, match="cannot be the name"):
        check_name("replay", name)


@pytest.mark.parametrize(
    "relative", ["../other/run.json", "/etc/passwd", "replays/../../x", "C:\\x", "..\\x", "a:b"]
)
def test_a_path_in_a_file_that_leads_outside_is_refused(tmp_path, relative):
    (tmp_path / "run").mkdir()
    with pytest.raises(UnsafePath, match="leads out of the run folder"):
        RunPaths(tmp_path / "run").inside(relative)


def test_a_link_inside_the_folder_cannot_lead_outside(tmp_path):
    (tmp_path / "run" / "replays").mkdir(parents=True)
    (tmp_path / "run" / "replays" / "link").symlink_to(tmp_path)
    with pytest.raises(UnsafePath):
        RunPaths(tmp_path / "run").inside("replays/link/secret")


def test_runs_that_begin_in_one_second_get_numbers(tmp_path):
    moment = TickingClock()()
    names = [new_run_folder(tmp_path, lambda: moment, "nogit").name for _ in range(3)]
    assert names == ["20260131T090501Z-nogit", "20260131T090501Z-nogit-2", "20260131T090501Z-nogit-3"]


def test_outside_a_checkout_the_revision_is_nogit(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert git_revision(tmp_path) == "nogit"
    monkeypatch.setenv("PATH", "")
    assert git_revision(tmp_path) == "nogit"


def test_in_a_checkout_the_revision_is_a_short_hash(tmp_path):
    def git(*words):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )

    git("init")
    git("commit", "--allow-empty", "-m", "x")
    assert re.fullmatch("[0-9a-f]{8}", git_revision(tmp_path))
