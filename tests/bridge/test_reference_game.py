"""The reference client: how it introduces itself, and how it leaves."""

import json
import threading

import pytest
import reference_game
from leaks import nothing_left_open
from reference_game import ReferenceGame, hello
from websockets.sync.server import serve

from sandlot.bridge import messages
from sandlot.errors import BadMessage, GameLost, Refused
from sandlot.worlds import load_spec

WELCOME = messages.welcome(load_spec("tag"), 2, encoding=messages.JSON)


@pytest.fixture
def trainer():
    """trainer(*answers): a server that answers each message with the next of these; gives its address."""
    servers = []

    def start(*answers):
        def talk(socket):
            for answer in answers:
                heard.append(socket.recv())
                socket.send(answer if isinstance(answer, (str, bytes)) else json.dumps(answer))

        heard = []
        server = serve(talk, "127.0.0.1", 0)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        start.heard = heard
        return f"ws://127.0.0.1:{server.socket.getsockname()[1]}"

    yield start
    for server in servers:
        server.shutdown()


def test_it_introduces_itself_with_the_token_of_its_environment(monkeypatch):
    monkeypatch.delenv("SANDLOT_TOKEN", raising=False)
    assert hello()["protocol"] == messages.PROTOCOL and "token" not in hello()
    assert hello()["encodings"] == ["binary", "json"] and hello(mode="streaming")["mode"] == "streaming"
    monkeypatch.setenv("SANDLOT_TOKEN", "secret")
    assert hello()["token"] == "secret" and hello(token="other")["token"] == "other"


def test_it_builds_the_worlds_it_is_asked_for_and_leaves_nothing_open(trainer):
    usual, other = trainer(WELCOME), trainer(WELCOME | {"autoreset": False, "encoding": "binary"})
    game = ReferenceGame(usual)
    assert (game.world.worlds, game.world.autoreset, game.binary) == (2, True, False)
    game.close()
    with nothing_left_open():
        still = ReferenceGame(other)
        assert (still.world.autoreset, still.binary) == (False, True)
        still.close()


@pytest.mark.parametrize(
    ("answer", "error", "sentence"),
    [
        (messages.error("busy", "taken"), Refused, "The trainer refused: taken"),
        (b"SLW1", BadMessage, "first message is JSON text"),
        ("[]", BadMessage, "JSON object"),
    ],
)
def test_a_trainer_that_does_not_welcome_it_is_quoted(trainer, answer, error, sentence):
    with pytest.raises(error, match=sentence):
        ReferenceGame(trainer(answer))


def test_nobody_at_the_address_is_exit_code_1(monkeypatch, capsys):
    monkeypatch.setenv("SANDLOT_URL", "ws://127.0.0.1:9")
    assert reference_game.main() == 1 and "No trainer answers" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("answers", "code"),
    [([{"type": "close"}], 0), ([], 1), ([messages.error("broken", "no more")], 1), (["[]"], 1)],
)
def test_only_a_close_ends_it_with_exit_code_0(trainer, monkeypatch, answers, code):
    receive = ReferenceGame._receive

    def speak_first(self, seconds):
        if hasattr(self, "binary"):  # the server of the test answers what it hears
            self._send("next")
        return receive(self, seconds)

    monkeypatch.setenv("SANDLOT_URL", trainer(WELCOME, *answers))
    monkeypatch.setattr(ReferenceGame, "_receive", speak_first)
    assert reference_game.main() == code


def test_silence_is_given_up(trainer):
    game = ReferenceGame(trainer(WELCOME, "never asked for"))
    with pytest.raises(GameLost, match=r"sent nothing for 0\.01 s"):
        game._receive(0.01)
    game.close()
