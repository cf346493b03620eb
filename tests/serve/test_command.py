"""`sandlot serve` as a person starts it: what it says, where it listens, how it stops, what it refuses."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from calling import caller

from sandlot.cli import main
from sandlot.serve.server import is_loopback, listen

PROGRAM = [sys.executable, "-c", "from sandlot.cli.main import run; run()", "serve"]
PLAIN = {k: v for k, v in os.environ.items() if not k.startswith("SANDLOT_")} | {
    "NO_COLOR": "1",
    "COLUMNS": "200",
}
READY = re.compile(r"Serving .* at (http://\S+) ")


@contextlib.contextmanager
def started(*words, **more):
    child = subprocess.Popen(
        [*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=PLAIN, **more
    )
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def address_of(child):
    line = child.stdout.readline()
    assert READY.search(line), line + child.stderr.read()
    return READY.search(line)[1]


@pytest.fixture
def refused(monkeypatch, capsys, tmp_path):
    """`refused(words)`: what the program says in this process as it ends with exit code 2."""
    for name in [name for name in os.environ if name.startswith("SANDLOT_")]:
        monkeypatch.delenv(name)
    serve = caller(monkeypatch, capsys, tmp_path, main.app, "sandlot")

    def call(*words):
        done = serve("serve", *words)
        assert (done.code, done.out) == (2, "")
        return done.err

    return call


def test_it_says_where_it_listens_and_answers_there(trained):
    with started("--runs", str(trained), "--port", "0", "--no-open") as child:
        address = address_of(child)
        assert address.startswith("http://127.0.0.1:")
        assert httpx.get(f"{address}/api/runs", timeout=20).json()["total"] == 2
        wrong = httpx.get(f"{address}/api/runs", headers={"Host": "evil.example"}, timeout=20)
        assert wrong.status_code == 400, "on loopback it answers to local names alone"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send to a child alone")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_it_stops_cleanly_even_with_somebody_connected(sent, code, trained):
    with started("--runs", str(trained), "--port", "0", "--no-open") as child:
        address = address_of(child)
        with httpx.Client(base_url=address, timeout=20) as client:
            client.get("/health")
            child.send_signal(sent)
            _, output = child.communicate(timeout=20)
    assert child.returncode == code
    assert "Traceback" not in output and "Error" not in output


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send to a child alone")
def test_it_stops_soon_though_somebody_asked_for_much(trained):
    """The scores of nine seeds take many seconds on any machine, and one thread makes them."""
    with started("--runs", str(trained), "--port", "0", "--no-open") as child:
        address = address_of(child)
        with ThreadPoolExecutor(9) as crowd:
            asked = [crowd.submit(ask_for_scores, address, seed) for seed in range(9)]
            wait_until_answering(address)
            began = time.monotonic()
            child.send_signal(signal.SIGINT)
            _, output = child.communicate(timeout=60)
            took = time.monotonic() - began
    assert child.returncode == 130 and "Traceback" not in output
    assert any(each.result() != 200 for each in asked), "there was still much to do"
    assert took < 8, "a second for answers under way, and nobody waits for the rest"


def ask_for_scores(address, seed):
    """The status of the answer, or none where the server was gone."""
    try:
        return httpx.get(f"{address}/api/games/prospector/scores?seed={seed}", timeout=60).status_code
    except httpx.TransportError:
        return None


def wait_until_answering(address):
    """Two questions later those asked before have been taken in."""
    for _ in range(2):
        assert httpx.get(f"{address}/health", timeout=20).status_code == 200


def test_a_taken_port_is_a_sentence_and_exit_code_2(trained, refused):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        output = refused("--runs", str(trained), "--port", str(port), "--no-open")
    assert f"Port {port} on 127.0.0.1 is taken" in output and "--port 0" in output


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "example.invalid"])
def test_an_address_that_others_reach_needs_a_word(host, refused):
    output = refused("--host", host, "--port", "0", "--no-open")
    assert "--public" in output and "no accounts" in output


def test_with_the_word_it_serves_and_warns(trained):
    with started(
        "--runs", str(trained), "--host", "0.0.0.0", "--public", "--port", "0", "--no-open"
    ) as child:
        address = address_of(child)
        assert httpx.get(f"{address}/health", timeout=20).status_code == 200
        for name, status in ((socket.gethostname(), 200), ("192.0.2.7:80", 200), ("evil.example", 400)):
            answer = httpx.get(f"{address}/health", headers={"Host": name}, timeout=20)
            assert answer.status_code == status, f"{name}: a name that others can point here is not ours"
        child.terminate()
        _, output = child.communicate(timeout=20)
    assert "Anybody who reaches this machine" in output


def test_an_address_that_does_not_exist_is_a_sentence(refused):
    assert "no address 'example.invalid'" in refused("--host", "example.invalid", "--public", "--port", "0")
    assert "cannot be listened on" in refused("--host", "192.0.2.1", "--public", "--port", "0")


def test_a_wrong_variable_is_a_sentence_that_names_it(monkeypatch, refused):
    monkeypatch.setenv("SANDLOT_MAX_SESSIONS", "none")
    assert "SANDLOT_MAX_SESSIONS = 'none'" in refused("--port", "0")


def test_a_folder_that_is_not_there_yet_is_said_and_served(tmp_path):
    with started("--runs", str(tmp_path / "later"), "--port", "0", "--no-open") as child:
        assert httpx.get(f"{address_of(child)}/api/runs", timeout=20).json()["total"] == 0
        child.terminate()
        assert "There is no folder" in child.communicate(timeout=20)[1]


def test_settings_come_from_the_environment_too(trained, monkeypatch):
    monkeypatch.setitem(PLAIN, "SANDLOT_RUNS", str(trained))
    monkeypatch.setitem(PLAIN, "SANDLOT_PORT", "0")
    with started("--no-open") as child:
        assert httpx.get(f"{address_of(child)}/api/runs", timeout=20).json()["total"] == 2


def test_small_answers_are_sent_at_once():
    with listen("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP, "asyncio switches delaying off only where it sees this"


def test_loopback_is_known_in_all_its_spellings():
    assert all(map(is_loopback, ("127.0.0.1", "127.8.8.8", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "example.org", "")))


def test_it_answers_within_a_few_seconds(trained):
    began = time.monotonic()
    with started("--runs", str(trained), "--port", "0", "--no-open") as child:
        address_of(child)
    assert time.monotonic() - began < 30
