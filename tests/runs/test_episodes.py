import numpy as np
import pytest

from sandlot.errors import ArrayError, UnknownName
from sandlot.runs.episodes import (
    EpisodeLog,
    EpisodeSample,
    match_columns,
    read_episodes,
    role_update_columns,
    update_columns,
)

ROLES = ("seeker", "hider")
CODES = {"winner": ("nobody", "seeker", "hider"), "reason": ("none", "tag", "timeout")}
METRICS = (
    "winner",
    "reason",
    "steps",
    "duration_s",
    "tags",
    "seeker_reward",
    "hider_reward",
    "seeker_distance",
)


def match(**more):
    return {
        "winner": np.array([1.0, 2.0], np.float32),
        "reason": np.array([1.0, 2.0], np.float32),
        "steps": np.array([50.0, 200.0], np.float32),
        "duration_s": np.array([2.5, 10.0], np.float32),
        "seeker_reward": np.array([10.5, -6.0], np.float32),
        "hider_reward": np.array([-9.5, 7.0], np.float32),
        "seed": np.array([7, 2**64 - 1], np.uint64),
        "window_id": 3,
    } | more


def test_the_first_columns_are_those_that_charts_expect_in_their_order(tmp_path):
    EpisodeLog(tmp_path / "episodes.csv", METRICS, roles=ROLES)
    header = (tmp_path / "episodes.csv").read_text().splitlines()[0].split(",")
    assert header[:21] == [
        "episode", "episode_id", "reward_mean", "reward_sum", "steps", "updates",
        "advantage_mean", "advantage_std", "policy_loss", "value_loss",
        "seeker_reward_sum", "seeker_reward_mean", "seeker_steps", "seeker_avg_distance",
        "hider_reward_sum", "hider_reward_mean", "hider_steps", "hider_avg_distance",
        "winner", "terminal_reason", "duration_sec",
    ]  # fmt: skip
    assert tuple(header[:21]) == match_columns(ROLES)
    assert len(match_columns(("pilot",))) == 13, "one role alone has no columns of its own"
    assert "tags" in header and "duration_s" not in header


def test_a_match_is_reported_in_words_and_means(tmp_path):
    EpisodeLog(tmp_path / "episodes.csv", METRICS, CODES, ROLES).append(match(), count=2)
    first, second = read_episodes(tmp_path / "episodes.csv")
    assert (first["winner"], first["terminal_reason"], first["duration_sec"]) == ("seeker", "tag", "2.5")
    assert (second["seeker_reward_mean"], second["hider_steps"]) == ("-0.03", "200")
    assert (first["reward_sum"], first["reward_mean"]) == ("10.5", "0.21"), "the seeker's, no sum of both"
    assert (second["seed"], second["window_id"], second["policy_loss"]) == (str(2**64 - 1), "3", "")


FIGURES = {
    "seeker": {"updates": 8, "policy_loss": -0.5, "value_loss": 1.0, "entropy": 2.0},
    "hider": {"updates": 4, "policy_loss": 0.25, "value_loss": 3.0, "entropy": 1.0},
}


def test_each_role_has_its_losses_and_the_plain_columns_are_of_both(tmp_path):
    log = EpisodeLog(tmp_path / "episodes.csv", (*METRICS, *role_update_columns(ROLES)), CODES, ROLES)
    log.append(match() | update_columns(ROLES, FIGURES), count=2)
    for row in read_episodes(tmp_path / "episodes.csv"):
        assert (row["seeker_policy_loss"], row["hider_policy_loss"]) == ("-0.5", "0.25")
        assert (row["policy_loss"], row["value_loss"], row["updates"]) == ("-0.125", "2", "12")
        assert (row["seeker_updates"], row["hider_updates"]) == ("8", "4")
        assert row["advantage_mean"] == row["hider_advantage_mean"] == "", "nobody told it"


def test_a_role_that_does_not_learn_has_empty_columns_and_no_say_in_the_plain_ones(tmp_path):
    log = EpisodeLog(tmp_path / "episodes.csv", (*METRICS, *role_update_columns(ROLES)), CODES, ROLES)
    log.append(match() | update_columns(ROLES, {"hider": FIGURES["hider"]}), count=2)
    row = read_episodes(tmp_path / "episodes.csv")[0]
    assert (row["policy_loss"], row["hider_policy_loss"], row["seeker_policy_loss"]) == ("0.25", "0.25", "")


def test_one_role_alone_needs_no_columns_of_its_own():
    assert role_update_columns(("pilot",)) == () == role_update_columns(("pilot", "pilot"))
    assert update_columns(("pilot",), {"pilot": FIGURES["hider"]}) == {
        "updates": 4,
        "policy_loss": 0.25,
        "value_loss": 3.0,
    }
    assert update_columns(ROLES, {}) == {}


def test_a_log_goes_on_where_it_stopped(tmp_path):
    for _ in range(2):
        log = EpisodeLog(tmp_path / "episodes.csv", METRICS, CODES, ROLES)
        log.append(match(), count=2)
        log.lines.close()
    assert len(read_episodes(tmp_path / "episodes.csv")) == 4


def test_a_file_with_other_columns_is_moved_aside(tmp_path):
    path = tmp_path / "episodes.csv"
    for number, old in enumerate(("a,b\n1,2\n", "c,d\n3,4\n")):
        path.write_text(old)
        EpisodeLog(path, METRICS, roles=ROLES).lines.close()
        assert read_episodes(path) == []
        name = "episodes.csv.legacy" + ("" if number == 0 else "2")
        assert (tmp_path / name).read_text() == old


def test_a_header_cut_off_by_a_kill_is_written_again(tmp_path):
    path = tmp_path / "episodes.csv"
    path.write_text("episode,episode_id,rew")
    EpisodeLog(path, METRICS, CODES, ROLES).append(match(), count=2)
    assert len(read_episodes(path)) == 2 and not list(tmp_path.glob("*.legacy"))


def test_columns_that_do_not_fit_are_refused(tmp_path):
    log = EpisodeLog(tmp_path / "episodes.csv", METRICS, CODES, ROLES)
    with pytest.raises(UnknownName, match="Did you mean 'winner'"):
        log.append({"winer": 1}, count=1)
    with pytest.raises(ArrayError, match="tags has shape"):
        log.append({"tags": [1, 2, 3]}, count=2)
    assert read_episodes(tmp_path / "episodes.csv") == []


# ---------------------------------------------------------------- an even sample


def stream(count, window=0):
    """Episodes whose outcome drifts: the first are all won, the last all lost."""
    number = np.arange(count)
    return np.full(count, window), {"episode": number, "won": (number < count // 2).astype(float)}


def test_a_sample_is_even_over_a_window_whose_outcome_drifts():
    sample = EpisodeSample(2000, seed=1)
    sample.add(*stream(20_000))
    won = sample.windows[0]["won"]
    assert len(won) == 2000 and abs(won.mean() - 0.5) < 0.03, "four standard errors are 0.042"


def test_a_sample_is_the_same_however_episodes_are_handed_over_and_in_their_order():
    windows, columns = stream(900)
    whole, parts = EpisodeSample(100, seed=3), EpisodeSample(100, seed=3)
    whole.add(windows, columns)
    for low in range(0, 900, 7):
        part = slice(low, low + 7)
        parts.add(windows[part], {name: column[part] for name, column in columns.items()})
    for name in columns:
        assert np.array_equal(whole.windows[0][name], parts.windows[0][name])
    assert (np.diff(whole.windows[0]["episode"]) > 0).all()


def test_every_window_has_a_sample_of_its_own_and_small_ones_are_whole():
    sample = EpisodeSample(100, seed=3)
    sample.add(np.repeat([4, 5], [50, 300]), {"episode": np.arange(350)})
    assert sample.windows[4]["episode"].tolist() == list(range(50))
    assert len(sample.windows[5]["episode"]) == 100 and sample.windows[5]["episode"].min() >= 50


def test_a_metric_that_came_with_some_updates_only_is_empty_elsewhere(tmp_path):
    sample = EpisodeSample(10, seed=1)
    sample.add(np.zeros(2, int), {"episode": np.arange(2), "steps": np.full(2, 5)})
    sample.add(
        np.zeros(1, int), {"episode": np.array([2]), "steps": np.full(1, 5), "policy_loss": np.array([0.5])}
    )
    log = EpisodeLog(tmp_path / "episodes.csv", ["steps", "policy_loss"], {})
    log.append(sample.windows[0], 3)
    assert [row["policy_loss"] for row in read_episodes(tmp_path / "episodes.csv")] == ["", "", "0.5"]
    log.lines.close()


def test_whole_numbers_are_written_whole_up_to_a_thousand_millions_of_millions(tmp_path):
    log = EpisodeLog(tmp_path / "episodes.csv", ["net_profit"])
    log.append({"net_profit": np.array([2.0, 0.1234567891, 999_999_999_999_999.0, 1e15, np.nan])}, 5)
    found = [row["net_profit"] for row in read_episodes(tmp_path / "episodes.csv")]
    assert found == ["2", "0.1234568", "999999999999999", "1e+15", ""]
