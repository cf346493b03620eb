"""The evaluator judges every committed checkpoint once, marks the best and leaves replays."""

import hashlib
import json
import math
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from leaks import nothing_left_open
from refusals import refused
from trained import train

from sandlot import seeding
from sandlot.errors import Damaged, GodotMissing, StoreError
from sandlot.evaluate import evaluator
from sandlot.evaluate.evaluator import Evaluator, follow
from sandlot.evaluate.replay_recorder import verify
from sandlot.evaluate.scoring import HeadToHead
from sandlot.locking import FileLock, is_held
from sandlot.policies import load_policy
from sandlot.policies.policy import pack, unpack
from sandlot.runs import Retention, Run
from sandlot.runs.atomic import Lines, read_lines
from sandlot.runs.evaluations import read_evaluations
from sandlot.runs.index import ReplayIndex
from sandlot.runs.records import RoleBest
from sandlot.runs.replays import Replay
from sandlot.runs.store import Store
from sandlot.worlds.make import ENGINES

FEW = ("evaluation.episodes=4", "evaluation.replays=1")


def run_of(root, game="prospector", *more):
    return Store(root).open(train(root, game, 3, *FEW, *more))  # the last word counts


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
    result = iter(
        {"seeker_rating": s, "hider_rating": h, "value": (s + h) / 2, "seeker_win_rate": wins(window, window)}
        for window, (s, h) in enumerate(ratings)
    )
    monkeypatch.setattr(evaluator, "evaluate", lambda policies, seeds: next(result, {"value": 0.0}))
    run = run_of(tmp_path, "tag", "evaluation.replays=0")
    windows = {
        role: {weights(load_policy(run.paths.checkpoint(w), role)): w for w in range(len(ratings))}
        for role in ("seeker", "hider")
    }

    def head_to_head(sides, seeds):
        share = again if again and len(seeds) > run.config["evaluation"]["episodes"] else wins
        return HeadToHead(share(*(windows[r][weights(sides[r])] for r in ("seeker", "hider"))), {}, {})

    monkeypatch.setattr(evaluator, "head_to_head", head_to_head)
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
    assert best.value == pytest.approx(1450 - (240.8 - evaluator.FAIR_LEAD), abs=0.1)


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
LAST_ACTIONS = {
    "to enter the first replay": (ReplayIndex, "add", 0),
    "to enter the second": (ReplayIndex, "add", 1),
    "to mark the best": (Run, "promote", 0),
    "to best the window": (Lines, "append", 0),
}


@pytest.mark.parametrize("action", LAST_ACTIONS)
def test_an_evaluator_killed_before_its_line_records_nothing_twice(tmp_path, monkeypatch, action):
    run = run_of(tmp_path, "prospector", "evaluation.replays=2", "run.windows=1")
    owner, name, left = LAST_ACTIONS[action]
    once = getattr(owner, name)

    def until_killed(*result, **more):
        nonlocal left
        if not left:
            raise Killed
        left -= 1
        return once(*result, **more)

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(owner, name, until_killed)
        follow(run.paths.folder)
    before = {entry.replay_id: entry for entry in run.index.find()}
    follow(run.paths.folder)
    after = {entry.replay_id: entry for entry in run.index.find()}
    assert len(after) == 2 == len(list(run.paths.replays.iterdir()))
    assert before.items() <= after.items(), "what was recorded stays as it was"
    assert sum("every_window" in entry.tags for entry in after.values()) == 1
    assert len(judged(run)) == 1
    assert run.reindex() == [] and len(run.index.find()) == 2


def test_windows_can_be_thinned(tmp_path):
    run = run_of(tmp_path, "prospector", "evaluation.every=2")
    assert run.unevaluated(2) == [0, 2]
    assert follow(run.paths.folder) == 0
    assert [row["window_id"] for row in judged(run)] == [0, 2]
    assert {tag for entry in run.index.find() for tag in entry.tags} >= {"every_n"}


@pytest.mark.parametrize("every", [1, 2, 3])
def test_checkpoints_are_evaluated_whichever_windows_they_are_of(tmp_path, every):
    """Written after windows 1, 3 and 5, none of which is a multiple of two."""
    spare = ("run.checkpoint_every=2", f"evaluation.every={every}", "run.windows=6")
    run = run_of(tmp_path, "prospector", *spare)
    assert list(run.checkpoints()) == [1, 3, 5]
    assert follow(run.paths.folder) == 0
    assert [row["window_id"] for row in judged(run)] == ([1, 3, 5] if every < 3 else [1, 5])
    assert run.paths.best.exists()


def test_a_window_that_went_on_after_a_resume_is_judged_again(tmp_path):
    run = run_of(tmp_path)
    assert follow(run.paths.folder) == 0 and run.unevaluated() == []
    before = run.index.find(window_id=2)
    with Store(tmp_path).resume(run.run_id) as again:  # as a run does that ended within its window
        changed = unpack(again.paths.checkpoint(2).read_bytes(), "it") | {"env_steps_total": 9999}
        again.commit(2, pack(changed))
        again.finish("completed")
    assert run.unevaluated() == [2]
    assert follow(run.paths.folder) == 0
    rows = judged(run)
    assert [row["window_id"] for row in rows] == [0, 1, 2, 2]
    assert rows[2]["checkpoint_sha256"] != rows[3]["checkpoint_sha256"] and rows[3]["env_steps_total"] == 9999
    assert read_evaluations(run.paths.evaluations)[-1]["env_steps_total"] == 9999
    regular = run.index.find(tag="every_window", window_id=2)
    assert len(regular) == 1 and regular != before, "the regular replay is of the newer checkpoint"
    assert len(list(run.paths.replays.iterdir())) == 3


def test_a_checkpoint_that_cannot_be_judged_is_named_and_the_others_are_judged(tmp_path, capsys):
    run = run_of(tmp_path)
    data = bytearray(run.paths.checkpoint(1).read_bytes())
    data[len(data) // 2] ^= 1
    run.paths.checkpoint(1).write_bytes(data)
    assert follow(run.paths.folder) == 1
    assert [row["window_id"] for row in judged(run)] == [0, 2]
    assert "window 1 is not evaluated: ckpt_000001.pt was changed" in capsys.readouterr().err
    assert run.unevaluated() == [1]


def test_retention_keeps_what_waits_for_evaluation_and_lets_it_go_afterwards(tmp_path):
    run = run_of(tmp_path)
    with Store(tmp_path).resume(run.run_id, Retention(newest=1, evaluated_every=1)) as writer:
        checkpoint = run.paths.checkpoint(2).read_bytes()
        for window in (3, 4):
            writer.commit(window, checkpoint)
        assert list(run.checkpoints()) == [0, 1, 2, 3, 4]
        writer.finish("completed")
    assert follow(run.paths.folder) == 0 and len(judged(run)) == 5
    with Store(tmp_path).resume(run.run_id, Retention(newest=1, evaluated_every=1)) as writer:
        writer.commit(5, checkpoint)
    assert list(run.checkpoints()) == sorted({5, run.best().window_id})


def test_the_best_is_marked_though_retention_took_its_file_meanwhile(tmp_path, monkeypatch):
    run = run_of(tmp_path, "prospector", "run.windows=1")
    real = evaluator.evaluate

    def judge_slowly(policies, seeds):
        run.paths.checkpoint(0).unlink(missing_ok=True)
        return real(policies, seeds)

    monkeypatch.setattr(evaluator, "evaluate", judge_slowly)
    assert follow(run.paths.folder) == 0
    assert run.best().window_id == 0 and load_policy(run.paths.best)


def test_the_best_is_reported_on_seeds_on_which_nothing_was_chosen(tmp_path, monkeypatch):
    run = run_of(tmp_path)
    used = []
    real = evaluator.evaluate
    monkeypatch.setattr(evaluator, "evaluate", lambda p, seeds: used.append(list(seeds)) or real(p, seeds))
    follow(run.paths.folder)
    assert len(used) == 4, "three windows, then the best of them once more"
    assert used[0] == used[1] == used[2] and not set(used[3]) & set(used[0])
    report = run.best().report
    policies = {"pilot": load_policy(run.paths.best)}
    assert report["seeds"] == "report" and report["episodes"] == 8
    assert report["value"] == real(policies, seeding.held_out("report", 8))["value"]
    follow(run.paths.folder)
    assert len(used) == 4, "measured once"


def test_the_report_on_a_pair_is_the_same_measure_as_the_value_it_was_chosen_by(tmp_path, monkeypatch):
    """Both take off the lead of one role; the mean of two ratings alone is not comparable."""
    judged = {"seeker_rating": 1400.0, "hider_rating": 1200.0, "value": 1300.0, "draw_rate": 0.0}
    monkeypatch.setattr(evaluator, "evaluate", lambda policies, seeds: judged | {"seeker_win_rate": 0.9})
    monkeypatch.setattr(evaluator, "head_to_head", lambda sides, seeds: HeadToHead(0.9, {}, {}))
    run = run_of(tmp_path, "tag", "evaluation.replays=0", "run.windows=1")
    follow(run.paths.folder)
    best = run.best()
    assert best.report["value"] == best.value == evaluator.checkpoint_value([1400, 1200], 0.9) < 1300


def test_a_promotion_that_was_cut_short_is_finished_by_the_next_evaluator(tmp_path, monkeypatch):
    run = run_of(tmp_path, "prospector", "run.windows=1")
    with monkeypatch.context() as patched:
        patched.setattr(Run, "finish_promotion", lambda run: None)
        run.promote(0, 1.0)
    assert not run.paths.best.exists()
    Evaluator(run).close()
    assert run.paths.best.read_bytes() == run.paths.checkpoint(0).read_bytes()


def test_a_second_evaluator_waits_until_the_first_has_ended(tmp_path):
    run = run_of(tmp_path)
    lock = FileLock(run.paths.evaluator_lock)
    second = threading.Thread(target=follow, args=[run.paths.folder])
    second.start()
    assert not run.paths.evaluations.exists(), "nothing is even opened"
    lock.release()
    second.join(timeout=60)
    assert not second.is_alive() and [row["window_id"] for row in judged(run)] == [0, 1, 2]


def test_an_evaluator_whose_trainer_is_gone_ends_after_the_checkpoint_at_hand(tmp_path):
    run = run_of(tmp_path)
    gone = iter([False, False, True])
    assert follow(run.paths.folder, lambda: next(gone)) == 0
    assert [row["window_id"] for row in judged(run)] == [0]
    FileLock(run.paths.evaluator_lock).release()  # and is free for the next


def test_an_evaluator_process_ends_when_its_input_is_closed(tmp_path):
    with Store(tmp_path).resume(train(tmp_path, "prospector", 1, *FEW)) as run:
        command = [sys.executable, "-m", "sandlot.evaluate.evaluator", str(run.paths.folder)]
        process = subprocess.Popen([*command, "--until-input-closes"], stdin=subprocess.PIPE)
        try:
            deadline = time.monotonic() + 60
            while not run.paths.evaluator_lock.exists():
                assert time.monotonic() < deadline and process.poll() is None
                time.sleep(0.02)
            process.stdin.close()  # as the kernel does for a trainer that was killed
            assert process.wait(timeout=60) == 0
        finally:
            process.kill()
        assert run.record.status == "running"


def test_lines_that_hold_no_evaluation_are_named_and_skipped(tmp_path, capsys):
    run = run_of(tmp_path)
    run.paths.evaluations.write_text('{"window_id": 0, "value": 1.0}\n{"window_id": 1, "va{"window_id"\n[]\n')
    assert follow(run.paths.folder) == 0
    output = capsys.readouterr().err
    assert all(f"line {number}, is not an evaluation" in output for number in (2, 3))
    assert [row["window_id"] for row in read_evaluations(run.paths.evaluations)] == [0, 1, 2]


def test_where_the_engine_of_a_run_fails_its_windows_are_recorded_natively_and_that_is_said(
    tmp_path, capsys, monkeypatch
):
    def missing(*_, **__):
        raise GodotMissing("There is no Godot here.")

    run = run_of(tmp_path, "tag")
    one = Evaluator(run)
    one.engine = "godot"
    monkeypatch.setitem(ENGINES, "godot", missing)
    for window in one.waiting():
        one.evaluate(window)
    one.close()
    entries = run.index.find()
    assert len(entries) == 3 and not any("godot" in entry.tags for entry in entries)
    assert capsys.readouterr().err.count("There is no Godot here") == 1, "it is not tried again every window"


# ---------------------------------------------------------------- numbers and defaults


def test_a_checkpoint_is_worth_its_mean_rating_less_an_uneven_match():
    checkpoint_value = evaluator.checkpoint_value
    assert checkpoint_value([1200.0, 1000.0]) == 1100.0
    assert checkpoint_value([1000.0], 4 / 7) == pytest.approx(1000.0, abs=0.1), (
        "four of seven is about as fair as even"
    )
    assert checkpoint_value([1000.0, 1000.0], 0.9) == pytest.approx(1000 - (400 * math.log10(9) - 50))
    assert checkpoint_value([1000.0, 1000.0], 0.1) == pytest.approx(checkpoint_value([1000.0, 1000.0], 0.9))
    assert checkpoint_value([1000.0], 1.0) == pytest.approx(1000 - (400 * math.log10(99) - 50)), (
        "never infinite"
    )
    assert (
        checkpoint_value([1000.0], 0.0)
        == checkpoint_value([1000.0], 0.01)
        == pytest.approx(checkpoint_value([1000.0], 0.99))
    )


def test_how_an_evaluator_weighs_and_how_long_it_sleeps():
    assert (evaluator.FAIR_LEAD, evaluator.SHORTLIST, evaluator.RECHECK_FACTOR, evaluator.REPORT_FACTOR) == (
        50.0,
        3,
        4,
        2,
    )
    assert evaluator.POLL_SECONDS == 0.5


def candidate(window, value):
    return evaluator.Candidate(RoleBest(window_id=window, value=value), {"of": window})


def test_what_is_new_meets_what_is_new_then_each_on_the_others_list():
    fresh = {"seeker": candidate(2, 1.0), "hider": candidate(2, 2.0)}
    listed = {"seeker": [candidate(0, 3.0), candidate(1, 2.0)], "hider": [candidate(0, 5.0)]}
    pairs = [tuple(one.best.window_id for one in pair.values()) for pair in evaluator._pairs(fresh, listed)]
    assert pairs == [(2, 2), (2, 0), (0, 2), (1, 2)]
    alone = {"pilot": candidate(2, 1.0)}
    assert list(evaluator._pairs(alone, {"pilot": [candidate(0, 9.0)]})) == [alone]


def test_a_joined_checkpoint_says_which_window_each_role_is_of():
    chosen = {"seeker": candidate(3, 1.0), "hider": candidate(1, 2.0)}
    joined = evaluator._combined_checkpoint({"env_steps_total": 7, "policies": "old"}, chosen)
    assert joined == {
        "env_steps_total": 7,
        "policies": {"seeker": {"of": 3}, "hider": {"of": 1}},
        "windows": {"seeker": 3, "hider": 1},
    }


def test_a_line_names_the_checkpoint_it_is_of(tmp_path):
    run = run_of(tmp_path, "prospector", "run.windows=1")
    follow(run.paths.folder)
    (row,) = judged(run)
    data = run.paths.checkpoint(0).read_bytes()
    assert row["schema_version"] == 1 and row["checkpoint_sha256"] == hashlib.sha256(data).hexdigest()
    assert row["env_steps_total"] == unpack(data, "it")["env_steps_total"]
    assert row["evaluator_pid"] == os.getpid() and row["episodes"] == 4


def test_a_replay_names_the_checkpoint_and_the_seed_it_was_played_with(tmp_path):
    run = run_of(tmp_path, "prospector", "run.windows=2", "evaluation.replays=2")
    follow(run.paths.folder)
    state = unpack(run.paths.checkpoint(1).read_bytes(), "it")
    found = run.index.find(window_id=1)
    headers = [Replay.read(run.replay_path(entry)).header for entry in found]
    assert {header.seed for header in headers} == set(seeding.held_out("replay", 2, 1))
    for header in headers:
        assert header.checkpoint_path == "checkpoints/ckpt_000001.pt"
        assert header.checkpoint_env_steps_total == state["env_steps_total"]
        assert (header.run_id, header.trainer_backend) == (run.run_id, state["trainer_backend"])
        assert header.policies == {"pilot": "pilot of window 1"}


# ---------------------------------------------------------------- refusals and ends


@pytest.mark.parametrize(
    "evaluation",
    [None, {}, {"episodes": "many", "replays": 1, "every": 1, "best_margin": 0.0}, []],
    ids=["none", "empty", "no number", "a list"],
)
def test_a_run_without_settings_of_evaluation_is_refused_and_left_as_it_was(tmp_path, evaluation):
    run = run_of(tmp_path, "prospector", "run.windows=1")
    config = json.loads(run.paths.config.read_text())
    run.paths.config.write_text(json.dumps(config | {"evaluation": evaluation}))
    with nothing_left_open(), refused(tmp_path, Damaged, "no valid evaluation settings"):
        Evaluator(run)


def test_a_folder_that_is_no_run_is_refused_and_left_as_it_was(tmp_path):
    run = run_of(tmp_path, "prospector", "run.windows=1")
    run.paths.config.write_text("{")
    with nothing_left_open(), refused(tmp_path, Damaged, "not JSON"):
        follow(run.paths.folder)


def test_an_evaluator_that_cannot_write_its_lines_leaves_the_run_to_the_next(tmp_path):
    run = run_of(tmp_path, "prospector", "run.windows=1")
    run.paths.evaluations.mkdir()
    Path(run.paths.evaluator_lock).touch()
    with nothing_left_open(), refused(tmp_path, StoreError, "evaluations.jsonl"):
        Evaluator(run)
    assert not is_held(run.paths.evaluator_lock)


def test_an_evaluator_lets_go_of_its_files_and_of_its_lock(tmp_path):
    run = run_of(tmp_path, "prospector", "run.windows=1")
    with nothing_left_open(), Evaluator(run) as one:
        assert is_held(run.paths.evaluator_lock)
        one.work()
    assert not is_held(run.paths.evaluator_lock)


def test_a_window_that_failed_is_not_tried_again(tmp_path, capsys):
    run = run_of(tmp_path, "prospector", "run.windows=2")
    run.paths.checkpoint(0).write_bytes(b"no weights")
    with Evaluator(run) as one:
        assert one.waiting() == [0, 1] and one.work()
        assert one.failed == {0} and one.waiting() == [1]
        assert one.work() and one.waiting() == []
        assert one.work(), "the report on the best"
        assert not one.work()
    assert capsys.readouterr().err.count("is not evaluated") == 1


def test_a_best_that_cannot_be_reported_on_is_said_once(tmp_path, capsys):
    run = run_of(tmp_path, "prospector", "run.windows=1")
    with Evaluator(run) as one:
        one.work()
        run.paths.best.write_bytes(b"no weights")
        assert one.work() and not one.work()
    assert capsys.readouterr().err.count("the best checkpoint is not reported on") == 1
    assert run.best().report is None


def test_an_evaluator_waits_for_the_next_checkpoint_of_a_run_that_goes_on(tmp_path, monkeypatch):
    slept = []
    with Store(tmp_path).resume(train(tmp_path, "prospector", 1, *FEW)) as run:
        run.update(status="running")

        def sleep(seconds):
            slept.append(seconds)
            if len(slept) == 2:
                run.finish("completed")

        monkeypatch.setattr(evaluator.time, "sleep", sleep)
        assert follow(run.paths.folder) == 0
    assert slept == [evaluator.POLL_SECONDS] * 2 and [row["window_id"] for row in judged(run)] == [0]


def test_the_roles_of_a_best_of_an_earlier_evaluator_are_remembered(tmp_path, monkeypatch):
    """A second evaluator goes on where the first was killed: the hider of window 0 stays."""
    run = run_of(tmp_path, "tag", "evaluation.replays=0", "run.windows=2")
    result = iter([(1.0, 9.0), (5.0, 1.0)])

    def evaluate(policies, seeds):
        s, h = next(result, (0.0, 0.0))
        return {"seeker_rating": s, "hider_rating": h, "value": (s + h) / 2}

    monkeypatch.setattr(evaluator, "evaluate", evaluate)
    monkeypatch.setattr(evaluator, "head_to_head", lambda sides, seeds: HeadToHead(0.5, {}, {}))
    for _ in range(2):
        with Evaluator(run) as one:
            assert one.work()
    best = run.best()
    assert {role: best.window_id for role, best in best.roles.items()} == {"seeker": 1, "hider": 0}
    assert (best.value, best.window_id) == (7.0, 1)
    assert unpack(run.paths.best.read_bytes(), "it")["windows"] == {"seeker": 1, "hider": 0}


def test_only_so_many_of_a_role_are_remembered_the_best_first(tmp_path, monkeypatch):
    run = run_of(tmp_path, "prospector", "evaluation.replays=0", "run.windows=5")
    values = iter([3.0, 1.0, 2.0, 5.0, 4.0])
    monkeypatch.setattr(evaluator, "evaluate", lambda policies, seeds: {"value": next(values)})
    with Evaluator(run) as one:
        while one.waiting():
            one.work()
        assert [each.best.value for each in one.shortlist["pilot"]] == [5.0, 4.0, 3.0]
    assert (run.best().window_id, run.best().value) == (3, 5.0)


def start(folder, *options, **how):
    command = [sys.executable, "-m", "sandlot.evaluate.evaluator", str(folder), *options]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120, **how)


def test_an_evaluator_process_says_in_its_exit_code_how_it_ended(tmp_path):
    run = run_of(tmp_path, "prospector", "run.windows=1")
    done = start(run.paths.folder)
    assert (done.returncode, done.stderr) == (0, "") and len(judged(run)) == 1
    run.paths.config.write_text("[]")
    failed = start(run.paths.folder)
    assert failed.returncode == Damaged.exit_code != 0
    assert failed.stderr.startswith(str(run.paths.config)) and "Traceback" not in failed.stderr


def test_an_interrupted_evaluator_ends_with_130(tmp_path, monkeypatch):
    def interrupted(folder, orphaned):
        assert (folder, orphaned()) == (tmp_path, False)
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluator, "follow", interrupted)
    monkeypatch.setattr(evaluator, "lower_priority", lambda: None)
    monkeypatch.setattr(sys, "argv", ["evaluator", str(tmp_path)])
    assert evaluator.main() == 130


def test_input_that_is_open_says_nothing_and_closed_input_says_so(monkeypatch):
    reading, writing = os.pipe()
    kept = os.dup(0)
    try:
        os.dup2(reading, 0)
        gone = evaluator._watch_input()
        os.write(writing, b"still here")
        assert not gone()
        os.close(writing)
        deadline = time.monotonic() + 30
        while not gone():
            assert time.monotonic() < deadline
            time.sleep(0.001)
    finally:
        os.dup2(kept, 0)
        os.close(kept)
        os.close(reading)
