#!/usr/bin/env python3
"""Evaluates a model: python rl_training/evaluate_model.py --model FILE.zip --episodes 10 --output report.json

--help lists every option; rl_training/README.md explains them.
"""

from sandlot.compat.playtest.command import main
from sandlot.compat.playtest.judging_commands import evaluate_app

if __name__ == "__main__":
    main(evaluate_app())
