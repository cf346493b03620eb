"""Frames of a replay: by name, page by page, the same in any order."""

import json
from dataclasses import replace

import numpy as np
import pytest
from leaks import nothing_left_open
from random_policy import RandomPolicy

from sandlot.errors import ConfigError, SpecMismatch
from sandlot.evaluate.replay_reader import (
    _named,
    frames,
    numbers,
    open_replay,
    open_world,
    plain,
    render_state,
    rounded,
)
from sandlot.evaluate.replay_recorder import record, verify
from sandlot.runs import Frame
from sandlot.runs.records import parse
from sandlot.worlds import load_spec

# ---------------------------------------------------------------- frames


def test_frames_are_named_valid_json_and_add_up(replay):
    page = frames(replay, limit=10_000)
    result = [json.loads(json.dumps(frame.to_json(), allow_nan=False)) for frame in page.frames]
    assert [parse(Frame, frame, "frame").frame_index for frame in result] == list(range(replay.end.steps))
    assert result[-1]["t"] == replay.end.ticks == sum(frame["dt"] for frame in result)
    assert result[-1]["terminated"] == replay.end.terminated and not result[0]["terminated"]
    assert not page.has_more and page.next_offset == replay.end.steps
    events = [(f["frame_index"], event["name"]) for f in result for event in f["events"]]
    assert events == replay.events


def test_a_frame_holds_what_the_page_draws():
    replay = record("prospector", RandomPolicy("prospector"), seed=7)
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
    one = frames(record("prospector", RandomPolicy("prospector"), seed=7), limit=1).frames[0]
    assert isinstance(one.action, int) and isinstance(one.reward, float)
    two = frames(record("tag", RandomPolicy("tag"), seed=7), limit=1).frames[0]
    assert len(two.action) == len(two.reward) == 2 and len(two.render_state["observation"]) == 2


def test_pages_in_any_order_give_the_same_frames(replay):
    whole = frames(replay, limit=10_000).frames
    with open_replay(replay) as reader:
        assert reader.page(20, 5).frames == whole[20:25]
        assert reader.page(30, 3).frames == whole[30:33]
        assert reader.page(0, 4).frames == whole[:4]
        assert reader.initial_state() != whole[0].render_state
        last = reader.page(len(whole) - 2, 50)
        assert last.frames == whole[-2:] and not last.has_more
        assert reader.page(len(whole) + 5).frames == [] and reader.page(2, 2).has_more


def test_info_comes_only_when_asked_for(replay):
    assert "info" not in frames(replay, limit=1).frames[0].to_json()
    assert set(frames(replay, limit=1, info=True).frames[0].info) == {
        f.name for f in load_spec(replay.header.game).info
    }


@pytest.mark.parametrize(("offset", "limit"), [(-1, 5), (0, 0)])
def test_pages_that_cannot_be_are_refused(offset, limit):
    with pytest.raises(ConfigError):
        frames(record("tag", RandomPolicy("tag"), 7, max_steps=2), offset, limit)


def test_numbers_keep_every_digit_of_a_float32_and_no_more():
    rng = np.random.default_rng(0)
    values = np.concatenate(([0.1, 1 / 3, 0.0, -2.5, 12345.678, 1e-7], rng.normal(size=1000))).astype(
        np.float32
    )
    result = numbers(values)
    assert np.array(result, np.float32).tobytes() == values.tobytes()
    assert max(len(repr(v)) for v in result) <= 16


def test_a_player_refuses_to_show_another_episode_in_its_middle(replay):
    hashes = [(step, value ^ (step == 32)) for step, value in replay.hashes]
    with open_replay(replace(replay, hashes=hashes)) as reader:
        assert len(reader.page(0, 31).frames) == 31
        with pytest.raises(SpecMismatch, match="after 32 steps is in another state"):
            reader.page(31, 1)


def test_the_initial_state_is_that_of_the_seed_whatever_was_read_before(replay):
    with open_world(replay) as world:
        wanted = render_state(world)
    with open_replay(replay) as reader:
        assert reader.initial_state() == wanted
        later = reader.page(5, 3).frames
        assert reader.initial_state() == wanted
        assert reader.page(5, 3).frames == later


def test_a_page_begins_where_it_was_asked_also_beyond_the_end(replay):
    steps = replay.end.steps
    with open_replay(replay) as reader:
        page = reader.page(steps - 1, 1)
        assert (page.offset, page.next_offset, page.has_more) == (steps - 1, steps, False)
        assert reader.page(steps - 2, 1).has_more
        beyond = reader.page(steps + 7, 3)
        assert (beyond.offset, beyond.frames, beyond.has_more) == (steps + 7, [], False)
        assert len(reader.page(0, 1).frames) == 1


def test_frames_count_their_ticks_from_the_start_on_every_page(replay):
    with open_replay(replay) as reader:
        every = reader.page(0, 10_000).frames
        assert [f.t for f in every] == np.cumsum([f.dt for f in every]).tolist()
        reader.initial_state()
        assert reader.page(3, 2).frames[0].t == every[3].t
    assert [f.truncated for f in every][:-1] == [False] * (len(every) - 1)
    assert every[-1].truncated == replay.end.truncated


def test_a_frame_is_the_state_of_the_world_after_its_step(replay):
    with open_world(replay) as world:
        for number in range(3):
            world.actions[...] = replay.actions[number]
            world.step()
        wanted = render_state(world)
        rewards = world.rewards.tolist()
    frame = frames(replay, offset=2, limit=1).frames[0]
    assert frame.render_state == wanted
    assert np.ravel(frame.reward) == pytest.approx(rewards)


def test_labels_stand_for_their_numbers_and_a_number_without_one_for_itself():
    field = next(f for f in load_spec("tag").episode if f.name == "winner")
    assert [plain(field, value) for value in (0.0, 1.0, 2.0)] == ["nobody", "seeker", "hider"]
    assert [plain(field, value) for value in (3.0, -1.0)] == [3.0, -1.0]
    wide = next(f for f in load_spec("tag").episode if f.name == "returns")
    assert plain(wide, np.array([0.1, 2.0], np.float32)) == [pytest.approx(0.1), 2.0]


def test_floats_are_rounded_to_nine_digits_whatever_their_size():
    values = np.array([0.0, 1 / 3, -2 / 3, 123456.789123456, 1.23456789123e-7, 9.87654321987e12])
    assert rounded(values).tolist() == [
        0.0,
        0.333333333,
        -0.666666667,
        123456.789,
        1.23456789e-7,
        9.87654322e12,
    ]
    assert numbers(np.array([1, 2], np.int32)) == [1, 2]


def test_players_and_verifications_leave_nothing_open(replay):
    broken = replace(replay, header=replay.header.model_copy(update={"seed": 8}))
    with nothing_left_open():
        verify(replay)
        frames(replay, limit=1)
        with pytest.raises(SpecMismatch):
            open_replay(broken)


def test_a_block_is_read_by_name_lists_for_several_numbers_and_labels_for_codes():
    fields = load_spec("tag").episode
    block = np.zeros(max(f.start + f.size for f in fields), np.float32)
    places = {f.name: f.start for f in fields}
    block[places["winner"]], block[places["returns"]], block[places["returns"] + 1] = 2, 0.5, -0.25
    named = _named(fields, block)
    assert named["returns"] == [0.5, -0.25] and named["winner"] == "hider" and named["ticks"] == 0.0
    assert len(named["terms"]) == 8
    block[places["winner"]] = 7
    assert _named(fields, block)["winner"] == 7.0
