"""Games: what there is, what each says about itself, and batches of running worlds."""

from .make import make
from .scripted import Bot, bot
from .spec import Field, Knob, Spec, games, parse_settings
from .vector import Episodes, VectorGame

__all__ = ["Bot", "Episodes", "Field", "Knob", "Spec", "VectorGame", "bot", "games", "make", "parse_settings"]
