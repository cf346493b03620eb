"""Learning from a stream: what pays is done more often, and what was not ours is not learned from."""

from dataclasses import dataclass

import numpy as np
import pytest
import torch

from sandlot.errors import TrainingFailed
from sandlot.train import streaming
from sandlot.train.compose import compose
from sandlot.train.streaming import MAX_STALENESS, SEGMENT, StreamLearner
from sandlot.worlds import load_spec


@dataclass
class Told:
    agent_slot: object
    observation: np.ndarray
    action: np.ndarray
    reward: float
    next_observation: np.ndarray | None = None
    terminated: bool = False
    truncated: bool = False
    step: int | None = None


def learner(batch=256, **words):
    config = compose(
        "tag", "quick", None, ["network.hidden_sizes=[16]", "ppo.learning_rate=1e-2", "ppo.update_epochs=4"]
    )
    return StreamLearner(load_spec("tag"), config, batch)


def play(stream, slots, steps, pay, first=0, end_every=8):
    """Everybody acts and tells; returns the mean of the first action entry and what became of each."""
    rng = np.random.default_rng(first)
    size, moved, became = stream.observation_size, [], []
    for step in range(first, first + steps):
        seen = rng.uniform(-1, 1, (len(slots), size)).astype(np.float32)
        actions = stream.act(slots, ["seeker"] * len(slots), seen, [step] * len(slots))
        moved.append(actions[:, 0].mean())
        for slot, before, action in zip(slots, seen, actions, strict=True):
            ended = step % end_every == end_every - 1
            result = Told(slot, before, action, pay(action), before, terminated=ended, step=step)
            became.append(stream.take(result))
    return float(np.mean(moved)), became


def test_what_pays_is_done_more_often():
    stream, slots = learner(), [(1, f"a{i}") for i in range(8)]
    before, became = play(stream, slots, SEGMENT, lambda action: float(action[0]))
    assert set(became) == {"learn"}
    for i in range(1, 25):
        while stream.learn():
            pass
        after, _ = play(stream, slots, SEGMENT, lambda action: float(action[0]), first=i * SEGMENT)
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
    stream.updates["hider"] += MAX_STALENESS + 1
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
    other = load_spec("tag", {"layout": "reference84"})
    assert stream.adapt(84, other) and stream.observation_size == 84
    stream.updates["seeker"] = 1
    assert not stream.adapt(156, load_spec("tag"))


@pytest.mark.parametrize("truncated", [True, False])
def test_both_kinds_of_ending_are_taken(truncated):
    stream, slots = learner(64), [(1, "a"), (1, "b")]
    rng = np.random.default_rng(0)
    for step in range(SEGMENT):
        seen = rng.uniform(-1, 1, (2, stream.observation_size)).astype(np.float32)
        actions = stream.act(slots, ["hider", "hider"], seen, [step, step])
        for i, slot in enumerate(slots):
            last = step == SEGMENT // 2
            stream.take(
                Told(
                    slot, seen[i], actions[i], 1.0, seen[i], last and not truncated, last and truncated, step
                )
            )
    assert stream.learn()
    assert np.isfinite(list(stream.metrics["hider"].values())).all()


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
    lost = segment.transitions[4].next_observation
    assert role.rollout.final_values[4, 0] == pytest.approx(
        float(role.policy.values(lost[None, :])[0]), abs=1e-6
    )


def test_a_stream_without_losses_is_not_cut():
    role, _ = filled(learner(SEGMENT))
    assert not role.rollout.truncated.any()


def test_a_gap_after_which_nothing_was_seen_begins_a_new_segment():
    stream, seen = learner(SEGMENT), np.zeros((1, load_spec("tag").observation_size), np.float32)
    first = stream.act(["x"], ["seeker"], seen, [0])[0]
    stream.act(["x"], ["seeker"], seen, [1])
    third = stream.act(["x"], ["seeker"], seen, [2])[0]
    assert stream.take(Told("x", seen[0], first, 1.0, None, step=0)) == "learn"
    assert stream.take(Told("x", seen[0], third, 1.0, None, step=2)) == "learn"
    assert [act.step for act in stream._open["x"].answers] == [2]


# ---------------------------------------------------------------- limits


def test_the_limits_of_a_stream_are_these():
    """Memory and staleness are bounded by them; docs/trainers.md and the bridge count on it."""
    assert {
        "SEGMENT": streaming.SEGMENT,
        "BATCH": streaming.BATCH,
        "MAX_PENDING": streaming.MAX_PENDING,
        "MAX_STALENESS": streaming.MAX_STALENESS,
        "MAX_PENDING_TOTAL": streaming.MAX_PENDING_TOTAL,
        "MAX_OPEN_SEGMENTS": streaming.MAX_OPEN_SEGMENTS,
        "MAX_BATCHES": streaming.MAX_BATCHES,
    } == {
        "SEGMENT": 32,
        "BATCH": 2048,
        "MAX_PENDING": 256,
        "MAX_STALENESS": 2,
        "MAX_PENDING_TOTAL": 32_768,
        "MAX_OPEN_SEGMENTS": 1024,
        "MAX_BATCHES": 4,
    }


def asks(stream, slot, steps, role="seeker"):
    seen = np.zeros((1, stream.observation_size), np.float32)
    return [stream.act([slot], [role], seen, [step])[0] for step in steps]


def answers(stream, slot, step, action, **more):
    seen = np.zeros(stream.observation_size, np.float32)
    return stream.take(Told(slot, seen, action, 1.0, seen, step=step, **more))


def waiting(stream):
    return {slot: len(acts) for slot, acts in stream._pending.items()}


def test_a_slot_may_have_so_many_acts_unanswered_and_the_oldest_go(monkeypatch):
    monkeypatch.setattr(streaming, "MAX_PENDING", 3)
    stream = learner()
    actions = asks(stream, "x", range(5))
    assert waiting(stream) == {"x": 3} and stream._num_pending == 3
    assert answers(stream, "x", 1, actions[1]) == "unmatched"
    assert answers(stream, "x", 2, actions[2]) == "learn"
    assert waiting(stream) == {"x": 2} and stream._num_pending == 2


def test_of_all_slots_the_one_that_asked_longest_ago_gives_way(monkeypatch):
    monkeypatch.setattr(streaming, "MAX_PENDING_TOTAL", 4)
    stream = learner()
    for step, slot in enumerate(["a", "a", "b", "c", "a", "d"]):
        asks(stream, slot, [step])
    assert stream._num_pending == 4 == sum(waiting(stream).values())
    assert waiting(stream) == {"a": 3, "d": 1}, "b and c asked before a's last"


def test_a_slot_whose_acts_are_all_answered_is_forgotten():
    stream = learner()
    action = asks(stream, "x", [0])[0]
    assert answers(stream, "x", 0, action) == "learn"
    assert waiting(stream) == {} and stream._num_pending == 0


def test_so_many_slots_may_have_a_segment_begun_and_the_oldest_goes(monkeypatch):
    monkeypatch.setattr(streaming, "MAX_OPEN_SEGMENTS", 2)
    stream = learner()
    for slot in "abc":
        answers(stream, slot, 0, asks(stream, slot, [0])[0])
    assert list(stream._open) == ["b", "c"]
    answers(stream, "b", 1, asks(stream, "b", [1])[0])
    assert list(stream._open) == ["b", "c"], "one that is there already takes no room"


def test_so_many_batches_may_wait_and_the_oldest_steps_are_dropped():
    stream = learner(2 * SEGMENT)
    for i in range(10):
        play(stream, [f"{i}"], SEGMENT, lambda action: 1.0, first=i * SEGMENT)
    kept = [segment.answers[0].step for segment in stream._full["seeker"]]
    assert kept == [i * SEGMENT for i in range(2, 10)], "four batches of two segments"


@pytest.mark.parametrize(("behind", "becomes"), [(MAX_STALENESS, "learn"), (MAX_STALENESS + 1, "stale")])
def test_an_act_may_lie_so_many_updates_back(behind, becomes):
    stream = learner()
    action = asks(stream, "x", [0])[0]
    stream.updates["seeker"] += behind
    assert answers(stream, "x", 0, action) == becomes
    assert ("x" in stream._open) == (becomes == "learn")


@pytest.mark.parametrize("behind", [MAX_STALENESS, MAX_STALENESS + 1])
def test_a_segment_that_waited_too_long_is_not_learned_from(behind):
    stream = learner(SEGMENT)
    play(stream, ["x"], SEGMENT, lambda action: 1.0)
    stream.updates["seeker"] += behind
    assert stream.learn() == (behind <= MAX_STALENESS)
    assert stream._full["seeker"] == []


# ---------------------------------------------------------------- segments


def test_a_slot_that_changes_its_role_begins_a_new_segment():
    stream = learner()
    answers(stream, "x", 0, asks(stream, "x", [0], "seeker")[0])
    answers(stream, "x", 1, asks(stream, "x", [1], "hider")[0])
    assert [act.role for act in stream._open["x"].answers] == ["hider"]


@pytest.mark.parametrize("reason", ["unmatched", "stale"])
def test_what_came_before_a_gap_is_not_joined_with_what_comes_after(reason):
    stream = learner()
    answers(stream, "x", 0, asks(stream, "x", [0])[0])
    action = asks(stream, "x", [1])[0]
    if reason == "stale":
        stream.updates["seeker"] += MAX_STALENESS + 1
    assert answers(stream, "x", 9 if reason == "unmatched" else 1, action) == reason
    assert "x" not in stream._open


def test_a_game_that_left_is_forgotten_with_all_its_slots():
    stream = learner()
    for slot in ((1, "a"), (1, "b"), (2, "a")):
        actions = asks(stream, slot, [0, 1])
        answers(stream, slot, 0, actions[0])
    stream.forget(lambda slot: slot[0] == 1)
    assert waiting(stream) == {(2, "a"): 1} and list(stream._open) == [(2, "a")]
    assert stream._num_pending == 1


@pytest.mark.parametrize(("apart", "same"), [(0.9e-5, True), (1.5e-5, False)])
def test_without_steps_what_was_seen_may_differ_by_a_rounding(apart, same):
    stream = learner()
    seen = np.zeros((1, stream.observation_size), np.float32)
    action = stream.act(["x"], ["seeker"], seen, [None])[0]
    result = Told("x", seen[0] + np.float32(apart), action, 0.0)
    assert stream.take(result) == ("learn" if same else "unmatched")


@pytest.mark.parametrize(("apart", "same"), [(0.9e-4, True), (1.5e-4, False)])
def test_without_steps_what_was_done_may_differ_by_a_rounding(apart, same):
    stream = learner()
    seen = np.zeros((1, stream.observation_size), np.float32)
    action = stream.act(["x"], ["seeker"], seen, [None])[0]
    action = np.where(action == 0, np.float32(apart), action * np.float32(1 + apart))
    result = Told("x", seen[0], action.astype(np.float32), 0.0)
    assert stream.take(result) == ("learn" if same else "unmatched")


def test_a_filled_rollout_is_what_was_seen_done_and_paid():
    stream = learner(SEGMENT)
    role, segment = filled(stream)
    r = role.rollout
    seen = np.stack([act.observation for act in segment.answers])
    assert torch.allclose(r.observations[:-1, 0], role.policy.normalize(torch.as_tensor(seen)))
    after = segment.transitions[-1].next_observation
    assert torch.allclose(r.observations[-1], role.policy.normalize(torch.as_tensor(after[None])))
    assert r.values[:-1, 0].tolist() == pytest.approx([act.value for act in segment.answers], abs=1e-6)
    assert r.values[:, 0] == pytest.approx(role.policy.values(np.vstack([seen, after])), abs=1e-5)
    assert r.log_probs[:, 0].tolist() == pytest.approx([act.log_prob for act in segment.answers])
    assert torch.equal(r.actions[:, 0], torch.stack([act.action for act in segment.answers]))
    assert (r.rewards == 1.0).all() and (r.ticks == stream.spec.config["ticks_per_step"]).all()
    assert np.array_equal(np.concatenate(r.raw_observations), seen[::8])
    assert not role.running_returns.any() and not r.terminated.any()


@pytest.mark.parametrize("truncated", [True, False])
def test_an_ending_is_taken_as_the_kind_that_it_is(truncated):
    stream = learner(SEGMENT)
    for step in range(SEGMENT):
        last = step == 5
        answers(
            stream, "x", step, asks(stream, "x", [step])[0],
            truncated=last and truncated, terminated=last and not truncated,
        )  # fmt: skip
    role = stream.learners["seeker"]
    stream._fill(role, stream._full["seeker"])
    ends = np.arange(SEGMENT) == 5
    assert np.array_equal(role.rollout.truncated[:, 0], ends & truncated)
    assert np.array_equal(role.rollout.terminated[:, 0], ends & (not truncated))


def test_a_transition_without_what_came_after_is_valued_by_what_was_before():
    stream = learner(SEGMENT)
    seen = np.zeros(stream.observation_size, np.float32)
    for step in range(SEGMENT):
        action = asks(stream, "x", [step])[0]
        stream.take(Told("x", seen, action, 1.0, None, step=step))
    (segment,) = stream._full["seeker"]
    assert np.array_equal(segment.last_observation, seen)


# ---------------------------------------------------------------- weights


def test_an_update_that_fails_leaves_the_learner_as_it_was():
    stream = learner(SEGMENT)
    play(stream, ["x"], SEGMENT, lambda action: float("nan"))
    role = stream.learners["seeker"]
    before = [w.detach().clone() for w in role.policy.parameters()]
    with pytest.raises(TrainingFailed):
        stream.learn()
    assert all(torch.equal(a, b) for a, b in zip(before, role.policy.parameters(), strict=True))
    assert stream.version == 0 and role.rollout.raw_observations == [] and role.policy.normalizer.count < 1
    play(stream, ["x"], SEGMENT, lambda action: 1.0, first=SEGMENT)
    assert stream.learn() and stream.updates == {"seeker": 1, "hider": 0}


@pytest.mark.parametrize("normalized", [True, False])
def test_an_update_keeps_nothing_of_what_was_seen_for_it(normalized):
    setting = f"network.normalize_observations={str(normalized).lower()}"
    stream = StreamLearner(load_spec("tag"), compose("tag", "quick", None, [setting]), SEGMENT)
    for update in range(3):
        play(stream, ["x"], SEGMENT, lambda action: 1.0, first=update * SEGMENT)
        assert stream.learn()
    role = stream.learners["seeker"]
    assert role.rollout.raw_observations == role.full_rollout.raw_observations == []


def test_acting_weights_change_with_an_update_and_not_before():
    stream = learner(SEGMENT)
    play(stream, ["x"], SEGMENT, lambda action: float(action[0]))
    first = stream.behavior_policies["seeker"].network.last.weight.clone()
    assert torch.equal(first, stream.learners["seeker"].policy.network.last.weight)
    assert stream.learn()
    assert not torch.equal(first, stream.behavior_policies["seeker"].network.last.weight)
    assert torch.equal(
        stream.behavior_policies["seeker"].network.last.weight,
        stream.learners["seeker"].policy.network.last.weight,
    )


def test_loaded_weights_are_learned_and_acted_with():
    stream, other = learner(), learner()
    for policy in other.policies.values():
        policy.normalizer.update(np.random.default_rng(0).normal(3, 2, (64, 156)).astype(np.float32))
        with torch.no_grad():
            for weight in policy.parameters():
                weight += 0.1
    stream.load(other.policies | {"referee": other.policies["seeker"]})
    seen = np.random.default_rng(1).normal(size=(8, stream.observation_size)).astype(np.float32)
    for role, policy in other.policies.items():
        assert np.array_equal(stream.policies[role].values(seen), policy.values(seen))
        assert np.array_equal(stream.behavior_policies[role].values(seen), policy.values(seen))


def test_a_stream_begins_with_the_weights_of_the_trainer_and_by_the_seed():
    from sandlot.train.trainer import Trainer

    config = compose("tag", "quick", None, ["network.hidden_sizes=[16]", "settings={}", "curriculum=[]"])
    config = config.replace(settings={})
    stream, trainer = StreamLearner(load_spec("tag"), config), Trainer(config)
    for role, policy in trainer.policies.items():
        assert torch.equal(stream.policies[role].network.last.weight, policy.network.last.weight)
    trainer.close()
    other = config.replace(run=config.run.replace(seed=2))
    streams = [StreamLearner(load_spec("tag"), one) for one in (config, config, other)]
    first, same, another = (np.array(asks(stream, "x", range(20))) for stream in streams)
    assert np.array_equal(first, same) and not np.array_equal(first, another)


@pytest.mark.parametrize(("batch", "rows"), [(1, 1), (SEGMENT, 1), (2 * SEGMENT - 1, 1), (2 * SEGMENT, 2)])
def test_a_batch_is_so_many_whole_segments_but_at_least_one(batch, rows):
    stream = learner(batch)
    assert stream.learners["seeker"].rollout.rows == rows
    assert stream.learners["seeker"].config.rollouts_per_iteration == 1, "learns in place"


def test_another_layout_is_refused_when_it_does_not_fit_or_something_waits():
    stream, other = learner(SEGMENT), load_spec("tag", {"layout": "reference84"})
    assert not stream.adapt(84, None) and not stream.adapt(85, other)
    play(stream, ["x"], SEGMENT, lambda action: 1.0)
    assert not stream.adapt(84, other), "a whole segment waits to be learned from"
    assert stream.observation_size == 156
