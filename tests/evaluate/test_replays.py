import json
from dataclasses import replace

import numpy as np
import pytest

from sandlot.errors import ConfigError, SpecMismatch, UnknownName
from sandlot.evaluate.replays import Origin, frames, numbers, open_player, record, verify
from sandlot.games import Spec, games
from sandlot.runs import Replay, check_frame


class Restless:
    """Legal moves at random; never the last action, which in the prospector ends the episode."""

    name = "restless"

    def __init__(self, game, seed=1):
        self.discrete = Spec(game).discrete
        self.rng = np.random.default_rng(seed)

    def act(self, observations, masks=None, state=None):
        if not self.discrete:
            return self.rng.uniform(-1, 1, (len(observations), 3)).astype(np.float32), state
        legal = masks.copy()
        legal[:, -1] = 0
        return (self.rng.random(legal.shape) * legal).argmax(axis=1).astype(np.int32), state


@pytest.fixture(params=games())
def game(request):
    return request.param


@pytest.fixture
def replay(game):
    return record(game, Restless(game), seed=7)


def changed(replay, **parts):
    return replace(replay, **parts)


# ---------------------------------------------------------------- recording


def test_a_recorded_episode_plays_again_to_the_bit_after_a_trip_through_its_file(replay):
    verdict = verify(Replay.from_bytes(replay.to_bytes()))
    assert verdict.agrees and verdict.steps == replay.end.steps
    assert [step for step, _ in replay.hashes][:2] == [0, 32] and replay.hashes[-1][0] == replay.end.steps


def test_a_replay_says_what_was_played_and_what_came_of_it(game, replay):
    header, end = replay.header, replay.end
    assert header.game == game and header.spec_hash == Spec(game).hash and header.config == Spec(game).config
    assert set(header.policies.values()) == {"restless"} and len(end.returns) == len(header.agents)
    assert end.terminated != end.truncated and end.episode["ticks"] == end.ticks


def test_a_ten_second_match_of_noise_fits_into_four_kilobytes():
    match = record("tag", Restless("tag"), seed=7, config={"reach": 0.01})
    longest = max((record("tag", Restless("tag", s), seed=s) for s in range(4)), key=lambda r: r.end.steps)
    assert longest.end.steps == 200
    assert max(len(match.to_bytes()), len(longest.to_bytes())) <= 4096


def test_twenty_thousand_ticks_of_noise_fit_into_25_kilobytes():
    short = record("prospector", Restless("prospector"), seed=7)
    steps = 20_000
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 69, (steps, 1), dtype=np.int32)
    hashes = [(step, int(rng.integers(0, 2**63))) for step in range(0, steps + 1, 32)]
    header = short.header.model_copy(update={"action_shape": [steps, 1]})
    long = Replay(header, noise, short.events, hashes, short.end.model_copy(update={"steps": steps}))
    assert len(long.to_bytes()) <= 25 * 1024


def test_continuous_actions_are_played_as_the_file_can_hold_them_or_exactly_when_asked():
    rounded = record("tag", Restless("tag"), seed=3)
    exact = record("tag", Restless("tag"), seed=3, exact=True)
    assert rounded.header.action_encoding == "q127" and exact.header.action_encoding == "float32"
    assert np.array_equal(np.rint(rounded.actions * 127), rounded.actions * np.float32(127))
    for replay in (rounded, exact):
        assert verify(Replay.from_bytes(replay.to_bytes())).agrees


def test_an_episode_that_was_not_played_to_its_end_has_no_ending(game):
    replay = record(game, Restless(game), seed=7, most_steps=5)
    assert (replay.end.steps, replay.end.terminated, replay.end.truncated, replay.end.episode) == (
        5,
        False,
        False,
        {},
    )
    assert verify(replay).agrees


def test_where_it_comes_from_is_kept():
    origin = Origin("run", 12, "ppo", "checkpoints/ckpt_000012.pt", 24_000)
    pair = {"seeker": Restless("tag"), "hider": Restless("tag", 2)}
    names = {"seeker": "ckpt 12"}
    header = record("tag", pair, 7, origin=origin, names=names, scored_agent=1).header
    assert header.replay_id.startswith("replay-000012-") and len(header.replay_id) == 22
    assert (header.run_id, header.window_id, header.checkpoint_env_steps_total) == ("run", 12, 24_000)
    assert header.policies == {"seeker": "ckpt 12", "hider": "restless"}


def test_the_catalogue_shows_the_return_of_the_scored_agent():
    replay = record("tag", Restless("tag"), 7, scored_agent=1)
    assert replay.entry("replays/x").return_total == replay.end.returns[1]


# ---------------------------------------------------------------- verifying


def test_another_action_is_noticed_and_its_place_named(replay):
    actions = replay.actions.copy()
    actions[40] = -1 if actions.dtype == np.int32 else -actions[40]
    verdict = verify(changed(replay, actions=actions))
    assert not verdict.agrees
    assert "first at step 64" in verdict.differences[0] or "ends after" in verdict.differences[0]


@pytest.mark.parametrize(
    "change", [{"ticks": 1}, {"terminated": True, "truncated": True}, {"returns": [0.0, 0.0]}]
)
def test_another_outcome_is_noticed_and_named(change):
    replay = record("tag", Restless("tag"), seed=7)
    verdict = verify(changed(replay, end=replay.end.model_copy(update=change)))
    assert not verdict.agrees and any(name in verdict.differences[0] for name in change)


def test_other_events_and_another_seed_are_noticed(replay):
    assert "events" in verify(changed(replay, events=replay.events[1:])).differences[0]
    header = replay.header.model_copy(update={"seed": 8})
    assert not verify(changed(replay, header=header)).agrees
    with pytest.raises(SpecMismatch, match="begins in another state"):
        open_player(changed(replay, header=header))


def test_a_replay_of_another_version_is_refused_with_both_versions(replay):
    header = replay.header.model_copy(update={"game_version": "0"})
    with pytest.raises(
        SpecMismatch, match=rf"version 0, this engine has version {Spec(replay.header.game).version}"
    ):
        verify(changed(replay, header=header))


def test_a_replay_of_an_unknown_game_or_setting_is_refused(replay):
    with pytest.raises(UnknownName):
        verify(changed(replay, header=replay.header.model_copy(update={"game": "chess"})))
    with pytest.raises(UnknownName):
        verify(changed(replay, header=replay.header.model_copy(update={"config": {"gravityy": 1}})))


# ---------------------------------------------------------------- frames


def test_frames_are_named_valid_json_and_add_up(replay):
    page = frames(replay, limit=10_000)
    told = [json.loads(json.dumps(frame.to_json(), allow_nan=False)) for frame in page.frames]
    assert [check_frame(frame).frame_index for frame in told] == list(range(replay.end.steps))
    assert told[-1]["t"] == replay.end.ticks == sum(frame["dt"] for frame in told)
    assert told[-1]["terminated"] == replay.end.terminated and not told[0]["terminated"]
    assert not page.has_more and page.next_offset == replay.end.steps
    events = [(f["frame_index"], event["name"]) for f in told for event in f["events"]]
    assert events == replay.events


def test_a_frame_holds_what_the_page_draws():
    replay = record("prospector", Restless("prospector"), seed=7)
    state = frames(replay, limit=1).frames[0].render_state
    wanted = {
        "time_remaining",
        "credits",
        "net_profit",
        "survival",
        "cargo_utilization_avg",
        "node_context",
        "price",
    }
    assert wanted | {"price_delta", "cargo", "asteroids", "selected", "node", "edges"} <= set(state)
    assert len(state["observation"]) == 260 and state["node_context"] in ("station", "field")


def test_several_agents_have_several_actions_and_rewards_and_one_has_one():
    one = frames(record("prospector", Restless("prospector"), seed=7), limit=1).frames[0]
    assert isinstance(one.action, int) and isinstance(one.reward, float)
    two = frames(record("tag", Restless("tag"), seed=7), limit=1).frames[0]
    assert len(two.action) == len(two.reward) == 2 and len(two.render_state["observation"]) == 2


def test_pages_in_any_order_give_the_same_frames(replay):
    whole = frames(replay, limit=10_000).frames
    with open_player(replay) as player:
        assert player.page(20, 5).frames == whole[20:25]
        assert player.page(30, 3).frames == whole[30:33]
        assert player.page(0, 4).frames == whole[:4]
        assert player.opening() != whole[0].render_state
        last = player.page(len(whole) - 2, 50)
        assert last.frames == whole[-2:] and not last.has_more
        assert player.page(len(whole) + 5).frames == [] and player.page(2, 2).has_more


def test_info_comes_only_when_asked_for(replay):
    assert "info" not in frames(replay, limit=1).frames[0].to_json()
    assert set(frames(replay, limit=1, info=True).frames[0].info) == {
        f.name for f in Spec(replay.header.game).info
    }


@pytest.mark.parametrize(("offset", "limit"), [(-1, 5), (0, 0)])
def test_pages_that_cannot_be_are_refused(offset, limit):
    with pytest.raises(ConfigError):
        frames(record("tag", Restless("tag"), 7, most_steps=2), offset, limit)


def test_numbers_keep_every_digit_of_a_float32_and_no_more():
    rng = np.random.default_rng(0)
    values = np.concatenate(([0.1, 1 / 3, 0.0, -2.5, 12345.678, 1e-7], rng.normal(size=1000))).astype(
        np.float32
    )
    told = numbers(values)
    assert np.array(told, np.float32).tobytes() == values.tobytes()
    assert max(len(repr(v)) for v in told) <= 16
