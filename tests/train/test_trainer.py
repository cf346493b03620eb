"""The trainer: what its threads may change, which is time and nothing else."""

from concurrent.futures import Future

import pytest
import torch

from sandlot.errors import TrainingFailed
from sandlot.train.recipes import compose
from sandlot.train.trainer import Trainer

SMALL = ("ppo.worlds=64", "ppo.horizon=16", "run.threads=2")


def weights_after(iterations: int, side_by_side: bool) -> dict[str, torch.Tensor]:
    trainer = Trainer(compose("tag", words=SMALL))
    team, trainer.team = trainer.team, trainer.team if side_by_side else None
    assert team is not None, "two roles and two threads make a team"
    for _ in range(iterations):
        trainer.iterate(progress=0.5)
    trainer.team = team
    trainer.close()
    return {role: policy.network.last.weight.detach() for role, policy in trainer.policies.items()}


def test_roles_that_learn_side_by_side_learn_what_they_learn_in_turn():
    together, in_turn = weights_after(3, side_by_side=True), weights_after(3, side_by_side=False)
    assert list(together) == ["seeker", "hider"]
    assert all(torch.equal(together[role], in_turn[role]) for role in together)


def test_a_game_of_one_role_needs_no_team():
    trainer = Trainer(compose("prospector", words=("ppo.worlds=8", "ppo.rollouts=1")))
    assert trainer.team is None and torch.get_num_threads() == trainer.config.run.threads
    trainer.close()


# ---------------------------------------------------------------- learning while worlds play

KINDS = {
    "masks": ("prospector",),
    "a teacher": ("prospector", "teacher.bot=tour", "teacher.until=0.6"),
    "memory, rounded": ("prospector", "network.memory=8", "ppo.precision=bfloat16"),
    "two roles and a critic": ("tag", "ppo.critic=privileged"),
    "another head": ("tag", "network.head=mixed"),
}


class InTurn:
    """Learns at once, before worlds play on, in place of a thread that learns meanwhile."""

    def submit(self, work, *given):
        told = Future()
        told.set_result(work(*given))
        return told

    def shutdown(self):
        pass


def overlapping(game, *words):
    return Trainer(compose(game, words=(*SMALL, "ppo.minibatches=4", "ppo.rollouts=4", *words)))


def learned(kind, aside=None):
    trainer = overlapping(*KINDS[kind])
    trainer.aside = aside or trainer.aside
    told = [trainer.iterate(progress=i / 3) for i in range(3)]
    trainer.close()
    weights = [w.detach() for policy in trainer.policies.values() for w in policy.parameters()]
    return weights, [(one.decisions, one.ticks, one.figures) for one in told]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_learned_while_worlds_play_is_what_would_be_learned_before_they_play(kind):
    (weights, told), (in_turn, told_in_turn) = learned(kind), learned(kind, InTurn())
    assert all(torch.equal(a, b) for a, b in zip(weights, in_turn, strict=True))
    assert told == told_in_turn


def test_an_iteration_of_several_rollouts_counts_all_their_steps():
    trainer = overlapping("prospector")
    told = trainer.iterate(progress=0.0)
    assert told.decisions == 64 * 16 * 4 and told.figures["pilot"]["updates"] == 4 * 4
    assert trainer.world.steps == 16 * 4 and trainer.windows.env_steps_total == told.decisions
    trainer.close()


def test_a_rollout_is_played_by_the_policy_from_before_the_update_that_goes_on_meanwhile():
    trainer = overlapping("prospector")
    learner, played, learned = trainer.learners["pilot"], [], []
    collect, learn = trainer._collect, trainer._learn

    def weights(policy):
        return policy.network.last.weight.detach().clone()

    def collecting():
        played.append(weights(learner.player))
        return collect()

    def learning(progress):
        told = learn(progress)
        learned.append(weights(learner.policy))
        return told

    trainer._collect, trainer._learn = collecting, learning
    first = weights(learner.policy)
    trainer.iterate(progress=0.0)
    trainer.close()
    assert len(learned) == len(played) == 4
    assert all(torch.equal(a, b) for a, b in zip(played, [first, first, *learned], strict=False))


def test_a_failure_to_learn_is_told_though_worlds_played_meanwhile():
    trainer = overlapping("prospector")
    with torch.no_grad():
        trainer.policies["pilot"].network.last.bias[-1] = float("nan")
    with pytest.raises(TrainingFailed, match="NaN"):
        trainer.iterate(progress=0.0)
    trainer.close()


# ---------------------------------------------------------------- different hours

STAGGERED = ("ppo.worlds=64", "ppo.horizon=16", "ppo.minibatches=4", "ppo.rollouts=1", "ppo.stagger=160")


def begun_anew(trainer):
    """The worlds that are given new episodes, iteration by iteration."""
    told, reset = [], trainer.world.reset

    def remembering(seeds, worlds):
        told.append(worlds.tolist())
        return reset(seeds=seeds, worlds=worlds)

    trainer.world.reset = remembering
    return told


def test_staggered_worlds_begin_anew_once_each_and_evenly():
    trainer = Trainer(compose("prospector", words=STAGGERED))
    told = begun_anew(trainer)
    for _ in range(14):
        trainer.iterate(progress=0.0)
    trainer.close()
    assert sorted(world for some in told for world in some) == list(range(64))
    assert len(told) == 10 and {len(some) for some in told} <= {6, 7}


def test_without_stagger_no_world_is_begun_anew():
    trainer = Trainer(compose("prospector", words=(*STAGGERED, "ppo.stagger=0")))
    told = begun_anew(trainer)
    for _ in range(4):
        trainer.iterate(progress=0.0)
    trainer.close()
    assert told == []


@pytest.mark.parametrize("game", ["prospector", "tag"])
def test_an_abandoned_episode_is_in_nobodys_memory_and_in_nobodys_return(game):
    trainer = Trainer(compose(game, words=(*STAGGERED, "network.memory=8")))
    told = begun_anew(trainer)
    trainer.iterate(progress=0.0)
    remembered = {role: learner.memory.clone() for role, learner in trainer.learners.items()}
    assert all(memory.abs().sum() > 0 for memory in remembered.values())
    trainer._stagger()
    assert told[0] and not trainer.windows._running[told[0]].any()
    for role, learner in trainer.learners.items():
        begun = torch.from_numpy(learner.rows // trainer.spec.agents).apply_(lambda w: w in told[0]).bool()
        assert begun.any() and not learner.memory[begun].any()
        assert torch.equal(learner.memory[~begun], remembered[role][~begun])
        assert not learner.discounted[begun.numpy()].any()
    trainer.close()


def test_an_engine_that_cannot_save_its_worlds_plays_others_after_every_resume(monkeypatch):
    """As Godot: each resume seeds new worlds by how far the run is, however often it was resumed."""
    from sandlot.games import VectorGame
    from sandlot.train import trainer as module

    monkeypatch.setattr(VectorGame, "restorable", False)
    seeds, made = [], module.make

    def make(game, worlds, threads, seed, *rest):
        seeds.append(seed)
        return made(game, worlds, threads, seed, *rest)

    monkeypatch.setattr(module, "make", make)
    config = compose("tag", words=SMALL)
    first = Trainer(config)
    first.iterate(progress=0.0)
    state, windows = first.state(), first.windows.to_dict()
    first.close()
    resumed = []
    for _ in range(3):
        trainer = Trainer(config)
        trainer.load(state, windows)
        resumed.append(seeds[-1])
        trainer.iterate(progress=0.0)
        state, windows = trainer.state(), trainer.windows.to_dict()
        trainer.close()
    assert len({seeds[0], *resumed}) == 4, "the same worlds once more"
