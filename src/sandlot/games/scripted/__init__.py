"""Hand-written players: written in C beside their game, spoken to as policies."""

from .bot import Bot, bot

__all__ = ["Bot", "bot"]
