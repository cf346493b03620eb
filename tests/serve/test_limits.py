"""What every request passes, without a network: the same calls that the server makes."""

import asyncio
import gzip
import json

import pytest

from sandlot.serve.limits import (
    ANY_ADDRESS,
    LARGE_BYTES,
    SMALL_BYTES,
    GzipMiddleware,
    HeadersMiddleware,
    RequestLimitsMiddleware,
)

JSON = (b"content-type", b"application/json")


def scope(method="POST", path="/api/x", headers=(JSON,), kind="http"):
    host = () if any(name == b"host" for name, _ in headers) else ((b"host", b"localhost"),)
    return {"type": kind, "method": method, "path": path, "headers": [*headers, *host]}


class App:
    """Answers with the body it was given, and remembers it."""

    def __init__(self, body=b"fine", headers=(), status=200, fails=None, parts=1):
        self.body, self.headers, self.status, self.fails, self.parts = body, headers, status, fails, parts
        self.seen: list[bytes] = []
        self.method = ""

    async def __call__(self, scope, receive, send):
        self.method = scope.get("method", "")
        if scope["type"] == "http":
            self.seen.append((await receive())["body"])
        if self.fails == "before":
            raise RuntimeError("the app failed")
        await send({"type": "http.response.start", "status": self.status, "headers": list(self.headers)})
        if self.fails == "amid":
            raise RuntimeError("the app failed")
        for part in range(self.parts):
            more = part < self.parts - 1
            await send({"type": "http.response.body", "body": self.body, "more_body": more})


def ask(asgi, asked, *parts, leaves=False):
    """What is sent back: the status, the headers and the body; None where nothing is."""
    waiting = [
        {"type": "http.request", "body": p, "more_body": i < len(parts) - 1} for i, p in enumerate(parts)
    ]
    if leaves:
        waiting = [{"type": "http.request", "body": b"a", "more_body": True}, {"type": "http.disconnect"}]
    sent = []

    async def receive():
        if waiting:
            return waiting.pop(0)
        return await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    async def whole():
        await asyncio.wait_for(asgi(asked, receive, send), 10)

    asyncio.run(whole())
    return sent


def status_and_error(sent):
    body = json.loads(b"".join(m.get("body", b"") for m in sent[1:]))
    return sent[0]["status"], body["error"]


def guard(app, most=10, seconds=5.0, hosts=("localhost",)):
    return RequestLimitsMiddleware(app, most, seconds, hosts)


# ---------------------------------------------------------------- bodies


@pytest.mark.parametrize("parts", [[b"0123456789"], [b"01234", b"56789"], [b""]])
def test_a_body_of_exactly_the_limit_arrives_whole(parts):
    app = App()
    sent = ask(guard(app), scope(), *parts)
    assert sent[0]["status"] == 200 and app.seen == [b"".join(parts)]


@pytest.mark.parametrize(
    ("headers", "parts"),
    [
        ((JSON,), [b"0123456789X"]),
        ((JSON,), [b"01234", b"56789", b"X"]),
        ((JSON, (b"content-length", b"11")), [b""]),  # announced: nothing of it is read
    ],
)
def test_a_body_one_byte_larger_is_refused_and_never_reaches_the_app(headers, parts):
    app = App()
    sent = ask(guard(app), scope(headers=headers), *parts)
    assert status_and_error(sent) == (413, "too_large") and app.seen == []
    assert (b"connection", b"close") in sent[0]["headers"]


def test_a_length_of_exactly_the_limit_is_taken():
    app = App()
    ask(guard(app), scope(headers=(JSON, (b"content-length", b"10"))), b"0123456789")
    assert app.seen == [b"0123456789"]


@pytest.mark.parametrize("kind", [b"text/plain", b"", b"application/jsonp"])
def test_a_body_that_is_no_json_is_refused(kind):
    app = App()
    sent = ask(guard(app), scope(headers=((b"content-type", kind),)), b"{}")
    assert status_and_error(sent) == (415, "wrong_kind") and app.seen == []


@pytest.mark.parametrize(
    ("method", "headers", "body"),
    [
        ("POST", ((b"content-type", b"Application/JSON; charset=utf-8"),), b"{}"),
        ("POST", (), b""),
        ("GET", (), b"ignored"),
    ],
)
def test_only_bodies_that_are_read_need_a_kind(method, headers, body):
    app = App()
    ask(guard(app), scope(method, headers=headers), body)
    assert app.seen == [body]


def test_a_body_that_does_not_come_is_waited_for_no_longer_than_said():
    app = App()
    waiting = guard(app, seconds=0.05)
    sent = []

    async def never():
        await asyncio.sleep(60)

    async def send(message):
        sent.append(message)

    asyncio.run(asyncio.wait_for(waiting(scope(), never, send), 10))
    assert status_and_error(sent) == (408, "too_slow") and app.seen == []


def test_who_leaves_in_the_middle_of_a_body_is_not_answered():
    app = App()
    assert ask(guard(app), scope(), leaves=True) == [] and app.seen == []


# ---------------------------------------------------------------- names and addresses


@pytest.mark.parametrize(
    ("hosts", "host", "answered"),
    [
        (("localhost",), b"localhost", True),
        (("LOCALHOST",), b"LocalHost:8000", True),
        (("localhost",), b"evil.example", False),
        (("localhost",), b"127.0.0.1", False),
        (("localhost", ANY_ADDRESS), b"192.168.1.7:8000", True),
        (("localhost", ANY_ADDRESS), b"[::1]:8000", True),
        (("localhost", ANY_ADDRESS), b"evil.example", False),
        ((), b"evil.example", True),  # no list: every name
    ],
)
def test_only_names_of_the_server_are_answered(hosts, host, answered):
    app = App()
    sent = ask(guard(app, hosts=hosts), scope("GET", headers=((b"host", host),)), b"")
    if answered:
        assert sent[0]["status"] == 200
    else:
        assert status_and_error(sent) == (400, "wrong_host") and app.seen == []


def test_a_socket_under_a_wrong_name_is_closed():
    app = App()
    sent = ask(guard(app), scope(kind="websocket", headers=((b"host", b"evil.example"),)))
    assert sent == [{"type": "websocket.close", "code": 1008, "reason": "wrong_host"}]
    assert ask(guard(app), scope(kind="websocket"))[0]["status"] == 200, "another passes"


def test_an_address_begins_with_a_slash():
    assert status_and_error(ask(guard(App()), scope("GET", path="*"), b"")) == (400, "bad_request")


# ---------------------------------------------------------------- failures inside


def test_what_fails_inside_is_a_500_in_the_one_shape():
    assert status_and_error(ask(guard(App(fails="before")), scope(), b"{}")) == (500, "internal")


def test_an_answer_that_has_begun_is_not_answered_twice():
    with pytest.raises(RuntimeError, match="the app failed"):
        ask(guard(App(fails="amid")), scope(), b"{}")


# ---------------------------------------------------------------- compression


def kind(value=b"text/html", size=0, *more):
    return ((b"content-type", value), (b"content-length", str(size).encode()), *more)


GZIP = ((b"accept-encoding", b"br, gzip"),)


def packed(app, headers=GZIP):
    sent = ask(GzipMiddleware(app), scope("GET", headers=headers), b"")
    data = dict(sent[0]["headers"])
    return data, b"".join(m.get("body", b"") for m in sent[1:])


@pytest.mark.parametrize("size", [SMALL_BYTES, LARGE_BYTES - 1, LARGE_BYTES])
@pytest.mark.parametrize("value", [b"text/html", b"application/json", b"application/wasm", b"image/svg+xml"])
def test_answers_that_gain_by_it_are_compressed(size, value):
    headers, body = packed(App(b"a" * size, kind(value, size)))
    assert headers[b"content-encoding"] == b"gzip" and headers[b"vary"] == b"Accept-Encoding"
    assert int(headers[b"content-length"]) == len(body) < size and gzip.decompress(body) == b"a" * size


@pytest.mark.parametrize(
    ("app", "headers"),
    [
        (App(b"a" * 1023, kind(size=SMALL_BYTES - 1)), GZIP),
        (App(b"a" * 2000, kind(b"image/png", 2000)), GZIP),
        (App(b"a" * 2000, kind(b"text/html", 2000, (b"content-encoding", b"br"))), GZIP),
        (App(b"a" * 2000, kind(size=2000), status=404), GZIP),
        (App(b"a" * 2000, kind(size=2000)), ()),
        (App(b"a" * 2000, ((b"content-type", b"text/html"),)), GZIP),  # a stream says no length
    ],
)
def test_other_answers_pass_as_they_are(app, headers):
    data, body = packed(app, headers)
    assert body == app.body and data.get(b"content-encoding") in (None, b"br") and b"vary" not in data


def test_an_answer_in_several_parts_passes_as_it_is():
    data, body = packed(App(b"a" * 2000, kind(size=4000), parts=2))
    assert body == b"a" * 4000 and b"content-encoding" not in data


# ---------------------------------------------------------------- headers


def test_every_answer_carries_the_headers_that_keep_a_browser_safe():
    sent = ask(HeadersMiddleware(App()), scope("GET", path="/api/x"), b"")
    body = dict(sent[0]["headers"])
    assert body[b"x-content-type-options"] == b"nosniff" and body[b"x-frame-options"] == b"DENY"
    assert body[b"referrer-policy"] == b"same-origin" and body[b"cache-control"] == b"no-cache"
    assert body[b"cross-origin-opener-policy"] == b"same-origin"
    assert b"default-src 'none'" in body[b"content-security-policy"]


def test_a_page_says_itself_how_long_it_is_kept_and_what_it_may_run():
    own = ((b"content-security-policy", b"default-src 'self'"), (b"cache-control", b"max-age=9"))
    body = dict(ask(HeadersMiddleware(App(headers=own)), scope("GET", path="/api/x"), b"")[0]["headers"])
    assert (body[b"content-security-policy"], body[b"cache-control"]) == (own[0][1], own[1][1])
    outside = dict(ask(HeadersMiddleware(App()), scope("GET", path="/page"), b"")[0]["headers"])
    assert b"cache-control" not in outside


def test_head_is_answered_as_get():
    for method, seen in (("HEAD", "GET"), ("GET", "GET"), ("POST", "POST")):
        app = App()
        ask(HeadersMiddleware(app), scope(method), b"")
        assert app.method == seen
