"""The gate's story in a throw-away repository: a good change passes, a planted bug fails and shows itself.

On the native landing, whose engine is compiled from every commit, and on a Godot scene with a policy that is
committed beside it.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import engine_variants
import pytest
from engine_variants import Variants

from sandlot.bridge.godot_engine import find
from sandlot.runs.store import Store

ROOT = Path(__file__).parents[2]
PROGRAM = [sys.executable, "-m", "sandlot"]
LIMIT_S = 600
pytestmark = pytest.mark.slow


class Repository:
    """A git repository whose commits a gate judges."""

    def __init__(self, folder):
        self.folder = folder
        self.git("init", "--quiet")

    def git(self, *words):
        who = ("-c", "user.name=Dev", "-c", "user.email=dev@localhost", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *words], cwd=self.folder, check=True, timeout=60)

    def commit(self, subject, file="", old="", new=""):
        """Commit everything, after one replacement."""
        if file:
            text = (self.folder / file).read_text()
            assert old in text
            (self.folder / file).write_text(text.replace(old, new, 1))
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", subject)

    def sandlot(self, *words):
        return subprocess.run(
            [*PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=LIMIT_S
        )

    def gate(self, *words):
        """The exit code and the verdict of `sandlot gate regression`."""
        files = ("--output", "gate/verdict.json", "--html", "gate/report.html", "--replays", "1")
        done = self.sandlot("gate", "regression", *words, *files)
        assert done.returncode in (0, 1), done.stdout + done.stderr
        return done.returncode, json.loads((self.folder / "gate/verdict.json").read_text())

    def failed_with_a_replay(self, code, verdict):
        """A failed gate has a shrunk replay in its run, and a report that says the same."""
        assert code == 1 and verdict["result"] == "fail"
        failure = verdict["failures"][0]
        assert failure["actions_after"] < failure["actions_before"]
        run = Store(self.folder / "runs").open(verdict["replay_run"])
        assert {"current", "shrunk"} <= set(failure["replays"])
        for replay in failure["replays"].values():
            assert run.paths.replay(replay).is_file()
        page = (self.folder / "gate/report.html").read_text()
        assert "fail: gate regression" in page and failure["observed_fault"] in page
        assert failure["minimal_reproduction"] in page and "http" not in page.replace("http://www.w3.org", "")


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler named cc")
def test_the_story_on_the_native_landing(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "engine", tmp_path / "engine")
    repository = Repository(tmp_path)
    (tmp_path / ".gitignore").write_text("/builds/\n/runs/\n/gate/\n")
    monkeypatch.setattr(engine_variants, "ROOT", tmp_path)

    def build(name):
        return str(Variants(tmp_path / "builds" / name).build(name))

    sides = ("--game", "landing", "--policy", "bot:autopilot", "--baseline")
    repository.commit("Land")
    before = build("before")
    touch, speed = "engine/landing/landing.c", "speed > r->soft_speed"
    repository.commit("Name the speed the other way round", touch, speed, "r->soft_speed < speed")
    code, verdict = repository.gate(*sides, before, "--current", build("good"))
    assert code == 0 and verdict["result"] == "pass" and not verdict["failures"]
    repository.commit("Land softly", touch, "r->soft_speed < speed", "0.68f * r->soft_speed < speed")
    code, verdict = repository.gate(*sides, before, "--current", build("bug"))
    repository.failed_with_a_replay(code, verdict)
    assert "baseline" in verdict["failures"][0]["replays"]


@pytest.mark.skipif(find() is None, reason="no Godot: sandlot godot install")
def test_the_story_on_a_godot_scene(tmp_path):
    shutil.copytree(ROOT / "examples/godot_minimal", tmp_path, dirs_exist_ok=True)
    repository = Repository(tmp_path)
    (tmp_path / ".gitignore").write_text("/runs/\n/gate/\n/.godot/\n")
    (tmp_path / "gates.toml").write_text("[regression.margins]\napples = 0.8\nfinished = 0.2\n")
    for words in (
        "godot addon .",
        "train --project . --windows 1 --minutes 5 --seed 1 --no-evaluate --no-tensorboard",
        "baseline save main latest --engine godot --episodes 128",
    ):
        done = repository.sandlot(*words.split())
        assert done.returncode == 0, done.stdout + done.stderr
    repository.commit("Catch apples")
    gate = ("--baseline", "main", "--current", "baselines/main/policy.pt", "--game", "godot:.")
    engine = ("--engine", "godot")
    game, landing = "catcher.gd", "absf(apple.x - basket) <= half"
    repository.commit("Say it the other way round", game, landing, "half >= absf(apple.x - basket)")
    code, verdict = repository.gate(*gate, *engine)
    assert code == 0 and verdict["result"] == "pass"
    repository.commit("Shrink the basket", game, "half >= absf", "0.25 * half >= absf")
    repository.failed_with_a_replay(*repository.gate(*gate, *engine))
