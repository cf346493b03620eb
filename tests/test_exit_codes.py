"""Exit codes in words."""

import pytest

from sandlot.processes import describe_exit


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0, "ended with exit code 0"),
        (1, "ended with exit code 1"),
        (128, "ended with exit code 128"),
        (129, "was killed by signal 1 (SIGHUP)"),
        (-15, "was killed by signal 15 (SIGTERM)"),
        (143, "was killed by signal 15 (SIGTERM)"),
        (-9, "was killed by signal 9 (SIGKILL); perhaps the machine ran out of memory"),
        (137, "was killed by signal 9 (SIGKILL); perhaps the machine ran out of memory"),
        (255, "ended with exit code 255"),
    ],
)
def test_an_exit_code_is_named_or_the_signal_that_it_stands_for(code, words):
    assert describe_exit(code) == words
