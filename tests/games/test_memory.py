"""What a batch costs and what it gives back, measured as resident memory of a process of its own."""

import subprocess
import sys

import numpy as np
import pytest
from playing import SHORT

import sandlot

MEASURE = """
import ctypes, gc, os, sys
import numpy as np
import sandlot

game, threads = sys.argv[1], int(sys.argv[2])

def resident():
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # else freed memory at the heap's top counts or not, by chance
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def play(count, worlds=1):
    made = [sandlot.make(game, worlds, threads, seed=seed) for seed in range(count)]
    for world in made:
        world.reset()
        for _ in range(5):
            world.step(np.zeros_like(world.actions))
        world.info(), world.render(), world.events(), world.finished(), world.restore(0, world.snapshot(0))
    return made

def close(made):
    for world in made:
        world.close()

close(play(10))
before = resident()
made = play(200)
held = resident() - before
close(made)
del made
settled = resident()
for _ in range(5):
    close(play(200))
for _ in range(20):
    close(play(2, worlds=64))
print(held // 200, resident() - settled)
"""


def measured(game, threads=1):
    """Bytes a batch of one world holds; bytes left behind by 1,040 more that were made and closed."""
    command = [sys.executable, "-c", MEASURE, game, str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return [int(number) for number in done.stdout.split()]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/statm")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_of_one_world_is_small_and_given_back(game, threads):
    each, grown = measured(game, threads)
    assert each < 100_000, f"{each} bytes for one world of {game}"
    assert grown < 2_000_000, f"{grown} bytes more after batches were made and closed over and over"


def test_many_finished_episodes_wait_in_order():
    """More than the first room holds: it grows, and nothing is lost or swapped."""
    with (
        sandlot.make("tag", 50, config=SHORT["tag"]) as world,
        sandlot.make("tag", 50, config=SHORT["tag"]) as other,
    ):
        world.reset(seed=1), other.reset(seed=1)
        kept = []
        for _ in range(200):
            world.step(np.zeros_like(world.actions))
            other.step(np.zeros_like(other.actions))
            kept += list(other.finished())
        waited = list(world.finished())
        assert world.finished_dropped == 0
    assert len(waited) == len(kept) > 400
    columns = ("seed", "step", "world", "episode", "seeker_reward")
    assert [[row[name] for name in columns] for row in waited] == [
        [row[name] for name in columns] for row in kept
    ]


def test_the_oldest_episodes_go_when_nobody_fetches():
    config = {"time_max": 4}
    with sandlot.make("prospector", 4096, config=config) as world:
        world.reset(seed=1)
        ended = sum(world.step(np.full(4096, 68, np.int32)) for _ in range(80))
        waiting = world.finished()
        assert ended > 65_536 == len(waiting)
        assert world.finished_dropped == ended - 65_536
        assert np.all(np.diff(waiting.heads["step"]) >= 0) and waiting.heads["step"][-1] == world.steps
