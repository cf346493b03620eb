"""The configuration: the brief's fields and numbers, JSON there and back, sentences for what is wrong."""

import json
from dataclasses import fields, is_dataclass

import pytest

from sandlot.compat.vr import config as module
from sandlot.compat.vr.config import PRESETS, RLConfig
from sandlot.errors import ConfigError, SandlotError, UnknownName

# The sections and fields that the brief shows; the rest keeps its defaults.
BRIEF = {
    "network": {"policy": "MlpPolicy", "net_arch": [256, 256], "activation_fn": "relu"},
    "ppo": {"learning_rate": 0.0003, "batch_size": 64, "n_epochs": 10, "gamma": 0.99},
    "rewards": {"goal_reached": 100.0, "collision_penalty": -10.0, "comfort_bonus": 2.0},
    "training": {"total_timesteps": 1000000, "save_freq": 10000, "eval_freq": 5000},
}


def test_every_section_is_a_dataclass_of_the_briefs_name():
    sections = {field.name: field.type for field in fields(RLConfig)}
    assert list(sections) == [
        "network",
        "ppo",
        "rewards",
        "observations",
        "actions",
        "environment",
        "training",
    ]
    assert all(is_dataclass(section) for section in sections.values())


def test_defaults_are_the_briefs():
    config = RLConfig()
    for section, values in BRIEF.items():
        for name, value in values.items():
            assert getattr(getattr(config, section), name) == value, f"{section}.{name}"
    p = config.ppo
    assert (p.n_steps, p.gae_lambda, p.clip_range, p.ent_coef, p.vf_coef) == (2048, 0.95, 0.2, 0.01, 0.5)
    r = config.rewards
    assert (r.progress, r.smooth_movement, r.fall_penalty) == (1.0, 0.1, -50.0)
    assert (r.timeout_penalty, r.teleport_penalty) == (-20.0, -1.0)
    o, a, e = config.observations, config.actions, config.environment
    assert (o.num_ray_sensors, o.ray_length, o.normalize_observations) == (16, 5.0, True)
    assert (a.max_movement_speed, a.max_rotation_speed) == (2.0, 90.0)
    assert (e.num_environments, e.max_episode_steps, e.host, e.port) == (1, 1000, "127.0.0.1", 8080)
    stages = [(s.name, s.max_goal_distance, s.timesteps) for s in config.training.curriculum_stages]
    assert stages == [("easy", 10.0, 500_000), ("medium", 20.0, 1_000_000), ("hard", 30.0, 1_500_000)]


@pytest.mark.parametrize(
    ("name", "total", "episode", "save"),
    [
        ("quick_test", 10_000, 200, 2_000),
        ("full_training", 5_000_000, 1_000, 10_000),
        ("curriculum_learning", 3_000_000, 1_000, 10_000),
        ("comfort_optimized", 1_000_000, 1_000, 10_000),
    ],
)
def test_presets_have_the_briefs_numbers(name, total, episode, save):
    config = RLConfig.preset(name).validate()
    t = config.training
    assert (t.total_timesteps, config.environment.max_episode_steps, t.save_freq) == (total, episode, save)
    assert t.use_curriculum == (name == "curriculum_learning")


def test_the_comfort_preset_pays_more_for_comfort_and_smooths_more():
    comfort, plain = RLConfig.preset("comfort_optimized"), RLConfig()
    assert comfort.rewards.comfort_bonus > plain.rewards.comfort_bonus
    assert plain.actions.action_smoothing < comfort.actions.action_smoothing <= 0.4


def test_there_are_four_presets():
    assert list(PRESETS) == ["quick_test", "full_training", "curriculum_learning", "comfort_optimized"]


# ---------------------------------------------------------------- JSON


def test_the_briefs_example_loads(tmp_path):
    path = tmp_path / "brief.json"
    path.write_text(json.dumps(BRIEF))
    assert RLConfig.load(path).validate() == RLConfig()


def test_json_there_and_back_changes_nothing(tmp_path):
    config = RLConfig.preset("curriculum_learning")
    config.training.curriculum_stages.pop()
    config.rewards.goal_reached = 50.0
    assert RLConfig.load(config.save(tmp_path / "c.json")) == config
    assert RLConfig.from_dict(config.to_dict()) == config


def test_the_module_alone_writes_the_example_with_every_field(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    module.main()
    written = json.loads((tmp_path / "example_config.json").read_text())
    assert written == RLConfig().to_dict()
    assert "example_config.json" in capsys.readouterr().out


def test_a_curriculum_is_switched_on_by_one_field():
    config = RLConfig()
    assert [stage.name for stage in config.stages] == ["all"]
    config.training.use_curriculum = True
    assert [stage.name for stage in config.stages] == ["easy", "medium", "hard"]


def test_stages_of_a_shorter_training_shrink_in_proportion():
    config = RLConfig.preset("curriculum_learning")
    config.training.total_timesteps = 300
    assert [stage.timesteps for stage in config.stages] == [50, 100, 150]


# ---------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"trainng": {}}, "no section called 'trainng'. Did you mean 'training'?"),
        (
            {"training": {"use_curiculum": True}},
            "setting of training called 'use_curiculum'. Did you mean 'use_cu",
        ),
        ({"training": {"curriculum_stages": [{"nam": "a"}]}}, "is missing"),
        (
            {
                "training": {
                    "curriculum_stages": [{"name": "a", "max_goal_distance": 10, "timesteps": 1, "step": 2}]
                }
            },
            r"setting of training.curriculum_stages\[0\] called 'step'",
        ),
        ({"ppo": {"learning_rate": "fast"}}, "ppo.learning_rate = 'fast': expected a number"),
        ({"ppo": {"n_steps": 2.5}}, "ppo.n_steps = 2.5: expected a whole number"),
        ({"ppo": {"gamma": 1.5}}, "ppo.gamma = 1.5: expected at most 1"),
        ({"environment": {"num_environments": 9}}, "expected at most 8"),
        ({"environment": {"kind": "godot"}}, "expected 'native' or 'http'"),
        ({"network": {"net_arch": []}}, "expected at least 1 entries"),
        ({"training": 3}, "training = 3: expected a table of settings"),
        ([], "the configuration = .*: expected a table of settings"),
    ],
)
def test_a_wrong_value_is_one_sentence_with_its_place(values, sentence):
    with pytest.raises(SandlotError, match=sentence):
        RLConfig.from_dict(values)


def test_text_that_is_no_json_and_a_missing_file_are_sentences(tmp_path):
    (tmp_path / "c.json").write_text("{")
    with pytest.raises(ConfigError, match=r"c\.json: the configuration = .*: expected Invalid JSON"):
        RLConfig.load(tmp_path / "c.json")
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        RLConfig.load(tmp_path / "none.json")


def test_an_unknown_preset_names_the_nearest():
    with pytest.raises(UnknownName, match="Did you mean 'quick_test'"):
        RLConfig.preset("quick_tset")


def test_a_wrong_assignment_is_refused_at_once():
    config = RLConfig()
    with pytest.raises(ValueError, match="total_timesteps"):
        config.training.total_timesteps = "many"
    assert config.training.total_timesteps == 1_000_000


@pytest.mark.parametrize(
    ("section", "name", "value", "sentence"),
    [
        ("ppo", "batch_size", 4096, "ppo.batch_size = 4096: expected at most a rollout"),
        ("training", "num_workers", 3, "expected 1 .* or environment.num_environments"),
        ("network", "net_arch", [0], "expected sizes from 1 to 4096"),
        ("observations", "num_ray_sensors", 8, "the native game has 16 level rays"),
        ("rewards", "comfort_bonus", 50.0, "expected at most a tenth of rewards.goal_reached"),
        ("rewards", "progress", 10.0, "progress"),
        ("training", "tasks", ["open", "open"], "expected each layout once"),
    ],
)
def test_validate_refuses_what_does_not_fit_together(section, name, value, sentence):
    config = RLConfig()
    setattr(getattr(config, section), name, value)
    with pytest.raises(SandlotError, match=sentence):
        config.validate()


def test_a_curriculum_without_stages_and_tasks_over_http_are_refused():
    config = RLConfig()
    config.training.use_curriculum, config.training.curriculum_stages = True, []
    with pytest.raises(ConfigError, match="curriculum_stages is empty"):
        config.validate()
    config = RLConfig()
    config.training.tasks, config.environment.kind = ["open"], "http"
    with pytest.raises(ConfigError, match="layouts of the native game"):
        config.validate()


def test_the_summary_names_what_is_paid_and_how_long():
    text = RLConfig.preset("curriculum_learning").summary()
    for part in ("3,000,000 steps", "easy 10 m (500,000)", "goal +100", "collision -10", "2 m/s"):
        assert part in text
