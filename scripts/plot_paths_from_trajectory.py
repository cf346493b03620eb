#!/usr/bin/env python3
"""The path map of a trajectory: --trajectory FILE --output PNG --title T --dpi N, or --print-latest."""

import sys

from sandlot.compat.__main__ import app

if __name__ == "__main__":
    words = sys.argv[1:]
    named = any(word.split("=")[0] in ("--trajectory", "--print-latest", "--help", "-h") for word in words)
    app(["episode", *([] if named else ["--trajectory", "latest"]), *words])
