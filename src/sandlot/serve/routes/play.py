"""Play by hand against the native engine: any game, with the mask of legal actions in every answer."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, FiniteFloat, StrictInt

from ...errors import UnknownName
from ...games import Spec, VectorGame, games
from ..context import Context, Shared
from ..errors import Refusal, responses
from ..rivals import Opponent, load_checkpoints, rivals_for, seat
from ..sessions import Rival, Session

router = APIRouter(prefix="/api/play/session", tags=["play"])

TROUBLE = responses(400, 404, 409, 413, 415, 422, 429, 503)
MOST_SETTINGS = 512
MOST_ID = (1 << 31) - 1


def _number(value: Any) -> Any:
    """Text and flags are no numbers, though Python would take them for some."""
    if isinstance(value, (bool, str)):
        raise ValueError("expected a number")  # noqa: TRY004  pydantic listens to this one
    return value


def _known_ids(told: dict[str, Any]) -> None:
    """The largest id that any game has, asked of the engine when the description is made."""
    told["maximum"] = max(Spec(game).action_count for game in games()) - 1


SeedField = Annotated[int, Field(ge=0, le=(1 << 64) - 1)]  # also as text: browsers have numbers of 53 bits
Number = Annotated[float, Field(ge=-1, le=1), BeforeValidator(_number)]
ActionId = Annotated[int, Field(ge=0, le=MOST_ID, json_schema_extra=_known_ids), BeforeValidator(_number)]
Value = bool | StrictInt | FiniteFloat | Annotated[str, Field(max_length=64)]


def _listed_games(told: dict[str, Any]) -> None:
    """Asked of the engine when the description is made."""
    told["enum"] = games()


class NewSession(BaseModel):
    """What to play. An empty body begins a prospector game."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    game: str = Field(default="prospector", max_length=64, json_schema_extra=_listed_games)
    seed: SeedField | None = Field(default=None, description="drawn when it is not given")
    env_time_max: int | None = Field(
        default=None, gt=0, le=1_000_000, description="ticks of a prospector episode; 20000 without it"
    )
    config: dict[str, Value] = Field(
        default={}, max_length=MOST_SETTINGS, description="settings of the game; also profile"
    )
    role: str | None = Field(
        default=None, max_length=64, description="which role the human plays; the first without it"
    )
    opponents: dict[str, Opponent] = Field(
        default={},
        max_length=8,
        description="who plays each role's other agents; the usual scripted player without it",
    )


class ResetSession(BaseModel):
    model_config = ConfigDict(extra="forbid")

    seed: SeedField | None = Field(default=None, description="the last seed plus one when it is not given")


class StepSession(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    action: ActionId | Annotated[list[Number], Field(min_length=1, max_length=64)] = Field(
        description="an id (prospector: 0 to 68), or numbers from -1 to 1 (tag: move_x, move_z, jump)"
    )


class PlayState(BaseModel):
    """The game as it stands."""

    session_id: str
    game: str
    seed: int
    env_time_max: int | None
    profile: str
    role: str
    agent: int = Field(description="which agent of the world the human plays")
    rivals: dict[str, str] = Field(description="who plays each other agent")
    obs: list[float] = Field(description="what the human's agent sees, as a policy would")
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
    session_id: str
    deleted: bool


@router.post("", responses=TROUBLE)
def create_session(context: Shared, body: Annotated[NewSession | None, Body()] = None) -> PlayState:
    """Begin a game."""
    wish = body or NewSession()
    session = context.sessions.create(lambda: _make(context, wish), wish.seed)
    with session.lock:
        return PlayState(**session.told())


def _make(context: Context, wish: NewSession) -> tuple[VectorGame, int, list[Rival]]:
    """The world, the human's place in it, and the others. An unknown name is a 404, a wrong value a 422."""
    if wish.game not in games():
        raise UnknownName("game", wish.game, games())
    config: dict[str, Any] = dict(wish.config)
    if wish.env_time_max is not None:
        config["time_max"] = wish.env_time_max
    trained = any(opponent.run_id is not None for opponent in wish.opponents.values())
    policies, rules = load_checkpoints(wish.opponents, context.run, wish.game) if trained else ({}, None)
    if rules is not None:
        config = {"profile": rules.profile, **rules.config, **config}
        _check_rules(rules, Spec(wish.game, config))
    world = VectorGame(wish.game, worlds=1, config=config, autoreset=False)
    agent = seat(world.spec, wish.role)
    return world, agent, rivals_for(world, agent, wish.opponents, policies)


def _check_rules(trained: Spec, wanted: Spec) -> None:
    """A policy can play on under other numbers, but not with other eyes or hands."""
    if trained.json["shape"] != wanted.json["shape"]:
        raise Refusal(
            422,
            "bad_request",
            "The opponent was trained with other observations or actions than these settings give.",
        )


@router.get("/{session_id}", responses=responses(404, 422))
def get_session(context: Shared, session_id: str) -> PlayState:
    """The game as it stands; looking keeps it alive."""
    session = context.sessions.get(session_id)
    with session.lock:
        session.keep_alive()
        return PlayState(**session.told())


@router.post("/{session_id}/reset", responses=TROUBLE)
def reset_session(
    context: Shared, session_id: str, body: Annotated[ResetSession | None, Body()] = None
) -> PlayState:
    """Begin anew, with the given seed or the next one."""
    session = context.sessions.get(session_id)
    with session.lock:
        seed = body.seed if body else None
        session.begin((session.seed + 1) % (1 << 64) if seed is None else seed)
        return PlayState(**session.told())


@router.post("/{session_id}/step", responses=TROUBLE)
def step_session(context: Shared, session_id: str, body: StepSession) -> StepState:
    """Play one action. After the end of the episode it is refused with 409."""
    session: Session = context.sessions.get(session_id)
    with session.lock:
        session.step(body.action)
        return StepState(action=body.action, **session.told())


@router.delete("/{session_id}", responses=responses(404, 422))
def delete_session(context: Shared, session_id: str) -> Deleted:
    """Forget a game."""
    context.sessions.remove(session_id)
    return Deleted(session_id=session_id, deleted=True)
