"""Navigation with the engine's physics: the same episodes as the native game, as far as physics agree."""

import numpy as np
import pytest

import sandlot

pytestmark = pytest.mark.slow
SEEDS = [3, 4, 5, 6]
STEPS = 60  # six seconds


@pytest.fixture(scope="module")
def pair(engine):
    native = sandlot.make("navigation", len(SEEDS))
    with sandlot.make("navigation", len(SEEDS), engine="godot") as godot:
        yield native, godot
    native.close()


def test_episodes_begin_with_the_same_numbers(pair):
    native, godot = pair
    assert godot.spec.interface_hash == native.spec.interface_hash
    assert godot.reset(seeds=SEEDS) == pytest.approx(native.reset(seeds=SEEDS), abs=1e-4)


def test_the_same_actions_lead_to_the_same_place(pair):
    native, godot = pair
    actions = np.random.default_rng(7).uniform(-1, 1, (STEPS, len(SEEDS), 3)).astype(np.float32)
    for world in (native, godot):
        world.reset(seeds=SEEDS)
    for action in actions:
        for world in (native, godot):
            world.step(action)
    assert godot.observations == pytest.approx(
        native.observations, abs=0.3
    )  # contact with a wall is the engine's
    assert godot.rewards == pytest.approx(native.rewards, abs=0.1)


def test_the_native_pathfinder_arrives_there(pair):
    _, godot = pair
    walker = sandlot.bot("navigation", "pathfollower")
    godot.reset(seeds=SEEDS)
    state, ended = None, []
    while len(ended) < len(SEEDS):
        actions, state = walker.act(godot.observations, None, state)
        godot.step(actions)
        ended += godot.finished()
    assert [episode["success"] for episode in ended] == [1.0] * len(ended)
