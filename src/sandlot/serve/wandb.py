"""Reads Weights & Biases through its GraphQL API and caches the responses.

A handful of queries over urllib: the `wandb` package is not needed to read and would start a process of its
own. The key is sent to the configured address only (redirects are not followed) and is removed from error
messages.
"""

import base64
import json
import threading
import time
import urllib.error
import urllib.request
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ValidationError

from .errors import ApiError
from .results import all_result_metrics
from .settings import Settings, variable_name

MAX_RESPONSE_BYTES = 32 << 20
MAX_CACHED = 256
OPERATIONS = ("runs_latest", "run_summary", "run_history", "iteration_view")

_FIELDS = """name displayName state createdAt heartbeatAt group jobType tags config summaryMetrics
historyLineCount user { username }"""
_LATEST = (
    "query Latest($entity: String!, $project: String!, $first: Int!, $order: String) {"
    " project(entityName: $entity, name: $project) { runs(first: $first, order: $order) {"
    f" edges {{ node {{ {_FIELDS} }} }} }} }} }}"
)
_RUN = (
    "query OneRun($entity: String!, $project: String!, $name: String!) {"
    f" project(entityName: $entity, name: $project) {{ run(name: $name) {{ {_FIELDS} }} }} }}"
)
_SAMPLED = (
    "query Sampled($entity: String!, $project: String!, $name: String!, $specs: [JSONString!]!) {"
    " project(entityName: $entity, name: $project) { run(name: $name) { sampledHistory(specs: $specs) } } }"
)
_HISTORY = (
    "query History($entity: String!, $project: String!, $name: String!, $samples: Int) {"
    " project(entityName: $entity, name: $project) { run(name: $name) { history(samples: $samples) } } }"
)


class WandbProject(BaseModel):
    """Where runs are there."""

    entity: str
    project: str


class WandbRun(BaseModel):
    """One run there."""

    id: str
    name: str
    state: str | None
    created_at: str | None
    updated_at: str | None
    group: str | None
    job_type: str | None
    tags: list[str]
    user: str | None
    history_rows: int | None
    url: str
    config: dict[str, Any]
    summary: dict[str, Any]


class WandbReader:
    """Queries, cached for a while; safe to use from several threads."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic):
        self._settings, self._clock = settings, clock
        self._kept: OrderedDict[str, tuple[float, Any]] = OrderedDict()
        self._lock = threading.Lock()
        self.hits = self.misses = 0
        self._opener = urllib.request.build_opener(_NoRedirect)

    # ------------------------------------------------------------ queries

    @property
    def reason(self) -> str | None:
        """Why Weights & Biases is not available; None when it is."""
        if self._key is None:
            return f"No key is set. Start the server with {variable_name('wandb_api_key')}."
        return None

    def status(self) -> dict[str, Any]:
        """Availability, defaults and cache statistics."""
        settings = self._settings
        return {
            "available": self.reason is None,
            "reason": self.reason,
            "defaults": {"entity": settings.wandb_entity, "project": settings.wandb_project},
            "cache": {
                "seconds": settings.wandb_cache_seconds,
                "entries": len(self._kept),
                "hits": self.hits,
                "misses": self.misses,
            },
            "operations": list(OPERATIONS),
            "notes": ["Read-only. The key stays on the server.", f"Reads {settings.wandb_base_url}."],
        }

    def scope(self, entity: str | None, project: str | None) -> WandbProject:
        """Entity and project, from the arguments or the settings; raises when one is missing."""
        if self.reason is not None:
            raise ApiError(503, "unavailable", f"Weights & Biases is not available. {self.reason}")
        entity, project = entity or self._settings.wandb_entity, project or self._settings.wandb_project
        if not entity or not project:
            missing = "entity" if not entity else "project"
            variable = variable_name(f"wandb_{missing}")
            text = f"Which {missing}? Add ?{missing}=…, or start the server with {variable}."
            raise ApiError(400, "bad_request", text)
        return WandbProject(entity=entity, project=project)

    def latest(self, scope: WandbProject, limit: int) -> list[WandbRun]:
        """The newest runs of a project."""
        data = self._query(_LATEST, **scope.model_dump(), first=limit, order="-created_at")
        edges = _part(data, "project", "runs", "edges") or []
        return [_run(scope, edge["node"]) for edge in edges if edge.get("node")]

    def summary(self, scope: WandbProject, run_id: str) -> WandbRun:
        """One run with its config and summary."""
        return _run(scope, self._query_run(_RUN, scope, run_id))

    def history(self, scope: WandbProject, run_id: str, keys: list[str], most: int) -> list[dict[str, Any]]:
        """Logged rows by step; with keys, only rows that have all of them."""
        if keys:
            spec = json.dumps({"keys": ["_step", *keys], "samples": most})
            run = self._query_run(_SAMPLED, scope, run_id, specs=[spec])
            rows = (run.get("sampledHistory") or [[]])[0]
        else:
            run = self._query_run(_HISTORY, scope, run_id, samples=most)
            rows = [_parsed(line) for line in run.get("history") or []]
        return [row for row in rows if isinstance(row, dict)][:most]

    # ------------------------------------------------------------ requests

    @property
    def _key(self) -> str | None:
        key = self._settings.wandb_api_key
        return key.get_secret_value().strip() or None if key else None

    def _query_run(self, query: str, scope: WandbProject, run_id: str, **values: Any) -> dict[str, Any]:
        """The fields of one run, or a 404."""
        data = self._query(query, **scope.model_dump(), name=run_id, **values)
        run = _part(data, "project", "run")
        if not isinstance(run, dict):
            place = f"{scope.entity}/{scope.project}"
            raise ApiError(404, "not_found", f"Weights & Biases has no run {run_id!r} in {place}.")
        return run

    def _query(self, query: str, **values: Any) -> dict[str, Any]:
        """The data of a response, from the cache while it is fresh."""
        body = json.dumps({"query": query, "variables": values})
        with self._lock:
            kept = self._kept.get(body)
            if kept and self._clock() - kept[0] < self._settings.wandb_cache_seconds:
                self.hits += 1
                return kept[1]
            self.misses += 1
        data = self._data(self._post(body.encode()))
        with self._lock:
            self._kept[body] = (self._clock(), data)
            while len(self._kept) > MAX_CACHED:
                self._kept.popitem(last=False)
        return data

    def _post(self, body: bytes) -> bytes:
        secret = base64.b64encode(f"api:{self._key}".encode()).decode()
        request = urllib.request.Request(
            f"{self._settings.wandb_base_url}/graphql",
            data=body,
            headers={"Content-Type": "application/json", "Authorization": f"Basic {secret}"},
        )
        try:
            with self._opener.open(request, timeout=self._settings.wandb_timeout_seconds) as answer:
                return _within(answer, self._settings.wandb_timeout_seconds)
        except urllib.error.HTTPError as problem:
            problem.close()
            hint = " Is the key right?" if problem.code in (401, 403) else ""
            raise upstream_error(f"it answered with status {problem.code}.{hint}") from None
        except TimeoutError:
            raise upstream_error("it took too long to answer.") from None
        except (OSError, ValueError) as problem:
            raise upstream_error(f"it cannot be reached ({self._safe(type(problem).__name__)}).") from None

    def _data(self, answer: bytes) -> dict[str, Any]:
        response = _parsed(answer)
        if not isinstance(response, dict):
            raise upstream_error("its answer is not JSON.")
        if response.get("errors"):
            first = response["errors"][0] if isinstance(response["errors"], list) else response["errors"]
            message = first.get("message") if isinstance(first, dict) else first
            raise upstream_error(f"it refused: {self._safe(str(message))[:200]}")
        data = response.get("data")
        if not isinstance(data, dict):
            raise upstream_error("its answer has no data.")
        return data

    def _safe(self, text: str) -> str:
        return text.replace(self._key, "…") if self._key else text


def _run(scope: WandbProject, node: Any) -> WandbRun:
    config, summary = (_parsed(node.get(name) or "{}") for name in ("config", "summaryMetrics"))
    try:
        return WandbRun(
            id=node.get("name"),
            name=node.get("displayName") or node.get("name"),
            state=node.get("state"),
            created_at=node.get("createdAt"),
            updated_at=node.get("heartbeatAt"),
            group=node.get("group"),
            job_type=node.get("jobType"),
            tags=node.get("tags") or [],
            user=(node.get("user") or {}).get("username"),
            history_rows=node.get("historyLineCount"),
            url=f"https://wandb.ai/{scope.entity}/{scope.project}/runs/{node.get('name')}",
            config=_unwrapped(config) if isinstance(config, dict) else {},
            summary=summary if isinstance(summary, dict) else {},
        )
    except ValidationError:
        raise upstream_error("its response has an unexpected format.") from None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would send the key to another server."""

    def redirect_request(self, *_: Any) -> None:
        return None


def key_metrics(summary: dict[str, Any], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Last value, best value and change over the history of each key metric."""
    made = []
    for name in ("return_mean", *all_result_metrics(), "env_steps_total"):
        values = [row[name] for row in rows if isinstance(row.get(name), (int, float))]
        last = summary.get(name, values[-1] if values else None)
        if isinstance(last, (int, float)):
            change = values[-1] - values[0] if len(values) > 1 else None
            made.append({"key": name, "last": last, "best": max([*values, last]), "change": change})
    return made


def _within(answer: Any, seconds: float) -> bytes:
    """Read the whole response; raises when it is too large or too slow."""
    stop, parts, size = time.monotonic() + seconds, [], 0
    while part := answer.read1(1 << 16):
        size += len(part)
        if size > MAX_RESPONSE_BYTES:
            raise upstream_error(f"its answer is larger than {MAX_RESPONSE_BYTES >> 20} MiB.")
        if time.monotonic() > stop:
            raise TimeoutError
        parts.append(part)
    return b"".join(parts)


def upstream_error(what: str) -> ApiError:
    """The 502 for a failed query."""
    return ApiError(502, "upstream", f"Weights & Biases could not be read: {what}")


def _parsed(text: Any) -> Any:
    """Parsed JSON with NaN and infinities as null, which browsers cannot read; None when invalid."""
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, TypeError, RecursionError):
        return None


def _part(value: Any, *path: str) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _unwrapped(config: dict[str, Any]) -> dict[str, Any]:
    """W&B stores a setting as {"value": …, "desc": …}; its own keys begin with an underscore or `wandb`."""
    return {
        name: setting["value"] if isinstance(setting, dict) and "value" in setting else setting
        for name, setting in config.items()
        if not name.startswith(("_", "wandb"))
    }
