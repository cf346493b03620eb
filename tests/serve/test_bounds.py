"""What a client may ask for at most, and gets without asking: the API's contract, in one table."""

import pytest
from pydantic import TypeAdapter, ValidationError

from sandlot import errors
from sandlot.serve.errors import to_api_error
from sandlot.serve.opponents import OpponentRequest
from sandlot.serve.routes.play import NewSession, ResetSession, StepSession
from sandlot.serve.routes.socket import StreamOptions

from .contract import described

LAST = 2**53
QUERIES = {  # parameter: its default, the least and the most
    "/api/runs": {"limit": (50, 1, 500)},
    "/api/runs/{run_id}/metrics/windows": {"limit": (200, 1, 5000)},
    "/api/runs/{run_id}/metrics/windows/{window_id}": {"window_id": (None, 0, LAST)},
    "/api/runs/{run_id}/ratings": {"limit": (1000, 1, 5000)},
    "/api/runs/{run_id}/analytics/completeness": {
        "stale_after_seconds": (21_600, 60, 604_800),
        "wandb_history_max_points": (1000, 1, 5000),
    },
    "/api/runs/{run_id}/replays": {"limit": (100, 1, 5000), "window_id": (None, 0, LAST)},
    "/api/runs/{run_id}/replays/{replay_id}/frames": {"offset": (0, 0, LAST), "limit": (256, 1, 5000)},
    "/api/wandb/runs/latest": {"limit": (10, 1, 50)},
    "/api/wandb/runs/{wandb_run_id}/history": {"max_points": (1000, 1, 5000)},
    "/api/wandb/runs/{wandb_run_id}/iteration-view": {"max_points": (1000, 1, 5000)},
    "/api/games/{game}/scores": {"seed": (None, 0, None)},
}
LENGTHS = {
    "game": 64, "tag": 200, "tags_any": 2000, "tags_all": 2000, "role": 64, "window": 20, "keys": 8000,
    "replay_id": 128, "wandb_run_id": 128, "wandb_entity": 128, "wandb_project": 128,
    "entity": 128, "project": 128,
}  # fmt: skip


def parameters(path):
    return {p["name"]: p["schema"] for p in described()["paths"][path]["get"].get("parameters", [])}


def of(schema, key):
    """A bound of the schema, or of the one kind that has it."""
    return next((kind[key] for kind in [schema, *schema.get("anyOf", [])] if key in kind), None)


@pytest.mark.parametrize("path", QUERIES)
def test_numbers_of_a_query_have_these_defaults_and_bounds(path):
    found = {
        name: (schema.get("default"), of(schema, "minimum"), of(schema, "maximum"))
        for name, schema in parameters(path).items()
        if of(schema, "minimum") is not None
    }
    assert found == QUERIES[path]


def test_no_number_of_a_query_is_without_bounds():
    paths = [path for path, methods in described()["paths"].items() if "get" in methods]
    bounded = {path for path in paths for s in parameters(path).values() if of(s, "minimum") is not None}
    assert bounded == set(QUERIES)


def test_words_of_a_query_are_so_long_at_most():
    paths = [path for path, methods in described()["paths"].items() if "get" in methods]
    found = {
        (name, of(schema, "maxLength"))
        for path in paths
        for name, schema in parameters(path).items()
        if of(schema, "maxLength") is not None
    }
    assert found == set(LENGTHS.items())
    assert {of(parameters(path)["set"], "maxItems") for path in paths if "set" in parameters(path)} == {64}


@pytest.mark.parametrize(
    ("kind", "name", "default", "within", "beyond"),
    [
        (StreamOptions, "offset", 0, [0, LAST], [-1, LAST + 1]),
        (StreamOptions, "limit", 5000, [1, 50_000], [0, 50_001]),
        (StreamOptions, "batch_size", 256, [1, 5000], [0, 5001]),
        (StreamOptions, "max_chunk_bytes", 262_144, [1024, 4_194_304], [1023, 4_194_305]),
        (StreamOptions, "yield_every_batches", 8, [0, 1000], [-1, 1001]),
        (StreamOptions, "info", False, [True], ["perhaps"]),
        (StreamOptions, "fps", 0, [0, 240], [-1, 240.1]),
        (StreamOptions, "stride", 1, [1, 1000], [0, 1001]),
        (NewSession, "game", "prospector", ["x" * 64], ["x" * 65]),
        (NewSession, "seed", None, [0, 2**64 - 1, str(2**64 - 1)], [-1, 2**64]),
        (NewSession, "env_time_max", None, [1, 1_000_000], [0, 1_000_001]),
        (NewSession, "role", None, ["x" * 64], ["x" * 65]),
        (NewSession, "config", {}, [{str(i): 1 for i in range(512)}], [{str(i): 1 for i in range(513)}]),
        (NewSession, "config", {}, [{"a": "x" * 64}], [{"a": "x" * 65}, {"a": float("nan")}, {"a": [1]}]),
        (NewSession, "opponents", {}, [{str(i): {} for i in range(8)}], [{str(i): {} for i in range(9)}]),
        (ResetSession, "seed", None, [0, 2**64 - 1], [-1, 2**64]),
        (OpponentRequest, "bot", None, ["x" * 64], ["x" * 65]),
        (OpponentRequest, "level", None, [1, 100], [0, 101]),
        (OpponentRequest, "run_id", None, ["x" * 128], ["x" * 129]),
        (OpponentRequest, "window", "best", [0, LAST, "newest", "best"], [-1, LAST + 1, "worst"]),
    ],
)
def test_a_value_is_taken_at_its_limit_and_refused_beyond(kind, name, default, within, beyond):
    assert getattr(kind(), name) == default
    for value in within:
        kind.model_validate({name: value})
    for value in beyond:
        with pytest.raises(ValidationError):
            kind.model_validate({name: value})


@pytest.mark.parametrize(
    ("action", "good"),
    [
        (0, True), (2**31, True), (-1, False), (True, False), ("1", False), (1.5, False),
        ([0.5], True), ([1.0] * 64, True), ([-1.0], True), ([], False), ([0.0] * 65, False), ([1.01], False),
        ([True], False), (["1"], False), (None, False),
    ],
)  # fmt: skip
def test_an_action_is_an_id_or_numbers_within_their_range(action, good):
    if good:
        assert StepSession.model_validate({"action": action}).action == action
    else:
        with pytest.raises(ValidationError):
            StepSession.model_validate({"action": action})


@pytest.mark.parametrize("kind", [NewSession, ResetSession, OpponentRequest])
def test_a_word_that_nobody_knows_is_refused(kind):
    with pytest.raises(ValidationError, match="Extra inputs"):
        TypeAdapter(kind).validate_python({"surprise": 1})


@pytest.mark.parametrize(
    ("problem", "status", "word"),
    [
        (errors.UnknownName("run", "x", []), 404, "not_found"),
        (errors.UnsafePath("x"), 404, "not_found"),
        (FileNotFoundError("/secret/place"), 404, "not_found"),
        (errors.NewerSchema("a", 3, 2), 409, "newer_schema"),
        (errors.Damaged("x"), 422, "damaged"),
        (errors.CheckpointError("x"), 422, "damaged"),
        (errors.SpecMismatch("x"), 409, "other_engine"),
        (errors.NotReset("x"), 409, "ended"),
        (errors.MissingExtra("x", "y", "z"), 503, "unavailable"),
        (errors.EngineMissing("x"), 503, "unavailable"),
        (errors.OutOfMemory("x"), 503, "unavailable"),
        (errors.StoreError("x"), 409, "not_ready"),
        (errors.ConfigError("x"), 422, "bad_request"),
        (RecursionError("x"), 422, "damaged"),
        (ZeroDivisionError("x"), 500, "internal"),
    ],
)
def test_a_problem_is_reported_by_the_status_that_fits(problem, status, word):
    error = to_api_error(problem)
    assert (error.status, error.error) == (status, word) and "/secret" not in error.detail
