import pytest
from calling import caller


@pytest.fixture
def godot_bridge(monkeypatch, capsys, tmp_path):
    """`godot_bridge("--json")`: benchmarks/godot_bridge.py, called within this process."""
    import godot_bridge

    return caller(monkeypatch, capsys, tmp_path, godot_bridge.app, "godot_bridge.py")
