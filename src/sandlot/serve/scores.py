"""Scores of bots and of the newest policy on one seed.

Each score is computed once and cached by what it depends on: rules, seed, checkpoint.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from ..errors import SandlotError
from ..evaluate.play import play
from ..evaluate.replay_reader import plain
from ..games import bot
from ..spec import Spec
from ..worlds import Episodes
from .opponents import bot_label, checkpoint_path, read_checkpoint

if TYPE_CHECKING:
    from .context import Context

MAX_ENTRIES = 512


class Score(BaseModel):
    """One player's episode on the seed."""

    name: str
    role: str
    scripted: bool
    against: str | None = Field(description="who played the other role; null in a single-agent game")
    run_id: str | None = None
    window_id: int | None = None
    finished: bool = Field(description="false when the episode exceeded the step limit")
    return_total: float | None = None
    episode: dict[str, Any] = Field(default={}, description="the game's own sums, by name")


class ScoreCache:
    """Scores by rules, seed and checkpoint; the oldest go first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Any, ...], list[Score]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: tuple[Any, ...]) -> list[Score] | None:
        """Cached scores, or None."""
        with self._lock:
            return self._kept.get(key)

    def keep(self, key: tuple[Any, ...], scores: list[Score]) -> list[Score]:
        """Cache scores and return them."""
        with self._lock:
            self._kept[key] = scores
            while len(self._kept) > MAX_ENTRIES:
                self._kept.popitem(last=False)
        return scores


def scores_for(context: Context, spec: Spec, seed: int, bots: bool, policy: bool) -> list[Score]:
    """The requested scores, best first within a role. Playing them may take seconds."""
    roles = list(dict.fromkeys(spec.roles))
    made = _bot_scores(context, spec, seed, roles) if bots else []
    if policy:
        made = made + _policy_scores(context, spec, seed)
    return sorted(made, key=lambda s: (roles.index(s.role), -(s.return_total or 0.0)))


def _bot_scores(context: Context, spec: Spec, seed: int, roles: list[str]) -> list[Score]:
    key = (spec.hash, seed)
    found = context.scores.get(key)
    if found is None:
        pairs = [(r, n) for r in roles for n, about in spec.bots.items() if about["role"] in (r, "all")]
        found = context.scores.keep(key, [_bot_score(spec, seed, role, name) for role, name in pairs])
    return found


def _bot_score(spec: Spec, seed: int, role: str, name: str) -> Score:
    player = bot(spec.game, name, config=spec.settings, seed=seed)
    blank = Score(name=bot_label(spec, player), role=role, scripted=True, against=None, finished=False)
    return _played(spec, seed, role, player, blank)


def _policy_scores(context: Context, spec: Spec, seed: int) -> list[Score]:
    """Scores of the best checkpoint of the newest run that fits; empty when there is none."""
    for record in context.all_runs():
        if record.game != spec.game or record.latest_checkpoint is None:
            continue
        try:
            found = _run_scores(context, spec, seed, record.run_id)
        except (SandlotError, OSError):  # another version, still being written, no torch …
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
    if not _is_compatible(checkpoint.spec, spec):
        return []
    origin = {"run_id": run_id, "window_id": checkpoint.origin["window_id"]}
    made = []
    for role, policy in checkpoint.policies.items():
        blank = Score(name=checkpoint.name, role=role, scripted=False, against=None, finished=False, **origin)
        made.append(_played(spec, seed, role, policy, blank))
    return made


def _is_compatible(trained: Spec, spec: Spec) -> bool:
    """A policy may meet other settings (a shorter time budget), not other observations or actions."""
    return all(
        getattr(trained, part) == getattr(spec, part)
        for part in ("game", "version", "observation", "action_names", "action_size", "roles")
    )


def _played(spec: Spec, seed: int, role: str, player: Any, blank: Score) -> Score:
    roles = list(dict.fromkeys(spec.roles))
    if len(roles) == 1:
        return _with_result(spec, play(spec.game, player, [seed], spec.settings), role, blank)
    sides = {
        other: bot(spec.game, spec.default_bots[other], config=spec.settings, seed=seed) for other in roles
    }
    against = ", ".join(spec.default_bots[other] for other in roles if other != role)
    sides[role] = player
    played = play(spec.game, sides, [seed], spec.settings)
    return _with_result(spec, played, role, blank.model_copy(update={"against": against}))


def _with_result(spec: Spec, played: Episodes, role: str, blank: Score) -> Score:
    if not len(played):
        return blank
    sums = played[0]
    episode = {f.name: plain(f, sums[f.name]) for f in spec.episode}
    returns = episode.get("returns")
    total = returns[spec.roles.index(role)] if isinstance(returns, list) else episode.get("return")
    return blank.model_copy(update={"finished": True, "return_total": total, "episode": episode})
