"""Programs that an install starts, and troubles on the way to a server: told in words, nothing left."""

import sys
import urllib.error

import psutil
import pytest

from sandlot.bridge import debian, godot_install


def test_a_program_tells_what_it_printed_or_its_last_words():
    assert debian._run([sys.executable, "-c", "print('fine')"], 30).strip() == "fine"
    with pytest.raises(OSError, match=r"failed: no luck$"):
        debian._run([sys.executable, "-c", "import sys; sys.exit('so far\\nno luck')"], 30)
    with pytest.raises(OSError, match="failed: it printed nothing"):
        debian._run([sys.executable, "-c", "raise SystemExit(3)"], 30)


def test_a_program_is_ended_and_waited_for_when_somebody_stops_it():
    def stop():
        raise KeyboardInterrupt

    before = set(psutil.Process().children())
    with pytest.raises(KeyboardInterrupt):
        debian._run([sys.executable, "-c", "import time; time.sleep(60)"], 60, stop)
    assert set(psutil.Process().children()) == before, "not even a zombie"


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (urllib.error.URLError("no route"), "no route"),
        (TimeoutError("timed out"), "timed out"),
        (ConnectionResetError(), "ConnectionResetError"),
    ],
)
def test_the_reason_of_a_trouble_is_reported_in_words(trouble, words):
    assert godot_install._reason(trouble) == words
