#!/usr/bin/env python3
"""The live server that a tag scene talks to: python trainer/server.py [--port N] [--minutes M]

With PyTorch it is `sandlot bridge`: it plays trainer/policy.pt, or learns where there is none yet; every
option of `sandlot bridge --help` works (`--load trainer/policy.pt` goes on learning). Without PyTorch it
answers with random actions and needs numpy and websockets only.
"""

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
GAME = "tag"
sys.path.insert(0, str(HERE.parent / "src"))


def main(arguments: list[str]) -> int:
    if importlib.util.find_spec("torch") is None:
        from sandlot.bridge.random_server import main as answer_at_random

        print("PyTorch is not installed: actions are random.", file=sys.stderr)
        return answer_at_random([GAME, *arguments])
    from sandlot.cli.main import run

    sys.argv = ["server.py", "bridge", GAME, *policy_options(arguments), *settings_options(), *arguments]
    run()
    return 0


def settings_options() -> list[str]:
    """The game's settings that environment variables ask for: docs/environment.md."""
    from sandlot.compat.variables import game_settings

    settings = {name: str(value).lower() for name, value in game_settings().items()}
    return [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]


def policy_options(arguments: list[str]) -> list[str]:
    """The saved policy, unless the command line says who answers."""
    if any(word.split("=")[0] in ("--policy", "--load") for word in arguments):
        return []
    saved = next((path for path in (Path("trainer/policy.pt"), HERE / "policy.pt") if path.is_file()), None)
    if saved is None:
        print("There is no trainer/policy.pt yet: it learns from nothing.", file=sys.stderr)
        return []
    print(f"Playing {saved}.", file=sys.stderr)
    return ["--policy", str(saved)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
