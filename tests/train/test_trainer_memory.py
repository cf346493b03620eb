"""A trainer needs no more memory after many windows than after a few."""

import gc
from pathlib import Path

import numpy as np
import pytest

from sandlot.runs.store import Store
from sandlot.train import events
from sandlot.train.compose import compose
from sandlot.train.loop import Loop, begin

WINDOWS, SETTLED = 40, 15  # of which the first fill caches, pools and allocators
MOST_BYTES_PER_WINDOW = 32 << 10  # a leaked rollout of these runs has 300 kB, a leaked policy 40 kB
SMALL = (
    f"run.windows={WINDOWS}", "run.window_env_steps=256", "run.threads=1", "run.keep_checkpoints=2",
    "ppo.num_envs=16", "ppo.num_steps=16", "ppo.num_minibatches=2", "ppo.rollouts_per_iteration=1",
    "ppo.stagger_steps=0", "network.hidden_sizes=[32]", "selfplay.add_every_windows=1",
    "selfplay.pool_size=3",
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
