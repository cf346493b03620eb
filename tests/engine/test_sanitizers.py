"""Every C program again under the address and undefined-behaviour sanitizers, the fuzzer among them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from builds import ENGINE, ROOT, run
from traces import CASES, assert_same_trace, case_arguments, describe, golden, trace

BUILD = ROOT / "build" / "sanitize"  # kept, so that a second run compiles only what changed
STRICT = os.environ | {
    "ASAN_OPTIONS": "detect_leaks=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}
GAME_TESTS = sorted(path.stem for path in ENGINE.glob("*/*_test.c"))

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def programs() -> Path:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    options = ["-G", "Ninja", "-DSANDLOT_SANITIZE=ON"]
    run(["cmake", "-S", str(ROOT), "-B", str(BUILD), *options], env=os.environ | {"PATH": path})
    run(["cmake", "--build", str(BUILD), "--target", "programs"], env=os.environ | {"PATH": path})
    return BUILD


def test_the_sanitizers_are_in_the_library(programs):
    (library,) = programs.glob("libsandlot.*")
    code = library.read_bytes()
    assert b"__asan_report" in code and b"__ubsan_handle" in code


@pytest.mark.parametrize("seed", [1, 2])
def test_nonsense_at_the_door_breaks_no_promise(programs, seed):
    assert "no promise broken" in run([str(programs / "engine_fuzz"), "120", str(seed)], env=STRICT).stdout


@pytest.mark.parametrize("name", GAME_TESTS)
def test_a_games_own_checks_pass(programs, name):
    run([str(programs / name)], env=STRICT)


@pytest.mark.parametrize("case", ["tag_eight", "prospector_short", "prospector_classic"])
def test_the_golden_trace_is_played_without_undefined_behaviour(programs, case):
    program = programs / "engine_trace"
    few = CASES[case] | {"seeds": 12}
    words = case_arguments(few, describe(program, few["game"]))
    assert_same_trace(
        trace([str(program)], [*words, "--threads", "2"]), golden(case)[:12], "the sanitized build"
    )
