"""Mutation testing: breaks one line at a time and asks whether the quick tests notice.

    python scripts/mutants.py --count 150 --seed 1

draws a seeded sample of mutants of `src/sandlot` (by syntax tree) and of `engine` (by line), applies each to
a scratch copy of the tree, runs only the tests that execute the changed line, and prints a table: how many
were noticed, with a Wilson interval, and every survivor as a diff. A survivor that changes nothing observable
belongs into `scripts/equivalent_mutants.txt` (its id and the reason); it is then counted apart.

The map from lines to tests is measured once with coverage.py's dynamic contexts, which takes as long as all
quick tests do; `--coverage FILE` keeps it. `--no-map` needs none: it tries the few test files that name the
module, notices fewer mutants, and so states a lower bound.
The tree itself is never modified. Needs the packages that `make test` installs.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import functools
import hashlib
import importlib
import itertools
import math
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "scripts" / "equivalent_mutants.txt"
QUICK = "not slow and not parity and not perf"
MOST_TEST_S = (
    25.0  # of covering tests run for one mutant: those of the mirrored file first, then the quickest
)
MOST_NAMING = 5  # test files for one mutant, without the map
# A mutant that hangs is noticed by its limit, if the tests end within it without the mutant. The limits are
# of processor time; that of the clock is longer where others use the machine.
MUTANT_TIMEOUT_S = 60
C_TIMEOUT_S = 200  # many tests of the engine
LONGEST_WAIT = 4  # times as long by the clock, on the busiest machine
COVERAGE_TIMEOUT_S = 3600
MOST_BROKEN = 3  # tests that fail by themselves, before a mutant counts as not noticed
BUILD_TIMEOUT_S = 300
PYTHON_SKIPPED = ("reference/", "_version")  # the twin is a test oracle itself
# Keyword arguments that only change how a picture looks; pictures are looked at, not compared.
COSMETIC = {
    *("alpha", "borderpad", "capsize", "fill_alpha", "fontsize", "framealpha", "hspace", "labelpad"),
    *("labelsize", "labelspacing", "length", "linewidth", "lw", "markersize", "ms", "pad", "rotation"),
    *("size", "width_ratios", "wspace", "zorder"),
}  # fmt: skip
# Of the engine's tests: those that notice most faults in the least time go first, by themselves.
C_FIRST = ["tests/engine/test_core_and_twin.py", "tests/games/test_bot_decisions.py"]
C_REST = ["tests/games", "tests/engine"]
C_LAST = ["tests/engine/test_bits.py"]
C_DESELECTED = ["tests/engine/test_bits.py::test_every_compiler_and_level_prints_the_golden_trace"]  # minutes
C_SKIPPED = ("tests/", "cuda/", "wasm/", "_test.c")


@dataclass(frozen=True)
class Mutant:
    """One changed line (or statement) of one file."""

    path: str  # relative to the repository
    line: int  # first line of the change, 1-based
    operator: str
    before: str  # whole lines
    after: str

    @property
    def id(self) -> str:
        digest = hashlib.sha256(f"{self.path}\n{self.before}\n{self.after}".encode()).hexdigest()[:10]
        return f"{self.path}:{self.operator}:{digest}"

    @property
    def last_line(self) -> int:
        return self.line + self.before.count("\n") - 1

    def apply(self, text: str) -> str:
        lines = text.splitlines(keepends=True)
        lines[self.line - 1 : self.last_line] = [self.after]
        return "".join(lines)

    def diff(self) -> str:
        changed = difflib.unified_diff(self.before.splitlines(), self.after.splitlines(), lineterm="", n=0)
        return "\n".join(f"    {line}" for line in changed if not line.startswith(("---", "+++", "@@")))


# ---------------------------------------------------------------- Python mutants

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip


def replaced(node: ast.AST) -> list[tuple[str, ast.AST]]:
    """What may stand in the place of a node, with the name of the change."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
        operator = COMPARISONS[type(node.ops[0])]()
        return [("comparison", ast.Compare(node.left, [operator], node.comparators))]
    if isinstance(node, ast.BoolOp):
        other = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        return [("boolean", ast.BoolOp(other, node.values))]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return [("negation", node.operand)]
    if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC and not is_text(node):
        return [("arithmetic", ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right))]
    if isinstance(node, ast.Constant):
        return [("constant", ast.Constant(value)) for value in other_values(node.value)]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return [("call removed", ast.Pass())]
    if isinstance(node, ast.Raise):
        return [("refusal removed", ast.Pass())]
    if isinstance(node, ast.If):
        return [("condition always true", ast.If(ast.Constant(True), node.body, node.orelse))]
    if isinstance(node, ast.Return) and node.value is not None and not is_falsy(node.value):
        return [("returns None", ast.Return(ast.Constant(None)))]
    return []


def other_values(value: object) -> list[object]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1]
    if isinstance(value, float):
        return [value * 2 if value else 1.0]
    return []


def is_falsy(node: ast.AST) -> bool:
    """None, False, 0, "" or an empty display: None in its place is hardly ever a difference."""
    return (isinstance(node, ast.Constant) and not node.value) or ast.unparse(node) in ("()", "[]", "{}")


def is_text(node: ast.BinOp) -> bool:
    sides = (node.left, node.right)
    return any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in sides
    )


def left_out(tree: ast.Module) -> set[int]:
    """Nodes whose change nobody can notice: annotations, text, decorators, `TYPE_CHECKING` blocks."""
    skipped: set[int] = set()

    def skip(node: ast.AST | None) -> None:
        if node is not None:
            skipped.update(id(child) for child in ast.walk(node))

    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skip(node)
        elif isinstance(node, ast.AnnAssign | ast.arg):
            skip(node.annotation)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            skip(node.returns)
            for decorator in node.decorator_list:
                skip(decorator)
        elif isinstance(node, ast.ClassDef):
            for decorator in node.decorator_list:
                skip(decorator)
        elif isinstance(node, ast.keyword) and node.arg in COSMETIC:
            skip(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
            for keyword in node.keywords:
                skip(keyword.value)  # strict: a guard, never reached where the lengths are equal
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            skip(node)
        elif (
            isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and node.value.id[:1].isupper()
        ):
            skip(node.slice)  # generic types
    return skipped


def python_mutants(path: Path, name: str) -> Iterator[Mutant]:
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    tree = ast.parse(text)
    skipped = left_out(tree)
    for node in ast.walk(tree):
        if id(node) in skipped or not hasattr(node, "lineno"):
            continue
        for operator, new in replaced(node):
            mutant = python_mutant(name, lines, node, operator, new)
            if mutant is not None:
                yield mutant


def python_mutant(name: str, lines: list[str], node: ast.AST, operator: str, new: ast.AST) -> Mutant | None:
    """The node's source replaced by that of another; None where the result is the same."""
    ast.copy_location(new, node)
    if isinstance(new, ast.If):  # only the condition, not the body
        target: ast.AST = node.test  # type: ignore[attr-defined]
        source = "True"
    else:
        target, source = node, ast.unparse(ast.fix_missing_locations(new))
    first, last = target.lineno, target.end_lineno  # type: ignore[attr-defined]
    before = "".join(lines[first - 1 : last])
    head = lines[first - 1].encode()[: target.col_offset].decode()  # type: ignore[attr-defined]
    tail = lines[last - 1].encode()[target.end_col_offset :].decode()  # type: ignore[attr-defined]
    wrapped = f"({source})" if isinstance(target, ast.expr) and not isinstance(new, ast.Constant) else source
    after = head + wrapped + tail
    return Mutant(name, first, operator, before, after) if after != before else None


def is_valid(mutant: Mutant) -> bool:
    """Whether what it makes of its file is still Python; C is judged by the compiler."""
    if mutant.path.endswith(".py"):
        try:
            ast.parse(mutant.apply((ROOT / mutant.path).read_text(encoding="utf-8")))
        except SyntaxError:
            return False
    return True


# ---------------------------------------------------------------- C mutants

C_CHANGES = [
    ("comparison", r"(?<![<>=!-])<(?![<=])", "<="),
    ("comparison", r"(?<![<>=!-])>(?![>=])", ">="),
    ("comparison", r"==", "!="),
    ("comparison", r"!=", "=="),
    ("boolean", r"&&", "||"),
    ("boolean", r"\|\|", "&&"),
    ("arithmetic", r" \+ ", " - "),
    ("arithmetic", r" - ", " + "),
    ("arithmetic", r" \* ", " / "),
    ("constant", r"\b0\.5f\b", "1.0f"),
    ("constant", r"\b1\.0f\b", "2.0f"),
    ("constant", r"\b1\b", "2"),
]
C_NOT_CODE = re.compile(r"^\s*(//|/\*|\*|#|static_assert|_Static_assert)|\"|^\s*$")


def c_mutants(path: Path, name: str) -> Iterator[Mutant]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(keepends=True), 1):
        code, _, comment = line.partition("//")
        if C_NOT_CODE.search(line):
            continue
        for operator, pattern, new in C_CHANGES:
            for found in re.finditer(pattern, code):
                changed = code[: found.start()] + new + code[found.end() :]
                yield Mutant(name, number, operator, line, changed + (f"//{comment}" if comment else ""))


# ---------------------------------------------------------------- the sample


def all_mutants() -> dict[str, list[Mutant]]:
    found: dict[str, list[Mutant]] = {"python": [], "c": []}
    for path in sorted((ROOT / "src" / "sandlot").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not any(part in name for part in PYTHON_SKIPPED):
            found["python"] += python_mutants(path, name)
    for path in sorted((ROOT / "engine").rglob("*.[ch]")):
        name = path.relative_to(ROOT).as_posix()
        if not any(part in name for part in C_SKIPPED):
            found["c"] += c_mutants(path, name)
    return found


def sample(mutants: dict[str, list[Mutant]], count: int, seed: int, c_share: float) -> list[Mutant]:
    """A file is drawn by its number of mutants; the same seed gives the same mutants."""
    generator = random.Random(seed)
    c_count = round(count * c_share)
    chosen: list[Mutant] = []
    for kind, wanted in (("python", count - c_count), ("c", c_count)):
        drawn = generator.sample(mutants[kind], len(mutants[kind]))
        chosen += itertools.islice(filter(is_valid, drawn), wanted)  # parsing all of them takes minutes
    generator.shuffle(chosen)
    return chosen


# ---------------------------------------------------------------- which tests execute a line


class Coverage:
    """Which tests executed which line, in this process or in one that they started."""

    def __init__(self, file: Path, known: set[str] | None = None):
        self.known = known  # tests that there are; none for all
        self.data = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        self.files = {path: number for number, path in self.data.execute("select id, path from file")}
        self.contexts = dict(self.data.execute("select id, context from context"))
        self.durations, self.failing = durations(durations_file(file))

    def tests(self, path: str, first: int, last: int) -> set[str]:
        """Test ids that execute one of these lines; those of the whole file where only an import does."""
        number = next((n for name, n in self.files.items() if name.endswith("/" + path)), None)
        rows = self.data.execute("select context_id, numbits from line_bits where file_id = ?", (number,))
        own, any_line = set(), set()
        for context, bits in rows:
            test = self.contexts[context].removeprefix("import|")
            if "::" in test and test not in self.failing and (self.known is None or test in self.known):
                any_line.add(test)
                if any(bit(bits, line) for line in range(first, last + 1)):
                    own.add(test)
        return own or any_line

    def choose(self, tests: set[str], stem: str) -> list[str]:
        """The mirrored file's tests first, then the quickest, as far as the time goes."""
        ordered = sorted(tests, key=lambda test: (f"test_{stem}.py" not in test, self.duration(test), test))
        chosen, seconds = ordered[:1], self.duration(ordered[0])
        for test in ordered[1:]:
            seconds += self.duration(test)
            if seconds > MOST_TEST_S:
                break
            chosen.append(test)
        return chosen

    def duration(self, test: str) -> float:
        return self.durations.get(test, 1.0)


def collected(scratch: Path) -> set[str]:
    """The ids of the quick tests; one id that is gone would keep pytest from running any."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", QUICK, "-p", "no:cacheprovider"]
    listing = subprocess.run(
        [*command, "-o", "addopts="],
        cwd=scratch,
        env=scratch_environment(scratch),
        timeout=COVERAGE_TIMEOUT_S,
        capture_output=True,
        text=True,
    )
    return {line for line in listing.stdout.splitlines() if "::" in line}


def bit(numbits: bytes, line: int) -> bool:
    byte, place = divmod(line, 8)
    return byte < len(numbits) and bool(numbits[byte] & (1 << place))


def durations_file(coverage: Path) -> Path:
    return coverage.with_name(coverage.name + ".durations.xml")


def durations(file: Path) -> tuple[dict[str, float], set[str]]:
    """Seconds of each test, and the tests that failed without any mutant, from pytest's JUnit file."""
    seconds: dict[str, float] = {}
    failing: set[str] = set()
    if file.exists():
        for case in ElementTree.parse(file).getroot().iter("testcase"):
            test = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}"
            seconds[test] = float(case.get("time", 1))
            if case.find("failure") is not None or case.find("error") is not None:
                failing.add(test)
    return seconds, failing


# Started in every Python process of the measurement: a test's own, and those that it starts.
MEASURING = """
import os
if os.environ.get("COVERAGE_PROCESS_START"):
    import coverage
    coverage.process_startup()
"""
# A pytest plugin: every line belongs to the test that runs now; what it starts is told by its environment.
TELLING = """
import os
import coverage, pytest
@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    os.environ["SANDLOT_TEST"] = item.nodeid
    coverage.Coverage.current().switch_context(item.nodeid)
    return (yield)
"""
COVERAGE_SETTINGS = """
[run]
source_pkgs = sandlot
data_file = {file}
parallel = true
sigterm = true
context = ${{SANDLOT_TEST-import}}
"""


def measure_coverage(scratch: Path, file: Path, processes: int) -> None:
    print(f"measuring which quick tests execute which line, into {file} (some minutes)", flush=True)
    shim = scratch / ".mutants"
    (shim / "telling.py").write_text(TELLING)
    (shim / "coveragerc").write_text(COVERAGE_SETTINGS.format(file=file))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        str(processes),
        "-m",
        QUICK,
        "-p",
        "telling",
        "-p",
        "no:cacheprovider",
    ]
    measured = scratch_environment(scratch) | {"COVERAGE_PROCESS_START": str(shim / "coveragerc")}
    subprocess.run(
        [*command, "-q", "--no-header", "--timeout=300", f"--junitxml={durations_file(file)}"],
        cwd=scratch,
        env=measured,
        timeout=COVERAGE_TIMEOUT_S,
        stdout=subprocess.DEVNULL,
    )
    combine = [sys.executable, "-m", "coverage", "combine", "--quiet", f"--rcfile={shim / 'coveragerc'}"]
    if subprocess.run(combine, cwd=scratch, timeout=COVERAGE_TIMEOUT_S).returncode:
        raise SystemExit("The quick tests left no coverage data; run `make quick` and see why.")


def mirrored(path: str) -> list[str]:
    """Tests by name for code that no quick test executes."""
    inside = Path(path).relative_to("src/sandlot")
    own = Path("tests") / inside.parent / f"test_{inside.stem}.py"
    return [str(own)] if (ROOT / own).exists() else []


@functools.cache
def naming(path: str) -> list[str]:
    """The mirrored test file, then others of its name, then those that name the module or what it offers.

    Found by reading alone. A test that executes the module without naming it is not among them, so that
    more mutants survive than with the map.
    """
    module = Path(path).relative_to("src/sandlot").with_suffix("")
    package, folder = ".".join(["sandlot", *module.parts[:-1]]), Path("tests") / module.parent
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    offered = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    names = [module.parent.name if module.stem == "__init__" else module.stem]
    names += [name for name in offered if not name.startswith("_")]
    word = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")
    found: list[tuple[bool, bool, int, str]] = []
    top = Path(
        "tests", *module.parts[:1]
    )  # tests of a folder within a package may lie in that of the package
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        text = file.read_text(encoding="utf-8")
        name = file.relative_to(ROOT)
        of_all = name.parent == Path("tests") != folder  # what holds for the whole repository
        alike = name.name == f"test_{module.stem}.py" and top in name.parents
        if alike or ((package in text or name.parent == folder) and word.search(text) and not of_all):
            found.append((not alike, name.parent != folder, -len(word.findall(text)), str(name)))
    own = mirrored(path)
    return own + [name for *_, name in sorted(found) if name not in own][: MOST_NAMING - len(own)]


@functools.cache
def engine_tests(folder: str) -> list[str]:
    """Tests for a fault in one folder of the engine: without those of other games, the goldens last."""
    games = {path.name for path in (ROOT / "engine").iterdir() if (path / f"{path.name}.c").exists()}
    others = games - {folder} if folder in games else set()
    found = [path.relative_to(ROOT) for rest in C_REST for path in sorted((ROOT / rest).rglob("test_*.py"))]
    found = [path for path in found if not any(game in path.stem for game in others)]
    found.sort(key=lambda path: folder not in path.stem)
    return [*C_FIRST, *(str(path) for path in found if str(path) not in (*C_FIRST, *C_LAST)), *C_LAST]


def covering(mutant: Mutant, coverage: Coverage | None) -> list[str]:
    """The tests that may notice a mutant; none where no quick test comes near it."""
    if mutant.path.startswith("engine/"):
        return engine_tests(Path(mutant.path).parts[1])
    if coverage is None:
        return naming(mutant.path)
    tests = coverage.tests(mutant.path, mutant.line, mutant.last_line)
    own = mirrored(mutant.path)  # also where the map is older than some of its tests
    return own + (coverage.choose(tests, Path(mutant.path).stem) if tests else [])


# ---------------------------------------------------------------- one mutant


def scratch_copy(folder: Path) -> Path:
    """The tracked and built files in a folder of their own, with the same virtual environment."""
    scratch = folder / "sandlot"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=60,
    )
    for name in listed.stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (scratch / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, scratch / name)
    for built in ("src/sandlot/lib", "src/sandlot/serve/site", "build/wasm"):
        if (ROOT / built).is_dir():
            shutil.copytree(ROOT / built, scratch / built, dirs_exist_ok=True)
    for link in (".venv", ".venv-godot-rl", "web/node_modules"):
        if (ROOT / link).exists():
            (scratch / link).symlink_to(ROOT / link)
    shim = scratch / ".mutants"
    shim.mkdir()
    # The editable install's finder would find the tree itself; the copy's path comes first without it.
    (shim / "sitecustomize.py").write_text(
        "import sys\nsys.meta_path[:] = [f for f in sys.meta_path if 'ScikitBuild' not in type(f).__name__]\n"
        + MEASURING
    )
    return scratch


def scratch_environment(scratch: Path) -> dict[str, str]:
    path = os.pathsep.join([str(scratch / ".mutants"), str(scratch / "src")])
    return os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "CI": ""}


def noticed(mutant: Mutant, scratch: Path, tests: list[str]) -> str:
    """How the tests noticed ('failed' or 'time limit' in which test, 'did not build'), '' for a survivor."""
    if not tests:
        return ""
    broken: list[str] = []  # tests that fail without the mutant, or not always with it
    while len(broken) <= MOST_BROKEN:
        how, failed = with_mutant(mutant, scratch, tests, broken)
        if how in ("", "did not build"):
            return how
        if not failed:  # before the first test
            return "" if run_tests(scratch, tests, limit_of(mutant))[0] else how
        # Once more, alone: on a busy machine a test may fail, and many together reach the limit.
        again, _ = with_mutant(mutant, scratch, failed, [])
        if again and not run_tests(scratch, failed, limit_of(mutant))[0]:
            return f"{again} in {failed[0]}"
        if how == "time limit":
            return ""  # the tests had their time, and none failed
        broken += failed
    print(f"These tests fail without any mutant: {', '.join(broken)}.", flush=True)
    return ""


def with_mutant(mutant: Mutant, scratch: Path, tests: list[str], broken: list[str]) -> tuple[str, list[str]]:
    """What `run_tests` returns while the mutant is in the scratch copy."""
    native = mutant.path.startswith("engine/")
    target = next((scratch / "src/sandlot/lib").iterdir()) if native else scratch / mutant.path
    original = target.read_bytes()
    changed = mutated_engine(mutant, scratch) if native else mutant.apply(original.decode()).encode()
    if changed is None:
        return "did not build", []
    write_bytes(target, changed)
    try:
        return run_tests(scratch, tests, limit_of(mutant), broken)
    finally:
        write_bytes(target, original)


def write_bytes(path: Path, data: bytes) -> None:
    """As a new file: a process that has the old one open keeps it."""
    new = path.with_name(f"{path.name}.new")
    new.write_bytes(data)
    new.replace(path)


@functools.lru_cache(maxsize=1)  # it is tried more than once
def mutated_engine(mutant: Mutant, scratch: Path) -> bytes | None:
    """The native library with a mutant in it; None if it does not compile."""
    source = scratch / mutant.path
    original = source.read_text(encoding="utf-8")
    source.write_text(mutant.apply(original), encoding="utf-8")
    try:
        return build_engine(scratch)
    finally:  # the file's new time has it compiled again before the next mutant
        source.write_text(original, encoding="utf-8")


def limit_of(mutant: Mutant) -> float:
    return C_TIMEOUT_S if mutant.path.startswith("engine/") else MUTANT_TIMEOUT_S


def build_engine(scratch: Path) -> bytes | None:
    """Hardly optimised: it prints the same bits, and compiles in a fraction of the time."""
    library = next((scratch / "src/sandlot/lib").iterdir()).name
    build = scratch / "build" / "mutants"
    tools = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    configure = ["cmake", "-S", str(scratch), "-B", str(build), "-G", "Ninja"]
    configure += ["-DCMAKE_BUILD_TYPE=Mutant", "-DCMAKE_C_FLAGS_MUTANT=-O1"]
    for command in (configure, ["cmake", "--build", str(build), "--target", "sandlot"]):
        if subprocess.run(command, env=tools, capture_output=True, timeout=BUILD_TIMEOUT_S).returncode:
            return None
    return (build / library).read_bytes()


def run_tests(
    scratch: Path, tests: list[str], limit_s: float, broken: list[str] | None = None
) -> tuple[str, list[str]]:
    """Runs all but the broken ones until one fails, in a fork of this process, which has imported the large
    packages already. Returns 'failed', 'time limit' or '', and the test that failed, crashed or hung."""
    last_test = scratch / ".last_test"
    last_test.unlink(missing_ok=True)
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit_s), resource.RLIM_INFINITY))
        os._exit(_tests_in_child(scratch, tests, last_test, broken or []))
    deadline = time.monotonic() + limit_s * min(LONGEST_WAIT, max(1.0, os.getloadavg()[0] / os.cpu_count()))
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            if code == -signal.SIGXCPU:
                return "time limit", _lines(last_test)
            if code == 5 and not broken:  # 4 is a test file that cannot be imported any more: noticed
                raise SystemExit(f"pytest ran none of {tests}.")
            return ("failed" if code not in (0, 5) else ""), _lines(last_test)
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)  # and the processes that the tests started
    os.waitpid(child, 0)
    return "time limit", _lines(last_test)


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


class LastTestRecorder:
    """A pytest plugin that keeps the id of the test that runs in a file; the last one failed or crashed."""

    def __init__(self, file: Path):
        self.file = file

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.file.write_text(nodeid)


def _tests_in_child(scratch: Path, tests: list[str], last_test: Path, broken: list[str]) -> int:
    os.setsid()
    os.chdir(scratch)
    os.environ.update(scratch_environment(scratch))
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(scratch), str(scratch / "src")]
    sys.meta_path[:] = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
    quiet = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(quiet, descriptor)
    import pytest  # not at the top: the plugins of the tests are found from here

    chosen = ["-x", "-q", "-m", QUICK, "--no-header", "-p", "no:cacheprovider", *tests]
    for test in (*broken, *C_DESELECTED):
        chosen += ["--deselect", test]
    try:
        return int(pytest.main(chosen, plugins=[LastTestRecorder(last_test)]))
    except (KeyboardInterrupt, SystemExit):
        return 2


def import_large_packages() -> None:
    """Once for all mutants: what nearly every test imports and no mutant changes."""
    for name in (
        "numpy",
        "torch",
        "typer",
        "fastapi",
        "uvicorn",
        "matplotlib.pyplot",
        "hypothesis",
        "pytest",
    ):
        importlib.import_module(name)


# ---------------------------------------------------------------- the table


def wilson(good: int, total: int) -> tuple[float, float]:
    z, share = 1.96, good / total
    middle = share + z * z / (2 * total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return (middle - half) / (1 + z * z / total), (middle + half) / (1 + z * z / total)


def equivalent_ids() -> set[str]:
    if not EQUIVALENT.exists():
        return set()
    lines = EQUIVALENT.read_text(encoding="utf-8").splitlines()
    return {line.split("  ")[0].strip() for line in lines if line and not line.startswith("#")}


def table(results: list[tuple[Mutant, str]]) -> str:
    known = equivalent_ids()
    counted = [(m, how) for m, how in results if how or m.id not in known]
    rows = ["| code | mutants | noticed | share | 95 % interval |", "|---|---|---|---|---|"]
    for label, begin in (("Python", "src/"), ("C", "engine/"), ("all", "")):
        mine = [how for m, how in counted if m.path.startswith(begin)]
        if mine:
            good = sum(map(bool, mine))
            low, high = wilson(good, len(mine))
            rows.append(
                f"| {label} | {len(mine)} | {good} | {good / len(mine):.1%} | {low:.1%} to {high:.1%} |"
            )
    rows.append(f"\nleft out as equivalent: {len(results) - len(counted)}")
    return "\n".join(rows)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=150, help="mutants to try")
    parser.add_argument("--seed", type=int, default=1, help="which sample")
    parser.add_argument("--c-share", type=float, default=0.12, help="share of the sample that is C")
    parser.add_argument("--coverage", type=Path, help="keep or reuse the map from lines to tests")
    parser.add_argument(
        "--no-map", dest="map", action="store_false", help="choose tests by the names in them: begins at once"
    )
    parser.add_argument("--processes", type=int, default=2, help="that measure the map")
    parser.add_argument("--only", default="", help="only files whose path contains this")
    parser.add_argument(
        "--list", action="store_true", help="print the sample and the tests chosen, run nothing"
    )
    parser.add_argument("--part", default="1/1", help="K/N: every N-th mutant of the sample, from the K-th")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    mutants = {kind: [m for m in found if options.only in m.path] for kind, found in all_mutants().items()}
    part, parts = map(int, options.part.split("/"))
    c_share = options.c_share if mutants["c"] and mutants["python"] else float(bool(mutants["c"]))
    chosen = sample(mutants, options.count, options.seed, c_share)[part - 1 :: parts]
    results: list[tuple[Mutant, str]] = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        scratch = scratch_copy(Path(folder))
        coverage = None
        if options.map:
            file = (options.coverage or Path(folder) / "coverage").resolve()
            if not file.exists():
                measure_coverage(scratch, file, options.processes)
            coverage = Coverage(file, collected(scratch))
        import_large_packages()
        try:
            for number, mutant in enumerate(chosen, 1):
                if options.list:
                    print(mutant.id, *covering(mutant, coverage), sep="\n  ")
                    continue
                start = time.monotonic()
                how = noticed(mutant, scratch, covering(mutant, coverage))
                results.append((mutant, how))
                took = f"{how or 'SURVIVED'} ({time.monotonic() - start:.0f} s)"
                print(
                    f"{number}/{len(chosen)} {mutant.path}:{mutant.line} {mutant.operator}: {took}",
                    flush=True,
                )
                if not how:
                    print(f"    id {mutant.id}\n{mutant.diff()}", flush=True)
        except KeyboardInterrupt:
            print("stopped; the table is of what was tried", flush=True)
    if results:
        print("\n" + table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
