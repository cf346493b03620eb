"""What holds for the program as a whole and for every command it has, those of tomorrow included."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer.main

from sandlot import __version__
from sandlot.cli import main
from sandlot.cli.main import COMMANDS, FAMILIES, app
from sandlot.errors import SandlotError

from .conftest import PLAIN, PROGRAM, Done

ROOT = Path(__file__).parent.parent.parent
NESTED = [(family, name) for family, names in FAMILIES.items() for name in names]
CALLS = [*((name,) for name in (*COMMANDS, *FAMILIES)), *NESTED]


def test_version_is_one_line(process):
    assert process("--version") == Done(0, f"sandlot {__version__}\n", "")


def test_a_refusal_reaches_the_shell_as_exit_code_2(process):
    done = process("games", "tga")
    assert (done.code, done.out) == (2, "")
    assert done.err == "sandlot: There is no game called 'tga'. Did you mean 'tag'?\n"


def test_no_words_show_the_list_of_commands(sandlot):
    done = sandlot()
    assert all(name in done.out + done.err for name in COMMANDS)


@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_a_command_has_help_with_an_example(words, sandlot):
    done = sandlot(*words, "--help")
    assert done.code == 0
    assert re.search(rf"Examples?: sandlot {' '.join(words)}", " ".join(done.out.split()))


@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_a_command_refuses_an_unknown_option_with_exit_code_2(words, sandlot):
    done = sandlot(*words, "--no-such-option")
    assert done.code == 2
    assert "no-such-option" in done.err and not done.out


@pytest.mark.parametrize("words", [(), *CALLS], ids=" ".join)
def test_help_fits_80_columns_and_breaks_no_word(words, sandlot, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    output = sandlot(*words, "--help").out
    prose = [
        line for line in output.splitlines() if not line.startswith("    sandlot ")
    ]  # examples are not wrapped
    assert max(map(len, prose)) <= 80
    assert "<bool>" not in output and "…\n" not in output and "...\n" not in output.partition("Commands:")[2]
    command = typer.main.get_command(app)
    for word in words:
        command = command.commands[word]
    for option in (name for part in command.params for name in (*part.opts, *part.secondary_opts)):
        assert not option.startswith("--") or re.search(rf"(?m)(^| ){option}( |,|$)", output), option


def test_every_command_is_registered_under_its_own_name():
    assert [command.name for command in app.registered_commands] == list(COMMANDS)
    assert [family.name for family in app.registered_groups] == list(FAMILIES)


def test_a_misspelt_command_is_reported_the_nearest(sandlot):
    done = sandlot("gmaes")
    assert done.code == 2
    assert "games" in done.err


def test_every_command_is_in_the_readme():
    readme = (ROOT / "README.md").read_text()
    assert [name for name in (*COMMANDS, *FAMILIES) if f"`sandlot {name}" not in readme] == []


def test_a_reader_who_closes_the_pipe_is_no_error():
    line = " ".join(f"'{word}'" for word in [*PROGRAM, "games", "prospector"])
    piped = ["bash", "-c", f"set -o pipefail; {line} | head -1 >/dev/null"]
    done = subprocess.run(piped, env=PLAIN, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr and "BrokenPipe" not in done.stderr


class _Gone(io.StringIO):
    """The output of a program whose reader has closed the pipe, over a file that is really open."""

    def __init__(self, file):
        super().__init__()
        self.file = file

    def flush(self):
        raise BrokenPipeError

    def fileno(self):
        return self.file.fileno()


def test_a_closed_pipe_ends_a_command_with_0_and_what_is_still_buffered_goes_nowhere(tmp_path, monkeypatch):
    with (tmp_path / "output").open("wb", buffering=0) as file:
        monkeypatch.setattr(sys, "stdout", _Gone(file))
        with pytest.raises(typer.Exit) as ended:
            main._stoppable(lambda: None)()
        file.write(b"the rest")
    assert ended.value.exit_code == 0 and (tmp_path / "output").read_bytes() == b""


def test_an_interrupted_command_ends_with_130(monkeypatch, capsys):
    def stopped():
        raise KeyboardInterrupt

    with pytest.raises(typer.Exit) as ended:
        main._stoppable(stopped)()
    assert ended.value.exit_code == 130 and "Stopped." in capsys.readouterr().err


def test_a_problem_is_one_sentence_with_its_hint_and_its_own_exit_code(monkeypatch, capsys):
    class Odd(SandlotError):
        exit_code, hint = 7, "Do this."

    def program():
        raise Odd("It happened.")

    with pytest.raises(SystemExit) as ended:
        main.run(program)
    assert ended.value.code == 7 and "It happened. Do this." in capsys.readouterr().err


# Long enough that they are still at it when the interrupt comes.
LONG = (
    ("bots", "prospector", "--episodes", "100000"),
    ("bench", "tag", "--worlds", "64", "--rounds", "1000", "--seconds", "1"),
    ("demo", "--minutes", "0", "--speed", "0.1"),
)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send to a child alone")
@pytest.mark.parametrize("words", LONG, ids=lambda words: words[0])
def test_ctrl_c_stops_a_command_with_130_and_no_traceback(words):
    env = PLAIN | {"FORCE_COLOR": "1"} if words[0] == "demo" else PLAIN  # the demo is slow only in a terminal
    child = subprocess.Popen(
        [*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    )
    try:
        _wait_until_busy(child.pid)
        child.send_signal(signal.SIGINT)
        _, output = child.communicate(timeout=20)
    finally:
        child.kill()
    assert child.returncode == 130, output
    assert "Traceback" not in output
    assert "Stopped." in output


def _wait_until_busy(pid: int, seconds: float = 30.0) -> None:
    """Until the engine is loaded into the process: then the command itself is running, not Python's start."""
    maps, stop = Path(f"/proc/{pid}/maps"), time.monotonic() + seconds
    while time.monotonic() < stop:
        if maps.exists() and "libsandlot" in maps.read_text():
            time.sleep(0.5)
            return
        time.sleep(0.05)
    if maps.parent.parent.exists():
        raise AssertionError("the engine was never loaded")


# One harmless call of each command that speaks JSON.
JSON_CALLS = (
    ("games",),
    ("games", "tag"),
    ("games", "prospector", "--set", "profile=classic"),
    ("bots", "tag", "--episodes", "2"),
    ("bots", "prospector", "--episodes", "2", "--set", "time_max=200"),
    ("league", "prospector", "--episodes", "2", "--set", "time_max=200"),
    ("bench", "tag", "--worlds", "8", "--rounds", "2", "--seconds", "0.05", "--no-twin"),
    ("parity", "tag", "--seeds", "1", "--steps", "20", "--suites", "random", "--report-only"),
    ("assets", "--to", "shelf"),
    ("godot", "path"),
    ("doctor",),
)


@pytest.mark.parametrize("words", JSON_CALLS, ids=" ".join)
def test_json_is_json_and_nothing_else(words, sandlot):
    done = sandlot(*words, "--json")
    assert done.code == 0, done.err
    json.loads(done.out)


def test_every_command_that_offers_json_is_tried():
    offer = {name for name in COMMANDS if "--json" in (ROOT / f"src/sandlot/cli/{name}.py").read_text()}
    assert offer - {words[0] for words in JSON_CALLS} <= JSON_ELSEWHERE


# Tried where their input is made.
JSON_ELSEWHERE = {"eval", "export", "film", "plot", "record", "replay", "train"}

BAD_CALLS = (
    (("games", "tga"), "Did you mean 'tag'?"),
    (("games", "tag", "--set", "moed=switch"), "Did you mean 'mode'?"),
    (("games", "tag", "--set", "mode=swich"), "Did you mean 'switch'?"),
    (("games", "tag", "--set", "time_limit=-1"), "expected a number from"),
    (("games", "tag", "--set", "time_limit"), "expected NAME=VALUE"),
    (("bots", "prospektor"), "Did you mean 'prospector'?"),
    (("bench", "tagg"), "Did you mean 'tag'?"),
    (("bench", "tag", "--worlds", "8,x"), "expected whole numbers"),
    (("bench", "tag", "--worlds", "0"), "expected whole numbers"),
    (("parity", "tagg"), "Did you mean 'tag'?"),
    (("eval", "no-such-run"), "There is no run in runs called 'no-such-run'"),
    (("eval", "nothing.pt"), "There is no file nothing.pt"),
    (("league", "tagg"), "Did you mean 'tag'?"),
    (("league", "tag", "no-such-run"), "There is no run in runs called 'no-such-run'"),
    (("train", "tagg"), "There is no game called 'tagg'. Did you mean 'tag'?"),
    (("train", "tag.quick"), "Name game and preset separately: tag --preset quick."),
    (("train", "tag", "--preset", "quik"), "no preset of tag called 'quik'. Did you mean 'quick'?"),
    (("train", "prospector", "--engine", "godot"), "prospector has no scene in Godot, which plays only"),
    (("train", "tag", "--set", "policy=3"), "There is no setting called 'policy'. There are: game,"),
    (("train", "tag", "--set", "ppo.num_evs=3"), "There is no setting of ppo called 'num_evs'. Did you"),
    (("games", "tag", "--set", "vision_range=99"), "a number from 1 to 40 m (how far a ray sees)."),
    (("games", "tag", "--set", "sight=1"), "There is no setting of tag called 'sight'. There are: "),
)


@pytest.mark.parametrize(("words", "sentence"), BAD_CALLS, ids=[" ".join(words) for words, _ in BAD_CALLS])
def test_a_wrong_word_is_answered_with_a_sentence_and_exit_code_2(words, sentence, sandlot, tmp_path):
    done = sandlot(*words)
    assert done.code == 2
    assert sentence in done.err
    assert "Traceback" not in done.err and not done.out
    assert list(tmp_path.iterdir()) == [], "nothing was written"
