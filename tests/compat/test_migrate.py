"""`python -m sandlot.compat migrate`: old files are copied once; the originals stay unless put away."""

import pytest


@pytest.fixture
def old(tmp_path, monkeypatch):
    """Two old trajectories and an old frame, in folders that the variables name."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, file in (
        ("AI_LEGACY_TRAJECTORY_DIRS", "walks/ep_00001.jsonl"),
        ("AI_LEGACY_TRAJECTORY_DIRS", "walks/ep_00002.jsonl"),
        ("AI_LEGACY_FRAMES_DIRS", "pictures/frame_00000.png"),
        ("AI_LEGACY_FRAMES_DIRS", "pictures/other.txt"),
    ):
        path = tmp_path / "old" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file)
        monkeypatch.setenv(name, str(path.parent))
    return tmp_path / "old"


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_files_are_copied_once_and_the_originals_stay(compat, old, tmp_path):
    before = files(old)
    assert compat("migrate").out == "3 files copied, 0 were there already.\n"
    assert files(tmp_path / "data") == [
        "frames/frame_00000.png", "trajectories/ep_00001.jsonl", "trajectories/ep_00002.jsonl",
    ]  # fmt: skip
    assert files(old) == before
    (tmp_path / "data/trajectories/ep_00001.jsonl").write_text("mine")
    assert compat("migrate").out == "0 files copied, 3 were there already.\n"
    assert (tmp_path / "data/trajectories/ep_00001.jsonl").read_text() == "mine"


def test_put_away_originals_are_in_the_imports_folder(compat, old, tmp_path):
    assert compat("migrate", "--archive-legacy").code == 0
    assert files(old) == ["pictures/other.txt"]
    (archive,) = (tmp_path / "data/_imported").iterdir()
    assert files(archive) == [
        "frames/frame_00000.png", "trajectories/ep_00001.jsonl", "trajectories/ep_00002.jsonl",
    ]  # fmt: skip


def test_a_dry_run_names_every_file_and_touches_none(compat, old, tmp_path):
    before = files(tmp_path)
    output = compat("migrate", "--dry-run", "--archive-legacy").out
    assert output.count(" → ") == 3 and output.endswith("3 files would be copied, 0 were there already.\n")
    assert files(tmp_path) == before
