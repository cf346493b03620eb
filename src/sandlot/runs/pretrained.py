"""Trained policies that ship with Sandlot, so that one can watch and play before anything was trained here.

    pretrained_policies/GAME/manifest.json   Pretrained: the command that made it, what it reached
    pretrained_policies/GAME/ROLE.onnx       a policy, for pages and for `sandlot` alike
    pretrained_policies/GAME/learning/       how it learned: the same seeds at every stage (learning.py)

`scripts/pretrain.py` makes the folders.
"""

from pathlib import Path

from ..errors import UnknownName
from .atomic import read_json
from .learning import Learning
from .records import Count, Record, parse

FOLDER = Path(__file__).parent / "pretrained_policies"
MANIFEST = "manifest.json"


class Pretrained(Record):
    """manifest.json of one game."""

    game: str
    game_version: str
    roles: list[str]
    command: str  # that trained it
    machine: str
    trained_s: float | None
    env_steps_total: Count
    window_id: Count
    note: str = ""  # what the command alone does not say

    @property
    def folder(self) -> Path:
        """Where its files are."""
        return FOLDER / self.game

    @property
    def learning(self) -> Learning:
        """How it learned."""
        return Learning(self.folder / "learning")

    def policy(self, role: str) -> Path:
        """The ONNX file of a role; UnknownName if it has none."""
        if role not in self.roles:
            raise UnknownName(f"pretrained role of {self.game}", role, self.roles)
        return self.folder / f"{role}.onnx"


def pretrained_games() -> list[str]:
    """The games that policies ship for, by name."""
    return sorted(path.parent.name for path in FOLDER.glob(f"*/{MANIFEST}"))


def pretrained(game: str) -> Pretrained:
    """What ships for a game; UnknownName if nothing does."""
    if game not in pretrained_games():
        raise UnknownName("game with a pretrained policy", game, pretrained_games())
    path = FOLDER / game / MANIFEST
    return parse(Pretrained, read_json(path), str(path))
