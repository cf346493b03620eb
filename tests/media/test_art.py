"""The table of names is whole: every action and event of every game has its signs, and every sign exists."""

import pytest

from sandlot.media.art import packs, table
from sandlot.worlds import games, load_spec

KINDS = {"actions": lambda spec: spec.action_names, "events": lambda spec: [e["name"] for e in spec.events]}
CASES = [(game, kind) for game in games() for kind in KINDS]


def signs_of(game, kind):
    """Effect, sound and icon of every action or event of a game, by its name."""
    rows = table.table()["games"][game][kind]
    parts = ("effect", "sound", "icon")
    return {name: {part: row[part] for part in parts} for row in rows for name in row["names"]}


@pytest.mark.parametrize(("game", "kind"), CASES)
def test_every_action_and_event_has_signs_if_only_an_explicit_none(game, kind):
    assert sorted(signs_of(game, kind)) == sorted(KINDS[kind](load_spec(game)))


@pytest.mark.parametrize(("game", "kind"), CASES)
def test_no_name_has_two_rows(game, kind):
    names = [name for row in table.table()["games"][game][kind] for name in row["names"]]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(("game", "kind"), CASES)
def test_every_sign_is_in_the_table(game, kind):
    known = {"effect": table.table()["effects"], "sound": table.sounds(), "icon": table.graphics()}
    for name, signs in signs_of(game, kind).items():
        for part, key in signs.items():
            assert key is None or key in known[part], f"{name} has the {part} {key}"


def test_all_69_actions_of_the_prospector_are_reported_by_name():
    assert len(signs_of("prospector", "actions")) == 69
    assert signs_of("prospector", "actions")["HOLD_DRIFT"] == {
        "effect": None, "sound": None, "icon": "icon.action.hold",
    }  # fmt: skip
    assert signs_of("prospector", "actions")["SELL_PGE_50"]["sound"] == "cash"


def test_every_name_is_used_by_an_action_an_event_or_the_page_itself():
    """Sounds and effects have no other way to be asked for; a name that nobody says would be dead."""
    output = [signs for game, kind in CASES for signs in signs_of(game, kind).values()]
    assert set(table.sounds()) == {signs["sound"] for signs in output} - {None}
    assert set(table.table()["effects"]) == {signs["effect"] for signs in output} - {None}


def test_patterns_speak_of_names_in_the_table_only():
    assert set(packs.GRAPHICS) <= set(table.graphics())
    assert set(packs.SOUNDS) == set(table.sounds())
    patterns = [
        pattern
        for lists in (packs.GRAPHICS, packs.SOUNDS)
        for patterns in lists.values()
        for pattern in patterns
    ]
    assert all(pattern == pattern.lower() for pattern in patterns)


def test_the_first_pattern_that_is_there_wins_and_case_does_not_matter():
    chosen = packs.choose(
        ["PNG/Default/ship_A.png", "PNG/playerShip1_blue.png", "PNG/Damage/playerShip1_damage1.png"]
    )
    assert chosen.graphics == {"entity.ship.agent": "PNG/playerShip1_blue.png"}


def test_a_pattern_is_a_whole_name_not_its_end():
    assert not packs.choose(["my_station_a.png", "notstation_A.png"])


def test_a_cue_takes_several_variants_but_not_any_number():
    chosen = packs.choose([f"Audio/laserSmall_00{i}.ogg" for i in range(9)])
    assert chosen.sounds == {"laser.low": [f"Audio/laserSmall_00{i}.ogg" for i in range(packs.MAX_VARIANTS)]}
