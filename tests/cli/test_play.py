"""`sandlot play` and the end of `sandlot demo`: both lead to the site."""

import re
import signal
import subprocess
import urllib.request

import pytest

from sandlot.cli import demo
from sandlot.serve import Settings

from .conftest import PLAIN, PROGRAM
from .documented import assert_documented


def test_play_says_where_the_page_is_serves_it_and_stops_cleanly(tmp_path):
    child = subprocess.Popen(
        [*PROGRAM, "play", "tag", "--no-open", "--runs", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=PLAIN | {"PYTHONUNBUFFERED": "1"},
    )
    try:
        line = child.stdout.readline()
        address = re.search(r"(http://\S+)/play\?game=tag", line)
        assert address, line
        with urllib.request.urlopen(f"{address[1]}/api/games/tag", timeout=20) as answer:
            assert answer.status == 200
        child.send_signal(signal.SIGINT)
        _, output = child.communicate(timeout=20)
    finally:
        child.kill()
    assert child.returncode in (0, 130)
    assert "Traceback" not in output


def test_a_game_that_is_not_there_is_exit_code_2_with_those_that_are(sandlot):
    done = sandlot("play", "chess")
    assert done.code == 2
    assert "tag" in done.err and "prospector" in done.err


@pytest.mark.slow
def test_the_demo_ends_with_the_command_for_the_site_where_nobody_sits(process, tmp_path):
    done = process("demo", "--minutes", "0.05", "--speed", "100", "--runs", str(tmp_path / "here"))
    assert done.code == 0, done.err
    assert re.search(rf"sandlot serve --runs {tmp_path / 'here'} .*http://127.0.0.1:8000", done.out)


def test_the_demo_names_a_program_that_can_be_typed_where_its_environment_is_not_active(monkeypatch):
    monkeypatch.setattr("sys.argv", [".venv/bin/sandlot", "demo"])
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    assert demo.program() == ".venv/bin/sandlot"
    monkeypatch.setenv("VIRTUAL_ENV", "here")
    assert demo.program() == "sandlot"


def test_the_demo_names_the_address_that_serve_takes():
    assert f"http://127.0.0.1:{Settings().port}" == demo.SITE


def test_options_defaults_and_ranges_are_as_documented():
    assert_documented("play")
