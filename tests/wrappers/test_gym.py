"""The Gymnasium wrapper, one world at a time: the checkers of Gymnasium and SB3, seeds, infos, endings."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env as sb3_check

import sandlot
from sandlot.errors import NotReset, UnknownName

TAG, PROSPECTOR = "sandlot/Tag-v0", "sandlot/Prospector-v0"
LANDING, NAVIGATION = "sandlot/Landing-v0", "sandlot/Navigation-v0"
SETTINGS = [
    pytest.param(PROSPECTOR, {}, id="prospector"),
    pytest.param(PROSPECTOR, {"config": {"profile": "classic", "time_max": 50}}, id="prospector classic"),
    pytest.param(PROSPECTOR, {"config": {"reward": "sparse"}}, id="prospector sparse"),
    pytest.param(LANDING, {}, id="landing"),
    pytest.param(LANDING, {"config": {"profile": "disturbed", "time_limit": 20}}, id="landing disturbed"),
    pytest.param(NAVIGATION, {}, id="navigation"),
    pytest.param(NAVIGATION, {"config": {"layout": "maze", "pits": 0.2}}, id="navigation maze"),
    pytest.param(TAG, {}, id="tag as seeker"),
    pytest.param(TAG, {"role": "hider", "opponent": "ambush", "opponent_level": 1}, id="tag as hider"),
    pytest.param(TAG, {"config": {"mode": "switch", "privileged": True}}, id="tag switch"),
    pytest.param(TAG, {"config": {"seekers": 2, "hiders": 3, "turn_control": True}}, id="tag of five"),
]
each_setting = pytest.mark.parametrize(("name", "options"), SETTINGS)


@each_setting
def test_passes_gymnasiums_checker_without_a_warning(name, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gymnasium_check(gymnasium.make(name, **options).unwrapped)


@each_setting
def test_passes_stable_baselines_checker_without_a_warning(name, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sb3_check(gymnasium.make(name, **options).unwrapped)


@each_setting
def test_same_seed_gives_same_episode(name, options):
    envs = [gymnasium.make(name, **options) for _ in range(2)]
    starts = [env.reset(seed=31)[0] for env in envs]
    assert starts[0].tobytes() == starts[1].tobytes()
    envs[0].action_space.seed(1)
    for _ in range(40):
        action = envs[0].action_space.sample()
        left, right = (env.step(action) for env in envs)
        assert left[0].tobytes() == right[0].tobytes() and left[1:4] == right[1:4]
        if left[2] or left[3]:
            break


@each_setting
def test_a_reset_without_a_seed_continues_the_stream_of_the_last_seed(name, options):
    env = gymnasium.make(name, **options)

    def three():
        return [env.reset(seed=seed)[0].tobytes() for seed in (5, None, None)]

    first = three()
    assert len(set(first)) == 3
    assert three() == first


def test_a_seed_is_the_seed_of_the_world():
    env, world = gymnasium.make(PROSPECTOR), sandlot.make("prospector")
    assert env.reset(seed=2**64 - 1)[0].tobytes() == world.reset(seed=2**64 - 1)[0].tobytes()


def test_unseeded_envs_differ():
    assert len({gymnasium.make(TAG).reset()[0].tobytes() for _ in range(3)}) == 3


def test_observations_may_be_kept():
    env = gymnasium.make(PROSPECTOR)
    first, _ = env.reset(seed=1)
    before = first.copy()
    second, *_ = env.step(8)
    assert not np.shares_memory(first, second) and (first == before).all()
    first[:] = 9  # it is the caller's now
    assert env.step(6)[0].max() <= 1


def test_spaces_are_the_frozen_ones():
    env = gymnasium.make(PROSPECTOR)
    assert env.observation_space == gymnasium.spaces.Box(-1, 1, (260,), np.float32)
    assert env.action_space == gymnasium.spaces.Discrete(69)
    tag = gymnasium.make(TAG)
    assert tag.observation_space == gymnasium.spaces.Box(-1, 1, (156,), np.float32)
    assert tag.action_space == gymnasium.spaces.Box(-1, 1, (3,), np.float32)


@pytest.mark.parametrize("name", [TAG, PROSPECTOR])
def test_stable_baselines_learns_on_it(name):
    agent = PPO(
        "MlpPolicy", gymnasium.make(name), n_steps=64, batch_size=64, n_epochs=1, device="cpu", seed=1
    )
    agent.learn(128)
    assert agent.num_timesteps == 128


# ------------------------------------------------------------ infos

FLOATS = [
    *("credits", "net_profit", "profit_per_tick", "survival", "overheat_ticks", "pirate_encounters"),
    *("value_lost_to_pirates", "fuel_used", "hull_damage", "tool_wear", "scan_count", "mining_ticks"),
    *("cargo_utilization_avg", "time_remaining"),
]
KINDS = (
    dict.fromkeys(FLOATS, float)
    | {"action": int, "dt": int, "invalid_action": bool, "terminated": bool, "truncated": bool}
    | {"node_context": str, "action_mask": np.ndarray, "events": list}
)


def test_prospectors_info_has_its_keys_and_types_at_reset_and_at_every_step():
    env = gymnasium.make(PROSPECTOR)
    _, info = env.reset(seed=3)
    assert {key: type(value) for key, value in info.items()} == KINDS
    assert (info["action"], info["dt"], info["invalid_action"]) == (-1, 0, False)
    assert info["node_context"] == "station" and info["time_remaining"] == 20000
    _, _, _, _, info = env.step(8 if info["action_mask"][8] else 6)
    assert {key: type(value) for key, value in info.items()} == KINDS
    assert info["action_mask"].dtype == np.uint8 and info["action_mask"].shape == (69,)


def test_an_invalid_action_is_reported_in_the_info():
    env = gymnasium.make(PROSPECTOR)
    env.reset(seed=3)
    *_, info = env.step(28)  # nothing is selected, so there is nothing to mine
    assert info["invalid_action"] and info["action"] == 28 and info["dt"] == 1
    assert "invalid_action" in [event["name"] for event in info["events"]]


@pytest.mark.parametrize("action", [69, -1, 255, 2**40, -(2**40), np.int8(-7), np.uint64(2**63)])
def test_an_id_outside_the_table_follows_the_rule_for_invalid_actions(action):
    env, holds = (gymnasium.make(PROSPECTOR, disable_env_checker=True) for _ in range(2))
    env.reset(seed=3), holds.reset(seed=3)
    observation, reward, *_, info = env.step(action)
    expected, hold_reward, *_ = holds.step(6)
    assert info["invalid_action"] and info["action"] == 6 and info["dt"] == 1
    assert observation.tobytes() == expected.tobytes()
    assert reward == pytest.approx(hold_reward - 0.01, abs=1e-6)


def test_node_context_says_field_after_a_trip():
    env = gymnasium.make(PROSPECTOR)
    _, info = env.reset(seed=3)
    slot = int(np.flatnonzero(info["action_mask"][:6])[0])
    *_, info = env.step(slot)
    assert info["node_context"] == "field" and info["dt"] >= 1


def test_tags_info_has_who_won_and_why():
    env = gymnasium.make(TAG, role="hider", opponent="wander", opponent_level=1, config={"time_limit": 1})
    env.reset(seed=4)
    over = False
    while not over:
        *_, over, _, info = env.step([0, 0, 0])
    assert info["time_left"] == 0 or info["reason"] == "tag"
    assert info["winner"] in ("seeker", "hider") and info["reason"] in ("tag", "timeout")


# ------------------------------------------------------------ endings, opponents, pictures


@pytest.mark.parametrize("name", [TAG, PROSPECTOR])
def test_stepping_after_the_end_says_reset(name):
    env = gymnasium.make(name, config={"time_limit": 1} if name == TAG else {"time_max": 5}).unwrapped
    with pytest.raises(NotReset, match="reset"):
        env.step(env.action_space.sample())
    env.reset(seed=1)
    over = False
    while not over:
        *_, terminated, truncated, _ = env.step(env.action_space.sample())
        over = terminated or truncated
    with pytest.raises(NotReset, match="has ended; reset it"):
        env.step(env.action_space.sample())
    env.reset()
    env.step(env.action_space.sample())


def test_each_role_gets_its_own_row():
    seeker, hider = (gymnasium.make(TAG, role=role) for role in ("seeker", "hider"))
    flag = sandlot.make("tag").spec.field("roles").start
    assert seeker.reset(seed=1)[0][flag] == 1 and hider.reset(seed=1)[0][flag] == 0


def test_a_better_opponent_catches_sooner():
    def ticks_until_caught(level):
        env = gymnasium.make(TAG, role="hider", opponent="chase", opponent_level=level)
        ticks = 0
        for seed in range(12):
            env.reset(seed=seed)
            over = False
            while not over:
                *_, over, _, info = env.step([0, 0, 0])
            ticks += info["tick"]
        return ticks

    assert ticks_until_caught(3) < ticks_until_caught(1)


def test_in_switch_an_opponent_that_passes_its_role_on_runs_and_one_that_gets_it_chases():
    """Who stands still against `chase` is caught, becomes the seeker, and is far from who evades."""
    config = {"mode": "switch", "time_limit": 20, "obstacles": 0, "arena_half": 6, "spawn_separation": 3}
    env = gymnasium.make(TAG, role="hider", opponent="chase", config=config)
    env.reset(seed=2)
    before, after, over = [], [], False
    while not over:
        *_, over, info = env.step([0, 0, 0])
        (after if info["seeker"][env.unwrapped.row] else before).append(info["distance"][0])
    assert before and after, "the role was passed on"
    assert min(before) < 2 < np.mean(after)


def test_ansi_draws_the_arena_and_the_metrics():
    env = gymnasium.make(TAG, render_mode="ansi")
    env.reset(seed=1)
    picture = env.render()
    assert picture.count("S") == 1 and picture.count("H") == 1 and "#" in picture + "+"
    env = gymnasium.make(PROSPECTOR, render_mode="ansi")
    env.reset(seed=1)
    assert "time_remaining          20000" in env.render()


def test_no_render_mode_means_no_picture():
    env = gymnasium.make(TAG).unwrapped
    env.reset(seed=1)
    assert env.render() is None


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"role": "seekr"}, "There is no role of tag called 'seekr'. Did you mean 'seeker'?"),
        ({"opponent": "evad"}, "There is no bot of tag called 'evad'. Did you mean 'evade'?"),
        ({"opponent_level": 9}, "level = 9: evade has levels 1 to 3."),
        ({"config": {"layout": "reference84"}}, "Scripted players see layout = 'rays'"),
        ({"config": {"hidders": 2}}, "There is no setting of tag called 'hidders'. Did you mean 'hiders'?"),
    ],
)
def test_a_wrong_option_is_refused_in_a_sentence(options, sentence):
    with pytest.raises(sandlot.errors.SandlotError) as caught:
        gymnasium.make(TAG, **options)
    assert sentence in str(caught.value)


def test_a_render_mode_that_we_do_not_have_is_refused():
    with (
        pytest.raises(UnknownName, match="Did you mean 'rgb_array'"),
        pytest.warns(UserWarning, match="render_mode"),
    ):
        gymnasium.make(TAG, render_mode="depth_array")


def test_reset_has_no_options():
    env = gymnasium.make(TAG).unwrapped
    env.reset(options={})
    with pytest.raises(UnknownName, match="no reset option called 'config'"):
        env.reset(options={"config": {}})


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7"])
def test_a_bad_seed_is_refused(seed):
    with pytest.raises(sandlot.errors.SeedError, match="whole number from 0"):
        gymnasium.make(TAG).unwrapped.reset(seed=seed)


@pytest.mark.parametrize("action", [[np.nan, 0, 0], [0, np.inf, 0], [0, 0, 1.5], [-2, 0, 0]])
def test_a_continuous_action_that_is_no_number_in_range_moves_nothing(action):
    env, other = (gymnasium.make(TAG).unwrapped for _ in range(2))
    env.reset(seed=1), other.reset(seed=1)
    with pytest.raises(sandlot.errors.ActionError, match=r"expected a number in -1\.\.1"):
        env.step(action)
    for _ in range(20):  # nor does the opponent remember anything
        assert env.step([0, -1, 0])[0].tobytes() == other.step([0, -1, 0])[0].tobytes()


@pytest.mark.parametrize("action", [0.5, "hold", None, [1, 2], 2**70])
def test_an_action_that_is_no_id_is_refused(action):
    env = gymnasium.make(PROSPECTOR).unwrapped
    env.reset(seed=1)
    with pytest.raises(sandlot.errors.ArrayError):
        env.step(action)


def test_a_closed_env_says_so():
    env = gymnasium.make(TAG).unwrapped
    env.reset(seed=1)
    env.close()
    env.close()
    for use in (lambda: env.step([0, 0, 0]), env.reset):
        with pytest.raises(sandlot.errors.Closed, match="closed"):
            use()
