"""A match of a run's policies as it is entered in the run's catalogue."""

import pytest
from trained import train

from sandlot.evaluate.players import read_checkpoint, scripted_by_name
from sandlot.evaluate.recording import record_match
from sandlot.evaluate.replay_recorder import Origin, verify
from sandlot.evaluate.tags import TagRules
from sandlot.runs.replays import Replay
from sandlot.runs.store import Store


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    return Store(root).open(train(root, "tag", 2, "settings.time_limit=1"))


@pytest.fixture(scope="module")
def checkpoint(run):
    return read_checkpoint(run.paths.checkpoint(1))


def recorded(run, policies, **how):
    origin = Origin(run.run_id, 1, "ppo")
    how = {"seed": 5, "episode": 0, "rules": TagRules(returns=())} | how
    entry = record_match(run, policies, origin, **how)
    return entry, Replay.read(run.replay_path(entry))


def test_both_learners_play_under_their_window(run, checkpoint):
    entry, replay = recorded(run, checkpoint.policies)
    assert replay.header.policies == {"seeker": "seeker of window 1", "hider": "hider of window 1"}
    assert replay.header.config == checkpoint.spec.config and replay.header.seed == 5
    assert entry.tags == ["every_window"] and entry == run.index.get(entry.replay_id)
    assert verify(replay).agrees


def test_roles_of_different_windows_are_named_so(run, checkpoint):
    _, replay = recorded(run, checkpoint.policies, windows={"hider": 0})
    assert replay.header.policies == {"seeker": "seeker of window 1", "hider": "hider of window 0"}


def test_a_role_that_nobody_learned_is_played_by_a_script(run, checkpoint):
    _, replay = recorded(run, {"hider": checkpoint.policies["hider"]})
    assert replay.header.policies == {"seeker": "chase (scripted)", "hider": "hider of window 1"}


def test_an_opponent_takes_the_place_of_its_role(run, checkpoint):
    wander = scripted_by_name(checkpoint.spec, "seeker", "wander:1")
    _, replay = recorded(run, checkpoint.policies, opponent=wander)
    assert replay.header.policies == {"seeker": "wander:1", "hider": "hider of window 1"}


def test_a_replay_has_the_name_it_was_given_and_the_tags_of_its_episode(run, checkpoint):
    entry, replay = recorded(run, checkpoint.policies, replay_id="replay-000001-0000abcd", episode=1)
    assert entry.replay_id == replay.header.replay_id == "replay-000001-0000abcd"
    assert "every_window" not in entry.tags
    assert entry.return_total == replay.end.returns[0]


def test_the_best_so_far_is_measured_against_the_catalogue(tmp_path, checkpoint):
    with Store(tmp_path).create({}, game="tag", trainer_backend="ppo", window_env_steps=10) as empty:
        first, _ = recorded(empty, checkpoint.policies)
        again, _ = recorded(empty, checkpoint.policies)
        lenient = TagRules(returns=(), margin=0.0)
        assert "best_so_far" not in first.tags and "best_so_far" not in again.tags
        better = next(
            entry
            for seed in range(6, 60)
            for entry, _ in [recorded(empty, checkpoint.policies, seed=seed, rules=lenient)]
            if entry.return_total > first.return_total
        )
    assert "best_so_far" in better.tags
