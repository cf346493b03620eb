#!/usr/bin/env python3
"""Trains the voxel stress agent: python rl_training/train_voxel_stress.py --timesteps 100000

--help lists every option; rl_training/README.md explains them.
"""

from pathlib import Path

from sandlot.compat.playtest.command import main, train_app
from sandlot.compat.playtest.tasks import VOXEL_STRESS

if __name__ == "__main__":
    main(train_app(VOXEL_STRESS, Path(__file__).parent))
