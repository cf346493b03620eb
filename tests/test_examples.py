"""Every program in examples/ runs as it stands, says something, and is in the list."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
PROGRAMS = sorted(path.name for path in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_example_runs_and_says_something(name, tmp_path):
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)], capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert not done.stderr


def test_every_example_is_listed_and_short():
    listed = (EXAMPLES / "README.md").read_text()
    for name in PROGRAMS:
        assert f"({name})" in listed
        assert len((EXAMPLES / name).read_text().splitlines()) <= 30
