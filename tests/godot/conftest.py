"""The real engine for every test here: the one of this machine, or one fetched before the first test."""

import pytest
from lacking import lacking

from sandlot.bridge.godot_engine import Engine
from sandlot.bridge.godot_install import install
from sandlot.bridge.godot_project import project_folder
from sandlot.errors import GodotMissing


@pytest.fixture(scope="session")
def engine() -> Engine:
    try:
        return install()
    except GodotMissing as missing:
        lacking(str(missing))


@pytest.fixture(scope="session")
def project():
    return project_folder()
