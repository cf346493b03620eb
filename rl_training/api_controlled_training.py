#!/usr/bin/env python3
"""Loads a scene through the game's HTTP API, then trains: python rl_training/api_controlled_training.py

Start the game first: bash scripts/start_godot_api.sh
"""

from pathlib import Path

from sandlot.compat.playtest.command import api_app, main

if __name__ == "__main__":
    main(api_app(Path(__file__).parent))
