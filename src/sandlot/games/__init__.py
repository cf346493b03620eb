"""What belongs to single native games on the Python side: bots, pictures, Python twins."""

from .scripted import Bot, bot

DEFAULT_GAME = "tag"  # what is trained and shown where nobody names a game
PLAYED_GAME = "prospector"  # of a play session of the API where nobody names one
