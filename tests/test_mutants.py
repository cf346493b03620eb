"""The mutation tester: valid changes, a repeatable sample, and verdicts that tell good tests from weak."""

import ast
import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = '''
"""A module with one of everything that is changed."""

LIMIT = 3


def allowed(count: int, strict: bool = True) -> int:
    if count < LIMIT and not strict:
        raise ValueError(f"{count} is below {LIMIT}")
    print(count)
    return count + 1
'''


@pytest.fixture(scope="module")
def mutants():
    spec = importlib.util.spec_from_file_location("mutants", ROOT / "scripts" / "mutants.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutants"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def module(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(SOURCE)
    return path


def test_every_python_mutant_is_valid_and_differs(mutants, module):
    made = list(mutants.python_mutants(module, "module.py"))
    changed = [mutant.apply(SOURCE) for mutant in made]
    assert SOURCE not in changed and len(set(changed)) == len(changed)
    assert [ast.parse(text) for text in changed]


def test_every_kind_of_change_is_made(mutants, module):
    kinds = {mutant.operator for mutant in mutants.python_mutants(module, "module.py")}
    assert kinds == {
        "comparison",
        "boolean",
        "negation",
        "arithmetic",
        "constant",
        "call removed",
        "refusal removed",
        "condition always true",
        "returns None",
    }


def test_annotations_and_message_texts_are_left_alone(mutants, module):
    for mutant in mutants.python_mutants(module, "module.py"):
        if mutant.operator != "refusal removed":
            assert 'f"{count} is below {LIMIT}"' in mutant.apply(SOURCE)
        assert "count: int" in mutant.apply(SOURCE)


def test_c_mutants_leave_comments_and_text_alone(mutants, tmp_path):
    path = tmp_path / "rules.c"
    path.write_text('// a < b\nif (a < b) return 1;  // a < b\nsay("a < b");\n')
    made = list(mutants.c_mutants(path, "rules.c"))
    assert {mutant.after for mutant in made} == {
        "if (a <= b) return 1;  // a < b\n",
        "if (a < b) return 2;  // a < b\n",
    }


def test_what_is_left_out_does_not_depend_on_where_the_checkout_is(mutants, tmp_path, monkeypatch):
    root = tmp_path / "tests" / "reference" / "checkout"  # folders that are left out inside a checkout
    for name, text in {
        "src/sandlot/module.py": SOURCE,
        "src/sandlot/reference/twin.py": SOURCE,
        "engine/game/rules.c": "if (a < b) return;\n",
        "engine/tests/fuzz.c": "if (a < b) return;\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    monkeypatch.setattr(mutants, "ROOT", root)
    found = mutants.all_mutants()
    assert {mutant.path for mutant in found["python"]} == {"src/sandlot/module.py"}
    assert {mutant.path for mutant in found["c"]} == {"engine/game/rules.c"}


def test_the_same_seed_draws_the_same_mutants(mutants, module, monkeypatch):
    monkeypatch.setattr(mutants, "ROOT", module.parent)
    made = {"python": list(mutants.python_mutants(module, "module.py")), "c": []}
    assert mutants.sample(made, 5, 1, 0.0) == mutants.sample(made, 5, 1, 0.0)
    assert mutants.sample(made, 5, 1, 0.0) != mutants.sample(made, 5, 2, 0.0)


def test_a_change_that_is_no_python_is_not_drawn(mutants, module, monkeypatch):
    monkeypatch.setattr(mutants, "ROOT", module.parent)
    good = next(mutants.python_mutants(module, "module.py"))
    bad = mutants.Mutant("module.py", 5, "constant", "LIMIT = 3\n", "LIMIT = = 3\n")
    assert mutants.sample({"python": [good, bad], "c": []}, 2, 1, 0.0) == [good]


@pytest.mark.parametrize("game", ["tag", "prospector", "landing", "navigation"])
def test_a_fault_of_one_game_is_not_tried_on_the_tests_of_another(mutants, game):
    chosen = mutants.engine_tests(game)
    others = {"tag", "prospector", "landing", "navigation"} - {game}
    assert not [name for name in chosen if any(other in Path(name).stem for other in others)]
    assert chosen[:2] == mutants.C_FIRST and chosen[-1:] == mutants.C_LAST, "goldens alone come last"
    assert len(set(chosen)) == len(chosen) and any(game in Path(name).stem for name in chosen[2:])
    assert set(chosen) < set(mutants.engine_tests("common"))


@pytest.mark.parametrize(
    ("assertion", "verdict"), [("module.allowed(5) == 6", "failed"), ("module.allowed(5)", "")]
)
def test_a_strong_test_notices_what_a_weak_one_lets_through(mutants, module, tmp_path, assertion, verdict):
    (tmp_path / "test_module.py").write_text(f"import module\n\ndef test_it():\n    assert {assertion}\n")
    change = next(m for m in mutants.python_mutants(module, "module.py") if m.operator == "arithmetic")
    assert mutants.noticed(change, tmp_path, ["test_module.py"]).partition(" in ")[0] == verdict
    assert module.read_text() == SOURCE  # put back


def test_a_test_that_fails_without_the_mutant_notices_nothing(mutants, module, tmp_path):
    (tmp_path / "test_module.py").write_text("def test_it():\n    assert False\n")
    change = next(m for m in mutants.python_mutants(module, "module.py") if m.operator == "arithmetic")
    assert mutants.noticed(change, tmp_path, ["test_module.py"]) == ""


def test_a_test_that_fails_only_sometimes_notices_nothing(mutants, module, tmp_path):
    """As a deadline on a busy machine: it fails once with the mutant, and never again."""
    (tmp_path / "test_module.py").write_text(
        "from pathlib import Path\n\n"
        "def test_it():\n    seen = Path('seen').exists()\n    Path('seen').touch()\n    assert seen\n"
    )
    change = next(m for m in mutants.python_mutants(module, "module.py") if m.operator == "arithmetic")
    assert mutants.noticed(change, tmp_path, ["test_module.py"]) == ""
    assert (tmp_path / "seen").exists()


def test_without_a_map_the_mirrored_tests_come_first_and_then_those_that_name_the_module(mutants):
    chosen = mutants.naming("src/sandlot/evaluate/play.py")
    assert chosen[0] == "tests/evaluate/test_play.py" and 1 < len(chosen) <= mutants.MOST_NAMING
    assert len(set(chosen)) == len(chosen) and all((ROOT / name).exists() for name in chosen)
    assert mutants.naming("src/sandlot/spec/settings.py")[0] == "tests/spec/test_settings.py"


def test_a_crash_is_noticed_although_another_test_always_fails(mutants, module, tmp_path):
    (tmp_path / "test_module.py").write_text(
        "import os, module\n\n"
        "def test_crash():\n    module.allowed(5) == 6 or os.abort()\n\n"
        "def test_other():\n    assert False\n"
    )
    change = next(m for m in mutants.python_mutants(module, "module.py") if m.operator == "arithmetic")
    assert mutants.noticed(change, tmp_path, ["test_module.py"]) == "failed in test_module.py::test_crash"


def test_the_table_counts_equivalent_survivors_apart(mutants, module, monkeypatch, tmp_path):
    first, second, third = list(mutants.python_mutants(module, "src/module.py"))[:3]
    monkeypatch.setattr(mutants, "EQUIVALENT", tmp_path / "list.txt")
    mutants.EQUIVALENT.write_text(f"# id  reason\n{first.id}  prints only\n")
    text = mutants.table([(first, ""), (second, "failed"), (third, "")])
    assert "| all | 2 | 1 | 50.0% |" in text and "equivalent: 1" in text
