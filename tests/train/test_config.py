"""What can be set, what is refused, and with which words."""

import dataclasses
import json

import pytest

from sandlot.errors import ConfigError, SandlotError, UnknownName
from sandlot.train.config import PPOConfig, TrainConfig, as_dict, build, check
from sandlot.train.recipes import compose, presets, save


@pytest.mark.parametrize("name", presets())
def test_every_recipe_that_comes_along_can_be_cooked(name):
    game = name.split(".")[0]
    assert compose(game, name).game == game


def test_layers_lie_over_one_another(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text("[ppo]\nclip = 0.3\nepochs = 2\n")
    made = compose("tag", "quick", file, ["ppo.epochs=5", "run.device=cpu", "settings.mode=switch"])
    assert (made.ppo.clip, made.ppo.epochs) == (0.3, 5)
    assert made.settings["mode"] == "switch"
    assert made.ppo.discount == compose("tag").ppo.discount


def test_a_saved_configuration_is_read_again_as_it_was(tmp_path):
    made = compose("prospector", "curriculum", words=["ppo.clip=0.15", "network.hidden=[64,32]"])
    save(made, tmp_path / "config.json")
    assert compose("prospector", "quick", tmp_path / "config.json") == made
    assert build(TrainConfig, json.loads(json.dumps(as_dict(made)))) == made


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
        ("ppo.epochs=1.5", ConfigError, "ppo.epochs = 1.5: expected a whole number"),
        ("ppo.epochs=true", ConfigError, "ppo.epochs = True: expected a whole number"),
        ("ppo.clip=fast", ConfigError, "ppo.clip = 'fast': expected a number"),
        ("network.hidden=64", ConfigError, "network.hidden = 64: expected a list"),
        ("network.hidden=[64,'x']", ConfigError, r"network.hidden\[1\] = 'x'"),
        ("settings=3", ConfigError, "settings = 3: expected a table"),
        ("ppo=3", ConfigError, "ppo must be a table"),
        ("ppo.minibatches=999", ConfigError, "expected 1 to ppo.horizon"),
        ("ppo.precision=half", ConfigError, "expected float32 or bfloat16"),
        ("ppo.critic=nobody", ConfigError, "expected own or privileged"),
        ("ppo.discount=1.5", ConfigError, "ppo.discount"),
        ("network.least_spread=-1", ConfigError, "network.least_spread = -1"),
        ("network.blind='rays'", ConfigError, "network.blind = 'rays': expected a list"),
        ("run.threads=0", ConfigError, "run.threads = 0"),
        ("selfplay.current=2", ConfigError, "selfplay.current = 2"),
        ("selfplay.scripted=-1", ConfigError, "selfplay.scripted = -1"),
        ("ppo.rollouts=0", ConfigError, "ppo.rollouts = 0"),
        ("ppo.stagger=-1", ConfigError, "ppo.stagger = -1"),
        ("adapter.dashboard=true", ConfigError, "the trainer is ppo. Add --trainer puffer"),
        ("adapter.constellation='here'", UnknownName, "no setting of adapter called 'constellation'"),
        ("ppo.clip", ConfigError, "expected NAME=VALUE"),
    ],
)
def test_a_wrong_setting_is_refused_by_its_name(word, error, sentence):
    with pytest.raises(error, match=sentence):
        compose("tag", words=[word])


def test_an_unknown_or_foreign_recipe_is_refused():
    with pytest.raises(UnknownName, match="Did you mean 'quick'"):
        compose("tag", "quik")
    with pytest.raises(ConfigError, match="recipe for tag, not for prospector"):
        compose("prospector", "tag.quick")


@pytest.mark.parametrize(("name", "text"), [("a.toml", "ppo = ["), ("a.json", "{")])
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError, match=name):
        compose("tag", file=tmp_path / name)
    with pytest.raises(ConfigError, match="cannot be read"):
        compose("tag", file=tmp_path / "nothing.toml")


@pytest.mark.parametrize("field", [f.name for f in dataclasses.fields(PPOConfig)])
def test_every_setting_of_ppo_can_be_set_by_a_word(field):
    value = getattr(PPOConfig(), field)
    word = f"ppo.{field}={json.dumps(value)}"
    try:
        assert getattr(compose("tag", words=[word]).ppo, field) == value
    except SandlotError as problem:  # defaults need not fit a recipe's other numbers
        assert "ppo." in str(problem)


def test_the_defaults_fit_together():
    check(TrainConfig())
