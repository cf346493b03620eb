"""processes.py: whether a process lives, and children that Ctrl-C does not reach."""

import os
import subprocess
import sys

import pytest

from sandlot.processes import is_alive, new_session_options

POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no sessions, and another call for priorities")


def test_a_process_lives_until_it_has_ended():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert is_alive(child.pid) and is_alive(os.getpid())
    finally:
        child.communicate()
    assert not is_alive(child.pid)


@POSIX
def test_a_process_of_somebody_else_lives_too(monkeypatch):
    def refuse(process, number):
        assert number == 0, "only asked, never disturbed"
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    assert is_alive(1) is True


@POSIX
def test_a_child_apart_is_in_a_session_of_its_own():
    code = "import os; print(os.getsid(0))"
    for words, own in ((new_session_options(), False), ({}, True)):
        output = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, **words
        )
        assert (int(output.stdout) == os.getsid(0)) is own


@POSIX
def test_a_lower_priority_is_ten_steps_lower():
    code = "import os, sandlot.processes as p; a = os.nice(0); p.lower_priority(); print(os.nice(0) - a)"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(output.stdout) == min(10, 19 - os.nice(0))
