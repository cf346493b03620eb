"""Weights & Biases, read-only: asks its GraphQL API with a key that stays here, and remembers the answers.

Plain HTTP by the standard library, a handful of questions: the `wandb` package would ask many more, keep a
process of its own, and is not needed to read. The key goes to the configured address alone (redirects are not
followed) and is cut out of every sentence that could repeat it.
"""

from __future__ import annotations

import base64
import json
import threading
import time
import urllib.error
import urllib.request
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from .errors import Refusal
from .settings import Settings, variable_of

MOST_ANSWER_BYTES = 32 << 20
MOST_CACHED = 256
OPERATIONS = ("runs_latest", "run_summary", "run_history", "iteration_view")
KPIS = (
    "return_mean",
    "profit_mean",
    "net_profit_mean",
    "survival_rate",
    "seeker_win_rate",
    "env_steps_total",
)

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


class WandbReader:
    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic):
        self._settings, self._clock = settings, clock
        self._kept: OrderedDict[str, tuple[float, Any]] = OrderedDict()
        self._lock = threading.Lock()
        self.hits = self.misses = 0
        self._opener = urllib.request.build_opener(_NoRedirect)

    # ------------------------------------------------------------ what a page asks

    @property
    def reason(self) -> str | None:
        """Why it cannot be used here; None when it can."""
        if self._key is None:
            return f"No key is set. Start the server with {variable_of('wandb_api_key')}."
        return None

    def status(self) -> dict[str, Any]:
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
            "notes": ["Read-only. The key stays on the server.", f"Asks {settings.wandb_base_url}."],
        }

    def scope(self, entity: str | None, project: str | None) -> tuple[str, str]:
        """Whose project is meant, or why nobody can tell."""
        if self.reason is not None:
            raise Refusal(503, "unavailable", f"Weights & Biases cannot be asked here. {self.reason}")
        entity, project = entity or self._settings.wandb_entity, project or self._settings.wandb_project
        if not entity or not project:
            missing = "entity" if not entity else "project"
            raise Refusal(
                400, "bad_request",
                f"Which {missing}? Say ?{missing}=…, or start the server with "
                f"{variable_of('wandb_' + missing)}.",
            )  # fmt: skip
        return entity, project

    def latest(self, entity: str, project: str, limit: int) -> list[dict[str, Any]]:
        told = self._ask(_LATEST, entity=entity, project=project, first=limit, order="-created_at")
        edges = _part(told, "project", "runs", "edges") or []
        return [self._run(entity, project, edge["node"]) for edge in edges if edge.get("node")]

    def summary(self, entity: str, project: str, run_id: str) -> dict[str, Any]:
        told = self._ask(_RUN, entity=entity, project=project, name=run_id)
        return self._run(entity, project, self._existing(told, run_id, entity, project))

    def history(
        self, entity: str, project: str, run_id: str, keys: list[str], most: int
    ) -> list[dict[str, Any]]:
        """Rows in the order of their steps; with keys, those rows that have all of them."""
        scope = {"entity": entity, "project": project, "name": run_id}
        if keys:
            spec = json.dumps({"keys": ["_step", *keys], "samples": most})
            told = self._existing(self._ask(_SAMPLED, **scope, specs=[spec]), run_id, entity, project)
            rows = (told.get("sampledHistory") or [[]])[0]
        else:
            told = self._existing(self._ask(_HISTORY, **scope, samples=most), run_id, entity, project)
            rows = [_parsed(line) for line in told.get("history") or []]
        return [row for row in rows if isinstance(row, dict)][:most]

    # ------------------------------------------------------------ asking

    @property
    def _key(self) -> str | None:
        key = self._settings.wandb_api_key
        return key.get_secret_value().strip() or None if key else None

    def _ask(self, question: str, **values: Any) -> dict[str, Any]:
        """The data of an answer, from memory while it is fresh."""
        body = json.dumps({"query": question, "variables": values})
        with self._lock:
            kept = self._kept.get(body)
            if kept and self._clock() - kept[0] < self._settings.wandb_cache_seconds:
                self.hits += 1
                return kept[1]
            self.misses += 1
        data = self._data(self._post(body.encode()))
        with self._lock:
            self._kept[body] = (self._clock(), data)
            while len(self._kept) > MOST_CACHED:
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
            raise upstream(f"it answered with status {problem.code}.{hint}") from None
        except TimeoutError:
            raise upstream("it took too long to answer.") from None
        except (OSError, ValueError) as problem:
            raise upstream(f"it cannot be reached ({self._safe(type(problem).__name__)}).") from None

    def _data(self, answer: bytes) -> dict[str, Any]:
        told = _parsed(answer)
        if not isinstance(told, dict):
            raise upstream("its answer is not JSON.")
        if told.get("errors"):
            first = told["errors"][0] if isinstance(told["errors"], list) else told["errors"]
            said = first.get("message") if isinstance(first, dict) else first
            raise upstream(f"it refused: {self._safe(str(said))[:200]}")
        data = told.get("data")
        if not isinstance(data, dict):
            raise upstream("its answer has no data.")
        return data

    def _existing(self, told: dict[str, Any], run_id: str, entity: str, project: str) -> dict[str, Any]:
        run = _part(told, "project", "run")
        if not isinstance(run, dict):
            raise Refusal(404, "not_found", f"Weights & Biases has no run {run_id!r} in {entity}/{project}.")
        return run

    def _run(self, entity: str, project: str, node: dict[str, Any]) -> dict[str, Any]:
        config = _parsed(node.get("config") or "{}")
        summary = _parsed(node.get("summaryMetrics") or "{}")
        return {
            "id": node.get("name"),
            "name": node.get("displayName") or node.get("name"),
            "state": node.get("state"),
            "created_at": node.get("createdAt"),
            "updated_at": node.get("heartbeatAt"),
            "group": node.get("group"),
            "job_type": node.get("jobType"),
            "tags": node.get("tags") or [],
            "user": (node.get("user") or {}).get("username"),
            "history_rows": node.get("historyLineCount"),
            "url": f"https://wandb.ai/{entity}/{project}/runs/{node.get('name')}",
            "config": _unwrapped(config) if isinstance(config, dict) else {},
            "summary": summary if isinstance(summary, dict) else {},
        }

    def _safe(self, text: str) -> str:
        return text.replace(self._key, "…") if self._key else text


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect could carry the key to somebody else."""

    def redirect_request(self, *_: Any) -> None:
        return None


def kpis_of(summary: dict[str, Any], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Key figures: last value, best value, and the change over the history."""
    made = []
    for name in KPIS:
        values = [row[name] for row in rows if isinstance(row.get(name), (int, float))]
        last = summary.get(name, values[-1] if values else None)
        if isinstance(last, (int, float)):
            change = values[-1] - values[0] if len(values) > 1 else None
            made.append({"key": name, "last": last, "best": max([*values, last]), "change": change})
    return made


def _within(answer: Any, seconds: float) -> bytes:
    """The whole answer, unless it is too large or trickles in too slowly."""
    stop, parts, size = time.monotonic() + seconds, [], 0
    while part := answer.read1(1 << 16):
        size += len(part)
        if size > MOST_ANSWER_BYTES:
            raise upstream(f"its answer is larger than {MOST_ANSWER_BYTES >> 20} MiB.")
        if time.monotonic() > stop:
            raise TimeoutError
        parts.append(part)
    return b"".join(parts)


def upstream(what: str) -> Refusal:
    return Refusal(502, "upstream", f"Weights & Biases could not be read: {what}")


def _parsed(text: Any) -> Any:
    """JSON, with NaN and the infinities as nothing: no browser reads them."""
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, TypeError, RecursionError):
        return None


def _part(told: Any, *path: str) -> Any:
    for name in path:
        told = told.get(name) if isinstance(told, dict) else None
    return told


def _unwrapped(config: dict[str, Any]) -> dict[str, Any]:
    """W&B holds a setting as {"value": …, "desc": …}; its own notes begin with an underscore or `wandb`."""
    return {
        name: told["value"] if isinstance(told, dict) and "value" in told else told
        for name, told in config.items()
        if not name.startswith(("_", "wandb"))
    }
