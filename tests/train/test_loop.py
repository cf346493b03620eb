"""What the loop writes beside a window: a row an episode, with what was learned from it."""

import pytest

from sandlot.games import VectorGame
from sandlot.runs.episodes import LEARNED, MATCH_COLUMNS, read_episodes
from sandlot.runs.store import Store
from sandlot.train import events
from sandlot.train.loop import Loop, begin
from sandlot.train.recipes import compose

SMALL = (
    "run.windows=2", "run.window_env_steps=1000", "run.threads=1",
    "ppo.worlds=16", "ppo.horizon=16", "ppo.minibatches=4", "network.hidden=[16]",
)  # fmt: skip


def trained(root, game, *more):
    """The rows of episodes.csv, and the learners' figures of every iteration."""
    config, heard = compose(game, words=[*SMALL, *more]), []
    with begin(Store(root), config) as run:
        Loop(config, run, [heard.append]).go()
        rows = read_episodes(run.paths.episodes)
    return rows, [event.figures for event in heard if isinstance(event, events.Progressed)]


def as_written(number):
    return float(f"{number:.7g}")


def test_an_episode_of_two_roles_has_the_losses_of_each_and_of_both(tmp_path):
    rows, figures = trained(tmp_path, "tag")
    assert rows and list(rows[0])[: len(MATCH_COLUMNS)] == list(MATCH_COLUMNS)
    told = {
        tuple(as_written(one[role][name]) for role in ("seeker", "hider") for name in LEARNED)
        for one in figures
    }
    assert any(one[:5] != one[5:] for one in told), "else nobody could tell the roles apart"
    for row in rows:
        own = [[float(row[f"{role}_{name}"]) for name in LEARNED] for role in ("seeker", "hider")]
        assert (*own[0], *own[1]) in told
        for name, seeker, hider in zip(LEARNED, *own, strict=True):
            both = seeker + hider if name == "updates" else (seeker + hider) / 2
            assert abs(float(row[name]) - both) <= 1e-6 * max(1, abs(both)), name


def test_an_episode_of_one_role_has_its_losses_once(tmp_path):
    rows, figures = trained(tmp_path, "prospector", "settings.time_max=300")
    assert rows and not any(column.startswith("pilot_") for column in rows[0])
    told = {tuple(as_written(one["pilot"][name]) for name in LEARNED) for one in figures}
    assert all(tuple(float(row[name]) for name in LEARNED) in told for row in rows)


MANY_TICKS = {"prospector": ("settings.mine_repeat=8", "ppo.rollouts=1", "ppo.stagger=0"), "tag": ()}


@pytest.mark.parametrize("game", MANY_TICKS)
def test_windows_count_every_step_of_every_world_and_not_its_ticks(tmp_path, monkeypatch, game):
    """Counted beside the trainer, at the game's own `step`, whose steps last several ticks."""
    steps, ticks, step = [], [], VectorGame.step

    def counting(world):
        ended = step(world)
        steps.append(world.worlds)
        ticks.append(int(world.ticks[:: world.spec.agents].sum()))
        return ended

    monkeypatch.setattr(VectorGame, "step", counting)
    config = compose(game, words=[*SMALL, *MANY_TICKS[game]])
    with begin(Store(tmp_path), config) as run:
        Loop(config, run).go()
        rows, record = run.windows(), run.record
    assert sum(ticks) > 1.2 * sum(steps), "else nobody could tell steps from ticks"
    assert [row.env_steps_in_window for row in rows] == [1000, 1000]
    assert [row.env_steps_total for row in rows] == [1000, 2000] and record.env_steps_total == 2000
    assert 2000 <= sum(steps) < 2000 + 16 * 16, (
        "training stops with the iteration that closes the last window"
    )
    closing = -(-2000 // 16)  # steps of the batch up to the end of window 1
    assert sum(ticks[: closing - 1]) < rows[-1].ticks_total <= sum(ticks[:closing])
