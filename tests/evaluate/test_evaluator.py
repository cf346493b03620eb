"""The evaluator judges every committed checkpoint once, marks the best and leaves replays."""

import json
import subprocess
import sys

import pytest
from trained import train

from sandlot.errors import GodotMissing
from sandlot.evaluate import evaluator
from sandlot.evaluate.evaluator import Evaluator, follow
from sandlot.evaluate.replays import verify
from sandlot.games.make import ENGINES
from sandlot.policies import load_policy
from sandlot.policies.policy import pack
from sandlot.runs import Run
from sandlot.runs.atomic import Lines, read_lines
from sandlot.runs.index import ReplayIndex
from sandlot.runs.replays import Replay
from sandlot.runs.store import Store

FEW = ("evaluation.episodes=4", "evaluation.replays=1")


def run_of(root, game="prospector", *more):
    return Store(root).open(train(root, game, 3, *FEW, *more))


def judged(run):
    return [json.loads(line) for line in read_lines(run.paths.evaluations)]


@pytest.mark.parametrize("game", ["tag", "prospector"])
def test_every_committed_window_is_judged_once(tmp_path, game):
    run = run_of(tmp_path, game)
    assert follow(run.paths.folder) == 0
    rows = judged(run)
    assert [row["window_id"] for row in rows] == [0, 1, 2]
    follow(run.paths.folder)
    assert judged(run) == rows, "a second look adds nothing"


def test_the_best_window_of_a_game_with_one_role_is_marked(tmp_path):
    run = run_of(tmp_path)
    follow(run.paths.folder)
    best = max(judged(run), key=lambda row: row["value"])
    assert (run.best().value, run.best().window_id) == (best["value"], best["window_id"])
    assert run.paths.best.read_bytes() == run.paths.checkpoint(best["window_id"]).read_bytes()


# Ratings of seeker and hider by window → windows that best.pt has them from, when all matches are even.
COURSES = {
    "together": ([(1, 1), (2, 2), (3, 3)], (2, 2)),
    "never again": ([(3, 3), (2, 2), (1, 1)], (0, 0)),
    "one falls while the other rises": ([(1, 3), (2, 2), (3, 1)], (2, 0)),
    "in turns": ([(1, 1), (2, 0), (0, 2)], (1, 2)),
}


def follow_course(tmp_path, monkeypatch, ratings, wins, again=None):
    """A run judged as told. wins: how often the seeker of one window beats the hider of another; again: and
    in the matches that decide, if otherwise."""
    told = iter(
        {"seeker_rating": s, "hider_rating": h, "value": (s + h) / 2, "seeker_win_rate": wins(window, window)}
        for window, (s, h) in enumerate(ratings)
    )
    monkeypatch.setattr(evaluator, "judge", lambda policies, episodes: next(told))
    run = run_of(tmp_path, "tag", "evaluation.replays=0")
    windows = {
        role: {weights(load_policy(run.paths.checkpoint(w), role)): w for w in range(len(ratings))}
        for role in ("seeker", "hider")
    }

    def meet(sides, seeds):
        share = again if again and len(seeds) > run.config["evaluation"]["episodes"] else wins
        return {"seeker_win_rate": share(*(windows[r][weights(sides[r])] for r in ("seeker", "hider")))}

    monkeypatch.setattr(evaluator, "meet", meet)
    follow(run.paths.folder)
    chosen = {role: windows[role][weights(load_policy(run.paths.folder, role))] for role in windows}
    assert {role: one.window_id for role, one in run.best().roles.items()} == chosen
    return run.best(), (chosen["seeker"], chosen["hider"])


def weights(policy):
    return pack(policy.network.state_dict())


@pytest.mark.parametrize("course", COURSES)
def test_the_best_of_each_role_is_kept_from_whichever_window_it_is_of(tmp_path, monkeypatch, course):
    ratings, windows = COURSES[course]
    best, chosen = follow_course(tmp_path, monkeypatch, ratings, lambda seeker, hider: 0.5)
    assert chosen == windows
    assert best.value == sum(one.value for one in best.roles.values()) / 2


def test_of_two_pairs_of_about_the_same_skill_the_more_even_match_is_the_better(tmp_path, monkeypatch):
    ratings = [(1500, 1500), (1520, 1490), (1530, 1520)]
    wins = {(0, 0): 0.55, (2, 0): 0.95, (0, 2): 0.05, (2, 2): 0.9}
    best, chosen = follow_course(tmp_path, monkeypatch, ratings, lambda *pair: wins.get(pair, 0.97))
    assert (chosen, best.value) == ((0, 0), 1500)


def test_much_skill_is_not_given_away_for_an_even_match(tmp_path, monkeypatch):
    ratings = [(1000, 1000), (1500, 1000), (1500, 1400)]
    best, chosen = follow_course(tmp_path, monkeypatch, ratings, lambda *pair: 0.5 if pair == (0, 0) else 0.8)
    assert chosen == (2, 2)
    assert best.value == pytest.approx(1450 - (240.8 - evaluator.FAIR), abs=0.1)


def test_a_match_that_looked_even_by_luck_is_not_taken(tmp_path, monkeypatch):
    ratings = [(1500, 1500), (1520, 1520), (1530, 1530)]
    truth = {(0, 0): 0.5, (2, 1): 0.55}
    looks = (lambda *pair: 0.5, lambda *pair: truth.get(pair, 0.9))
    best, chosen = follow_course(tmp_path, monkeypatch, ratings, *looks)
    assert (chosen, best.value) == ((2, 1), 1525)


def test_the_newest_also_meet_those_who_were_nearly_the_best(tmp_path, monkeypatch):
    ratings = [(1500, 1500), (1400, 1490), (1600, 1300)]
    wins = {(0, 0): 0.5, (2, 0): 0.97, (2, 1): 0.55}
    best, chosen = follow_course(tmp_path, monkeypatch, ratings, lambda *pair: wins.get(pair, 0.9))
    assert (chosen, best.value) == ((2, 1), 1545)


def test_every_window_leaves_a_replay_that_plays_again_as_it_was(tmp_path):
    run = run_of(tmp_path)
    follow(run.paths.folder)
    entries = run.index.find()
    assert {entry.window_id for entry in entries} == {0, 1, 2}
    assert all("every_window" in entry.tags for entry in entries)
    for entry in entries:
        assert verify(Replay.from_bytes(run.replay_path(entry).read_bytes())).agrees


class Killed(BaseException):
    """Nothing catches it, as nothing catches SIGKILL."""


# What the evaluator was about to do: (whose, method, how many times it still got through).
LAST_DEEDS = {
    "to enter the first replay": (ReplayIndex, "add", 0),
    "to enter the second": (ReplayIndex, "add", 1),
    "to mark the best": (Run, "promote", 0),
    "to note the window": (Lines, "append", 0),
}


@pytest.mark.parametrize("deed", LAST_DEEDS)
def test_an_evaluator_killed_before_its_line_records_nothing_twice(tmp_path, monkeypatch, deed):
    run = run_of(tmp_path, "prospector", "evaluation.replays=2", "run.windows=1")
    owner, name, left = LAST_DEEDS[deed]
    once = getattr(owner, name)

    def until_killed(*told, **more):
        nonlocal left
        if not left:
            raise Killed
        left -= 1
        return once(*told, **more)

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(owner, name, until_killed)
        follow(run.paths.folder)
    before = {entry.replay_id: entry for entry in run.index.find()}
    follow(run.paths.folder)
    after = {entry.replay_id: entry for entry in run.index.find()}
    assert len(after) == 2 == len(list(run.paths.replays.iterdir()))
    assert before.items() <= after.items(), "what was recorded stays as it was"
    assert ["best_so_far" in entry.tags for entry in after.values()].count(True) >= 1
    assert sum("every_window" in entry.tags for entry in after.values()) == 1
    assert len(judged(run)) == 1
    assert run.reindex() == [] and len(run.index.find()) == 2


def test_windows_can_be_thinned(tmp_path):
    run = run_of(tmp_path, "prospector", "evaluation.every=2")
    assert Evaluator(run).waiting() == [0, 2]


def test_a_checkpoint_that_retention_removed_is_left_out(tmp_path, capsys, monkeypatch):
    run = run_of(tmp_path)
    known = run.checkpoints()
    run.paths.checkpoint(1).unlink()
    monkeypatch.setattr(type(run), "checkpoints", lambda self: known)
    assert follow(run.paths.folder) == 0
    assert [row["window_id"] for row in judged(run)] == [0, 2]
    assert "window 1 is left out" in capsys.readouterr().err


def test_the_evaluator_ends_when_its_trainer_is_gone(tmp_path):
    run = run_of(tmp_path)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    record = json.loads(run.paths.record.read_text())
    run.paths.record.write_text(json.dumps(record | {"status": "running"}))
    assert follow(run.paths.folder, trainer=gone.pid) == 0
    assert len(judged(run)) == 3


def test_where_the_engine_of_a_run_fails_its_windows_are_recorded_natively_and_that_is_said(
    tmp_path, capsys, monkeypatch
):
    def missing(*_, **__):
        raise GodotMissing("There is no Godot here.")

    run = run_of(tmp_path, "tag")
    evaluator = Evaluator(run)
    evaluator.engine = "godot"
    monkeypatch.setitem(ENGINES, "godot", missing)
    for window in evaluator.waiting():
        evaluator.evaluate(window)
    entries = run.index.find()
    assert len(entries) == 3 and not any("godot" in entry.tags for entry in entries)
    assert capsys.readouterr().err.count("There is no Godot here") == 1, "it is not tried again every window"
