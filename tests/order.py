"""Which tests stay together in one process, and in which order processes take them (`make test`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

BROWSER = "one browser, one built site, one server"
SERVER = "one server, one trained run of each game"
GODOT = "one Godot"
VR = "one short training of VR navigation"

# Files whose path begins so run in one process with all others of the same reason.
TOGETHER = {
    "tests/web/": BROWSER,
    "tests/serve/": SERVER,
    "tests/godot/": GODOT,
    "tests/bridge/": GODOT,
    "tests/worlds/test_godot.py": GODOT,
    "tests/worlds/test_remote.py": GODOT,
    "tests/benchmarks/": GODOT,
    "tests/cli/test_film.py": GODOT,
    "tests/cli/test_godot.py": GODOT,
    "tests/cli/test_film_match.py": GODOT,
    "tests/compat/vr/": VR,
    "tests/compat/": GODOT,
}

# Whatever takes minutes begins first, so that no process is left with it when the others have ended. Of two
# processes the first takes the first and third of these at once, the other the second and fourth.
LONGEST = (
    GODOT,
    BROWSER,
    "tests/test_digest.py",
    SERVER,
    "tests/system/test_any_game.py",
    VR,
    "tests/system/test_wheels.py",
    "tests/system/test_foreign_scene.py",
    "tests/system/test_wheel.py",
    "tests/system/test_training.py",
    "tests/system/test_toy_game.py",
    "tests/evaluate/test_evaluator_process.py",
    "tests/engine/test_sanitizers.py",
    "tests/engine/test_parity_prospector.py",
    "tests/engine/test_c_programs.py",
    "tests/cli/test_gym_games.py",
    "tests/train/adapters/test_rllib.py",
    "tests/train/test_trainer_memory.py",
)


def reason(path: str) -> str:
    """Why tests of a file are kept together; a file that is not named is a reason of its own."""
    return next((why for begin, why in TOGETHER.items() if path.startswith(begin)), path)


def longest_first(tests: list[T], path_of: Callable[[T], str]) -> list[T]:
    """The long reasons in their order, then the others by their number of tests; within one nothing moves."""
    reasons = [reason(path_of(test)) for test in tests]
    count = Counter(reasons)

    def rank(why: str) -> tuple[int, int, str]:
        return (LONGEST.index(why), 0, "") if why in LONGEST else (len(LONGEST), -count[why], why)

    order = sorted(range(len(tests)), key=lambda i: rank(reasons[i]))
    return [tests[i] for i in order]
