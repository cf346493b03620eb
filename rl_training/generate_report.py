#!/usr/bin/env python3
"""Writes a page: python rl_training/generate_report.py --metrics report.json --output RL_NIGHTLY_REPORT.md

--help lists every option; rl_training/README.md explains them.
"""

from sandlot.compat.playtest.command import main
from sandlot.compat.playtest.judging_commands import report_app

if __name__ == "__main__":
    main(report_app())
