#!/usr/bin/env python3
"""Trains spacecraft landing: python rl_training/train_spacecraft_landing.py --timesteps 500000 --num_envs 8

--help lists every option; rl_training/README.md explains them.
"""

from pathlib import Path

from sandlot.compat.playtest.command import main, train_app
from sandlot.compat.playtest.tasks import LANDING

if __name__ == "__main__":
    main(train_app(LANDING, Path(__file__).parent))
