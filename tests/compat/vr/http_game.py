"""The native game behind the part of the HTTP API that training uses (docs/http_api.md)."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

from sandlot.compat.vr.config import RLConfig
from sandlot.compat.vr.environment import NativeSimulation
from sandlot.compat.vr.processing import ACTIONS, slices

SCENE = RLConfig().environment.scene
SLICES = slices(16)


class Game:
    """What is behind the requests: a simulation, a scene, and what was asked for."""

    def __init__(self, config: RLConfig, token: str = ""):
        self.token, self.scene, self.requests, self.seeds = token, None, [], []
        self.simulation = NativeSimulation(config, dead_zone=0.0, action_smoothing=0.0)

    def answer(self, method: str, path: str, body: dict) -> tuple[int, dict]:
        self.requests.append(f"{method} {path}")
        if path == "/scene" and method == "POST":
            if body["scene_path"] != SCENE:
                return 403, {"error": "forbidden", "message": "The scene is not in the whitelist."}
            self.scene = body["scene_path"]
            return 200, {"status": "loading", "scene": self.scene}
        if path == "/rl/reset":
            self.seeds.append(int(body["seed"]))
            return 200, {"observation": self.named(self.simulation.reset(int(body["seed"]))), "info": {}}
        if path == "/rl/step":
            action = np.array([body["action"][name] for name in ACTIONS], np.float32)
            raw, info = self.simulation.step(action)
            done = info["terminated"] or info["truncated"]
            ends = {"done": done, "terminated": info["terminated"], "truncated": info["truncated"]}
            return 200, {"observation": self.named(raw), "reward": 0.0, "info": info} | ends
        replies = {
            "/health": {"status": "healthy"},
            "/scene": {"scene_path": self.scene, "status": "loaded" if self.scene else "no_scene"},
            "/scene/reload": {"status": "reloading", "scene": self.scene},
            "/performance/metrics": {
                "engine": {"fps": 88.0, "process_time": 0.002, "physics_process_time": 0.005},
                "memory": {"static_memory_usage": 50 * 2**20},
            },
        }
        return (200, replies[path]) if path in replies else (404, {"error": "not found"})

    @staticmethod
    def named(raw: np.ndarray) -> dict[str, list[float]]:
        return {name: raw[where].tolist() for name, where in SLICES.items()}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_any(self) -> None:
        game: Game = self.server.game
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        if (
            game.token
            and self.path != "/health"
            and self.headers.get("Authorization") != f"Bearer {game.token}"
        ):
            status, reply = 401, {"error": "unauthorized", "message": "A token is needed."}
        else:
            status, reply = game.answer(self.command, self.path, body)
        data = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = handle_any  # noqa: N815

    def log_message(self, *_) -> None:
        pass


@contextmanager
def served(config: RLConfig, token: str = "") -> Iterator[tuple[Game, int]]:
    """The game and its port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.game = Game(config, token)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.game, server.server_port
    finally:
        server.shutdown()
        server.server_close()
        server.game.simulation.close()
