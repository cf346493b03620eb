"""Self-play: the opponents of a learner, past policies and bots drawn by their win rates."""

from .device_opponents import DeviceOpponents
from .opponents import KINDS, Opponents, assign_rows
from .pool import Opponent, OpponentPool
