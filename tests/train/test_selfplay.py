"""Rivals: who sits where, who is drawn, who is kept, who comes back after a stop."""

import numpy as np
import pytest
import torch

from sandlot.games import Spec
from sandlot.policies import Policy
from sandlot.policies.policy import Shape, pack, unpack
from sandlot.runs.episodes import learned
from sandlot.runs.store import Store
from sandlot.train.config import SelfPlayConfig
from sandlot.train.loop import Loop, begin
from sandlot.train.recipes import compose
from sandlot.train.selfplay import Pool, seats
from sandlot.train.trainer import Trainer

TAG = Spec("tag")


def pool(most: int = 3, bots: bool = False, prioritise: float = 2.0, even: float = 0.25) -> Pool:
    config = SelfPlayConfig(pool=most, bots=bots, prioritise=prioritise, scripted=0.5, even=even)
    return Pool(TAG, "seeker", config, seed=1)


def policy(seed: int = 0) -> Policy:
    return Policy(TAG, "seeker", Shape(hidden=(8,)), seed)


# ---------------------------------------------------------------- seats


@pytest.mark.parametrize("current", [0.0, 0.5, 1.0])
def test_every_row_is_played_by_its_learner_or_a_rival_and_never_by_both(current):
    roles, worlds = ("seeker", "hider", "hider"), 10
    learners, rivals = seats(roles, worlds, current)
    played = np.zeros(worlds * len(roles), int)
    for rows in learners.values():
        played[rows] += 1
    row_roles, row_worlds = np.tile(roles, worlds), np.repeat(np.arange(worlds), len(roles))
    for role, where in rivals.items():
        played[(row_roles == role) & np.isin(row_worlds, where)] += 1
    assert (played == 1).all()
    assert sum(map(len, rivals.values())) == round(worlds * (1 - current))


def test_in_no_world_are_both_roles_played_by_rivals():
    _, rivals = seats(("seeker", "hider"), 16, 0.25)
    assert not set(rivals["seeker"]) & set(rivals["hider"])


def test_a_game_of_one_role_has_no_rivals():
    learners, rivals = seats(("pilot",), 5, 0.0)
    assert learners["pilot"].tolist() == [0, 1, 2, 3, 4] and not len(rivals["pilot"])


# ---------------------------------------------------------------- the pool


def test_scripted_players_of_the_role_are_in_the_pool_at_every_level():
    names = [rival.name for rival in pool(bots=True).rivals]
    assert "chase:1" in names and "chase:3" in names and not any(n.startswith("evade") for n in names)


def test_rivals_that_win_are_drawn_more_often():
    made = pool(most=9, even=0.0)
    for i, wins in enumerate((0.9, 0.5, 0.1)):
        made.add(policy(i), f"window {i}")
        made.rivals[i].wins = wins
    rng = np.random.default_rng(0)
    drawn = [made.draw(1, rng)[0].name for _ in range(2000)]
    counts = [drawn.count(f"window {i}") for i in range(3)]
    weights = (0.05 + np.array([0.9, 0.5, 0.1])) ** 2
    assert counts == pytest.approx(2000 * weights / weights.sum(), abs=120)


def test_who_was_beaten_is_still_met_in_an_even_share_of_the_draws():
    made = pool(most=9)
    for i in range(4):
        made.add(policy(i), f"window {i}")
        made.rivals[i].wins = 0.9 if i else 0.0
    rng = np.random.default_rng(0)
    drawn = [made.draw(1, rng)[0].name for _ in range(4000)]
    assert drawn.count("window 0") / 4000 == pytest.approx(0.25 / 4, abs=0.015)


def test_every_past_self_draws_from_a_stream_of_its_own_and_the_same_one_again():
    seen = np.zeros((64, TAG.observation_size), np.float32)  # the same weights and the same sight
    made, again = pool(most=9), pool(most=9)
    for each in (made, again):
        for i in range(3):
            each.add(policy(), f"window {i}")
    first, second, third = (rival.player.act(seen)[0] for rival in made.rivals)
    assert not np.array_equal(first, second) and not np.array_equal(second, third)
    assert np.array_equal(second, again.rivals[1].player.act(seen)[0])


def test_without_priority_all_are_drawn_alike():
    made = pool(most=9, prioritise=0.0)
    for i in range(2):
        made.add(policy(i), f"window {i}")
        made.rivals[i].wins = float(i)
    rng = np.random.default_rng(0)
    drawn = [made.draw(1, rng)[0].name for _ in range(1000)]
    assert drawn.count("window 0") == pytest.approx(500, abs=60)


def test_a_draw_repeats_nobody_unless_there_are_too_few():
    made = pool(bots=True)
    rng = np.random.default_rng(0)
    few = made.draw(4, rng)
    assert len({rival.name for rival in few}) == 4
    assert len(made.draw(50, rng)) == 50


def test_scripted_players_keep_their_seats_however_often_past_selves_win():
    made = pool(most=9, bots=True)
    rng = np.random.default_rng(0)
    for i in range(8):
        made.add(policy(i), f"window {i}")
    for rival in made.rivals:
        rival.wins = 0.01 if rival.state is None else 0.99
    for _ in range(20):
        drawn = made.draw(4, rng)
        assert [rival.state is None for rival in drawn] == [True, True, False, False]


def test_a_full_pool_lets_the_self_go_that_wins_least_but_never_the_newest_or_a_bot():
    made = pool(most=2, bots=True)
    bots = len(made.rivals)
    for i, wins in enumerate((0.8, 0.2, 0.0)):
        made.add(policy(i), f"window {i}")
        made.rivals[-1].wins = wins
    assert [rival.name for rival in made.rivals[bots:]] == ["window 0", "window 2"]


def test_a_record_fades_toward_what_happened_lately():
    made = pool()
    made.add(policy(), "window 0")
    rival = made.rivals[0]
    assert rival.wins == 0.5
    rival.record(won=10, played=10)
    assert 0.5 < rival.wins < 0.7
    rival.record(won=0, played=1000)
    assert rival.wins < 1e-6


def test_a_saved_pool_comes_back_with_its_players_records_and_dice():
    made = pool(bots=True)
    made.add(policy(5), "window 3")
    made.rivals[0].wins, made.rivals[-1].wins = 0.1, 0.9
    seen = np.random.default_rng(0).normal(size=(20, TAG.observation_size)).astype(np.float32)
    made.rivals[-1].player.act(seen)  # its dice have moved
    other = pool(bots=True)
    other.load(unpack(pack(made.state()), "a pool"))
    assert [(r.name, r.wins) for r in other.rivals] == [(r.name, r.wins) for r in made.rivals]
    mine, theirs = (p.rivals[-1].player.act(seen)[0] for p in (made, other))
    assert np.array_equal(mine, theirs)


def test_a_past_self_does_not_change_when_its_learner_does():
    made, learner = pool(), policy()
    made.add(learner, "window 0")
    before = made.rivals[0].player.network.last.weight.clone()
    learner.network.last.weight.data += 1.0
    assert (made.rivals[0].player.network.last.weight == before).all()


# ---------------------------------------------------------------- one network for both roles


def shared_config(*more: str):
    words = ["ppo.worlds=16", "ppo.horizon=16", "ppo.minibatches=2", "selfplay.shared=true", "curriculum=[]"]
    words += ["run.threads=1", "run.windows=4", "run.window_env_steps=512", "network.hidden=[16]", *more]
    return compose("tag", words=words)


def test_a_shared_policy_is_one_network_that_both_roles_play_and_learn():
    trainer = Trainer(shared_config("selfplay.current=1.0"))
    (learner,) = trainer.learners.values()
    assert len(learner.rows) == trainer.world.rows, "every agent of every world"
    seeker, hider = trainer.policies["seeker"], trainer.policies["hider"]
    before = seeker.network.last.weight.detach().clone()
    metrics = trainer.iterate(0.0).figures
    assert seeker.network is hider.network and seeker.normaliser is hider.normaliser
    assert not torch.equal(seeker.network.last.weight, before)
    assert (seeker.role, hider.role, hider.state()["role"]) == ("seeker", "hider", "hider")
    assert metrics["seeker"] is metrics["hider"]
    assert learned(("seeker", "hider"), metrics)["updates"] == metrics["seeker"]["updates"], "counted once"
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
