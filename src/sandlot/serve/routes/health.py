"""Whether the server lives, and which it is."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel

from ...games.library import load
from ...version import __version__
from ..context import Shared

router = APIRouter(tags=["health"])


class Health(BaseModel):
    status: Literal["ok"] = "ok"
    version: str
    engine: str
    sessions: int


@router.get("/health")
def get_health(context: Shared) -> Health:
    """A word that the server lives, for whoever watches over it."""
    return Health(version=__version__, engine=load().sl_build().decode(), sessions=len(context.sessions))
