"""What can be set, what is refused, and with which words."""

import json

import pytest

from sandlot.errors import ConfigError, SandlotError, UnknownName
from sandlot.train.compose import compose, presets, save
from sandlot.train.config import PPOConfig, Stage, TrainConfig, as_dict, build, check


@pytest.mark.parametrize("name", presets())
def test_every_recipe_that_comes_along_can_be_cooked(name):
    game = name.split(".")[0]
    game = "gym:CartPole-v1" if game == "generic" else game
    assert compose(game, name).game == game


def test_windows_of_a_game_without_presets_hold_as_many_worlds_as_are_asked_for():
    assert compose("gym:CartPole-v1").run.window_env_steps == 16_384
    assert compose("gym:CartPole-v1", words=["ppo.num_envs=216"]).run.window_env_steps == 216 * 128
    with pytest.raises(ConfigError, match="less than one iteration"):
        compose("gym:CartPole-v1", words=["ppo.num_envs=216", "run.window_env_steps=1024"])


def test_a_game_without_presets_gets_the_generic_one_fitted_to_its_time_limit():
    assert compose("gym:CartPole-v1").ppo.gamma == 0.99  # 500 steps
    assert compose("gym:CartPole-v1", words=["settings.max_episode_steps=1000"]).ppo.gamma == 0.995
    assert compose("gym:CartPole-v1", words=["ppo.gamma=0.9"]).ppo.gamma == 0.9
    with pytest.raises(UnknownName, match=r"preset of gym:CartPole-v1 called 'full'\. There are: .*quick"):
        compose("gym:CartPole-v1", "full")
    with pytest.raises(UnknownName, match="Did you mean 'CartPole-v1'"):
        compose("gym:CartPol-v1")


def test_layers_lie_over_one_another(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text("[ppo]\nclip_range = 0.3\nupdate_epochs = 2\n")
    made = compose("tag", "quick", file, ["ppo.update_epochs=5", "run.device=cpu", "settings.mode=switch"])
    assert (made.ppo.clip_range, made.ppo.update_epochs) == (0.3, 5)
    assert made.settings["mode"] == "switch"
    assert made.ppo.gamma == compose("tag").ppo.gamma


def test_a_saved_configuration_is_read_again_as_it_was(tmp_path):
    made = compose("prospector", "curriculum", words=["ppo.clip_range=0.15", "network.hidden_sizes=[64,32]"])
    save(made, tmp_path / "config.json")
    assert compose("prospector", "quick", tmp_path / "config.json") == made
    assert build(json.loads(json.dumps(as_dict(made)))) == made


def test_a_saved_configuration_leaves_nothing_of_the_recipe_under_it(tmp_path):
    plain = TrainConfig(game="tag")
    assert compose("tag").settings, "the recipe sets something"
    save(plain, tmp_path / "config.json")
    assert compose("tag", "quick", tmp_path / "config.json") == plain


def test_a_file_that_holds_no_sections_is_refused(tmp_path):
    (tmp_path / "config.json").write_text("[1, 2]")
    with pytest.raises(ConfigError, match="holds a list, expected an object"):
        compose("tag", "quick", tmp_path / "config.json")


def test_a_file_for_another_game_is_refused(tmp_path):
    save(TrainConfig(game="tag"), tmp_path / "config.json")
    with pytest.raises(ConfigError, match="is a configuration for tag, not for prospector"):
        compose("prospector", "quick", tmp_path / "config.json")


@pytest.mark.parametrize(
    ("word", "error", "sentence"),
    [
        ("ppo.learning_rat=1", UnknownName, "Did you mean 'learning_rate'"),
        ("pppo.clip=1", UnknownName, "Did you mean 'ppo'"),
        ("ppo.update_epochs=1.5", ConfigError, "ppo.update_epochs = 1.5: expected a whole number"),
        ("ppo.update_epochs=true", ConfigError, "ppo.update_epochs = True: expected a whole number"),
        ("ppo.clip_range=fast", ConfigError, "ppo.clip_range = 'fast': expected a number"),
        ("network.hidden_sizes=64", ConfigError, "network.hidden_sizes = 64: expected a list"),
        ("network.hidden_sizes=[64,'x']", ConfigError, r"network.hidden_sizes\[1\] = 'x'"),
        ("settings=3", ConfigError, "settings = 3: expected a table"),
        ("ppo=3", ConfigError, "ppo = 3: expected a table"),
        ("ppo.num_minibatches=999", ConfigError, "expected 1 to ppo.num_steps"),
        ("ppo.precision=half", ConfigError, "expected 'float32', 'bfloat16' or 'auto'"),
        ("ppo.critic=nobody", ConfigError, "expected 'own' or 'privileged'"),
        ("ppo.gamma=1.5", ConfigError, "ppo.gamma"),
        ("network.min_std=-1", ConfigError, "network.min_std = -1"),
        ("network.masked_features='rays'", ConfigError, "network.masked_features = 'rays': expected a list"),
        ("run.threads=0", ConfigError, "run.threads = 0"),
        ("selfplay.latest_fraction=2", ConfigError, "selfplay.latest_fraction = 2"),
        ("selfplay.scripted_fraction=-1", ConfigError, "selfplay.scripted_fraction = -1"),
        ("ppo.rollouts_per_iteration=0", ConfigError, "ppo.rollouts_per_iteration = 0"),
        ("ppo.stagger_steps=-1", ConfigError, "ppo.stagger_steps = -1"),
        ("adapter.dashboard=true", ConfigError, "the trainer is ppo. Add --trainer puffer"),
        ("adapter.constellation='here'", UnknownName, "no setting of adapter called 'constellation'"),
        ("ppo.clip_range", ConfigError, "expected NAME=VALUE"),
        ("learning_rate=1e-4", ConfigError, r"in a section; write --set ppo\.learning_rate=1e-4\.$"),
        ("windows=3", ConfigError, r"write --set run\.windows=3\.$"),
        ("vision_range=9", ConfigError, r"write --set settings\.vision_range=9\.$"),
        ("visoin_range=9", UnknownName, "no setting called 'visoin_range'"),
    ],
)
def test_a_wrong_setting_is_refused_by_its_name(word, error, sentence):
    with pytest.raises(error, match=sentence):
        compose("tag", words=[word])


def test_an_unknown_or_foreign_recipe_is_refused():
    with pytest.raises(UnknownName, match="Did you mean 'quick'"):
        compose("tag", "quik")
    with pytest.raises(ConfigError, match=r"preset tag\.quick is for tag, not for prospector"):
        compose("prospector", "tag.quick")


@pytest.mark.parametrize(("name", "text"), [("a.toml", "ppo = ["), ("a.json", "{")])
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError, match=name):
        compose("tag", file=tmp_path / name)
    with pytest.raises(ConfigError, match="cannot be read"):
        compose("tag", file=tmp_path / "nothing.toml")


@pytest.mark.parametrize("field", list(PPOConfig.model_fields))
def test_every_setting_of_ppo_can_be_set_by_a_word(field):
    value = getattr(PPOConfig(), field)
    word = f"ppo.{field}={json.dumps(value)}"
    try:
        assert getattr(compose("tag", words=[word]).ppo, field) == value
    except SandlotError as problem:  # defaults need not fit a recipe's other numbers
        assert "ppo." in str(problem)


def test_the_defaults_fit_together():
    check(TrainConfig())


# ---------------------------------------------------------------- defaults and limits

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
        "processes": 1,
    },
    "ppo": {
        "num_envs": 1024,
        "num_steps": 64,
        "stagger_steps": 0,
        "rollouts_per_iteration": 1,
        "update_epochs": 1,
        "num_minibatches": 8,
        "learning_rate": 0.001,
        "learning_rate_end": 0.0001,
        "gamma": 0.999,
        "gae_lambda": 0.95,
        "clip_range": 0.2,
        "vf_coef": 0.5,
        "ent_coef": 0.01,
        "ent_coef_end": 0.001,
        "max_grad_norm": 0.5,
        "target_kl": 0.05,
        "normalize_rewards": True,
        "critic": "own",
        "precision": "float32",
    },
    "network": {
        "hidden_sizes": [128, 128],
        "activation": "relu",
        "recurrent_size": 0,
        "cnn": "auto",
        "head": "auto",
        "squash": False,
        "num_directions": 16,
        "normalize_observations": True,
        "min_std": 0.0,
        "min_std_exempt": [],
        "masked_features": [],
    },
    "selfplay": {
        "shared": False,
        "latest_fraction": 0.6,
        "pool_size": 12,
        "add_every_windows": 4,
        "use_bots": True,
        "scripted_fraction": 0.5,
        "num_opponents": 4,
        "prioritization": 2.0,
        "uniform_fraction": 0.25,
    },
    "evaluation": {"enabled": True, "every": 1, "episodes": 64, "replays": 1, "best_margin": 0.02},
    "adapter": {
        "role": "",  # the first of the game
        "opponent": "",
        "opponent_level": 0,
        "gamma": 0.99,
        "num_workers": 2,
        "vec_env": "dummy",
        "algorithm": "ppo",
        "buffer_size": 100_000,
        "batch_size": 256,
        "learning_starts": 1000,
        "gradient_steps": 4,
        "target_update_interval": 1000,
        "action_noise": 0.1,
        "exploration_fraction": 0.3,
        "exploration_end": 0.05,
        "address": "local",
        "dashboard": False,
    },
    "imitation": {
        "demos": [],
        "role": "",
        "epochs": 20,
        "learning_rate": 0.001,
        "batch_size": 256,
        "coef": 0.2,
        "decay": 0.5,
    },
    "curriculum": [],
}


def test_every_default_is_the_one_in_the_table():
    assert as_dict(TrainConfig()) == DEFAULTS


WITHIN_AND_BEYOND = [
    ("ppo", "num_envs", [1, 262_144], [0, 262_145], "at (?:least 1|most 262144)"),
    ("ppo", "num_steps", [8, 4096], [0, 4097], "at (?:least 1|most 4096)"),
    ("ppo", "stagger_steps", [0, 10_000_000], [-1, 10_000_001], "at (?:least 0|most 10000000)"),
    ("ppo", "rollouts_per_iteration", [1, 1024], [0, 1025], "at (?:least 1|most 1024)"),
    ("ppo", "update_epochs", [1], [0], "at least 1"),
    ("ppo", "num_minibatches", [1, 64], [0], "at least 1"),
    ("ppo", "num_minibatches", [64], [65], "1 to ppo.num_steps, 64"),
    ("ppo", "learning_rate", [1e-9, 1.0], [0.0, 1.1], "(?:more than 0|at most 1)"),
    ("ppo", "learning_rate_end", [0.0, 1.0], [-0.1, 1.1], "at (?:least 0|most 1)"),
    ("ppo", "gamma", [1e-9, 1.0], [0.0, 1.1], "(?:more than 0|at most 1)"),
    ("ppo", "gae_lambda", [0.0, 1.0], [-0.1, 1.1], "at (?:least 0|most 1)"),
    ("ppo", "clip_range", [1e-9], [0.0], "more than 0"),
    ("ppo", "vf_coef", [0.0], [-0.1], "at least 0"),
    ("ppo", "max_grad_norm", [1e-9], [0.0], "more than 0"),
    ("ppo", "target_kl", [0.0], [-0.1], "at least 0"),
    ("network", "recurrent_size", [0], [-1], "at least 0"),
    ("network", "num_directions", [1], [0], "at least 1"),
    ("network", "min_std", [0.0], [-0.1], "at least 0"),
    ("run", "window_env_steps", [1024 * 64], [1024 * 64 - 1], "less than one iteration"),
    ("run", "windows", [0], [-1], "at least 0"),
    ("run", "minutes", [0.0], [-0.1], "at least 0"),
    ("run", "threads", [1], [0], "at least 1"),
    ("run", "checkpoint_every", [1], [0], "at least 1"),
    ("run", "keep_checkpoints", [0], [-1], "at least 0"),
    ("selfplay", "latest_fraction", [0.0, 1.0], [-0.1, 1.1], "at (?:least 0|most 1)"),
    ("selfplay", "scripted_fraction", [0.0, 1.0], [-0.1, 1.1], "at (?:least 0|most 1)"),
    ("selfplay", "uniform_fraction", [0.0, 1.0], [-0.1, 1.1], "at (?:least 0|most 1)"),
    ("selfplay", "pool_size", [1], [0], "at least 1"),
    ("selfplay", "add_every_windows", [1], [0], "at least 1"),
    ("selfplay", "num_opponents", [1], [0], "at least 1"),
    ("evaluation", "every", [1], [0], "at least 1"),
    ("evaluation", "episodes", [1], [0], "at least 1"),
    ("evaluation", "replays", [0], [-1], "at least 0"),
    ("evaluation", "best_margin", [0.0], [-0.1], "at least 0"),
    ("adapter", "gamma", [1e-9, 1.0], [0.0, 1.1], "(?:more than 0|at most 1)"),
    ("adapter", "num_workers", [1], [0], "at least 1"),
    ("adapter", "opponent_level", [0], [-1], "at least 0"),
]


def test_a_stage_that_has_only_a_name_sets_nothing_and_never_ends_by_itself():
    assert Stage(name="first").model_dump() == {
        "name": "first", "settings": {}, "metric": "", "threshold": 0.0, "consecutive_windows": 1,
    }  # fmt: skip


@pytest.mark.parametrize(("section", "name", "within", "beyond", "expected"), WITHIN_AND_BEYOND)
def test_a_setting_is_taken_at_its_limit_and_refused_beyond(section, name, within, beyond, expected):
    wide = {"run": {"window_env_steps": 1 << 40}}  # so that many worlds fit into a window
    for value in within:
        made = check(build({**wide, section: {name: value}}))
        assert getattr(getattr(made, section), name) == value
    for value in beyond:
        with pytest.raises(ConfigError, match=rf"{section}\.{name} = .*{expected}"):
            check(build({**wide, section: {name: value}}))


def test_layers_have_at_least_one_unit_and_a_stage_at_least_one_window():
    for values, sentence in (
        (
            {"network": {"hidden_sizes": [8, 0]}},
            r"network\.hidden_sizes\[1\] = 0: expected at least 1",
        ),
        (
            {"curriculum": [{"name": "a", "consecutive_windows": 0}]},
            r"\[0\]\.consecutive_windows = 0",
        ),
        ({"curriculum": [{"settings": {}}]}, r"curriculum\[0\]\.name is missing"),
        ({"curriculum": [{"name": "a", "at_least": 1}]}, r"setting of curriculum\[0\] called 'at_least'"),
    ):
        with pytest.raises((ConfigError, UnknownName), match=sentence):
            build(values)


def test_a_replaced_setting_is_checked_like_a_new_one():
    assert TrainConfig().run.replace(threads=3).threads == 3
    with pytest.raises(ValueError, match="threads"):
        TrainConfig().run.replace(threads=0)


def test_a_configuration_cannot_be_changed_in_place():
    with pytest.raises(ValueError, match="frozen"):
        TrainConfig().run.threads = 3


def test_the_dashboard_of_pufferlib_is_for_its_trainer_alone():
    assert check(build({"trainer": "puffer", "adapter": {"dashboard": True}})).adapter.dashboard
    with pytest.raises(ConfigError, match="Add --trainer puffer"):
        check(build({"trainer": "sb3", "adapter": {"dashboard": True}}))


def test_whole_numbers_are_taken_for_numbers_but_true_is_neither():
    made = build({"ppo": {"clip_range": 1}}).ppo.clip_range
    assert made == 1.0 and isinstance(made, float)
    for section, value in (
        ("ppo", {"clip_range": True}),
        ("run", {"seed": True}),
        ("network", {"normalize_observations": 1}),
    ):
        with pytest.raises(ConfigError, match="expected"):
            build({section: value})


def test_a_saved_configuration_is_lists_and_plain_values_all_the_way_down():
    made = as_dict(build({"curriculum": [{"name": "a", "settings": {"sizes": (1, 2)}}]}))
    assert made["network"]["hidden_sizes"] == [128, 128] and isinstance(made["network"]["hidden_sizes"], list)
    assert made["curriculum"][0]["settings"] == {"sizes": [1, 2]}
