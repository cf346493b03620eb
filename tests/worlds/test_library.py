"""Loading the engine: what is missing, broken or of another version is said with what to do."""

import _ctypes
import re
import shutil
import sys
from pathlib import Path

import pytest

from sandlot.errors import (
    ActionError,
    ConfigError,
    EngineMissing,
    NotReset,
    OutOfMemory,
    SandlotError,
    SnapshotError,
)  # fmt: skip
from sandlot.worlds import library


@pytest.fixture
def chosen():
    """The package's own build is loaded again after a test has chosen another."""
    before = library._chosen
    yield
    library._chosen = before
    library.load.cache_clear()


def test_a_build_that_is_not_there_names_the_place_and_both_remedies(tmp_path):
    with pytest.raises(EngineMissing) as problem:
        library.load(tmp_path / "libsandlot.so")
    for words in (str(tmp_path / "libsandlot.so"), "make build", "pip install sandlot"):
        assert words in str(problem.value)


def test_a_file_that_is_no_library_is_refused(tmp_path):
    (tmp_path / "libsandlot.so").write_bytes(b"no library")
    with pytest.raises(EngineMissing, match=r"cannot be loaded \(.*\)\. Build it on this machine"):
        library.load(tmp_path / "libsandlot.so")


def test_another_library_lacks_the_functions():
    with pytest.raises(EngineMissing, match=r"has no sl_abi_version: it is of another version\. Run `make b"):
        library.load(Path(_ctypes.__file__))


def test_another_abi_is_refused_with_both_versions(monkeypatch, tmp_path):
    shutil.copy(library.default_path(), tmp_path / "copy.so")
    monkeypatch.setattr(library, "ABI_VERSION", 99)
    with pytest.raises(EngineMissing, match="speaks ABI 2, this Python speaks 99"):
        library.load(tmp_path / "copy.so")
    monkeypatch.undo()
    assert library.load(tmp_path / "copy.so").sl_abi_version() == library.ABI_VERSION == 2


def test_a_chosen_build_is_loaded_from_then_on(chosen, tmp_path):
    own = library.load()
    shutil.copy(library.default_path(), tmp_path / "mine.so")
    library.use(tmp_path / "mine.so")
    assert library.default_path() == tmp_path / "mine.so"
    assert library.load()._name == str(tmp_path / "mine.so") and library.load() is not own
    assert library.load() is library.load(), "once"


@pytest.mark.parametrize(("system", "suffix"), [("linux", "so"), ("darwin", "dylib"), ("win32", "dll")])
def test_every_system_has_its_suffix(system, suffix, monkeypatch):
    monkeypatch.setattr(sys, "platform", system)
    assert library.default_path().name == f"libsandlot.{suffix}"
    assert library.default_path().parent.name == "lib"


def test_every_result_has_its_error_and_one_of_a_setting_keeps_its_case():
    class Engine:
        @staticmethod
        def sl_why():
            return b"wind = 9: expected less"

    assert [library.check(Engine, result) for result in (0, 7)] == [0, 7]
    kinds = {
        -2: ConfigError,
        -3: ConfigError,
        -4: OutOfMemory,
        -6: ActionError,
        -7: SnapshotError,
        -8: NotReset,
    }
    for result, kind in (kinds | {-1: SandlotError, -99: SandlotError}).items():
        with pytest.raises(kind) as problem:
            library.check(Engine, result)
        assert type(problem.value) is kind
        shown = "wind = 9: expected less" if kind is ConfigError else "Wind = 9: expected less."
        assert str(problem.value) == shown


def test_the_arrays_are_those_of_the_header_in_its_order():
    header = (Path(__file__).parents[2] / "engine" / "abi" / "sandlot.h").read_text()
    body = header[: header.index("} SlBuffers;")].rpartition("typedef struct {")[2]
    assert tuple(re.findall(r"\*(\w+)[;,]", body)) == library.ARRAYS
