"""The PufferLib wrapper, stepped under PufferLib's vector layer: in place, in turn, in worker processes."""

import platform
import sys

import numpy as np
import pytest

import sandlot

# Where PufferLib publishes no wheel there is nothing to test; where it does, its absence is a failure.
WHEELS = [("linux", "x86_64", (3, 11)), ("linux", "x86_64", (3, 12))]
if (sys.platform, platform.machine(), sys.version_info[:2]) not in WHEELS:
    pytest.skip("pufferlib-core has no wheel for this machine", allow_module_level=True)

import pufferlib.vector  # noqa: E402

from sandlot.wrappers.puffer import GameEnv  # noqa: E402

SHORT = {"tag": {"time_limit": 1}, "prospector": {"time_max": 30}}
each_game = pytest.mark.parametrize("game", SHORT)


@each_game
def test_the_engine_writes_into_puffers_arrays(game):
    env = GameEnv(game, worlds=3, config=SHORT[game])
    world = env.world
    for theirs, ours in (
        (env.observations, world.observations),
        (env.actions, world.actions),
        (env.rewards, world.rewards),
        (env.terminals, world.terminated),
        (env.truncations, world.truncated),
    ):
        assert np.shares_memory(theirs, ours)


@each_game
@pytest.mark.parametrize(
    "backend",
    [
        {"backend": "PufferEnv"},
        {"backend": "Serial", "num_envs": 2},
        {"backend": "Multiprocessing", "num_envs": 2, "num_workers": 2},
    ],
    ids=lambda backend: backend["backend"],
)
def test_steps_under_every_backend_as_the_vector_world_does(game, backend):
    batches = backend.get("num_envs", 1)
    kwargs = {"game": game, "worlds": 5, "config": SHORT[game]}
    envs = pufferlib.vector.make(GameEnv, env_kwargs=kwargs, **backend)
    worlds = [sandlot.make(game, 5, config=SHORT[game]) for _ in range(batches)]
    try:
        observations, _ = envs.reset(seed=40)
        for index, world in enumerate(worlds):
            world.reset(seed=40 + index)
        assert observations.tobytes() == np.concatenate([w.observations for w in worlds]).tobytes()
        envs.action_space.seed(0)
        endings = []
        for _ in range(60):
            actions = envs.action_space.sample()
            observations, rewards, terminals, truncations, infos = envs.step(actions)
            for part, world in zip(np.split(actions, batches), worlds, strict=True):
                world.step(part)
            assert observations.tobytes() == np.concatenate([w.observations for w in worlds]).tobytes()
            assert rewards.tolist() == np.concatenate([w.rewards for w in worlds]).tolist()
            assert terminals.tolist() == np.concatenate([w.terminated for w in worlds]).tolist()
            assert truncations.tolist() == np.concatenate([w.truncated for w in worlds]).tolist()
            endings += infos
        episodes = sum(len(world.finished()) for world in worlds)
        assert sum(len(info["ticks"]) for info in endings) == episodes >= 5 * batches
    finally:
        envs.close()


def test_an_agent_that_is_out_is_masked():
    crowd = {"seekers": 3, "hiders": 3, "arena_half": 6, "spawn_separation": 3, "obstacles": 0, "reach": 0.75}
    env = GameEnv("tag", worlds=16, config=crowd)
    env.reset(seed=1)
    assert env.masks.all()
    rng = np.random.default_rng(1)
    out = 0
    for _ in range(150):
        env.step(rng.uniform(-1, 1, env.actions.shape).astype(np.float32))
        in_play = np.concatenate([env.world.info(world)["in_play"] for world in range(16)])
        assert (env.masks == in_play.astype(bool)).all()
        out += (~env.masks).sum()
    assert out > 0


def test_legal_actions_are_beside_the_env():
    env = GameEnv("prospector", worlds=2)
    env.reset(seed=1)
    assert env.action_masks.shape == (2, 69) and env.action_masks[:, 6].all()


@each_game
def test_a_closed_env_says_so(game):
    env = GameEnv(game, worlds=1)
    env.reset(seed=1)
    env.close()
    with pytest.raises(sandlot.errors.Closed):
        env.step(env.actions)


def test_bad_actions_are_refused():
    env = GameEnv("tag", worlds=1)
    env.reset(seed=1)
    with pytest.raises(sandlot.errors.ActionError):
        env.step(np.full((2, 3), np.nan, np.float32))
    with pytest.raises(sandlot.errors.ArrayError):
        env.step(np.zeros((3, 3), np.float32))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"worlds": 0}, "worlds = 0: expected a whole number from 1 to 262144."),
        ({"worlds": 10**6}, "worlds = 1000000: expected a whole number from 1 to 262144."),
        ({"config": {"hidders": 2}}, "There is no setting of tag called 'hidders'. Did you mean 'hiders'?"),
        ({"seed": -1}, "A seed is a whole number"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(options, sentence):
    with pytest.raises(sandlot.errors.SandlotError) as caught:
        GameEnv("tag", **options)
    assert sentence in str(caught.value)
