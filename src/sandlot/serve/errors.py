"""Error responses of the API, the same for HTTP and WebSocket: a status, a code, a sentence."""

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


class FieldError(BaseModel):
    """What is wrong with one field of a request."""

    location: str = Field(description="for example query.limit or body.action")
    message: str


class ErrorResponse(BaseModel):
    """The body of every error response."""

    status_code: int
    error: str = Field(description="a code for programs: not_found, bad_request, damaged, …")
    detail: str = Field(description="a sentence for people: what happened, what was expected, what to do")
    field_errors: list[FieldError] = Field(default=[], description="of an invalid request: what is wrong")


class ApiError(Exception):
    """Raise it anywhere below a route to answer with that status, code and sentence."""

    def __init__(
        self,
        status: int,
        error: str,
        detail: str,
        field_errors: list[FieldError] | None = None,
        headers: dict[str, str] | None = None,
    ):
        super().__init__(detail)
        self.status, self.error, self.detail = status, error, detail
        self.field_errors, self.headers = field_errors or [], headers or {}

    def body(self) -> ErrorResponse:
        """The body of the response."""
        return ErrorResponse(
            status_code=self.status, error=self.error, detail=self.detail, field_errors=self.field_errors
        )

    def response(self) -> JSONResponse:
        """The HTTP response."""
        return JSONResponse(self.body().model_dump(), self.status, headers=self.headers)


# The first class that matches decides, so subclasses come before their parents.
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


def to_api_error(problem: Exception) -> ApiError:
    """Turns any exception into the error that the client receives."""
    if isinstance(problem, ApiError):
        return problem
    for kind, status, error in STATUS:
        if isinstance(problem, kind):
            return ApiError(status, error, _sentence(problem))
    log.error("A request failed.", exc_info=problem)
    return ApiError(500, "internal", "The server failed on this request; see its log. Please report it.")


def _sentence(problem: Exception) -> str:
    if isinstance(problem, OSError) and not isinstance(problem, errors.SandlotError):
        return "A file that this needs is not there (any more)."
    if isinstance(problem, RecursionError):
        return "A file that this needs holds JSON that is nested too deeply. Restore it from a copy."
    return str(problem)


def validation_error(problems: list[Any]) -> ApiError:
    """A 422 for pydantic's errors: one sentence and the list. The invalid values are not repeated."""
    field_errors = [FieldError(location=_location(p["loc"]), message=p["msg"]) for p in problems]
    first = field_errors[0] if field_errors else FieldError(location="request", message="not valid")
    more = f" (and {len(field_errors) - 1} more)" if len(field_errors) > 1 else ""
    text = f"{first.location} is not valid: {first.message}{more}."
    return ApiError(422, "bad_request", text, field_errors)


def _location(parts: Sequence[Any]) -> str:
    """body.action.0, without the union member names that pydantic adds."""
    kinds = ("int", "float", "str", "bool", "list", "dict", "constrained", "function", "literal", "union")
    return ".".join(str(part) for part in parts if re.split(r"[\[-]", str(part))[0] not in kinds)


def from_http_exception(problem: HTTPException) -> ApiError:
    """An error of the framework itself: unknown path, wrong method, a body that is not JSON."""
    status = HTTPStatus(problem.status_code)
    sentences = {
        404: "There is nothing at this address. GET /openapi.json lists all routes.",
        405: "This address does not take that method. GET /openapi.json lists all routes.",
        400: "The body cannot be read; expected JSON.",
    }
    text = str(problem.detail or "")
    detail = text if text and text != status.phrase else sentences.get(status, f"{status.phrase}.")
    if status == 400:
        detail = sentences[400]
    error = status.phrase.lower().replace(" ", "_")
    return ApiError(status, error, detail, headers=dict(problem.headers or {}))


def install(app: FastAPI) -> None:
    """Register handlers that turn every exception into an ErrorResponse."""

    async def known(request: Request, problem: Exception) -> JSONResponse:
        return explain(request.app.state.context, problem, request.path_params).response()

    async def invalid(_: Request, problem: Exception) -> JSONResponse:
        assert isinstance(problem, RequestValidationError)
        return validation_error(list(problem.errors())).response()

    async def framework(request: Request, problem: Exception) -> JSONResponse:
        assert isinstance(problem, HTTPException)
        error = from_http_exception(problem)
        if error.status == 405:
            error.headers = {"Allow": ", ".join(_methods(request.app, request.url.path))}
        return error.response()

    for kind in (ApiError, errors.SandlotError, OSError, RecursionError):
        app.add_exception_handler(kind, known)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, framework)


def _methods(app: FastAPI, path: str) -> list[str]:
    """All methods of a path; the framework reports only those of its first route."""
    paths = app.openapi()["paths"].items()
    patterns = [(re.sub(r"\{\w+\}", "[^/]+", template), methods) for template, methods in paths]
    found = [methods for pattern, methods in patterns if re.fullmatch(pattern, path)]
    return sorted({method.upper() for methods in found for method in methods}) or ["GET", "HEAD"]


def explain(context: Any, problem: Exception, path: dict[str, Any]) -> ApiError:
    """The error for a failed request; when its run was deleted meanwhile, that is the 404."""
    run_id = path.get("run_id")
    error = to_api_error(problem)
    if isinstance(problem, ApiError):
        return error
    if isinstance(run_id, str) and not context.has_run(run_id):
        return context.no_run(run_id)
    error.detail = context.without_paths(error.detail)
    return error


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The error responses of a route, for its OpenAPI description."""
    return {status: {"model": ErrorResponse, "description": HTTPStatus(status).phrase} for status in statuses}
