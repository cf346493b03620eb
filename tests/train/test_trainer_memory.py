"""A trainer needs no more memory after many windows than after a few."""

import gc
from pathlib import Path

import numpy as np
import pytest

from sandlot.runs.store import Store
from sandlot.train import events
from sandlot.train.loop import Loop, begin
from sandlot.train.recipes import compose

WINDOWS, SETTLED = 40, 15  # of which the first fill caches, pools and allocators
MOST_BYTES_PER_WINDOW = 32 << 10  # a leaked rollout of these runs has 300 kB, a leaked policy 40 kB
SMALL = (
    f"run.windows={WINDOWS}", "run.window_env_steps=256", "run.threads=1", "run.keep_checkpoints=2",
    "ppo.worlds=16", "ppo.horizon=16", "ppo.minibatches=2", "ppo.rollouts=1", "ppo.stagger=0",
    "network.hidden=[32]", "selfplay.every=1", "selfplay.pool=3",
)  # fmt: skip


def resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="resident memory is read from /proc")
@pytest.mark.parametrize("game", ["tag", "prospector"])
def test_training_on_does_not_need_more_memory(tmp_path, game):
    config, sizes = compose(game, words=SMALL), []

    def look(event):
        if isinstance(event, events.Committed):
            gc.collect()
            sizes.append(resident())

    with begin(Store(tmp_path), config) as run:
        Loop(config, run, [look]).go()
    assert len(sizes) == WINDOWS
    slope = np.polyfit(np.arange(WINDOWS - SETTLED), sizes[SETTLED:], 1)[0]
    assert slope < MOST_BYTES_PER_WINDOW, f"{slope / 1024:.0f} kB more with every window"
