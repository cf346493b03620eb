"""Every column of windows.jsonl and episodes.csv, recomputed from what the engine gave step by step.

The record is made at the world's own `step` and `finished`, so nothing of the counting is shared with what is
tested.
"""

import json
import statistics
from dataclasses import dataclass, field

import numpy as np
import pytest

from sandlot.runs.episodes import read_episodes
from sandlot.runs.store import Store
from sandlot.train.compose import compose
from sandlot.train.loop import Loop, begin
from sandlot.worlds import NativeWorld

WINDOW = 1000
SMALL = (
    "run.windows=3", f"run.window_env_steps={WINDOW}", "run.threads=1",
    "ppo.num_envs=16", "ppo.num_steps=16", "ppo.num_minibatches=4", "network.hidden_sizes=[16]",
)  # fmt: skip
GAMES = {
    "prospector": ("settings.time_max=200", "ppo.rollouts_per_iteration=1", "ppo.stagger_steps=0"),
    "tag": ("settings.time_limit=3", "ppo.stagger_steps=0"),
}


@dataclass
class Raw:
    """What the worlds of one training gave."""

    ticks: list = field(default_factory=list)  # [steps][worlds]
    rewards: list = field(default_factory=list)  # [steps][worlds, agents]
    invalid: list = field(default_factory=list)
    flags: list = field(default_factory=list)  # [steps][worlds]: terminated, truncated
    episodes: list = field(default_factory=list)  # one mapping each

    def window_of(self, step, world):
        return (step * len(self.ticks[0]) + world) // WINDOW


@pytest.fixture(scope="module", params=GAMES)
def trained(request, tmp_path_factory):
    """(raw record, rows of windows.jsonl, rows of episodes.csv, spec) of a short training."""
    raw, step, finished = Raw(), NativeWorld.step, NativeWorld.finished

    def recording_step(world, *actions):
        ended = step(world, *actions)
        by_world = world.worlds, world.spec.agents
        raw.ticks.append(world.ticks.reshape(by_world)[:, 0].copy())
        raw.rewards.append(world.rewards.reshape(by_world).astype(np.float64))
        raw.invalid.append(world.invalid.reshape(by_world).any(axis=1))
        flags = world.terminated.reshape(by_world), world.truncated.reshape(by_world)
        raw.flags.append(tuple(flag[:, 0].copy() for flag in flags))
        return ended

    def recording_finished(world):
        episodes = finished(world)
        raw.episodes.extend(dict(episode) for episode in episodes)
        return episodes

    config = compose(request.param, words=[*SMALL, *GAMES[request.param]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NativeWorld, "step", recording_step)
        patch.setattr(NativeWorld, "finished", recording_finished)
        with begin(Store(tmp_path_factory.mktemp("runs")), config) as run:
            loop = Loop(config, run, [])
            loop.go()
            windows = [json.loads(line) for line in run.paths.windows.read_text().splitlines()]
            return raw, windows, read_episodes(run.paths.episodes), loop.trainer.spec


def test_steps_ticks_and_invalid_actions_are_the_engines(trained):
    raw, windows, _, _ = trained
    ticks, invalid = np.concatenate(raw.ticks), np.concatenate(raw.invalid)
    for row in windows:
        part = slice(row["env_steps_start"], row["env_steps_end"])
        assert part.start == row["window_id"] * WINDOW
        assert row["env_steps_in_window"] == part.stop - part.start
        assert row["ticks_in_window"] == ticks[part].sum()
        assert row["ticks_total"] == ticks[: part.stop].sum()
        assert row["invalid_action_rate"] == invalid[part].mean()


def ended_in(raw, window):
    """Episodes of a window, with how the arrays of that step say they ended."""
    out = []
    for episode in raw.episodes:
        step, world = episode["step"] - 1, episode["world"]
        if raw.window_of(step, world) == window:
            out.append((episode, *(bool(flag[world]) for flag in raw.flags[step])))
    return out


def test_endings_are_the_engines_and_both_kinds_occur_where_a_game_has_both(trained):
    raw, windows, _, spec = trained
    for row in windows:
        ended = ended_in(raw, row["window_id"])
        assert row["episodes_completed"] == len(ended) > 0
        assert row["terminated_episodes"] == sum(terminated for _, terminated, _ in ended)
        assert row["truncated_episodes"] == sum(truncated for _, _, truncated in ended)
    totals = [sum(row[name] for row in windows) for name in ("terminated_episodes", "truncated_episodes")]
    assert totals[0] > 0 and (totals[1] > 0) == (spec.agents == 1), "a match's time limit is one of its rules"


def test_means_and_medians_are_those_of_the_finished_episodes(trained):
    raw, windows, _, spec = trained
    checked = set()
    for row in windows:
        episodes = [episode for episode, _, _ in ended_in(raw, row["window_id"])]
        for entry in spec.episode:
            if f"{entry.name}_mean" in row and entry.size == 1 and entry.name != "return":
                values = [float(episode[entry.name]) for episode in episodes]
                assert row[f"{entry.name}_mean"] == pytest.approx(np.mean(values), rel=1e-6, abs=1e-9)
                assert row[f"{entry.name}_median"] == pytest.approx(statistics.median(values), rel=1e-6)
                checked.add(entry.name)
    assert len(checked) >= 8


def test_each_episode_has_its_own_row_with_the_engines_numbers(trained):
    raw, _, rows, spec = trained
    by_origin = {(episode["world"], episode["seed"]): episode for episode in raw.episodes}
    assert len(rows) > 10
    for row in rows:
        episode = by_origin[int(row["world"]), int(row["seed"]) % 2**64]
        assert int(row["invalid"]) == episode["invalid"]
        assert [row["terminated"], row["truncated"]] == [
            str(int(episode[name])) for name in ("terminated", "truncated")
        ]
        for entry in spec.episode:
            if entry.size == 1 and entry.name in row and not entry.labels:
                assert float(row[entry.name]) == pytest.approx(float(episode[entry.name]), rel=1e-6)
    assert len({(row["world"], row["seed"]) for row in rows}) == len(rows)
