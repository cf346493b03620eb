"""What the live server leaves behind: matches that were reported, in rows and windows that add up."""

import csv
import json

import pytest

from sandlot.bridge.matches import MatchResult
from sandlot.cli import live_run
from sandlot.cli.live_run import LiveRun
from sandlot.worlds import load_spec


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setattr(live_run, "WINDOW_ENV_STEPS", 10)
    made = LiveRun(tmp_path, load_spec("tag"), {"a": 1}, 5)
    yield made
    made.run.close()


def match(steps=4, seconds=0.0, winner="seeker", reason="tag", truncated=False):
    return MatchResult(
        steps, seconds, winner, reason, truncated, {"seeker": 3.0, "hider": -1.0}, {"seeker": 2.5}
    )


def rows(run):
    with run.run.paths.episodes.open() as file:
        return list(csv.DictReader(file))


def test_a_match_is_a_row_with_its_numbers_and_words(run):
    run.keep([match(), match(steps=6, seconds=7.5, winner="nobody", reason="?", truncated=True)], {})
    first, second = rows(run)
    assert (first["winner"], first["terminal_reason"], first["steps"]) == ("seeker", "tag", "4")
    config = load_spec("tag").config
    lasted = 4 * config["ticks_per_step"] / config["tick_rate"]
    assert float(first["duration_sec"]) == pytest.approx(lasted, rel=1e-3), "computed where it is missing"
    assert float(second["duration_sec"]) == 7.5 and (second["winner"], second["terminal_reason"]) == (
        "none",
        "none",
    )
    assert float(first["seeker_reward_sum"]) == 3.0 and float(first["hider_reward_sum"]) == -1.0
    assert float(first["seeker_avg_distance"]) == 2.5 and float(first["hider_avg_distance"]) == 0.0
    assert [row["episode"] for row in (first, second)] == ["0", "1"]


def test_a_role_that_no_reward_or_distance_was_reported_for_has_none(run):
    run.keep([MatchResult(4, 1.0, "seeker", "tag", False, {}, {})], {})
    (row,) = rows(run)
    names = [f"{role}_{what}" for role in ("seeker", "hider") for what in ("reward_sum", "avg_distance")]
    assert [float(row[name]) for name in names] == [0.0] * 4


def test_windows_close_with_the_matches_that_fill_them(run):
    learned = {"seeker": {"policy_loss": 0.25}}
    assert run.keep([match(), match()], learned) == []
    assert run.keep([match(truncated=True)], learned) == [0]
    (row,) = run.run.windows()
    assert row.metrics["seeker_policy_loss"] == 0.25 and row.env_steps_in_window == 10
    assert row.ticks_in_window == 10 * load_spec("tag").config["ticks_per_step"]
    assert (row.terminated_episodes, row.truncated_episodes) == (2, 0), "the third ends in the next window"
    assert row.reward_mean == pytest.approx(3.0 / 4), "the seeker's 3 in a match of four steps"
    assert row.metrics["seeker_win_rate"] == 1.0


@pytest.mark.parametrize(("steps", "ended"), [(2, 3), (3, 2)])
def test_a_match_is_counted_in_the_window_of_its_last_step(run, steps, ended):
    run.keep([match(), match(), match(steps=steps)], {})
    (row,) = run.run.windows()
    assert row.terminated_episodes == ended


def test_a_commit_counts_what_was_played_and_the_end_is_reported(run):
    run.keep([match(), match(), match()], {})
    run.commit(0, b"weights", {"seeker": b"s", "hider": b"h"})
    record = run.run.record
    assert (record.env_steps_total, record.episodes_total, record.latest_window) == (12, 3, 0)
    assert run.run.paths.policy("hider").read_bytes() == b"h"
    run.close("failed", "no luck")
    saved = json.loads(run.run.paths.record.read_text())
    assert (saved["status"], saved["error"]) == ("failed", "no luck") and run.run.paths.lock.read_text() == ""


def test_the_run_says_what_it_is(run):
    record = run.run.record
    assert (record.game, record.trainer_backend, record.seed, record.window_env_steps) == (
        "tag",
        "stream",
        5,
        10,
    )
    assert (
        record.trainer_info == {"engine": "streamed", "worlds": 1}
        and record.spec_hash == load_spec("tag").hash
    )
    assert run.run.config == {"a": 1}
