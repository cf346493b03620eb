"""Observations and actions on their way: the layout of 48, scales, guards, smoothing as in the game."""

import numpy as np
import pytest

from sandlot.compat.vr.config import RLConfig
from sandlot.compat.vr.processing import ActionPostProcessor, ObservationProcessor, slices
from sandlot.errors import BadMessage
from sandlot.worlds import NativeWorld, load_spec


def test_the_layout_is_that_of_the_native_game():
    spec = load_spec("navigation")
    names = {"rays": "ray_sensors"}
    assert {names.get(f.name, f.name): spec.field(f.name) for f in spec.observation} == slices(16)
    assert ObservationProcessor(RLConfig()).size == 48


def test_play_is_seen_within_one_clamp_and_nothing_is_lost():
    processor, world = ObservationProcessor(RLConfig()), NativeWorld("navigation", 8, seed=3)
    generator = np.random.default_rng(0)
    world.reset(seed=3)
    for _ in range(200):
        world.step(generator.uniform(-1, 1, (8, 3)).astype(np.float32))
        seen = np.array([processor.process(raw) for raw in world.observations])
        assert np.abs(seen).max() < 10.0, "a clamped entry tells nothing"
        assert np.allclose(seen / processor.scale, world.observations, atol=1e-5)
    world.close()


def test_what_is_no_number_becomes_one():
    processor = ObservationProcessor(RLConfig())
    raw = np.zeros(48, np.float32)
    raw[:3] = np.nan, np.inf, -np.inf
    assert processor.process(raw)[:3].tolist() == [0.0, 10.0, -10.0]


def test_without_normalization_an_observation_is_as_it_was():
    config = RLConfig()
    config.observations.normalize_observations = False
    raw = np.linspace(-30, 30, 48, dtype=np.float32)
    assert (ObservationProcessor(config).process(raw) == raw).all()


def test_named_fields_become_the_48_and_a_wrong_one_is_named():
    processor = ObservationProcessor(RLConfig())
    raw = np.arange(48, dtype=np.float32)
    fields = {name: raw[where].tolist() for name, where in processor.slices.items()}
    fields["goal_distance"] = float(raw[44])
    fields["camera_rotation"] = dict(zip("xyzw", raw[3:7].tolist(), strict=True))
    assert (processor.from_fields(fields) == raw).all()
    for wrong in ([1, 2], None, "near", {"x": 1}):
        with pytest.raises(BadMessage, match="camera_position"):
            processor.from_fields(fields | {"camera_position": wrong})


def test_commands_are_smoothed_as_the_native_game_smooths_them():
    """After each decision the game's own speed is the command's share of the limit."""
    config = RLConfig()
    processor = ActionPostProcessor(config.actions)
    world = NativeWorld("navigation", config=config.game_settings() | {"layout": "open"})
    world.reset(seed=1)
    for action in ([0.0, 1.0, 0.0], [0.05, 0.6, 0.0], [0.0, -0.4, 0.0], [1.0, 1.0, 0.0]):
        command = processor.scale(processor.process(action))
        world.step(np.array([action], np.float32))
        speed = float(np.hypot(*world.observations[0, [7, 9]]))
        assert speed == pytest.approx(float(np.hypot(*command[:2])), abs=2e-3)
    world.close()


def test_the_dead_zone_swallows_small_commands_and_stretches_the_rest():
    config = RLConfig()
    config.actions.action_smoothing = 0.0
    processor = ActionPostProcessor(config.actions)
    assert processor.process([0.1, -0.05, 0.1]).tolist() == [0.0, 0.0, 0.0]
    assert processor.process([0.0, 1.0, -1.0]).tolist() == [0.0, 1.0, -1.0]
    assert processor.scale(processor.command).tolist() == [0.0, 2.0, -90.0]
    assert processor.process([0.55, 0.0, 0.0])[0] == pytest.approx(0.5)


def test_reset_forgets_the_last_command():
    processor = ActionPostProcessor(RLConfig().actions)
    processor.process([1.0, 0.0, 1.0])
    processor.reset()
    assert processor.command.tolist() == [0.0, 0.0, 0.0]
