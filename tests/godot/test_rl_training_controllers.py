"""The controllers of rl_training/, trained over the plugin's protocol; a bug report and its replay."""

import json
import time

import pytest

from sandlot.bridge.godot_process import GodotProcess

from .stock_games import Trainer

pytestmark = pytest.mark.slow
SCENE = "res://scenes/rl_training.tscn"
SPIN = {"turn": [1.0], "move": [0.0]}
MOST = 120  # decisions until the planted race shows to whoever spins
LIMIT_S = 60
SIGNATURE = "VoxelTerrain: chunk ("


@pytest.fixture(scope="module")
def report(engine, project, tmp_path_factory):
    """A training that finds the bug: the folder of its report, and the answer that said so."""
    root = tmp_path_factory.mktemp("data")
    with Trainer(
        project, SCENE, "--task=bug_reproduction", environment={"AI_DATA_ROOT": str(root)}
    ) as trainer:
        about = trainer.begin()
        assert about["action_space"][0].keys() == SPIN.keys()
        trainer.reset(seeds=[3])
        for _ in range(MOST):
            answer = trainer.step([SPIN])
            if answer["done"][0]:
                break
    (folder,) = (root / "bug_reports").iterdir()
    return folder, answer


def test_a_trainer_of_the_plugin_is_paid_for_the_bug(report):
    folder, answer = report
    assert answer["reward"][0] > 90 and answer["done"] == [True]
    assert sorted(path.name for path in folder.iterdir()) == [
        "replay.json", "replay_whole.json", "report.md", "state.json",
    ]  # fmt: skip
    assert "sandlot godot run" in (folder / "report.md").read_text()


@pytest.mark.parametrize("name", ["replay.json", "replay_whole.json"])
def test_the_replay_of_a_report_shows_the_bug_again(name, report, engine, project):
    folder, _ = report
    replay = json.loads((folder / name).read_text())
    assert replay["settings"]["action_repeat"] == 1, "the actions of ticks"
    settings = [f"--set.{name}={json.dumps(value)}" for name, value in replay["settings"].items()]
    words = [replay["scene"], "--", f"--replay={folder / name}", "--set.save_reports=false", *settings]
    with GodotProcess(["--fixed-fps", "90", *words], project=project, engine=engine) as process:
        until = time.monotonic() + LIMIT_S
        while SIGNATURE not in process.log.read_text(errors="replace"):
            assert time.monotonic() < until and process.code is None, process.log_tail()
            time.sleep(0.1)
        if name == "replay_whole.json":
            assert replay["line"] in process.log.read_text(errors="replace")


def test_eight_robots_are_agents_of_one_policy(engine, project):
    with Trainer(project, SCENE, "--task=multi_agent") as trainer:
        about = trainer.begin()
        assert about["n_agents"] == 8 and set(about["agent_policy_names"]) == {"robot"}
        assert [space["obs"]["size"] for space in about["observation_space"]] == [[12]] * 8
        trainer.reset(seeds=list(range(8)))
        answer = trainer.step([{"move_x": [1.0], "move_z": [0.0]}] * 8)
        assert len(answer["reward"]) == 8 and all(len(seen["obs"]) == 12 for seen in answer["obs"])
