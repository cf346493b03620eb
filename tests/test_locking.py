"""locking.py: one holder, many who look, and a lock that is released with its holder."""

import os
import subprocess
import sys
import threading

import pytest

from sandlot.locking import acquire, check_free, release, try_acquire

HOLDER = """
import os, sys
from sandlot.locking import try_acquire
try_acquire(os.open(sys.argv[1], os.O_RDWR))
print("held", flush=True)
input()
"""


@pytest.fixture
def handles(tmp_path):
    """Two descriptors of one file, opened separately: what one locks, the other finds locked."""
    path = tmp_path / "lock"
    path.touch()
    made = [os.open(path, os.O_RDWR) for _ in range(2)]
    yield made
    for handle in made:
        os.close(handle)


def test_one_takes_it_and_the_other_is_refused_until_it_is_given_back(handles):
    first, second = handles
    try_acquire(first)
    for attempt in (try_acquire, check_free):
        with pytest.raises(OSError):
            attempt(second)
    release(first)
    try_acquire(second)


def test_looking_leaves_it_free(handles):
    first, second = handles
    check_free(first)
    check_free(second)
    try_acquire(first)


def test_who_waits_has_it_once_it_is_given_back(handles):
    first, second = handles
    try_acquire(first)
    got = threading.Event()
    waiting = threading.Thread(target=lambda: (acquire(second), got.set()), daemon=True)
    waiting.start()
    assert not got.wait(0.1)
    release(first)
    assert got.wait(20)
    with pytest.raises(OSError):
        try_acquire(first)


def test_a_killed_holder_leaves_it_open(tmp_path):
    path = tmp_path / "lock"
    path.touch()
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    handle = os.open(path, os.O_RDWR)
    try:
        assert child.stdout.readline() == "held\n"
        with pytest.raises(OSError):
            try_acquire(handle)
        child.kill()
        child.communicate()
        try_acquire(handle)
    finally:
        os.close(handle)
