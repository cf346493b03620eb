#!/usr/bin/env python3
"""Trains VR navigation: python scripts/ml/train_vr_navigation.py --preset quick_test

--help lists every option; scripts/ml/README.md explains them.
"""

from sandlot.compat.vr.command import main

if __name__ == "__main__":
    main()
