"""serve/scores.py: scores of bots and policies on one seed, computed once."""

from types import SimpleNamespace

import pytest

from sandlot.errors import SpecMismatch
from sandlot.serve import scores as module
from sandlot.serve.scores import Score, ScoreCache, scores_for
from sandlot.worlds import load_spec

SHORT = load_spec("prospector", {"time_max": 100})


def score(name, role="pilot", total=0.0):
    return Score(name=name, role=role, scripted=True, against=None, finished=True, return_total=total)


@pytest.fixture
def context():
    return SimpleNamespace(scores=ScoreCache(), all_runs=list)


def test_every_bot_plays_the_seed_once_and_the_best_comes_first(context):
    found = scores_for(context, SHORT, 7, bots=True, policy=False)
    assert {each.name.split(":")[0] for each in found} == set(SHORT.bots)
    assert all(each.finished and each.scripted and each.against is None for each in found)
    totals = [each.return_total for each in found]
    assert totals == sorted(totals, reverse=True) and all("net_profit" in each.episode for each in found)
    assert scores_for(context, SHORT, 7, bots=True, policy=False) == found and len(context.scores) == 1
    assert scores_for(context, SHORT, 8, bots=True, policy=False) != found and len(context.scores) == 2


def test_nobody_plays_who_was_not_asked_for(context):
    assert scores_for(context, SHORT, 7, bots=False, policy=False) == [] and len(context.scores) == 0


def test_in_a_game_of_two_roles_each_bot_meets_the_default_bot_of_the_other(context):
    found = scores_for(context, load_spec("tag"), 7, bots=True, policy=False)
    roles = [each.role for each in found]
    assert roles == sorted(roles, key=["seeker", "hider"].index)
    assert {each.against for each in found if each.role == "seeker"} == {"evade"}
    assert {each.against for each in found if each.role == "hider"} == {"chase"}
    assert "chase:3" in {each.name for each in found}, "the level is part of the name"


def test_an_episode_that_did_not_end_has_no_result(monkeypatch):
    monkeypatch.setattr(module, "play", lambda *_: [])
    found = module._bot_score(SHORT, 7, "pilot", "tour")
    assert (found.finished, found.return_total, found.episode) == (False, None, {})


def test_scores_are_kept_and_given_back():
    cache = ScoreCache()
    made = [score("a")]
    assert cache.get(("key",)) is None and cache.keep(("key",), made) is made and cache.get(("key",)) is made


def test_so_many_scores_are_kept_and_the_oldest_go_first():
    assert module.MAX_ENTRIES == 512
    cache = ScoreCache()
    for number in range(513):
        cache.keep((number,), [])
    assert len(cache) == 512 and cache.get((0,)) is None
    assert cache.get((1,)) == [] and cache.get((512,)) == []


# ---------------------------------------------------------------- policies


@pytest.fixture
def runs(context, monkeypatch, tmp_path):
    """`runs(...)`: records of runs, newest first; a policy's score is its run's id."""
    played = []

    def play(spec, seed, run_id, path):
        played.append(run_id)
        if run_id == "broken":
            raise SpecMismatch("another version")
        return [] if run_id == "misfit" else [score(run_id)]

    (tmp_path / "best.pt").write_bytes(b"weights")
    context.run = lambda run_id: run_id
    monkeypatch.setattr(module, "_checkpoint_scores", play)
    monkeypatch.setattr(module, "checkpoint_path", lambda run, window: tmp_path / f"{window}.pt")

    def records(*names, game="prospector", checkpoint="ckpt"):
        made = [SimpleNamespace(run_id=name, game=game, latest_checkpoint=checkpoint) for name in names]
        context.all_runs = lambda: made
        return played

    return SimpleNamespace(records=records, file=tmp_path / "best.pt")


def names(context):
    return [each.name for each in scores_for(context, SHORT, 7, bots=False, policy=True)]


def test_the_newest_run_that_can_play_does_and_the_others_do_not(context, runs):
    played = runs.records("broken", "misfit", "good", "older")
    assert names(context) == ["good"] and played == ["broken", "misfit", "good"]


def test_runs_of_another_game_or_without_a_checkpoint_are_not_asked(context, runs):
    assert names(context) == []
    assert runs.records("other", game="tag") == [] and names(context) == []
    assert runs.records("new", checkpoint=None) == [] and names(context) == []


def test_a_policy_plays_a_seed_once_until_its_weights_change(context, runs):
    played = runs.records("good")
    assert names(context) == names(context) == ["good"] and played == ["good"]
    runs.file.write_bytes(b"others")
    assert names(context) == ["good"] and played == ["good", "good"]


@pytest.mark.parametrize("part", ["game", "version", "observation", "action_names", "action_size", "roles"])
def test_a_policy_fits_settings_but_not_other_observations_or_actions(part):
    fields = ("game", "version", "observation", "action_names", "action_size", "roles")
    trained, spec = (SimpleNamespace(**{name: name for name in fields}) for _ in range(2))
    assert module._is_compatible(trained, spec)
    setattr(trained, part, "another")
    assert not module._is_compatible(trained, spec)
