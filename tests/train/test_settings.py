"""What a run does that sets nothing, and how far each setting may go: at its limit, and one beyond."""

import dataclasses

import pytest

from sandlot.errors import ConfigError
from sandlot.train import config
from sandlot.train.config import TrainConfig, build, check

DEFAULTS = {  # PPO's own and the adapters' are pinned beside their libraries' meaning
    config.NetworkConfig: {
        "hidden": (128, 128), "activation": "relu", "memory": 0, "head": "auto", "directions": 16,
        "normalise": True, "least_spread": 0.0, "sharp": (), "blind": (),
    },
    config.TeacherConfig: {"bot": "", "weight": 1.0, "until": 0.2},
    config.SelfPlayConfig: {
        "current": 0.6, "pool": 12, "every": 4, "bots": True, "scripted": 0.5, "opponents": 4,
        "prioritise": 2.0, "even": 0.25, "shared": False,
    },
    config.RunConfig: {
        "windows": 0, "minutes": 0.0, "window_env_steps": 1_000_000, "checkpoint_every": 1,
        "keep_checkpoints": 50, "seed": 1, "threads": 2, "device": "cpu", "engine": "native",
    },
    config.EvaluationConfig: {
        "enabled": True, "every": 1, "episodes": 64, "replays": 1, "best_margin": 0.02,
    },
}  # fmt: skip

WITHIN_AND_BEYOND = [
    ("ppo", "worlds", [1, 262_144], [0, 262_145]),
    ("ppo", "horizon", [8, 4096], [0, 4097]),
    ("ppo", "stagger", [0, 10_000_000], [-1, 10_000_001]),
    ("ppo", "rollouts", [1, 1024], [0, 1025]),
    ("ppo", "epochs", [1], [0]),
    ("ppo", "minibatches", [1, 64], [0, 65]),
    ("ppo", "learning_rate", [1e-9, 1.0], [0.0, 1.1]),
    ("ppo", "discount", [1e-9, 1.0], [0.0, 1.1]),
    ("ppo", "trace", [0.0, 1.0], [-0.1, 1.1]),
    ("network", "least_spread", [0.0], [-0.1]),
    ("run", "window_env_steps", [1024 * 64], [1024 * 64 - 1]),  # one iteration at least
    ("run", "windows", [0], [-1]),
    ("run", "minutes", [0.0], [-0.1]),
    ("run", "threads", [1], [0]),
    ("selfplay", "current", [0.0, 1.0], [-0.1, 1.1]),
    ("selfplay", "scripted", [0.0, 1.0], [-0.1, 1.1]),
    ("selfplay", "even", [0.0, 1.0], [-0.1, 1.1]),
]


@pytest.mark.parametrize("kind", DEFAULTS, ids=lambda kind: kind.__name__)
def test_a_run_that_sets_nothing_trains_with_these_settings(kind):
    assert dataclasses.asdict(kind()) == DEFAULTS[kind]


def test_a_lesson_that_says_no_more_than_its_name_ends_by_itself():
    assert dataclasses.asdict(config.Stage("first")) == {
        "name": "first", "game": {}, "measure": "", "at_least": 0.0, "windows": 1,
    }  # fmt: skip


@pytest.mark.parametrize(("section", "name", "within", "beyond"), WITHIN_AND_BEYOND)
def test_a_setting_is_taken_at_its_limit_and_refused_beyond(section, name, within, beyond):
    wide = {"run": {"window_env_steps": 1 << 40}}  # so that many worlds fit into a window
    for value in within:
        made = check(build(TrainConfig, {**wide, section: {name: value}}))
        assert getattr(getattr(made, section), name) == value
    for value in beyond:
        with pytest.raises(ConfigError, match=name):
            check(build(TrainConfig, {**wide, section: {name: value}}))


def test_the_dashboard_of_pufferlib_is_for_its_trainer_alone():
    assert check(build(TrainConfig, {"trainer": "puffer", "adapter": {"dashboard": True}})).adapter.dashboard
    with pytest.raises(ConfigError, match="Add --trainer puffer"):
        check(build(TrainConfig, {"trainer": "sb3", "adapter": {"dashboard": True}}))


def test_whole_numbers_are_taken_for_numbers_but_true_is_neither():
    made = build(TrainConfig, {"ppo": {"clip": 1}}).ppo.clip
    assert made == 1.0 and isinstance(made, float)
    for section, value in (("ppo", {"clip": True}), ("run", {"seed": True}), ("network", {"normalise": 1})):
        with pytest.raises(ConfigError, match="expected"):
            build(TrainConfig, {section: value})


def test_a_saved_configuration_is_lists_and_plain_values_all_the_way_down():
    made = config.as_dict(build(TrainConfig, {"curriculum": [{"name": "a", "game": {"sizes": (1, 2)}}]}))
    assert made["network"]["hidden"] == [128, 128] and isinstance(made["network"]["hidden"], list)
    assert made["curriculum"][0]["game"] == {"sizes": [1, 2]}
