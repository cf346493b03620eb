"""The site's own unit tests (vitest in node, against the real engine and what Python says) and its types."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from lacking import lacking

from .conftest import WEB


def npm(script: str, *words: str) -> None:
    if not shutil.which("npm") or not (WEB / "node_modules").is_dir():
        lacking("needs the site's packages: make web")
    done = subprocess.run(
        ["npm", "run", "--silent", script, "--", *words],
        cwd=WEB, env=os.environ | {"PYTHON": sys.executable, "NO_COLOR": "1"},
        capture_output=True, text=True, timeout=540,
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]


def test_every_unit_test_of_the_site_passes():
    npm("test:unit")


def test_every_type_of_the_site_fits():
    npm("check")


def test_the_types_of_the_api_are_those_of_the_api_as_it_is_now():
    npm("types", "--check")
