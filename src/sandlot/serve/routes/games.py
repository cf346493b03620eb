"""Games: the list, a game's spec, its bots, and scores on one seed."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, Field, StringConstraints

from ...spec import Spec, parse_settings
from ...worlds import games, load_spec
from ...worlds.make import NATIVE, check_native, engine_of
from ..context import ContextDep
from ..errors import ApiError, error_responses
from ..scores import Score, scores_for

router = APIRouter(prefix="/api/games", tags=["games"])

MAX_SETTINGS = 64
Settings = Annotated[
    list[Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+=.+$", max_length=200)]] | None,
    Query(alias="set", max_length=MAX_SETTINGS, description="NAME=VALUE, repeated; also profile=NAME"),
]


class GameSummary(BaseModel):
    """One line of the list of games."""

    name: str
    title: str
    version: str
    text: str
    agents: int
    roles: list[str]
    profiles: list[str]
    discrete: bool
    masked: bool
    spec_url: str


class GameList(BaseModel):
    """The games of this engine."""

    games: list[GameSummary]
    count: int


class GameSpec(BaseModel):
    """A game under one set of settings."""

    name: str
    profile: str
    spec_hash: str
    config: dict[str, Any] = Field(description="every setting with its value")
    spec: dict[str, Any] = Field(description="as `sandlot games NAME --json` prints it")


class BotInfo(BaseModel):
    """One bot and its levels."""

    name: str
    role: str = Field(description="the role it can play; all for any")
    levels: int
    text: str


class BotList(BaseModel):
    """A game's bots."""

    game: str
    count: int
    bots: list[BotInfo]


class ScoreList(BaseModel):
    """What each bot achieved on one seed."""

    game: str
    seed: str
    profile: str
    config: dict[str, Any]
    count: int
    scores: list[Score]


def _spec(game: str, settings: Settings = None) -> Spec:
    if engine_of(game) != NATIVE:
        check_native(game)
    if game not in games():
        raise ApiError(404, "not_found", f"There is no game {game[:64]!r}. There are: {', '.join(games())}.")
    return load_spec(game, parse_settings(settings))


SpecDep = Annotated[Spec, Depends(_spec)]


@router.get("")
def list_games() -> GameList:
    """All games."""
    made = [_summary(load_spec(name)) for name in games()]
    return GameList(games=made, count=len(made))


def _summary(spec: Spec) -> GameSummary:
    own = ("title", "version", "text", "agents", "discrete", "masked")
    fields: dict[str, Any] = {name: getattr(spec, name) for name in own}
    fields |= {"roles": list(dict.fromkeys(spec.roles)), "profiles": list(spec.profiles)}
    return GameSummary(name=spec.game, spec_url=f"/api/games/{spec.game}", **fields)


@router.get("/{game}", responses=error_responses(404, 422))
def get_game(spec: SpecDep) -> GameSpec:
    """The spec of a game under these settings: names, sizes, ranges, units."""
    return GameSpec(
        name=spec.game, profile=spec.profile, spec_hash=spec.hash, config=spec.config, spec=spec.json
    )


@router.get("/{game}/bots", responses=error_responses(404, 422))
def list_bots(spec: SpecDep) -> BotList:
    """The bots of a game."""
    bots = [BotInfo(**{k: about[k] for k in BotInfo.model_fields}) for about in spec.bots.values()]
    return BotList(game=spec.game, count=len(bots), bots=bots)


@router.get("/{game}/scores", responses=error_responses(404, 409, 422, 503))
async def list_scores(
    context: ContextDep,
    spec: SpecDep,
    seed: Annotated[int, Query(ge=0, lt=1 << 64)],
    bots: Annotated[bool, Query(description="include every bot")] = True,
    policy: Annotated[bool, Query(description="include the best policy of the newest run that fits")] = True,
) -> ScoreList:
    """How bots and the newest policy score on one seed; shown after a game that a human played."""
    key = (spec.hash, seed, bots, policy)
    scores = await context.background.submit_once(key, scores_for, context, spec, seed, bots, policy)
    return ScoreList(
        game=spec.game,
        seed=str(seed),
        profile=spec.profile,
        config=spec.config,
        count=len(scores),
        scores=scores,
    )
