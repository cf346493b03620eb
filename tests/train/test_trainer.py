"""The trainer: what its threads may change, which is time and nothing else."""

from concurrent.futures import Future

import numpy as np
import pytest
import torch

from sandlot.errors import Closed, ConfigError, TrainingFailed, UnknownName
from sandlot.train.compose import compose
from sandlot.train.trainer import Trainer, rates_of, rewards_by_role
from sandlot.worlds import Capabilities, load_spec

SMALL = ("ppo.num_envs=64", "ppo.num_steps=16", "run.threads=2")


def weights_after(iterations: int, side_by_side: bool) -> dict[str, torch.Tensor]:
    trainer = Trainer(compose("tag", words=SMALL))
    team, trainer.pool = trainer.pool, trainer.pool if side_by_side else None
    assert team is not None, "two roles and two threads make a team"
    for _ in range(iterations):
        trainer.iterate(progress=0.5)
    trainer.pool = team
    trainer.close()
    return {role: policy.network.last.weight.detach() for role, policy in trainer.policies.items()}


def test_roles_that_learn_side_by_side_learn_what_they_learn_in_turn():
    together, in_turn = weights_after(3, side_by_side=True), weights_after(3, side_by_side=False)
    assert list(together) == ["seeker", "hider"]
    assert all(torch.equal(together[role], in_turn[role]) for role in together)


def test_a_game_of_one_role_needs_no_team():
    trainer = Trainer(compose("prospector", words=("ppo.num_envs=8", "ppo.rollouts_per_iteration=1")))
    assert trainer.pool is None and torch.get_num_threads() == trainer.config.run.threads
    trainer.close()


# ---------------------------------------------------------------- learning while worlds play

KINDS = {
    "masks": ("prospector",),
    "memory, rounded": ("prospector", "network.recurrent_size=8", "ppo.precision=bfloat16"),
    "two roles and a critic": ("tag", "ppo.critic=privileged"),
    "another head": ("tag", "network.head=mixed"),
}


class InTurn:
    """Learns at once, before worlds play on, in place of a thread that learns meanwhile."""

    def submit(self, work, *given):
        reported = Future()
        reported.set_result(work(*given))
        return reported

    def shutdown(self):
        pass


def overlapping(game, *words):
    return Trainer(
        compose(game, words=(*SMALL, "ppo.num_minibatches=4", "ppo.rollouts_per_iteration=4", *words))
    )


def learned(kind, aside=None):
    trainer = overlapping(*KINDS[kind])
    trainer.background = aside or trainer.background
    reported = [trainer.iterate(progress=i / 3) for i in range(3)]
    trainer.close()
    weights = [w.detach() for policy in trainer.policies.values() for w in policy.parameters()]
    return weights, [(one.decisions, one.ticks, one.metrics) for one in reported]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_learned_while_worlds_play_is_what_would_be_learned_before_they_play(kind):
    (weights, reported), (in_turn, told_in_turn) = learned(kind), learned(kind, InTurn())
    assert all(torch.equal(a, b) for a, b in zip(weights, in_turn, strict=True))
    assert reported == told_in_turn


def test_an_iteration_of_several_rollouts_counts_all_their_steps():
    trainer = overlapping("prospector")
    reported = trainer.iterate(progress=0.0)
    assert reported.decisions == 64 * 16 * 4 and reported.metrics["pilot"]["updates"] == 4 * 4
    assert trainer.world.steps == 16 * 4 and trainer.windows.env_steps_total == reported.decisions
    trainer.close()


def test_a_rollout_is_played_by_the_policy_from_before_the_update_that_goes_on_meanwhile():
    trainer = overlapping("prospector")
    learner, played, learned = trainer.learners["pilot"], [], []
    collect, learn = trainer._collect, trainer._learn

    def weights(policy):
        return policy.network.last.weight.detach().clone()

    def collecting():
        played.append(weights(learner.behavior_policy))
        return collect()

    def learning(progress):
        reported = learn(progress)
        learned.append(weights(learner.policy))
        return reported

    trainer._collect, trainer._learn = collecting, learning
    first = weights(learner.policy)
    trainer.iterate(progress=0.0)
    trainer.close()
    assert len(learned) == len(played) == 4
    assert all(torch.equal(a, b) for a, b in zip(played, [first, first, *learned], strict=False))


def test_a_failure_to_learn_is_reported_though_worlds_played_meanwhile():
    trainer = overlapping("prospector")
    with torch.no_grad():
        trainer.policies["pilot"].network.last.bias[-1] = float("nan")
    with pytest.raises(TrainingFailed, match="NaN"):
        trainer.iterate(progress=0.0)
    trainer.close()


# ---------------------------------------------------------------- different hours

STAGGERED = (
    "ppo.num_envs=64",
    "ppo.num_steps=16",
    "ppo.num_minibatches=4",
    "ppo.rollouts_per_iteration=1",
    "ppo.stagger_steps=160",
)


def begun_anew(trainer):
    """The worlds that are given new episodes, iteration by iteration."""
    reported, reset = [], trainer.world.reset

    def remembering(seeds, worlds):
        reported.append(worlds.tolist())
        return reset(seeds=seeds, worlds=worlds)

    trainer.world.reset = remembering
    return reported


def test_staggered_worlds_begin_anew_once_each_and_evenly():
    trainer = Trainer(compose("prospector", words=STAGGERED))
    reported = begun_anew(trainer)
    for _ in range(14):
        trainer.iterate(progress=0.0)
    trainer.close()
    assert sorted(world for some in reported for world in some) == list(range(64))
    assert len(reported) == 10 and {len(some) for some in reported} <= {6, 7}


def test_without_stagger_no_world_is_begun_anew():
    trainer = Trainer(compose("prospector", words=(*STAGGERED, "ppo.stagger_steps=0")))
    reported = begun_anew(trainer)
    for _ in range(4):
        trainer.iterate(progress=0.0)
    trainer.close()
    assert reported == []


@pytest.mark.parametrize("game", ["prospector", "tag"])
def test_an_abandoned_episode_is_in_nobodys_memory_and_in_nobodys_return(game):
    trainer = Trainer(compose(game, words=(*STAGGERED, "network.recurrent_size=8")))
    reported = begun_anew(trainer)
    trainer.iterate(progress=0.0)
    remembered = {role: learner.recurrent_state.clone() for role, learner in trainer.learners.items()}
    assert all(memory.abs().sum() > 0 for memory in remembered.values())
    trainer._stagger_resets()
    assert reported[0] and not trainer.windows._running[reported[0]].any()
    for role, learner in trainer.learners.items():
        begun = (
            torch.from_numpy(learner.rows // trainer.spec.agents).apply_(lambda w: w in reported[0]).bool()
        )
        assert begun.any() and not learner.recurrent_state[begun].any()
        assert torch.equal(learner.recurrent_state[~begun], remembered[role][~begun])
        assert not learner.running_returns[begun.numpy()].any()
    trainer.close()


def test_an_engine_that_cannot_save_its_worlds_plays_others_after_every_resume(monkeypatch):
    """As Godot: each resume seeds new worlds by how far the run is, however often it was resumed."""
    from sandlot.train import trainer as module
    from sandlot.worlds import Capabilities, NativeWorld

    monkeypatch.setattr(NativeWorld, "capabilities", Capabilities(snapshot=False))
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


# ---------------------------------------------------------------- seeds, threads, stages

TINY = (
    "ppo.num_envs=8",
    "ppo.num_steps=8",
    "ppo.num_minibatches=2",
    "network.hidden_sizes=[8]",
    "ppo.rollouts_per_iteration=1",
)


@pytest.fixture
def trainer_of():
    """trainer_of(game, *words): a trainer so small that an iteration takes milliseconds."""
    made = []

    def make(game, *words, preset="quick"):
        made.append(Trainer(compose(game, preset, words=(*TINY, *words))))
        return made[-1]

    yield make
    for trainer in made:
        trainer.close()


@pytest.mark.parametrize(("threads", "rollouts", "learns", "plays"), [
    (1, 1, 1, 1), (2, 1, 1, 2), (4, 1, 2, 4), (1, 2, 1, 1), (2, 2, 1, 1), (5, 2, 2, 2), (8, 2, 4, 4),
])  # fmt: skip
def test_learners_of_two_roles_share_the_threads_and_so_do_playing_and_learning(
    trainer_of, threads, rollouts, learns, plays
):
    trainer = trainer_of("tag", f"run.threads={threads}", f"ppo.rollouts_per_iteration={rollouts}")
    assert (torch.get_num_threads(), trainer.world.threads) == (learns, plays)
    assert (trainer.pool is not None) == (threads > 1 and rollouts == 1)
    assert (trainer.background is not None) == (rollouts > 1)
    for pool, workers in ((trainer.pool, 2), (trainer.background, 1)):
        assert pool is None or pool._max_workers == workers


def first_weights(trainer):
    return {role: policy.network.last.weight.detach().clone() for role, policy in trainer.policies.items()}


def test_every_role_begins_with_weights_of_its_own_which_the_seed_gives(trainer_of):
    made = [first_weights(trainer_of("tag", f"run.seed={seed}")) for seed in (1, 1, 2)]
    assert not torch.equal(made[0]["seeker"], made[0]["hider"])
    for role in ("seeker", "hider"):
        assert torch.equal(made[0][role], made[1][role])
        assert not torch.equal(made[0][role], made[2][role])


def test_another_librarys_trainer_begins_with_the_weights_of_ours(trainer_of):
    from sandlot.train.adapters.actor_critic import policy_for

    trainer = trainer_of("tag")
    theirs = policy_for(trainer.config, trainer.spec, "seeker")
    assert torch.equal(theirs.network.last.weight, trainer.policies["seeker"].network.last.weight)


def test_worlds_learners_and_opponents_draw_from_different_streams(trainer_of):
    trainer = trainer_of("tag", "selfplay.latest_fraction=0.5")
    seeds = [learner.generator for learner in trainer.learners.values()]
    seeds += [pool.seed for pool in trainer.opponents.pools.values()]
    assert len(set(seeds)) == 4


LESSONS = 'curriculum=[{name="a", settings={obstacles=0}}, {name="b", settings={obstacles=2}}, {name="c"}]'


def test_every_lesson_plays_worlds_of_its_own(trainer_of):
    trainer = trainer_of("tag", LESSONS)
    seen, observations = [], []
    for _ in range(3):
        seen.append(trainer._stage_seed())
        observations.append(trainer.world.observations[:, :3].copy())
        if trainer.stage < 2:
            trainer.iterate(0.0)
            trainer.next_stage()
    assert trainer.stage == 2 and seen[0] == trainer.config.run.seed and len(set(seen)) == 3
    assert not (observations[0] == observations[1]).all() and not (observations[1] == observations[2]).all()


def test_an_episode_of_the_last_lesson_is_in_no_return_of_the_next(trainer_of):
    trainer = trainer_of("tag", LESSONS)
    trainer.iterate(0.0)
    assert trainer.windows._running.any()
    trainer.next_stage()
    assert not trainer.windows._running.any()
    assert trainer.stage_start == 8, "steps of every world before this lesson"


def test_a_new_lesson_and_a_resume_close_the_worlds_they_replace(trainer_of):
    trainer = trainer_of("tag", LESSONS)
    before = trainer.world
    trainer.next_stage()
    lesson = trainer.world
    trainer.load(trainer.state(), trainer.windows.to_dict())
    for replaced in (before, lesson):
        assert replaced is not trainer.world
        with pytest.raises(Closed):
            replaced.step()
    trainer.world.step()


def test_closing_a_trainer_closes_its_worlds_and_stops_its_threads(trainer_of):
    trainer = trainer_of("tag", "run.threads=4", "ppo.rollouts_per_iteration=2")
    trainer.close()
    with pytest.raises(Closed):
        trainer.world.step()
    with pytest.raises(RuntimeError, match="shutdown"):
        trainer.background.submit(print)


def test_a_lesson_that_changes_the_observation_is_refused(trainer_of):
    trainer = trainer_of("tag", 'curriculum=[{name="a"}, {name="b", settings={layout="reference84"}}]')
    with pytest.raises(
        ConfigError, match=r"curriculum\[1\] changes the size of the observation, from 162 to 90"
    ):
        trainer.next_stage()


def test_an_unknown_engine_is_named(trainer_of):
    with pytest.raises(UnknownName, match=r"no engine \(run\.engine\) called 'unreal'"):
        trainer_of("tag", "run.engine=unreal")


def test_everybody_who_asked_sees_every_step(trainer_of):
    trainer, seen = trainer_of("tag"), []
    trainer.after_step.append(lambda world: seen.append(world.steps))
    trainer.iterate(0.0)
    assert seen == list(range(1, 9))


@pytest.mark.parametrize("rollouts", [1, 2])
def test_staggered_worlds_take_their_turns_in_the_iteration_that_their_step_falls_into(trainer_of, rollouts):
    """Worlds begin anew at steps spread evenly over `stagger`, each after the iteration it lies in."""
    trainer = trainer_of("tag", "ppo.stagger_steps=32", f"ppo.rollouts_per_iteration={rollouts}")
    reported = begun_anew(trainer)
    for _ in range(6):
        trainer.iterate(0.0)
    per_iteration = 2 * rollouts  # eight worlds over 32 steps, 8 steps a rollout
    assert [len(some) for some in reported] == [per_iteration] * (4 // rollouts)
    assert sorted(world for some in reported for world in some) == list(range(8))


def test_staggering_begins_anew_with_every_lesson(trainer_of):
    trainer = trainer_of("tag", LESSONS, "ppo.stagger_steps=16")
    for _ in range(4):
        trainer.iterate(0.0)
    trainer.next_stage()
    reported = begun_anew(trainer)
    for _ in range(4):
        trainer.iterate(0.0)
    assert sorted(world for some in reported for world in some) == list(range(8))


def test_scripted_opponents_forget_an_episode_that_ended(trainer_of):
    """A bot's memory of a match that is over is that of a match that begins."""
    trainer = trainer_of("tag", "selfplay.latest_fraction=0.0", "settings.time_limit=1.0")
    restarted, restart = [], trainer.opponents.restart
    trainer.opponents.restart = lambda ended: (restarted.append(ended.copy()), restart(ended))
    ends = []
    trainer.after_step.append(lambda world: ends.append((world.terminated | world.truncated).copy()))
    for _ in range(4):
        trainer.iterate(0.0)
    ends = [rows for rows in ends if rows.any()]
    assert ends and [rows.tolist() for rows in restarted] == [rows.tolist() for rows in ends]


def test_worlds_of_an_engine_that_cannot_save_them_are_not_in_the_state(trainer_of, monkeypatch):
    trainer = trainer_of("tag")
    size = len(trainer.world.snapshot(0))
    assert len(trainer.state()["worlds"]) == 8 * size
    monkeypatch.setattr(type(trainer.world), "capabilities", Capabilities(snapshot=False))
    assert len(trainer.state()["worlds"]) == 0


# ---------------------------------------------------------------- what is counted


def test_rewards_of_a_role_are_the_mean_over_its_agents():
    rewards = np.array([1.0, 2.0, 4.0, 10.0, 20.0, 60.0], np.float32)
    by_role = rewards_by_role(rewards, ("seeker", "hider", "hider"))
    assert by_role.tolist() == [[1.0, 3.0], [10.0, 40.0]]


def test_an_iteration_counts_a_decision_for_every_agent_and_the_ticks_of_every_world(trainer_of):
    trainer, ticks = trainer_of("tag", "settings.time_limit=1.0"), []
    trainer.after_step.append(lambda world: ticks.append(int(world.ticks[::2].sum())))
    one = trainer.iterate(0.0)
    assert one.decisions == 8 * 8 * 2 and one.ticks == sum(ticks)
    for i in range(4):
        one = trainer.iterate(0.0)
        ends = one.episodes.heads["step"]
        assert ((ends > 8 * (i + 1)) & (ends <= 8 * (i + 2))).all()
        assert len(one.windows) == len(one.episodes)
        assert set(one.opponents) == {"seeker_opponent", "hider_opponent"}


def test_metrics_of_a_game_are_its_single_numbers_that_are_no_codes():
    spec = load_spec("tag")
    names = spec.measures
    assert not {"winner", "reason", "ending", "return"} & set(names) and names
    assert set(names) <= {f.name for f in spec.episode if f.size == 1}


def test_win_rates_are_reported_by_role_and_by_kind_of_opponent_where_there_are_two_roles():
    rates = rates_of(load_spec("tag"))
    for code, role in ((1.0, "seeker"), (2.0, "hider")):
        met = f"{role}_opponent"
        assert rates[f"{role}_win_rate"] == ("winner", code, met, (0.0, 1.0, 2.0))
        for kind, opponent in enumerate(("current", "past", "scripted")):
            assert rates[f"{role}_win_rate_vs_{opponent}"] == ("winner", code, met, (float(kind),))
    spec = load_spec("prospector")
    endings = {
        f"{label}_rate": ("ending", float(code), "", ()) for code, label in enumerate(spec.codes["ending"])
    }
    flags = {f"{name}_rate": (name, 1.0, "", ()) for name in ("survival", "destroyed", "stranded")}
    assert rates_of(spec) == {name: rate for name, rate in (endings | flags).items() if name != "none_rate"}
