"""Health check."""

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel

from ...version import __version__
from ...worlds.library import load
from ..context import ContextDep

router = APIRouter(tags=["health"])


class Health(BaseModel):
    """Whether the server works, and its versions."""

    status: Literal["ok"] = "ok"
    version: str
    engine: str
    sessions: int


@router.get("/health")
def get_health(context: ContextDep) -> Health:
    """Status and versions, for monitoring."""
    return Health(version=__version__, engine=load().sl_build().decode(), sessions=len(context.sessions))
