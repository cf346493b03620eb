"""What is said about deploying is true: the files agree with the sources they speak of."""

import json
import re
from pathlib import Path

import pytest

from sandlot.serve.settings import Settings, variable_name

ROOT = Path(__file__).parent.parent
CONTAINER = (ROOT / "Containerfile").read_text()
VERCEL = json.loads((ROOT / "web" / "vercel.json").read_text())
VARIABLES = {variable_name(name) for name in Settings.model_fields}


@pytest.mark.parametrize("page", ["Containerfile", "docs/deploy.md"])
def test_every_setting_that_is_named_exists(page):
    named = set(re.findall(r"SANDLOT_[A-Z_]+", (ROOT / page).read_text()))
    assert named and named <= VARIABLES


def test_the_address_of_the_api_is_the_one_the_pages_read():
    assert "import.meta.env.VITE_API_BASE" in (ROOT / "web/src/api/client.ts").read_text()
    assert "VITE_API_BASE" in (ROOT / "docs/deploy.md").read_text()


def test_everything_that_the_container_copies_is_there():
    for words in re.findall(r"^COPY (?!--from)(.+)$", CONTAINER, re.MULTILINE):
        for source in words.split()[:-1]:
            assert (ROOT / source).exists(), source


def test_nothing_that_the_container_copies_is_ignored():
    ignored = {
        line
        for line in (ROOT / ".containerignore").read_text().splitlines()
        if line and not line.startswith("#")
    }
    copied = {
        word
        for words in re.findall(r"^COPY (?!--from)(.+)$", CONTAINER, re.MULTILINE)
        for word in words.split()[:-1]
    }
    assert not copied & ignored


def test_the_container_runs_without_rights_and_tells_its_health():
    last = CONTAINER[CONTAINER.rindex("\nFROM ") :]
    assert re.search(r"^USER 10001$", last, re.MULTILINE)
    assert "HEALTHCHECK" in last and "/health" in last
    assert "root" not in last


def test_the_container_calls_the_program_as_it_is(tmp_path):
    words = json.loads(re.search(r"^CMD (\[\"sandlot.*\])$", CONTAINER, re.MULTILINE)[1])
    source = (ROOT / "src/sandlot/cli/serve.py").read_text()
    assert words[:2] == ["sandlot", "serve"]
    for option in (word for word in words if word.startswith("--")):
        assert option.removeprefix("--").replace("no-", "") in source


PAGES = ["/", "/play", "/analytics", "/runs", "/runs/20260131T090500Z-1a2b3c4d", "/runs/exp.v2"]
FILES = ["/assets/index-abc.js", "/sandlot.wasm", "/icon.svg", "/api/runs", "/ws/runs/x/replays/y/frames"]


def test_a_static_host_sends_pages_to_the_site_and_leaves_files_alone():
    (rewrite,) = VERCEL["rewrites"]
    assert rewrite["destination"] == "/index.html"
    assert [path for path in PAGES if not re.fullmatch(rewrite["source"], path)] == []
    assert [path for path in FILES if re.fullmatch(rewrite["source"], path)] == []


def test_a_static_host_builds_what_it_publishes():
    assert f"--outDir {VERCEL['outputDirectory']}" in VERCEL["buildCommand"]
    script = VERCEL["buildCommand"].split()[1]
    assert (ROOT / "web" / script).resolve().exists()
    assert "build" in json.loads((ROOT / "web/package.json").read_text())["scripts"]
