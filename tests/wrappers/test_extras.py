"""A wrapper without its library names the extra, and `import sandlot` needs none of them."""

import subprocess
import sys

import pytest

HIDE = "import sys; sys.modules[{package!r}] = None\n"


def run(package, program):
    """A program in a fresh interpreter in which one package is not installed."""
    code = HIDE.format(package=package) + program
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(
    ("package", "module", "extra"),
    [
        ("gymnasium", "gym", "gym"),
        ("gymnasium", "gym_vector", "gym"),
        ("gymnasium", "spaces", "gym"),
        ("pettingzoo", "zoo", "gym"),
        ("pufferlib", "puffer", "puffer"),
    ],
)
def test_a_missing_library_names_its_extra(package, module, extra):
    stderr = run(package, f"import sandlot.wrappers.{module}").stderr
    assert "MissingExtra" in stderr and f"pip install 'sandlot[{extra}]'" in stderr


def test_sandlot_works_without_gymnasium():
    done = run("gymnasium", "import sandlot; sandlot.make('tag').reset(); print('fine')")
    assert done.stdout == "fine\n", done.stderr


@pytest.mark.parametrize("order", ["import sandlot, gymnasium", "import gymnasium, sandlot"])
def test_the_ids_are_known_in_whatever_order_things_are_imported(order):
    program = f"{order}\nfor name in ('Tag', 'Prospector'): print(gymnasium.make(f'sandlot/{{name}}-v0'))"
    assert [line.count("Env<") for line in run("pufferlib", program).stdout.splitlines()] == [1, 1]


def test_gymnasium_imports_us_when_the_id_says_so():
    program = "import gymnasium; print(gymnasium.make('sandlot:sandlot/Tag-v0').reset(seed=1)[0].shape)"
    assert run("pufferlib", program).stdout == "(156,)\n"


def test_neither_torch_nor_the_other_wrappers_come_with_sandlot():
    program = (
        "import sandlot\nprint([m for m in ('torch', 'pettingzoo', 'stable_baselines3') if m in sys.modules])"
    )
    assert run("pufferlib", program).stdout == "[]\n"
