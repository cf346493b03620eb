"""The memory of a server that people use for long: what was taken for them comes back."""

import contextlib
import re
import sys
from pathlib import Path

import httpx
import pytest

from .test_command import address_of, started

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

SESSIONS, ROUNDS = 200, 3
SESSION_MB, GROWTH_MB = 0.5, 12.0


@contextlib.contextmanager
def serving(runs):
    """A server in a process of its own, and a client for it."""
    with (
        started("--runs", str(runs), "--port", "0", "--no-open") as child,
        httpx.Client(base_url=address_of(child), timeout=60) as client,
    ):
        yield child, client


def rss_mb(process) -> float:
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def test_sessions_take_little_and_give_it_back(trained, run_ids):
    with serving(trained) as (child, client):
        bodies = [{"game": "prospector"}, {"game": "tag"}]
        _churn(client, bodies, 20)  # what is loaded on the first use
        before = rss_mb(child)
        full = []
        for _ in range(ROUNDS):
            made = _begin(client, bodies, SESSIONS)
            full.append(rss_mb(child))
            _end(client, made)
        after = rss_mb(child)
        assert client.get("/health").json()["sessions"] == 0
        assert max(full) - before < SESSIONS * SESSION_MB, full
        assert after - before < GROWTH_MB, (before, full, after)


def test_watching_and_asking_again_and_again_takes_no_more_memory(trained, run_ids):
    with serving(trained) as (child, client):
        paths = ["/api/newest", "/api/runs", "/docs"]
        for run_id in run_ids.values():
            newest = client.get(f"/api/runs/{run_id}/replays").json()["replays"][0]["replay_id"]
            paths += [
                f"/api/runs/{run_id}/replays/{newest}/frames",
                f"/api/runs/{run_id}/metrics/windows",
            ]
        for _ in range(5):
            _ask(client, paths)
        before = rss_mb(child)
        for _ in range(60):
            _ask(client, paths)
        assert rss_mb(child) - before < GROWTH_MB


def _churn(client, bodies, count):
    _end(client, _begin(client, bodies, count))


def _begin(client, bodies, count):
    made = [
        client.post("/api/play/session", json=bodies[i % len(bodies)]).json()["session_id"]
        for i in range(count)
    ]
    for session in made[::2]:
        assert client.post(f"/api/play/session/{session}/step", json={"action": 6}).status_code == 200
    return made


def _end(client, made):
    for session in made:
        assert client.delete(f"/api/play/session/{session}").status_code == 200


def _ask(client, paths):
    for path in paths:
        assert client.get(path).status_code == 200, path
