"""cli/options.py: deadlines are checked first and reach every game that is started."""

import os

import pytest

from sandlot.cli.options import use_deadlines
from sandlot.errors import ConfigError, UnknownName
from sandlot.worlds.remote import DEADLINES_VARIABLE


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv(DEADLINES_VARIABLE, "step=7")


def test_deadlines_are_passed_on_and_none_change_nothing():
    use_deadlines("")
    assert os.environ[DEADLINES_VARIABLE] == "step=7"
    use_deadlines("start=90,step=3")
    assert os.environ[DEADLINES_VARIABLE] == "start=90,step=3"


@pytest.mark.parametrize("text", ["sleep=3", "step", "step=fast"])
def test_wrong_deadlines_are_refused_and_not_passed_on(text):
    with pytest.raises((ConfigError, UnknownName)):
        use_deadlines(text)
    assert os.environ[DEADLINES_VARIABLE] == "step=7"


@pytest.mark.parametrize("words", [("eval", "no-such-run"), ("train", "tag")])
def test_commands_check_deadlines_before_anything_else(sandlot, tmp_path, words):
    done = sandlot(*words, "--deadlines", "sleep=3")
    assert done.code == 2 and "sleep" in done.err and list(tmp_path.iterdir()) == []
