"""Which trainer: refused before anything is written, in a sentence that says what to do."""

import pytest

from sandlot.errors import ConfigError, MissingExtra, UnknownName
from sandlot.train import adapters
from sandlot.train.compose import compose


def test_an_unknown_trainer_is_named(tiny):
    with pytest.raises(UnknownName, match="Did you mean 'sb3'"):
        adapters.check_trainer(tiny("tag", "sb4"))


@pytest.mark.parametrize("name", adapters.LIBRARIES)
def test_a_missing_library_names_its_extra(tiny, monkeypatch, name):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=rf"sandlot\[{adapters.LIBRARIES[name][-1]}\]"):
        adapters.check_trainer(tiny("tag", name))


@pytest.mark.parametrize("word", ["network.recurrent_size=32", "ppo.precision=bfloat16"])
def test_what_only_our_ppo_can_do_is_refused_by_name(tiny, word):
    with pytest.raises(ConfigError, match=word.partition("=")[0]):
        adapters.check_trainer(tiny("prospector", "sb3", word))


@pytest.mark.parametrize("name", adapters.LIBRARIES)
def test_the_usual_recipe_is_for_every_trainer_without_its_lessons(tiny, name):
    assert compose("tag").curriculum
    adapters.check_trainer(tiny("tag", name))
    assert not tiny("tag", name).curriculum
    assert not compose("tag", "tag.quick", words=[f"trainer={name}"]).curriculum


def test_lessons_that_were_asked_for_are_refused_by_name():
    with pytest.raises(ConfigError, match="curriculum needs our own PPO"):
        adapters.check_trainer(compose("tag", "curriculum", words=["trainer=sb3"]))


def test_a_graphics_card_is_refused_where_it_would_be_ignored(tiny):
    with pytest.raises(ConfigError, match=r"run\.device = 'cuda' is not for --trainer rllib"):
        adapters.check_trainer(tiny("prospector", "rllib", "run.device=cuda"))


def test_an_unknown_role_is_named(tiny):
    with pytest.raises(UnknownName, match=r"adapter\.role"):
        adapters.trainer_for(tiny("tag", "sb3", "adapter.role=seekr"), "run")


def test_a_head_of_free_numbers_is_refused(tiny):
    with pytest.raises(ConfigError, match=r"network\.head = table"):
        adapters.trainer_for(tiny("tag", "puffer", "network.head=gaussian"), "run")
