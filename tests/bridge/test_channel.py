"""One connection and the door it comes in by, over real sockets: deadlines, refusals, nothing left open."""

import json
import socket
import threading
import time

import pytest
from leaks import nothing_left_open
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from sandlot.bridge import channel as module
from sandlot.bridge.channel import Channel, Door
from sandlot.errors import BadMessage, GameLost, GameSilent, PortInUse, Refused

WAIT_S = 20


@pytest.fixture
def door():
    made = Door()
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
def pair(door):
    """Our end of a connection, and the game's."""
    admitted = in_background(door.admit, lambda channel, first: first, WAIT_S)
    with connect(door.url, compression=None, max_size=None) as game:
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
    with pytest.raises(GameSilent, match="said nothing before the deadline"):
        pair[0].receive(0.3)
    assert 0.3 <= time.monotonic() - began < 5


def test_a_process_that_is_gone_ends_the_wait_with_its_sentence(pair):
    with pytest.raises(GameLost, match="it crashed"):
        pair[0].receive(WAIT_S, alive=lambda: "it crashed")


@pytest.mark.parametrize(("reason", "said"), [("bye", "closed the connection: bye."), ("", "connection.")])
def test_a_game_that_closes_is_told_with_its_reason(pair, reason, said):
    channel, game = pair
    closing = in_background(game.close, 1000, reason)
    with pytest.raises(GameLost, match=said):
        channel.receive(WAIT_S)
    closing()
    with pytest.raises(GameLost):
        channel.send("too late", 1.0)


def test_text_that_is_no_text_is_a_bad_message(pair):
    channel, game = pair
    game.send(b"\xff\xfe", text=True)
    with pytest.raises((BadMessage, GameLost)):
        channel.receive(WAIT_S)


def test_a_message_over_the_limit_is_not_taken(door):
    admitted = in_background(door.admit, lambda channel, first: first, WAIT_S, lambda: None, 100)
    with connect(door.url, compression=None) as game:
        game.send("x" * 100)
        channel, first = admitted()
        assert first == "x" * 100
        game.send("x" * 101)
        with pytest.raises(GameLost, match="closed"):
            channel.receive(WAIT_S)
        channel.close()


def test_who_is_refused_is_told_why_and_the_wait_goes_on(door):
    def greet(channel, first):
        if first != "right":
            raise Refused("that was wrong")
        return first

    admitted = in_background(door.admit, greet, WAIT_S)
    with connect(door.url, compression=None) as wrong:
        wrong.send("wrong")
        told = json.loads(wrong.recv(WAIT_S))
        assert (told["type"], told["code"], told["text"]) == ("error", "refused", "that was wrong")
    with connect(door.url, compression=None) as game:
        game.send("right")
        channel, first = admitted()
        assert first == "right"
        channel.close()


def test_nobody_came_is_said_with_the_place_and_the_time(door):
    with nothing_left_open(), pytest.raises(GameSilent, match=f"No game came to {door.url} within 0.1 s"):
        door.admit(lambda *_: None, 0.1)
    with pytest.raises(GameLost, match="it never started"):
        door.admit(lambda *_: None, WAIT_S, alive=lambda: "it never started")


def test_plain_http_is_answered_in_http_and_nobody_is_let_in(door):
    admitted = in_background(door.admit, lambda *_: None, 1.5)
    with socket.create_connection(("127.0.0.1", door.port), WAIT_S) as browser:
        browser.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert browser.recv(4096).startswith(b"HTTP/1.1 4")
        assert isinstance(admitted(), Refused)


def test_a_second_game_is_told_that_the_first_is_here(door):
    door.turn_others_away()
    with connect(door.url, compression=None) as other:
        other.send("hello")
        assert json.loads(other.recv(WAIT_S))["code"] == "busy"
        with pytest.raises(ConnectionClosed):
            other.recv(WAIT_S)


def test_a_port_that_is_taken_is_refused_and_nothing_is_left_open(door):
    with nothing_left_open(), pytest.raises(PortInUse, match=f"Port {door.port} of 127.0.0.1"):
        Door(door.port)


def test_a_door_that_is_closed_leaves_nothing_open_and_its_port_free():
    with nothing_left_open():
        made = Door()
        made.close()
        again = Door(made.port)
        again.close()


def test_hanging_up_ends_a_wait_in_another_thread(pair):
    channel, _ = pair
    waiting = in_background(channel.receive, WAIT_S)
    time.sleep(0.05)
    channel.hang_up()
    assert isinstance(waiting(), GameLost)


def test_what_is_asked_within_a_time_is_answered_or_nothing():
    answers = iter([None, None, "now"])
    assert module._within(WAIT_S, lambda: next(answers)) == "now"
    assert module._within(0.05, lambda: None) is None


def test_a_small_message_is_not_held_back(pair):
    assert pair[0].connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    assert isinstance(pair[0], Channel)
