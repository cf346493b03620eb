"""serve/routes/replays.py."""

from ..contract import assert_as_agreed


def test_the_routes_are_as_agreed():
    assert_as_agreed("replays")
