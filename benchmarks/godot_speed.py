"""The bridge beside the bare scene and stock godot-rl: `sandlot bench tag --engine godot`, command printed.

python benchmarks/godot_speed.py [--worlds 1,8,32,128] [--rounds 3] [--json]
"""

import sys

from sandlot.cli.main import app

if __name__ == "__main__":
    words = ["bench", "tag", "--engine", "godot", *sys.argv[1:]]
    print("sandlot " + " ".join(words), file=sys.stderr)
    app(words)
