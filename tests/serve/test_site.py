"""The built site beside the API: one page behind all its addresses, each file of its kind and age."""

import base64
import hashlib
import http.client

import pytest

from .making import serving


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder as `make web` leaves it, in small."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "assets").mkdir()
    (folder / "index.html").write_text("<!doctype html><title>Sandlot</title>" + " " * 2000)
    (folder / "assets" / "index-B3kd92Xa.js").write_text("console.log(1)" * 200)
    (folder / "assets" / "index-C4ke03Yb.css").write_text("body{}" * 300)
    (folder / "sandlot.wasm").write_bytes(b"\0asm" * 1000)
    (folder / "icon.svg").write_text("<svg/>")
    (folder.parent / "secret.txt").write_text("the secret")
    return folder


@pytest.fixture(scope="module")
def pages(built, trained):
    with serving(runs=trained, site=built) as site:
        yield site


@pytest.mark.parametrize(
    "path",
    ["/", "/play", "/play?game=tag", "/analytics", "/runs", "/runs/some-run", "/watch/x/y", "/runs/exp.v2"],
)
def test_every_address_of_the_site_is_its_page_and_asked_for_anew(path, pages):
    answer = pages.get(path)
    assert answer.status_code == 200 and "<title>Sandlot</title>" in answer.text
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    ("path", "kind", "kept"),
    [
        ("/assets/index-B3kd92Xa.js", "text/javascript", "immutable"),
        ("/assets/index-C4ke03Yb.css", "text/css", "immutable"),
        ("/sandlot.wasm", "application/wasm", "no-cache"),
        ("/icon.svg", "image/svg+xml", "no-cache"),
    ],
)
def test_a_file_has_its_kind_and_is_kept_as_long_as_its_name_promises(path, kind, kept, pages):
    answer = pages.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(kind) and kept in answer.headers["cache-control"]


def test_files_are_packed_and_known_again(pages, built):
    answer = pages.get("/sandlot.wasm", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.content == (built / "sandlot.wasm").read_bytes()
    again = pages.get("/sandlot.wasm", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304


def test_a_page_runs_only_its_own_scripts_and_is_never_framed(pages, built):
    (built / "index.html").write_text("<!doctype html><title>Sandlot</title><script>\n1 + 1\n</script>")
    rules = pages.get("/runs").headers["content-security-policy"].split("; ")
    digest = base64.b64encode(hashlib.sha256(b"\n1 + 1\n").digest()).decode()
    assert f"script-src 'self' 'wasm-unsafe-eval' 'sha256-{digest}'" in rules
    assert {"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"} <= set(rules)
    assert "unsafe-inline" not in str(rules) and "unsafe-eval'" not in str(rules).replace(
        "wasm-unsafe-eval'", ""
    )


@pytest.mark.parametrize("path", ["/", "/docs", "/api/runs", "/api/nothing", "/assets/index-B3kd92Xa.js"])
def test_every_answer_says_what_may_be_done_with_it(path, pages):
    headers = pages.get(path).headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "same-origin"
    assert headers["x-frame-options"] == "DENY"


def test_head_tells_what_get_would(pages):
    answer = pages.client.head("/icon.svg")
    assert answer.status_code == 200 and answer.headers["content-length"] == "6" and not answer.content
    for path in ("/health", "/api/runs", "/api/nothing"):
        asked, body = pages.get(path), pages.client.head(path)
        assert (body.status_code, body.content) == (asked.status_code, b"")
        assert body.headers["content-type"] == asked.headers["content-type"]


@pytest.mark.parametrize("path", ["/assets/gone-12345678.js", "/nothing.png", "/api/nothing", "/ws/x"])
def test_a_file_that_is_not_there_is_a_404_and_no_page(path, pages):
    answer = pages.get(path)
    assert answer.status_code == 404 and answer.json()["error"] == "not_found"


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "//etc/passwd", "/%2fetc/passwd", "/%00",
        "/a/../../secret.txt", "/assets/..%5c..%5csecret.txt", "/" + "a" * 3000,
    ],
)  # fmt: skip
def test_no_trick_with_a_path_leads_out_of_the_site(path, pages):
    host, port = pages.address.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=20)
    connection.putrequest("GET", path, skip_accept_encoding=True)
    connection.endheaders()
    body = connection.getresponse().read()
    connection.close()
    assert b"the secret" not in body and b"root:" not in body


def test_without_the_built_site_a_page_says_where_it_went_and_how_to_build_it(trained, tmp_path):
    with serving(runs=trained, site=tmp_path / "nothing") as site:
        answer = site.get("/")
        assert answer.status_code == 200 and "make web" in answer.text and "/docs" in answer.text
        assert site.get("/play").status_code == 404
        assert site.get("/api/runs").status_code == 200, "the API works without"


def test_the_description_of_the_api_is_served_too_and_fetches_nothing_from_elsewhere(pages):
    body = pages.get("/openapi.json").json()
    page = pages.get("/docs").text
    assert body["info"]["title"] == "Sandlot" and all(path in page for path in body["paths"])
    assert "http://" not in page and "https://" not in page and "<script" not in page


def test_the_page_of_the_api_links_what_can_be_opened_and_shows_parameters_with_their_defaults(pages):
    paths, page = pages.get("/openapi.json").json()["paths"], pages.get("/docs").text
    for path, methods in paths.items():
        assert (f'<a href="{path}">' in page) is ("get" in methods and "{" not in path)
        for operation in methods.values():
            for parameter in (p for p in operation.get("parameters", []) if p["in"] == "query"):
                default = parameter["schema"].get("default")
                shown = "" if default is None else f" ({default})"
                assert f"<code>{parameter['name']}</code>{shown}" in page
    assert "(None)" not in page and page.count("<small>") == sum(
        any(p["in"] == "query" for p in operation.get("parameters", []))
        for methods in paths.values()
        for operation in methods.values()
    )
