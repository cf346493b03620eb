"""Which engine opens a game, what its spec is, and which specs are remembered."""

import importlib

import pytest

import sandlot
from sandlot.errors import ConfigError, UnknownName
from sandlot.spec import Document, Spec
from sandlot.worlds.make import check_engine, engine_of, load_spec, make, remember_spec

module = importlib.import_module("sandlot.worlds.make")  # the package offers the function of this name
SCENE = {"name": "scene", "observation": [{"name": "x"}], "actions": [{"name": "push"}]}
WIND = [{"name": "wind", "low": 0, "high": 9, "defaults": [1]}]


@pytest.mark.parametrize(
    ("game", "engine"),
    [
        ("tag", "native"), ("gym:CartPole-v1", "gym"), ("godot:DIR#res://main.tscn", "godot"),
        ("gym", "native"), ("unreal:x", "native"), ("native:tag", "native"), ("gym:", "gym"), ("", "native"),
    ],
)  # fmt: skip
def test_a_prefix_names_the_engine(game, engine):
    assert engine_of(game) == engine


@pytest.mark.parametrize(
    ("game", "asked", "opened"),
    [
        ("tag", "native", "native"), ("tag", "godot", "godot"), ("gym:X-v0", "native", "gym"),
        ("gym:X-v0", "gym", "gym"), ("godot:DIR", "native", "godot"), ("godot:DIR", "godot", "godot"),
    ],
)  # fmt: skip
def test_a_game_is_opened_in_its_own_engine_or_in_the_one_asked_for(game, asked, opened):
    assert check_engine(game, asked) == opened


@pytest.mark.parametrize(
    ("game", "engine", "error", "sentence"),
    [
        ("tag", "unreal", UnknownName, "There is no engine in this build called 'unreal'"),
        ("tag", "gym", ConfigError, "tag is a native game; the engine gym is for names such as gym:…."),
        ("gym:X-v0", "godot", ConfigError, "gym:X-v0 runs in gym only, not in godot."),
        ("godot:DIR", "gym", ConfigError, "godot:DIR runs in godot only, not in gym."),
    ],
)
def test_an_engine_that_cannot_open_it_is_refused_in_a_sentence(game, engine, error, sentence):
    for use in (check_engine, lambda game, engine: make(game, engine=engine)):
        with pytest.raises(error) as problem:
            use(game, engine)
        assert sentence in str(problem.value)


def test_one_world_with_one_thread_and_seed_0_is_made_unless_told_otherwise():
    with make("tag") as world, make("tag", seed=0) as zero:
        assert (world.worlds, world.threads, world.autoreset) == (1, 1, True)
        assert (world.reset() == zero.reset()).all()


def test_options_reach_the_engine_that_is_asked(monkeypatch):
    asked = []
    monkeypatch.setitem(module.ENGINES, "gym", lambda *args, **options: asked.append((args, options)))
    make("gym:X-v0", 3, 2, 5, {"wind": 1}, autoreset=False)
    assert asked == [(("gym:X-v0", 3, 2, 5, {"wind": 1}), {"autoreset": False})]


@pytest.mark.parametrize("game", [None, 7, ["tag"]])
def test_a_name_that_is_no_text_is_refused(game):
    for use in (make, load_spec):
        with pytest.raises(UnknownName, match="There is no game called"):
            use(game)


# ---------------------------------------------------------------- specs


def spec_of(config=None, address="gym:Scene-v0", **parts):
    document = SCENE | parts
    return Spec(Document.parse(document), document, config, address)


@pytest.fixture
def opened(monkeypatch):
    """How often a game was opened to be described; every opened world is closed."""
    opened, closed = [], []

    class World:
        def __init__(self, game, worlds, threads, seed, config, **options):
            opened.append((game, config))
            self.spec = spec_of(config, knobs=WIND)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            closed.append(1)

    monkeypatch.setattr(module, "_described", {})
    monkeypatch.setitem(module.ENGINES, "gym", World)
    yield opened
    assert len(closed) == len(opened)


def test_a_game_of_another_engine_is_opened_once_per_settings(opened):
    specs = [
        load_spec("gym:Scene-v0", config) for config in (None, {}, {"wind": 2}, {"wind": 2}, {"wind": 3})
    ]
    assert opened == [("gym:Scene-v0", None), ("gym:Scene-v0", {"wind": 2}), ("gym:Scene-v0", {"wind": 3})]
    assert specs[0] is specs[1] and specs[2] is specs[3] and specs[3].hash != specs[4].hash


def test_the_order_of_settings_and_the_game_tell_remembered_specs_apart(opened):
    load_spec("gym:Scene-v0", {"wind": 2, "profile": "default"})
    load_spec("gym:Scene-v0", {"profile": "default", "wind": 2})
    load_spec("gym:Scene-v1", {"wind": 2, "profile": "default"})
    assert [game for game, _ in opened] == ["gym:Scene-v0", "gym:Scene-v1"]


def test_a_remembered_spec_needs_no_game_under_its_settings_or_none(opened):
    mine, later = spec_of({"wind": 2}, knobs=WIND), spec_of({"wind": 3}, knobs=WIND)
    remember_spec(mine)
    remember_spec(later)
    assert load_spec("gym:Scene-v0", mine.settings) is mine
    assert load_spec("gym:Scene-v0", later.settings) is later
    assert load_spec("gym:Scene-v0") is mine, "the first that was remembered"
    assert opened == []


def test_a_native_spec_is_the_engines_own_whatever_was_remembered(opened):
    remember_spec(spec_of(address="tag"))
    assert module._described == {} and load_spec("tag").game == "tag"


def test_a_native_spec_is_that_of_its_settings():
    assert load_spec("tag", {"hiders": 2}).agents == 3
    assert load_spec("tag").hash == sandlot.make("tag").spec.hash
