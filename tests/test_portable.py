"""What only POSIX has stays behind a few doors, for the sake of Windows: docs/platforms.md."""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from sandlot import locking, processes

SOURCE = Path(__file__).parent.parent / "src" / "sandlot"
FILES = sorted(
    path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[:2] != ("serve", "site")
)

# Names that Windows lacks or, worse, has with another meaning; and the files that know what to do there.
POSIX_ONLY = {
    *("os.kill", "os.killpg", "os.nice", "os.fork", "os.setsid", "os.getuid", "os.geteuid", "os.uname"),
    *("signal.SIGKILL", "signal.SIGHUP", "signal.SIGALRM", "fcntl.flock", "socket.AF_UNIX", "os.mkfifo"),
}
DOORS = {
    "processes.py",
    "locking.py",
    "bridge/debian.py",  # Godot out of Debian's packages: on Linux alone
    "bridge/godot_process.py",  # asks hasattr(os, "killpg")
}

WITHOUT_POSIX = textwrap.dedent(
    """
    import importlib, os, pkgutil, signal, sys, types

    import sandlot

    def modules():
        return [found.name for found in pkgutil.walk_packages(sandlot.__path__, "sandlot.")
                if not found.name.endswith("__main__") and ".serve.site" not in found.name]

    for name in modules():  # once as it is: other people's packages are not what is asked about
        importlib.import_module(name)
    ours = [name for name in sys.modules if name.split(".")[0] == "sandlot"]
    names = modules()
    for name in ours:
        del sys.modules[name]
    for name in ("fcntl", "pwd", "grp", "resource", "termios", "tty", "pty"):
        sys.modules[name] = None  # importing it is an ImportError now
    for name in ("kill", "killpg", "nice", "fork", "setsid", "getuid", "geteuid", "uname"):
        delattr(os, name)
    for name in ("SIGKILL", "SIGHUP", "SIGALRM", "SIGUSR1"):
        delattr(signal, name)
    sys.modules["msvcrt"] = types.ModuleType("msvcrt")
    sys.platform = "win32"
    for name in names:
        importlib.import_module(name)
    print(len(names))
    """
)


def test_every_module_imports_where_there_is_no_posix():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_POSIX], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout) > 150


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_a_file_uses_nothing_that_only_posix_has(path):
    if path.relative_to(SOURCE).as_posix() in DOORS:
        return
    nodes = ast.walk(ast.parse(path.read_text()))
    used = {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)}
    assert used & POSIX_ONLY == set()


def text_without_encoding(call: ast.Call) -> bool:
    """Whether a call leaves the encoding of a text to the system; on Windows that is not ours."""
    if not isinstance(call.func, ast.Attribute):
        return False
    name, words = call.func.attr, {word.arg for word in call.keywords}
    if name in ("run", "Popen", "check_output"):
        return bool(words & {"text", "universal_newlines"}) and "encoding" not in words
    strings = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    if name == "open" and ast.unparse(call.func.value) not in ("os", "av", "webbrowser"):
        modes = [text for text in strings if set(text) <= set("rwaxbt+")] + [
            str(word.value.value)
            for word in call.keywords
            if word.arg == "mode" and isinstance(word.value, ast.Constant)
        ]
        text = (modes and "b" not in modes[0]) or (not call.args and words == {"errors"})
        return bool(text) and "encoding" not in words
    given = "encoding" in words or len(call.args) > (name == "write_text")
    return name in ("read_text", "write_text") and not given


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_a_file_names_the_encoding_of_its_texts(path):
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    assert [f"line {call.lineno}" for call in calls if text_without_encoding(call)] == []


def test_a_process_is_alive_until_it_has_ended():
    options = processes.new_session_options()
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, **options)
    try:
        assert processes.is_alive(child.pid)
    finally:
        child.communicate(b"\n", timeout=20)
    assert not processes.is_alive(child.pid)


def test_a_child_apart_does_not_hear_our_ctrl_c():
    asked = "import os; print(os.getpgid(0) == os.getpid())"
    words = [sys.executable, "-c", asked]
    options = processes.new_session_options()
    assert subprocess.run(words, capture_output=True, timeout=20, **options).stdout == b"True\n"


def test_a_lock_is_refused_while_another_holds_it_and_waited_for_until_it_is_free(tmp_path):
    script = (
        "import sys; from sandlot import locking; file = open(sys.argv[1], 'wb');"
        "locking.try_acquire(file.fileno()); print('held', flush=True); input()"
    )
    place = tmp_path / "lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", script, place], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout.readline() == b"held\n"
        with place.open("wb") as file:
            with pytest.raises(OSError):
                locking.try_acquire(file.fileno())
            holder.stdin.write(b"\n")
            holder.stdin.flush()
            locking.acquire(file.fileno())
            locking.release(file.fileno())
            locking.try_acquire(file.fileno())
    finally:
        holder.communicate(timeout=20)
