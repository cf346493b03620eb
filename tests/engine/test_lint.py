"""Cores keep the rules at the head of engine/common/base.h: no libm, heap, output, globals or doubles."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from builds import ENGINE, GAMES, ROOT, compilers, promise, run

ALLOWED_SYMBOLS = {
    "memcpy",
    "memset",
    "memmove",
    "_GLOBAL_OFFSET_TABLE_",
}  # compilers call the first three by themselves
ALLOWED_HEADERS = {"stddef.h", "stdint.h", "string.h"}  # string.h only where a compiler lacks the builtins
CORES = {game: ENGINE / game / "unit.c" for game in GAMES}
DOORS = [ENGINE / "abi" / "abi.c", ENGINE / "learn" / "learn.c"]
WHOLE = sorted({*DOORS, *ENGINE.glob("*/unit.c"), *ENGINE.glob("*/*_test.c"), *ENGINE.glob("tests/*.c")})


# ---------------------------------------------------------------- the lint


def files_of(unit: Path) -> list[Path]:
    """A unit and every file that it includes by quotes, itself first."""
    found, waiting = [], [unit]
    while waiting:
        path = waiting.pop().resolve()
        if path in found:
            continue
        found.append(path)
        names = re.findall(r'^\s*#include "([^"]+)"', path.read_text(), re.M)
        waiting += [path.parent / name for name in names]
    return found


def code_of(path: Path) -> str:
    """The file without comments and strings."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"//[^\n]*", "", text)


def core_functions(code: str) -> list[str]:
    """The functions that run in a step (SL_FN), up to the closing brace in the first column."""
    return re.findall(r"^SL_FN\b(?:[^\n]*\}$|.*?^\})", code, re.M | re.S)


def problems_in_text(unit: Path) -> list[str]:
    problems = []
    for path in files_of(unit):
        code = code_of(path)
        for header in re.findall(r"#include <([^>]+)>", code):
            if header not in ALLOWED_HEADERS:
                problems.append(f"{path.name} includes <{header}>")
        for function in core_functions(code):
            name = re.search(r"(\w+)\s*\(", function).group(1)
            if re.search(r"\bdouble\b", function):
                problems.append(f"{name} in {path.name} uses double")
            if number := re.search(r"(?<![\w.])(\d+\.\d*|\.\d+|\d+e[+-]?\d+)(e[+-]?\d+)?(?![\w.])", function):
                problems.append(
                    f"{name} in {path.name} has {number.group(0)}, which is a double: write f after it"
                )
    return problems


def problems_in_object(unit: Path, folder: Path) -> list[str]:
    """What the compiled unit asks of others and may change. -fno-pie: else constant tables look writable."""
    compiled = folder / "unit.o"
    for level in ("-O0", "-O2"):
        run(
            [
                *compilers()["gcc"],
                "-std=gnu11",
                "-fno-pie",
                level,
                *promise(),
                "-c",
                str(unit),
                "-o",
                str(compiled),
            ]
        )
        symbols = [line.split()[-2:] for line in run(["nm", str(compiled)]).stdout.splitlines()]
        wanted = {name for kind, name in symbols if kind == "U"} - ALLOWED_SYMBOLS
        changing = {name for kind, name in symbols if kind in "bBdDcC"}
        if wanted or changing:
            return [f"calls {name}" for name in sorted(wanted)] + [
                f"can change {name}" for name in sorted(changing)
            ]
    return []


# ---------------------------------------------------------------- held to it


@pytest.mark.parametrize("game", GAMES)
def test_a_core_calls_nothing_but_memory_functions_and_has_no_variables(game, tmp_path):
    assert problems_in_object(CORES[game], tmp_path) == []


@pytest.mark.parametrize("game", GAMES)
def test_a_core_computes_in_single_precision_without_libraries(game):
    assert problems_in_text(CORES[game]) == []


def test_the_lint_looks_at_the_step_of_every_game():
    for game, unit in CORES.items():
        functions = [
            f for path in files_of(unit) if path.parent == unit.parent for f in core_functions(code_of(path))
        ]
        assert len(functions) > 20, f"the lint finds only {len(functions)} core functions in {game}"
        assert any(re.search(r"\w*step\w*\(", f.split("{")[0]) for f in functions)


BAD = {
    "calls expf": "SL_FN float f(float x) { return __builtin_expf(x); }\nfloat g(float x) { return f(x); }",
    "calls malloc": "void *malloc(unsigned long n);\nvoid *g(void) { return malloc(4); }",
    "calls printf": 'int printf(const char *, ...);\nvoid g(int x) { printf("%d", x); }',
    "can change count": "static int count;\nint g(void) { return count++; }",
    "includes <math.h>": "#include <math.h>\nint g(void) { return 0; }",
    "uses double": "SL_FN float f(float x) {\n  return (float)(double)x;\n}",
    "has 0.5": "SL_FN float f(float x) { return x * 0.5; }\nfloat g(float x) { return f(x); }",
}


@pytest.mark.parametrize("crime", BAD)
def test_the_lint_finds(crime, tmp_path):
    unit = tmp_path / "unit.c"
    unit.write_text(f'#include "{ENGINE}/common/base.h"\n{BAD[crime]}\n')
    found = problems_in_text(unit) + problems_in_object(unit, tmp_path)
    assert any(crime in problem for problem in found), found


def test_no_build_allows_the_compiler_to_change_results():
    for path in (ROOT / "CMakeLists.txt", ENGINE / "wasm" / "build.py"):
        text = path.read_text()
        assert "-ffp-contract=off" in text
        for loose in (
            "-ffast-math",
            "-Ofast",
            "-funsafe-math",
            "-fassociative-math",
            "-freciprocal-math",
            "relaxed-simd",
        ):
            assert loose not in text, f"{path.name} has {loose}: the bits would depend on the compiler"


def test_errno_stays_off_so_that_a_square_root_calls_no_library():
    flags = promise()
    assert flags.index("-fno-fast-math") < flags.index("-fno-math-errno"), (
        "-fno-fast-math switches math-errno on again"
    )


@pytest.mark.parametrize("source", WHOLE, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_it_compiles_without_a_warning(source):
    run([*compilers()["gcc"], "-std=gnu11", "-Werror", "-fsyntax-only", *promise(), str(source)])
