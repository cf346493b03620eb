"""Decisions are counted world by world, also where a library's step was none for some of them."""

import numpy as np

from sandlot.runs.windows import StepRecord
from sandlot.train.adapters.recorder import MetricsRecorder, concatenate_worlds
from sandlot.worlds import HEAD, Episodes

NONE = Episodes((), np.zeros(0, HEAD), np.zeros((0, 0), np.float32))


def ended(*worlds):
    heads = np.zeros(len(worlds), HEAD)
    heads["world"] = worlds
    return Episodes((), heads, np.zeros((len(worlds), 0), np.float32))


def step(rewards, ticks=(1, 1), invalid=(False, False)):
    return StepRecord(np.array(ticks, np.int32), np.array(rewards, np.float32)[:, None], np.array(invalid))


def test_a_page_holds_every_step_in_order():
    recorder = MetricsRecorder(2)
    for t in range(3):
        recorder.add(step([t, 10 + t], [1, 2], [t == 1, t == 2]))
    page = recorder.take(NONE).record
    assert page.rewards[..., 0].tolist() == [[0, 10], [1, 11], [2, 12]]
    assert page.ticks.tolist() == [[1, 2]] * 3
    assert page.invalid.tolist() == [[False, False], [True, False], [False, True]]
    assert recorder.ready == 0 and len(recorder.take(NONE).record.ticks) == 0


def test_a_void_step_is_left_out_and_the_others_wait():
    recorder = MetricsRecorder(2)
    for t, counts in enumerate([(True, True), (False, True), (True, True)]):
        recorder.add(step([t, 10 + t]), np.array(counts))
    assert recorder.take(NONE).record.rewards[..., 0].tolist() == [[0, 10], [2, 11]]
    recorder.add(step([3, 13]))
    assert recorder.take(NONE).record.rewards[..., 0].tolist() == [[3, 12]]


def test_an_episode_keeps_the_decision_it_ended_with():
    recorder = MetricsRecorder(2)
    recorder.add(step([0, 0]))
    recorder.add_episodes(ended(0))
    recorder.add(step([0, 0]), np.array([False, True]))
    recorder.add_episodes(ended(1))
    first, later = recorder.take(NONE), None
    assert first.episodes.heads[["world", "step"]].tolist() == [(0, 1)]
    recorder.add(step([0, 0]))
    later = recorder.take(NONE)
    assert later.episodes.heads[["world", "step"]].tolist() == [(1, 1)]


def test_pages_of_two_processes_become_one_with_worlds_numbered_on():
    pages = []
    for reward in (1.0, 2.0):
        recorder = MetricsRecorder(2)
        recorder.add(step([reward, reward]))
        recorder.add_episodes(ended(1))
        pages.append(recorder.take(NONE))
    page = concatenate_worlds(pages)
    assert page.record.rewards[..., 0].tolist() == [[1, 1, 2, 2]]
    assert page.episodes.heads["world"].tolist() == [1, 3]
