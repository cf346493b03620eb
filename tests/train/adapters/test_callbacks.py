"""Callbacks for plain Stable-Baselines3: when they fire, and what they log."""

from types import SimpleNamespace

import pytest

pytest.importorskip("stable_baselines3")

from stable_baselines3.common.logger import Logger

from sandlot.errors import ConfigError
from sandlot.train.adapters.callbacks import (
    PERFORMANCE_TAGS,
    PerformanceMetricsCallback,
    PeriodicCallback,
    TotalTimestepsCallback,
)


class Counting(PeriodicCallback):
    """Keeps the steps at which it fired; the third ends the training."""

    def __init__(self, interval):
        super().__init__(interval)
        self.fired = []

    def fire(self):
        self.fired.append(self.num_timesteps)
        return len(self.fired) < 3


def begun(callback, timesteps=0):
    """The callback at the start of a training that has so many steps behind it."""
    model = SimpleNamespace(num_timesteps=timesteps, logger=Logger(None, []), get_env=lambda: None)
    callback.init_callback(model)
    callback.on_training_start({}, {})
    return callback, model


def stepped(callback, model, timesteps):
    model.num_timesteps = timesteps
    return callback.on_step()


def test_it_fires_when_a_multiple_is_passed_and_not_only_when_it_is_met():
    callback, model = begun(Counting(10))
    answers = [stepped(callback, model, n) for n in (8, 12, 16, 20, 24, 28, 45)]
    assert callback.fired == [12, 20, 45]
    assert answers == [True, True, True, True, True, True, False], "what fire() returns ends a training"


def test_a_resumed_training_does_not_fire_for_what_was_passed_before():
    callback, model = begun(Counting(10), timesteps=25)
    assert stepped(callback, model, 29) and callback.fired == []
    assert stepped(callback, model, 30) and callback.fired == [30]


@pytest.mark.parametrize("interval", [0, -1])
def test_an_interval_below_one_step_is_refused(interval):
    with pytest.raises(ConfigError, match=f"An interval of {interval} steps"):
        Counting(interval)
    assert Counting(1).interval == 1


def test_an_event_without_a_body_is_an_error():
    callback, model = begun(PeriodicCallback(1))
    with pytest.raises(NotImplementedError):
        stepped(callback, model, 1)


def test_performance_is_logged_as_mean_and_largest_of_a_rollout():
    callback, model = begun(PerformanceMetricsCallback())
    for infos in ([{"performance": (0.5, 0.1, 0.0)}, {}], [{"performance": (1.5, 0.3, -1.0)}]):
        callback.update_locals({"infos": infos})
        assert stepped(callback, model, 1)
    callback.on_rollout_end()
    logged = model.logger.name_to_value
    assert [logged[tag] for tag in PERFORMANCE_TAGS] == pytest.approx([1.0, 0.2, -0.5])
    assert [logged[f"{tag}_max"] for tag in PERFORMANCE_TAGS] == [1.5, 0.3, 0.0]

    callback.update_locals({"infos": [{"performance": (0.25, 0.0, 0.0)}]})
    stepped(callback, model, 2)
    callback.on_rollout_end()
    assert logged[f"{PERFORMANCE_TAGS[0]}_max"] == 0.25, "the last rollout's is forgotten"


def test_the_entry_of_an_info_has_a_name_that_may_be_chosen():
    callback, model = begun(PerformanceMetricsCallback("timing"))
    callback.update_locals({"infos": [{"performance": (9, 9, 9), "timing": (1, 2, 3)}]})
    stepped(callback, model, 1)
    assert [model.logger.name_to_value[tag] for tag in PERFORMANCE_TAGS] == [1, 2, 3]


def test_a_step_without_infos_or_with_another_number_of_them(tmp_path):
    callback, model = begun(PerformanceMetricsCallback())
    assert stepped(callback, model, 1) and model.logger.name_to_value == {}
    callback.update_locals({"infos": [{"performance": (1.0, 2.0)}]})
    with pytest.raises(ValueError, match="argument"):
        stepped(callback, model, 2)


def test_total_timesteps_go_to_tensorboard_at_the_end_of_a_rollout(tmp_path):
    from stable_baselines3.common.logger import TensorBoardOutputFormat
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    callback, model = begun(TotalTimestepsCallback())
    board = TensorBoardOutputFormat(str(tmp_path))
    model.logger = Logger(str(tmp_path), [board])
    assert stepped(callback, model, 640)
    callback.on_rollout_end()
    board.close()
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    (scalar,) = events.Scalars("time/total_timesteps")
    assert (scalar.step, scalar.value) == (640, 640.0)
