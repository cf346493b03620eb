import pytest


@pytest.fixture
def project(tmp_path):
    """A Godot project with nothing in it."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "project.godot").write_text("config_version=5\n")
    return folder
