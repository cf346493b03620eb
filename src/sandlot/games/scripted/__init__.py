"""Bots: scripted players written in C beside their game, with a policy's interface."""

from .bot import Bot, bot
from .opponents import ScriptedOpponents, default_bots, default_players, scripted_opponents
