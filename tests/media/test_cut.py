"""What goes into a film of learning, and how long each part is."""

import pytest

from sandlot.errors import ConfigError
from sandlot.media.clips import HOLD_S, seconds_of
from sandlot.media.cut import plan, shared_out

from .filming import make_filmed_run
from .making import make_tag_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Matches of at most four seconds, six windows: some end in a tag, some in time."""
    return make_filmed_run(tmp_path_factory.mktemp("runs"), windows=6, each=3, seconds=4, hider="wander")


def test_learning_is_shown_in_its_order_and_the_best_after_it(run):
    made = plan(run, 40)
    headings = [chapter.heading for chapter in made.chapters]
    assert headings[:3] == ["First window", "Half way", "Last window"]
    assert [chapter.window for chapter in made.chapters[:3]] == [0, 3, 5]
    assert set(headings[3:]) <= {"Best chase", "Best escape"} and len(headings) > 3


def test_no_match_is_shown_twice(run):
    names = [chapter.replay.header.replay_id for chapter in plan(run, 40).chapters]
    assert len(set(names)) == len(names)


def test_the_best_were_won_and_nobody_earned_more_in_the_second_half(run):
    shown = {chapter.heading: chapter.replay for chapter in plan(run, 40).chapters}
    for heading, role, agent in (("Best chase", "seeker", 0), ("Best escape", "hider", 1)):
        if heading in shown:
            best = shown[heading]
            assert best.end.episode["winner"] == role
            others = [_read(run, e) for e in run.index.find(limit=100) if e.window_id > 2]
            rivals = [r for r in others if r.end.episode["winner"] == role and not _shown(r, shown, heading)]
            assert all(best.end.returns[agent] >= r.end.returns[agent] for r in rivals)


def _read(run, entry):
    from sandlot.runs import Replay

    return Replay.read(run.replay_path(entry))


def _shown(replay, shown, heading):
    ids = {r.header.replay_id for name, r in shown.items() if name != heading}
    return replay.header.replay_id in ids


def test_the_same_run_and_length_give_the_same_film(run):
    one, two = plan(run, 33), plan(run, 33)
    told = [[(c.heading, c.replay.header.replay_id, c.shown_s) for c in p.chapters] for p in (one, two)]
    assert told[0] == told[1]


def _length(made):
    cards = made.title_s + made.card_s * len(made.chapters) + made.curve_s + made.end_s
    return cards + sum(chapter.shown_s for chapter in made.chapters)


@pytest.mark.parametrize("seconds", [10, 15, 20, 30])
def test_a_film_is_as_long_as_asked_unless_its_matches_are_too_short(run, seconds):
    made = plan(run, seconds)
    is_all = all(c.shown_s >= seconds_of(c.replay) + HOLD_S - 1e-9 for c in made.chapters)
    assert _length(made) == pytest.approx(seconds, abs=0.01) or (is_all and _length(made) < seconds)


def test_matches_are_never_shown_longer_than_they_are(run):
    made = plan(run, 300)
    assert _length(made) < 100
    assert all(c.shown_s <= seconds_of(c.replay) + HOLD_S + 1e-9 for c in made.chapters)


def test_a_short_film_shows_the_first_and_the_last_window_at_least(run):
    assert [chapter.heading for chapter in plan(run, 5).chapters] == ["First window", "Last window"]


def test_one_window_alone_makes_a_film_too(tmp_path):
    made = plan(make_filmed_run(tmp_path, windows=1, each=1), 20)
    assert [chapter.heading for chapter in made.chapters] == ["First window"]


def test_a_damaged_match_is_not_the_best(tmp_path):
    run = make_filmed_run(tmp_path, windows=3, each=2)
    for entry in run.index.find(limit=100):
        if entry.replay_id not in {c.replay.header.replay_id for c in plan(run, 18).chapters}:
            run.replay_path(entry).write_bytes(b"no replay")
    assert len(plan(run, 40).chapters) == 3


def test_without_matches_there_is_no_film(tmp_path):
    with pytest.raises(ConfigError, match="no recorded matches"):
        plan(make_tag_run(tmp_path), 40)


def test_time_that_one_cannot_use_goes_to_the_others():
    assert shared_out(12.0, [2.0, 20.0, 20.0]) == [2.0, 5.0, 5.0]
    assert shared_out(12.0, [1.0, 1.0]) == [1.0, 1.0]
    assert shared_out(12.0, []) == []


def test_a_chapter_tells_how_it_went(run):
    said = {chapter.replay.end.episode["winner"]: chapter.outcome for chapter in plan(run, 40).chapters}
    for winner, words in said.items():
        assert words.startswith({"seeker": "tagged after", "hider": "escaped for"}[winner])
