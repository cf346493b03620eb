"""A real trainer writes while the site reads: nothing is half there, and what is new appears by itself."""

import subprocess
import sys
import time

import pytest
from starlette.routing import WebSocketRoute

from sandlot.runs import Replay, Store

from .making import serving

WORDS = ("ppo.num_envs=16", "ppo.num_steps=16", "run.window_env_steps=1400", "ppo.num_minibatches=4")
LIGHT = ("network.hidden_sizes=[16]", "evaluation.episodes=2", "run.threads=1")
WINDOWS = 6


@pytest.mark.slow
def test_a_run_is_watched_while_it_is_trained(tmp_path):
    root = tmp_path / "runs"
    settings = [word for setting in (*WORDS, *LIGHT) for word in ("--set", setting)]
    command = [sys.executable, "-m", "sandlot", "train", "tag", "--windows", str(WINDOWS), *settings]
    with serving(runs=root, cache=tmp_path / "cache") as site:
        trainer = subprocess.Popen(
            [*command, "--runs", str(root)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        try:
            seen = watch(site, trainer)
        finally:
            trainer.kill()
            _, output = trainer.communicate()
    assert trainer.returncode == 0, output
    assert seen["windows"] == sorted(seen["windows"]) and seen["windows"][-1] == WINDOWS
    assert len(set(seen["windows"])) > 2, "windows appeared one after the other"
    assert len(seen["replays"]) == WINDOWS
    assert seen["statuses"] == {200}
    assert seen["looks"] > 10


def watch(site, trainer, seconds=240.0):
    """Ask for everything again and again until the trainer has ended; once more after that."""
    seen = {"windows": [], "replays": set(), "statuses": set(), "looks": 0}
    stop = time.monotonic() + seconds
    while time.monotonic() < stop:
        ended = trainer.poll() is not None
        newest = ask(site, seen, "/api/newest")
        if newest["run"]:
            look(site, seen, f"/api/runs/{newest['run']['run_id']}", newest)
        if ended:
            return seen
        time.sleep(0.02)
    raise AssertionError("the training did not end in time")


def look(site, seen, base, newest):
    seen["looks"] += 1
    windows = ask(site, seen, f"{base}/metrics/windows?order=asc&limit=5000")["windows"]
    assert [row["window_id"] for row in windows] == list(range(len(windows))), "no row is missing or torn"
    seen["windows"].append(len(windows))
    for path in ("", "/checkpoints", "/ratings", "/tags", "/files", "/analytics/completeness"):
        ask(site, seen, base + path)
    replay = newest["replay"]
    if replay and replay["replay_id"] not in seen["replays"]:
        page = ask(site, seen, f"{base}/replays/{replay['replay_id']}/frames?limit=20")
        assert page["count"] == 20
        Replay.from_bytes(site.get(f"{base}/replays/{replay['replay_id']}/file").content)
    for entry in ask(site, seen, f"{base}/replays")["replays"]:
        seen["replays"].add(entry["replay_id"])


def ask(site, seen, path):
    answer = site.get(path)
    seen["statuses"].add(answer.status_code)
    assert answer.status_code == 200, f"{path}: {answer.text}"
    return answer.json()


# ---------------------------------------------------------------- record, then play


def _addresses(app):
    """Every address of the app, and those among them that are sockets."""
    routes = [*app.routes, *(inner for route in app.routes for inner in getattr(route, "routes", []))]
    paths = {route.path: route for route in routes if hasattr(route, "path")}
    return paths, {path for path, route in paths.items() if isinstance(route, WebSocketRoute)}


def test_frames_come_from_recorded_replays_only(tmp_path):
    """A training that runs and has recorded nothing yet shows no frame anywhere, by HTTP or by socket."""
    about = {"game": "tag", "trainer_backend": "ppo", "window_env_steps": 1000}
    with Store(tmp_path).create({}, **about) as run, serving(runs=tmp_path) as site:
        described = site.get("/openapi.json").json()["paths"]
        frames = {path for path in described if "frame" in path}
        paths, sockets = _addresses(site.app)
        assert run.record.status == "running" and frames
        assert sockets <= {"/ws/runs/{run_id}/replays/{replay_id}/frames"}, "no other socket"
        assert all("{replay_id}" in path for path in frames), "frames belong to a replay"
        for path in frames:
            asked = path.replace("{run_id}", run.run_id).replace("{replay_id}", "replay-000000-00000000")
            assert site.get(asked).status_code == 404
        streams = [
            path
            for path, methods in described.items()
            if any("event-stream" in kind for kind in str(methods).split("'"))
        ]
        assert streams == [] and paths
        assert site.get(f"/api/runs/{run.run_id}/replays").json()["total"] == 0
