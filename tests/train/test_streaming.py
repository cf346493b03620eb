"""Learning from a stream: what pays is done more often, and what was not ours is not learned from."""

from dataclasses import dataclass

import numpy as np
import pytest

from sandlot.games import Spec
from sandlot.train.recipes import compose
from sandlot.train.streaming import MOST_STALE, SEGMENT, StreamLearner


@dataclass
class Told:
    seat: object
    observation: np.ndarray
    action: np.ndarray
    reward: float
    next_observation: np.ndarray | None = None
    terminated: bool = False
    truncated: bool = False
    step: int | None = None


def learner(batch=256, **words):
    config = compose("tag", "quick", None, ["network.hidden=[16]", "ppo.learning_rate=1e-2", "ppo.epochs=4"])
    return StreamLearner(Spec("tag"), config, batch)


def play(stream, seats, steps, pay, first=0, end_every=8):
    """Everybody acts and tells; returns the mean of the first action entry and what became of each."""
    rng = np.random.default_rng(first)
    size, moved, became = stream.observation_size, [], []
    for step in range(first, first + steps):
        seen = rng.uniform(-1, 1, (len(seats), size)).astype(np.float32)
        actions = stream.act(seats, ["seeker"] * len(seats), seen, [step] * len(seats))
        moved.append(actions[:, 0].mean())
        for seat, before, action in zip(seats, seen, actions, strict=True):
            ended = step % end_every == end_every - 1
            told = Told(seat, before, action, pay(action), before, terminated=ended, step=step)
            became.append(stream.take(told))
    return float(np.mean(moved)), became


def test_what_pays_is_done_more_often():
    stream, seats = learner(), [(1, f"a{i}") for i in range(8)]
    before, became = play(stream, seats, SEGMENT, lambda action: float(action[0]))
    assert set(became) == {"learn"}
    for i in range(1, 25):
        while stream.learn():
            pass
        after, _ = play(stream, seats, SEGMENT, lambda action: float(action[0]), first=i * SEGMENT)
    assert stream.version >= 20
    assert after > before + 0.3


def test_nothing_is_learned_before_there_is_enough():
    stream = learner()
    play(stream, [(1, "a")], SEGMENT - 1, lambda action: 1.0)
    assert not stream.learn() and stream.version == 0


def test_an_action_that_was_not_ours_is_unmatched_and_an_old_one_stale():
    stream = learner()
    seen = np.zeros((1, stream.observation_size), np.float32)
    assert stream.take(Told("x", seen[0], np.zeros(3, np.float32), 0.0, step=1)) == "unmatched"
    action = stream.act(["x"], ["hider"], seen, [5])[0]
    stream.updates["hider"] += MOST_STALE + 1
    assert stream.take(Told("x", seen[0], action, 0.0, step=5)) == "stale"


def test_without_steps_an_action_is_known_by_what_was_seen_and_done():
    stream = learner()
    seen = np.linspace(-1, 1, stream.observation_size, dtype=np.float32)[None, :]
    action = stream.act(["x"], ["seeker"], seen, [None])[0]
    other = Told("x", seen[0] + 0.5, action, 0.0)
    assert stream.take(other) == "unmatched"
    assert stream.take(Told("x", seen[0], action, 0.0)) == "learn"


def test_the_layout_can_change_only_before_anything_was_learned():
    stream = learner()
    other = Spec("tag", {"layout": "reference84"})
    assert stream.adapt(84, other) and stream.observation_size == 84
    stream.updates["seeker"] = 1
    assert not stream.adapt(156, Spec("tag"))


@pytest.mark.parametrize("truncated", [True, False])
def test_both_kinds_of_ending_are_taken(truncated):
    stream, seats = learner(64), [(1, "a"), (1, "b")]
    rng = np.random.default_rng(0)
    for step in range(SEGMENT):
        seen = rng.uniform(-1, 1, (2, stream.observation_size)).astype(np.float32)
        actions = stream.act(seats, ["hider", "hider"], seen, [step, step])
        for i, seat in enumerate(seats):
            last = step == SEGMENT // 2
            stream.take(
                Told(
                    seat, seen[i], actions[i], 1.0, seen[i], last and not truncated, last and truncated, step
                )
            )
    assert stream.learn()
    assert np.isfinite(list(stream.figures["hider"].values())).all()


def filled(stream, lose=()):
    """A segment of one seat whose transitions of some steps got lost on the way, as a rollout."""
    rng = np.random.default_rng(0)
    step = kept = 0
    seen = rng.uniform(-1, 1, (1, stream.observation_size)).astype(np.float32)
    while kept < SEGMENT:
        after = rng.uniform(-1, 1, seen.shape).astype(np.float32)
        action = stream.act(["x"], ["seeker"], seen, [step])[0]
        if step not in lose:
            assert stream.take(Told("x", seen[0], action, 1.0, after[0], step=step)) == "learn"
            kept += 1
        seen, step = after, step + 1
    learner = stream.learners["seeker"]
    (segment,) = stream._full["seeker"]
    stream._fill(learner, [segment])
    return learner, segment


def test_steps_are_not_joined_across_lost_transitions():
    role, segment = filled(learner(SEGMENT), lose=(5, 6))
    cut = np.flatnonzero(role.rollout.truncated[:, 0])
    assert cut.tolist() == [4], "step 7 does not follow step 4"
    lost = segment.told[4].next_observation
    assert role.rollout.final_values[4, 0] == pytest.approx(
        float(role.policy.values(lost[None, :])[0]), abs=1e-6
    )


def test_a_stream_without_losses_is_not_cut():
    role, _ = filled(learner(SEGMENT))
    assert not role.rollout.truncated.any()


def test_a_gap_after_which_nothing_was_seen_begins_a_new_segment():
    stream, seen = learner(SEGMENT), np.zeros((1, Spec("tag").observation_size), np.float32)
    first = stream.act(["x"], ["seeker"], seen, [0])[0]
    stream.act(["x"], ["seeker"], seen, [1])
    third = stream.act(["x"], ["seeker"], seen, [2])[0]
    assert stream.take(Told("x", seen[0], first, 1.0, None, step=0)) == "learn"
    assert stream.take(Told("x", seen[0], third, 1.0, None, step=2)) == "learn"
    assert [act.step for act in stream._growing["x"].acts] == [2]
