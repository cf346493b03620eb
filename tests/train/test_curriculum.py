"""Lessons move on when they are learned, and not before."""

from types import SimpleNamespace

import pytest

from sandlot.errors import UnknownName
from sandlot.train.compose import compose
from sandlot.train.config import Stage
from sandlot.train.curriculum import CurriculumScheduler
from sandlot.train.trainer import Trainer

STAGES = (
    Stage(
        name="first",
        settings={"obstacles": 0},
        metric="seeker_win_rate",
        threshold=0.6,
        consecutive_windows=2,
    ),
    Stage(name="second", settings={"obstacles": 4}, metric="return_mean", threshold=1.0),
    Stage(name="last"),
)


def row(**columns):
    return SimpleNamespace(to_json=lambda: {"seeker_win_rate": None, "return_mean": 0.0, **columns})


def test_a_lesson_is_learned_after_enough_good_windows_in_a_row():
    scheduler = CurriculumScheduler(STAGES)
    wins = [0.7, 0.5, 0.6, 0.59, 0.61, 0.9]
    assert [scheduler.advance([row(seeker_win_rate=w)]) for w in wins] == [False] * 5 + [True]
    assert scheduler.stage == 1


def test_a_window_without_the_measure_breaks_the_row():
    scheduler = CurriculumScheduler(STAGES)
    result = [scheduler.advance([row(seeker_win_rate=w)]) for w in (0.9, None, 0.9, 0.9)]
    assert result == [False, False, False, True]


def test_the_last_lesson_lasts():
    scheduler = CurriculumScheduler(STAGES)
    scheduler.load({"stage": 2, "good_windows": 0})
    assert not scheduler.advance([row(return_mean=1e9)])


def test_no_lessons_is_one_that_lasts():
    assert not CurriculumScheduler(()).advance([row(return_mean=1e9)])


def test_a_measure_that_is_no_column_is_refused_by_name():
    scheduler = CurriculumScheduler((Stage(name="odd", metric="seeker_win_rat"), Stage(name="last")))
    with pytest.raises(UnknownName, match="Did you mean 'seeker_win_rate'"):
        scheduler.advance([row()])


def test_a_teacher_remembers_where_it_was():
    scheduler, other = CurriculumScheduler(STAGES), CurriculumScheduler(STAGES)
    scheduler.advance([row(seeker_win_rate=0.9)])
    other.load(scheduler.state())
    assert other.advance([row(seeker_win_rate=0.9)])


def test_a_trainer_enters_the_next_lesson_with_the_same_learners():
    words = ("ppo.num_envs=8", "ppo.num_steps=8", "run.threads=1", "network.hidden_sizes=[8]")
    trainer = Trainer(compose("tag", "curriculum", words=words))
    trainer.iterate(0.0)
    before = {role: policy.network.last.weight.clone() for role, policy in trainer.policies.items()}
    steps = trainer.learners["seeker"].optimizer.state_dict()["state"][0]["step"]
    trainer.next_stage()
    assert trainer.world.spec.config["obstacles"] == trainer.config.curriculum[1].settings["obstacles"]
    assert all(
        (before[role] == policy.network.last.weight).all() for role, policy in trainer.policies.items()
    )
    assert trainer.learners["seeker"].optimizer.state_dict()["state"][0]["step"] == steps
    trainer.iterate(0.1)


def test_scripted_opponents_play_by_the_rules_of_the_lesson():
    words = ("ppo.num_envs=8", "ppo.num_steps=8", "run.threads=1", "network.hidden_sizes=[8]")
    trainer = Trainer(compose("tag", "curriculum", words=words))
    for half in (6.0, 8.0):
        opponents = [
            opponent.player for pool in trainer.opponents.pools.values() for opponent in pool.opponents
        ]
        assert opponents and all(bot.spec.config["arena_half"] == half for bot in opponents)
        trainer.next_stage()


def test_the_first_of_several_windows_that_moves_on_leaves_the_others_to_the_next_lesson():
    scheduler = CurriculumScheduler(STAGES)
    assert scheduler.advance([row(seeker_win_rate=0.6), row(seeker_win_rate=0.6), row(return_mean=9.0)])
    assert scheduler.state() == {"stage": 1, "good_windows": 0}
    assert scheduler.advance([row(return_mean=1.0)]) and scheduler.stage == 2, "at the threshold"
    assert not scheduler.advance([row(return_mean=1.0)]) and scheduler.stage == 2


def test_a_teacher_begins_with_the_first_lesson_and_nothing_reached():
    assert CurriculumScheduler(STAGES).state() == {"stage": 0, "good_windows": 0}
