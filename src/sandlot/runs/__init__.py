"""The run store: folders that anyone can read, that a kill cannot break. Needs neither torch nor the engine.

Read in this order: records (what is stored), paths (where), run (the commit point), store, windows,
index, replays.
"""

from .records import Frame, IndexEntry, ReplayEnd, ReplayHeader, RunRecord, WindowRow
from .replays import Replay
from .retention import Retention
from .run import Run
from .store import Store, locate
from .windows import Finished, WindowAggregator, rates_of
