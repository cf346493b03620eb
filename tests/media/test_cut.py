"""What goes into a film of learning, and how long each part is."""

from types import SimpleNamespace

import pytest

from sandlot.errors import ConfigError
from sandlot.media import cut
from sandlot.media.clips import HOLD_S, MIN_PLAY_S, match_seconds
from sandlot.media.cut import plan, share_time

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
            opponents = [
                r for r in others if r.end.episode["winner"] == role and not _shown(r, shown, heading)
            ]
            assert all(best.end.returns[agent] >= r.end.returns[agent] for r in opponents)


def _read(run, entry):
    from sandlot.runs import Replay

    return Replay.read(run.replay_path(entry))


def _shown(replay, shown, heading):
    ids = {r.header.replay_id for name, r in shown.items() if name != heading}
    return replay.header.replay_id in ids


def test_the_same_run_and_length_give_the_same_film(run):
    one, two = plan(run, 33), plan(run, 33)
    result = [[(c.heading, c.replay.header.replay_id, c.shown_s) for c in p.chapters] for p in (one, two)]
    assert result[0] == result[1]


def _length(made):
    cards = made.title_s + made.card_s * len(made.chapters) + made.curve_s + made.end_s
    return cards + sum(chapter.shown_s for chapter in made.chapters)


@pytest.mark.parametrize("seconds", [10, 15, 20, 30])
def test_a_film_is_as_long_as_asked_unless_its_matches_are_too_short(run, seconds):
    made = plan(run, seconds)
    is_all = all(c.shown_s >= match_seconds(c.replay) + HOLD_S - 1e-9 for c in made.chapters)
    assert _length(made) == pytest.approx(seconds, abs=0.01) or (is_all and _length(made) < seconds)


def test_matches_are_never_shown_longer_than_they_are(run):
    made = plan(run, 300)
    assert _length(made) < 100
    assert all(c.shown_s <= match_seconds(c.replay) + HOLD_S + 1e-9 for c in made.chapters)


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
    assert share_time(12.0, [2.0, 20.0, 20.0]) == [2.0, 5.0, 5.0]
    assert share_time(12.0, [1.0, 1.0]) == [1.0, 1.0]
    assert share_time(12.0, []) == []


def test_a_chapter_tells_how_it_went(run):
    output = {chapter.replay.end.episode["winner"]: chapter.outcome for chapter in plan(run, 40).chapters}
    for winner, words in output.items():
        assert words.startswith({"seeker": "tagged after", "hider": "escaped for"}[winner])


# ---------------------------------------------------------------- numbers


def test_cards_of_a_usual_film_have_their_usual_length_and_shorter_films_shorter_ones(run):
    usual = plan(run, 40)
    assert (usual.title_s, usual.card_s, usual.curve_s, usual.end_s) == (2.4, 1.8, 4.5, 2.4)
    assert plan(run, 400).title_s == 2.4
    half, least = plan(run, 20), plan(run, 4)
    assert (half.title_s, half.card_s, half.curve_s, half.end_s) == pytest.approx((1.2, 0.9, 2.25, 1.2))
    assert (least.title_s, least.end_s) == pytest.approx((0.96, 0.96))


def test_a_film_without_a_curve_gives_its_time_to_the_matches(run):
    plain, curved = plan(run, 12, with_curve=False), plan(run, 12)
    assert plain.curve_s == 0 and _length(plain) == pytest.approx(12, abs=0.01)
    shown = [sum(chapter.shown_s for chapter in each.chapters) for each in (plain, curved)]
    assert shown[0] - shown[1] == pytest.approx(curved.curve_s)


@pytest.mark.parametrize(("seconds", "count"), [(1, 2), (17.9, 2), (18, 3), (24, 4), (30, 5), (300, 5)])
def test_a_film_has_a_match_for_every_six_seconds_from_two_to_five(run, seconds, count):
    assert len(plan(run, seconds).chapters) == count


def test_every_match_is_shown_for_a_moment_however_short_the_film(run):
    made = plan(run, 1)
    assert all(chapter.shown_s == pytest.approx(HOLD_S + MIN_PLAY_S) for chapter in made.chapters)


def test_two_windows_have_no_middle_and_one_no_last(tmp_path):
    run = make_filmed_run(tmp_path, windows=2, each=1)
    assert [c.heading for c in plan(run, 40).chapters] == ["First window", "Last window"]


def fake(window, winner, returns, name):
    """A replay of which only the header and the end matter."""
    header = SimpleNamespace(window_id=window, agents=["seeker", "hider"], replay_id=name)
    return SimpleNamespace(header=header, end=SimpleNamespace(episode={"winner": winner}, returns=returns))


def test_the_best_are_of_the_second_half_then_by_what_they_earned_then_by_name():
    ordered = [
        fake(2, "seeker", [99.0, 0.0], "z"),
        fake(3, "seeker", [1.0, 50.0], "a"),
        fake(4, "seeker", [2.0, 0.0], "a"),
        fake(3, "seeker", [2.0, 9.0], "b"),
    ]
    keys = [cut._merit(replay, "seeker", 2.0) for replay in ordered]
    assert keys == sorted(keys) and len(set(keys)) == 4
    assert cut._merit(fake(None, "hider", [1.0, 5.0], "x"), "hider", 0.0) == (False, 5.0, "x")


def test_the_best_are_looked_for_among_the_newest_matches(run, monkeypatch):
    monkeypatch.setattr(cut, "SEARCHED", 2)
    read = []
    real = cut.read
    monkeypatch.setattr(cut, "read", lambda run, name: read.append(name) or real(run, name))
    entries = sorted(run.index.find(limit=100), key=lambda e: (e.window_id, e.created_at))
    cut._best(run, entries, [], 2)
    assert read == [entry.replay_id for entry in entries[-2:]]
    read.clear()
    shown = [cut.Chapter("Last window", real(run, entries[-1].replay_id))]
    assert cut._best(run, entries, shown, 0) == [] and read == [entries[-2].replay_id]
    assert cut._best(run, entries, shown, -1) == []


def test_an_outcome_says_who_won_and_after_how_long():
    def chapter(winner):
        end = SimpleNamespace(episode={"winner": winner}, ticks=150)
        header = SimpleNamespace(config={"tick_rate": 60}, window_id=None, game="tag", agents=[], spec=None)
        return cut.Chapter("", SimpleNamespace(header=header, end=end))

    outcomes = [chapter(winner).outcome for winner in ("seeker", "hider", "nobody", None)]
    assert outcomes == ["tagged after 2.5 s", "escaped for 2.5 s", "nobody won", "nobody won"]
    assert chapter("seeker").window == 0
