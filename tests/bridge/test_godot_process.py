"""Starting, following and ending a process. The engine is a shell script, so that every exit is a choice."""

import os
import signal
import sys
import threading
import time

import psutil
import pytest
from leaks import nothing_left_open

from sandlot.bridge import godot_process
from sandlot.bridge.godot_engine import Engine
from sandlot.bridge.godot_process import TIMED_OUT, GodotProcess
from sandlot.errors import GodotFailed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shell scripts")
LIMIT_S = 30


@pytest.fixture
def play(tmp_path, project):
    """play(body) starts a GodotProcess whose engine runs this shell text; an import does nothing."""

    def started(body, *words, **options):
        program = tmp_path / "engine"
        program.write_text(f'#!/bin/sh\ncase "$*" in *--import*) exit 0;; esac\n{body}\n')
        program.chmod(0o755)
        engine = Engine(program, "4.6.stable", "PATH")
        return GodotProcess(list(words), project=project, engine=engine, **options)

    return started


def test_an_engine_is_started_in_the_project_without_sound_and_reads_no_input(play, project):
    with nothing_left_open(), play('echo "$@"; cat; exit 5', "scene.tscn") as process:
        ended = process.wait(LIMIT_S)
    assert ended.code == 5
    assert ended.output.split() == [
        "--headless",
        "--audio-driver",
        "Dummy",
        "--path",
        str(project),
        "scene.tscn",
    ]


def test_a_scene_with_a_window_is_not_headless(play):
    with play('echo "$@"', headless=False) as process:
        assert "--headless" not in process.wait(LIMIT_S).output


def test_both_streams_are_kept_and_only_the_end_of_a_long_one(play):
    with play("echo out; echo err >&2; head -c 5000 /dev/zero | tr '\\0' x; echo; echo last") as process:
        output = process.wait(LIMIT_S).output
    assert output.endswith("x\nlast\n") and len(output) == godot_process.KEPT_CHARACTERS == 4000
    with play("echo out; echo err >&2") as process:
        assert process.wait(LIMIT_S).output == "out\nerr\n"


def test_variables_are_added_to_ours_and_win(play, monkeypatch):
    monkeypatch.setenv("MINE", "kept")
    monkeypatch.setenv("BOTH", "ours")
    with play('echo "$MINE $BOTH"', environment={"BOTH": "theirs"}) as process:
        assert process.wait(LIMIT_S).output == "kept theirs\n"


def test_folders_of_recordings_are_whole_paths(play, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AI_FRAMES_DIR", "here/frames")
    monkeypatch.delenv("AI_TRAJECTORIES_DIR", raising=False)
    with play('echo "$AI_FRAMES_DIR"') as process:
        assert process.wait(LIMIT_S).output.strip() == str(tmp_path / "here/frames")


def test_a_log_of_our_own_is_removed_and_one_that_was_named_stays(play, tmp_path):
    with play("echo hello") as process:
        process.wait(LIMIT_S)
        own = process.log
        assert own.exists()
    assert not own.exists()
    named = tmp_path / "named.log"
    with play("echo hello", log=named) as process:
        process.wait(LIMIT_S)
    assert named.read_text() == "hello\n"


def test_the_log_may_be_gone(play, tmp_path):
    with play("echo hello", log=tmp_path / "named.log") as process:
        process.wait(LIMIT_S)
        process.log.unlink()
        assert "nothing" in str(process.failure("playing"))


def test_at_its_limit_a_process_is_ended_and_its_children_with_it(play, tmp_path):
    with nothing_left_open(), play(f"sleep 60 & echo $! > {tmp_path}/child; wait") as process:
        while not (tmp_path / "child").exists() or not (tmp_path / "child").read_text().strip():
            assert process.code is None
        assert process.wait(0.0).code == TIMED_OUT == 124
        assert process.code == -signal.SIGTERM
    child = int((tmp_path / "child").read_text())
    until = time.monotonic() + LIMIT_S
    while _runs(child):  # a signal takes a moment to end a process
        assert time.monotonic() < until


def _runs(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_what_it_prints_is_passed_on_to_the_last_line(play):
    parts = []
    with play("echo one; sleep 0.3; echo two; exit 3") as process:
        assert process.follow(LIMIT_S, parts.append) == 3
    assert "".join(parts) == "one\ntwo\n"


def test_following_ends_at_its_limit(play):
    parts = []
    with nothing_left_open(), play("echo one; exec sleep 60") as process:
        assert process.follow(0.5, parts.append) == TIMED_OUT
    assert "".join(parts) == "one\n"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("exit 4", "Godot ended with exit code 4 while playing. Its log ends with: nothing."),
        ("echo a; echo b; echo c; echo d.; exit 1", "Its log ends with: b / c / d."),
        (
            "echo ERROR: one; echo x; echo SCRIPT ERROR: two; echo sandlot: three; echo y",
            "Its log ends with: SCRIPT ERROR: two / sandlot: three.",
        ),
    ],
)
def test_a_failure_quotes_its_errors_or_its_last_lines(play, body, words):
    with play(body) as process:
        process.wait(LIMIT_S)
        failure = process.failure("playing")
    assert isinstance(failure, GodotFailed) and words in str(failure)


def test_a_process_that_still_runs_is_called_frozen(play):
    with play("exec sleep 60") as process:
        assert "Godot froze while playing" in str(process.failure("playing"))


def test_a_process_that_cannot_start_leaves_nothing_open(tmp_path):
    with nothing_left_open(), pytest.raises(OSError):
        godot_process.start([str(tmp_path / "missing")], tmp_path / "log", os.environ)


def test_ending_twice_does_no_harm(tmp_path):
    process = godot_process.start(["sleep", "60"], tmp_path / "log", os.environ)
    godot_process.end(process)
    godot_process.end(process)
    assert process.returncode == -signal.SIGTERM


def test_a_process_leads_a_group_of_its_own(tmp_path):
    process = godot_process.start(["sleep", "60"], tmp_path / "log", os.environ)
    try:
        assert os.getpgid(process.pid) == process.pid != os.getpgid(0)
    finally:
        godot_process.end(process)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's own way")
def test_only_a_child_of_the_main_thread_is_tied_to_its_thread():
    """The kernel would end a worker thread's child together with that thread."""
    assert godot_process._with_parent() is godot_process._die_with_parent
    found = []
    thread = threading.Thread(target=lambda: found.append(godot_process._with_parent()))
    thread.start()
    thread.join()
    assert found == [None]


@pytest.mark.parametrize("answer", ["", "no number\n"])
def test_an_answer_that_is_no_display_is_refused(answer):
    reading, writing = os.pipe()
    os.write(writing, answer.encode())
    os.close(writing)
    with pytest.raises(GodotFailed, match="made no screen"):
        godot_process._display_number(reading)
    os.close(reading)


def test_a_display_number_may_come_in_pieces_and_late(monkeypatch):
    reading, writing = os.pipe()
    pieces = iter([b"1", b"", b"7\n"])

    def next_piece(_seconds):
        os.write(writing, next(pieces, b""))

    monkeypatch.setattr(godot_process.time, "sleep", next_piece)
    assert godot_process._display_number(reading) == 17
    os.close(writing)
    os.close(reading)


def test_a_display_that_never_answers_is_given_up(monkeypatch):
    reading, writing = os.pipe()
    monkeypatch.setattr(godot_process, "START_S", 0.05)
    with pytest.raises(GodotFailed, match=r"within 0\.05 s"):
        godot_process._display_number(reading)
    os.close(writing)
    os.close(reading)
