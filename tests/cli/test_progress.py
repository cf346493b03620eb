"""cli/progress.py: a bar in a terminal, a line now and then elsewhere."""

import io

import pytest

from sandlot.cli import progress as module
from sandlot.cli.progress import QUIET_SECONDS, progress
from sandlot.cli.show import Terminal


def test_a_pipe_gets_a_line_every_ten_seconds(monkeypatch, capsys):
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    assert QUIET_SECONDS == 10.0
    with progress("Playing tag") as tell:
        for moment in (109.9, 110.0, 119.9, 120.0):
            now[0] = moment
            tell(f"at {moment:g}", 3, 10)
    assert capsys.readouterr().err == "Playing tag: at 110 3/10\nPlaying tag: at 120 3/10\n"


@pytest.mark.parametrize("fails", [False, True])
def test_a_terminal_gets_a_bar_that_is_gone_afterwards(monkeypatch, fails):
    console = Terminal(file=io.StringIO(), force_terminal=True, width=80, _environ={"TERM": "xterm"})
    monkeypatch.setattr(module, "err", console)
    try:
        with progress("Measuring") as tell:
            tell("a case", 3, 10)
            if fails:
                raise ZeroDivisionError
    except ZeroDivisionError:
        assert fails
    text = console.file.getvalue()
    assert "Measuring" in text and "3/10" in text and "a case" in text
    assert text.endswith("\x1b[2K") or text.rstrip("\r\n").endswith("\x1b[2K"), "erased at the end"
