"""evaluate/stages.py: every stage plays the same seeds, before training too; results come from the spec."""

import json

import pytest
from trained import train

from sandlot.evaluate.evaluator import Evaluator
from sandlot.evaluate.replay_recorder import verify
from sandlot.evaluate.stages import results_of
from sandlot.runs import Replay
from sandlot.runs.learning import SEEDS
from sandlot.runs.store import Store
from sandlot.worlds import load_spec

FEW = ("evaluation.episodes=4", "evaluation.replays=1", "settings.time_limit=2", "network.hidden_sizes=[8]")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Of tag, trained for two windows and evaluated."""
    root = tmp_path_factory.mktemp("runs")
    run = Store(root).open(train(root, "tag", 2, *FEW))
    with Evaluator(run) as one:
        while one.work():
            pass
        run.stages = one.learning.stages()
        run.stage_file = one.learning.replay
    return run


def test_every_stage_plays_the_same_seeds_from_before_training_on(run):
    assert [stage.window_id for stage in run.stages] == [None, 0, 1]
    seeds = [[one.seed for one in stage.replays] for stage in run.stages]
    assert len(set(seeds[0])) == SEEDS and seeds[0] == seeds[1] == seeds[2]


def test_its_matches_are_of_those_seeds_and_can_be_played_again(run):
    for stage in (run.stages[0], run.stages[-1]):
        replay = Replay.read(run.stage_file(stage.replays[0].replay_id))
        assert replay.header.seed == stage.replays[0].seed and replay.header.window_id == stage.window_id
        assert verify(replay).agrees
        assert stage.replays[0].ending == replay.end.episode["winner"]


def test_before_training_is_measured_as_every_window_is(run):
    labels = [[(one.label, one.role, one.better) for one in stage.results] for stage in run.stages]
    assert labels[0] == labels[1] == labels[2]
    assert [label for label, _, _ in labels[0]] == [
        "seeker beats scripted players",
        "hider beats scripted players",
        "seeker wins against this hider",
    ]
    first = run.stages[0]
    assert first.env_steps_total == 0 and first.trained_s == 0 and first.episodes == 4


def test_the_catalogue_of_replays_stays_one_per_window(run):
    assert run.index.count() == 2


def test_without_recordings_there_are_no_stages(tmp_path):
    run = Store(tmp_path).open(train(tmp_path, "tag", 1, *FEW, "evaluation.replays=0"))
    with Evaluator(run) as one:
        assert one.work()
    assert not run.paths.learning.exists()


def test_weights_of_step_0_that_are_saved_after_the_evaluator_began_are_not_missed(tmp_path):
    run = Store(tmp_path).open(train(tmp_path, "tag", 1, *FEW))
    away = run.paths.initial.rename(tmp_path / "initial.pt")
    with Evaluator(run) as one:
        one.work()
        assert [row.window_id for row in one.learning.stages()] == [0]
        away.rename(run.paths.initial)
        one.work()
        assert [row.window_id for row in one.learning.stages()] == [None, 0]


def test_a_second_evaluator_does_not_play_before_training_again(run):
    before = run.paths.learning.joinpath("stages.jsonl").read_bytes()
    with Evaluator(run) as one:
        one.work()
    assert run.paths.learning.joinpath("stages.jsonl").read_bytes() == before


# ---------------------------------------------------------------- results, by what the spec says


def test_shares_against_scripted_players_are_counted_together():
    metrics = {
        "seeker_beats_evade_1": 0.5,
        "seeker_beats_evade_2": 1.0,
        "hider_beats_chase_1": 0.0,
        "episodes": 10,
    }
    seeker, hider = results_of(load_spec("tag"), metrics)
    assert (seeker.value, hider.value) == (0.75, 0.0)
    assert seeker.low < 0.75 < seeker.high and hider.low == 0.0 < hider.high
    assert (seeker.role, hider.role) == ("seeker", "hider")


def test_a_flag_that_is_the_headline_is_a_share():
    metrics = {"value": 0.9, "success_rate": 0.9, "intervals": {"success_rate": (0.8, 0.95)}}
    (result,) = results_of(load_spec("landing"), metrics)
    shown = json.loads(result.model_dump_json())
    assert (shown["label"], shown["share"], shown["low"], shown["high"]) == (
        "soft landing on the pad",
        True,
        0.8,
        0.95,
    )


def test_another_headline_has_its_unit():
    metrics = {"value": 120.0, "value_low": 100.0, "value_high": 140.0}
    (result,) = results_of(load_spec("prospector"), metrics)
    assert (result.label, result.unit, result.share) == ("net profit", "credits", False)
    assert (result.low, result.value, result.high) == (100.0, 120.0, 140.0)


def test_metrics_that_lack_the_headline_give_no_result():
    assert results_of(load_spec("prospector"), {"value": 1.0}) == []
