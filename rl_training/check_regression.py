#!/usr/bin/env python3
"""Compares two reports:

    python rl_training/check_regression.py --current new.json --baseline old.json

--help lists every option; rl_training/README.md explains them.
"""

from sandlot.compat.playtest.command import main
from sandlot.compat.playtest.judging_commands import regression_app

if __name__ == "__main__":
    main(regression_app())
