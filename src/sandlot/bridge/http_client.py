"""The client of a game's HTTP API: loads scenes, reads what it measures, acts in it (docs/http_api.md).

    with HttpClient() as game:
        game.load_scene("res://scenes/arena.tscn")
        reply = game.reset(seed=7)
        while not reply["done"]:
            reply = game.step({"move": 1.0})

One connection, kept open; every call has a deadline. Without a token the client reads the file in which
a game of this machine keeps one.
"""

import contextlib
import http.client
import json
import os
import socket
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from ..errors import BadMessage, BridgeError, GameLost, GameSilent, Refused

HOST, PORT = "127.0.0.1", 8080
TIMEOUT_S = 10.0
LOAD_S = 30.0  # for a scene to be there
POLL_S = 0.05
MOST_RETRIES = 5  # after "too many requests"
LARGEST_ANSWER = 256 << 20  # bytes
TOKEN_VARIABLE = "GODOT_HTTP_API_TOKEN"
JSON = "application/json"
BYTES = "application/octet-stream"


class HttpClient:
    """Calls one game. Errors say what happened: GameLost, GameSilent, Refused, BadMessage."""

    def __init__(
        self, host: str = HOST, port: int = PORT, token: str | None = None, timeout_s: float = TIMEOUT_S
    ):
        """token: instead of the one in the token file."""
        self.host, self.port, self.timeout_s = host, port, timeout_s
        self._given = token or os.environ.get(TOKEN_VARIABLE, "").strip() or None
        self._token = self._given or read_token(port)
        self._connection: http.client.HTTPConnection | None = None

    @property
    def url(self) -> str:
        """Where it calls."""
        return f"http://{self.host}:{self.port}"

    # ------------------------------------------------------------ is it there

    def health_check(self) -> bool:
        """Whether a game answers; False, and no exception, where nothing does."""
        try:
            return bool(self._call("GET", "/health").get("status") == "healthy")
        except BridgeError:
            return False

    def wait_until_ready(self, seconds: float) -> None:
        """Wait until the game answers; GameLost after so many seconds."""
        until = time.monotonic() + seconds
        while not self.health_check():
            if time.monotonic() > until:
                raise GameLost(cannot_connect(self.url, f"nothing answered for {seconds:g} s"))
            time.sleep(POLL_S)

    def get_status(self) -> dict[str, Any]:
        """Version, environment and autoloads of the game."""
        return self._call("GET", "/status")

    def get_performance_metrics(self) -> dict[str, Any]:
        """What the engine measures: engine.fps, memory.static_memory_usage, …"""
        return self._call("GET", "/performance/metrics")

    # ------------------------------------------------------------ scenes

    def get_scene_state(self) -> dict[str, Any]:
        """Which scene runs: scene_name, scene_path, status."""
        return self._call("GET", "/scene")

    def load_scene(self, scene_path: str, wait_s: float = LOAD_S) -> dict[str, Any]:
        """Load a scene and wait until it runs. wait_s = 0: only ask for it."""
        try:
            answer = self._call("POST", "/scene", {"scene_path": scene_path})
        except (Refused, BadMessage) as problem:
            raise Refused(f"Failed to load scene {scene_path}: {problem}") from None
        return self._wait_for(scene_path, wait_s) if wait_s else answer

    def reload_scene(self, wait_s: float = LOAD_S) -> dict[str, Any]:
        """Load the present scene again."""
        answer = self._call("POST", "/scene/reload", {})
        return self._wait_for(answer["scene"], wait_s) if wait_s else answer

    def _wait_for(self, scene_path: str, wait_s: float) -> dict[str, Any]:
        until = time.monotonic() + wait_s
        while True:
            state = self.get_scene_state()
            if state.get("error"):
                raise Refused(str(state["error"]))
            if state["status"] == "loaded" and state["scene_path"] == scene_path:
                return state
            if time.monotonic() > until:
                raise GameSilent(f"Failed to load scene {scene_path}: it was not there within {wait_s:g} s.")
            time.sleep(POLL_S)

    def validate_scene(self, scene_path: str) -> dict[str, Any]:
        """Look at a scene without running it: valid, errors, warnings, scene_info."""
        return self._call("PUT", "/scene", {"scene_path": scene_path})

    def list_scenes(self, directory: str = "res://", include_addons: bool = False) -> dict[str, Any]:
        """The scenes of a folder and of those below it."""
        return self._call("GET", f"/scenes?dir={directory}&include_addons={str(include_addons).lower()}")

    def scene_history(self) -> dict[str, Any]:
        """What was loaded last."""
        return self._call("GET", "/scene/history")

    # ------------------------------------------------------------ playing

    def observation(self) -> dict[str, Any]:
        """The named fields of what is observed."""
        return self._call("GET", "/rl/observation")

    def action(self, action: Any) -> dict[str, Any]:
        """Act while the game goes on."""
        return self._call("POST", "/rl/action", action if isinstance(action, Mapping) else {"action": action})

    def reset(self, seed: int | None = None, lockstep: bool | None = None) -> dict[str, Any]:
        """Begin an episode. lockstep: whether the game stands still between steps."""
        asked = {"seed": None if seed is None else str(seed), "lockstep": lockstep}
        return self._call(
            "POST", "/rl/reset", {key: value for key, value in asked.items() if value is not None}
        )

    def state(self) -> dict[str, Any]:
        """Episode, step, reward, done, info."""
        return self._call("GET", "/rl/state")

    def step(self, action: Any = None, repeat: int = 1, actions: Any = None) -> dict[str, Any]:
        """One decision and what came of it, in one round trip. actions: one for each agent."""
        asked = {"actions": actions} if actions is not None else {"action": action}
        return self._call("POST", "/rl/step", asked | {"repeat": repeat})

    # ------------------------------------------------------------ one call

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        kind, answer = self.request(method, path, data, JSON)
        if kind != JSON:
            raise BadMessage(f"{self.url}{path} answered {kind or 'nothing'}, expected JSON.")
        made = _parse(answer, path)
        if not isinstance(made, dict):
            raise BadMessage(f"{self.url}{path} answered no JSON object.")
        return made

    def request(self, method: str, path: str, body: bytes | None, kind: str) -> tuple[str, bytes]:
        """Send and wait for the answer: its content type and body. A token that has ended is read again."""
        self.send(method, path, body, kind)
        status, answer_kind, answer = self.receive()
        for attempt in range(MOST_RETRIES):
            if status == 401 and attempt == 0 and self._given is None:
                self._token = read_token(self.port)
            elif status == 429:
                time.sleep(min(5.0, float(_parse(answer, path).get("retry_after_seconds", 1.0))))
            else:
                break
            self.send(method, path, body, kind)
            status, answer_kind, answer = self.receive()
        if status >= 400:
            raise self._error(status, path, answer)
        return answer_kind, answer

    def send(self, method: str, path: str, body: bytes | None, kind: str) -> None:
        """Send a request; `receive` waits for its answer."""
        headers = {"Content-Type": kind} if body is not None else {}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        for attempt in (1, 2):
            if self._connection is None:
                self._connection = http.client.HTTPConnection(self.host, self.port, timeout=self.timeout_s)
            try:
                self._connection.request(method, path, body, headers)
                if self._connection.sock is not None:
                    self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return
            except (OSError, http.client.HTTPException) as problem:
                self.close()
                if attempt == 2 or isinstance(problem, ConnectionRefusedError):
                    raise GameLost(cannot_connect(self.url, str(problem))) from None

    def receive(self, seconds: float | None = None) -> tuple[int, str, bytes]:
        """The answer to what was sent: status, content type, body."""
        if self._connection is None:
            raise GameLost(cannot_connect(self.url, "the connection is closed"))
        if self._connection.sock is not None:
            self._connection.sock.settimeout(self.timeout_s if seconds is None else seconds)
        try:
            response = self._connection.getresponse()
            length = int(response.headers.get("Content-Length", 0))
            body = response.read() if length <= LARGEST_ANSWER else b""
        except TimeoutError:
            self.close()
            raise GameSilent(f"{self.url} did not answer in time.") from None
        except (OSError, http.client.HTTPException, ValueError) as problem:
            self.close()
            raise GameLost(cannot_connect(self.url, str(problem) or type(problem).__name__)) from None
        if length > LARGEST_ANSWER:
            self.close()
            raise BadMessage(f"{self.url} answers with {length} bytes; at most {LARGEST_ANSWER}.")
        return response.status, response.headers.get_content_type(), body

    def _error(self, status: int, path: str, answer: bytes) -> BridgeError:
        given = _parse(answer, path)
        message = given.get("message", "") if isinstance(given, dict) else ""
        text = f"{message or 'no reason given'} ({path} answered {status})"
        return (
            Refused(text) if status in (401, 403, 404, 409) else BadMessage(text, str(given.get("error", "")))
        )

    def close(self) -> None:
        """End the connection; the next call opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def cannot_connect(url: str, why: str) -> str:
    """The sentence for a game that does not answer."""
    return (
        f"Cannot connect to the HTTP API at {url}: {why}. Is the engine running with its API on? Start it "
        "with scripts/start_godot_api.sh (Windows: scripts\\start_godot_api.bat), look at GET /health, and "
        "see whether another program has the port."
    )


def token_file(port: int = PORT) -> Path:
    """Where a game of this machine that listens on a port keeps its token (addons/sandlot/http_auth.gd)."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not base and sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    return (Path(base) if base else Path.home() / ".cache") / "sandlot" / "http_api" / f"{port}.json"


def read_token(port: int = PORT) -> str | None:
    """The token of a game of this machine; None where there is no such file."""
    try:
        token = json.loads(token_file(port).read_text(encoding="utf-8"))["token"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return token if isinstance(token, str) else None


def _parse(answer: bytes, path: str) -> Any:
    try:
        return json.loads(answer)
    except ValueError:
        raise BadMessage(f"{path} was answered with something that is no JSON.", "bad_json") from None
