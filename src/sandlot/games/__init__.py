"""What belongs to single native games on the Python side: bots, pictures, Python twins."""

from .scripted import Bot, bot

__all__ = ["Bot", "bot"]
