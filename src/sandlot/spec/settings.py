"""Settings of a game as people write them, checked against its document."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import ConfigError, UnknownName
from .document import Document


def parse_settings(words: Iterable[str] | None) -> dict[str, Any]:
    """NAME=VALUE words as settings: values are read as JSON where they are JSON, else as text."""
    settings: dict[str, Any] = {}
    for word in words or ():
        name, sign, text = word.partition("=")
        if not sign or not name:
            raise ConfigError(f"{word[:64]}: expected NAME=VALUE, for example mode=switch.")
        try:
            settings[name] = json.loads(text, parse_constant=lambda constant: constant)
        except (ValueError, RecursionError):
            settings[name] = text
    return settings


def resolve(document: Document, config: Mapping[str, Any]) -> tuple[str, list[float]]:
    """A profile's defaults with the given settings laid over them, as the game's numbers."""
    if not isinstance(config, Mapping):
        raise ConfigError(f"A configuration is a mapping of names to values, not {type(config).__name__}.")
    settings = dict(config)
    profile = settings.pop("profile", document.profiles[0])
    if profile not in document.profiles:
        raise UnknownName(f"profile of {document.name}", profile, document.profiles)
    column = document.profiles.index(profile)
    by_name = {knob.name: knob for knob in document.knobs}
    values = {name: float(knob.defaults[column]) for name, knob in by_name.items()}
    for name, value in settings.items():
        if name not in by_name:
            raise UnknownName(f"setting of {document.name}", name, ["profile", *by_name])
        values[name] = by_name[name].number(value)
    return profile, list(values.values())
