"""Running worlds: one protocol, and its implementations side by side.

world.py     World, Capabilities, Episodes: what everybody above uses
arrays.py    arrays, checks and counters that implementations share
native.py    the C engine through ctypes (library.py)
remote.py    a game in another process, over a WebSocket; godot.py starts that process
gym.py       Gymnasium environments
godot_rl.py  Godot projects with the stock godot-rl plugin
make.py      opens any of them by name
"""

from .make import known_spec, load_spec, make
from .native import NativeWorld, games
from .world import HEAD, Capabilities, Episodes, World
