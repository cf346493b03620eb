"""Rivals: who sits where, who is drawn, who is kept, who comes back after a stop."""

import numpy as np
import pytest
import torch

from sandlot.policies import Policy
from sandlot.policies.config import NetworkConfig
from sandlot.policies.policy import pack, unpack
from sandlot.runs.episodes import update_columns
from sandlot.runs.store import Store
from sandlot.train.compose import compose
from sandlot.train.config import SelfPlayConfig
from sandlot.train.loop import Loop, begin
from sandlot.train.selfplay import Opponent, OpponentPool, assign_rows
from sandlot.train.selfplay.pool import DECAY, INITIAL_WIN_RATE
from sandlot.train.trainer import Trainer
from sandlot.worlds import HEAD, Episodes, load_spec

TAG = load_spec("tag")


def pool(most: int = 3, bots: bool = False, prioritise: float = 2.0, even: float = 0.25) -> OpponentPool:
    config = SelfPlayConfig(
        pool_size=most, use_bots=bots, prioritization=prioritise, scripted_fraction=0.5, uniform_fraction=even
    )
    return OpponentPool(TAG, "seeker", config, seed=1)


def policy(seed: int = 0) -> Policy:
    return Policy(TAG, "seeker", NetworkConfig(hidden_sizes=(8,)), seed)


# ---------------------------------------------------------------- seats


@pytest.mark.parametrize("current", [0.0, 0.5, 1.0])
def test_every_row_is_played_by_its_learner_or_an_opponent_and_never_by_both(current):
    roles, worlds = ("seeker", "hider", "hider"), 10
    learners, opponents = assign_rows(roles, worlds, current)
    played = np.zeros(worlds * len(roles), int)
    for rows in learners.values():
        played[rows] += 1
    row_roles, row_worlds = np.tile(roles, worlds), np.repeat(np.arange(worlds), len(roles))
    for role, where in opponents.items():
        played[(row_roles == role) & np.isin(row_worlds, where)] += 1
    assert (played == 1).all()
    assert sum(map(len, opponents.values())) == round(worlds * (1 - current))


def test_in_no_world_are_both_roles_played_by_opponents():
    _, opponents = assign_rows(("seeker", "hider"), 16, 0.25)
    assert not set(opponents["seeker"]) & set(opponents["hider"])


def test_a_game_of_one_role_has_no_opponents():
    learners, opponents = assign_rows(("pilot",), 5, 0.0)
    assert learners["pilot"].tolist() == [0, 1, 2, 3, 4] and not len(opponents["pilot"])


# ---------------------------------------------------------------- the pool


def test_scripted_players_of_the_role_are_in_the_pool_at_every_level():
    names = [opponent.name for opponent in pool(bots=True).opponents]
    assert "chase:1" in names and "chase:3" in names and not any(n.startswith("evade") for n in names)


def test_opponents_that_win_are_drawn_more_often():
    made = pool(most=9, even=0.0)
    for i, wins in enumerate((0.9, 0.5, 0.1)):
        made.add(policy(i), f"window {i}")
        made.opponents[i].win_rate = wins
    rng = np.random.default_rng(0)
    drawn = [made.draw(1, rng)[0].name for _ in range(2000)]
    counts = [drawn.count(f"window {i}") for i in range(3)]
    weights = (0.05 + np.array([0.9, 0.5, 0.1])) ** 2
    assert counts == pytest.approx(2000 * weights / weights.sum(), abs=120)


def test_who_was_beaten_is_still_met_in_an_even_share_of_the_draws():
    made = pool(most=9)
    for i in range(4):
        made.add(policy(i), f"window {i}")
        made.opponents[i].win_rate = 0.9 if i else 0.0
    rng = np.random.default_rng(0)
    drawn = [made.draw(1, rng)[0].name for _ in range(4000)]
    assert drawn.count("window 0") / 4000 == pytest.approx(0.25 / 4, abs=0.015)


def test_every_past_self_draws_from_a_stream_of_its_own_and_the_same_one_again():
    seen = np.zeros((64, TAG.observation_size), np.float32)  # the same weights and the same sight
    made, again = pool(most=9), pool(most=9)
    for each in (made, again):
        for i in range(3):
            each.add(policy(), f"window {i}")
    first, second, third = (opponent.player.act(seen)[0] for opponent in made.opponents)
    assert not np.array_equal(first, second) and not np.array_equal(second, third)
    assert np.array_equal(second, again.opponents[1].player.act(seen)[0])


def test_without_priority_all_are_drawn_alike():
    made = pool(most=9, prioritise=0.0)
    for i in range(2):
        made.add(policy(i), f"window {i}")
        made.opponents[i].win_rate = float(i)
    rng = np.random.default_rng(0)
    drawn = [made.draw(1, rng)[0].name for _ in range(1000)]
    assert drawn.count("window 0") == pytest.approx(500, abs=60)


def test_a_draw_repeats_nobody_unless_there_are_too_few():
    made = pool(bots=True)
    rng = np.random.default_rng(0)
    few = made.draw(4, rng)
    assert len({opponent.name for opponent in few}) == 4
    assert len(made.draw(50, rng)) == 50


def test_scripted_players_keep_their_slots_however_often_past_selves_win():
    made = pool(most=9, bots=True)
    rng = np.random.default_rng(0)
    for i in range(8):
        made.add(policy(i), f"window {i}")
    for opponent in made.opponents:
        opponent.win_rate = 0.01 if opponent.state is None else 0.99
    for _ in range(20):
        drawn = made.draw(4, rng)
        assert [opponent.state is None for opponent in drawn] == [True, True, False, False]


def test_a_full_pool_lets_the_self_go_that_wins_least_but_never_the_newest_or_a_bot():
    made = pool(most=2, bots=True)
    bots = len(made.opponents)
    for i, wins in enumerate((0.8, 0.2, 0.0)):
        made.add(policy(i), f"window {i}")
        made.opponents[-1].win_rate = wins
    assert [opponent.name for opponent in made.opponents[bots:]] == ["window 0", "window 2"]


def test_a_record_fades_toward_what_happened_lately():
    made = pool()
    made.add(policy(), "window 0")
    opponent = made.opponents[0]
    assert opponent.win_rate == 0.5
    opponent.record(wins=10, played=10)
    assert 0.5 < opponent.win_rate < 0.7
    opponent.record(wins=0, played=1000)
    assert opponent.win_rate < 1e-6


def test_a_saved_pool_comes_back_with_its_players_records_and_generators():
    made = pool(bots=True)
    made.add(policy(5), "window 3")
    made.opponents[0].win_rate, made.opponents[-1].win_rate = 0.1, 0.9
    seen = np.random.default_rng(0).normal(size=(20, TAG.observation_size)).astype(np.float32)
    made.opponents[-1].player.act(seen)  # its dice have moved
    other = pool(bots=True)
    other.load(unpack(pack(made.state()), "a pool"))
    assert [(r.name, r.win_rate) for r in other.opponents] == [(r.name, r.win_rate) for r in made.opponents]
    mine, theirs = (p.opponents[-1].player.act(seen)[0] for p in (made, other))
    assert np.array_equal(mine, theirs)


def test_a_past_self_does_not_change_when_its_learner_does():
    made, learner = pool(), policy()
    made.add(learner, "window 0")
    before = made.opponents[0].player.network.last.weight.clone()
    learner.network.last.weight.data += 1.0
    assert (made.opponents[0].player.network.last.weight == before).all()


# ---------------------------------------------------------------- one network for both roles


def shared_config(*more: str):
    words = [
        "ppo.num_envs=16",
        "ppo.num_steps=16",
        "ppo.num_minibatches=2",
        "selfplay.shared=true",
        "curriculum=[]",
    ]
    words += [
        "run.threads=1",
        "run.windows=4",
        "run.window_env_steps=512",
        "network.hidden_sizes=[16]",
        *more,
    ]
    return compose("tag", words=words)


def test_a_shared_policy_is_one_network_that_both_roles_play_and_learn():
    trainer = Trainer(shared_config("selfplay.latest_fraction=1.0"))
    (learner,) = trainer.learners.values()
    assert len(learner.rows) == trainer.world.rows, "every agent of every world"
    seeker, hider = trainer.policies["seeker"], trainer.policies["hider"]
    before = seeker.network.last.weight.detach().clone()
    metrics = trainer.iterate(0.0).metrics
    assert seeker.network is hider.network and seeker.normalizer is hider.normalizer
    assert not torch.equal(seeker.network.last.weight, before)
    assert (seeker.role, hider.role, hider.state()["role"]) == ("seeker", "hider", "hider")
    assert metrics["seeker"] is metrics["hider"]
    assert update_columns(("seeker", "hider"), metrics)["updates"] == metrics["seeker"]["updates"], (
        "counted once"
    )
    trainer.close()


def test_a_run_with_a_shared_policy_goes_on_bit_for_bit(tmp_path):
    def weights(folder, stop_after=None):
        store, config = Store(folder), shared_config()
        with begin(store, config) as run:
            asked = iter(range(10**9))
            Loop(config, run, stop=lambda: stop_after is not None and next(asked) >= stop_after).go()
        if stop_after is not None:
            with store.resume(run.run_id) as run:
                Loop(config, run).go()
        files = [run.paths.policy(role).read_bytes() for role in ("seeker", "hider")]
        return [unpack(data, "policy")["network"] for data in files]

    whole, resumed = weights(tmp_path / "whole"), weights(tmp_path / "resumed", stop_after=3)
    for name, tensor in whole[0].items():
        assert torch.equal(tensor, whole[1][name]), "both roles hold the same weights"
        assert torch.equal(tensor, resumed[0][name])


# ---------------------------------------------------------------- numbers of the pool


def test_a_record_keeps_97_percent_of_itself_with_every_match_and_begins_at_a_half():
    opponent = Opponent("one", None, None)
    assert (DECAY, INITIAL_WIN_RATE, opponent.win_rate, opponent.kind) == (0.97, 0.5, 0.5, "scripted")
    opponent.record(wins=1, played=1)
    assert opponent.win_rate == pytest.approx(0.97 * 0.5 + 0.03)
    before = opponent.win_rate
    opponent.record(wins=1, played=4)
    fade = 0.97**4
    assert opponent.win_rate == pytest.approx(fade * before + (1 - fade) * 0.25)
    assert Opponent("other", None, {}).kind == "past"


def test_a_draw_of_as_many_as_there_are_is_everybody_once():
    made = pool(bots=True)
    names = sorted(opponent.name for opponent in made.opponents)
    rng = np.random.default_rng(0)
    for _ in range(20):
        assert sorted(opponent.name for opponent in made.draw(len(names), rng)) == names


def test_every_level_of_every_bot_of_the_role_is_in_the_pool_once():
    names = [opponent.name for opponent in pool(bots=True).opponents]
    expected = [
        f"{name}:{level}"
        for name, bot in TAG.bots.items()
        if bot["role"] in ("seeker", "all")
        for level in range(1, bot["levels"] + 1)
    ]
    assert names == expected


@pytest.mark.parametrize(
    ("bots", "selves", "drawn"), [(True, 2, [2, 2]), (True, 0, [4, 0]), (False, 2, [0, 4])]
)
def test_slots_go_to_both_kinds_or_all_to_the_only_one(bots, selves, drawn):
    made = pool(most=9, bots=bots)
    for i in range(selves):
        made.add(policy(i), f"window {i}")
    kinds = [opponent.kind for opponent in made.draw(4, np.random.default_rng(0))]
    assert [kinds.count("scripted"), kinds.count("past")] == drawn


class Wheel:
    """A generator that keeps the probabilities it is asked to draw by."""

    def choice(self, count, size, replace, p):
        self.replace, self.p = replace, p
        return np.arange(size) % count


@pytest.mark.parametrize(
    ("prioritization", "uniform", "expected"),
    [
        (1.0, 0.0, [0.05 / 1.15, 0.1 / 1.15, 1.0 / 1.15]),
        (2.0, 0.0, [0.0025 / 1.0125, 0.01 / 1.0125, 1.0 / 1.0125]),
        (0.0, 0.0, [1 / 3] * 3),
        (1.0, 1.0, [1 / 3] * 3),
        (1.0, 0.3, [0.7 * w / 1.15 + 0.1 for w in (0.05, 0.1, 1.0)]),
    ],
)
def test_opponents_are_drawn_by_their_win_rate_and_one_that_never_wins_still_sometimes(
    prioritization, uniform, expected
):
    made = pool(most=9, bots=False)
    for i, rate in enumerate((0.0, 0.05, 0.95)):
        made.add(policy(i), f"window {i}")
        made.opponents[-1].win_rate = rate
    made.config = made.config.model_copy(
        update={"prioritization": prioritization, "uniform_fraction": uniform}
    )
    wheel = Wheel()
    assert len(made.draw(3, wheel)) == 3 and not wheel.replace
    assert wheel.p == pytest.approx(expected)
    made.draw(4, wheel)
    assert wheel.replace, "more seats than opponents"


def test_a_pool_holds_as_many_past_selves_as_it_may_and_no_fewer():
    made = pool(most=3)
    for i in range(5):
        made.add(policy(i), f"window {i}")
        assert len(made.opponents) == min(i + 1, 3)


def test_past_selves_draw_their_actions():
    made = pool()
    made.add(policy(), "window 0")
    assert made.opponents[0].player.greedy is False


# ---------------------------------------------------------------- who plays where

SMALL = (
    "ppo.num_envs=12",
    "ppo.num_steps=8",
    "ppo.num_minibatches=2",
    "network.hidden_sizes=[8]",
    "curriculum=[]",
)


@pytest.fixture
def trainer():
    made = Trainer(
        compose(
            "tag", words=(*SMALL, "selfplay.latest_fraction=0.5", "selfplay.num_opponents=2", "run.threads=1")
        )
    )
    yield made
    made.close()


def test_opponents_play_their_rows_and_no_others(trainer):
    trainer.world.actions[:] = 7.0
    trainer.opponents.act()
    learned = np.concatenate([learner.rows for learner in trainer.learners.values()])
    others = np.setdiff1d(np.arange(trainer.world.rows), learned)
    assert (trainer.world.actions[learned] == 7.0).all() and (
        np.abs(trainer.world.actions[others]) <= 1.0
    ).all()
    assert others.tolist() == [12, 14, 16, 19, 21, 23], "the seeker of worlds 6 to 8, the hider of 9 to 11"


def test_whom_a_learner_meets_is_reported_by_world(trainer):
    kinds, learners = trainer.opponents.kinds(), trainer.opponents.learners()
    assert kinds["seeker"].tolist() == [0.0] * 6 + [-1.0] * 3 + [2.0] * 3
    assert kinds["hider"].tolist() == [0.0] * 6 + [2.0] * 3 + [-1.0] * 3
    assert learners["seeker"].tolist() == [True] * 6 + [False] * 3 + [True] * 3
    result = trainer.opponents.win_rates()
    assert len(result) == 4 and set(result.values()) == {0.5}
    assert {name.split()[0] for name in result} == {"seeker", "hider"}


def test_a_game_of_one_role_meets_nobody():
    made = Trainer(
        compose("prospector", words=(*SMALL, "ppo.rollouts_per_iteration=1", "ppo.stagger_steps=0"))
    )
    assert made.opponents.kinds() == {} and made.opponents.win_rates() == {}
    made.opponents.act()
    assert made.opponents.learners()["pilot"].all()
    values = np.zeros((1, made.spec.shape.episode), np.float32)
    made.opponents.record(Episodes(made.spec.episode, np.zeros(1, HEAD), values))  # it has no winner
    made.close()


def test_wins_are_recorded_for_the_opponent_whose_world_it_was(trainer):
    slots_ = trainer.opponents._assignments
    heads = np.zeros(3, HEAD)
    heads["world"] = [6, 7, 0]  # the first opponent's, the same or the second's, nobody's
    winner = next(f for f in TAG.episode if f.name == "winner")
    values = np.zeros((3, sum(f.size for f in TAG.episode)), np.float32)
    values[:, winner.start] = [1, 2, 1]  # seeker, hider, seeker
    trainer.opponents.record(Episodes(TAG.episode, heads, values))
    by_world = {
        int(w): slot.opponent.win_rate for slot in slots_ for w in slot.worlds if slot.role == "seeker"
    }
    first = next(slot for slot in slots_ if 6 in slot.worlds)
    won, played = (1, 2) if 7 in first.worlds else (1, 1)
    fade = 0.97**played
    assert by_world[6] == pytest.approx(fade * 0.5 + (1 - fade) * won / played)
    assert all(slot.opponent.win_rate == 0.5 for slot in slots_ if slot.role == "hider")


def test_opponents_come_back_with_their_slots_and_memories(trainer):
    trainer.iterate(0.0)
    state = unpack(pack(trainer.opponents.state()), "opponents")
    before = [
        (slot.role, slot.opponent.name, slot.worlds.tolist()) for slot in trainer.opponents._assignments
    ]
    trainer.world.actions[:] = 0.0
    trainer.opponents.act()
    expected = trainer.world.actions.copy()
    trainer.opponents.draw()
    trainer.opponents.load(state)
    assert [(s.role, s.opponent.name, s.worlds.tolist()) for s in trainer.opponents._assignments] == before
    trainer.world.actions[:] = 0.0
    trainer.opponents.act()
    assert np.array_equal(trainer.world.actions, expected)
