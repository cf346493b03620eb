"""How these tests call `python -m sandlot.compat`."""

import pytest
from calling import caller, fake_engine

from sandlot.compat.__main__ import app


@pytest.fixture
def compat(monkeypatch, capsys, tmp_path):
    """`compat("migrate", "--dry-run")`: the entry point in an empty folder."""
    return caller(monkeypatch, capsys, tmp_path, app, "sandlot.compat")


@pytest.fixture
def pretender(monkeypatch, tmp_path):
    """An engine that knows its version, but does something else than drawing."""
    return fake_engine(monkeypatch, tmp_path)
