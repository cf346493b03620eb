"""Reading JSON documents that another command wrote: limited in size, of one kind and schema, checked."""

import json
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from .errors import Damaged, NewerSchema, StoreError

Model = TypeVar("Model", bound=BaseModel)


def first_invalid(problem: ValidationError) -> str:
    """Place and message of the first thing that pydantic found."""
    error = problem.errors(include_url=False)[0]
    place = ".".join(str(part) for part in error["loc"])
    return f"{place + ': ' if place else ''}{error['msg'].removeprefix('Value error, ')}"


def read_document(
    path: Path, model: type[Model], *, kind: str, called: str, limit: int, make: str, again: str
) -> Model:
    """The document in a file; Damaged names the first field that is wrong.

    called: what messages call it. make, again: the advice if there is none, or if it is broken.
    """
    try:
        size = path.stat().st_size
        data = path.read_bytes() if size <= limit else b""
    except FileNotFoundError:
        raise StoreError(f"There is no {called} at {path}. {make}") from None
    except OSError as problem:
        raise StoreError(f"{path} could not be read ({problem.strerror or problem}). {make}") from None
    if size > limit:
        raise Damaged(f"{path} is larger than {limit >> 20} MiB; no {called} is.")
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        raise Damaged(f"{path} is not JSON, or cut off. {again}") from None
    if not isinstance(given, dict) or given.get("kind") != kind:
        raise Damaged(f"{path} is not a {called}. {make}")
    found, known = given.get("schema_version"), model.model_fields["schema_version"].default
    if isinstance(found, int) and found > known:
        raise NewerSchema(str(path), found, known)
    try:
        return model.model_validate(given)
    except ValidationError as problem:
        raise Damaged(f"{path}: {first_invalid(problem)}. {again}") from None
