"""The server around the app: its sockets, its settings, and clients that let it wait."""

import asyncio
import socket
import threading
from types import SimpleNamespace

import pytest
from leaks import nothing_left_open

from sandlot.errors import SandlotError
from sandlot.serve import Settings, create_app
from sandlot.serve import server as module
from sandlot.serve.server import PortTaken, Server, _config, _protocols_with_timeouts, address_of, listen


def test_uvicorn_is_set_up_for_answers_that_nobody_else_can_change():
    chosen = Settings(client_seconds=7, max_message_bytes=2048)
    config = _config(create_app(chosen), chosen)
    assert config.proxy_headers is False, "a client could else say that it is another machine"
    assert config.server_header is False and config.access_log is False
    assert config.ws_per_message_deflate is False and config.ws_max_size == 2048
    assert (config.timeout_keep_alive, config.timeout_graceful_shutdown) == (30, 2)


# ---------------------------------------------------------------- sockets


def test_a_port_that_is_taken_or_an_address_that_is_not_ours_leaves_no_socket_open():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with nothing_left_open():
            with pytest.raises(PortTaken, match="--port 0"):
                listen("127.0.0.1", other.getsockname()[1])
            with pytest.raises(SandlotError, match="cannot be listened on") as refused:
                listen("192.0.2.1", 0)
    assert not isinstance(refused.value, PortTaken)


def test_a_port_that_was_just_left_can_be_taken_again():
    with listen("127.0.0.1", 0) as listener:
        assert listener.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR)
        with socket.create_connection(listener.getsockname(), timeout=10):
            pass  # the queue takes who comes before the server runs


@pytest.mark.parametrize(
    ("name", "address"),
    [
        (("127.0.0.1", 80), "http://127.0.0.1:80"),
        (("0.0.0.0", 80), "http://localhost:80"),
        (("::", 80, 0, 0), "http://localhost:80"),
        (("::1", 80, 0, 0), "http://[::1]:80"),
    ],
)
def test_the_address_is_one_that_a_browser_takes(name, address):
    assert address_of(SimpleNamespace(getsockname=lambda: name)) == address


# ---------------------------------------------------------------- clients that let it wait


class Timer:
    def __init__(self, seconds, call):
        self.seconds, self.call, self.cancelled = seconds, call, False

    def cancel(self):
        self.cancelled = True


class Loop:
    """An event loop's timers, to be looked at."""

    def __init__(self):
        self.timers = []

    def call_later(self, seconds, call):
        self.timers.append(Timer(seconds, call))
        return self.timers[-1]

    def waiting(self):
        return [timer for timer in self.timers if not timer.cancelled]


@pytest.fixture
def loop(monkeypatch):
    made = Loop()
    monkeypatch.setattr(module.asyncio, "get_running_loop", lambda: made)
    return made


class Base:
    """What uvicorn's protocols do, as calls."""

    def __init__(self):
        self.calls, self.aborted = [], 0
        self.cycle = None
        self.transport = SimpleNamespace(abort=self.abort, get_protocol=lambda: self)

    def abort(self):
        self.aborted += 1

    def connection_made(self, transport):
        self.calls.append("made")

    def data_received(self, data):
        self.calls.append(data)

    def pause_writing(self):
        self.calls.append("pause")

    def resume_writing(self):
        self.calls.append("resume")

    def connection_lost(self, problem):
        self.calls.append(("lost", problem))


@pytest.fixture(params=["http", "websocket"])
def client(request, monkeypatch, loop):
    monkeypatch.setattr(module, "H11Protocol", Base)
    monkeypatch.setattr(module, "WebSocketsSansIOProtocol", Base)
    http, websocket = _protocols_with_timeouts(20.0)
    return (http if request.param == "http" else websocket)()


def test_a_client_that_does_not_read_is_dropped_after_its_time(client, loop):
    client.pause_writing()
    client.pause_writing()
    (timer,) = loop.waiting()
    assert timer.seconds == 20.0 and client.calls == ["pause", "pause"] and not client.aborted
    timer.call()
    assert client.aborted == 1
    client.pause_writing()
    assert len(loop.timers) == 2, "the deadline that has passed is none any more"


def test_a_client_that_reads_again_is_given_a_new_deadline_the_next_time(client, loop):
    client.pause_writing()
    client.resume_writing()
    assert loop.waiting() == [] and client.calls == ["pause", "resume"]
    client.pause_writing()
    assert len(loop.waiting()) == 1


def test_a_client_that_leaves_has_no_deadline(client, loop):
    client.pause_writing()
    client.connection_lost(None)
    assert loop.waiting() == [] and client.calls == ["pause", ("lost", None)] and not client.aborted


@pytest.fixture
def http(monkeypatch, loop):
    monkeypatch.setattr(module, "H11Protocol", Base)
    monkeypatch.setattr(module, "WebSocketsSansIOProtocol", Base)
    return _protocols_with_timeouts(20.0)[0]()


def test_a_request_whose_head_never_ends_is_dropped(http, loop):
    http.connection_made(http.transport)
    http.data_received(b"GET / HT")
    (timer,) = loop.waiting()
    assert timer.seconds == 20.0 and http.calls == ["made", b"GET / HT"], "one deadline for the whole head"
    timer.call()
    assert http.aborted == 1


def test_an_answer_under_way_and_a_socket_are_not_waited_for_as_a_head(http, loop):
    http.connection_made(http.transport)
    http.cycle = SimpleNamespace(response_complete=False)
    http.data_received(b"P/1.1\r\n\r\n")
    assert loop.waiting() == []
    http.cycle = SimpleNamespace(response_complete=True)
    http.data_received(b"GET")
    assert len(loop.waiting()) == 1, "the next request of the same connection"
    http.transport.get_protocol = lambda: "the socket's"
    http.data_received(b"x")
    assert loop.waiting() == []


def test_a_client_that_leaves_before_its_request_has_no_deadline(http, loop):
    http.connection_made(http.transport)
    http.connection_lost(None)
    assert loop.waiting() == [] and http.calls == ["made", ("lost", None)]


# ---------------------------------------------------------------- its life


def test_a_server_says_once_that_it_answers_and_gives_everything_back(tmp_path):
    chosen, output = Settings(runs=tmp_path), threading.Event()
    with nothing_left_open():
        listener = listen("127.0.0.1", 0)
        server = Server(create_app(chosen), chosen, output.set)
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        assert output.wait(20)
        server.should_exit = True
        thread.join(20)
        listener.close()
        assert not thread.is_alive()


def test_requests_under_way_are_reported_a_second_after_the_server_stops(monkeypatch, loop):
    stopped = []
    server = object.__new__(Server)
    server._context = SimpleNamespace(stop_working=lambda: stopped.append(1))

    async def nothing(self, sockets=None):
        stopped.append("shutdown")

    monkeypatch.setattr(module.uvicorn.Server, "shutdown", nothing)
    asyncio.run(server.shutdown())
    (timer,) = loop.timers
    assert timer.seconds == 1 and stopped == ["shutdown"]
    timer.call()
    assert stopped == ["shutdown", 1]
