"""What scripted players and the newest policy make of one seed.

Each score is worked out once and kept by the content of what it depends on: rules, seed, checkpoint."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from ..errors import SandlotError
from ..evaluate.play import play
from ..evaluate.replays import plain
from ..games import Episodes, Spec, bot
from ..games.faces.cast import USUAL_BOT
from .rivals import checkpoint_path, read_checkpoint

if TYPE_CHECKING:
    from .context import Context

MOST_KEPT = 512


class Score(BaseModel):
    """One player's episode on the seed."""

    name: str
    role: str
    scripted: bool
    against: str | None = Field(description="who played the other role; null in a game of one")
    run_id: str | None = None
    window_id: int | None = None
    finished: bool = Field(description="false when the episode was longer than anybody waits for")
    return_total: float | None = None
    episode: dict[str, Any] = Field(
        default={}, description="the game's own sums: net_profit, ending, winner, …"
    )


class ScoreBook:
    """Scores by everything they depend on."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Any, ...], list[Score]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: tuple[Any, ...]) -> list[Score] | None:
        with self._lock:
            return self._kept.get(key)

    def keep(self, key: tuple[Any, ...], scores: list[Score]) -> list[Score]:
        with self._lock:
            self._kept[key] = scores
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return scores


def scores_of(context: Context, spec: Spec, seed: int, *, bots: bool, policy: bool) -> list[Score]:
    """Of those that are asked for, best first within a role. Nobody else plays: that may take seconds."""
    roles = list(dict.fromkeys(spec.roles))
    made = _bot_scores(context, spec, seed, roles) if bots else []
    if policy:
        made = made + _policy_scores(context, spec, seed)
    return sorted(made, key=lambda s: (roles.index(s.role), -(s.return_total or 0.0)))


def _bot_scores(context: Context, spec: Spec, seed: int, roles: list[str]) -> list[Score]:
    key = (spec.hash, seed)
    found = context.scores.get(key)
    if found is not None:
        return found
    made = [_bot_score(spec, seed, role, name) for role in roles for name in _bots(spec, role)]
    return context.scores.keep(key, made)


def _bots(spec: Spec, role: str) -> list[str]:
    return [name for name, about in spec.bots.items() if about["role"] in (role, "all")]


def _bot_score(spec: Spec, seed: int, role: str, name: str) -> Score:
    player = bot(spec.game, name, config=_config(spec), seed=seed)
    shown = f"{name}:{player.level}" if spec.bots[name]["levels"] > 1 else name
    blank = Score(name=shown, role=role, scripted=True, against=None, finished=False)
    return _played(spec, seed, role, player, blank)


def _policy_scores(context: Context, spec: Spec, seed: int) -> list[Score]:
    """The best checkpoint of the newest run that can play this; none is no error."""
    for record in context.all_runs():
        if record.game != spec.game or record.latest_checkpoint is None:
            continue
        try:
            found = _run_scores(context, spec, seed, record.run_id)
        except (SandlotError, OSError):  # of another version, still being written, without torch …
            continue
        if found:
            return found
    return []


def _run_scores(context: Context, spec: Spec, seed: int, run_id: str) -> list[Score]:
    path = checkpoint_path(context.run(run_id), "best")
    key = (spec.hash, seed, run_id, hashlib.sha256(path.read_bytes()).digest())
    found = context.scores.get(key)
    return context.scores.keep(key, _checkpoint_scores(spec, seed, run_id, path)) if found is None else found


def _checkpoint_scores(spec: Spec, seed: int, run_id: str, path: Path) -> list[Score]:
    checkpoint = read_checkpoint(path)
    if not _plays_alike(checkpoint.spec, spec):
        return []
    made = []
    for role, policy in checkpoint.policies.items():
        blank = Score(
            name=checkpoint.name, role=role, scripted=False, against=None, run_id=run_id,
            window_id=checkpoint.origin["window_id"], finished=False,
        )  # fmt: skip
        made.append(_played(spec, seed, role, policy, blank))
    return made


def _plays_alike(trained: Spec, spec: Spec) -> bool:
    """A policy may meet other settings (a shorter time budget), not other observations or actions."""
    return all(
        getattr(trained, part) == getattr(spec, part)
        for part in ("game", "version", "observation", "action_names", "action_size", "roles")
    )


def _played(spec: Spec, seed: int, role: str, player: Any, blank: Score) -> Score:
    roles = list(dict.fromkeys(spec.roles))
    if len(roles) == 1:
        return _told(spec, play(spec.game, player, [seed], _config(spec)), role, blank)
    sides = {other: bot(spec.game, USUAL_BOT[other], config=_config(spec), seed=seed) for other in roles}
    against = ", ".join(USUAL_BOT[other] for other in roles if other != role)
    sides[role] = player
    played = play(spec.game, sides, [seed], _config(spec))
    return _told(spec, played, role, blank.model_copy(update={"against": against}))


def _told(spec: Spec, played: Episodes, role: str, blank: Score) -> Score:
    if not len(played):
        return blank
    sums = played[0]
    episode = {f.name: plain(f, sums[f.name]) for f in spec.episode}
    returns = episode.get("returns")
    total = returns[spec.roles.index(role)] if isinstance(returns, list) else episode.get("return")
    return blank.model_copy(update={"finished": True, "return_total": total, "episode": episode})


def _config(spec: Spec) -> dict[str, Any]:
    return {"profile": spec.profile, **spec.config}
