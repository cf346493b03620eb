"""Scripted players decide as they always did: gates, ratings and stored evaluations stand on them.

A player that was changed on purpose: `python tests/golden/make_bots.py` writes the digests anew.
"""

import bot_decisions
import pytest
from playing import GAMES

from sandlot.games.reference import parity_setup


@pytest.mark.parametrize("game", GAMES)
def test_every_level_of_every_player_decides_as_kept_in_every_variant(game):
    kept = bot_decisions.kept()[game]
    assert set(kept) == set(parity_setup(game).variants)
    assert {variant: bot_decisions.found(game, variant) for variant in kept} == kept


def test_the_digests_tell_levels_players_and_settings_apart():
    """A digest that never differed would be no check."""
    tag = bot_decisions.kept()["tag"]
    ours = tag["default"]
    assert (
        len({ours[f"{name} {level}"] for name in ("chase", "wander", "ambush") for level in (1, 2, 3)}) == 9
    )
    assert ours["chase 3"] != tag["tight"]["chase 3"]
    assert len(set(bot_decisions.kept()["landing"]["default"].values())) == 6
