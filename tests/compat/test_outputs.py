"""The files that the tag brief names: rows in order, earlier ones kept, nothing of another session."""

import csv
import json
import os
import subprocess
from pathlib import Path

import pytest

from sandlot.compat import outputs
from sandlot.compat.outputs import MATCH_COLUMNS, Publisher, collect, earlier_metrics, revision, write_metrics
from sandlot.policies import Policy, load_policy
from sandlot.policies.config import NetworkConfig
from sandlot.policies.policy import SHARED
from sandlot.runs import Retention, Store
from sandlot.worlds import load_spec

SESSION = Path("trainer/logs/runs/live/one")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make_run(winners, shared=False, weights=True):
    config = {"selfplay": {"shared": shared}}
    with Store("runs").create(config, game="tag", trainer_backend="ppo", window_env_steps=10) as run:
        log = run.episode_log(["winner"], {"winner": ("none", "seeker", "hider")}, ("seeker", "hider"))
        if winners:
            log.append({"winner": winners, "episode": 7}, len(winners))
        for role in ("seeker", "hider") if weights else ():
            run.paths.policy(role).parent.mkdir(exist_ok=True)
            run.paths.policy(role).write_bytes(
                Policy(load_spec("tag"), role, NetworkConfig(hidden_sizes=(4,)), seed=1).to_bytes()
            )
    return run


def rows(path):
    with Path(path).open() as file:
        return list(csv.DictReader(file))


def test_rows_of_the_run_follow_those_of_earlier_sessions_and_are_counted_through():
    write_metrics(outputs.METRICS, [{"winner": "hider"}, {"winner": "seeker"}])
    publisher = Publisher(make_run([1, 2]), SESSION, {"who": "me"})
    for _ in range(2):  # again after the next commit: not twice the same
        publisher.publish()
    assert [(r["episode"], r["winner"]) for r in rows(outputs.METRICS)] == [
        ("0", "hider"), ("1", "seeker"), ("2", "seeker"), ("3", "hider"),
    ]  # fmt: skip
    assert [r["winner"] for r in rows(SESSION / "metrics.csv")] == ["seeker", "hider"]
    written = json.loads((SESSION / "metadata.json").read_text())
    assert written["who"] == "me" and written["run"] == publisher.run.run_id and written["platform"]
    assert Path("trainer/logs/latest_run.txt").read_text() == f"{SESSION}\n"


def test_a_publisher_listens_to_commits_and_the_end_alone():
    class Committed: ...

    class Ended: ...

    class Progressed: ...

    publisher = Publisher(make_run([1]), SESSION, {})
    publisher(Progressed())
    assert not outputs.METRICS.exists()
    for event in (Committed(), Ended()):
        publisher(event)
        assert len(rows(outputs.METRICS)) == 1
        outputs.METRICS.unlink()


def test_a_summary_counts_the_matches_of_the_session():
    publisher = Publisher(make_run([1, 1, 2, 0]), SESSION, {})
    publisher.publish()
    publisher.summarise("completed", 12.345)
    written = json.loads((SESSION / "summary.json").read_text())
    assert written == {
        "run": publisher.run.run_id, "status": "completed", "seconds": 12.3, "episodes": 4, "seeker_wins": 2,
        "hider_wins": 1,
    }  # fmt: skip


def test_a_file_with_other_columns_is_moved_aside(here):
    path = here / "metrics.csv"
    assert earlier_metrics(path) == []
    path.write_text("a,b\n1,2\n")
    assert earlier_metrics(path) == [] and not path.exists()
    assert [p.read_text() for p in here.glob("*") if p.is_file()] == ["a,b\n1,2\n"]
    write_metrics(path, [{"winner": "seeker", "unknown": "left out"}])
    assert path.read_text().splitlines()[0] == ",".join(MATCH_COLUMNS)
    assert [row["winner"] for row in earlier_metrics(path)] == ["seeker"]


@pytest.mark.parametrize("shared", [False, True])
def test_weights_are_published_for_each_role_and_for_both(shared):
    outputs.publish_policies(make_run([], shared=shared))
    for role in ("seeker", "hider"):
        assert load_policy(outputs.policy_file(role)).role == role
        assert load_policy(outputs.POLICY, role).role == role
    if shared:
        assert load_policy(outputs.POLICY).role == SHARED


def test_a_run_without_weights_replaces_none():
    Path("trainer").mkdir()
    outputs.POLICY.write_bytes(b"mine")
    outputs.publish_policies(make_run([], weights=False))
    assert outputs.POLICY.read_bytes() == b"mine" and not outputs.policy_file("seeker").exists()


# ---------------------------------------------------------------- the bundle


def test_a_bundle_holds_what_is_there_and_says_what(here, monkeypatch):
    monkeypatch.setenv("AI_TRAJECTORIES_DIR", str(here / "paths"))
    write_metrics(outputs.METRICS, [])
    Path("charts").mkdir()
    Path("charts/a.png").write_bytes(b"a")
    Path("own.log").write_text("log")
    frames = here / "frames"
    frames.mkdir()
    for i in range(5):
        (frames / f"frame_{i}.png").write_bytes(b"f")
    Path("path.jsonl").write_text("{}\n")
    bundle = here / "bundle"
    took = collect(bundle, [Path("own.log"), Path("gone.log")], Path("path.jsonl"), frames, 2)
    assert took == ["own.log", "metrics.csv", "trajectory.jsonl", "charts", "frames", "metadata.txt"]
    assert sorted(p.name for p in (bundle / "frames").iterdir()) == ["frame_3.png", "frame_4.png"]
    assert (bundle / "trajectory.jsonl").read_text() == "{}\n" and (bundle / "charts" / "a.png").exists()
    facts = (bundle / "metadata.txt").read_text()
    assert "git head: " in facts and f"folder: {here}" in facts and "python: 3." in facts


def test_a_bundle_leaves_out_what_is_older_than_its_session(here, monkeypatch):
    monkeypatch.setenv("AI_TRAJECTORIES_DIR", str(here / "paths"))
    (here / "paths").mkdir()
    (here / "paths" / "ep_000001.jsonl").write_text("{}\n")
    write_metrics(outputs.METRICS, [])
    Path("charts").mkdir()
    Path("charts/old.png").write_bytes(b"a")
    for path in (outputs.METRICS, Path("charts/old.png"), here / "paths" / "ep_000001.jsonl"):
        os.utime(path, ns=(1000, 1000))
    Path("charts/new.png").write_bytes(b"b")
    os.utime("charts/new.png", ns=(2000, 2000))
    assert collect(here / "b", since_ns=2000) == ["charts", "metadata.txt"]
    assert [p.name for p in (here / "b" / "charts").iterdir()] == ["new.png"]
    took = collect(here / "all", since_ns=1000)
    assert took == ["metrics.csv", "ep_000001.jsonl", "charts", "metadata.txt"]


def test_a_bundle_takes_the_newest_eight_checkpoints(here):
    about = {"game": "tag", "trainer_backend": "ppo", "window_env_steps": 10}
    with Store("runs").create({}, Retention(newest=10), **about) as run:
        for window in range(10):
            run.commit(window, b"w")
    assert "checkpoints" in collect(here / "b")
    kept = sorted(p.name for p in (here / "b" / "checkpoints").iterdir())
    assert kept[0] == "ckpt_000002.pt" and len(kept) == 8
    assert outputs.FRAMES_LIMIT == 600


def test_a_film_and_a_session_are_named_by_their_time():
    assert outputs.film_path().name.startswith("learn_progress-") and outputs.film_path().suffix == ".mp4"
    assert len(outputs.stamp()) == 15 and outputs.stamp()[8] == "_"


# ---------------------------------------------------------------- which code it was


def git(folder, *words):
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", "-C", folder, *identity, *words], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_bundle_says_which_commit_and_branch_it_is_and_what_was_changed(here):
    git(here, "init", "--initial-branch=work")
    (here / "a.txt").write_text("1")
    git(here, "add", "a.txt"), git(here, "commit", "-m", "One")
    clean = {"repository": str(here), "git head": git(here, "rev-parse", "HEAD"), "git branch": "work"}
    assert revision(here) == clean | {"git changes": "none"}
    (here / "a.txt").write_text("2")
    (here / "b.txt").write_text("not tracked")
    assert revision(here) == clean | {"git changes": "1 files differ from it"}


def test_a_bundle_says_why_the_commit_is_not_known(here, monkeypatch):
    git(here, "init")
    assert revision(here)["git head"].startswith("unknown: fatal: ")  # nothing was committed
    monkeypatch.setenv("PATH", str(here))
    assert revision(here)["git head"] == "unknown: git is not installed"
    (here / "git").write_text("#!/bin/sh\n")  # nobody may run it
    assert revision(here)["git branch"] == "unknown: git did not answer"


def test_code_without_a_checkout_has_no_commit(here):
    assert {value.partition(":")[0] for value in revision(here).values()} == {"none"}
