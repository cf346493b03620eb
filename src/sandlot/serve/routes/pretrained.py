"""Trained policies that ship with Sandlot: to watch and to play against before anything was trained here."""

import pathlib
from typing import Annotated

from fastapi import APIRouter, Depends, Path
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from ...errors import SandlotError, UnsafePath
from ...runs.pretrained import Pretrained, pretrained, pretrained_games
from ..errors import ApiError, error_responses
from .learning import LearningHistory, history

router = APIRouter(prefix="/api/pretrained", tags=["policies"])


class PretrainedPolicy(BaseModel):
    """One role's policy."""

    role: str
    url: str = Field(description="its ONNX file")


class PretrainedGame(BaseModel):
    """What ships for one game."""

    game: str
    command: str = Field(description="that trained it")
    machine: str
    trained_s: float | None
    env_steps_total: int
    policies: list[PretrainedPolicy]
    learning_url: str = Field(description="how it learned: the same seeds at every stage")


class PretrainedList(BaseModel):
    """Everything that ships."""

    count: int
    games: list[PretrainedGame]


def _of_game(game: Annotated[str, Path(max_length=64)]) -> Pretrained:
    try:
        return pretrained(game)
    except SandlotError as problem:
        raise ApiError(404, "not_found", str(problem)) from None


PretrainedDep = Annotated[Pretrained, Depends(_of_game)]


@router.get("")
def list_pretrained() -> PretrainedList:
    """The games that trained policies ship for."""
    found = [_about(pretrained(game)) for game in pretrained_games()]
    return PretrainedList(count=len(found), games=found)


def _about(one: Pretrained) -> PretrainedGame:
    base = f"/api/pretrained/{one.game}"
    return PretrainedGame(
        game=one.game,
        command=one.command,
        machine=one.machine,
        trained_s=one.trained_s,
        env_steps_total=one.env_steps_total,
        policies=[PretrainedPolicy(role=role, url=f"{base}/policies/{role}.onnx") for role in one.roles],
        learning_url=f"{base}/learning",
    )


@router.get("/{game}/learning", responses=error_responses(404, 422))
def get_pretrained_learning(one: PretrainedDep) -> LearningHistory:
    """How it learned: the same seeds at every stage."""
    return history(one.learning, one.game, f"/api/pretrained/{one.game}/replays/{{}}/file")


@router.get(
    "/{game}/policies/{role}.onnx",
    response_class=FileResponse,
    responses=error_responses(404, 422)
    | {200: {"content": {"application/octet-stream": {}}, "description": "an ONNX model"}},
)
def get_pretrained_policy(one: PretrainedDep, role: Annotated[str, Path(max_length=64)]) -> FileResponse:
    """The policy of a role."""
    if role not in one.roles:
        known = ", ".join(one.roles)
        raise ApiError(404, "not_found", f"For {one.game} there is {known}, not {role[:64]!r}.")
    return _file(one.policy(role), "application/octet-stream")


@router.get(
    "/{game}/replays/{replay_id}/file",
    response_class=FileResponse,
    responses=error_responses(404, 422)
    | {200: {"content": {"application/gzip": {}}, "description": "a .jsonl.gz, as of every replay"}},
)
def get_pretrained_replay(
    one: PretrainedDep, replay_id: Annotated[str, Path(max_length=128)]
) -> FileResponse:
    """A match of a stage."""
    try:
        path = one.learning.replay(replay_id)
    except UnsafePath as problem:
        raise ApiError(404, "not_found", str(problem)) from None
    if not path.is_file():
        raise ApiError(404, "not_found", f"{one.game} has no pretrained replay {replay_id[:64]!r}.")
    return _file(path, "application/gzip")


def _file(path: pathlib.Path, media_type: str) -> FileResponse:
    return FileResponse(
        path, media_type=media_type, filename=path.name, headers={"Cache-Control": "no-cache"}
    )
