"""A lock that one process holds at a time, and that its end gives back."""

import subprocess
import sys

import pytest
from leaks import nothing_left_open

from sandlot.locking import single_instance

TRY = """
import sys
from sandlot import locking
with open(sys.argv[1], "wb") as file:
    try:
        locking.try_acquire(file.fileno())
        print("free")
    except OSError:
        print("held")
"""


def seen_from_another_process(lock):
    asked = [sys.executable, "-c", TRY, str(lock)]
    return subprocess.run(asked, capture_output=True, text=True, check=True, timeout=60).stdout.strip()


def test_the_lock_is_held_inside_and_given_back_after(tmp_path):
    lock = tmp_path / "lock"
    with nothing_left_open():
        with single_instance(lock):
            assert seen_from_another_process(lock) == "held"
        assert seen_from_another_process(lock) == "free"


def test_a_failure_inside_gives_it_back(tmp_path):
    lock = tmp_path / "lock"
    with nothing_left_open(), pytest.raises(ValueError), single_instance(lock):
        raise ValueError("in the middle")
    assert seen_from_another_process(lock) == "free"
