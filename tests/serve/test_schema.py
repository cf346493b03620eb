"""The description of the API against the API: whatever schemathesis thinks of, the answer is as described."""

import threading

import hypothesis
import pytest
import schemathesis
from hypothesis import strategies as st
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation import GenerationMode

from sandlot.serve import Settings, create_app

from .contract import described
from .test_play import begin
from .test_wandb import KEY, Upstream

EXAMPLES = 20
ROUTES = [(path, method) for path, methods in described()["paths"].items() for method in methods]


@pytest.fixture(scope="module")
def schema(trained, tmp_path_factory):
    with Upstream() as upstream:
        threading.Thread(target=upstream.serve_forever, daemon=True).start()
        settings = Settings(
            runs=trained, cache=tmp_path_factory.mktemp("cache"), max_sessions=100_000, work_seconds=600,
            wandb_base_url=upstream.address, wandb_api_key=KEY, wandb_entity="us", wandb_project="game",
        )  # fmt: skip
        yield schemathesis.openapi.from_asgi("/openapi.json", create_app(settings))
        upstream.shutdown()


@pytest.fixture(scope="module")
def names(site, run_ids):
    """Values that exist, so that not every question ends at the first door."""
    run_id = run_ids["prospector"]
    replay_id = site.get(f"/api/runs/{run_id}/replays").json()["replays"][0]["replay_id"]
    return {
        "run_id": run_id, "replay_id": replay_id, "game": "tag", "role": "pilot",
        "window": "best", "window_id": 1,
        "path": "metrics/windows.jsonl", "wandb_run_id": "run1", "session_id": begin(site)["session_id"],
    }  # fmt: skip


def wrong_in_its_path(case) -> bool:
    """Whether the path was made wrong on purpose: with a real name there, nothing may be wrong any more."""
    made = case.meta.phase.data
    return ParameterLocation.PATH in {
        made.parameter_location,
        *(mutation.parameter_location for mutation in getattr(made, "mutations", ())),
    }


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.name.lower())
@pytest.mark.parametrize(("path", "method"), ROUTES)
def test_every_answer_is_as_described(path, method, mode, schema, names):
    operation = schema[path][method.upper()]

    @hypothesis.settings(
        max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode), real=st.booleans())
    def check(case, real):
        if real and case.path_parameters and not wrong_in_its_path(case):
            case.path_parameters |= {k: names[k] for k in case.path_parameters if k in names}
        case.call_and_validate()

    try:
        check()
    except hypothesis.errors.Unsatisfiable:
        assert mode is GenerationMode.NEGATIVE, "nothing can be asked wrongly here"
