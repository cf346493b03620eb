"""Training: the files and scalars of the brief, resume, stages, tasks, rewards, stopping, export."""

import os
import signal
import zipfile

import numpy as np
import pytest
import torch
from stable_baselines3 import PPO
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from sandlot.compat.vr import models
from sandlot.compat.vr.config import RLConfig, Stage
from sandlot.compat.vr.rewards import RewardCalculator
from sandlot.compat.vr.training import Folders, train
from sandlot.errors import CheckpointError, ConfigError, SpecMismatch

from .conftest import tiny
from .http_game import SCENE, served


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# ---------------------------------------------------------------- files and scalars


def test_checkpoints_best_model_and_logs_lie_where_the_brief_says(trained):
    config, result, _ = trained
    root = Folders.of(config).logs.parent
    assert names(root) == ["best_models", "checkpoints", "logs"]
    assert names(root / "checkpoints") == [
        "vr_nav_model_100_steps.zip", "vr_nav_model_200_steps.zip", "vr_nav_model_256_steps.zip"
    ]  # fmt: skip
    assert names(root / "best_models") == ["best_model.zip"] and names(root / "logs") == ["PPO_1"]
    assert (result.timesteps, result.stopped) == (256, False)


def test_every_file_opens_with_plain_sb3(trained):
    config, result, _ = trained
    for path in (*Folders.of(config).checkpoints.iterdir(), result.best_model):
        model = PPO.load(path)
        action, _ = model.predict(np.zeros(48, np.float32), deterministic=True)
        assert action.shape == (3,) and f"{model.num_timesteps}_steps" in path.name + "150_steps"


def test_a_model_carries_its_configuration_and_layout(trained):
    config, result, _ = trained
    assert models.find(result.checkpoint).config == config
    with zipfile.ZipFile(result.checkpoint) as archive:
        assert '"goal_distance": [\n      44,\n      45\n    ]' in archive.read("sandlot.json").decode()


def test_tensorboard_has_the_briefs_scalars(trained):
    config, _, _ = trained
    events = EventAccumulator(str(Folders.of(config).logs / "PPO_1")).Reload()
    scalars = set(events.Tags()["scalars"])
    assert {"rollout/ep_rew_mean", "rollout/ep_len_mean", "time/fps", "time/total_timesteps"} <= scalars
    assert {
        f"performance/{name}_ratio" for name in ("physics_frame_time", "render_frame_time", "chunk_count")
    } <= scalars
    assert {"performance/memory_mb", "eval/mean_reward"} <= scalars
    assert [event.value for event in events.Scalars("time/total_timesteps")] == [64, 128, 192, 256]
    assert [event.value for event in events.Scalars("rollout/ep_len_mean")] == [20.0] * 4


def test_the_lines_say_where_to_look_in_paths_that_a_shell_understands(trained):
    config, result, lines = trained
    text = "\n".join(lines)
    assert f"tensorboard --logdir {Folders.of(config).logs}" in text
    assert f"user://ml_training is {Folders.of(config).logs.parent}" in text
    assert "memory" in text and "steps/s" in text and f"the best so far: {result.best_model}" in text


def test_a_training_in_the_same_folder_keeps_the_best_model_of_the_last_one(config):
    first = train(config, print_line=lambda _: None)
    before = first.best_model.read_bytes()
    train(config, print_line=lambda _: None)
    assert (first.best_model.parent / "best_model_1.zip").read_bytes() == before


# ---------------------------------------------------------------- resume


def test_a_resumed_training_goes_on_with_steps_schedule_and_optimizer(config):
    config.ppo.learning_rate_schedule = "linear"
    config.training.total_timesteps = 128
    half = train(config, print_line=lambda _: None)
    config.training.total_timesteps = 256
    lines = []
    whole = train(config, resume=half.checkpoint, print_line=lines.append)
    assert whole.timesteps == 256 and "resumed at 128 steps, learning rate 0.00015" in lines
    assert names(Folders.of(config).logs) == ["PPO_1"], "the same log goes on"
    before, after = PPO.load(half.checkpoint), PPO.load(whole.checkpoint)
    steps = [
        next(iter(m.policy.optimizer.state_dict()["state"].values()))["step"].item() for m in (before, after)
    ]
    assert steps == [4.0, 8.0], "updates of the optimizer, over both"
    assert after.policy.optimizer.param_groups[0]["lr"] == pytest.approx(0.0)


def test_a_checkpoint_that_is_at_its_end_says_so(trained):
    config, result, _ = trained
    with pytest.raises(ConfigError, match="has 256 steps already, and this training ends at 256"):
        train(config, resume=result.checkpoint, print_line=lambda _: None)


def test_a_model_of_another_task_is_refused_whoever_saved_it(config, tmp_path):
    plain = PPO("MlpPolicy", "CartPole-v1", n_steps=8, batch_size=8)
    plain.save(tmp_path / "cartpole.zip")
    with pytest.raises(SpecMismatch, match="does not fit this configuration"):
        train(config, resume=tmp_path / "cartpole.zip", print_line=lambda _: None)
    with zipfile.ZipFile(tmp_path / "cartpole.zip", "a") as archive:
        archive.writestr("sandlot.json", '{"task": "landing"}')
    with pytest.raises(SpecMismatch, match="is a model of landing, not of vr_navigation"):
        train(config, resume=tmp_path / "cartpole.zip", print_line=lambda _: None)


def test_what_is_no_model_is_a_sentence(config, tmp_path):
    with pytest.raises(CheckpointError, match="There is no model"):
        train(config, resume=tmp_path / "none.zip", print_line=lambda _: None)
    (tmp_path / "text.zip").write_text("hello")
    with pytest.raises(CheckpointError, match="is not a model of Stable-Baselines3"):
        train(config, resume=tmp_path / "text.zip", print_line=lambda _: None)
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("a.txt", "hello")
    with pytest.raises(CheckpointError, match="is a zip, but not a model"):
        train(config, resume=tmp_path / "other.zip", print_line=lambda _: None)


def test_another_network_than_the_checkpoints_is_refused(trained):
    config, result, _ = trained
    other = RLConfig.from_dict(config.to_dict() | {"network": {"net_arch": [8]}})
    with pytest.raises(ConfigError, match="has another network"):
        train(other, resume=result.checkpoint, print_line=lambda _: None)


# ---------------------------------------------------------------- stages, tasks, rewards


def test_stages_follow_each_other_by_themselves(config, monkeypatch):
    config.training.use_curriculum = True
    config.training.curriculum_stages = [
        Stage("near", 10.0, 1),
        Stage("middle", 20.0, 1),
        Stage("far", 30.0, 2),
    ]
    lines = []
    train(config, print_line=lines.append)
    stages = [line for line in lines if line.startswith("stage")]
    assert stages == [
        "stage near: goals up to 10 m away, from step 0",
        "stage middle: goals up to 20 m away, from step 64",
        "stage far: goals up to 30 m away, from step 128",
    ]


def test_a_resumed_curriculum_is_in_its_stage(config):
    config.training.use_curriculum = True
    config.training.curriculum_stages = [Stage("near", 10.0, 1), Stage("far", 30.0, 1)]
    config.training.total_timesteps = 128
    half = train(config, print_line=lambda _: None)
    config.training.total_timesteps, lines = 192, []
    train(config, resume=half.checkpoint, print_line=lines.append)
    assert [line for line in lines if line.startswith("stage")] == [
        "stage far: goals up to 30 m away, from step 128"
    ]


class Constant(RewardCalculator):
    """A reward of one's own, which nothing else would pay."""

    def calculate_reward(self, observation, action, next_observation, done, info):
        assert observation.shape == next_observation.shape == (48,) and "goal_reached" in info
        return 0.5 + 100.0 * done


def test_a_subclassed_reward_calculator_pays_the_training(config):
    result = train(config, reward_calculator=Constant(config), print_line=lambda _: None)
    events = EventAccumulator(str(Folders.of(config).logs / "PPO_1")).Reload()
    assert {event.value for event in events.Scalars("rollout/ep_rew_mean")} == {110.0}, "20 steps"
    assert PPO.load(result.best_model).best_mean_reward == 110.0, "the evaluation too"


def test_several_tasks_are_one_policy_with_a_task_id(config):
    config.training.tasks = ["open", "course", "maze"]
    config.training.eval_episodes = 6
    result = train(config, print_line=lambda _: None)
    model = PPO.load(result.best_model)
    assert model.observation_space.shape == (51,)
    single = RLConfig.from_dict(config.to_dict() | {"training": {"user_dir": config.training.user_dir}})
    with pytest.raises(SpecMismatch, match=r"other training\.tasks"):
        models.load(models.find(result.best_model), single)


@pytest.mark.slow
def test_four_environments_learn_the_same_in_four_processes_as_in_one(config):
    config.environment.num_environments = 4
    learned = []
    for workers in (1, 4):
        config.training.num_workers = workers
        result = train(config, print_line=lambda _: None)
        assert result.timesteps == 256 and result.best_model is not None
        learned.append(PPO.load(result.checkpoint).policy.state_dict())
    assert all(torch.equal(learned[0][name], learned[1][name]) for name in learned[0])


def test_training_over_http_leaves_the_same_files(config):
    with served(config) as (game, port):
        config.environment.kind, config.environment.port = "http", port
        config.training.total_timesteps = 64
        result = train(config, print_line=lambda _: None)
    assert game.scene == SCENE and len(game.seeds) >= 3
    assert models.find(result.checkpoint).timesteps == 64 and result.best_model.is_file()


# ---------------------------------------------------------------- stopping


def test_ctrl_c_saves_the_step_in_progress_and_it_can_go_on(config, capfd):
    def stop_at_second_rollout(line):
        if "128 of" in line:
            os.kill(os.getpid(), signal.SIGINT)

    result = train(config, print_line=stop_at_second_rollout)
    assert result.stopped and 128 < result.timesteps < 256
    assert result.checkpoint.name == f"vr_nav_model_{result.timesteps}_steps.zip"
    assert train(config, resume=result.checkpoint, print_line=lambda _: None).timesteps >= 256


def test_a_checkpoint_that_cannot_be_written_leaves_no_half_of_one(config, monkeypatch):
    from sandlot.errors import StoreError

    folder = Folders.of(config).checkpoints
    monkeypatch.setattr("sandlot.files.os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(StoreError, match="disk is full"):
        train(config, print_line=lambda _: None)
    assert names(folder) == []


# ---------------------------------------------------------------- export


def test_onnx_acts_as_the_model_does_within_1e_5(trained, tmp_path):
    import onnxruntime

    config, result, _ = trained
    saved = models.find(result.best_model)
    assert models.export_onnx(saved, config, tmp_path / "walker.onnx") <= 1e-5
    session = onnxruntime.InferenceSession(tmp_path / "walker.onnx")
    assert [i.name for i in session.get_inputs()] == ["obs", "state_ins"]
    assert [o.name for o in session.get_outputs()] == ["output", "state_outs"]
    from sandlot.compat.vr.environment import NavigationEnv

    env, model = NavigationEnv(config), PPO.load(result.best_model)
    seen, _ = env.reset(seed=1)
    for _ in range(15):
        (found,) = session.run(["output"], {"obs": env.raw[None], "state_ins": np.zeros(1, np.float32)})
        expected, _ = model.predict(seen, deterministic=True)
        assert np.abs(found[0] - expected).max() <= 1e-5, "from raw observations"
        seen, *_ = env.step(expected)


def test_the_copy_for_use_is_the_model(trained, tmp_path):
    _, result, _ = trained
    copy = models.copy(models.find(result.best_model), tmp_path / "models" / "vr_nav_v1.zip")
    assert copy.read_bytes() == result.best_model.read_bytes() and PPO.load(copy)
    with pytest.raises(CheckpointError, match=r"ends in \.zip"):
        models.copy(models.find(copy), tmp_path / "model.pt")


def test_our_own_ppo_gets_the_same_numbers():
    from sandlot.compat.vr.own_ppo import settings_for

    config = RLConfig.preset("curriculum_learning")
    settings = settings_for(config)
    assert settings.run.windows * settings.run.window_env_steps == 3_000_000
    assert [(s.name, s.threshold, s.settings.get("collision_penalty")) for s in settings.curriculum] == [
        ("easy, gentle", 5e5, 2.0),  # collisions cost little in the first third
        ("medium, gentle", 1e6, 2.0),
        ("medium", 1.5e6, None),
        ("hard", 0.0, None),
    ]
    assert [s.settings["max_goal_distance"] for s in settings.curriculum] == [10.0, 20.0, 20.0, 30.0]
    assert settings.settings["collision_penalty"] == 10.0 and settings.settings["comfort_bonus"] == 2.0
    assert tiny("somewhere").training.total_timesteps == 256


def test_our_own_ppo_trains_all_layouts_under_one_policy_that_sees_which():
    from sandlot.compat.vr.own_ppo import settings_for

    config = RLConfig()
    config.training.tasks = ["maze", "open", "course"]
    settings = settings_for(config).settings
    assert (settings["layout"], settings["task_id"]) == ("any", True)
    config.training.tasks = ["open", "maze"]
    with pytest.raises(ConfigError, match=r"--trainer ppo trains one layout .* or all of open, course, maze"):
        settings_for(config)
