#!/usr/bin/env python3
"""Trains VR locomotion: python rl_training/train_vr_locomotion.py --timesteps 1000 --num_envs 1 --viz

--help lists every option; rl_training/README.md explains them.
"""

from pathlib import Path

from sandlot.compat.playtest.command import main, train_app
from sandlot.compat.playtest.tasks import LOCOMOTION

if __name__ == "__main__":
    main(train_app(LOCOMOTION, Path(__file__).parent))
