#!/usr/bin/env python3
"""Trains tag with PPO, both roles: python trainer/ppo.py --minutes 5 [--engine godot]

It is `sandlot train tag`; `sandlot train --help` explains every option. The algorithm itself:
src/sandlot/train/ppo.py (the update), learner.py (collecting), advantages.py.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

if __name__ == "__main__":
    from sandlot.cli.main import run

    sys.argv = ["ppo.py", "train", "tag", *sys.argv[1:]]
    run()
