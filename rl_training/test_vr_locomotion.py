#!/usr/bin/env python3
"""Plays the trained VR locomotion model in a window: python rl_training/test_vr_locomotion.py --episodes 5"""

from pathlib import Path

from sandlot.compat.playtest.command import main, play_app
from sandlot.compat.playtest.tasks import LOCOMOTION

if __name__ == "__main__":
    main(play_app(LOCOMOTION, Path(__file__).parent))
