"""The base of every batch: arrays by the spec, checked actions, seeds by world, and the log of episodes."""

import numpy as np
import pytest

import sandlot
from sandlot import seeding
from sandlot.errors import ActionError, ArrayError, ConfigError, NotReset, SnapshotError, UnknownName
from sandlot.spec import Document, Spec
from sandlot.worlds import arrays
from sandlot.worlds.arrays import MAX_THREADS, MAX_WORLDS, ArrayWorld, EpisodeLog, check_count

GAME = {
    "name": "uneven",
    "agent_roles": ["big", "small"],
    "observation": [{"name": "place", "shape": [3]}],
    "role_actions": {
        "big": [{"name": "x"}, {"name": "y"}],
        "small": [{"name": "go", "kind": "choice", "options": ["a", "b", "c"]}],
    },
    "info": [{"name": "left", "shape": [2]}],
    "episode": [{"name": "return", "shape": [2]}, {"name": "points"}],
}
INDEXED = {
    "name": "indexed",
    "observation": [{"name": "place"}],
    "actions": [{"name": "go", "kind": "choice", "options": ["a", "b", "c"]}],
    "masked": True,
}


class Still(ArrayWorld):
    """A batch in which nothing moves: the base alone."""

    def __init__(self, document=GAME, worlds=2, given=None, seed=7):
        self._describe(Spec(Document.parse(document), document), worlds, 1, seed, True)
        self._make_arrays(given or {})


# ---------------------------------------------------------------- arrays and actions


def test_every_array_has_a_row_per_agent_and_the_width_of_its_part():
    world = Still()
    shapes = {name: (shape, np.dtype(kind).name) for name, (shape, kind) in world.layout().items()}
    assert shapes == {
        "observations": ((4, 3), "float32"), "final_observations": ((4, 3), "float32"),
        "actions": ((4, 2), "float32"), "rewards": ((4,), "float32"), "terminated": ((4,), "uint8"),
        "truncated": ((4,), "uint8"), "ticks": ((4,), "int32"), "invalid": ((4,), "uint8"),
    }  # fmt: skip
    assert world.terminated.dtype == world.truncated.dtype == world.invalid.dtype == np.bool_
    assert world.masks is None and world.rows == 4


def test_a_game_of_one_choice_has_one_index_per_row_and_its_masks():
    world = Still(INDEXED)
    assert (world.actions.shape, world.actions.dtype) == ((2,), np.int32)
    assert (world.masks.shape, world.masks.dtype) == ((2, 3), np.uint8)


def test_outputs_are_read_only_and_shared_gives_the_array_itself():
    world = Still()
    with pytest.raises(ValueError, match="read-only"):
        world.rewards[0] = 1
    world.shared("rewards")[0] = 1
    assert world.rewards[0] == 1
    with pytest.raises(UnknownName, match="no array called 'reward'"):
        world.shared("reward")


def test_a_role_with_fewer_entries_writes_those_it_has_and_leaves_the_others():
    world = Still()
    world.actions[:] = 0.5
    world.act(np.array([1, 3]), np.array([2, 1], np.int32))
    world.act(np.array([0, 2]), np.array([[-1, 1], [1, -1]], np.float32))
    assert world.actions.tolist() == [[-1, 1], [2, 0.5], [1, -1], [1, 0.5]]


def test_an_index_per_row_is_written_as_it_is():
    world = Still(INDEXED)
    world.act(np.array([1]), np.array([2], np.int32))
    assert world.actions.tolist() == [0, 2]


@pytest.mark.parametrize(
    ("values", "error", "sentence"),
    [
        ([[0, 0]] * 3, ArrayError, "actions have shape (3, 2), expected (4, 2), one row per agent"),
        ([["a", "b"]] * 4, ArrayError, "actions of uneven are numbers in -1..1, not <U1"),
        ([[0, 0], [0, 0], [0, 2], [0, 0]], ActionError, "Row 2 asks for "),
        ([[0, 0], [0, np.nan], [0, 0], [0, 0]], ActionError, "expected a number in -1..1. Clip it"),
        ([[0, 0], [1e300, 0], [0, 0], [0, 0]], ActionError, "= inf; expected a number in -1..2"),
    ],
)
def test_actions_that_are_none_are_refused_and_nothing_is_written(values, error, sentence, monkeypatch):
    monkeypatch.setattr(Spec, "action_names", ("first", "second"))
    world = Still()
    world.actions[:] = 0.25
    with pytest.raises(error) as problem:
        world.actions = np.array(values)
    assert sentence in str(problem.value) and (world.actions == 0.25).all()


def test_some_rows_can_be_put_and_a_refusal_names_the_row_of_the_batch(monkeypatch):
    monkeypatch.setattr(Spec, "action_names", ("first", "second"))
    world = Still()
    world.put([[1, 1], [1, 1]], slice(2, 4))
    assert world.actions.tolist() == [[0, 0], [0, 0], [1, 1], [1, 1]]
    with pytest.raises(ActionError, match="Row 3 asks for second = -2"):
        world.put([[0, 0], [0, -2]], slice(2, 4))


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64, np.uint64])
def test_a_large_index_of_any_type_becomes_one_that_is_invalid(kind):
    world = Still(INDEXED)
    world.put(np.array([2, 3], kind))
    assert world.actions[0] == 2 and not 0 <= world.actions[1] < 3
    world.put(np.array([300, 1]) if kind is np.int64 else np.array([127, 1], kind))
    assert not 0 <= world.actions[0] < 3
    with pytest.raises(ArrayError, match="whole numbers, not float64"):
        world.put(np.array([1.0, 2.0]))


def test_recorded_actions_are_checked_for_shape_type_order_and_range():
    world = sandlot.make("landing")
    good = np.zeros((3, *world.actions.shape), np.float32)
    world._check_recorded(good)
    bad = good.copy()
    bad[2, 0, 1] = 1.5
    name = world.spec.action_names[1]
    with pytest.raises(ActionError, match=rf"Recorded step 2, row 0: {name} = 1.5; expected a number in -1"):
        world._check_recorded(bad)
    for wrong in (good[:, :, :1], good.astype(np.float64), good[::2], good.tolist()):
        with pytest.raises(ArrayError, match="recorded actions must be"):
            world._check_recorded(wrong)


@pytest.mark.parametrize("bad", [0, -1, 4, 1.0, True, "2", None])
def test_a_count_is_a_whole_number_in_its_range(bad):
    with pytest.raises(ConfigError, match=r"worlds = .*: expected a whole number from 1 to 3\."):
        check_count("worlds", bad, 3)


def test_a_count_at_its_ends_is_taken_and_becomes_an_int():
    assert [check_count("worlds", n, 3) for n in (1, np.int64(3))] == [1, 3]
    assert type(check_count("worlds", np.int64(3), 3)) is int
    assert (MAX_WORLDS, MAX_THREADS) == (262_144, 256)


def test_memory_that_is_given_must_fit_and_be_writable():
    fixed = np.zeros(4, np.float32)
    fixed.flags.writeable = False
    for wrong, sentence in (
        (fixed, "rewards is read-only"),
        (np.zeros(8, np.float32)[::2], "rewards has gaps between its rows"),
        (np.zeros(4), "rewards is float64 (4,), expected float32 (4,)"),
        ([0.0] * 4, "rewards must be a numpy array, not list"),
    ):
        with pytest.raises(ArrayError) as problem:
            Still(given={"rewards": wrong})
        assert sentence in str(problem.value)
    assert Still(given={"terminated": np.ones(4, np.bool_)}).terminated.all(), "bool is as wide as uint8"


# ---------------------------------------------------------------- seeds and world numbers


def test_the_first_reset_plays_the_seed_of_the_batch_and_later_ones_its_children():
    world = Still(worlds=2, seed=7)
    roots = [world._roots_of(None, None, None).tolist() for _ in range(3)]
    seeds = [7, seeding.for_episode(7, 1), seeding.for_episode(7, 2)]
    assert roots == [seeding.for_worlds(seed, 2).tolist() for seed in seeds]


def test_a_reset_with_a_seed_counts_too_and_one_with_seeds_by_world_does_not():
    world = Still(worlds=2, seed=7)
    assert world._roots_of(5, None, None).tolist() == seeding.for_worlds(5, 2).tolist()
    world._roots_of(None, [1, 2], None)
    assert world._roots_of(None, None, None)[0] == seeding.for_episode(7, 1)


def test_seeds_go_to_the_worlds_they_are_given_for():
    world = Still(worlds=3)
    assert world._roots_of(None, [5, 6], [2, 0]).tolist() == [6, 0, 5]
    assert world._chosen([2, 0]).tolist() == [1, 0, 1] and world._chosen(None).tolist() == [1, 1, 1]
    for seed, seeds, worlds, error in (
        (1, [1], None, ConfigError),
        (None, [1], None, ArrayError),
        (None, [1, 2], [1, 1], ArrayError),
        (None, [1], [3], ArrayError),
        (None, [1], [-1], ArrayError),
        (None, [1], [0.5], ArrayError),
        (None, [1], [[0]], ArrayError),
    ):
        with pytest.raises(error):
            world._roots_of(seed, seeds, worlds)


# ---------------------------------------------------------------- what a batch without an engine answers


def test_a_batch_that_cannot_be_saved_says_so_and_shows_empty_blocks():
    world = Still()
    for use in (lambda: world.snapshot(0), lambda: world.restore(0, b"")):
        with pytest.raises(SnapshotError, match="uneven cannot be saved or restored"):
            use()
    assert (world.block("info").tolist(), world.block("render").tolist()) == ([0.0, 0.0], [])
    assert world.info()["left"].tolist() == [0.0, 0.0] and world.render() == {} and world.events() == []
    assert list(world) == [0, 1]


@pytest.mark.parametrize("world", [2, -1, True, 0.0, "0", None])
def test_a_world_number_that_is_none_is_refused(world):
    with pytest.raises(ArrayError, match=r"is not in this batch; expected 0\.\.1\."):
        Still()._world(world)


# ---------------------------------------------------------------- the log of episodes


@pytest.fixture
def log():
    return EpisodeLog(Spec(Document.parse(GAME), GAME), 2)


def begin(log):
    log.begin(np.array([0, 1]), np.array([5, 9], np.uint64))


def end(log, world=0, step=3, autoreset=True):
    log.end(world, step, True, False, np.array([1, 2, 3], np.float32), autoreset)


def test_an_episode_is_logged_with_its_seed_length_and_sums_and_fetched_once(log):
    begin(log)
    log.count(np.array([1, 0]))
    log.count(None)
    assert (log.length(0), log.length(1)) == (2, 2)
    end(log)
    log.count(np.array([1, 1]))
    end(log, world=0, step=4)
    first, second = log.fetch()
    assert first["return"].tolist() == [1, 2] and first["points"] == 3.0
    heads = ("seed", "step", "world", "episode", "length", "invalid", "terminated", "truncated")
    assert [first[name] for name in heads] == [5, 3, 0, 0, 2, 1, True, False]
    assert [second[name] for name in heads] == [seeding.for_episode(5, 1), 4, 0, 1, 1, 1, True, False]
    assert len(log.fetch()) == 0 and log.length(1) == 3


def test_the_sums_of_an_episode_do_not_change_with_the_array_they_came_in(log):
    begin(log)
    sums = np.array([1, 2, 3], np.float32)
    log.end(0, 1, False, True, sums, True)
    sums[:] = 0
    assert log.fetch()[0]["points"] == 3.0


def test_a_world_must_be_reset_before_its_first_step_and_after_its_end_where_it_stays(log):
    with pytest.raises(NotReset, match="World 0 was never reset"):
        log.check_ready()
    log.begin(np.array([0]), np.array([5], np.uint64))
    with pytest.raises(NotReset, match="World 1 was never reset"):
        log.check_ready()
    assert log.started(np.array([0])) and not log.started(np.array([0, 1]))
    begin(log)
    log.check_ready()
    end(log, world=1, autoreset=False)
    with pytest.raises(NotReset, match="World 1 has ended"):
        log.check_ready()
    begin(log)
    log.check_ready()
    end(log, world=1, autoreset=True)
    log.check_ready()


def test_the_next_episodes_seed_follows_from_the_worlds_own(log):
    begin(log)
    assert log.next_seed(1) == seeding.for_episode(9, 1)
    end(log, world=1)
    assert log.next_seed(1) == seeding.for_episode(9, 2) and log.next_seed(0) == seeding.for_episode(5, 1)
    begin(log)
    assert log.next_seed(1) == seeding.for_episode(9, 1), "a reset begins anew"
    assert log.length(0) == 0


def test_of_episodes_that_nobody_fetches_the_oldest_go_and_are_counted(log, monkeypatch):
    assert EpisodeLog.MOST_FINISHED == 65_536
    monkeypatch.setattr(arrays.EpisodeLog, "MOST_FINISHED", 2)
    begin(log)
    for step in range(3):
        end(log, step=step)
    assert log.dropped == 1 and log.fetch().column("step").tolist() == [1, 2]
