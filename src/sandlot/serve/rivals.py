"""Who plays the agents that a human does not: scripted players by name, checkpoints of runs by window."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..errors import ConfigError, UnknownName
from ..games import Spec, VectorGame, bot
from ..games.faces.cast import USUAL_BOT
from ..runs import Run
from .errors import Refusal
from .sessions import Rival

if TYPE_CHECKING:
    from ..evaluate.players import Checkpoint

Which = Annotated[int, Field(ge=0, le=2**53)] | Literal["newest", "best"]


class Opponent(BaseModel):
    """A scripted player, or the policy of a run."""

    model_config = ConfigDict(extra="forbid")

    bot: str | None = Field(
        default=None, max_length=64, description="a scripted player; /api/games/{game}/bots lists them"
    )
    level: int | None = Field(
        default=None, ge=1, le=100, description="of a scripted player; its best without one"
    )
    run_id: str | None = Field(default=None, max_length=128, description="a run whose policy plays")
    window: Which = Field(
        default="best", description="which checkpoint of the run; best is the newest until one is judged"
    )


def checkpoint_path(run: Run, window: Which) -> Path:
    """The file of a run's checkpoint, or a sentence about why there is none."""
    if window == "best":
        return run.paths.best if run.best() else run.newest_checkpoint()
    if window == "newest":
        return run.newest_checkpoint()
    known = run.checkpoints()
    if window not in known:
        raise UnknownName(f"checkpoint of run {run.run_id} for window", window, map(str, list(known)[-8:]))
    return known[window]


def seat(spec: Spec, role: str | None) -> int:
    """The row that a human who wants this role plays: the first of it."""
    if role is None:
        return 0
    if role not in spec.roles:
        raise UnknownName(f"role of {spec.game}", role, dict.fromkeys(spec.roles))
    return spec.roles.index(role)


def rivals_for(
    world: VectorGame, agent: int, wishes: Mapping[str, Opponent], policies: Mapping[str, Any]
) -> list[Rival]:
    """Somebody for every other agent. policies: those of the wished checkpoints, by role."""
    spec = world.spec
    for role in wishes:
        if role not in spec.roles:
            raise UnknownName(f"role of {spec.game}", role, dict.fromkeys(spec.roles))
    return [
        _rival(spec, row, role, wishes.get(role, Opponent()), policies)
        for row, role in enumerate(spec.roles)
        if row != agent
    ]


def _rival(spec: Spec, row: int, role: str, wish: Opponent, policies: Mapping[str, Any]) -> Rival:
    if wish.run_id is not None:
        name, policy = policies[role]
        return Rival(row, name, policy)
    word = wish.bot or USUAL_BOT.get(role)
    told = spec.bots.get(word or "")
    if told is None:
        raise UnknownName(f"bot of {spec.game}", word, spec.bots)
    if told["role"] not in (role, "all"):
        raise ConfigError(f"{word} plays {told['role']}, not {role}.")
    player = bot(spec.game, told["name"], wish.level, {"profile": spec.profile, **spec.config})
    shown = f"{player.name}:{player.level}" if told["levels"] > 1 else player.name
    return Rival(row, shown, player)


def read_checkpoint(path: Path) -> Checkpoint:
    """The policies in a file. One thread is enough for one row, and leaves the others to those who watch."""
    import torch  # it takes seconds to load, and only those who play against a policy need it

    from ..evaluate.players import read_checkpoint as read

    torch.set_num_threads(1)
    return read(path)


def load_checkpoints(
    wishes: Mapping[str, Opponent], run_of: Any, game: str
) -> tuple[dict[str, tuple[str, Any]], Spec | None]:
    """The policy of each role that a run is to play, and the rules they were trained under."""
    from ..evaluate.players import same_rules

    found: dict[str, tuple[str, Any]] = {}
    spec: Spec | None = None
    for role, wish in wishes.items():
        if wish.run_id is None:
            continue
        checkpoint = read_checkpoint(checkpoint_path(run_of(wish.run_id), wish.window))
        if checkpoint.spec.game != game:
            raise Refusal(422, "bad_request", f"{checkpoint.name} plays {checkpoint.spec.game}, not {game}.")
        spec = spec or checkpoint.spec
        same_rules([checkpoint], spec)
        found[role] = (checkpoint.name, checkpoint.player(role).policy)
    return found, spec
