"""A trainer in miniature, to be killed: everything it writes follows from its state alone, as in a real one.

python killed_trainer.py ROOT RUN_ID WINDOWS: goes on from the last commit point up to so many windows.
"""

import hashlib
import sys

import numpy as np
from making import TickingClock

from sandlot.runs import Finished, Retention, Store, WindowAggregator

WORLDS, STEPS = 3, 5


def train(run, until):
    commit = run.committed
    weights = run.newest_checkpoint().read_bytes() if commit else b"start"
    windows = (
        WindowAggregator.from_dict(commit.trainer["windows"])
        if commit
        else WindowAggregator(run.run_id, 40, WORLDS)
    )
    log = run.episode_log(["score"])
    while windows.window_id < until:
        rng = np.random.default_rng(list(weights[:8]))
        weights = hashlib.sha256(weights).digest() * 2000  # 64 kB, so that a kill may fall into the writing
        ticks, rewards = rng.integers(1, 9, (STEPS, WORLDS)), rng.normal(size=(STEPS, WORLDS))
        step, world = np.nonzero(rng.random((STEPS, WORLDS)) < 0.3)
        ended = np.ones(len(step), bool)
        rows = windows.record(ticks, rewards, None, Finished(step, world, ended, ~ended))
        log.append({"score": rewards[step, world], "world": world}, count=len(step))
        run.append_windows(rows)
        if rows:
            best = 1.0 if rows[-1].window_id % 4 == 0 else None
            result = {"env_steps_total": windows.env_steps_total}
            state = {"windows": windows.to_dict()}
            policies = {"seeker": weights[:64]}
            run.commit(rows[-1].window_id, weights, state, result, policies, best, resume=weights[:1000])


def main(root, run_id, until):
    with Store(root, TickingClock()).resume(run_id, Retention(newest=3)) as run:
        print("ready", flush=True)
        train(run, int(until))
        run.finish("completed")


if __name__ == "__main__":
    main(*sys.argv[1:])
