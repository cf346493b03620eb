"""The stock client's own Stable-Baselines3 training, as its own test calls it: 10,000 steps of a game.

Runs in the environment of `make stock` and imports nothing of Sandlot.
"""

import json
import sys
from types import SimpleNamespace

from godot_rl.wrappers.stable_baselines_wrapper import stable_baselines_training

STEPS = 10_000


def main() -> None:
    game, port, logs, show = sys.argv[1:5]
    asked = SimpleNamespace(
        env_path=game, viz=show == "window", speedup=100, experiment_dir=logs, experiment_name="experiment"
    )
    stable_baselines_training(asked, [], n_steps=STEPS, port=int(port), action_repeat=4)
    print("TRAINED " + json.dumps(STEPS), flush=True)


if __name__ == "__main__":
    main()
