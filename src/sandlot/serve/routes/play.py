"""Play sessions: a human plays a native game; every response has the mask of legal actions."""

from typing import Annotated, Any

from fastapi import APIRouter, Body
from pydantic import BaseModel, BeforeValidator, Field, FiniteFloat, StrictInt

from ...games import PLAYED_GAME
from ...spec import Spec
from ...worlds import NativeWorld, World, games, load_spec
from ...worlds.make import check_native
from ..context import Context, ContextDep
from ..errors import ApiError, error_responses
from ..opponents import OpponentRequest, agent_of_role, load_checkpoints, make_opponents
from ..sessions import Opponent, Session

router = APIRouter(prefix="/api/play/session", tags=["play"])

ERRORS = error_responses(400, 404, 409, 413, 415, 422, 429, 503)
MAX_SETTINGS = 512


def _number(value: Any) -> Any:
    """Refuses strings and booleans, which Python would convert."""
    if isinstance(value, (bool, str)):
        raise ValueError("expected a number")  # noqa: TRY004  pydantic expects ValueError
    return value


def _set_maximum(schema: dict[str, Any]) -> None:
    """Sets the largest action id of any game when the OpenAPI document is made."""
    schema["maximum"] = max(load_spec(game).action_count for game in games()) - 1


SeedField = Annotated[int, Field(ge=0, le=(1 << 64) - 1)]  # or text: browsers have 53-bit integers
Number = Annotated[float, Field(ge=-1, le=1), BeforeValidator(_number)]
ActionId = Annotated[int, Field(ge=0, json_schema_extra=_set_maximum), BeforeValidator(_number)]
Value = bool | StrictInt | FiniteFloat | Annotated[str, Field(max_length=64)]


def _set_choices(schema: dict[str, Any]) -> None:
    """Sets the names of the games when the OpenAPI document is made."""
    schema["enum"] = games()


class NewSession(BaseModel, extra="forbid", allow_inf_nan=False):
    """What to play. An empty body starts a prospector game."""

    game: str = Field(default=PLAYED_GAME, max_length=64, json_schema_extra=_set_choices)
    seed: SeedField | None = Field(default=None, description="random when it is not given")
    env_time_max: int | None = Field(
        default=None, gt=0, le=1_000_000, description="ticks of a prospector episode; 20000 without it"
    )
    config: dict[str, Value] = Field(
        default={}, max_length=MAX_SETTINGS, description="settings of the game; also profile"
    )
    role: str | None = Field(
        default=None, max_length=64, description="which role the human plays; the first without it"
    )
    opponents: dict[str, OpponentRequest] = Field(
        default={},
        max_length=8,
        description="who plays the other agents of each role; the default bot without it",
    )


class ResetSession(BaseModel, extra="forbid"):
    """How to begin the next episode."""

    seed: SeedField | None = Field(default=None, description="the last seed plus one when it is not given")


class StepSession(BaseModel, extra="forbid", allow_inf_nan=False):
    """Actions of one step."""

    action: ActionId | Annotated[list[Number], Field(min_length=1, max_length=64)] = Field(
        description="an id (prospector: 0 to 68), or numbers from -1 to 1 (tag: move_x, move_z, jump)"
    )


class PlayState(BaseModel):
    """The state of a game."""

    session_id: str
    game: str
    seed: int
    env_time_max: int | None
    profile: str
    role: str
    agent: int = Field(description="which agent of the world the human plays")
    opponents: dict[str, str] = Field(description="who plays each other agent")
    obs: list[float] = Field(description="observation of the human's agent")
    mask: list[bool] | None = Field(description="by action id: whether it is legal now; null without ids")
    reward: float
    total_reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]
    events: list[dict[str, Any]]
    render_state: dict[str, Any]
    steps: int
    ticks: int
    created_at: str
    updated_at: str


class StepState(PlayState):
    """The game after a step."""

    action: int | list[float]


class Deleted(BaseModel):
    """Confirms that a session is gone."""

    session_id: str
    deleted: bool


@router.post("", responses=ERRORS)
def create_session(context: ContextDep, body: Annotated[NewSession | None, Body()] = None) -> PlayState:
    """Start a game."""
    request = body or NewSession()
    session = context.sessions.create(lambda: _make(context, request), request.seed)
    with session.lock:
        return PlayState(**session.state())


def _make(context: Context, request: NewSession) -> tuple[World, int, list[Opponent]]:
    """World, agent index of the human, and opponents. An unknown name is a 404, a wrong value a 422."""
    check_native(request.game)
    config: dict[str, Any] = dict(request.config)
    if request.env_time_max is not None:
        config["time_max"] = request.env_time_max
    trained = any(opponent.run_id is not None for opponent in request.opponents.values())
    policies, rules = (
        load_checkpoints(request.opponents, context.run, request.game) if trained else ({}, None)
    )
    if rules is not None:
        config = {**rules.settings, **config}
        _check_rules(rules, load_spec(request.game, config))
    world = NativeWorld(request.game, worlds=1, config=config, autoreset=False)
    agent = agent_of_role(world.spec, request.role)
    return world, agent, make_opponents(world, agent, request.opponents, policies)


def _check_rules(trained: Spec, wanted: Spec) -> None:
    """A policy can play under other settings as long as observations and actions are the same."""
    if trained.json["shape"] != wanted.json["shape"]:
        text = "The opponent was trained with other observations or actions than these settings give."
        raise ApiError(422, "bad_request", text)


@router.get("/{session_id}", responses=error_responses(404, 422))
def get_session(context: ContextDep, session_id: str) -> PlayState:
    """The current state; keeps the session alive."""
    session = context.sessions.get(session_id)
    with session.lock:
        session.keep_alive()
        return PlayState(**session.state())


@router.post("/{session_id}/reset", responses=ERRORS)
def reset_session(
    context: ContextDep, session_id: str, body: Annotated[ResetSession | None, Body()] = None
) -> PlayState:
    """Start a new episode with the given seed or the next one."""
    session = context.sessions.get(session_id)
    with session.lock:
        seed = body.seed if body else None
        session.begin((session.seed + 1) % (1 << 64) if seed is None else seed)
        return PlayState(**session.state())


@router.post("/{session_id}/step", responses=ERRORS)
def step_session(context: ContextDep, session_id: str, body: StepSession) -> StepState:
    """Play one action; 409 after the end of the episode."""
    session: Session = context.sessions.get(session_id)
    with session.lock:
        session.step(body.action)
        return StepState(action=body.action, **session.state())


@router.delete("/{session_id}", responses=error_responses(404, 422))
def delete_session(context: ContextDep, session_id: str) -> Deleted:
    """End a game."""
    context.sessions.remove(session_id)
    return Deleted(session_id=session_id, deleted=True)
