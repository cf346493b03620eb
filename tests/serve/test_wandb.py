"""The proxy to Weights & Biases, against a server of our own that speaks its GraphQL over real HTTP."""

import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from sandlot.serve import Settings
from sandlot.serve import wandb as wandb_module
from sandlot.serve.errors import ApiError
from sandlot.serve.wandb import WandbReader, key_metrics

from .making import serving

KEY = "0123456789abcdef0123456789abcdef01234567"
CONFIG = json.dumps({"ppo": {"value": {"clip": 0.2}}, "_wandb": {"value": {}}, "seed": {"value": 7}})
RUNS = {
    f"run{number}": {
        "name": f"run{number}", "displayName": f"the run {number}", "state": "finished", "config": CONFIG,
        "createdAt": "2026-01-31T09:05:00", "heartbeatAt": f"2026-01-31T1{number}:00:00", "tags": ["a"],
        "group": None, "jobType": "train", "historyLineCount": 3, "user": {"username": "somebody"},
        "summaryMetrics": json.dumps({"return_mean": 2.5, "env_steps_total": 3000}),
    }
    for number in range(3)
}  # fmt: skip
HISTORY = [{"_step": i, "return_mean": float(i), "env_steps_total": 1000 * i} for i in range(1, 4)]


class Upstream(ThreadingHTTPServer):
    """W&B as far as we ask it. `mood` decides how it misbehaves."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.mood, self.asked = "good", []

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.asked.append((self.path, self.headers.get("Authorization"), body))
        if server.mood == "slow":
            time.sleep(3)
        if server.mood == "moved":
            self.send_response(302)
            self.send_header("Location", server.elsewhere + "/graphql")
            self.end_headers()
            return
        status = {"forbidden": 401, "broken": 500}.get(server.mood, 200)
        answer = {
            "garbage": b"<html>",
            "refusing": json.dumps({"errors": [{"message": f"bad key {KEY}"}]}).encode(),
            "shapeless": json.dumps({"data": {"project": {"run": {"name": None, "tags": 5}}}}).encode(),
            "nan": b'{"data": {"project": {"run": {"history": ["{\\"a\\": NaN}"]}}}}',
        }.get(server.mood) or json.dumps({"data": {"project": self.project(body)}}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def project(self, body):
        asked = body["variables"]
        if (asked["entity"], asked["project"]) != ("us", "game"):
            return None
        if "runs(" in body["query"]:
            newest = list(RUNS.values())[::-1][: asked["first"]]
            return {"runs": {"edges": [{"node": run} for run in newest]}}
        run = RUNS.get(asked["name"])
        if run is None:
            return {"run": None}
        if "sampledHistory" in body["query"]:
            spec = json.loads(asked["specs"][0])
            rows = [row for row in HISTORY if all(key in row for key in spec["keys"])]
            return {"run": {"sampledHistory": [rows[: spec["samples"]]]}}
        if "history(" in body["query"]:
            return {"run": {"history": [json.dumps(row) for row in HISTORY[: asked["samples"]]]}}
        return {"run": run}

    def log_message(self, *_):
        pass


@pytest.fixture
def upstream():
    with Upstream() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def proxy(upstream, trained):
    settings = {"wandb_entity": "us", "wandb_project": "game", "wandb_timeout_seconds": 1.0}
    with serving(runs=trained, wandb_base_url=upstream.address, wandb_api_key=KEY, **settings) as site:
        yield site


def test_the_newest_runs_are_listed(proxy, upstream):
    body = proxy.get("/api/wandb/runs/latest?limit=2").json()
    assert [run["id"] for run in body["runs"]] == ["run2", "run1"]
    assert (body["entity"], body["project"], body["count"]) == ("us", "game", 2)
    path, authorization, _ = upstream.asked[0]
    assert path == "/graphql" and authorization == "Basic " + base64.b64encode(f"api:{KEY}".encode()).decode()


def test_a_run_comes_with_config_and_summary(proxy):
    run = proxy.get("/api/wandb/runs/run1/summary").json()["run"]
    assert run["config"] == {"ppo": {"clip": 0.2}, "seed": 7}, "unwrapped, without W&B's own notes"
    assert run["summary"] == {"return_mean": 2.5, "env_steps_total": 3000}
    assert (run["name"], run["user"], run["url"]) == (
        "the run 1",
        "somebody",
        "https://wandb.ai/us/game/runs/run1",
    )


def test_history_has_the_keys_and_points_asked_for(proxy, upstream):
    body = proxy.get("/api/wandb/runs/run1/history?keys=return_mean,env_steps_total&max_points=2").json()
    assert body["keys"] == ["return_mean", "env_steps_total"] and body["rows"] == HISTORY[:2]
    assert json.loads(upstream.asked[-1][2]["variables"]["specs"][0])["samples"] == 2
    assert proxy.get("/api/wandb/runs/run1/history").json()["rows"] == HISTORY


def test_the_iteration_view_has_run_history_and_key_metrics(proxy):
    body = proxy.get("/api/wandb/runs/run1/iteration-view").json()
    assert body["run"]["id"] == "run1" and body["history"]["count"] == 3
    assert {"key": "return_mean", "last": 2.5, "best": 3.0, "change": 2.0} in body["kpis"]


def test_answers_are_kept_for_a_while(proxy, upstream):
    for _ in range(3):
        proxy.get("/api/wandb/runs/run1/summary")
    assert len(upstream.asked) == 1
    assert proxy.get("/api/wandb/status").json()["cache"]["hits"] == 2
    proxy.context.wandb._clock = lambda: time.monotonic() + 31
    proxy.get("/api/wandb/runs/run1/summary")
    assert len(upstream.asked) == 2


def test_another_entity_and_project_can_be_asked(proxy, upstream):
    assert proxy.get("/api/wandb/runs/latest?entity=others&project=thing").json()["runs"] == []
    assert upstream.asked[-1][2]["variables"]["entity"] == "others"


def test_an_unknown_run_is_a_404(proxy):
    answer = proxy.get("/api/wandb/runs/nothing/summary")
    assert answer.status_code == 404 and "us/game" in answer.json()["detail"]


@pytest.mark.parametrize("mood", ["forbidden", "broken", "garbage", "refusing", "slow", "shapeless"])
def test_trouble_upstream_is_a_502_with_a_sentence_and_without_the_key(mood, proxy, upstream):
    upstream.mood = mood
    answer = proxy.get("/api/wandb/runs/run1/summary")
    assert (answer.status_code, answer.json()["error"]) == (502, "upstream")
    assert answer.json()["detail"].startswith("Weights & Biases could not be read")
    assert KEY not in answer.text


def test_trouble_is_not_kept(proxy, upstream):
    upstream.mood = "broken"
    assert proxy.get("/api/wandb/runs/run1/summary").status_code == 502
    upstream.mood = "good"
    assert proxy.get("/api/wandb/runs/run1/summary").status_code == 200


def test_a_redirect_does_not_carry_the_key_elsewhere(proxy, upstream):
    with Upstream() as elsewhere:
        threading.Thread(target=elsewhere.serve_forever, daemon=True).start()
        upstream.mood, upstream.elsewhere = "moved", elsewhere.address
        assert proxy.get("/api/wandb/runs/run1/summary").status_code == 502
        assert elsewhere.asked == []
        elsewhere.shutdown()


def test_nobody_upstream_is_a_502(trained):
    settings = {"wandb_entity": "us", "wandb_project": "game", "wandb_api_key": KEY}
    with serving(runs=trained, wandb_base_url="http://127.0.0.1:9", **settings) as site:
        assert site.get("/api/wandb/runs/latest").status_code == 502


def test_a_number_that_is_none_comes_as_nothing(proxy, upstream):
    upstream.mood = "nan"
    assert proxy.get("/api/wandb/runs/run1/history").json()["rows"] == [{"a": None}]


def test_no_entity_or_project_is_a_400_that_says_how_to_name_one(upstream, trained):
    with serving(runs=trained, wandb_base_url=upstream.address, wandb_api_key=KEY) as site:
        answer = site.get("/api/wandb/runs/latest")
        assert answer.status_code == 400 and "SANDLOT_WANDB_ENTITY" in answer.json()["detail"]
        assert site.get("/api/wandb/runs/latest?entity=us").status_code == 400
        assert site.get("/api/wandb/runs/latest?entity=us&project=game").status_code == 200


def test_without_a_key_it_is_unavailable_and_says_why(site):
    status = site.get("/api/wandb/status").json()
    assert not status["available"] and "SANDLOT_WANDB_API_KEY" in status["reason"]
    for path in ("latest", "x/summary", "x/history", "x/iteration-view"):
        assert site.get(f"/api/wandb/runs/{path}?entity=us&project=game").status_code == 503


def test_the_key_is_in_no_answer(proxy):
    paths = [
        "/api/wandb/status",
        "/api/wandb/runs/latest",
        "/openapi.json",
        "/health",
        "/api/wandb/runs/none/summary",
    ]
    assert not any(KEY in proxy.get(path).text for path in paths)
    assert KEY not in repr(proxy.context.settings)


@pytest.mark.parametrize(
    "path",
    [
        "latest?limit=0", "latest?limit=51", "latest?entity=a/b", "x/history?max_points=0", "a%20b/summary",
        "x/history?max_points=5001", "x/history?keys=" + ",".join(map(str, range(65))),
    ],
)  # fmt: skip
def test_a_question_out_of_range_is_a_422(path, proxy, upstream):
    assert proxy.get(f"/api/wandb/runs/{path}").status_code == 422
    assert upstream.asked == []


def test_as_many_keys_as_fit_are_asked_for_each_once(proxy, upstream):
    keys = ",".join([*map(str, range(64)), " 0", ""])
    answer = proxy.get(f"/api/wandb/runs/run1/history?keys={keys}")
    assert answer.status_code == 200 and answer.json()["keys"] == [str(i) for i in range(64)]


# ---------------------------------------------------------------- completeness

SOURCES = ["run_metadata", "window_metrics", "replay_timeline", "wandb_summary", "wandb_history"]


def coverage(site, run_id, query=""):
    body = site.get(f"/api/runs/{run_id}/analytics/completeness?{query}").json()
    return body, {row["key"]: row for row in body["coverage"]}


def test_completeness_tells_of_five_sources_and_the_worst_counts(site, run_ids):
    body, rows = coverage(site, run_ids["prospector"])
    assert list(rows) == SOURCES
    assert [rows[key]["status"] for key in SOURCES] == ["ok", "ok", "ok", "missing", "missing"]
    assert body["overall_status"] == "missing"
    assert body["status_counts"] == {"ok": 3, "stale": 0, "missing": 2, "error": 0}
    assert rows["window_metrics"]["observed_count"] == rows["replay_timeline"]["observed_count"] == 2
    assert rows["window_metrics"]["lineage"]["path"] == "metrics/windows.jsonl"
    assert body["wandb_scope"]["project"] == "asteroid-prospector" and not body["wandb_scope"]["available"]


def test_with_everything_there_the_run_is_complete(proxy, run_ids):
    day_s = 604_800
    body, rows = coverage(proxy, run_ids["tag"], f"wandb_run_id=run1&stale_after_seconds={day_s}")
    assert rows["wandb_summary"]["missing_fields"] == [] and rows["wandb_history"]["observed_count"] == 3
    assert rows["wandb_summary"]["status"] in ("ok", "stale"), "its time is a fixed day"
    assert body["overall_status"] in ("ok", "stale")


def test_trouble_of_a_source_is_a_row_not_an_error(proxy, upstream, run_ids):
    upstream.mood = "broken"
    body, rows = coverage(proxy, run_ids["tag"], "wandb_run_id=run1")
    assert (
        rows["wandb_summary"]["status"]
        == rows["wandb_history"]["status"]
        == body["overall_status"]
        == "error"
    )
    assert "500" in rows["wandb_summary"]["notes"][0] and KEY not in json.dumps(body)


def test_what_is_damaged_is_an_error_and_what_is_not_there_is_missing(breakable, copied, run_ids):
    (copied / run_ids["tag"] / "metrics" / "windows.jsonl").write_text("nonsense\n")
    assert coverage(breakable, run_ids["tag"])[1]["window_metrics"]["status"] == "error"
    (copied / run_ids["tag"] / "metrics" / "windows.jsonl").unlink()
    assert coverage(breakable, run_ids["tag"])[1]["window_metrics"]["status"] == "missing"


def test_a_row_without_a_required_field_is_missing_and_named(breakable, copied, run_ids):
    path = copied / run_ids["tag"] / "metrics" / "windows.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        del row["seeker_win_rate"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = coverage(breakable, run_ids["tag"])[1]["window_metrics"]
    assert (found["status"], found["missing_fields"]) == ("missing", ["seeker_win_rate"])


def test_what_is_old_is_stale(breakable, copied, run_ids):
    path = copied / run_ids["tag"] / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"updated_at": "2020-01-01T00:00:00.000Z"}))
    row = coverage(breakable, run_ids["tag"])[1]["run_metadata"]
    assert row["status"] == "stale" and "ended at" in row["notes"][0]


@pytest.mark.parametrize(
    "query", ["stale_after_seconds=59", "stale_after_seconds=604801", "wandb_history_max_points=0"]
)
def test_a_completeness_query_out_of_range_is_a_422(query, site, run_ids):
    assert site.get(f"/api/runs/{run_ids['tag']}/analytics/completeness?{query}").status_code == 422


# ---------------------------------------------------------------- the reader itself


@pytest.fixture
def reader():
    """A reader whose questions are counted and answered from a list, at a time that can be set."""
    now, posted, answers = [0.0], [], []
    made = WandbReader(Settings(wandb_api_key=KEY, wandb_cache_seconds=30), clock=lambda: now[0])
    made._post = lambda body: (
        posted.append(json.loads(body)) or (answers.pop(0) if answers else b'{"data":{}}')
    )
    return SimpleNamespace(ask=made._query, now=now, posted=posted, answers=answers, reader=made)


def test_an_answer_is_kept_for_exactly_its_time(reader):
    for moment, posted in ((0.0, 1), (29.99, 1), (30.0, 2), (59.99, 2)):
        reader.now[0] = moment
        reader.ask("question", name="a")
        assert len(reader.posted) == posted
    assert (reader.reader.hits, reader.reader.misses) == (2, 2)
    assert reader.posted[0] == {"query": "question", "variables": {"name": "a"}}


def test_256_answers_are_kept_and_the_oldest_goes(reader):
    for n in range(257):
        reader.ask("question", name=n)
    assert reader.reader.status()["cache"]["entries"] == 256
    reader.ask("question", name=1)
    assert len(reader.posted) == 257
    reader.ask("question", name=0)
    assert len(reader.posted) == 258


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (b"<html>", "its answer is not JSON."),
        (b"[]", "its answer is not JSON."),
        (b"{}", "its answer has no data."),
        (b'{"data": null}', "its answer has no data."),
        (b'{"errors": [{"message": "no"}], "data": {}}', "it refused: no"),
        (b'{"errors": ["no"]}', "it refused: no"),
        (b'{"errors": "no"}', "it refused: no"),
        (json.dumps({"errors": [{"message": "x" * 999}]}).encode(), f"it refused: {'x' * 200}"),
    ],
)
def test_an_answer_without_data_is_refused_and_not_kept(reader, answer, sentence):
    reader.answers.append(answer)
    with pytest.raises(ApiError) as refused:
        reader.ask("question")
    assert refused.value.status == 502 and refused.value.detail.endswith(f": {sentence}")
    assert reader.reader.status()["cache"]["entries"] == 0


class Trickle:
    """An answer that comes in parts."""

    def __init__(self, *parts):
        self.parts = list(parts)

    def read1(self, most):
        assert most == 65_536
        return self.parts.pop(0) if self.parts else b""


def test_an_answer_of_32_mib_is_read_and_one_byte_more_is_refused():
    part = bytes(16 << 20)
    assert len(wandb_module._within(Trickle(part, part), 9)) == 32 << 20
    with pytest.raises(ApiError, match="larger than 32 MiB"):
        wandb_module._within(Trickle(part, part, b"x"), 9)


def test_an_answer_that_trickles_is_given_up_after_its_time(monkeypatch):
    times = iter([0.0, 9.0, 9.0, 9.01])
    monkeypatch.setattr(wandb_module.time, "monotonic", lambda: next(times))
    with pytest.raises(TimeoutError):
        wandb_module._within(Trickle(b"a", b"b", b"c", b"d"), 9.0)


def test_key_metrics_are_the_last_the_best_and_the_change():
    rows = [{"return_mean": 1.0}, {"return_mean": 5.0}, {"return_mean": 3.0}, {"return_mean": None}]
    assert key_metrics({"survival_rate": 0.5, "net_profit_mean": "many"}, rows) == [
        {"key": "return_mean", "last": 3.0, "best": 5.0, "change": 2.0},
        {"key": "survival_rate", "last": 0.5, "best": 0.5, "change": None},
    ]
    assert key_metrics({"return_mean": 9.0}, rows[:1]) == [
        {"key": "return_mean", "last": 9.0, "best": 9.0, "change": None}
    ]


def test_a_status_says_what_can_be_asked_and_where():
    status = WandbReader(Settings(wandb_api_key=KEY, wandb_base_url="https://w.example/")).status()
    assert status["available"] is True and status["reason"] is None
    assert status["cache"] == {"seconds": 30.0, "entries": 0, "hits": 0, "misses": 0}
    assert status["notes"][1] == "Reads https://w.example." and len(status["operations"]) == 4
    assert WandbReader(Settings(wandb_api_key="  ")).status()["available"] is False


def test_only_a_refused_key_is_asked_about(proxy, upstream):
    for mood, asked in (("forbidden", True), ("broken", False)):
        upstream.mood = mood
        detail = proxy.get("/api/wandb/runs/run1/summary").json()["detail"]
        assert ("Is the key right?" in detail) is asked
