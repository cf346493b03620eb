"""Games of the stock plugin, which know nothing of Sandlot: trained, evaluated, exported, recorded."""

import json
import subprocess
import sys

import numpy as np
import pytest
from refusals import contents

import sandlot
from sandlot.bridge.godot_project import MADE_BY_IMPORT
from sandlot.policies.exported import load_onnx
from sandlot.runs import Replay
from sandlot.runs.store import Store
from sandlot.runs.verify import verify_run
from sandlot.worlds.godot_rl_project import address

from .stock_games import GAMES, copy_game

pytestmark = pytest.mark.slow
LIMIT_S = 600
ROLES = {"catcher_2d": {"agent"}, "ball_3d": {"agent"}, "arena_mixed": {"runner", "turret"}}
WORLDS = {"catcher_2d": 4, "ball_3d": 4, "arena_mixed": 2}  # of one process
SMALL = ("run.window_env_steps=2048", "ppo.num_steps=64", "ppo.num_minibatches=4", "evaluation.episodes=4")


def program(folder, *words):
    done = subprocess.run(
        [sys.executable, "-m", "sandlot", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def own_files(project):
    """What a project's author wrote, by name."""
    found = contents(project)
    return {
        name: data
        for name, data in found.items()
        if ".godot" not in str(name) and not str(name).endswith(MADE_BY_IMPORT)
    }


@pytest.fixture(scope="module", params=GAMES)
def trained(engine, request, tmp_path_factory):
    """The name of a game, its project, and its run of two windows with two processes."""
    folder = tmp_path_factory.mktemp("godot_rl")
    project = copy_game(request.param, folder)
    before = own_files(project)
    settings = [word for text in SMALL for word in ("--set", text)]
    program(
        folder, "train", "--project", str(project), "--processes", "2", "--windows", "2", "--seed", "1",
        *settings, "--no-tensorboard",
    )  # fmt: skip
    assert own_files(project) == before
    return request.param, project, Store(folder / "runs").latest()


def test_a_run_has_every_window_evaluated_and_a_policy_per_role(trained):
    name, project, run = trained
    assert run.record.status == "completed" and [row.window_id for row in run.windows()] == [0, 1]
    assert not run.unevaluated() and all(each.problem is None for each in verify_run(run))
    assert run.spec["address"] == address(project) == f"godot_rl:{project}"
    assert run.config["ppo"]["num_envs"] == 2 * WORLDS[name]
    assert set(sandlot.load_policy(run.paths.folder, next(iter(ROLES[name]))).spec.role_names) >= {
        next(iter(ROLES[name]))
    }


def test_eval_compares_it_with_random_play(trained):
    _, project, run = trained
    report = json.loads(program(project.parent, "eval", run.run_id, "--episodes", "6", "--json"))
    names = [row["name"].split("@")[0] for row in report["results"]]
    assert "random" in names and report["episodes"] == 6
    assert all(np.isfinite(row["return_mean"]) for row in report["results"])


def test_an_exported_policy_answers_as_the_trained_one(trained):
    name, project, run = trained
    program(project.parent, "export", run.run_id)
    files = {path.name.split("-")[0]: path for path in run.paths.exports.glob("*.onnx")}
    assert set(files) == ROLES[name]
    for role, path in files.items():
        ours, theirs = sandlot.load_policy(run.paths.folder, role), load_onnx(path)
        ours.greedy = theirs.greedy = True
        observations = np.random.default_rng(1).normal(size=(64, ours.spec.observation_size))
        first, second = (policy.act(observations.astype(np.float32))[0] for policy in (ours, theirs))
        assert np.allclose(first, second, atol=1e-4)


def test_its_replays_hold_what_was_seen(trained):
    name, _, run = trained
    path = next(run.paths.replays.glob("*.jsonl.gz"))
    replay = Replay.read(path)
    assert replay.header.played_in == "godot_rl" and set(replay.header.agents) == ROLES[name]
    assert replay.end.steps == len(replay.actions) > 0 and np.isfinite(replay.end.returns).all()
    shown = program(path.parent, "replay", str(path), "--verify")
    assert "frames agree with actions" in shown.replace("\n", " ")


def test_policies_learn_what_a_game_pays_for(engine, tmp_path):
    project = copy_game("catcher_2d", tmp_path)
    program(
        tmp_path, "train", "--project", str(project), "--processes", "2", "--windows", "4", "--seed", "2",
        "--set", "run.window_env_steps=8192", "--no-evaluate", "--no-tensorboard",
    )  # fmt: skip
    report = json.loads(program(tmp_path, "eval", "latest", "--episodes", "24", "--json"))
    ours, random = (
        next(row for row in report["results"] if (row["name"] == "random") is is_random)
        for is_random in (False, True)
    )
    low, _ = ours["intervals"]["return_mean"]
    _, high = random["intervals"]["return_mean"]
    assert low > high, (ours["return_mean"], random["return_mean"])


def test_a_game_with_our_addon_repeats_episodes_from_their_seeds(engine, tmp_path):
    project = copy_game("ball_3d", tmp_path)
    with sandlot.make(address(project), worlds=4) as world:
        assert world.capabilities.seeds and world.capabilities.truncation

        def episode(seed):
            world.reset(seed)
            seen = [world.observations.copy()]
            for step in range(20):
                world.actions[:] = np.sin(step)
                world.step()
                seen.append(world.observations.copy())
            return np.array(seen)

        first, other, again = episode(5), episode(6), episode(5)
    assert np.array_equal(first, again) and not np.array_equal(first, other)
