"""What the tests of the run store share: a ticking clock, and runs, rows and replays without an engine."""

from datetime import UTC, datetime, timedelta

import numpy as np

from sandlot.runs import Replay, ReplayEnd, ReplayHeader, Store, WindowAggregator


class TickingClock:
    """A second later at every look."""

    def __init__(self, moment=datetime(2026, 1, 31, 9, 5, tzinfo=UTC)):
        self.moment = moment

    def __call__(self):
        self.moment += timedelta(seconds=1)
        return self.moment


def make_run(root, clock=None, **fields):
    fields = {"game": "tag", "trainer_backend": "random", "window_env_steps": 10, "seed": 7} | fields
    return Store(root, clock or TickingClock()).create({"ppo": {"clip": 0.2}}, revision="abcdef12", **fields)


def window_rows(count, run_id="run"):
    """`count` closed windows of ten env steps of three ticks, with a reward at each end."""
    windows = WindowAggregator(run_id, 10, 1)
    rewards = np.zeros((10 * count, 1), np.float32)
    rewards[9::10, 0] = np.arange(count)
    return windows.record(np.full((10 * count, 1), 3), rewards)


def make_replay(replay_id="replay-000003-0000abcd", window_id=3, returned=1.5, tags=(), steps=70, **fields):
    rng = np.random.default_rng(5)
    actions = rng.integers(-127, 128, (steps, 2, 3)).astype(np.float32) / np.float32(127)
    header = ReplayHeader(
        replay_id=replay_id,
        game="tag",
        game_version="1",
        engine="test",
        spec_hash="0123456789abcdef",
        config={"mode": "timed", "time_limit": 10.0},
        seed=2**64 - 1,
        agents=["seeker", "hider"],
        policies={"seeker": "chase", "hider": "evade"},
        action_encoding="q127",
        action_shape=[steps, 2, 3],
        run_id="run",
        window_id=window_id,
        tags=list(tags),
        **{"created_at": "2026-01-31T09:05:00.000Z"} | fields,
    )
    hashes = [(step, 0xFEDC_BA98_7654_3210 + step) for step in sorted({0, 32, 64, steps}) if step <= steps]
    end = ReplayEnd(
        steps=steps, ticks=3 * steps, returns=[returned, -returned], terminated=True, truncated=False,
        episode={"winner": "seeker", "net_profit": 120.0, "survival": 1.0},
    )  # fmt: skip
    return Replay(header, actions, [(3, "jump"), (3, "sight"), (60, "tag")], hashes, end)
