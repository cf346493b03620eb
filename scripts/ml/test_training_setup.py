#!/usr/bin/env python3
"""Ten checks of whether VR navigation can be trained here: python scripts/ml/test_training_setup.py"""

import sys

from sandlot.compat.vr.setup_check import main

if __name__ == "__main__":
    sys.exit(main())
