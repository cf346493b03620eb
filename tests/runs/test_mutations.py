"""Whatever becomes of a run's files, reading them raises only Sandlot's own errors, with a sentence."""

import json
import random
import shutil

import pytest
from making import make_replay, make_run, window_rows

from sandlot.errors import SandlotError
from sandlot.media.history import run_history
from sandlot.runs import Store
from sandlot.runs.evaluations import read_evaluations
from sandlot.runs.verify import verify_run
from sandlot.train.config import build

MUTATIONS = 120
FILES = {
    "run.json": "json",
    "config.json": "json",
    "state.json": "json",
    "checkpoints/best.json": "json",
    "metrics/windows.jsonl": "lines",
    "metrics/evaluations.jsonl": "lines",
    "metrics/episodes.csv": "bytes",
    "replay_index.sqlite": "bytes",
    "replays/replay-000003-0000abcd.jsonl.gz": "bytes",
}
ODD = (None, True, -1, 1e308, 2**70, "", "x" * 200, "../..", [], [[]], {}, {"a": {"b": None}}, [1, "2"], 0.5)
DEEP = b"[" * 100_000


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A folder of runs with one run that has a file of every kind."""
    root = tmp_path_factory.mktemp("runs")
    with make_run(root) as run:
        run.append_windows(window_rows(3))
        run.episode_log(["tags"]).append({"tags": [1, 2], "window_id": [0, 1]}, count=2)
        run.commit(1, b"weights", trainer={"windows": {"a": [1, 2]}}, resume=b"worlds")
        run.promote(1, 2.0)
        run.add_replay(make_replay())
        row = {"window_id": 1, "value": 2.0, "seeker_rating": 1000.0, "intervals": {"seeker_rating": [1, 2]}}
        run.paths.evaluations.write_text(json.dumps(row) + "\n" + json.dumps(row | {"window_id": 0}) + "\n")
    return root


def mutate(data, kind, rng):
    if kind == "json":
        return _json(data, rng) if rng.random() < 0.7 else _bytes(data, rng)
    if kind == "lines" and rng.random() < 0.7:
        lines = data.split(b"\n")
        at = rng.randrange(max(1, len(lines) - 1))
        lines[at] = _json(lines[at], rng).replace(b"\n", b"")
        return b"\n".join(lines)
    return _bytes(data, rng)


def _json(data, rng):
    """One value somewhere in it becomes another, or goes, or is nested without end."""
    if rng.random() < 0.1:
        return DEEP
    value = json.loads(data)
    places = list(_places(value))
    if not places or rng.random() < 0.1:
        return json.dumps(rng.choice(ODD)).encode()
    container, key = rng.choice(places)
    if rng.random() < 0.2:
        del container[key]
    else:
        container[key] = rng.choice(ODD)
    return json.dumps(value).encode()


def _places(value):
    if isinstance(value, (dict, list)):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def _bytes(data, rng):
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 3, 20))):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed[: rng.randrange(len(changed))]) if rng.random() < 0.2 else bytes(changed)


def resume(root, run_id):
    with Store(root).resume(run_id) as run:
        run.commit(2, b"more")
        run.finish("completed")


READERS = {
    "record": lambda root, run: run.record,
    "windows": lambda root, run: run.windows(),
    "committed": lambda root, run: run.committed,
    "unevaluated": lambda root, run: run.unevaluated(2),
    "newest checkpoint": lambda root, run: run.newest_checkpoint(),
    "best": lambda root, run: run.best(),
    "evaluations": lambda root, run: read_evaluations(run.paths.evaluations),
    "catalogue": lambda root, run: [run.index.find(), run.index.tags(), run.index.best_return()],
    "settings": lambda root, run: build(run.config),
    "charts": lambda root, run: run_history(run).evaluations.column("value"),
    "empty": lambda root, run: run.is_empty(),
    "list": lambda root, run: Store(root).runs(),
    "latest": lambda root, run: Store(root).latest(),
    "verify": lambda root, run: verify_run(run),
}
WRITERS = {"resume": lambda root, run: resume(root, run.paths.folder.name)}
WRITE_EVERY = 5  # mutations: a writer needs a fresh copy of the folder afterwards


@pytest.mark.parametrize("file", FILES)
def test_only_errors_of_ours_come_out_of_damaged_files(template, tmp_path, file):
    rng = random.Random(file)
    (folder,) = (path for path in template.iterdir() if path.is_dir())
    whole = (folder / file).read_bytes()
    root = tmp_path / "runs"
    for number in range(MUTATIONS):
        changed = mutate(whole, FILES[file], rng)
        if number % WRITE_EVERY == 0 or file == "replay_index.sqlite":
            shutil.rmtree(root, ignore_errors=True)
            shutil.copytree(template, root)
        (root / folder.name / file).write_bytes(changed)
        run = Store(root).open(folder.name)
        users = READERS | (WRITERS if number % WRITE_EVERY == WRITE_EVERY - 1 else {})
        for name, read in users.items():
            try:
                read(root, run)
            except SandlotError as problem:
                assert str(problem).strip()
            except Exception as problem:
                raise AssertionError(f"mutation {number}, {name}: {changed[:300]!r}") from problem


def test_a_catalogue_with_any_flipped_byte_does_not_stop_a_resume(template, tmp_path):
    rng = random.Random(1)
    (folder,) = (path for path in template.iterdir() if path.is_dir())
    whole = (folder / "replay_index.sqlite").read_bytes()
    for number in range(60):
        root = tmp_path / str(number)
        shutil.copytree(template, root)
        changed = bytearray(whole)
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
        (root / folder.name / "replay_index.sqlite").write_bytes(changed)
        resume(root, folder.name)
        assert Store(root).open(folder.name).record.latest_window == 2
