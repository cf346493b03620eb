"""Opponents of a human in a play session: bots by name, checkpoints of runs by window."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field

from ..errors import ConfigError, UnknownName
from ..games import bot
from ..runs import Run
from ..spec import Spec
from ..worlds import World
from .errors import ApiError
from .sessions import Opponent

if TYPE_CHECKING:
    from ..evaluate.players import Checkpoint

WindowSelector = Annotated[int, Field(ge=0, le=2**53)] | Literal["newest", "best"]


class OpponentRequest(BaseModel, extra="forbid"):
    """Who plays a role: a bot, or the policy of a run."""

    bot: str | None = Field(
        default=None, max_length=64, description="a bot; /api/games/{game}/bots lists them"
    )
    level: int | None = Field(default=None, ge=1, le=100, description="of the bot; its highest without one")
    run_id: str | None = Field(default=None, max_length=128, description="a run whose policy plays")
    window: WindowSelector = Field(
        default="best", description="which checkpoint of the run; best is the newest until one was evaluated"
    )


def checkpoint_path(run: Run, window: WindowSelector) -> Path:
    """The file of a run's checkpoint; raises when there is none."""
    if window == "best":
        return run.paths.best if run.best() else run.newest_checkpoint()
    if window == "newest":
        return run.newest_checkpoint()
    known = run.checkpoints()
    if window not in known:
        raise UnknownName(f"checkpoint of run {run.run_id} for window", window, map(str, list(known)[-8:]))
    return known[window]


def agent_of_role(spec: Spec, role: str | None) -> int:
    """The index of the first agent with a role; 0 without one."""
    if role is None:
        return 0
    _check_role(spec, role)
    return spec.roles.index(role)


def _check_role(spec: Spec, role: str) -> None:
    if role not in spec.roles:
        raise UnknownName(f"role of {spec.game}", role, dict.fromkeys(spec.roles))


def bot_label(spec: Spec, player: Any) -> str:
    """The name of a bot, with its level where there are several."""
    return f"{player.name}:{player.level}" if spec.bots[player.name]["levels"] > 1 else player.name


def make_opponents(
    world: World, agent: int, requests: Mapping[str, OpponentRequest], policies: Mapping[str, Any]
) -> list[Opponent]:
    """An opponent for every other agent. policies: those of the requested checkpoints, by role."""
    spec = world.spec
    for role in requests:
        _check_role(spec, role)
    return [
        _make_opponent(spec, row, role, requests.get(role, OpponentRequest()), policies)
        for row, role in enumerate(spec.roles)
        if row != agent
    ]


def _make_opponent(
    spec: Spec, row: int, role: str, request: OpponentRequest, policies: Mapping[str, Any]
) -> Opponent:
    if request.run_id is not None:
        name, policy = policies[role]
        return Opponent(row, name, policy)
    name = request.bot or spec.default_bots.get(role)
    bot_spec = spec.bots.get(name or "")
    if bot_spec is None:
        raise UnknownName(f"bot of {spec.game}", name, spec.bots)
    if bot_spec["role"] not in (role, "all"):
        raise ConfigError(f"{name} plays {bot_spec['role']}, not {role}.")
    player = bot(spec.game, bot_spec["name"], request.level, spec.settings)
    return Opponent(row, bot_label(spec, player), player)


def read_checkpoint(path: Path) -> Checkpoint:
    """The policies in a checkpoint. One thread is enough for one row and leaves the rest for frames."""
    import torch  # imported here: it takes seconds

    from ..evaluate.players import read_checkpoint as read

    torch.set_num_threads(1)
    return read(path)


def load_checkpoints(
    requests: Mapping[str, OpponentRequest], open_run: Any, game: str
) -> tuple[dict[str, tuple[str, Any]], Spec | None]:
    """Name and policy of each role that a run plays, and the spec they were trained under."""
    from ..evaluate.players import same_rules

    found: dict[str, tuple[str, Any]] = {}
    spec: Spec | None = None
    for role, request in requests.items():
        if request.run_id is None:
            continue
        checkpoint = read_checkpoint(checkpoint_path(open_run(request.run_id), request.window))
        if checkpoint.spec.game != game:
            raise ApiError(422, "bad_request", f"{checkpoint.name} plays {checkpoint.spec.game}, not {game}.")
        spec = spec or checkpoint.spec
        same_rules([checkpoint], spec)
        found[role] = (checkpoint.name, checkpoint.player(role).policy)
    return found, spec
