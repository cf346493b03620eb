"""cli/serve.py: which names are answered to, when a browser opens, what is said first."""

import socket
import sys

import pytest

from sandlot.cli import serve as module
from sandlot.cli.serve import has_browser, open_site
from sandlot.errors import ConfigError
from sandlot.serve import Settings, server
from sandlot.serve.limits import ANY_ADDRESS

from .documented import assert_documented


@pytest.fixture
def opened(monkeypatch):
    """Settings of the app that was served, and pages that a browser opened; the server ends at once."""
    seen = {"pages": [], "settings": []}

    def run(app, settings, listener, ready):
        seen["settings"].append(settings)
        seen["app"] = app
        ready()
        listener.close()

    monkeypatch.setattr(server, "run", run)
    monkeypatch.setattr(module.webbrowser, "open", seen["pages"].append)
    monkeypatch.setattr(module, "has_browser", lambda: True)
    return seen


def test_the_page_is_opened_once_the_server_answers(opened, tmp_path, capsys):
    open_site(Settings(runs=tmp_path, port=0), path="/play?game=tag")
    (page,) = opened["pages"]
    assert page.startswith("http://127.0.0.1:") and page.endswith("/play?game=tag")
    output = capsys.readouterr()
    assert f"at {page} (Ctrl-C stops it)" in " ".join(output.out.split()) and output.err == ""


@pytest.mark.parametrize(("wanted", "there"), [(False, True), (True, False), (False, False)])
def test_no_page_is_opened_unless_it_is_wanted_and_there_is_a_browser(
    opened, tmp_path, monkeypatch, wanted, there
):
    monkeypatch.setattr(module, "has_browser", lambda: there)
    open_site(Settings(runs=tmp_path, port=0), browser=wanted)
    assert opened["pages"] == [] and len(opened["settings"]) == 1


def test_on_this_machine_only_its_local_names_are_answered_to(opened, tmp_path):
    open_site(Settings(runs=tmp_path, port=0))
    assert opened["settings"][0].hosts == ("localhost", "127.0.0.1", "[::1]", "127.0.0.1")
    assert opened["app"].state.context.settings.hosts == opened["settings"][0].hosts


def test_names_that_were_chosen_stay(opened, tmp_path):
    open_site(Settings(runs=tmp_path, port=0, hosts=("games.example",)))
    assert opened["settings"][0].hosts == ("games.example",)


def test_a_public_server_also_answers_to_the_machine_and_to_any_address(opened, tmp_path, capsys):
    open_site(Settings(runs=tmp_path, host="0.0.0.0", port=0), public=True)
    name = socket.gethostname()
    assert {"localhost", "0.0.0.0", name, f"{name}.local", ANY_ADDRESS} <= set(opened["settings"][0].hosts)
    assert "Anybody who reaches this machine can read the runs" in " ".join(capsys.readouterr().err.split())


def test_a_public_address_without_the_word_serves_nothing(opened, tmp_path):
    with pytest.raises(ConfigError, match="--public"):
        open_site(Settings(runs=tmp_path, host="0.0.0.0", port=0))
    assert opened["settings"] == []


def test_a_folder_that_is_not_there_is_said(opened, tmp_path, capsys):
    open_site(Settings(runs=tmp_path / "[red]later", port=0))
    shown = capsys.readouterr()
    out, err = ("".join(text.split()) for text in shown)  # however its lines are broken
    assert "Thereisnofolder" in err and "[red]later" in err and "[red]later" in out


@pytest.mark.parametrize(
    ("terminal", "screen", "system", "found"),
    [
        (True, {"DISPLAY": ":0"}, "linux", True),
        (True, {"WAYLAND_DISPLAY": "w"}, "linux", True),
        (True, {}, "linux", False),
        (True, {}, "darwin", True),
        (True, {}, "win32", True),
        (False, {"DISPLAY": ":0"}, "linux", False),
        (False, {}, "darwin", False),
    ],
)
def test_a_browser_needs_a_person_and_a_screen(monkeypatch, terminal, screen, system, found):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in screen.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    assert has_browser() is found


@pytest.mark.parametrize(
    ("words", "browser", "public"),
    [((), True, False), (("--no-open",), False, False), (("--public", "--host", "0.0.0.0"), True, True)],
)
def test_the_command_hands_its_options_on(sandlot, monkeypatch, tmp_path, words, browser, public):
    calls = []
    monkeypatch.setattr(module, "open_site", lambda settings, **more: calls.append((settings, more)))
    done = sandlot("serve", "--runs", str(tmp_path), "--port", "7", *words)
    assert done.code == 0, done.err
    ((settings, more),) = calls
    assert (settings.runs, settings.port) == (tmp_path, 7) and more == {"browser": browser, "public": public}


def test_a_port_beyond_the_last_is_refused(sandlot):
    assert sandlot("serve", "--port", "65536").code == 2


def test_options_defaults_and_ranges_are_as_documented():
    assert_documented("serve")
