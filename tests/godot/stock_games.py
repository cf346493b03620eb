"""Games written for the Godot RL Agents plugin, with our addon in them; a trainer's end of its protocol."""

import json
import shutil
import socket
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sandlot.bridge.godot_addon import GODOT_RL, PLACE, copy_addon
from sandlot.bridge.godot_process import GodotProcess

FOLDER = Path(__file__).parent / "stock_games"
GAMES = ("catcher_2d", "ball_3d", "arena_mixed")
CONNECT_S = 60
ANSWER_S = 60
END_S = 30
RUN_S = 60
HANDSHAKE = {"type": "handshake", "major_version": "0", "minor_version": "7"}
Message = dict[str, Any]


def copy_game(name: str, folder: Path, addons: tuple[str, ...] = (GODOT_RL, PLACE)) -> Path:
    """A game with the addons that it needs, in a folder of its own."""
    project = folder / name
    shutil.copytree(FOLDER / name, project)
    for place in addons:
        copy_addon(project, place)
    return project


def edit(file: Path, *changes: tuple[str, str]) -> None:
    """Replace texts that have to be there."""
    text = file.read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    file.write_text(text)


def add_node(project: Path, script: str, name: str = "Probe") -> None:
    """One more node, the last of the main scene, with this script."""
    (project / f"{name.lower()}.gd").write_text(script)
    scene = project / "main.tscn"
    resource = f'[ext_resource type="Script" path="res://{name.lower()}.gd" id="{name}"]\n\n[node name="Main"'
    edit(scene, ('[node name="Main"', resource))
    node = f'\n[node name="{name}" type="Node" parent="."]\nscript = ExtResource("{name}")\n'
    scene.write_text(scene.read_text() + node)


def run(project: Path, *words: str) -> tuple[int, str]:
    """Exit code and output of a game that ends by itself, without a trainer."""
    with GodotProcess(["--fixed-fps", "60", *words], project=project) as process:
        code, output = process.wait(RUN_S).code, process.log.read_text(errors="replace")
    assert "SCRIPT ERROR" not in output, output
    return code, output


class Trainer:
    """A trainer by hand: it starts the game, and speaks what it is told to."""

    def __init__(
        self,
        project: Path,
        *words: str,
        headless: bool = True,
        environment: Any = None,
        pace: tuple[str, ...] = ("--speedup=100",),
    ):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(CONNECT_S)
            port = listener.getsockname()[1]
            arguments = [f"--port={port}", *pace, *words]
            self.game = GodotProcess(arguments, project=project, headless=headless, environment=environment)
            try:
                self._socket, _ = listener.accept()
            except BaseException:
                self.game.stop()
                raise
        self._socket.settimeout(ANSWER_S)

    def begin(self) -> Message:
        """The greeting; what the game answers about its spaces."""
        self.send(HANDSHAKE)
        return self.ask({"type": "env_info"})

    def reset(self, **extra: Any) -> Message:
        return self.ask({"type": "reset", **extra})

    def step(self, actions: list[Message]) -> Message:
        return self.ask({"type": "action", "action": actions})

    def ask(self, message: Message) -> Message:
        self.send(message)
        return self.receive()

    def send(self, message: Message) -> None:
        self.send_bytes(json.dumps(message).encode())

    def send_bytes(self, data: bytes, size: int | None = None) -> None:
        self._socket.sendall(struct.pack("<I", len(data) if size is None else size) + data)

    def receive(self) -> Message:
        (size,) = struct.unpack("<I", self._read(4))
        answer = json.loads(self._read(size))
        assert isinstance(answer, dict)
        return answer

    def leave(self) -> None:
        self._socket.close()

    def ended(self) -> tuple[int, str]:
        """Exit code and output of a game that ends by itself."""
        result = self.game.wait(END_S)
        return result.code, result.output

    def __enter__(self) -> "Trainer":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self.game.__exit__()

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self._socket.recv(count - len(data))
            if not piece:
                raise EOFError(self.game.log_tail())
            data += piece
        return data


def play(
    trainer: Trainer, act: Callable[[int, list[float]], Message], steps: int
) -> tuple[list[float], list[Message]]:
    """Every agent by this policy. The infos of finished episodes, and all answers."""
    observations = trainer.reset()["obs"]
    answers = []
    for _ in range(steps):
        answers.append(trainer.step([act(i, seen["obs"]) for i, seen in enumerate(observations)]))
        observations = answers[-1]["obs"]
    successes = [
        float(info["is_success"])
        for answer in answers
        for info, done in zip(answer["info"], answer["done"], strict=True)
        if done
    ]
    return successes, answers


def launcher(project: Path, engine_path: Path) -> Path:
    """The game as a program whose name the stock client accepts."""
    place = project.parent / f"{project.name}.x86_64"
    place.write_text(f'#!/bin/sh\nexec {engine_path} --audio-driver Dummy --path {project} "$@"\n')
    place.chmod(0o755)
    return place


STOCK_PLATFORM = sys.platform == "linux"  # the suffix above is Linux's
