"""Learners on the real games: every head, memory, a told critic, bfloat16; stopped and gone on with."""

import numpy as np
import pytest
import torch

from sandlot.policies.config import NetworkConfig
from sandlot.policies.policy import pack, unpack
from sandlot.runs.store import Store
from sandlot.train.compose import compose
from sandlot.train.learner import Learner
from sandlot.train.trainer import Trainer

from .test_resume import same_weights, small, train
from .toys import SMALL, Corridor, Cue, Target, collect, learner_of

KINDS = {
    "memory": ("network.recurrent_size=8",),
    "mixed": ("network.head=mixed",),
    "critic": ("ppo.critic=privileged",),
    "overlap": ("ppo.rollouts_per_iteration=3", "ppo.critic=privileged"),
    "stagger": ("ppo.stagger_steps=400", "network.recurrent_size=8"),
    "blind": ("network.masked_features=['rays']", "network.min_std=0.2"),
    "bfloat16": ("ppo.precision=bfloat16", "network.recurrent_size=8"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_network_goes_on_as_if_it_had_never_stopped(tmp_path, kind):
    config = small("tag", 2, *KINDS[kind])
    whole = train(tmp_path / "whole", config)
    parted = train(tmp_path / "parted", config, stop_after=9)
    train(tmp_path / "parted", config, resume=parted)
    a, b = Store(tmp_path / "whole").open(whole), Store(tmp_path / "parted").open(parted)
    assert same_weights(a.newest_checkpoint(), b.newest_checkpoint())
    assert [row.return_mean for row in a.windows()] == [row.return_mean for row in b.windows()]


def test_a_masked_game_with_memory_is_played_by_its_rules(tmp_path):
    run = Store(tmp_path).open(train(tmp_path, small("prospector", 2, "network.recurrent_size=8")))
    assert all(row.to_json()["invalid_actions_mean"] == 0 for row in run.windows())


# ---------------------------------------------------------------- on toys whose best play is known


def test_two_seeds_draw_two_streams_and_the_same_seed_the_same_one():
    def drawn(kind, seed):
        toy = kind(32, seed=0)
        learner = learner_of(toy, seed=1)  # the same weights, another stream of draws
        made = Learner(learner.policy, toy, np.arange(32), SMALL, seed)
        collect(made, toy)
        return made.rollout.actions

    for kind in (Corridor, Target):  # drawn by the engine, and by PyTorch
        assert torch.equal(drawn(kind, 1), drawn(kind, 1))
        assert not torch.equal(drawn(kind, 1), drawn(kind, 2))


def test_two_seeds_take_the_minibatches_in_two_orders():
    orders = [
        Learner(learner_of(toy := Target(4)).policy, toy, np.arange(4), SMALL, seed).minibatch_rng
        for seed in (1, 2)
    ]
    first, second = (rng.permutation(64).tolist() for rng in orders)
    assert first != second


def test_a_learner_of_some_rows_sees_and_moves_those_alone():
    toy = Target(6)
    rows = np.array([1, 4])
    learner = Learner(learner_of(toy).policy, toy, rows, SMALL, seed=1)
    toy.actions[:] = 9.0
    learner.observe(0)
    learner.act(toy, 0)
    assert (toy.actions[[0, 2, 3, 5]] == 9.0).all() and (np.abs(toy.actions[rows]) <= 1.0).all()
    seen = learner.policy.normalize(torch.from_numpy(toy.observations[rows]))
    assert torch.equal(learner.rollout.observations[0], seen)
    toy.step()
    learner.record(toy, 0)
    assert learner.rollout.rewards[0].tolist() == toy.rewards[rows].tolist()


def test_the_normaliser_is_shown_every_eighth_step_and_about_256_rows_of_it():
    for rows, shown in ((4, 4), (256, 256), (300, 300), (512, 256), (1024, 256)):
        toy = Target(rows)
        learner = learner_of(toy)
        collect(learner, toy)  # 16 steps, and the observation after the last
        assert [part.shape for part in learner.rollout.raw_observations] == [(shown, 2)] * 2
        learner.learn(0.0)
        assert learner.rollout.raw_observations == [], "each observation is taken in once"
        assert learner.policy.normalizer.count == pytest.approx(2 * shown, abs=1e-3)


def test_without_a_normaliser_observations_are_stored_as_they_are_and_nothing_is_kept_for_one():
    toy = Target(4)
    learner = learner_of(toy, NetworkConfig(hidden_sizes=(8,), normalize_observations=False))
    learner.observe(0)
    assert torch.equal(learner.rollout.observations[0], torch.from_numpy(toy.observations))
    assert learner.rollout.raw_observations == [] and learner.policy.normalizer is None


def test_running_returns_go_on_through_rollouts_and_stop_at_ends():
    toy = Corridor(8)
    learner = learner_of(toy, config=SMALL.replace(gamma=0.5))
    running = np.zeros(8)
    for _ in range(3):
        collect(learner, toy)
        r = learner.rollout
        for t in range(r.num_steps):
            running = running * 0.5 + r.rewards[t]
            running[r.terminated[t] | r.truncated[t]] = 0.0
        learner.learn(0.0)
        assert learner.running_returns == pytest.approx(running, abs=1e-5)
    assert learner.return_scale.count == pytest.approx(3 * 16 * 8, abs=1e-3)


def test_rows_that_begin_anew_between_rollouts_begin_their_returns_and_memory_anew():
    toy = Target(6)
    rows = np.array([1, 4, 5])
    policy = learner_of(toy, NetworkConfig(hidden_sizes=(8,), recurrent_size=4)).policy
    learner = Learner(policy, toy, rows, SMALL, seed=1)
    learner.running_returns[:] = [5.0, 6.0, 7.0]
    learner.recurrent_state[:] = 3.0
    learner.reset_rows(np.array([True, False, False, False, True, False]))  # 0 is not ours
    assert learner.running_returns.tolist() == [5.0, 0.0, 7.0]
    assert learner.recurrent_state.tolist() == [[3.0] * 4, [0.0] * 4, [3.0] * 4]


def test_a_game_that_ended_and_was_cut_at_once_has_no_value_after_its_end():
    class Both(Target):
        def play(self):
            super().play()
            self.truncated[:] = True
            self.terminated[::2] = False

    toy = Both(4)
    learner = learner_of(toy)
    learner.observe(0)
    learner.act(toy, 0)
    toy.step()
    learner.record(toy, 0)
    expected = learner.policy.values(toy.final_observations)
    assert learner.rollout.final_values[0] == pytest.approx(np.where([1, 0, 1, 0], expected, 0.0), abs=1e-6)


def test_the_value_after_the_last_step_is_that_of_the_last_observation():
    toy = Cue(4)
    learner = learner_of(toy, NetworkConfig(hidden_sizes=(8,), recurrent_size=4))
    collect(learner, toy)
    r = learner.rollout
    with torch.no_grad():
        expected = learner.policy.network(r.observations[-1], learner.recurrent_state)[0][:, -1]
    assert r.values[-1] == pytest.approx(expected.numpy(), abs=1e-6)


TINY = (
    "ppo.num_envs=8",
    "ppo.num_steps=8",
    "run.threads=1",
    "network.hidden_sizes=[8]",
    "ppo.num_minibatches=4",
)


@pytest.fixture
def trainer_of():
    """trainer_of(*words): a trainer of tag so small that an iteration takes milliseconds."""
    made = []

    def make(*words):
        made.append(Trainer(compose("tag", words=(*TINY, *words))))
        return made[-1]

    yield make
    for trainer in made:
        trainer.close()


@pytest.mark.parametrize("rollouts", [1, 2, 3])
def test_only_several_rollouts_need_a_player_of_their_own(trainer_of, rollouts):
    learner = trainer_of(f"ppo.rollouts_per_iteration={rollouts}").learners["seeker"]
    assert (learner.behavior_policy is learner.policy) == (rollouts == 1)
    assert (learner.full_rollout is learner.rollout) == (rollouts == 1)


def test_a_refreshed_player_has_the_weights_the_head_and_the_statistics_of_its_policy(trainer_of):
    trainer = trainer_of("ppo.rollouts_per_iteration=2", "ppo.critic=privileged", "network.head=mixed")
    trainer.iterate(0.0)  # learned from the last rollout after the player was last refreshed
    learner = trainer.learners["seeker"]
    seen = torch.rand(16, trainer.spec.observation_size)
    pairs = [(learner.behavior_policy, learner.policy), (learner.behavior_critic, learner.critic)]

    def same():
        weights = [zip(mine.parameters(), its.parameters(), strict=True) for mine, its in pairs]
        return [torch.equal(a, b) for pair in weights for a, b in pair]

    assert not any(same())
    assert not torch.equal(learner.behavior_policy.normalize(seen), learner.policy.normalize(seen))
    learner.sync_behavior_policy()
    assert all(same())
    assert torch.equal(learner.behavior_policy.normalize(seen), learner.policy.normalize(seen))
    assert learner.behavior_policy.network is not learner.policy.network


@pytest.mark.parametrize("head", ["table", "mixed"])
def test_a_loaded_learner_has_every_number_of_the_saved_one(trainer_of, head):
    words = (f"network.head={head}", "network.recurrent_size=4", "ppo.critic=privileged")
    ours, theirs = trainer_of(*words, "run.seed=1"), trainer_of(*words, "run.seed=2")
    ours.iterate(0.0)
    for role, learner in ours.learners.items():
        theirs.learners[role].load(unpack(pack(learner.state()), "a learner"))
        saved, loaded = learner.state(), theirs.learners[role].state()
        assert plain(saved) == plain(loaded)


def plain(state):
    """A state's tensors as lists, so that states can be compared."""
    if isinstance(state, torch.Tensor):
        return state.tolist()
    if isinstance(state, dict):
        return {key: plain(value) for key, value in state.items()}
    return [plain(value) for value in state] if isinstance(state, (list, tuple)) else state


def test_the_optimiser_is_adam_with_the_usual_small_epsilon_in_one_kernel():
    defaults = learner_of(Target(4)).optimizer.defaults
    assert (defaults["eps"], defaults["fused"], defaults["betas"]) == (1e-5, True, (0.9, 0.999))
