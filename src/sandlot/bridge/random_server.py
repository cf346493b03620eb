"""A live server that answers with random actions. It needs numpy and websockets, neither PyTorch nor the
built engine. `python trainer/server.py` starts it where PyTorch is missing,
`python -m sandlot.bridge.random_server GAME` always.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from ..errors import SandlotError, UnknownName
from . import messages
from .godot_project import project_folder
from .live import LiveServer, serve_until_stopped
from .random_policy import RandomPolicy

SPEC_FILE = "games/{game}/spec.json"  # in the Godot project: the game as the engine describes it


def games() -> list[str]:
    """Games of the Godot project that a spec lies beside."""
    return sorted(file.parent.name for file in project_folder().glob(SPEC_FILE.format(game="*")))


def read_sizes(game: str) -> Any:
    """What random actions need of a game's spec, from the file beside its scenes."""
    file = project_folder() / SPEC_FILE.format(game=game)
    if game not in games():
        raise UnknownName("game with scenes", game, games())
    described = json.loads(file.read_text(encoding="utf-8"))
    return SimpleNamespace(
        game=described["name"],
        observation_size=described["shape"]["observation"],
        action_size=described["shape"]["action_size"],
        actions=[SimpleNamespace(kind=action["kind"]) for action in described["actions"]],
    )


def welcome(sizes: Any) -> dict[str, Any]:
    """No settings: a scene keeps its own."""
    return {
        "type": "welcome",
        "protocol": messages.PROTOCOL,
        "mode": messages.STREAMING,
        "encoding": messages.JSON,
        "game": sizes.game,
        "observation_size": sizes.observation_size,
        "action_size": sizes.action_size,
    }


async def serve(game: str, port: int, minutes: float, seed: int) -> None:
    """Answer games until a signal, or for so many minutes (0: no limit)."""
    sizes = read_sizes(game)
    policy = RandomPolicy(sizes, seed)
    server = LiveServer(policy, welcome(sizes), port=port, log=lambda line: print(line, file=sys.stderr))

    def listening() -> None:
        where = f"ws://127.0.0.1:{server.port} (process {os.getpid()}; Ctrl-C stops it)"
        print(f"Listening at {where}: random actions", flush=True)

    await serve_until_stopped(server, minutes, listening)


def main(arguments: Sequence[str]) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="server.py", description="Answer a scene with random actions.")
    parser.add_argument("game", help=f"whose scenes are answered: {', '.join(games())}")
    parser.add_argument("--port", type=int, default=messages.DEFAULT_PORT, help="0 for any free one")
    parser.add_argument("--minutes", type=float, default=0.0, help="stop after so many; 0 for Ctrl-C only")
    parser.add_argument("--seed", type=int, default=1, help="of the random actions")
    options = parser.parse_args(arguments)
    try:
        asyncio.run(serve(options.game, options.port, options.minutes, options.seed))
    except SandlotError as problem:
        print(problem, file=sys.stderr)
        return problem.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
