"""Settings of the prospector for learners: how long a decision lasts, what it is paid, what mining tells."""

import numpy as np
import pytest

import sandlot

MINING = range(28, 31)


def test_mining_on_in_one_decision_is_the_same_game_as_mining_again():
    long = sandlot.make("prospector", 1, config={"mine_repeat": 8}, autoreset=False)
    short = sandlot.make("prospector", 1, autoreset=False)
    long.reset(seed=11), short.reset(seed=11)
    bot, memory, repeated = sandlot.bot("prospector", "tour"), None, 0
    for _ in range(400):
        actions, memory = bot.act(long.observations, long.masks, memory)
        long.step(actions)
        ticks, paid = int(long.ticks[0]), 0.0
        times = ticks if int(actions[0]) in MINING else 1
        repeated += times > 1
        for _ in range(times):
            short.step(actions)
            paid += float(short.rewards[0])
        assert np.array_equal(long.observations, short.observations)
        assert np.array_equal(long.masks, short.masks)
        assert float(long.rewards[0]) == pytest.approx(paid, abs=1e-4)
        if long.terminated[0] or long.truncated[0]:
            break
    assert repeated > 20


def test_mining_stops_by_itself_before_it_overheats():
    world = sandlot.make("prospector", 8, config={"mine_repeat": 16})
    world.reset(seed=3)
    bot, memory, heat = sandlot.bot("prospector", "greedy_miner"), None, []
    for _ in range(600):
        actions, memory = bot.act(world.observations, world.masks, memory)
        world.step(actions)
        mined = np.isin(actions, MINING) & (world.ticks > 1)
        heat += list(world.observations[mined, world.spec.field("heat_frac")].ravel())
    assert len(heat) > 50
    knee, one_action = 0.60, 0.07
    assert max(heat) <= knee + one_action


def first_tries(**config: float) -> tuple[np.ndarray, np.ndarray]:
    """Ticks of each decision that mined an unknown asteroid, and the richness it was then thought to have."""
    world = sandlot.make("prospector", 32, config={"mine_repeat": 8, **config})
    world.reset(seed=9)
    bot, memory, ticks, thought = sandlot.bot("prospector", "greedy_miner"), None, [], []
    for _ in range(400):
        actions, memory = bot.act(world.observations, world.masks, memory)
        fresh = np.isin(actions, MINING) & (world.observations[:, 66] == 0.25)
        world.step(actions)
        result = world.observations[:, 66]
        fresh &= result > 0  # an asteroid that broke up tells nothing
        ticks += list(world.ticks[fresh])
        thought += list(4.0 * result[fresh])
    return np.array(ticks), np.array(thought)


def test_whoever_doubts_looks_up_when_an_asteroid_turns_out_poor():
    ticks, thought = first_tries(mine_doubt=0.2)
    longer = ticks > 1
    assert (longer & (thought > 1.0)).sum() > 20  # a rich one is mined on
    assert ((ticks == 1) & (thought < 0.8)).sum() > 20  # half of what is missing to 1 is known after one tick
    assert (thought[longer] >= 0.6).all()  # nobody goes on where that was more than 0.2


def test_without_doubt_poor_asteroids_are_mined_on():
    ticks, thought = first_tries()
    assert ((ticks > 1) & (thought < 0.6)).sum() > 20


def terms_of_a_tour(**config: float) -> tuple[dict[str, float], np.ndarray, np.ndarray]:
    """What a scripted day was paid for; step by step the pay for hull, and the hull from its start on."""
    world = sandlot.make("prospector", 1, config=config, autoreset=False)
    world.reset(seed=5)
    bot, memory, paid, at = sandlot.bot("prospector", "tour"), None, [], world.spec.field("hull_frac").start
    hull = [float(world.observations[0, at])]
    labels = next(field.labels for field in world.spec.episode if field.name == "terms")
    while not (world.terminated[0] or world.truncated[0]):
        actions, memory = bot.act(world.observations, world.masks, memory)
        world.step(actions)
        paid.append(np.ravel(world.render(0)["reward_terms"])[labels.index("hull")])
        hull.append(float(world.observations[0, at]))
    (episode,) = world.finished()
    return dict(zip(labels, np.ravel(episode["terms"]), strict=True)), np.array(paid), np.array(hull)


def test_the_pay_for_cargo_adds_up_to_nothing():
    terms, _, _ = terms_of_a_tour(reward_cargo=1.0)
    assert abs(terms["cargo"]) < 0.05
    assert terms["sell"] > 10


def test_what_lost_hull_costs_is_paid_back_by_repairs():
    terms, paid, hull = terms_of_a_tour(reward_hull=10.0)
    assert paid.min() < -0.5 and paid.max() > 0.5  # a broken asteroid; an overhaul
    assert np.allclose(paid, -10.0 * np.diff((1.0 - hull) ** 2), atol=1e-4)  # the last of it is the dearest
    assert terms["hull"] == pytest.approx(-10.0 * (1.0 - hull[-1]) ** 2, abs=0.01)


def broken_and_charged(**config: float) -> tuple[np.ndarray, np.ndarray]:
    """Decision by decision of pilots that mine hard: asteroids broken up, and what was charged for them."""
    world = sandlot.make("prospector", 16, config={"fracture_base": -4.0, **config})
    world.reset(seed=8)
    at = world.spec.field("asteroids")
    bot, memory, broken, charged = sandlot.bot("prospector", "greedy_miner"), None, [], []
    free = sandlot.make("prospector", 16, config={"fracture_base": -4.0})
    free.reset(seed=8)
    for _ in range(200):
        actions, memory = bot.act(world.observations, world.masks, memory)
        before = world.observations[:, at].reshape(16, 16, 11)[:, :, 8].copy()
        world.step(actions), free.step(actions)
        after = world.observations[:, at].reshape(16, 16, 11)[:, :, 8]
        mined = np.isin(actions, MINING)
        broken.append((mined[:, None] & (before < 0.9) & (after == 1.0)).any(axis=1))
        charged.append(free.rewards - world.rewards)
    return np.array(broken), np.array(charged)


def test_a_broken_asteroid_is_charged_for_what_it_would_have_yielded():
    broken, charged = broken_and_charged(reward_fracture=2.0)
    assert broken.sum() > 50
    assert (charged[broken] > 0).all() and (charged[broken] < 2.0 * 4.0).all()  # richness is 4 at most
    assert np.abs(charged[~broken]).max() < 1e-5
    _, dearer = broken_and_charged(reward_fracture=4.0)
    assert np.allclose(dearer[broken], 2.0 * charged[broken], rtol=1e-3)


def richness_seen_while_mining(**config: float) -> list[float]:
    """What entry 66 says of one asteroid, decision by decision, by a pilot that never scans."""
    world = sandlot.make("prospector", 1, config=config, autoreset=False)
    world.reset(seed=5)
    bot, memory, seen = sandlot.bot("prospector", "greedy_miner"), None, []
    for _ in range(200):
        actions, memory = bot.act(world.observations, world.masks, memory)
        if int(actions[0]) in MINING:
            seen.append(4.0 * float(world.observations[0, 66]))
        elif seen:
            break
        world.step(actions)
    return seen


def test_what_a_rock_yields_tells_how_rich_it_is():
    seen = richness_seen_while_mining()
    steps = np.abs(np.diff(seen))
    assert seen[0] == pytest.approx(1.0)  # nobody has scanned it
    assert steps[0] > 0.01
    assert steps[1] == pytest.approx(steps[0] / 2, rel=1e-3)  # half of what was unknown, each time


def test_without_that_setting_a_rock_must_be_scanned():
    assert len(set(richness_seen_while_mining(mining_reveals=0.0))) == 1
