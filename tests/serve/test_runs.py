"""Runs and windows: the catalogue, one run, its metrics, and runs that are broken or go away."""

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from sandlot.runs import Replay, Store

from .making import serving

UNKNOWN = "20260131T090500Z-nothing"


def some_runs(root, count):
    """Runs without windows, a second apart."""
    start = datetime(2026, 1, 31, 9, 5, tzinfo=UTC)
    made = []
    for number in range(count):
        store = Store(root, lambda number=number: start + timedelta(seconds=number))
        with store.create(
            {}, revision="abcdef12", game="tag", trainer_backend="random", window_env_steps=10
        ) as run:
            made.append(run.run_id)
    return made


def test_runs_are_listed_newest_updated_first_with_count_and_total(tmp_path):
    made = some_runs(tmp_path, 5)
    with serving(runs=tmp_path) as site:
        body = site.get("/api/runs?limit=3").json()
    assert [run["run_id"] for run in body["runs"]] == made[:1:-1]
    assert (body["count"], body["total"]) == (3, 5)


def test_a_listed_run_has_every_field_the_brief_names(site):
    run = site.get("/api/runs").json()["runs"][0]
    named = {
        "run_id", "status", "trainer_backend", "env_steps_total", "windows_emitted", "checkpoints_written",
        "latest_checkpoint", "latest_replay", "replay_count", "started_at", "updated_at", "finished_at",
    }  # fmt: skip
    assert named <= set(run)
    assert run["replay_count"] == 2 and run["latest_replay"].startswith("replay-000001-")


def test_runs_are_found_by_game(site, run_ids):
    assert [run["run_id"] for run in site.get("/api/runs?game=tag").json()["runs"]] == [run_ids["tag"]]


def test_no_folder_is_no_run_and_no_error(tmp_path):
    with serving(runs=tmp_path / "nowhere") as site:
        assert site.get("/api/runs").json() == {"runs": [], "count": 0, "total": 0}
        assert site.get("/api/newest").json() == {"run": None, "window": None, "replay": None}


def test_a_run_that_appears_or_changes_is_seen_at_once(tmp_path):
    with serving(runs=tmp_path) as site:
        assert site.get("/api/runs").json()["total"] == 0
        (run_id,) = some_runs(tmp_path, 1)
        assert site.get("/api/newest").json()["run"]["status"] == "interrupted", "nobody holds it"
        with Store(tmp_path).resume(run_id) as run:
            assert site.get("/api/newest").json()["run"]["status"] == "running"
            run.finish("completed")
        assert site.get("/api/newest").json()["run"]["status"] == "completed"


def test_newest_is_the_newest_run_with_its_newest_window_and_replay(site, run_ids):
    body = site.get("/api/newest").json()
    assert body["run"]["run_id"] == body["replay"]["run_id"] == run_ids["prospector"]
    assert body["window"]["window_id"] == body["replay"]["window_id"] == 1


def test_one_run_tells_its_record_and_what_was_asked(site, trained, run_ids):
    body = site.get(f"/api/runs/{run_ids['tag']}").json()
    run = Store(trained).open(run_ids["tag"])
    assert body["metadata"] == run.record.to_json()
    assert body["config"] == run.config
    assert (body["replay_count"], body["window_count"]) == (2, 2)


@pytest.mark.parametrize(
    "tail",
    [
        "", "/metrics/windows", "/metrics/windows/0", "/ratings", "/league", "/analytics/completeness",
        "/replays", "/replays/replay-000000-00000000", "/replays/replay-000000-00000000/file", "/checkpoints",
        "/replays/replay-000000-00000000/frames", "/policies", "/policies/pilot/0.onnx", "/files",
        "/files/run.json", "/tags",
    ],
)  # fmt: skip
def test_an_unknown_run_is_a_404_with_a_sentence_everywhere(tail, site):
    answer = site.get(f"/api/runs/{UNKNOWN}{tail}")
    assert answer.status_code == 404
    assert UNKNOWN in answer.json()["detail"] and answer.json()["error"] == "not_found"


# ---------------------------------------------------------------- windows


def test_windows_come_newest_first_unless_asked_otherwise(site, run_ids):
    base = f"/api/runs/{run_ids['prospector']}/metrics/windows"
    assert [row["window_id"] for row in site.get(base).json()["windows"]] == [1, 0]
    assert [row["window_id"] for row in site.get(f"{base}?order=asc").json()["windows"]] == [0, 1]
    newest = site.get(f"{base}?order=asc&limit=1").json()
    assert [row["window_id"] for row in newest["windows"]] == [1]
    assert (newest["count"], newest["total"], newest["metrics_path"]) == (1, 2, "metrics/windows.jsonl")


def test_a_window_row_is_the_one_in_the_file(site, trained, run_ids):
    run = Store(trained).open(run_ids["tag"])
    body = site.get(f"/api/runs/{run_ids['tag']}/metrics/windows/1").json()
    assert body == run.windows()[1].to_json()


def test_an_unknown_window_is_a_404(site, run_ids):
    answer = site.get(f"/api/runs/{run_ids['tag']}/metrics/windows/77")
    assert answer.status_code == 404 and "no window 77" in answer.json()["detail"]


def test_a_run_without_windows_has_an_empty_list(tmp_path):
    (run_id,) = some_runs(tmp_path, 1)
    with serving(runs=tmp_path) as site:
        body = site.get(f"/api/runs/{run_id}/metrics/windows").json()
    assert body["windows"] == [] and body["total"] == 0


def test_a_row_that_is_being_written_is_not_shown_yet(breakable, copied, run_ids):
    path = copied / run_ids["tag"] / "metrics" / "windows.jsonl"
    with path.open("a") as file:
        file.write('{"schema_version": 1, "window_id": 2')
    assert breakable.get(f"/api/runs/{run_ids['tag']}/metrics/windows").json()["total"] == 2


def test_ratings_are_the_judgements_of_the_evaluator(site, trained, run_ids):
    run = Store(trained).open(run_ids["tag"])
    lines = [json.loads(line) for line in run.paths.evaluations.read_text().splitlines()]
    body = site.get(f"/api/runs/{run_ids['tag']}/ratings").json()
    assert [row["window_id"] for row in body["ratings"]] == [0, 1]
    assert body["ratings"][1]["ratings"]["seeker"] == lines[1]["seeker_rating"]
    assert body["best_window"] == run.best().window_id


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=5001", "limit=many", "order=sideways", "limit=-1", "limit=1e3", "limit="],
)
def test_a_window_query_out_of_range_is_a_422_that_names_the_count_socket(query, site, run_ids):
    answer = site.get(f"/api/runs/{run_ids['tag']}/metrics/windows?{query}")
    assert answer.status_code == 422
    assert answer.json()["field_errors"][0]["location"] == f"query.{query.partition('=')[0]}"


@pytest.mark.parametrize("limit", [0, 501])
def test_more_runs_than_fit_an_answer_are_refused(limit, site):
    assert site.get(f"/api/runs?limit={limit}").status_code == 422


# ---------------------------------------------------------------- broken and gone


def test_a_run_deleted_while_it_is_watched_is_a_404_with_a_sentence(breakable, copied, run_ids):
    base = f"/api/runs/{run_ids['tag']}"
    assert breakable.get(base).status_code == 200
    shutil.rmtree(copied / run_ids["tag"])
    for tail in ("", "/metrics/windows", "/replays", "/files", "/checkpoints"):
        answer = breakable.get(base + tail)
        assert answer.status_code == 404 and "any more" in answer.json()["detail"]
    assert run_ids["tag"] not in breakable.get("/api/runs").text


def test_a_broken_record_hides_its_own_run_alone(breakable, copied, run_ids):
    (copied / run_ids["tag"] / "run.json").write_text("{")
    assert [run["run_id"] for run in breakable.get("/api/runs").json()["runs"]] == [run_ids["prospector"]]
    answer = breakable.get(f"/api/runs/{run_ids['tag']}")
    assert answer.status_code == 422 and answer.json()["error"] == "damaged"
    assert str(copied) not in answer.text, "the sentence tells a path of the server"


def test_a_broken_catalogue_hides_replays_but_not_the_run(breakable, copied, run_ids):
    for suffix in ("-wal", "-shm"):
        (copied / run_ids["tag"] / f"replay_index.sqlite{suffix}").unlink(missing_ok=True)
    (copied / run_ids["tag"] / "replay_index.sqlite").write_bytes(b"no database" * 100)
    assert breakable.get("/api/runs").json()["total"] == 2
    answer = breakable.get(f"/api/runs/{run_ids['tag']}/replays")
    assert answer.status_code == 422 and "--reindex" in answer.json()["detail"]


def test_a_record_of_a_later_sandlot_is_a_409(breakable, copied, run_ids):
    path = copied / run_ids["tag"] / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"schema_version": 99}))
    answer = breakable.get(f"/api/runs/{run_ids['tag']}")
    assert (answer.status_code, answer.json()["error"]) == (409, "newer_schema")


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_run_folder_that_is_a_link_out_of_the_runs_is_no_run(breakable, copied, run_ids, tmp_path):
    shutil.move(copied / run_ids["tag"], tmp_path / "elsewhere")
    (copied / run_ids["tag"]).symlink_to(tmp_path / "elsewhere")
    assert breakable.get(f"/api/runs/{run_ids['tag']}").status_code == 404
    assert breakable.get("/api/runs").json()["total"] == 1


def test_a_league_is_found_by_who_took_part(breakable, copied, run_ids):
    assert breakable.get(f"/api/runs/{run_ids['tag']}/league").json()["found"] is False
    for name, run_id in (("tag-20260101T000000Z", run_ids["tag"]), ("tag-20260201T000000Z", "another")):
        folder = copied / "league" / name
        folder.mkdir(parents=True)
        report = {"game": "tag", "checkpoints": [{"run_id": run_id}], "standings": []}
        (folder / "league.json").write_text(json.dumps(report))
    body = breakable.get(f"/api/runs/{run_ids['tag']}/league").json()
    assert body["takes_part"] and body["path"] == "league/tag-20260101T000000Z/league.json"
    other = breakable.get(f"/api/runs/{run_ids['prospector']}/league").json()
    assert not other["found"] and "sandlot league prospector" in other["hint"]


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else"
)
def test_a_folder_that_may_only_be_read_is_served_all_the_same(copied, run_ids):
    assert Store(copied).open(run_ids["tag"]).index.count() == 2  # and whoever was at it has closed it
    for path in [copied, *copied.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    # the folders that pytest makes for itself, for each of its processes, and for this test
    inner = ("pytest-", "popen-", copied.parent.name)
    for parent in copied.parents:
        if parent.stat().st_uid == os.geteuid() and parent.name.startswith(inner):
            parent.chmod(0o755)
    code = (
        "import os, sys, sandlot; from sandlot.runs import Run; os.setuid(65534)\n"
        "index = Run(__import__('pathlib').Path(sys.argv[1])).index\n"
        "print(index.count(), index.find(limit=1)[0].window_id)"
    )
    folder = str(copied / run_ids["tag"])
    done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["2", "1"], done.stderr
    assert not list((copied / run_ids["tag"]).glob("*.sqlite-*")), "nothing was written there"


@pytest.mark.parametrize("game", ["tag", "prospector"])
def test_a_run_has_the_same_ids_and_counts_in_its_files_and_in_the_api(site, trained, run_ids, game):
    """run_id, window_env_steps, window_id, replay_id and tags, and what follows from them."""
    run, base = Store(trained).open(run_ids[game]), f"/api/runs/{run_ids[game]}"
    listed = site.get(f"/api/runs?game={game}").json()["runs"][0]
    size = run.config["run"]["window_env_steps"]
    assert listed["run_id"] == run.run_id == run.paths.folder.name
    assert listed["window_env_steps"] == run.record.window_env_steps == size
    rows = site.get(f"{base}/metrics/windows?order=asc").json()["windows"]
    for window, (body, row) in enumerate(zip(rows, run.windows(), strict=True)):
        assert body["window_id"] == row.window_id == window
        assert body["env_steps_in_window"] == row.env_steps_in_window == size
        assert body["env_steps_total"] == row.env_steps_total == (window + 1) * size
        assert body["ticks_in_window"] == row.ticks_in_window > size, (
            "a step of either game lasts several ticks"
        )
    assert listed["env_steps_total"] == run.record.env_steps_total == len(rows) * size
    for body in site.get(f"{base}/replays").json()["replays"]:
        header = Replay.read(run.paths.replay(body["replay_id"])).header
        assert (body["run_id"], body["window_id"], body["tags"]) == (
            run.run_id,
            header.window_id,
            header.tags,
        )
        assert body["replay_id"] == header.replay_id and "every_window" in body["tags"]
        assert body["checkpoint_env_steps_total"] == (header.window_id + 1) * size
    for body in site.get(f"{base}/checkpoints").json()["checkpoints"]:
        assert body["env_steps_total"] == (body["window_id"] + 1) * size


def test_a_run_names_its_experiment_trackers(breakable, copied, run_ids):
    run = Store(copied).open(run_ids["tag"])
    path = f"/api/runs/{run.run_id}"
    assert breakable.get(path).json()["trackers"] == []
    run.paths.tensorboard.mkdir(exist_ok=True)
    (run.paths.tensorboard / "events.out.tfevents.1.host").touch()
    (run.paths.folder / "wandb/offline-run-1").mkdir(parents=True)
    wandb, board = breakable.get(path).json()["trackers"]
    assert (wandb["url"], wandb["command"]) == (None, f"wandb sync runs/{run.run_id}/wandb/offline-run-1")
    assert board["command"] == f"tensorboard --logdir runs/{run.run_id}/tensorboard"
    record = json.loads(run.paths.record.read_text()) | {"wandb_run_url": "https://wandb.ai/a/b/runs/c"}
    run.paths.record.write_text(json.dumps(record))
    assert breakable.get(path).json()["trackers"][0]["url"] == "https://wandb.ai/a/b/runs/c"
