"""The game that a stored policy was trained on, if this engine still plays it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import SpecMismatch
from ..games import Spec


def spec_as_trained(told: Mapping[str, Any], what: str) -> Spec:
    """told: game, game_version, profile, config and spec_hash, as a policy's file has them."""
    spec = Spec(told["game"], {"profile": told["profile"], **told["config"]})
    if spec.hash != told["spec_hash"]:
        raise SpecMismatch(
            f"{what} was trained on {told['game']} {told['game_version']} (spec {told['spec_hash']}), "
            f"this engine has {spec.version} (spec {spec.hash}). Use the engine it was trained with, or "
            "train again."
        )
    return spec
