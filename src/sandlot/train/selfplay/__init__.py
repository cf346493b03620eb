"""Self-play: whom a learner meets. Past selves and scripted players, drawn by how well they do."""

from .opponents import KINDS, Opponents, seats
from .pool import Pool, Rival

__all__ = ["KINDS", "Opponents", "Pool", "Rival", "seats"]
