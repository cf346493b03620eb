"""Recording an episode, and verifying a recording by playing it again."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from random_policy import RandomPolicy

from sandlot.errors import SpecMismatch, UnknownName
from sandlot.evaluate import replay_recorder
from sandlot.evaluate.replay_reader import frames, open_replay
from sandlot.evaluate.replay_recorder import Origin, new_replay_id, record, verify, window_replay_id
from sandlot.runs import Replay
from sandlot.worlds import load_spec

THEN = datetime(2026, 1, 31, 9, 5, tzinfo=UTC)


# ---------------------------------------------------------------- recording


def test_a_recorded_episode_plays_again_to_the_bit_after_a_trip_through_its_file(replay):
    verdict = verify(Replay.from_bytes(replay.to_bytes()))
    assert verdict.agrees and verdict.steps == replay.end.steps
    assert [step for step, _ in replay.hashes][:2] == [0, 32] and replay.hashes[-1][0] == replay.end.steps


def test_a_replay_says_what_was_played_and_what_came_of_it(game, replay):
    header, end = replay.header, replay.end
    assert (
        header.game == game
        and header.spec_hash == load_spec(game).hash
        and header.config == load_spec(game).config
    )
    assert set(header.policies.values()) == {"random"} and len(end.returns) == len(header.agents)
    assert end.terminated != end.truncated and end.episode["ticks"] == end.ticks


def test_a_ten_second_match_of_noise_fits_into_four_kilobytes():
    match = record("tag", RandomPolicy("tag"), seed=7, config={"reach": 0.01})
    longest = max(
        (record("tag", RandomPolicy("tag", s), seed=s) for s in range(4)), key=lambda r: r.end.steps
    )
    assert longest.end.steps == 200
    assert max(len(match.to_bytes()), len(longest.to_bytes())) <= 4096


def test_twenty_thousand_ticks_of_noise_fit_into_25_kilobytes():
    short = record("prospector", RandomPolicy("prospector"), seed=7)
    steps = 20_000
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 69, (steps, 1), dtype=np.int32)
    hashes = [(step, int(rng.integers(0, 2**63))) for step in range(0, steps + 1, 32)]
    header = short.header.model_copy(update={"action_shape": [steps, 1]})
    long = Replay(header, noise, short.events, hashes, short.end.model_copy(update={"steps": steps}))
    assert len(long.to_bytes()) <= 25 * 1024


def test_continuous_actions_are_played_as_the_file_can_hold_them_or_exactly_when_asked():
    rounded = record("tag", RandomPolicy("tag"), seed=3)
    exact = record("tag", RandomPolicy("tag"), seed=3, exact=True)
    assert rounded.header.action_encoding == "q127" and exact.header.action_encoding == "float32"
    assert np.array_equal(np.rint(rounded.actions * 127), rounded.actions * np.float32(127))
    for replay in (rounded, exact):
        assert verify(Replay.from_bytes(replay.to_bytes())).agrees


def test_an_episode_that_was_not_played_to_its_end_has_no_ending(game):
    replay = record(game, RandomPolicy(game), seed=7, max_steps=5)
    assert (replay.end.steps, replay.end.terminated, replay.end.truncated, replay.end.episode) == (
        5,
        False,
        False,
        {},
    )
    assert verify(replay).agrees


def test_where_it_comes_from_is_kept():
    origin = Origin("run", 12, "ppo", "checkpoints/ckpt_000012.pt", 24_000)
    pair = {"seeker": RandomPolicy("tag"), "hider": RandomPolicy("tag", 2)}
    names = {"seeker": "ckpt 12"}
    header = record("tag", pair, 7, origin=origin, names=names, scored_agent=1).header
    assert header.replay_id.startswith("replay-000012-") and len(header.replay_id) == 22
    assert (header.run_id, header.window_id, header.checkpoint_env_steps_total) == ("run", 12, 24_000)
    assert header.policies == {"seeker": "ckpt 12", "hider": "random"}


def test_the_catalogue_shows_the_return_of_the_scored_agent():
    replay = record("tag", RandomPolicy("tag"), 7, scored_agent=1)
    assert replay.entry("replays/x").return_total == replay.end.returns[1]


# ---------------------------------------------------------------- verifying


def test_another_action_is_noticed_and_its_place_named(replay):
    actions = replay.actions.copy()
    actions[40] = -1 if actions.dtype == np.int32 else -actions[40]
    verdict = verify(replace(replay, actions=actions))
    assert not verdict.agrees
    assert "first at step 64" in verdict.differences[0] or "ends after" in verdict.differences[0]


@pytest.mark.parametrize(
    "change", [{"ticks": 1}, {"terminated": True, "truncated": True}, {"returns": [0.0, 0.0]}]
)
def test_another_outcome_is_noticed_and_named(change):
    replay = record("tag", RandomPolicy("tag"), seed=7)
    verdict = verify(replace(replay, end=replay.end.model_copy(update=change)))
    assert not verdict.agrees and any(name in verdict.differences[0] for name in change)


def test_other_events_and_another_seed_are_noticed(replay):
    assert "events" in verify(replace(replay, events=replay.events[1:])).differences[0]
    header = replay.header.model_copy(update={"seed": 8})
    assert not verify(replace(replay, header=header)).agrees
    with pytest.raises(SpecMismatch, match="begins in another state"):
        open_replay(replace(replay, header=header))


def test_a_replay_of_another_version_is_refused_with_both_versions(replay):
    header = replay.header.model_copy(update={"game_version": "0"})
    with pytest.raises(
        SpecMismatch, match=rf"version 0, this engine has version {load_spec(replay.header.game).version}"
    ):
        verify(replace(replay, header=header))


def test_a_replay_of_an_unknown_game_or_setting_is_refused(replay):
    with pytest.raises(UnknownName):
        verify(replace(replay, header=replay.header.model_copy(update={"game": "chess"})))
    with pytest.raises(UnknownName):
        verify(replace(replay, header=replay.header.model_copy(update={"config": {"gravityy": 1}})))


# ---------------------------------------------------------------- names, numbers, clean-up


class Silent:
    """A policy without a name of its own."""

    def __init__(self, game="tag"):
        self.inner = RandomPolicy(game)

    def act(self, observations, masks=None, state=None):
        return self.inner.act(observations, masks, state)


def test_a_policy_is_called_by_the_given_name_its_own_or_its_class():
    short = {"max_steps": 2}
    assert record("tag", Silent(), 1, **short).header.policies == {"seeker": "Silent", "hider": "Silent"}
    named = record("tag", Silent(), 1, names={"hider": "evade:3", "seeker": ""}, **short).header
    assert named.policies == {"seeker": "Silent", "hider": "evade:3"}


def test_a_new_replay_has_an_id_of_its_own_and_a_windows_replay_always_the_same():
    assert new_replay_id(7).startswith("replay-000007-") and new_replay_id(7) != new_replay_id(7)
    plain = window_replay_id("digest", 7, 0)
    assert plain == window_replay_id("digest", 7, 0) and plain.startswith("replay-000007-")
    others = {
        window_replay_id("other", 7, 0),
        window_replay_id("digest", 8, 0),
        window_replay_id("digest", 7, 1),
    }
    assert len({plain, *others}) == 4 and len(plain) == len("replay-000007-") + 8


def test_a_header_says_how_it_was_recorded():
    header = record("tag", Silent(), 5, {"time_limit": 2}, clock=lambda: THEN, max_steps=3).header
    assert (header.game_version, header.played_in, header.seed) == (load_spec("tag").version, "native", 5)
    assert header.created_at == "2026-01-31T09:05:00.000Z" and header.action_shape == [3, 2, 3]
    assert header.engine and header.agents == ["seeker", "hider"] and header.scored_agent == 0
    assert (header.run_id, header.window_id) == (None, None) and header.replay_id.startswith("replay-000000-")
    assert (
        record("prospector", Silent("prospector"), 5, exact=True, max_steps=3).header.action_encoding
        == "int8"
    )


def test_hashes_are_kept_every_so_many_steps_and_at_the_end():
    steps = [step for step, _ in record("tag", RandomPolicy("tag"), 7, max_steps=64).hashes]
    assert steps == [0, 32, 64]
    assert [s for s, _ in record("tag", RandomPolicy("tag"), 7, max_steps=65).hashes] == [0, 32, 64, 65]
    assert [s for s, _ in record("tag", RandomPolicy("tag"), 7, max_steps=1).hashes] == [0, 1]


def test_a_verdict_counts_what_was_compared(replay):
    verdict = verify(replay)
    assert verdict.hashes == len(replay.hashes) and verdict.simulated and verdict.differences == []
    fewer = verify(replace(replay, hashes=replay.hashes[:-1]))
    assert fewer.differences == ["The state hashes differ, there are more or fewer of them."]


def test_an_episode_that_ends_early_is_named_with_both_lengths(replay):
    longer = np.concatenate([replay.actions, replay.actions[-1:]])
    end = replay.end.model_copy(update={"steps": len(longer)})
    verdict = verify(replace(replay, actions=longer, end=end))
    steps = len(replay.actions)
    assert verdict.differences == [f"The episode ends after {steps} of {steps + 1} steps."]
    assert verdict.steps == steps


def test_the_sums_of_an_episode_are_kept_by_name_and_label():
    end = record("tag", RandomPolicy("tag"), 7).end
    assert end.episode["winner"] in ("seeker", "hider") and end.episode["reason"] in ("tag", "timeout")
    assert len(end.episode["terms"]) == 8 and isinstance(end.episode["ticks"], float)
    assert end.episode["seeker_reward"] == pytest.approx(end.returns[0], rel=1e-4)


# ---------------------------------------------------------------- stored frames


@pytest.fixture
def stored(monkeypatch):
    """An episode recorded as one that cannot be played again."""
    monkeypatch.setattr(replay_recorder, "NATIVE", "another engine")
    return record("tag", RandomPolicy("tag"), 7, {"time_limit": 1.0}, engine="native")


def test_stored_frames_that_agree_with_the_rest_are_verified_without_playing(stored):
    verdict = verify(stored)
    assert verdict.agrees and not verdict.simulated and verdict.hashes == 0
    assert verdict.steps == stored.end.steps == len(stored.frames.ticks)
    assert stored.hashes == [] and len(stored.frames.payloads) == len(stored.events)


def test_every_contradiction_of_stored_frames_is_named(stored):
    kept, end = stored.frames, stored.end

    def problems(**changes):
        return verify(replace(stored, **changes)).differences

    assert problems(end=end.model_copy(update={"ticks": end.ticks + 1})) == [
        f"The frames last {end.ticks} ticks, recorded were {end.ticks + 1}."
    ]
    (paid,) = problems(end=end.model_copy(update={"returns": [r + 1e-6 for r in end.returns]}))
    assert paid.startswith("The rewards of the frames add up to")
    slower = replace(kept, ticks=kept.ticks + (np.arange(len(kept.ticks)) == 4))
    (length, clock) = problems(frames=slower)
    assert "ticks, recorded were" in length
    assert clock == "The clock in the frames does not match the actions, first at step 4."


@pytest.mark.parametrize("event", [(0, "checkmate"), (10_000, "tag")])
def test_an_event_that_cannot_be_there_is_named(stored, event):
    kept = replace(stored.frames, payloads=[{}])
    (problem,) = verify(replace(stored, events=[event], frames=kept)).differences
    assert problem == f"The event {event[1]} of step {event[0]} does not exist in tag."


def test_an_event_may_be_of_the_last_step_and_of_none_after_it(stored):
    kept, last = replace(stored.frames, payloads=[{}]), stored.end.steps - 1
    name = load_spec("tag").events[0]["name"]
    assert verify(replace(stored, events=[(last, name)], frames=kept)).differences == []
    assert len(verify(replace(stored, events=[(last + 1, name)], frames=kept)).differences) == 1


def test_an_event_with_a_value_that_it_does_not_have_is_named(stored):
    name = load_spec("tag").events[0]["name"]
    kept = replace(stored.frames, payloads=[{"no such value": 1.0}])
    assert len(verify(replace(stored, events=[(0, name)], frames=kept)).differences) == 1


def test_frames_of_another_layout_are_refused(stored):
    header = stored.header.model_copy(update={"config": {"seekers": 2}, "agents": ["seeker"] * 2 + ["hider"]})
    with pytest.raises(SpecMismatch, match="another layout"):
        verify(replace(stored, header=header))
    fewer = stored.header.model_copy(update={"agents": ["seeker"]})
    with pytest.raises(SpecMismatch, match="another layout"):
        verify(replace(stored, header=fewer))


def test_stored_frames_are_read_as_the_simulated_ones(stored):
    """Within the levels of a stored frame: a millimetre or two."""
    simulated = replace(record("tag", RandomPolicy("tag"), 7, {"time_limit": 1.0}), frames=None)
    shown = [frames(replay, limit=1000, info=True).frames for replay in (stored, simulated)]
    assert len(shown[0]) == len(shown[1]) == stored.end.steps
    for kept, played in zip(*shown, strict=True):
        for name in ("frame_index", "t", "dt", "terminated", "truncated", "action", "events"):
            assert getattr(kept, name) == getattr(played, name), name
        assert kept.reward == pytest.approx(played.reward, abs=1e-6)
        positions = (kept.render_state["position"], played.render_state["position"])
        assert np.allclose(*positions, atol=2e-3)
        assert kept.info["tick"] == played.info["tick"]
