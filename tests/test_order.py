"""The order in which processes take the tests: every name is one that exists, and long ones begin first."""

from pathlib import Path

from order import BROWSER, GODOT, LONGEST, SERVER, TOGETHER, VR, longest_first, reason

ROOT = Path(__file__).parent.parent


def order(*paths):
    return longest_first(list(paths), lambda path: path)


def test_every_file_and_folder_that_is_named_exists():
    files = [name for name in LONGEST if name.startswith("tests/")]
    assert [name for name in [*files, *TOGETHER] if not (ROOT / name).exists()] == []
    assert set(LONGEST) - set(files) == {GODOT, BROWSER, SERVER, VR} == set(TOGETHER.values())


def test_what_shares_an_engine_or_a_server_has_one_reason_and_another_file_its_own():
    assert reason("tests/compat/test_scripts.py") == reason("tests/godot/test_onnx.py") == GODOT
    assert reason("tests/serve/routes/test_play.py") == SERVER
    assert reason("tests/worlds/test_arrays.py") == "tests/worlds/test_arrays.py", "it needs no engine"


def test_long_reasons_begin_in_their_order_and_the_others_by_their_number_of_tests():
    one, two = "tests/test_one.py", "tests/test_two.py"
    long = ["tests/godot/a.py", "tests/web/a.py", "tests/serve/a.py", "tests/system/test_wheels.py"]
    assert order(one, two, two, long[2], long[3], long[1], long[0]) == [*long, two, two, one]


def test_tests_of_one_reason_stay_in_the_order_they_are_written_in():
    tests = [("tests/bridge/b.py", 2), ("tests/bridge/b.py", 1), ("tests/compat/a.py", 3)]
    assert longest_first(tests, lambda test: test[0]) == tests
