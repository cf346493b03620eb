"""Two builds of the engine: a refactored one passes, a planted bug fails with a replay shrunk to it."""

import shutil

import numpy as np
import pytest
from engine_variants import Change, Variants

from sandlot.errors import ConfigError, EngineMissing
from sandlot.evaluate.replay_recorder import verify
from sandlot.gates.failures import attach_failures
from sandlot.gates.regression import Question, compare
from sandlot.gates.sides import BuildCrashed, PlayedSide, open_side
from sandlot.gates.worker import Request, library_of
from sandlot.runs import Replay
from sandlot.runs.store import Store

# A soft landing has to be a third softer than it says.
BUG = Change("landing/landing.c", "speed > r->soft_speed", "speed > 0.68f * r->soft_speed")
CRASH = Change("landing/landing.c", "w->tick >= r->limit", "w->tick > 90 && *(volatile int *)0 == 1")

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler named cc")


@pytest.fixture(scope="module")
def variants(tmp_path_factory):
    made = Variants(tmp_path_factory.mktemp("variants"), optimise="-O1")
    return {
        name: made.build(name, changes)
        for name, changes in (("same", ()), ("bug", (BUG,)), ("crash", (CRASH,)))
    }


def opened(library):
    return PlayedSide(Request(game="landing", policy="bot:autopilot", build=True), library)


@pytest.fixture(scope="module")
def package():
    with PlayedSide(Request(game="landing", policy="bot:autopilot")) as side:
        yield side


def test_a_build_by_another_compiler_setting_plays_the_same_and_passes(variants, package):
    with opened(variants["same"]) as same:
        verdict = compare(package, same, Question())
        seeds = [1, 2, 3]
        key = same.groups[0]
        assert same.rows(key, seeds) == package.rows(key, seeds)
    assert verdict.result == "pass" and verdict.current.kind == "build"


@pytest.mark.slow
def test_a_planted_bug_fails_with_replays_and_the_step_that_shows_it(variants, package, tmp_path):
    with opened(variants["bug"]) as bug:
        verdict = attach_failures(compare(package, bug, Question()), package, bug, 2, tmp_path / "runs")
        failure = verdict.failures[0]
        assert verdict.result == "fail" and failure.metric == "success"
        assert failure.actions_after < failure.actions_before / 10  # the last step alone tells the two apart
        assert failure.diverges_at_step == failure.starts_at_step + 1
        assert "fails on the current build and not on the baseline" in failure.minimal_reproduction
        run = Store(tmp_path / "runs").open(verdict.replay_run)
        replays = {word: Replay.read(run.paths.replay(name)) for word, name in failure.replays.items()}
        assert set(replays) == {"current", "baseline", "shrunk"}
        assert (
            replays["current"].end.episode["success"] == 0 and replays["baseline"].end.episode["success"] == 1
        )
        assert replays["current"].header.played_in == "build" and replays["current"].frames is not None
        assert all(verify(replay).agrees for replay in replays.values())
        # the shrunk actions, played by hand: they fail there and not here
        actions = replays["shrunk"].actions
        assert bug.outcome(failure.seed, actions)["success"] == 0
        assert package.outcome(failure.seed, actions)["success"] == 1


def test_a_build_that_crashes_fails_and_takes_nothing_with_it(variants, package):
    with opened(variants["crash"]) as crash:
        verdict = compare(package, crash, Question())
        assert verdict.result == "fail" and "SIGSEGV" in verdict.sentence
        with pytest.raises(BuildCrashed):
            crash.rows(crash.groups[0], [1])
    assert len(package.rows(package.groups[0], [1])) == 1


def test_a_refusal_of_a_build_is_the_refusal_itself(variants):
    with pytest.raises(ConfigError, match="no bot 'autopilt'"):
        PlayedSide(Request(game="landing", policy="bot:autopilt", build=True), variants["same"])


def test_what_is_no_library_could_not_run(tmp_path):
    (tmp_path / "x.so").write_bytes(b"not a library")
    with pytest.raises(EngineMissing, match="cannot be loaded"):
        open_side(str(tmp_path / "x.so"), Request(game="landing"))
    with pytest.raises(ConfigError, match="no native library"):
        open_side(str(tmp_path / "none.so"), Request(game="landing"))
    (tmp_path / "src" / "sandlot").mkdir(parents=True)
    with pytest.raises(ConfigError, match="holds no built engine"):
        library_of(tmp_path)


def test_actions_that_do_not_end_an_episode_have_no_outcome(package):
    assert package.outcome(1, np.zeros((3, 1, 5), np.float32)) is None
    assert package.outcome(1, np.zeros((3000, 1, 5), np.float32))["ending"] > 0
