"""For every test: a busy machine, a shell in the background, and how tests share the cores.

`make test` runs them in several processes (pytest-xdist). A file stays in one of them for the sake of its
fixtures; so do the folders and files named in order.py, for the sake of what they share.
"""

import os
import signal
import sys
from pathlib import Path

import pytest
from order import longest_first, reason

# node and the build tools may have come from PyPI (make), and then they are beside this Python.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

# Programs of this repository that no package has: tests import them by their names.
for folder in ("scripts", "benchmarks"):
    sys.path.append(str(Path(__file__).parents[1] / folder))

# A training's threads spin while they wait for one another, and where other processes want the same cores
# that takes ten times as long as sleeping. It changes no number; it has to be said before torch is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

# What a shell starts in the background ignores Ctrl-C, and so would every program that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config, items):
    if hasattr(config, "workerinput"):  # a process of several: all of them have to name the same order
        items[:] = longest_first(items, lambda item: item.nodeid.partition("::")[0])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadFileScheduling

    class ByReason(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return reason(super()._split_scope(nodeid))

    config.option.loadscopereorder = False  # the order is that of the collection: longest_first
    return ByReason(config, log)
