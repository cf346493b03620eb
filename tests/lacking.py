"""What a test needs and this machine does not have."""

import os
from typing import NoReturn

import pytest


def lacking(what: str) -> NoReturn:
    """Ends the test: where everything must be there (CI is set) it has failed, at home it is skipped."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(what)
    raise AssertionError("both of them raise")
