"""Composes a configuration from a preset (a TOML file in presets/), a file and `--set` words.

defaults ← preset ← --config ← --set

A game that has no presets of its own gets those called generic, fitted to its spec.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import ConfigError, SandlotError, UnknownName
from ..spec import Spec
from ..worlds import games, load_spec
from ..worlds.make import NATIVE, engine_of
from .config import OUR_TRAINER, TrainConfig, as_dict, build, check, iteration_of

FOLDER = Path(__file__).parent / "presets"
DEFAULT_PRESET = "quick"
GENERIC = "generic"  # presets of games without their own
HORIZONS = 5.0  # the discount's horizon, as a share of a full episode
GAMMA_BOUNDS = (0.98, 0.997)
USUAL_GAMMA = 0.99  # per step, for a game without a known time limit
PICTURE_ENVS = 8  # worlds where observations hold pictures


def presets(game: str = "*") -> list[str]:
    """Names of the presets that come with the package, such as tag.quick."""
    return sorted(path.stem for path in FOLDER.glob(f"{game}.*.toml"))


def compose(
    game: str, preset: str = DEFAULT_PRESET, file: Path | None = None, words: Sequence[str] = ()
) -> TrainConfig:
    """The configuration of a run. words: `--set` words such as ppo.learning_rate=1e-4.

    The default preset is for every trainer: one without curricula plays the last stage from the start.
    """
    if engine_of(game) == NATIVE and game not in games():
        raise _no_game(game)
    family = game if engine_of(game) == NATIVE and presets(game) else GENERIC
    name = preset if "." in preset else f"{family}.{preset}"
    if name not in presets():
        known = [n.removeprefix(f"{family}.") for n in presets(family)]
        raise UnknownName(f"preset of {game}", preset, known)
    values = _read(FOLDER / f"{name}.toml")
    if family == GENERIC and name.startswith(f"{GENERIC}."):
        spec = load_spec(game, _settings_in(words))
        values["game"] = game = spec.address  # with an absolute folder, where the game is a scene
        _merge(values, _fitted(spec))
    if values.get("game") != game:
        raise ConfigError(f"preset {name} is for {values.get('game')}, not for {game}.")
    stages, window = values.get("curriculum"), values["run"].get("window_env_steps")
    if file is not None:
        given = _read(file)
        if TrainConfig.model_fields.keys() <= given.keys():  # saved with a run: it replaces the preset
            values = given
        else:
            _merge(values, given)
        if values.get("game") != game:
            raise ConfigError(f"{file} is a configuration for {values['game']}, not for {game}.")
    for word in words:
        _check_section(word, game)
        _merge(values, _word(word))
    default, ours = name == f"{family}.{DEFAULT_PRESET}", values.get("trainer", OUR_TRAINER) == OUR_TRAINER
    if default and not ours and values.get("curriculum") is stages:
        values.pop("curriculum", None)
    made = build(values)
    if family == GENERIC and made.run.window_env_steps == window:
        made = _with_room(made)
    return check(made)


def _with_room(config: TrainConfig) -> TrainConfig:
    """Windows of a preset for any game hold an iteration of as many worlds as a scene or somebody wants."""
    steps = max(config.run.window_env_steps, iteration_of(config))
    return config.replace(run=config.run.replace(window_env_steps=steps))


def _settings_in(words: Sequence[str]) -> dict[str, Any]:
    """The game's settings among `--set` words: they may change its spec."""
    values: dict[str, Any] = {}
    for word in words:
        _merge(values, _word(word))
    settings = values.get("settings", {})
    return settings if isinstance(settings, dict) else {}


def _fitted(spec: Spec) -> dict[str, Any]:
    """Settings derived from a spec: the discount by its time limit, fewer worlds if it has pictures."""
    ppo: dict[str, Any] = {}
    limit = spec.config.get("max_episode_steps") or spec.json.get("max_steps")
    ticks = spec.document.ticks_per_step or 1
    if limit or ticks > 1:
        low, high = GAMMA_BOUNDS
        per_step = min(max(1.0 - HORIZONS / limit, low), high) if limit else USUAL_GAMMA
        ppo["gamma"] = round(per_step ** (1.0 / ticks), 6)
    if spec.json.get("arenas"):  # how many a scene asks for
        ppo["num_envs"] = int(spec.json["arenas"])
    if any(field.image for field in spec.observation):
        ppo["num_envs"] = PICTURE_ENVS
    return {"ppo": ppo}


def _no_game(word: str) -> SandlotError:
    game, dot, preset = word.partition(".")
    if dot and game in games():
        return ConfigError(
            f"{word!r} is not a game. Name game and preset separately: {game} --preset {preset}."
        )
    return UnknownName("game", word, games())


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise ConfigError(f"{path} cannot be read: {problem.strerror}.") from None
    try:
        values = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except ValueError as problem:
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise ConfigError(f"{path} is not valid {kind}: {problem}.") from None
    if not isinstance(values, dict):
        found = type(values).__name__
        raise ConfigError(f"{path} holds a {found}, expected an object with sections such as ppo.")
    return values


def _merge(under: dict[str, Any], over: Mapping[str, Any]) -> None:
    """Nested tables, key by key."""
    for key, value in over.items():
        if isinstance(value, Mapping) and isinstance(under.get(key), dict):
            _merge(under[key], value)
        else:
            under[key] = value


def _word(word: str) -> dict[str, Any]:
    """`ppo.learning_rate=1e-4` as nested tables; the value is read as TOML, else taken as text."""
    path, sign, text = word.partition("=")
    if not sign or not path:
        raise ConfigError(f"--set {word}: expected NAME=VALUE, for example --set ppo.learning_rate=1e-4.")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    for key in reversed(path.split(".")):
        value = {key: value}
    return value


def _check_section(word: str, game: str) -> None:
    """Refuse a setting without its section, naming the section."""
    name = word.partition("=")[0]
    if name in TrainConfig.model_fields or "." in name:
        return
    sections = [
        section
        for section, field in TrainConfig.model_fields.items()
        if name in getattr(field.annotation, "model_fields", {})
    ]
    if name in load_spec(game).config:
        sections.append("settings")
    if sections:
        raise ConfigError(f"--set {word}: {name} is in a section; write --set {sections[0]}.{word}.")


def save(config: TrainConfig, path: Path) -> None:
    """As JSON, which `--config` reads again."""
    path.write_text(json.dumps(as_dict(config), indent=2) + "\n", encoding="utf-8")
