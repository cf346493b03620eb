"""One shape for every refusal, by HTTP and by socket: a status, a word for programs, a sentence for us."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from .. import errors

log = logging.getLogger(__name__)


class Place(BaseModel):
    """What is wrong in one place of a request."""

    where: str = Field(description="for example query.limit or body.action")
    what: str


class ErrorAnswer(BaseModel):
    """Every refusal looks like this."""

    status_code: int
    error: str = Field(description="a word for programs: not_found, bad_request, damaged, …")
    detail: str = Field(description="a sentence for people: what happened, what was expected, what to do")
    places: list[Place] = Field(default=[], description="of a request that is not valid: each place")


class Refusal(Exception):
    """Raised anywhere below a route to answer with that status and sentence."""

    def __init__(
        self,
        status: int,
        error: str,
        detail: str,
        places: list[Place] | None = None,
        headers: dict[str, str] | None = None,
    ):
        super().__init__(detail)
        self.status, self.error, self.detail = status, error, detail
        self.places, self.headers = places or [], headers or {}

    def answer(self) -> ErrorAnswer:
        return ErrorAnswer(status_code=self.status, error=self.error, detail=self.detail, places=self.places)

    def response(self) -> JSONResponse:
        return JSONResponse(self.answer().model_dump(), self.status, headers=self.headers)


# The first kind that fits decides, so the special ones come first.
STATUS: tuple[tuple[type[Exception], int, str], ...] = (
    (errors.UnknownName, 404, "not_found"),
    (errors.UnsafePath, 404, "not_found"),
    (FileNotFoundError, 404, "not_found"),
    (errors.NewerSchema, 409, "newer_schema"),
    (errors.Damaged, 422, "damaged"),
    (errors.CheckpointError, 422, "damaged"),
    (errors.SpecMismatch, 409, "other_engine"),
    (errors.NotReset, 409, "ended"),
    (errors.MissingExtra, 503, "unavailable"),
    (errors.EngineMissing, 503, "unavailable"),
    (errors.OutOfMemory, 503, "unavailable"),
    (errors.StoreError, 409, "not_ready"),
    (errors.SandlotError, 422, "bad_request"),
    (RecursionError, 422, "damaged"),
)


def refusal_of(problem: Exception) -> Refusal:
    """Any exception as what a client is told."""
    if isinstance(problem, Refusal):
        return problem
    for kind, status, error in STATUS:
        if isinstance(problem, kind):
            return Refusal(status, error, _sentence(problem))
    log.error("A request failed.", exc_info=problem)
    return Refusal(500, "internal", "The server failed on this request; its log says why. Please report it.")


def _sentence(problem: Exception) -> str:
    if isinstance(problem, OSError) and not isinstance(problem, errors.SandlotError):
        return "A file that this needs is not there (any more)."
    if isinstance(problem, RecursionError):
        return "A file that this needs holds JSON that is nested too deeply. Restore it from a copy."
    return str(problem)


def of_validation(problems: list[Any]) -> Refusal:
    """pydantic's findings as one sentence, and each of them. The refused values are not repeated."""
    places = [Place(where=_place(p["loc"]), what=p["msg"]) for p in problems]
    first = places[0] if places else Place(where="request", what="not valid")
    more = f" (and {len(places) - 1} more)" if len(places) > 1 else ""
    return Refusal(422, "bad_request", f"{first.where} is not valid: {first.what}{more}.", places)


def _place(parts: Sequence[Any]) -> str:
    """body.action.0, without the names that pydantic gives to the kinds it tried."""
    kinds = ("int", "float", "str", "bool", "list", "dict", "constrained", "function", "literal", "union")
    named = [
        part for part in parts if not (isinstance(part, str) and part.split("[")[0].split("-")[0] in kinds)
    ]
    return ".".join(map(str, named))


def _of_http(problem: HTTPException) -> Refusal:
    """What the framework refuses by itself: no such path, no such method, a body that is no JSON."""
    status = HTTPStatus(problem.status_code)
    sentences = {
        404: "There is nothing at this address. GET /openapi.json lists what there is.",
        405: "This address does not take that method. GET /openapi.json lists what there is.",
        400: "The body cannot be read; expected JSON.",
    }
    told = str(problem.detail or "")
    detail = told if told and told != status.phrase else sentences.get(status, f"{status.phrase}.")
    if status == 400:
        detail = sentences[400]
    return Refusal(
        status, status.phrase.lower().replace(" ", "_"), detail, headers=dict(problem.headers or {})
    )


def install(app: FastAPI) -> None:
    """Answer every kind of trouble in the one shape."""

    async def known(request: Request, problem: Exception) -> JSONResponse:
        return explain(request.app.state.context, problem, request.path_params).response()

    async def invalid(_: Request, problem: Exception) -> JSONResponse:
        assert isinstance(problem, RequestValidationError)
        return of_validation(list(problem.errors())).response()

    async def framework(request: Request, problem: Exception) -> JSONResponse:
        assert isinstance(problem, HTTPException)
        refusal = _of_http(problem)
        if refusal.status == 405:
            refusal.headers = {"Allow": ", ".join(_methods(request.app, request.url.path))}
        return refusal.response()

    for kind in (Refusal, errors.SandlotError, OSError, RecursionError):
        app.add_exception_handler(kind, known)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, framework)


def _methods(app: FastAPI, path: str) -> list[str]:
    """All methods that an address takes; the framework knows those of its first route alone."""
    paths = app.openapi()["paths"].items()
    found = [methods for told, methods in paths if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", told), path)]
    return sorted({method.upper() for methods in found for method in methods}) or ["GET", "HEAD"]


def explain(context: Any, problem: Exception, path: dict[str, Any]) -> Refusal:
    """The refusal for a problem met on the way to a run: a run that is gone explains everything else."""
    run_id = path.get("run_id")
    refusal = refusal_of(problem)
    if isinstance(problem, Refusal):
        return refusal
    if isinstance(run_id, str) and not context.has_run(run_id):
        return context.no_run(run_id)
    refusal.detail = context.without_paths(refusal.detail)
    return refusal


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The refusals that a route may answer with, for its description."""
    return {status: {"model": ErrorAnswer, "description": HTTPStatus(status).phrase} for status in statuses}
