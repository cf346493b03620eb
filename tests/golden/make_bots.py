"""Writes bots.json anew: python tests/golden/make_bots.py (README.md says when).

Prints which players decide otherwise than before; look at them before committing.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "games"))

import bot_decisions


def main() -> None:
    before = bot_decisions.kept() if bot_decisions.KEPT.exists() else {}
    made: dict[str, dict[str, dict[str, str]]] = {}
    for game, variant, _, _ in bot_decisions.cases():
        if variant not in made.setdefault(game, {}):
            made[game][variant] = bot_decisions.found(game, variant)
            old = before.get(game, {}).get(variant, {})
            changed = [player for player, digest in made[game][variant].items() if old.get(player) != digest]
            if changed:
                print(f"{game} {variant}: {', '.join(changed)}")
    bot_decisions.KEPT.write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
