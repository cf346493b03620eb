"""Self-play: whom a learner meets. Past policies and bots, drawn by how often they win."""

from .opponents import KINDS, Opponents, assign_rows
from .pool import Opponent, OpponentPool
