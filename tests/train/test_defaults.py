"""Every default of a training run, in one table: a change of any is a decision, not an accident."""

from sandlot.train.config import TrainConfig, as_dict

DEFAULTS = {
    "game": "tag",
    "trainer": "ppo",
    "settings": {},
    "run": {
        "windows": 0,
        "minutes": 0.0,
        "window_env_steps": 1000000,
        "checkpoint_every": 1,
        "keep_checkpoints": 50,
        "seed": 1,
        "threads": 2,
        "device": "cpu",
        "engine": "native",
    },
    "ppo": {
        "worlds": 1024,
        "horizon": 64,
        "stagger": 0,
        "rollouts": 1,
        "epochs": 1,
        "minibatches": 8,
        "learning_rate": 0.001,
        "learning_rate_end": 0.0001,
        "discount": 0.999,
        "trace": 0.95,
        "clip": 0.2,
        "value_weight": 0.5,
        "entropy": 0.01,
        "entropy_end": 0.001,
        "gradient_cap": 0.5,
        "target_kl": 0.05,
        "scale_rewards": True,
        "critic": "own",
        "precision": "float32",
    },
    "network": {
        "hidden": [128, 128],
        "activation": "relu",
        "memory": 0,
        "head": "auto",
        "directions": 16,
        "normalise": True,
        "least_spread": 0.0,
        "sharp": [],
        "blind": [],
    },
    "teacher": {"bot": "", "weight": 1.0, "until": 0.2},
    "selfplay": {
        "shared": False,
        "current": 0.6,
        "pool": 12,
        "every": 4,
        "bots": True,
        "scripted": 0.5,
        "opponents": 4,
        "prioritise": 2.0,
        "even": 0.25,
    },
    "evaluation": {"enabled": True, "every": 1, "episodes": 64, "replays": 1, "best_margin": 0.02},
    "adapter": {
        "role": "seeker",
        "rival": "",
        "rival_level": 0,
        "discount": 0.99,
        "workers": 2,
        "address": "local",
        "dashboard": False,
    },
    "curriculum": [],
}


def test_every_default_is_the_one_in_the_table():
    assert as_dict(TrainConfig()) == DEFAULTS
