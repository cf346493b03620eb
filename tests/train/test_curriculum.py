"""Lessons move on when they are learned, and not before."""

from types import SimpleNamespace

import pytest

from sandlot.errors import UnknownName
from sandlot.train.config import Stage
from sandlot.train.curriculum import Teacher
from sandlot.train.recipes import compose
from sandlot.train.trainer import Trainer

STAGES = (
    Stage("first", {"obstacles": 0}, "seeker_win_rate", at_least=0.6, windows=2),
    Stage("second", {"obstacles": 4}, "return_mean", at_least=1.0),
    Stage("last"),
)


def row(**columns):
    return SimpleNamespace(to_json=lambda: {"seeker_win_rate": None, "return_mean": 0.0, **columns})


def test_a_lesson_is_learned_after_enough_good_windows_in_a_row():
    teacher = Teacher(STAGES)
    wins = [0.7, 0.5, 0.6, 0.59, 0.61, 0.9]
    assert [teacher.moves_on([row(seeker_win_rate=w)]) for w in wins] == [False] * 5 + [True]
    assert teacher.stage == 1


def test_a_window_without_the_measure_breaks_the_row():
    teacher = Teacher(STAGES)
    told = [teacher.moves_on([row(seeker_win_rate=w)]) for w in (0.9, None, 0.9, 0.9)]
    assert told == [False, False, False, True]


def test_the_last_lesson_lasts():
    teacher = Teacher(STAGES)
    teacher.load({"stage": 2, "good": 0})
    assert not teacher.moves_on([row(return_mean=1e9)])


def test_no_lessons_is_one_that_lasts():
    assert not Teacher(()).moves_on([row(return_mean=1e9)])


def test_a_measure_that_is_no_column_is_refused_by_name():
    teacher = Teacher((Stage("odd", {}, "seeker_win_rat"), Stage("last")))
    with pytest.raises(UnknownName, match="Did you mean 'seeker_win_rate'"):
        teacher.moves_on([row()])


def test_a_teacher_remembers_where_it_was():
    teacher, other = Teacher(STAGES), Teacher(STAGES)
    teacher.moves_on([row(seeker_win_rate=0.9)])
    other.load(teacher.state())
    assert other.moves_on([row(seeker_win_rate=0.9)])


def test_a_trainer_enters_the_next_lesson_with_the_same_learners():
    words = ("ppo.worlds=8", "ppo.horizon=8", "run.threads=1", "network.hidden=[8]")
    trainer = Trainer(compose("tag", "curriculum", words=words))
    trainer.iterate(0.0)
    before = {role: policy.network.last.weight.clone() for role, policy in trainer.policies.items()}
    steps = trainer.learners["seeker"].optimiser.state_dict()["state"][0]["step"]
    trainer.next_stage()
    assert trainer.world.spec.config["obstacles"] == trainer.config.curriculum[1].game["obstacles"]
    assert all(
        (before[role] == policy.network.last.weight).all() for role, policy in trainer.policies.items()
    )
    assert trainer.learners["seeker"].optimiser.state_dict()["state"][0]["step"] == steps
    trainer.iterate(0.1)


def test_scripted_rivals_play_by_the_rules_of_the_lesson():
    words = ("ppo.worlds=8", "ppo.horizon=8", "run.threads=1", "network.hidden=[8]")
    trainer = Trainer(compose("tag", "curriculum", words=words))
    for half in (6.0, 8.0):
        rivals = [rival.player for pool in trainer.opponents.pools.values() for rival in pool.rivals]
        assert rivals and all(bot.spec.config["arena_half"] == half for bot in rivals)
        trainer.next_stage()
