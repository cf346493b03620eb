"""Every number of a trajectory log, beside what the world says."""

import json

import numpy as np
import pytest
from leaks import nothing_left_open
from refusals import refused

import sandlot
from sandlot.compat.trajectory_log import DIGITS, TrajectoryLog
from sandlot.errors import ConfigError
from sandlot.worlds import load_spec

CONFIG = {"time_limit": 1, "obstacles": 3}


def play(folder, steps=60, worlds=2, world=0, config=CONFIG, begin=True, **options):
    """The log of some random steps, and what the world said after each."""
    rng = np.random.default_rng(1)
    with sandlot.make("tag", worlds=worlds, seed=3, config=config) as game:
        log = TrajectoryLog(folder, game.spec, world=world, **options)
        game.reset()
        if begin:
            log.begin(game)
        moments = []
        for _ in range(steps):
            game.step(rng.uniform(-1, 1, game.actions.shape).astype(np.float32))
            moments.append(
                {
                    "render": game.render(world), "actions": game.actions.copy(),
                    "rewards": game.rewards.copy(), "over": bool(game.terminated[2 * world]),
                    "observations": game.observations.copy(), "final": game.final_observations.copy(),
                }
            )  # fmt: skip
            log(game)
        log.close()
        return log, moments, game.spec


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("world", [0, 1])
def test_a_step_says_what_the_world_of_the_log_did(tmp_path, world):
    log, moments, spec = play(tmp_path, steps=21, world=world)
    start, *rest = lines(log.written[0])
    steps = [line for line in rest if line["type"] == "step"]
    config = spec.config
    for i, moment in enumerate(moments[:20]):
        for agent in range(2):
            row, line = 2 * world + agent, steps[2 * i + agent]
            seen = (moment["final"] if moment["over"] else moment["observations"])[row]
            assert line["agent"] == f"Agent{agent + 1}" and line["tick"] == 3 * (i + 1)
            assert line["action"] == pytest.approx(moment["actions"][row].tolist(), abs=1e-5)
            assert line["reward"] == pytest.approx(float(moment["rewards"][row]), abs=1e-6)
            rays = seen[spec.field("rays")].reshape(-1, 4)
            assert line["dists"] == pytest.approx((rays[:, 0] * config["vision_range"]).tolist(), abs=1e-4)
            assert line["types"] == [("none", "wall", "agent")[k] for k in rays[:, 1:].argmax(axis=1)]
            if not moment["over"]:
                render = moment["render"]
                assert line["facing"] == pytest.approx(render["facing"][agent].tolist(), abs=1e-3)
                assert line["pos"] == pytest.approx(render["position"][agent].tolist(), abs=2e-3)
    assert start["episode"] == 1 and start["roles"] == ["seeker", "hider"] and start["spec_hash"] == spec.hash


def test_the_start_says_who_plays_where_and_what_else_is_known(tmp_path):
    log, moments, _ = play(tmp_path, steps=20, players={"seeker": "chase"}, facts={"run": "r"})
    start = lines(log.written[0])[0]
    assert start["players"] == ["chase", "hider"] and start["run"] == "r" and start["game"] == "tag"
    assert start["step_s"] == 0.05 and len(start["boxes"]) == int(moments[0]["render"]["box_count"])
    assert np.allclose(start["boxes"], moments[0]["render"]["boxes"][: len(start["boxes"])], atol=10**-DIGITS)
    bare = lines(play(tmp_path / "bare", steps=20)[0].written[0])[0]
    assert bare["players"] == ["seeker", "hider"] and "run" not in bare


def ending(log):
    *_, how, end = lines(log.written[0])
    return how, end


def test_a_match_that_runs_out_of_time_is_the_hiders(tmp_path):
    still = {"time_limit": 1, "seeker_speed": 0.25, "spawn_separation": 12.0}
    log, _, _ = play(tmp_path, steps=20, config=still)
    how, end = ending(log)
    assert how["type"] == "timeout"
    assert (end["winner"], end["terminal_reason"]) == ("hider", "timeout")
    assert (end["ticks"], end["duration_s"]) == (60, 1.0)


def test_a_tag_names_attacker_and_target_and_is_the_seekers(tmp_path):
    near = {"time_limit": 20, "reach": 0.5, "spawn_separation": 3.0, "hider_speed": 0.25}
    with sandlot.make("tag", seed=3, config=near) as game:
        log = TrajectoryLog(tmp_path, game.spec, most=1)
        game.reset()
        log.begin(game)
        chase, state = sandlot.bot("tag", "chase", config=near), None
        while not log.written:
            actions, state = chase.act(game.observations[:1], None, state)
            game.step(np.concatenate([actions, np.zeros((1, 3), np.float32)]))
            log(game)
    how, end = ending(log)
    assert how["type"] == "tag" and (how["attacker"], how["target"]) == ("Agent1", "Agent2")
    assert (end["winner"], end["terminal_reason"]) == ("seeker", "tag") and end["ticks"] < 20 * 60
    assert end["duration_s"] == pytest.approx(end["ticks"] / 60)


def test_nobody_wins_a_match_that_is_only_cut_off(tmp_path):
    log, _, _ = play(tmp_path, steps=20, config={"time_limit": 1, "mode": "switch"})
    _, end = ending(log)
    assert (end["winner"], end["terminal_reason"]) == ("nobody", "timeout")


def test_matches_follow_one_another_up_to_the_limit(tmp_path):
    log, _, _ = play(tmp_path, steps=65, most=2)
    assert [path.name for path in log.written] == ["ep_00001.jsonl", "ep_00002.jsonl"]
    assert [lines(path)[-1]["episode"] for path in log.written] == [1, 2]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ep_00001.jsonl", "ep_00002.jsonl"]
    none, _, _ = play(tmp_path / "none", steps=25, most=0)
    assert none.written == [] and not (tmp_path / "none").exists()


def test_a_log_that_is_called_in_mid_match_begins_with_the_next_step(tmp_path):
    log, _, _ = play(tmp_path, steps=20, begin=False)
    ticks = [line["tick"] for line in lines(log.written[0]) if line["type"] == "step"]
    assert ticks == [3 * i for i in range(1, 20) for _ in range(2)]


def test_an_unfinished_match_is_dropped_and_nothing_stays_open(tmp_path):
    with nothing_left_open():
        log, _, _ = play(tmp_path, steps=25)
    assert len(log.written) == 1 and [p.name for p in tmp_path.iterdir()] == ["ep_00001.jsonl"]
    log.close()


@pytest.mark.parametrize(("game", "config"), [("prospector", {}), ("tag", {"layout": "relative"})])
def test_other_games_and_layouts_are_refused(tmp_path, game, config):
    layouts = [c for k in load_spec("tag").knobs if k.name == "layout" for c in k.choices]
    if game == "tag":
        config = {"layout": next(c for c in layouts if c != "rays")}
    with refused(tmp_path, ConfigError, "tag with layout rays"):
        TrajectoryLog(tmp_path, load_spec(game, config))
