"""Recipes: small TOML files laid over one another. default ← preset ← --config ← --set."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomllib

from ..errors import ConfigError, SandlotError, UnknownName
from ..games import games
from .config import TrainConfig, as_dict, build, check

FOLDER = Path(__file__).parent / "presets"
USUAL = "quick"
OURS = TrainConfig().trainer


def presets(game: str = "*") -> list[str]:
    """Names of the recipes that come with the package, such as tag.quick."""
    return sorted(path.stem for path in FOLDER.glob(f"{game}.*.toml"))


def compose(
    game: str, preset: str = USUAL, file: Path | None = None, words: Sequence[str] = ()
) -> TrainConfig:
    """The configuration of a run.

    Every trainer can follow the usual recipe: one that knows no lessons plays the whole game from the start.
    """
    if game not in games():
        raise _no_game(game)
    name = preset if "." in preset else f"{game}.{preset}"
    if name not in presets():
        raise UnknownName(f"preset of {game}", preset, [n.removeprefix(f"{game}.") for n in presets(game)])
    values = _read(FOLDER / f"{name}.toml")
    if values.get("game") != game:
        raise ConfigError(f"preset {name} is a recipe for {values.get('game')}, not for {game}.")
    lessons = values.get("curriculum")
    if file is not None:
        values = _over(values, _read(file))
        if values["game"] != game:
            raise ConfigError(f"{file} is a configuration for {values['game']}, not for {game}.")
    for word in words:
        _lay(values, _word(word))
    usual, ours = name == f"{game}.{USUAL}", values.get("trainer", OURS) == OURS
    if usual and not ours and values.get("curriculum") is lessons:
        values.pop("curriculum", None)
    return check(build(TrainConfig, values))


def _no_game(word: str) -> SandlotError:
    game, dot, preset = word.partition(".")
    if dot and game in games():
        return ConfigError(f"{word!r} is no game. Name game and recipe apart: {game} --preset {preset}.")
    return UnknownName("game", word, games())


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise ConfigError(f"{path} cannot be read: {problem.strerror}.") from None
    try:
        told = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except ValueError as problem:
        raise ConfigError(
            f"{path} is no valid {'JSON' if path.suffix == '.json' else 'TOML'}: {problem}."
        ) from None
    if not isinstance(told, dict):
        raise ConfigError(
            f"{path} holds a {type(told).__name__}, expected an object with sections such as ppo."
        )
    return told


def _over(recipe: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """What a file says over a recipe. A saved configuration is whole: what it does not set was not set."""
    if as_dict(TrainConfig()).keys() <= told.keys():
        return told
    _lay(recipe, told)
    return recipe


def _lay(under: dict[str, Any], over: Mapping[str, Any]) -> None:
    for key, value in over.items():
        if isinstance(value, Mapping) and isinstance(under.get(key), dict):
            _lay(under[key], value)
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


def save(config: TrainConfig, path: Path) -> None:
    """As JSON, which `--config` reads again."""
    path.write_text(json.dumps(as_dict(config), indent=2) + "\n", encoding="utf-8")
