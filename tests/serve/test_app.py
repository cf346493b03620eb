"""serve/app.py: whose pages may change something, and what an app gives back."""

import asyncio

import pytest
from leaks import nothing_left_open

from sandlot.serve import Settings, create_app
from sandlot.serve.app import OriginMiddleware

HOST = (b"host", b"localhost:8000")


def passes(settings, method="POST", headers=(), kind="http"):
    """Whether a request reaches the app behind the guard; else what it is answered."""
    reached, sent = [], []

    async def app(scope, receive, send):
        reached.append(scope["type"])

    async def send(message):
        sent.append(message)

    scope = {"type": kind, "method": method, "path": "/", "headers": [HOST, *headers]}
    asyncio.run(OriginMiddleware(app, settings)(scope, None, send))
    return True if reached else sent[0]


def origin(name):
    return ((b"origin", name.encode()),)


STRICT = Settings(origins=("https://ours.example",), origin_pattern=r"https://.*\.friends\.example")


@pytest.mark.parametrize(
    ("headers", "welcome"),
    [
        ((), True),
        (origin("http://localhost:8000"), True),
        (origin("https://ours.example"), True),
        (origin("https://a.friends.example"), True),
        (origin("https://a.friends.example.evil.example"), False),
        (origin("https://evil.example"), False),
        (((b"sec-fetch-site", b"same-origin"),), True),
        (((b"sec-fetch-site", b"none"),), True),
        (((b"sec-fetch-site", b"cross-site"),), False),
    ],
)
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_what_changes_something_is_for_pages_on_the_list(headers, welcome, kind):
    answer = passes(STRICT, headers=headers, kind=kind)
    if welcome:
        assert answer is True
    elif kind == "websocket":
        assert answer == {"type": "websocket.close", "code": 1008, "reason": "origin"}
    else:
        assert answer["status"] == 403 and (b"connection", b"close") in answer["headers"]


@pytest.mark.parametrize(
    ("method", "guarded"),
    [("GET", False), ("HEAD", False), ("OPTIONS", False), ("DELETE", True), ("PUT", True)],
)
def test_what_only_reads_is_for_everybody(method, guarded):
    answer = passes(STRICT, method, origin("https://evil.example"))
    assert (answer is not True) is guarded


def test_a_star_lets_everybody_in_and_no_pattern_lets_nobody_else_in():
    assert passes(Settings(origins=("*",)), headers=origin("https://evil.example")) is True
    assert (
        passes(Settings(origins=(), origin_pattern=""), headers=origin("http://localhost:5173")) is not True
    )


def test_an_app_describes_itself_and_fetches_nothing_from_elsewhere(tmp_path):
    app = create_app(Settings(runs=tmp_path))
    assert (app.docs_url, app.redoc_url, app.title) == (None, None, "Sandlot")
    assert app.router.redirect_slashes is False


def test_an_app_that_ends_gives_back_what_it_holds(tmp_path):
    app = create_app(Settings(runs=tmp_path))

    async def life():
        async with app.router.lifespan_context(app):
            assert await app.state.context.frame_workers.submit(lambda: 7) == 7
            assert await app.state.context.background.submit(lambda: 8) == 8

    with nothing_left_open():
        asyncio.run(life())
    assert app.state.context.frame_workers._pool is None and app.state.context.background._pool is None


def test_pages_elsewhere_are_reported_what_they_may_do_for_ten_minutes(site):
    asked = {"Origin": "http://localhost:5173", "Access-Control-Request-Method": "DELETE"}
    answer = site.client.options("/api/play/session/x", headers=asked)
    assert answer.headers["access-control-max-age"] == "600"
    assert answer.headers["access-control-allow-methods"] == "GET, POST, DELETE"
    assert (
        "retry-after" in site.get("/health", headers=asked).headers["access-control-expose-headers"].lower()
    )
