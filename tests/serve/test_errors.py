"""Every error has one shape, whoever refuses: the routes, the framework, the guard at the door."""

import contextlib
import socket
import time

import pytest
from starlette.exceptions import HTTPException

from sandlot.serve import errors

from .making import serving

SHAPE = {"status_code", "error", "detail", "field_errors"}


def check(answer, status, error=None):
    assert answer.status_code == status, answer.text
    data = answer.json()
    assert set(data) == SHAPE and data["status_code"] == status
    assert data["detail"][0].isupper() or data["detail"].startswith(("query", "body", "path", "set="))
    assert data["detail"].rstrip().endswith((".", "?"))
    assert error is None or data["error"] == error
    return data


@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/nothing", "/api/runs/", "/ws/x", "/health/x", "/api/play"]
)
def test_an_unknown_address_of_the_api_is_a_404_in_the_one_shape(path, site):
    check(site.get(path), 404)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/runs"),
        ("DELETE", "/api/games"),
        ("PUT", "/health"),
        ("PATCH", "/api/play/session"),
        ("GET", "/api/play/session"),
    ],
)
def test_another_method_is_a_405_that_says_which_there_are(method, path, site):
    answer = site.client.request(method, path)
    check(answer, 405, "method_not_allowed")
    assert answer.headers["allow"]


def test_every_method_of_an_address_is_allowed_by_name(site):
    assert site.client.put("/api/play/session/x").headers["allow"] == "DELETE, GET"


def test_a_body_too_large_is_a_413_whether_it_says_so_or_not(site):
    large = b'{"seed": ' + b" " * 100_000 + b"1}"
    kind = {"Content-Type": "application/json"}
    check(site.post("/api/play/session", content=large, headers=kind), 413, "too_large")
    check(site.post("/api/play/session", content=iter([large]), headers=kind), 413, "too_large")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "json"]
)
def test_a_body_of_another_kind_is_a_415(kind, site):
    headers = {"Content-Type": kind} if kind else {}
    check(site.post("/api/play/session", content=b'{"seed": 1}', headers=headers), 415, "wrong_kind")


def test_json_with_a_character_set_is_json(site):
    headers = {"Content-Type": "application/json; charset=utf-8"}
    assert site.post("/api/play/session", content=b'{"seed": 1}', headers=headers).status_code == 200


def test_a_body_that_never_arrives_is_a_408(trained):
    with serving(runs=trained, client_seconds=0.5) as site:
        host, port = site.address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as slow:
            head = "POST /api/play/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            slow.sendall(f"{head}Content-Length: 50\r\n\r\n{{".encode())
            answer = b"".join(iter(lambda: slow.recv(4096), b""))
        assert answer.startswith(b"HTTP/1.1 408") and b"too_slow" in answer


def test_a_request_whose_head_never_ends_is_dropped(trained):
    with serving(runs=trained, client_seconds=0.5) as site:
        host, port = site.address.removeprefix("http://").split(":")
        for begun in (b"", b"GET /health HTTP/1.1\r\nHost: x\r\n"):
            with socket.create_connection((host, int(port)), timeout=10) as slow:
                slow.sendall(begun)
                with contextlib.suppress(ConnectionResetError):
                    assert slow.recv(1024) == b""


def test_an_invalid_parameter_names_its_place_and_not_its_value(site):
    body = check(site.get("/api/runs?limit=<script>"), 422, "bad_request")
    assert body["field_errors"] == [
        {"location": "query.limit", "message": body["field_errors"][0]["message"]}
    ]
    assert "script" not in str(body)


def test_a_failure_of_ours_is_a_500_in_the_one_shape_and_the_server_goes_on(trained, monkeypatch):
    with serving(runs=trained) as site:
        monkeypatch.setattr(site.context, "all_runs", lambda: 1 / 0)
        body = check(site.get("/api/runs"), 500, "internal")
        assert "division" not in body["detail"], "the inside of the server is its own"
        assert site.get("/health").status_code == 200


def test_a_request_that_is_no_http_is_refused_and_the_server_goes_on(site):
    host, port = site.address.removeprefix("http://").split(":")
    for nonsense in (b"\x00\x01\x02\r\n\r\n", b"GET\r\n\r\n", b"A" * 100_000 + b"\r\n\r\n"):
        with socket.create_connection((host, int(port)), timeout=10) as made:
            made.sendall(nonsense)
            assert b"400" in made.recv(1024)[:20]
    assert site.get("/health").status_code == 200


# ---------------------------------------------------------------- who may ask


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        ("http://localhost:5173", True),
        ("http://127.0.0.1:4321", True),
        ("https://site.example", True),
        ("https://preview-12.example.app", True),
        ("https://evil.example", False),
        ("http://localhost.evil.example", False),
        ("null", False),
    ],
)
def test_pages_elsewhere_may_ask_by_list_and_by_pattern(origin, allowed, trained):
    pattern = r"(https://preview-\d+\.example\.app|http://(localhost|127\.0\.0\.1)(:\d+)?)"
    with serving(runs=trained, origins="https://site.example", origin_pattern=pattern) as site:
        body = site.get("/api/runs", headers={"Origin": origin}).headers
        assert body.get("access-control-allow-origin") == (origin if allowed else None)
        asking = {
            "Origin": origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type",
        }
        asked = site.client.options("/api/play/session", headers=asking)
        assert (asked.status_code == 200) == allowed


def test_a_refusal_can_be_read_by_pages_elsewhere_too(site):
    for path in ("/api/runs/nothing", "/api/runs?limit=0", "/api/nothing"):
        assert (
            "access-control-allow-origin"
            in site.get(path, headers={"Origin": "http://localhost:5173"}).headers
        )
    large = site.post(
        "/api/play/session", content=b"x" * 100_000, headers={"Origin": "http://localhost:5173"}
    )
    assert large.status_code == 413 and "access-control-allow-origin" in large.headers


FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://localhost.evil.example"},
    {"Sec-Fetch-Site": "cross-site"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=lambda h: next(iter(h.values())))
def test_a_page_elsewhere_changes_nothing_here(headers, site):
    mine = site.post("/api/play/session").json()["session_id"]
    before = len(site.context.sessions)
    asked = [
        ("POST", "/api/play/session", None),  # without a body: what a page may send without asking first
        ("POST", "/api/play/session", {"game": "tag"}),
        ("POST", f"/api/play/session/{mine}/step", {"action": 6}),
        ("POST", f"/api/play/session/{mine}/reset", None),
        ("DELETE", f"/api/play/session/{mine}", None),
        ("PUT", f"/api/play/session/{mine}", None),
        ("PATCH", f"/api/play/session/{mine}", None),
    ]
    for method, path, body in asked:
        check(site.client.request(method, path, json=body, headers=headers), 403, "foreign_origin")
    assert len(site.context.sessions) == before
    assert site.get(f"/api/play/session/{mine}").json()["steps"] == 0
    assert site.client.delete(f"/api/play/session/{mine}").status_code == 200


def test_our_own_page_and_those_on_the_list_may_change_things(site):
    for origin in (site.address, "http://localhost:5173"):
        made = site.post("/api/play/session", headers={"Origin": origin})
        assert made.status_code == 200
        gone = site.client.delete(
            f"/api/play/session/{made.json()['session_id']}", headers={"Origin": origin}
        )
        assert gone.status_code == 200


def test_an_address_without_a_slash_is_a_400(site):
    host, port = site.address.removeprefix("http://").split(":")
    for target in ("*", "x", "http:"):
        with socket.create_connection((host, int(port)), timeout=20) as made:
            made.sendall(f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            assert made.recv(4096).startswith(b"HTTP/1.1 400")


def test_json_that_is_nested_too_deeply_is_a_422_and_hides_nothing_else(breakable, copied, run_ids):
    run_id = run_ids["tag"]
    with (copied / run_id / "metrics/windows.jsonl").open("a") as file:
        file.write("[" * 100_000 + "\n")
    newest = breakable.get("/api/newest")
    assert newest.status_code == 200 and newest.json()["run"]
    check(breakable.get(f"/api/runs/{run_id}/metrics/windows"), 422, "damaged")


def test_a_name_that_is_not_ours_is_not_answered(trained):
    with serving(runs=trained, hosts="localhost,127.0.0.1") as site:
        assert site.get("/api/runs").status_code == 200
        check(site.get("/api/runs", headers={"Host": "evil.example"}), 400, "wrong_host")
        assert site.get("/api/runs", headers={"Host": "LOCALHOST:80"}).status_code == 200


# ---------------------------------------------------------------- how answers travel


def test_large_answers_are_packed_for_who_can_unpack_them(site, run_ids):
    path = f"/api/runs/{run_ids['prospector']}"
    packed = site.get(path, headers={"Accept-Encoding": "gzip"})
    plain = site.get(path, headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip" and "content-encoding" not in plain.headers
    assert packed.json() == plain.json() and "accept-encoding" in packed.headers["vary"].lower()
    assert "content-encoding" not in site.get("/health").headers, "small ones are not worth it"


def test_answers_of_the_api_are_not_kept_without_asking(site):
    body = site.get("/api/runs").headers
    assert body["cache-control"] == "no-cache" and body["x-content-type-options"] == "nosniff"
    assert "server" not in body


def test_an_answer_does_not_wait_for_the_network(site):
    site.get("/health")
    began = time.monotonic()
    for _ in range(20):
        site.get("/health")
    assert time.monotonic() - began < 20 * 0.2


@pytest.mark.parametrize(
    ("status", "detail", "sentence"),
    [
        (404, "Not Found", "There is nothing at this address. GET /openapi.json lists all routes."),
        (405, "", "This address does not take that method. GET /openapi.json lists all routes."),
        (400, "There was an error parsing the body", "The body cannot be read; expected JSON."),
        (403, "Forbidden", "Forbidden."),
        (403, "Not for you.", "Not for you."),
    ],
)
def test_what_the_framework_refuses_is_a_sentence_of_ours_unless_it_has_its_own(status, detail, sentence):
    error = errors.from_http_exception(HTTPException(status, detail, headers={"X": "y"}))
    assert (error.status, error.detail, error.headers) == (status, sentence, {"X": "y"})


def test_only_a_wrong_method_is_reported_which_there_are(site):
    assert "allow" not in site.get("/api/nothing").headers
    answer = site.client.delete("/api/runs")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")
    assert site.client.put("/api/play/session/x").headers["allow"] == "DELETE, GET"
    assert site.client.delete("/anything").headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    ("problems", "sentence"),
    [
        ([], "request is not valid: not valid."),
        ([{"loc": ("query", "limit"), "msg": "too large"}], "query.limit is not valid: too large."),
        (
            [{"loc": ("body", "action", "list[x]", 0), "msg": "bad"}, {"loc": ("body", "b"), "msg": "worse"}],
            "body.action.0 is not valid: bad (and 1 more).",
        ),
    ],
)
def test_what_is_not_valid_is_one_sentence_and_a_list_of_places(problems, sentence):
    error = errors.validation_error(problems)
    assert (error.status, error.detail, len(error.field_errors)) == (422, sentence, len(problems))
