"""What TensorBoard is told, read back from the event files."""

import json

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from sandlot.errors import MissingExtra
from sandlot.media import tensorboard
from sandlot.media.tensorboard import TensorBoard
from sandlot.runs import Store

from .making import STEPS, make_pilot_run, make_tag_run, pilot_metrics, tag_metrics, window_row

TAGS_OF_THE_BRIEF = {
    "episode/reward_mean", "episode/reward_sum", "episode/steps", "episode/seeker_reward_sum",
    "episode/hider_reward_sum",
    "seeker/updates", "seeker/policy_loss", "seeker/value_loss", "seeker/entropy",
    "hider/updates", "hider/policy_loss", "hider/value_loss", "hider/entropy",
}  # fmt: skip


def read(run) -> dict[str, list[tuple[int, float]]]:
    """Scalars by tag: (step, value), as most scripts read them."""
    events = EventAccumulator(str(run.paths.tensorboard))
    events.Reload()
    assert events.Tags()["tensors"] == []
    return {
        tag: [(scalar.step, scalar.value) for scalar in events.Scalars(tag)]
        for tag in events.Tags()["scalars"]
    }


def test_every_tag_of_the_brief_is_marked_once_a_window_at_its_env_steps(tmp_path):
    run = make_tag_run(tmp_path, windows=0)
    board = TensorBoard(run)
    for window in range(3):
        board.window(window_row(run.run_id, window, **tag_metrics(window)))
    board.close()
    marks = read(run)
    assert set(marks) >= TAGS_OF_THE_BRIEF
    assert [step for step, _ in marks["episode/reward_mean"]] == [STEPS, 2 * STEPS, 3 * STEPS]
    assert marks["seeker/entropy"][1][1] == pytest.approx(0.2)


def test_the_tags_of_stable_baselines3_hold_the_numbers_of_windows_jsonl(tmp_path):
    run = make_tag_run(tmp_path, windows=3)
    TensorBoard(Store(tmp_path).open(run.run_id)).close()
    rows = [json.loads(line) for line in run.paths.windows.read_text().splitlines()]
    scalars = read(run)
    expected = {
        "rollout/ep_rew_mean": lambda row: row["return_mean"],
        "rollout/ep_len_mean": lambda row: row["steps_mean"],
        "time/total_timesteps": lambda row: row["env_steps_total"],
        "time/fps": lambda row: row["env_steps_total"] / row["seconds"],
        "window/seeker_win_rate": lambda row: row["seeker_win_rate"],
    }
    assert len(rows) == 3 and rows[0]["seconds"] == 0.0  # no time has passed: no speed yet
    for tag, value in expected.items():
        timed = rows[1:] if tag == "time/fps" else rows
        assert scalars[tag] == [(row["env_steps_total"], pytest.approx(value(row))) for row in timed], tag


def test_prospector_has_its_profit_and_survival(tmp_path):
    run = make_pilot_run(tmp_path, windows=0)
    board = TensorBoard(run)
    board.window(window_row(run.run_id, 0, **pilot_metrics(0)))
    board.close()
    assert set(read(run)) >= {
        "window/profit_mean",
        "window/survival_rate",
        "pilot/policy_loss",
        "pilot/entropy",
    }


def test_a_resumed_run_marks_each_window_once(tmp_path):
    run = make_tag_run(tmp_path, windows=2)
    for _ in range(2):
        TensorBoard(Store(tmp_path).open(run.run_id)).close()
    marks = read(run)
    assert [step for step, _ in marks["episode/reward_mean"]] == [STEPS, 2 * STEPS]
    assert [step for step, _ in marks["evaluation/seeker_rating"]] == [STEPS, 2 * STEPS]


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch.utils.tensorboard", None)
    with pytest.raises(MissingExtra, match=r"sandlot\[train\]"):
        TensorBoard(make_tag_run(tmp_path, windows=0))
    assert tensorboard.is_installed()
    monkeypatch.setattr(tensorboard.importlib.util, "find_spec", lambda name: None)
    assert not tensorboard.is_installed()
