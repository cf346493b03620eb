"""One connection and the port it comes in by, over real sockets: deadlines, refusals, nothing left open."""

import contextlib
import json
import socket
import struct
import threading
import time

import pytest
from leaks import nothing_left_open
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from sandlot.bridge import channel as module
from sandlot.bridge.channel import Channel, Listener
from sandlot.errors import BadMessage, GameLost, GameSilent, PortInUse, Refused

WAIT_S = 20


@pytest.fixture
def listener():
    made = Listener()
    yield made
    made.close()


def in_background(call, *words):
    """Its result, or the error it ended with."""
    answer = []

    def run():
        try:
            answer.append(call(*words))
        except Exception as problem:  # noqa: BLE001  handed to who asks
            answer.append(problem)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()

    def result():
        thread.join(WAIT_S)
        assert answer, "it did not end"
        return answer[0]

    return result


@pytest.fixture
def pair(listener):
    """Our end of a connection, and the game's."""
    admitted = in_background(listener.accept, lambda channel, first: first, WAIT_S)
    with connect(listener.url, compression=None, max_size=None) as game:
        game.send("hello")
        channel, first = admitted()
        assert first == "hello"
        yield channel, game
        channel.close()


def test_messages_arrive_in_their_order_and_kind_however_they_were_cut(pair):
    channel, game = pair
    game.send("one")
    game.send(b"two")
    game.send(iter(["thr", "ee"]))
    assert [channel.receive(WAIT_S) for _ in range(3)] == ["one", b"two", "three"]
    channel.send("back", WAIT_S)
    channel.send(b"bytes", WAIT_S)
    assert [game.recv(WAIT_S), game.recv(WAIT_S)] == ["back", b"bytes"]


def test_a_large_message_passes_both_ways(pair):
    channel, game = pair
    data = bytes(range(256)) * 9000  # more than one piece of the socket
    sent = in_background(game.send, data)
    assert channel.receive(WAIT_S) == data and sent() is None
    got = in_background(game.recv, WAIT_S)
    channel.send(data, WAIT_S)
    assert got() == data


def test_silence_ends_at_the_deadline_and_not_before(pair):
    began = time.monotonic()
    with pytest.raises(GameSilent, match="sent nothing before the deadline"):
        pair[0].receive(0.3)
    assert 0.3 <= time.monotonic() - began < 5


def test_a_process_that_is_gone_ends_the_wait_with_its_sentence(pair):
    with pytest.raises(GameLost, match="it crashed"):
        pair[0].receive(WAIT_S, alive=lambda: "it crashed")


@pytest.mark.parametrize(
    ("reason", "sentence"), [("bye", "closed the connection: bye."), ("", "connection.")]
)
def test_a_game_that_closes_is_reported_with_its_reason(pair, reason, sentence):
    channel, game = pair
    closing = in_background(game.close, 1000, reason)
    with pytest.raises(GameLost, match=sentence):
        channel.receive(WAIT_S)
    closing()
    with pytest.raises(GameLost):
        channel.send("too late", 1.0)


def test_what_was_sent_before_a_close_is_read_before_the_close_is_reported(pair):
    channel, game = pair
    for message in ("first", "last"):
        game.send(message)
    closing = in_background(game.close, 1000, "bye")
    assert [channel.receive(WAIT_S), channel.receive(WAIT_S)] == ["first", "last"]
    with pytest.raises(GameLost, match="bye"):
        channel.receive(WAIT_S)
    closing()


def test_text_that_is_no_text_is_a_bad_message(pair):
    channel, game = pair
    game.send(b"\xff\xfe", text=True)
    with pytest.raises((BadMessage, GameLost)):
        channel.receive(WAIT_S)


def test_a_message_over_the_limit_is_not_taken(listener):
    admitted = in_background(listener.accept, lambda channel, first: first, WAIT_S, lambda: None, 100)
    with connect(listener.url, compression=None) as game:
        game.send("x" * 100)
        channel, first = admitted()
        assert first == "x" * 100
        game.send("x" * 101)
        with pytest.raises(GameLost, match="closed"):
            channel.receive(WAIT_S)
        channel.close()


def test_who_is_refused_is_reported_why_and_the_wait_goes_on(listener):
    def check(channel, first):
        if first != "right":
            raise Refused("that was wrong")
        return first

    admitted = in_background(listener.accept, check, WAIT_S)
    with connect(listener.url, compression=None) as wrong:
        wrong.send("wrong")
        error = json.loads(wrong.recv(WAIT_S))
        assert (error["type"], error["code"], error["text"]) == ("error", "refused", "that was wrong")
    with connect(listener.url, compression=None) as game:
        game.send("right")
        channel, first = admitted()
        assert first == "right"
        channel.close()


def test_nobody_came_is_said_with_the_place_and_the_time(listener):
    with (
        nothing_left_open(),
        pytest.raises(GameSilent, match=f"No game connected to {listener.url} within 0.1 s"),
    ):
        listener.accept(lambda *_: None, 0.1)
    with pytest.raises(GameLost, match="it never started"):
        listener.accept(lambda *_: None, WAIT_S, alive=lambda: "it never started")


def test_plain_http_is_answered_in_http_and_nobody_is_let_in(listener):
    admitted = in_background(listener.accept, lambda *_: None, 1.5)
    with socket.create_connection(("127.0.0.1", listener.port), WAIT_S) as browser:
        browser.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert browser.recv(4096).startswith(b"HTTP/1.1 4")
        assert isinstance(admitted(), Refused)


def test_a_second_game_is_reported_that_the_first_is_here(listener):
    listener.refuse_others()
    with connect(listener.url, compression=None) as other:
        other.send("hello")
        assert json.loads(other.recv(WAIT_S))["code"] == "busy"
        with pytest.raises(ConnectionClosed):
            other.recv(WAIT_S)


def test_a_port_that_is_taken_is_refused_and_nothing_is_left_open(listener):
    with nothing_left_open(), pytest.raises(PortInUse, match=f"Port {listener.port} of 127.0.0.1"):
        Listener(listener.port)


def test_a_door_that_is_closed_leaves_nothing_open_and_its_port_free():
    with nothing_left_open():
        made = Listener()
        made.close()
        again = Listener(made.port)
        again.close()


def test_hanging_up_ends_a_wait_in_another_thread(pair):
    channel, _ = pair
    waiting = in_background(channel.receive, WAIT_S)
    time.sleep(0.05)
    channel.shut_down()
    assert isinstance(waiting(), GameLost)


def test_what_is_asked_within_a_time_is_answered_or_nothing():
    answers = iter([None, None, "now"])
    assert module._within(WAIT_S, lambda: next(answers)) == "now"
    assert module._within(0.05, lambda: None) is None


def test_a_small_message_is_not_held_back(pair):
    assert pair[0].connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    assert isinstance(pair[0], Channel)


# ---------------------------------------------------------------- limits and failures


def test_the_usual_waits_and_counts():
    assert (module.HANDSHAKE_S, module.EXIT_S, module.ALIVE_S, module.POLL_S) == (5.0, 1.0, 0.2, 0.02)
    assert (module.MOST_PENDING, module.BACKLOG, module.CHUNK) == (16, 128, 1 << 20)


def test_a_peer_that_does_not_read_is_given_up_at_the_deadline(pair):
    channel, game = pair
    game.close_timeout = 0.1  # else its end waits for an answer that cannot come
    with pytest.raises(GameSilent, match="does not read"):
        for _ in range(100):
            channel.send(bytes(4 << 20), 0.2)


def test_a_peer_that_vanishes_is_lost_in_both_directions(pair):
    channel, game = pair
    game.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    game.socket.shutdown(socket.SHUT_RDWR)
    game.socket.close()
    with pytest.raises(GameLost):
        channel.receive(WAIT_S)
    with pytest.raises(GameLost):
        for _ in range(100):
            channel.send(bytes(1 << 20), 1.0)


def test_the_sentence_about_a_process_that_is_gone_wins_over_the_closed_connection(pair):
    channel, game = pair
    game.socket.shutdown(socket.SHUT_RDWR)
    with pytest.raises(GameLost, match="it crashed"):
        channel.receive(WAIT_S, alive=lambda: "it crashed")


def test_noise_breaks_the_protocol_and_is_named(pair):
    channel, game = pair
    game.socket.sendall(b"\xff" * 64)
    with pytest.raises(GameLost, match="broke the WebSocket protocol"):
        channel.receive(WAIT_S)


def test_a_goodbye_has_a_code_and_a_reason_of_bounded_length(pair):
    channel, game = pair
    with nothing_left_open():
        channel.close(1008, "ä" * 200)
    with pytest.raises(ConnectionClosed) as closed:
        game.recv(WAIT_S)
    assert closed.value.rcvd.code == 1008 and closed.value.rcvd.reason == "ä" * 60


def test_an_ordinary_goodbye_has_code_1000(pair):
    channel, game = pair
    channel.close()
    with pytest.raises(ConnectionClosed) as closed:
        game.recv(WAIT_S)
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1000, "")


def test_a_farewell_ends_when_the_peer_closes_and_hears_nothing(pair):
    channel, game = pair
    game.send("ignored")
    closing = in_background(game.close)
    channel.wait_for_close(WAIT_S)
    closing()
    with pytest.raises(GameLost):
        channel.send("too late", 1.0)


def test_a_farewell_ends_at_its_deadline(pair):
    pair[0].wait_for_close(0.05)
    pair[0].send("still open", WAIT_S)
    assert pair[1].recv(WAIT_S) == "still open"


def test_a_ping_is_answered_while_we_wait(pair):
    channel, game = pair
    waiting = in_background(channel.receive, WAIT_S)
    assert game.ping().wait(WAIT_S)
    game.send("now")
    assert waiting() == "now"


def test_more_strangers_than_are_listened_to_end_the_oldest(listener, monkeypatch):
    monkeypatch.setattr(module, "MOST_PENDING", 2)
    admitted = in_background(listener.accept, lambda channel, first: first, WAIT_S)
    strangers = [socket.create_connection(("127.0.0.1", listener.port), WAIT_S) for _ in range(3)]
    assert strangers[0].recv(1) == b"", "the oldest was ended"
    with connect(listener.url, compression=None) as game:
        game.send("hello")
        channel, first = admitted()
        assert first == "hello"
        channel.close()
    for stranger in strangers[1:]:
        with contextlib.suppress(ConnectionResetError):
            assert stranger.recv(1) == b"", "they are let go when a game is in"
    for stranger in strangers:
        stranger.close()


@pytest.mark.parametrize(
    ("ending", "said"),
    [("It ended.", "that was wrong It ended."), ("It ended. sandlot: that was wrong", "that was wrong")],
)
def test_a_final_refusal_ends_the_wait_and_is_said_once(listener, ending, said):
    def check(channel, first):
        problem = Refused("that was wrong")
        problem.final = True
        raise problem

    ended = []
    admitted = in_background(listener.accept, check, WAIT_S, lambda: ended[0] if ended else None)
    with connect(listener.url, compression=None) as game:
        game.send("hello")
        json.loads(game.recv(WAIT_S))
        ended.append(ending)
    refusal = admitted()
    assert isinstance(refusal, Refused) and str(refusal) == said


def test_a_refusal_is_the_reason_when_nobody_else_comes(listener):
    def check(channel, first):
        raise BadMessage("that was no hello", "no_hello")

    admitted = in_background(listener.accept, check, 1.0)
    with connect(listener.url, compression=None) as game:
        game.send("nonsense")
        assert json.loads(game.recv(WAIT_S))["code"] == "no_hello"
    refusal = admitted()
    assert isinstance(refusal, Refused) and str(refusal) == "that was no hello"


def test_a_free_port_of_this_machine_alone_is_taken(listener):
    assert (
        listener.host == "127.0.0.1"
        and listener.port > 1023
        and listener.url == f"ws://127.0.0.1:{listener.port}"
    )
