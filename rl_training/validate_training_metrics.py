#!/usr/bin/env python3
"""Judges a training:

    python rl_training/validate_training_metrics.py --experiment vr_locomotion_v1

--help lists every option; rl_training/README.md explains them.
"""

from pathlib import Path

from sandlot.compat.playtest.command import main
from sandlot.compat.playtest.judging_commands import validate_app

if __name__ == "__main__":
    main(validate_app(Path(__file__).parent))
