"""One seed and one list of actions give the same bits, whatever built the engine and however it runs."""

from __future__ import annotations

import pytest
from builds import build_program, compilers, link_program
from traces import CASES, GOLDEN, PythonTrace, assert_same_trace, case_arguments, describe, golden, trace

from sandlot.worlds import library

# Every compiler that is here, at the levels that differ most; zig's clang stands in where no clang is.
BUILDS = {
    f"{name} {' '.join(flags)}": (compiler, flags)
    for name, compiler in compilers().items()
    for flags in ([["-O0"], ["-O2"], ["-O3", "-march=native"]] if name == "gcc" else [["-O2"]])
}


@pytest.fixture(scope="module", params=BUILDS)
def built(request, tmp_path_factory):
    """engine_trace with the whole engine inside, by one compiler at one level."""
    compiler, flags = BUILDS[request.param]
    return build_program(tmp_path_factory.mktemp("bits") / "trace", "trace.c", compiler, *flags)


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """engine_trace over the shared library that Python loads."""
    return link_program(tmp_path_factory.mktemp("bits") / "trace", "trace.c", library.default_path())


def best_level() -> int:
    return library.load().sl_use_level(-1)


@pytest.mark.parametrize("case", CASES)
def test_every_compiler_and_level_prints_the_golden_trace(case, built):
    words = case_arguments(CASES[case], describe(built, CASES[case]["game"]))
    assert_same_trace(trace([str(built)], words), golden(case), "this build")


@pytest.mark.parametrize("case", CASES)
def test_every_step_is_the_golden_one(case, built):
    words = case_arguments(CASES[case], describe(built, CASES[case]["game"]), each=True)
    assert_same_trace(trace([str(built)], words), golden(f"{case}_steps"), "this build")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("level", range(best_level() + 1))
def test_every_instruction_set_of_the_library_prints_the_golden_trace(case, level, shipped):
    words = case_arguments(CASES[case], describe(shipped, CASES[case]["game"]))
    assert_same_trace(trace([str(shipped)], [*words, "--level", str(level)]), golden(case), f"level {level}")


@pytest.mark.parametrize("threads, batch", [(2, 64), (2, 7), (1, 1)])
@pytest.mark.parametrize("case", ["tag_switch", "tag_eight", "prospector_short"])
def test_threads_and_batch_size_change_nothing(case, threads, batch, shipped):
    few = CASES[case] | {"seeds": 24}
    words = case_arguments(few, describe(shipped, few["game"]))
    found = trace([str(shipped)], [*words, "--threads", str(threads), "--batch", str(batch)])
    assert_same_trace(found, golden(case)[:24], f"{threads} threads with {batch} worlds")


@pytest.mark.parametrize("case", CASES)
def test_the_python_face_prints_the_golden_trace(case):
    seeds = 8  # two of each way to play
    assert_same_trace(PythonTrace(CASES[case], seeds, threads=2).lines(), golden(case)[:seeds], "Python")


@pytest.mark.parametrize("case", CASES)
def test_golden_traces_are_of_this_version(case, shipped):
    """A game whose version was raised needs new traces; see tests/golden/README.md."""
    game = CASES[case]["game"]
    heading = (GOLDEN / f"{case}.txt").read_text().splitlines()[0]
    assert heading.startswith(f"# {game} version {describe(shipped, game)['version']},"), heading
