"""Games: what there is, what each says about itself, its scripted players, and scores on one seed."""

from __future__ import annotations

import json
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, Field, StringConstraints

from ...games import Spec, games
from ..context import Shared
from ..errors import Refusal, responses
from ..scores import Score, scores_of

router = APIRouter(prefix="/api/games", tags=["games"])

MOST_SETTINGS = 64
Settings = Annotated[
    list[Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+=.+$", max_length=200)]] | None,
    Query(alias="set", max_length=MOST_SETTINGS, description="NAME=VALUE, repeated; also profile=NAME"),
]


class GameSummary(BaseModel):
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
    games: list[GameSummary]
    count: int


class GameSpec(BaseModel):
    name: str
    profile: str
    spec_hash: str
    config: dict[str, Any] = Field(description="every setting with its value")
    spec: dict[str, Any] = Field(description="as `sandlot games NAME --json` prints it")


class BotInfo(BaseModel):
    name: str
    role: str = Field(description="whom it can play; all for any")
    levels: int
    text: str


class BotList(BaseModel):
    game: str
    count: int
    bots: list[BotInfo]


class ScoreList(BaseModel):
    game: str
    seed: str
    profile: str
    config: dict[str, Any]
    count: int
    scores: list[Score]


def config_of(settings: list[str] | None) -> dict[str, Any]:
    """Settings as an address carries them: time_max=2000 is a number, mode=switch a word."""
    config: dict[str, Any] = {}
    for word in settings or ():
        name, _, text = word.partition("=")
        try:
            config[name] = json.loads(text, parse_constant=lambda word: word)
        except (ValueError, RecursionError):
            config[name] = text
    return config


def _spec(game: str, settings: Settings = None) -> Spec:
    if game not in games():
        raise Refusal(404, "not_found", f"There is no game {game[:64]!r}. There are: {', '.join(games())}.")
    return Spec(game, config_of(settings))


ThisSpec = Annotated[Spec, Depends(_spec)]


@router.get("")
def list_games() -> GameList:
    """The games of this engine."""
    made = []
    for name in games():
        spec = Spec(name)
        made.append(
            GameSummary(
                name=name,
                title=spec.title,
                version=spec.version,
                text=spec.text,
                agents=spec.agents,
                roles=list(dict.fromkeys(spec.roles)),
                profiles=list(spec.profiles),
                discrete=spec.discrete,
                masked=spec.masked,
                spec_url=f"/api/games/{name}",
            )
        )
    return GameList(games=made, count=len(made))


@router.get("/{game}", responses=responses(404, 422))
def get_game(spec: ThisSpec) -> GameSpec:
    """What a game says about itself under these settings: names, sizes, ranges, units."""
    return GameSpec(
        name=spec.game, profile=spec.profile, spec_hash=spec.hash, config=spec.config, spec=spec.json
    )


@router.get("/{game}/bots", responses=responses(404, 422))
def list_bots(spec: ThisSpec) -> BotList:
    """Its scripted players."""
    bots = [BotInfo(**{k: told[k] for k in BotInfo.model_fields}) for told in spec.bots.values()]
    return BotList(game=spec.game, count=len(bots), bots=bots)


@router.get("/{game}/scores", responses=responses(404, 409, 422, 503))
async def list_scores(
    context: Shared,
    spec: ThisSpec,
    seed: Annotated[int, Query(ge=0, lt=1 << 64)],
    bots: Annotated[bool, Query(description="every scripted player")] = True,
    policy: Annotated[bool, Query(description="the best policy of the newest run that fits")] = True,
) -> ScoreList:
    """What scripted players and the newest policy make of one seed: for the end of a game played by hand."""
    key = (spec.hash, seed, bots, policy)
    scores = await context.chore_once(key, partial(scores_of, context, spec, seed, bots=bots, policy=policy))
    return ScoreList(
        game=spec.game,
        seed=str(seed),
        profile=spec.profile,
        config=spec.config,
        count=len(scores),
        scores=scores,
    )
