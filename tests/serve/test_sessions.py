"""Play sessions as the server keeps them: room, age, what is given back, and when."""

import json
import time

import pytest

from sandlot.errors import Closed, ConfigError
from sandlot.serve import sessions as module
from sandlot.serve.errors import ApiError
from sandlot.serve.sessions import Sessions
from sandlot.worlds import NativeWorld


@pytest.fixture
def made():
    """Worlds that were made, in order."""
    worlds = []

    def make(game="prospector"):
        worlds.append(NativeWorld(game, worlds=1))
        return worlds[-1], 0, []

    make.worlds = worlds
    yield make
    for world in worlds:
        world.close()


def is_closed(world) -> bool:
    try:
        world.step()
    except Closed:
        return True
    return False


def test_a_session_begins_at_its_seed_with_nothing_played(made):
    session = Sessions(2, 60).create(made, 7)
    assert (session.seed, session.steps, session.ticks, session.total_reward) == (7, 0, 0, 0.0)
    assert not session.ended and session.created_at == session.updated_at != ""
    body = session.state()
    assert (body["reward"], body["terminated"], body["truncated"], body["events"]) == (0.0, False, False, [])


def test_a_session_without_a_seed_has_one_that_can_be_typed(made):
    kept = Sessions(9, 60)
    seeds = {kept.create(made, None).seed for _ in range(5)}
    assert len(seeds) == 5 and all(0 <= seed < 2**31 for seed in seeds)


def test_steps_ticks_and_rewards_add_up_and_a_reset_begins_at_nothing(made):
    session = Sessions(2, 60).create(made, 7)
    ticks = reward = 0
    for _ in range(5):
        session.step(6)
        ticks += int(session.world.ticks[0])
        reward += float(session.world.rewards[0])
    assert (session.steps, session.ticks) == (5, ticks) and session.total_reward == pytest.approx(reward)
    assert ticks >= 5 and session.state()["reward"] == pytest.approx(float(session.world.rewards[0]))
    session.begin(8)
    assert (session.seed, session.steps, session.ticks, session.total_reward) == (8, 0, 0, 0.0)


@pytest.mark.parametrize("action", [-1, 69, 1.0, [1], "1"])
def test_an_action_that_is_none_of_a_discrete_game_is_refused_and_nothing_moves(made, action):
    session = Sessions(2, 60).create(made, 7)
    session.step(68)  # the last there is
    with pytest.raises(ConfigError, match="one whole number from 0 to 68"):
        session.step(action)
    assert session.steps == 1


@pytest.mark.parametrize("action", [[1.0, 0.0], [0.0, 0.0, 1.01], [float("nan"), 0, 0], 3, [0.0] * 4])
def test_numbers_that_are_no_action_of_a_continuous_game_are_refused(made, action):
    session = Sessions(2, 60).create(lambda: made("tag"), 7)
    session.step([1.0, -1.0, 0.0])
    with pytest.raises(ConfigError, match="takes 3 numbers from -1 to 1"):
        session.step(action)
    assert session.steps == 1


def test_a_long_action_is_not_repeated_in_full():
    assert module._short("x" * 77) == repr("x" * 77), "79 characters with its quotation marks"
    assert len(module._short("x" * 78)) == 78 and module._short("x" * 78).endswith("…")


def test_there_is_room_for_so_many_and_a_removed_one_makes_room(made):
    kept = Sessions(2, 60)
    first = kept.create(made, 1)
    kept.create(made, 2)
    with pytest.raises(ApiError) as refused:
        kept.create(made, 3)
    assert (refused.value.status, refused.value.error) == (429, "too_many_sessions")
    assert len(made.worlds) == 2, "no world is made for who is refused"
    kept.remove(first.session_id)
    assert is_closed(first.world) and len(kept) == 1
    kept.create(made, 3)


@pytest.mark.parametrize(("age", "seconds", "wait"), [(0, 1800, "60"), (1790, 1800, "10"), (59.9, 60, "1")])
def test_who_finds_no_room_is_reported_when_the_oldest_is_forgotten(made, age, seconds, wait):
    kept = Sessions(1, seconds)
    kept.create(made, 1).used_at -= age
    with pytest.raises(ApiError) as refused:
        kept.create(made, 2)
    assert refused.value.headers == {"Retry-After": wait}


def test_a_world_that_cannot_be_made_takes_no_room():
    kept = Sessions(1, 60)

    def fails():
        raise ConfigError("no such world")

    for _ in range(2):
        with pytest.raises(ConfigError, match="no such world"):
            kept.create(fails, 1)
        assert len(kept) == 0


def test_an_unused_session_is_forgotten_with_its_world_and_a_used_one_is_not(made):
    kept = Sessions(3, 10)
    old, young = kept.create(made, 1), kept.create(made, 2)
    old.used_at -= 10.1
    young.used_at -= 9.0
    assert kept.get(young.session_id) is young
    with pytest.raises(ApiError, match="unused for 10 s") as refused:
        kept.get(old.session_id)
    assert refused.value.status == 404 and is_closed(old.world) and not is_closed(young.world)


def test_a_step_keeps_a_session_alive(made):
    session = Sessions(1, 10).create(made, 1)
    session.used_at = 0.0
    session.step(6)
    assert time.monotonic() - session.used_at < 5


def test_closing_gives_every_world_back(made):
    kept = Sessions(3, 60)
    for seed in range(3):
        kept.create(made, seed)
    kept.close()
    assert len(kept) == 0 and all(map(is_closed, made.worlds))


def test_a_world_that_is_just_stepped_is_left_to_who_steps_it(made):
    kept = Sessions(3, 60)
    session = kept.create(made, 1)
    with session.lock:
        kept.remove(session.session_id)
        assert not is_closed(session.world)
    assert len(kept) == 0


def test_memory_is_given_back_every_so_many_and_when_something_was_forgotten(made, monkeypatch):
    calls = []
    monkeypatch.setattr(module, "trim", lambda: calls.append(1))
    monkeypatch.setattr(module, "TRIM_EVERY", 2)
    kept = Sessions(9, 10)
    ids = [kept.create(made, seed).session_id for seed in range(4)]
    kept.remove(ids[0])  # three left
    assert len(calls) == 0
    kept.remove(ids[1])  # two left
    assert len(calls) == 1
    kept.get(ids[2]).used_at -= 11
    assert kept.get(ids[3]) and len(calls) == 2


def test_the_state_of_a_session_has_what_the_world_shows(made):
    session = Sessions(2, 60).create(made, 7)
    session.step(6)
    state = session.state()
    assert state["obs"] == pytest.approx(session.world.observations[0].tolist())
    assert state["mask"] == [bool(legal) for legal in session.world.masks[0]]
    assert state["info"] and all(not hasattr(value, "dtype") for value in state["info"].values())
    assert (state["game"], state["role"], state["agent"], state["opponents"]) == (
        "prospector",
        "pilot",
        0,
        {},
    )
    assert state["render_state"] and (state["steps"], state["ticks"]) == (1, session.ticks)
    json.dumps(state, allow_nan=False)
