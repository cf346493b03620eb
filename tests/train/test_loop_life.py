"""A run's life in the loop: when it ends, what it announces, what it leaves open, how it fails."""

import threading

import pytest
from leaks import nothing_left_open

from sandlot.runs.store import Store
from sandlot.train import events
from sandlot.train import loop as module
from sandlot.train.compose import compose
from sandlot.train.loop import Loop, begin, codes_of

TINY = (
    "run.windows=3", "run.window_env_steps=256", "run.threads=2", "ppo.num_envs=16", "ppo.num_steps=16",
    "ppo.num_minibatches=4", "network.hidden_sizes=[8]", "curriculum=[]", "settings.time_limit=1.0",
)  # fmt: skip  # an iteration is a window


class Clock:
    """Stands in for the loop's clock: so much time passes whenever it is looked at."""

    def __init__(self, step_s=1.0):
        self.now, self.step_s = 0.0, step_s

    def monotonic(self):
        self.now += self.step_s
        return self.now


def ran(root, *words, resume=None, stop=None, break_at=None):
    """A run to its end, as (run, events); break_at: the iteration that raises."""
    config, heard, store = compose("tag", words=[*TINY, *words]), [], Store(root)
    with store.resume(resume) if resume else begin(store, config) as run:
        loop = Loop(config, run, [heard.append], stop)
        if break_at is not None:
            broken(loop.trainer, break_at)
        status = loop.go()
        assert status == heard[-1].status
    return run, heard


def broken(trainer, at):
    iterate, count = trainer.iterate, iter(range(10**6))

    def failing(progress):
        if next(count) == at:
            raise RuntimeError("the card is on fire")
        return iterate(progress)

    trainer.iterate = failing


def of_kind(heard, kind):
    return [event for event in heard if isinstance(event, kind)]


# ---------------------------------------------------------------- what is announced


def test_a_run_announces_its_start_its_windows_their_commits_and_its_end(tmp_path):
    run, heard = ran(tmp_path)
    kinds = [type(event) for event in heard if not isinstance(event, events.Progressed)]
    one = [events.WindowClosed, events.Committed]
    assert kinds == [events.Started, *one * 3, events.Ended]
    started, ended = heard[0], heard[-1]
    assert (started.run_id, started.folder) == (run.run_id, str(run.paths.folder))
    assert started.resumed_at is None and started.config["ppo"]["num_envs"] == 16
    assert (ended.status, ended.windows, ended.reason) == ("completed", 3, "3 windows")
    assert [e.window_id for e in of_kind(heard, events.Committed)] == [0, 1, 2]
    assert [e.row.window_id for e in of_kind(heard, events.WindowClosed)] == [0, 1, 2]
    assert of_kind(heard, events.Committed)[0].checkpoint == str(run.paths.checkpoint(0))


def test_a_resumed_run_says_after_which_window_also_after_the_first(tmp_path):
    asked = iter([False, True])
    run, _ = ran(tmp_path, stop=lambda: next(asked))
    _, heard = ran(tmp_path, resume=run.run_id)
    assert heard[0].resumed_at == 0
    assert [e.window_id for e in of_kind(heard, events.Committed)] == [1, 2]


def test_progress_is_reported_after_every_iteration_with_its_place_in_window_and_run(tmp_path):
    _, heard = ran(tmp_path, "run.window_env_steps=512", "run.windows=2")
    result = of_kind(heard, events.Progressed)
    assert [event.share for event in result] == [0.5, 0.0, 0.5, 0.0]
    assert [event.run_share for event in result] == [0.25, 0.5, 0.75, 1.0]
    assert [event.env_steps_total for event in result] == [256, 512, 768, 1024]
    assert [event.window_id for event in result] == [0, 1, 1, 2]
    for event in result:
        per_step = event.ticks_per_second / event.decisions_per_second
        assert 0.4 < per_step < 8, "ticks of a world against decisions of its two agents"
        assert set(event.metrics) == {"seeker", "hider"} and event.opponents
        assert 0 < sum(event.shares.values()) < 1.01
    assert result[-1].episodes_total > 0 and result[-1].ticks_total > 1024


def test_rates_are_of_the_time_that_the_iteration_took(tmp_path, monkeypatch):
    from sandlot.train.stopwatch import Stopwatch

    monkeypatch.setattr(Stopwatch, "lap", lambda watch: (4.0, {"world": 1.0}))
    _, heard = ran(tmp_path, "run.windows=1")
    (result,) = of_kind(heard, events.Progressed)
    assert result.decisions_per_second == 16 * 16 * 2 / 4.0
    assert result.ticks_per_second == result.ticks_total / 4.0


# ---------------------------------------------------------------- when it ends


def test_minutes_end_a_run_and_move_its_schedules(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "time", Clock())
    _, heard = ran(tmp_path, "run.windows=0", "run.minutes=0.5")  # thirty looks at the clock
    ended, result = heard[-1], of_kind(heard, events.Progressed)
    assert (ended.status, ended.reason) == ("completed", "0.5 minutes")
    assert result[-1].seconds >= 30 and result[-2].seconds < 30
    for event in result:
        assert event.run_share == pytest.approx(min(1.0, event.seconds / 30), abs=2 / 30)
    assert 0.0 < result[0].run_share < 0.5


def test_a_schedule_ends_with_its_run_however_long_the_last_iteration_takes(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "time", Clock(step_s=20.0))
    _, heard = ran(tmp_path, "run.windows=0", "run.minutes=0.5")
    assert of_kind(heard, events.Progressed)[-1].run_share == 1.0
    _, heard = ran(tmp_path, "run.window_env_steps=300", "run.windows=1")  # two iterations, 512 of 300 steps
    assert [event.run_share for event in of_kind(heard, events.Progressed)] == [256 / 300, 1.0]


def test_minutes_count_those_of_earlier_sittings(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "time", Clock())
    asked = iter([False] * 2 + [True])
    run, heard = ran(tmp_path, "run.windows=0", "run.minutes=0.5", stop=lambda: next(asked))
    before = of_kind(heard, events.Progressed)[-1].seconds
    _, again = ran(tmp_path, "run.windows=0", "run.minutes=0.5", resume=run.run_id)
    first = of_kind(again, events.Progressed)[0].seconds
    assert before < first < before + 15


def test_a_run_without_a_limit_goes_on_until_somebody_stops_it_and_stays_at_its_first_rates(tmp_path):
    asked = iter([False] * 3 + [True])
    run, heard = ran(tmp_path, "run.windows=0", stop=lambda: next(asked))
    assert (heard[-1].status, heard[-1].windows) == ("stopped", 3)
    assert all(event.run_share == 0.0 for event in of_kind(heard, events.Progressed))
    assert run.record.status == "stopped" and run.record.target_env_steps is None


def test_the_record_of_a_run_has_its_target_and_how_it_went(tmp_path):
    run, _ = ran(tmp_path)
    record = run.record
    assert (record.status, record.error) == ("completed", None) and record.finished_at
    assert record.target_env_steps == 3 * 256 and record.window_env_steps == 256
    assert record.trainer_info == {"device": "cpu", "worlds": 16, "threads": 2, "engine": "native"}
    assert {"sandlot", "python", "torch", "numpy", "engine"} <= set(record.versions)


# ---------------------------------------------------------------- checkpoints and pools


def test_checkpoints_come_every_so_many_windows_and_at_the_end(tmp_path):
    _, heard = ran(tmp_path, "run.windows=5", "run.checkpoint_every=2")
    assert [e.window_id for e in of_kind(heard, events.Committed)] == [1, 3, 4]


def test_past_selves_join_their_pools_every_so_many_windows(tmp_path):
    config, store = (
        compose(
            "tag",
            words=[*TINY, "run.windows=5", "selfplay.add_every_windows=2", "selfplay.latest_fraction=0.5"],
        ),
        Store(tmp_path),
    )
    with begin(store, config) as run:
        loop = Loop(config, run)
        loop.go()
    for pool in loop.trainer.opponents.pools.values():
        names = [opponent.name for opponent in pool.opponents if opponent.state is not None]
        assert names == ["window 0", "window 2", "window 4"]


def test_a_lesson_that_is_learned_is_followed_by_the_next_and_told(tmp_path):
    first = '{name="a", settings={obstacles=0}, metric="env_steps_total", threshold=512}'
    lessons = f'curriculum=[{first}, {{name="b", settings={{obstacles=3}}}}]'
    run, heard = ran(tmp_path, lessons)
    (entered,) = of_kind(heard, events.StageEntered)
    assert (entered.stage, entered.name, entered.settings) == (1, "b", {"obstacles": 3})
    assert [row.metrics["stage"] for row in run.windows()] == [0, 0, 1]


# ---------------------------------------------------------------- failures, and what is left open


def test_a_run_that_fails_is_marked_failed_with_the_reason_and_keeps_its_commits(tmp_path):
    heard = []
    config, store = compose("tag", words=TINY), Store(tmp_path)
    with begin(store, config) as run:
        loop = Loop(config, run, [heard.append])
        broken(loop.trainer, at=1)
        with pytest.raises(RuntimeError, match="on fire"):
            loop.go()
    assert (run.record.status, run.record.error) == ("failed", "the card is on fire")
    assert (heard[-1].status, heard[-1].windows, heard[-1].reason) == ("failed", 1, "the card is on fire")
    again, _ = ran(tmp_path, resume=run.run_id)
    assert again.record.status == "completed" and again.record.error is None
    assert len(again.windows()) == 3


@pytest.mark.parametrize(
    "words", [(), ("ppo.rollouts_per_iteration=2", "run.window_env_steps=512")], ids=["team", "aside"]
)
@pytest.mark.parametrize("fails", [False, True], ids=["ends", "fails"])
def test_a_run_leaves_no_file_no_thread_and_no_world_open(tmp_path, words, fails):
    config, store = compose("tag", words=[*TINY, *words]), Store(tmp_path)
    ran(tmp_path, *words)  # whatever is opened once for the whole process is open now
    threads = set(threading.enumerate())
    with nothing_left_open(), begin(store, config) as run:
        loop = Loop(config, run)
        world = loop.trainer.world
        if fails:
            broken(loop.trainer, at=1)
            with pytest.raises(RuntimeError):
                loop.go()
        else:
            loop.go()
    assert "closed" in repr(world), "the engine's memory is given back by close(), not by chance"
    assert set(threading.enumerate()) <= threads


def test_a_lessons_worlds_are_closed_when_the_next_begins(tmp_path):
    config, store = compose("tag", "curriculum", words=[*TINY[:-2], "run.windows=1"]), Store(tmp_path)
    with begin(store, config) as run:
        trainer = Loop(config, run).trainer
        first = trainer.world
        trainer.next_stage()
        second = trainer.world
        trainer.load(trainer.state(), trainer.windows.to_dict())
        assert "closed" in repr(first) and "closed" in repr(second) and "closed" not in repr(trainer.world)
        trainer.close()


# ---------------------------------------------------------------- words for codes


def test_codes_of_endings_winners_and_opponents_have_words():
    from sandlot.worlds import load_spec

    tag, prospector = codes_of(load_spec("tag")), codes_of(load_spec("prospector"))
    assert tag["winner"] == load_spec("tag").winners
    assert tag["seeker_opponent"] == tag["hider_opponent"] == ("current", "past", "scripted", "")
    assert "winner" not in prospector and "pilot_opponent" not in prospector
    for codes, game in ((tag, "tag"), (prospector, "prospector")):
        labelled = {
            f.name: f.labels for f in load_spec(game).episode if f.name in ("ending", "reason") and f.labels
        }
        assert labelled.items() <= codes.items() and labelled
