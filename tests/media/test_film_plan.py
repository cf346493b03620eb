"""The plan of a film is data: its words, lengths and numbers follow from what a run's matches were."""

from dataclasses import replace

import pytest

from sandlot.media.film_plan import (
    FORBIDDEN,
    LETTERS,
    Caption,
    FilmFacts,
    Plan,
    Shot,
    StageFacts,
    paced,
    pattern_words,
    problems,
    solo,
    trained,
    versus,
    words_of,
)
from sandlot.rating import Estimate


def shares(chaser: float, width: float = 0.05) -> dict[str, Estimate]:
    return {
        "seeker": Estimate(chaser, chaser - width, chaser + width),
        "hider": Estimate(1 - chaser, 1 - chaser - width, 1 - chaser + width),
    }


FACTS = FilmFacts(
    title="Tag",
    question="Can two cubes learn tag?",
    stages=(
        StageFacts(0.0, 10.0, "hider", shares(0.06)),
        StageFacts(130.0, 3.5, "seeker", shares(0.93)),
        StageFacts(350.0, 10.0, "hider", shares(0.54), nearest_m=1.26),
    ),
    tried=100,
    fits=35,
    pattern="a turn",
    chaser="seeker",
    runner="hider",
    limit_s=10.0,
    colours={"seeker": "red", "hider": "blue"},
    won={"seeker": "tagged after", "hider": "escaped for"},
)
ALONE = FilmFacts(
    title="Landing",
    question="Can a computer learn Landing?",
    stages=(
        StageFacts(0.0, 12.0, score=Estimate(0.01, 0.0, 0.05)),
        StageFacts(90.0, 30.0, score=Estimate(0.8, 0.7, 0.87)),
    ),
    tried=100,
    fits=79,
    pattern="better",
)


def spoken(plan: Plan) -> list[str]:
    return [text for shot in plan.shots for text in words_of(shot)]


def with_stage(number: int, **changes) -> FilmFacts:
    stages = list(FACTS.stages)
    stages[number] = replace(stages[number], **changes)
    return replace(FACTS, stages=stages)


def test_a_film_is_as_long_as_one_wants_to_watch_and_breaks_no_rule():
    plan = versus(FACTS)
    assert problems(plan) == [] and 30 <= plan.seconds <= 60
    assert problems(solo(ALONE)) == []


@pytest.mark.parametrize("winners", ["sss", "hhh", "ssh", "hss", "shs"])
@pytest.mark.parametrize("seconds", [0.3, 2.0, 6.9, 9.99])
def test_whatever_happened_the_plan_breaks_no_rule(winners, seconds):
    roles = {"s": "seeker", "h": "hider"}
    stages = [
        replace(stage, winner=roles[one], seconds=seconds if one == "s" else 10.0)
        for stage, one in zip(FACTS.stages, winners, strict=True)
    ]
    assert problems(versus(replace(FACTS, stages=stages))) == []


def test_the_words_hold_the_numbers_of_the_run():
    words = spoken(versus(FACTS))
    assert (
        "Before training" in words and "2 minutes of training" in words and "6 minutes of training" in words
    )
    assert {"Red wins 6 of 100 (1 to 11)", "Red wins 93 of 100 (88 to 98)"} <= set(words)
    assert "Tagged after 3.5 seconds" in words and "Escaped for 10 seconds" in words
    assert "Red chases. Blue must last 10 seconds." in words and "Closest they come: 1.3 metres" in words
    assert pattern_words(FACTS) == "35 of 100 starts went like the one shown."


def test_a_line_whose_number_is_missing_is_left_out():
    words = spoken(versus(with_stage(2, trained_s=None, nearest_m=None, wins={})))
    assert not any("Closest" in text or "6 minutes" in text or "wins 54" in text for text in words)
    assert trained(None) == ""


def test_weights_that_were_trained_are_not_called_untrained():
    words = spoken(versus(with_stage(0, trained_s=9.0)))
    assert "9 seconds of training" in words
    assert not any("Nobody has learned" in text or text == "Before training" for text in words)


def test_that_the_hider_learned_is_said_only_where_it_wins_more_than_chance_explains():
    claim = "Now the hider has learned too"
    assert claim in spoken(versus(FACTS))
    assert claim not in spoken(versus(with_stage(2, wins=shares(0.90))))
    assert claim not in spoken(versus(with_stage(2, winner="seeker", seconds=9.0)))


def test_the_two_halves_show_the_same_seconds_of_the_match():
    split = next(shot for shot in versus(FACTS).shots if len(shot.panels) == 2)
    first, second = split.panels
    assert (first.begin_s, first.end_s) == (second.begin_s, second.end_s) == (0.0, pytest.approx(2.8))
    assert [panel.stage for panel in split.panels] == [0, 1]


def test_the_touch_is_in_slow_motion_and_its_word_comes_with_it():
    touch = next(shot for shot in versus(FACTS).shots if shot.name == "touch")
    assert touch.speed == 0.25 and touch.banner == "TAG!"
    assert touch.match_s(touch.banner_s) == pytest.approx(3.5)
    assert touch.match_s(touch.banner_s - 0.4) == pytest.approx(3.4)


def test_the_last_second_is_seen_from_the_same_side_as_the_match_before_it():
    shots = versus(FACTS).shots
    assert next(shot for shot in shots if shot.name == "finish").same_side


@pytest.mark.parametrize("word", FORBIDDEN)
def test_words_of_the_trade_are_found(word):
    plan = Plan(FACTS, (Shot("one", 3.0, "follow", captions=(Caption(f"Two {word}s", 0.0, 2.0),)),))
    assert any(word in text for text in problems(plan))


@pytest.mark.parametrize(
    ("shot", "problem"),
    [
        (Shot("one", 1.0, "follow"), "only 1.0 s long"),
        (Shot("one", 3.0, "follow", captions=(Caption("x" * (LETTERS + 1), 0, 3),)), "longer than"),
        (Shot("one", 3.0, "follow", captions=(Caption("x", 0, 1),)), "cannot be read"),
        (Shot("one", 6.0, "follow", captions=(Caption("x", 0, 3), Caption("y", 2, 5))), "two captions"),
    ],
)
def test_a_plan_that_nobody_can_read_is_found(shot, problem):
    assert any(problem in text for text in problems(Plan(FACTS, (shot,))))


def test_a_shorter_film_shows_the_last_part_of_each_shot():
    whole = versus(FACTS)
    short = paced(whole, 25.0)
    assert problems(short) == [] and 20 <= short.seconds <= 30
    assert paced(whole, 60.0) == whole
    for before, after in zip(whole.shots, short.shots, strict=True):
        for one, other in zip(before.panels, after.panels, strict=True):
            assert one.end_s == other.end_s and other.begin_s >= one.begin_s


def test_a_game_that_one_plays_alone_is_shown_before_and_after():
    plan = solo(ALONE)
    assert "1 of 100 (0 to 5)" in spoken(plan) and "80 of 100 (70 to 87)" in spoken(plan)
    named = spoken(solo(replace(ALONE, success="success")))
    assert "Success: 80 of 100 (70 to 87)" in named
    money = replace(ALONE, measure="credits")
    assert "0.8 credits (0.7 to 0.87)" in spoken(solo(money))
    assert 15 <= plan.seconds <= 60
