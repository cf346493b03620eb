"""Bad input to the vector world: a typed error in a whole sentence, nothing moved, crashed or clamped."""

import subprocess
import sys

import numpy as np
import pytest
from playing import GAMES, hashes

import sandlot
from sandlot.errors import (
    ActionError,
    ArrayError,
    Closed,
    ConfigError,
    NotReset,
    OutOfMemory,
    SandlotError,
    SeedError,
    SnapshotError,
    UnknownName,
)


def refuses(error, sentence, use, *arguments, **options):
    """The call raises this error, with these words in it."""
    with pytest.raises(error) as caught:
        use(*arguments, **options)
    result = str(caught.value)
    assert sentence in result, result
    assert isinstance(caught.value, SandlotError)
    return result


# ------------------------------------------------------------ names and settings


@pytest.mark.parametrize(
    ("game", "config", "error", "sentence"),
    [
        ("tagg", {}, UnknownName, "There is no game called 'tagg'. Did you mean 'tag'?"),
        ("chess", {}, UnknownName, f"There is no game called 'chess'. There are: {', '.join(GAMES)}."),
        (7, {}, UnknownName, "There is no game called 7."),
        (["tag"], {}, UnknownName, "There is no game called ['tag']."),
        ("", {}, UnknownName, "There is no game called ''."),
        (
            "tag",
            {"hidder": 2},
            UnknownName,
            "There is no setting of tag called 'hidder'. Did you mean 'hiders'?",
        ),
        ("prospector", {"time_maks": 2}, UnknownName, "Did you mean 'time_max'?"),
        (
            "prospector",
            {"profile": "clasic"},
            UnknownName,
            "no profile of prospector called 'clasic'. Did you mean 'classic'?",
        ),
        (
            "tag",
            {"mode": "timd"},
            UnknownName,
            "There is no choice for mode called 'timd'. Did you mean 'timed'?",
        ),
        ("tag", {"mode": ["timed"]}, UnknownName, "There is no choice for mode called ['timed']."),
        ("tag", {5: 2}, UnknownName, "There is no setting of tag called 5."),
        ("tag", {"hiders": 0}, ConfigError, "hiders = 0: expected a whole number from 1 to 7 ("),
        ("tag", {"hiders": 1.5}, ConfigError, "hiders = 1.5: expected a whole number from 1 to 7 ("),
        ("tag", {"hiders": True}, ConfigError, "hiders = True: expected a whole number"),
        ("tag", {"hiders": "two"}, ConfigError, "hiders = 'two': expected a whole number"),
        ("tag", {"hiders": None}, ConfigError, "hiders = None: expected a whole number"),
        ("tag", {"hiders": np.array([1, 2])}, ConfigError, "expected a whole number"),
        (
            "tag",
            {"time_limit": float("nan")},
            ConfigError,
            "time_limit = nan: expected a number from 1 to 120 s (",
        ),
        ("tag", {"time_limit": float("inf")}, ConfigError, "time_limit = inf: expected a number"),
        (
            "tag",
            {"time_limit": -1},
            ConfigError,
            "time_limit = -1: expected a number from 1 to 120 s (length",
        ),
        ("tag", {"privileged": "yes"}, ConfigError, "privileged = 'yes': expected true or false ("),
        ("tag", {"seekers": 5, "hiders": 5}, ConfigError, "seekers and hiders together may be at most 8"),
        ("tag", {"arena_half": 4, "hiders": 7}, ConfigError, "so many agents do not fit that far apart"),
        ("prospector", {"time_max": 0}, ConfigError, "time_max = 0: expected a whole number from 1"),
        ("tag", "mode=timed", ConfigError, "A configuration is a mapping of names to values, not str."),
        ("tag", ["mode"], ConfigError, "A configuration is a mapping of names to values, not list."),
    ],
)
def test_a_setting_that_cannot_be_is_refused(game, config, error, sentence):
    refuses(error, sentence, sandlot.make, game, config=config)


@pytest.mark.parametrize("worlds", [0, -1, 262_145, 10**6, 2**40, 1.0, "4", None, True])
def test_a_count_of_worlds_that_cannot_be_is_refused(game, worlds):
    refuses(
        ConfigError,
        f"worlds = {worlds!r}: expected a whole number from 1 to 262144.",
        sandlot.make,
        game,
        worlds,
    )


@pytest.mark.parametrize("threads", [0, -1, 257, 2.0, None])
def test_a_count_of_threads_that_cannot_be_is_refused(game, threads):
    refuses(ConfigError, "expected a whole number from 1 to 256.", sandlot.make, game, 1, threads)


def test_an_engine_that_is_not_here_is_refused(game):
    refuses(UnknownName, "Did you mean 'native'?", sandlot.make, game, engine="nativ")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is no such limit")
def test_more_worlds_than_memory_is_an_error_not_a_crash(game):
    program = (
        "import resource, sandlot\n"
        "size = 4096 * int(open('/proc/self/statm').read().split()[0]) + (100 << 20)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (size, size))\n"
        f"try: sandlot.make({game!r}, 262_144)\n"
        "except sandlot.errors.OutOfMemory as problem: print(problem)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0 and "memory for" in done.stdout, done.stderr
    assert issubclass(OutOfMemory, MemoryError)


# ------------------------------------------------------------ seeds


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "1", True, float("nan"), [1]])
def test_a_seed_that_is_none_is_refused(make, seed):
    result = "A seed is a whole number from 0 to 2**64 - 1, not"
    refuses(SeedError, result, make, seed=seed)
    world = make(2)
    refuses(SeedError, result, world.reset, seed=seed)
    refuses(SeedError, result, world.reset, seeds=[0, seed])


def test_the_largest_seeds_are_good_ones(make):
    world = make(2)
    world.reset(seed=2**64 - 1)
    world.reset(seeds=np.array([0, 2**64 - 1], np.uint64))


def test_seeds_and_worlds_must_fit_together(make):
    world = make(3)
    refuses(ArrayError, "2 seeds for 3 worlds", world.reset, seeds=[1, 2])
    refuses(ArrayError, "2 seeds for 1 worlds", world.reset, seeds=[1, 2], worlds=[0])
    refuses(ConfigError, "one seed or one seed per world", world.reset, seed=1, seeds=[1, 2, 3])


@pytest.mark.parametrize("worlds", [[3], [-1], [0.0], ["0"], [[0]], [True, False, False], [1, 1]])
def test_worlds_that_are_not_there_are_refused(make, worlds):
    refuses(ArrayError, "worlds", make(3).reset, worlds=worlds)


# ------------------------------------------------------------ arrays


def spoiled(array):
    """An array in every shape and kind that the engine cannot use."""
    wide = np.zeros((len(array), 2, *array.shape[1:]), array.dtype)
    shifted = np.frombuffer(bytearray(array.nbytes + 1), np.uint8)[1:].view(np.uint8)
    locked = np.zeros_like(array)
    locked.flags.writeable = False
    return {
        "too short": np.zeros_like(array)[:-1],
        "too long": np.zeros((len(array) + 1, *array.shape[1:]), array.dtype),
        "another dimension": np.zeros_like(array)[None],
        "another dtype": np.zeros(array.shape, np.float64),
        "bytes swapped": np.zeros(array.shape, array.dtype.newbyteorder()) if array.itemsize > 1 else locked,
        "with gaps": wide[:, 0],
        "backwards": np.zeros_like(array)[::-1],
        "misaligned": shifted.view(array.dtype).reshape(array.shape) if array.itemsize > 1 else locked,
        "read-only": locked,
        "a list": array.tolist(),
        "nothing": None,
    }


@pytest.mark.parametrize(
    "name", ["observations", "final_observations", "actions", "rewards", "terminated", "ticks"]
)
def test_buffers_of_the_wrong_kind_are_refused_by_name(make, name):
    for wrong, array in spoiled(np.asarray(getattr(make(3), name)).copy()).items():
        result = refuses(ArrayError, name, make, 3, buffers={name: array})
        assert result.endswith("."), wrong


def test_a_buffer_that_nobody_knows_is_refused(make):
    refuses(UnknownName, "Did you mean 'rewards'?", make, buffers={"reward": np.zeros(1, np.float32)})


def test_buffers_that_overlap_are_refused(make):
    flags = np.zeros(make(3).rows, bool)
    refuses(ArrayError, "overlap", make, 3, buffers={"terminated": flags, "truncated": flags})


# ------------------------------------------------------------ actions


def test_actions_of_the_wrong_shape_or_kind_are_refused_and_nothing_moves(make):
    world = make(2)
    world.reset(seed=1)
    before = hashes(world)
    good = world.actions.copy()
    for wrong in (
        good[:-1],
        good[None],
        0,
        "hold",
        good.astype(complex),
        good.astype(bool),
        good.astype(object),
    ):
        refuses(ArrayError, "actions", world.step, wrong)
    assert hashes(world) == before


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1.0000001, -1.5, 3.4e38])
def test_a_continuous_action_out_of_range_is_refused_by_row_and_name(value):
    world = sandlot.make("tag", 3)
    world.reset(seed=1)
    before = hashes(world)
    world.actions[4, 1] = value
    refuses(ActionError, "Row 4 asks for move_z =", world.step)
    assert hashes(world) == before and not world.rewards.any()
    world.actions[:] = 1.0
    world.actions[0] = -1.0
    world.step()


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int8, np.uint8, np.int64])
def test_continuous_actions_of_any_number_type_are_taken(dtype):
    left, right = sandlot.make("tag"), sandlot.make("tag")
    left.reset(seed=1), right.reset(seed=1)
    left.step(np.ones((2, 3), dtype)), right.step(np.ones((2, 3), np.float32))
    assert hashes(left) == hashes(right)


@pytest.mark.parametrize(
    "action", [-1, 69, 255, 256 + 6, 2**31 - 1, 2**32 + 6, 2**40, -(2**63), np.uint64(2**64 - 1)]
)
def test_an_id_outside_the_table_is_the_games_invalid_action(action):
    """Never an id that it would wrap around to: 256 + 6 and 2**32 + 6 are no hold."""
    world = sandlot.make("prospector", 2)
    world.reset(seed=1)
    world.step(np.array([action, 6]) if isinstance(action, int) else np.array([action, np.uint64(6)]))
    assert world.info(0)["invalid_action"] == 1 and world.info(0)["action"] == 6
    assert world.info(1)["invalid_action"] == 0


def test_ids_written_in_place_follow_the_same_rule():
    world = sandlot.make("prospector", 3)
    world.reset(seed=1)
    world.actions[:] = [-(2**31), 2**31 - 1, 69]
    world.step()
    assert [world.info(index)["invalid_action"] for index in world] == [1, 1, 1]


def test_recorded_actions_are_checked_before_the_first_is_played(make):
    world = make(2)
    world.reset(seed=1)
    before, tape = hashes(world), np.zeros((3, *world.actions.shape), world.actions.dtype)
    for wrong in (tape[0], tape[:, 1:], tape.astype(np.float64), tape[:, ::-1], tape.tolist()):
        refuses(ArrayError, "recorded actions must be", world.run, wrong)
    if not world.spec.discrete:
        tape[2, 1, 0] = np.nan
        name = world.spec.json["actions"][0]["name"]
        refuses(ActionError, f"Recorded step 2, row 1: {name} = nan", world.run, tape)
    assert hashes(world) == before


# ------------------------------------------------------------ life


def test_stepping_before_the_first_reset_says_so(make):
    world = make(2)
    refuses(NotReset, "World 0 was never reset; reset before stepping.", world.step)
    for look in (world.snapshot, world.hash, world.info, world.render, world.events):
        refuses(NotReset, "World 1 was never reset", look, 1)
    world.reset(seeds=[1], worlds=[0])
    refuses(NotReset, "World 1 was never reset", world.step)


def test_a_closed_world_says_so_whatever_is_asked(make):
    world = make(2)
    world.reset(seed=1)
    state = world.snapshot(0)
    world.close()
    world.close()
    uses = (
        *(world.step, world.reset, world.finished),
        *(
            lambda use=use: use(0)
            for use in (world.snapshot, world.hash, world.info, world.render, world.events)
        ),
        *(lambda: world.restore(0, state), lambda: world.fork(0, 1), lambda: world.finished_dropped),
    )
    for use in uses:
        refuses(Closed, "This world is closed. Make a new one with sandlot.make(...).", use)
    assert world.observations.any()  # the arrays stay


def test_a_with_block_closes(make):
    with make() as world:
        world.reset()
    refuses(Closed, "closed", world.step)


@pytest.mark.parametrize("index", [-1, 2, 2**40, 0.0, "0", None, True])
def test_a_world_that_is_not_in_the_batch_is_refused(make, index):
    world = make(2)
    world.reset(seed=1)
    for look in (world.snapshot, world.hash, world.info, world.render, world.events):
        refuses(ArrayError, "is not in this batch; expected 0..1.", look, index)


# ------------------------------------------------------------ snapshots


def test_a_snapshot_that_is_damaged_is_refused_and_nothing_moves(make):
    world = make(2)
    world.reset(seed=1)
    state, before = world.snapshot(0), hashes(world)
    for wrong in (b"", state[:-1], state + b"\0", state[8:], bytes(len(state))):
        refuses(SnapshotError, "snapshot", world.restore, 1, wrong)
    for wrong in (None, "text", 5, [1]):
        refuses(ArrayError, "A snapshot is bytes, not", world.restore, 1, wrong)
    assert hashes(world) == before


def test_any_flipped_bit_of_a_snapshot_is_noticed(make):
    world = make(2)
    world.reset(seed=1)
    state, before = world.snapshot(0), hashes(world)
    rng = np.random.default_rng(0)
    for place in [*range(24), *rng.integers(24, len(state), 60).tolist()]:
        damaged = bytearray(state)
        damaged[place] ^= 1 << int(rng.integers(8))
        refuses(SnapshotError, "snapshot", world.restore, 1, damaged)
    assert hashes(world) == before


def test_a_snapshot_of_another_game_or_other_settings_is_refused():
    tag, fast = (sandlot.make("tag", config=config) for config in ({}, {"top_speed": 9}))
    prospector, classic = (sandlot.make("prospector", config={"profile": p}) for p in ("balanced", "classic"))
    worlds = (tag, fast, prospector, classic)
    for world in worlds:
        world.reset(seed=1)
    for source in worlds:
        for target in worlds:
            if source is not target:
                refuses(SnapshotError, "snapshot", target.restore, 0, source.snapshot(0))


# ------------------------------------------------------------ names in what is read


def test_names_that_do_not_exist_are_reported_with_the_nearest(make):
    world = make(2)
    world.reset(seed=1)
    first = world.spec.observation[0].name
    refuses(UnknownName, f"Did you mean {first!r}?", world.spec.field, first + "s")
    refuses(UnknownName, "Did you mean 'ticks'?", world.finished().column, "tick")


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        (("tag", "chas"), UnknownName, "There is no bot of tag called 'chas'. Did you mean 'chase'?"),
        (("prospector", "chase"), UnknownName, "There is no bot of prospector called 'chase'."),
        (("tag", "chase", 0), ConfigError, "level = 0: chase has levels 1 to 3."),
        (("tag", "chase", 1.5), ConfigError, "level = 1.5: chase has levels 1 to 3."),
        (("tag", "chase", 1, None, -1), SeedError, "A seed is a whole number"),
    ],
)
def test_a_bot_that_does_not_exist_is_refused(arguments, error, sentence):
    refuses(error, sentence, sandlot.bot, *arguments)


def test_a_bot_refuses_what_it_cannot_read():
    chase, tour = sandlot.bot("tag", "chase"), sandlot.bot("prospector", "tour")
    refuses(ArrayError, "observations are (2, 155), expected [rows, 156]", chase.act, np.zeros((2, 155)))
    refuses(ArrayError, "observations are (156,)", chase.act, np.zeros(156))
    refuses(ArrayError, "tour needs masks of shape (2, 69)", tour.act, np.zeros((2, 260)))
    for state in (np.zeros((1, 16), np.float32), np.zeros((2, 16)), [0.0] * 32):
        refuses(ArrayError, "state must be float32 (2, 16)", chase.act, np.zeros((2, 156)), None, state)
