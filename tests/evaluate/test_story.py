"""What a run learned, told by matches on the same seeds: counting, choosing, replays of what was counted."""

import numpy as np
import pytest
import torch
from trained import train

from sandlot.errors import ConfigError
from sandlot.evaluate import story
from sandlot.evaluate.replay_recorder import verify
from sandlot.evaluate.statistics import proportion
from sandlot.evaluate.story import Matches
from sandlot.runs.store import Store

SEEDS = list(range(1, 9))


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    root = tmp_path_factory.mktemp("story")
    return Store(root).open(train(root, "tag", 3, "settings.time_limit=2"))


@pytest.fixture(scope="module")
def told(run):
    return story.tell(story.stages_of(run), SEEDS)


def test_before_is_step_0_and_after_the_newest_until_one_is_the_best(run):
    before, middle, after = story.stages_of(run)
    assert (before.path, before.window_id, before.trained_s) == (run.paths.initial, None, 0.0)
    assert (middle.window_id, after.window_id) == (1, 2)
    assert 0 < middle.trained_s < after.trained_s


def test_without_the_weights_of_step_0_the_oldest_checkpoint_comes_first(run, monkeypatch):
    monkeypatch.setattr(run.paths, "initial", run.paths.folder / "none.pt")
    assert [stage.window_id for stage in story.stages_of(run)] == [0, 1, 2]


def test_the_replays_are_the_counted_matches_to_the_step(told, run):
    names = [stage.name for stage in told.stages]
    made = story.replays(told, run.run_id, names)
    for replay, played, name in zip(made, told.matches, names, strict=True):
        assert verify(replay).agrees
        assert replay.header.seed == told.seeds[told.chosen] and set(replay.header.policies.values()) == {
            name
        }
        winner = replay.end.episode["winner"]
        assert ("" if winner == "nobody" else winner) == played.winners[told.chosen]
        assert replay.end.episode["duration_s"] == pytest.approx(played.seconds[told.chosen])


def test_wins_have_exact_intervals_and_the_pattern_its_count(told):
    report = told.to_json()
    assert (report["seeds_tried"], len(report["stages"])) == (len(SEEDS), 3)
    assert 1 <= report["seeds_with_pattern"] <= len(SEEDS)
    for row, played in zip(report["stages"], told.matches, strict=True):
        for role, wins in row["wins"].items():
            exact = proportion(played.winners.count(role), len(SEEDS))
            assert (wins["share"], wins["interval"]) == (exact.value, list(exact.interval))


def test_matches_of_a_stage_are_the_same_when_played_again(told, run):
    again = story.tell(story.stages_of(run), SEEDS)
    assert again.to_json() == told.to_json()
    assert all((a.nearest == b.nearest).all() for a, b in zip(again.matches, told.matches, strict=True))


def test_one_checkpoint_and_a_game_without_opponents_have_no_story(run, tmp_path):
    with pytest.raises(ConfigError, match="only one checkpoint"):
        story.tell(story.stages_of(run)[:1], SEEDS)
    other = Store(tmp_path).open(train(tmp_path, "prospector", 1))
    with pytest.raises(ConfigError, match="no two roles"):
        story.tell(story.stages_of(other), SEEDS)


# ---------------------------------------------------------------- choosing


def played(*matches):
    """Matches by winner, seconds and mean closeness."""
    winners, seconds, closeness = zip(*matches, strict=True)
    places = np.array(closeness, float)
    return Matches(winners, np.array(seconds, float), 1 / places, places, ())


def test_of_the_seeds_that_show_the_pattern_the_closest_last_match_is_shown():
    before = played(("runner", 10, 0.1), ("runner", 10, 0.1), ("runner", 10, 0.1), ("chaser", 2, 0.5))
    middle = played(("chaser", 4, 0.3), ("chaser", 5, 0.3), ("chaser", 9, 0.3), ("chaser", 4, 0.3))
    after = played(("runner", 10, 0.2), ("runner", 10, 0.4), ("runner", 10, 0.9), ("runner", 10, 0.9))
    chosen, pattern, fits = story._choose([before, middle, after], "chaser", "runner")
    assert (chosen, fits) == (1, 2) and pattern.endswith("then the runner lasts or nearly")


def test_where_no_pattern_fits_the_usual_outcome_is_shown_in_its_own_words():
    stages = [played(("runner", 10, 0.1), ("runner", 10, 0.3), ("chaser", 3, 0.9)) for _ in range(3)]
    chosen, pattern, fits = story._choose(stages, "chaser", "runner")
    assert (chosen, fits, pattern) == (1, 2, "won by runner, runner, runner")


def test_the_role_whose_wins_are_shorter_chases():
    class Roles:
        role_names = ("first", "second")

    assert story._parts(Roles, [played(("first", 10, 1), ("second", 3, 1))]) == ("second", "first")
    assert story._parts(Roles, [played(("first", 3, 1), ("second", 10, 1))]) == ("first", "second")
    assert story._parts(Roles, [played(("", 3, 1))]) == ("first", "second")


def test_a_stage_that_was_never_won_has_no_median():
    matches = played(("runner", 10, 1))
    assert matches.median_s("chaser") is None and matches.median_s("runner") == 10
