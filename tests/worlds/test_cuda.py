"""Worlds on a GPU: the same bits as on the CPU. Without a GPU its kernels run one by one, compiled as C++."""

import numpy as np
import pytest
import torch

import sandlot
from sandlot.errors import (
    ActionError,
    ArrayError,
    Closed,
    ConfigError,
    GpuMissing,
    NotReset,
    OutOfMemory,
    SnapshotError,
)  # fmt: skip
from sandlot.evaluate.speed import random_actions
from sandlot.worlds import cuda, cuda_build, cuda_kernels, games

WORLDS, STEPS = 6, 160
# Settings under which episodes end within STEPS; prospector's do so by random play.
LIMIT = {"time_limit": 5.0}
SHORT = {"tag": LIMIT, "navigation": LIMIT, "landing": LIMIT, "prospector": {"time_max": 100.0}}
OUTPUTS = ("observations", "rewards", "terminated", "truncated", "ticks", "invalid", "masks")

card = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU, and there is none here")
DEVICES = ["cpu", pytest.param("cuda", marks=[card, pytest.mark.gpu])]


@pytest.fixture(autouse=True)
def emulated(monkeypatch):
    monkeypatch.setenv(cuda.EMULATE, "1")


def both(game, worlds=WORLDS, device="cpu", **options):
    """The same worlds on the CPU and on a device, reset."""
    options = {"worlds": worlds, "seed": 5, "config": SHORT[game], **options}
    pair = sandlot.make(game, **options), sandlot.make(game, engine="cuda", device=device, **options)
    for world in pair:
        world.reset()
    return pair


def assert_same(one, other, step=0):
    for name in OUTPUTS:
        expected, found = getattr(one, name), getattr(other, name)
        assert (expected is None) == (found is None), name
        if expected is not None:
            assert np.array_equal(expected, found.cpu().numpy()), f"step {step}: {name}"


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("game", games())
def test_state_and_every_output_are_those_of_the_cpu(game, device):
    one, other = both(game, device=device)
    assert_same(one, other)
    for step, actions in enumerate(random_actions(one, STEPS), 1):
        if one.spec.discrete:
            actions[::5] = 1_000_000  # no action of the game's
        ended = one.step(actions)
        assert other.step(actions) == ended
        assert_same(one, other, step)
        if ended:
            rows = one.terminated | one.truncated
            assert np.array_equal(one.final_observations[rows], other.final_observations.cpu().numpy()[rows])
    assert [one.snapshot(i) for i in range(WORLDS)] == [other.snapshot(i) for i in range(WORLDS)]
    assert one.hash(3) == other.hash(3)
    expected, found = one.finished(), other.finished()
    assert len(expected)
    assert np.array_equal(expected.heads, found.heads) and np.array_equal(expected.values, found.values)
    assert len(other.finished()) == 0


@pytest.mark.parametrize("game", games())
def test_bots_play_on_the_device_as_on_the_cpu(game):
    one, other = both(game, worlds=3)
    players = list(one.spec.bots)
    bots = [sandlot.bot(game, name, 1, SHORT[game]) for name in players]
    rows = np.array([i % one.rows for i in range(len(players))])
    memory = [bot.start(1, seed=40 + i) for i, bot in enumerate(bots)]
    device_memory = torch.from_numpy(np.concatenate(memory))
    given = torch.from_numpy(rows), torch.arange(len(players), dtype=torch.int32)
    for _ in range(40):
        for i, (row, bot) in enumerate(zip(rows, bots, strict=True)):
            other.actions.zero_()
            only = given[1].clone()
            only[:i], only[i + 1 :] = -1, -1
            masks = None if one.masks is None else one.masks[row : row + 1]
            actions, memory[i] = bot.act(one.observations[row : row + 1], masks, memory[i])
            other.play_bots(given[0], only, torch.ones(len(players), dtype=torch.int32), device_memory)
            assert np.array_equal(actions[0], other.actions[int(row)].numpy()), bot
        step = random_actions(one, 1)[0]
        assert one.step(step) == other.step(step)
        for i, row in enumerate(rows):
            bots[i].restart(memory[i], (one.terminated | one.truncated)[row : row + 1])


def test_a_snapshot_moves_between_cpu_and_gpu_and_plays_on_alike():
    one, other = both("prospector")
    for actions in random_actions(one, 30):
        one.step(actions)
    other.restore(4, one.snapshot(1))
    one.restore(4, other.snapshot(4))
    assert other.snapshot(4) == one.snapshot(1) == one.snapshot(4)
    assert np.array_equal(one.masks[1], other.masks[4].numpy())
    assert other.info(4) == one.info(1) and other.events(4) == one.events(1)
    for actions in random_actions(one, 5):
        one.step(actions)
        other.step(actions)
        assert one.hash(4) == other.hash(4)


def test_a_snapshot_of_other_rules_is_refused():
    _, other = both("landing")
    with sandlot.make("tag", worlds=1) as foreign:
        foreign.reset()
        with pytest.raises(SnapshotError):
            other.restore(0, foreign.snapshot(0))


def test_the_next_episode_is_the_one_that_would_have_followed():
    one, other = both("tag")
    for world in (one, other):
        world.next_episode([2, 3])
        world.reset(seeds=[9], worlds=[0])
    assert_same(one, other)
    assert [one.snapshot(i) for i in range(WORLDS)] == [other.snapshot(i) for i in range(WORLDS)]


def test_without_autoreset_an_ended_world_waits_for_its_reset():
    one, other = both("tag", autoreset=False)
    with pytest.raises(NotReset, match=r"has ended") as refused:
        for actions in random_actions(one, STEPS):
            one.step(actions)
    with pytest.raises(NotReset) as also:
        for actions in random_actions(one, STEPS):
            other.step(actions)
    assert str(also.value) == str(refused.value) and other.steps == one.steps


def test_a_world_that_was_never_reset_is_refused():
    world = sandlot.make("landing", worlds=2, engine="cuda", device="cpu")
    for call in (world.step, lambda: world.snapshot(1), world.next_episode):
        with pytest.raises(NotReset):
            call()


def test_actions_are_checked_as_on_the_cpu():
    _, other = both("tag")
    width = other.actions.shape[1]
    for bad in (torch.full((other.rows, width), 1.5), torch.full((other.rows, width), float("nan"))):
        with pytest.raises(ActionError):
            other.step(bad)
    for bad in (torch.zeros(other.rows, dtype=torch.int32), torch.zeros(3, width), np.zeros((3, width))):
        with pytest.raises(ArrayError):
            other.step(bad)
    assert other.steps == 0


def test_a_closed_world_says_so_and_its_arrays_stay_readable():
    _, other = both("landing")
    other.close()
    other.close()
    assert float(other.observations.abs().sum()) > 0
    with pytest.raises(Closed):
        other.step()


def test_arrays_go_to_other_libraries_without_a_copy():
    _, other = both("landing")
    shared = torch.from_dlpack(other.observations)
    assert shared.data_ptr() == other.observations.data_ptr() == other.shared("observations").data_ptr()


# ---------------------------------------------------------------- what is missing, in a sentence


def test_the_cpu_is_no_device_unless_it_is_asked_to_stand_in(monkeypatch):
    monkeypatch.delenv(cuda.EMULATE)
    with pytest.raises(ConfigError, match="engine = native"):
        sandlot.make("tag", engine="cuda", device="cpu")


@pytest.mark.parametrize("device", ["tpu", "meta", "cuda0"])
def test_another_kind_of_device_is_refused(device):
    with pytest.raises(ConfigError, match="cuda:N"):
        sandlot.make("tag", engine="cuda", device=device)


def test_a_build_of_pytorch_without_cuda_is_named(monkeypatch):
    monkeypatch.setattr(torch.version, "cuda", None)
    with pytest.raises(GpuMissing, match=r"without CUDA.*engine = native"):
        cuda.gpu_device("cuda")


def test_a_driver_that_is_missing_or_too_old_is_named_as_pytorch_names_it(monkeypatch):
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)

    def refuse():
        raise RuntimeError("The NVIDIA driver on your system is too old (found version 11040). Please update")

    monkeypatch.setattr(torch.cuda, "init", refuse)
    with pytest.raises(GpuMissing, match=r"too old \(found version 11040\)\. Use engine = native"):
        cuda.gpu_device("cuda")


def test_too_many_worlds_are_refused_with_how_many_fit(monkeypatch):
    _, world = both("prospector")
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (2**30, 2**31))
    monkeypatch.setattr(
        cuda.CudaWorld, "_make_tensors", lambda self: (_ for _ in ()).throw(torch.OutOfMemoryError())
    )
    with pytest.raises(OutOfMemory, match=r"about (\d+) worlds fit") as refused:
        world._allocate()
    fit = int(str(refused.value).split("about ")[1].split()[0])
    assert 0.9 * 2**30 < fit * world.bytes_per_world() < 2**30


def test_no_compiler_is_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(cuda_build.shutil, "which", lambda *_, **__: None)
    monkeypatch.setattr(cuda_build, "find_nvrtc", lambda: None)
    with pytest.raises(GpuMissing, match=r"sandlot\[cuda\]"):
        cuda_build.find_compiler()
    with pytest.raises(GpuMissing, match=r"C\+\+ compiler"):
        cuda_build.host_library("tag")


def test_what_the_compiler_says_is_passed_on():
    with pytest.raises(GpuMissing, match=r"Compiling tag failed: .*error: no such thing"):
        cuda_build.run(["sh", "-c", "echo x.cu:1: error: no such thing >&2; exit 1"], "Compiling tag")


def test_the_drivers_error_is_passed_on(monkeypatch):
    class Driver:
        @staticmethod
        def cuGetErrorString(result, text):  # noqa: N802  its name
            text._obj.value = b"no kernel image is available"

    monkeypatch.setattr(cuda_kernels, "driver", Driver)
    with pytest.raises(GpuMissing, match=r"Loading: .*no kernel image is available.*209"):
        cuda_kernels.check(209, "Loading")


# ---------------------------------------------------------------- the cache


class Compiler:
    """Counts what it compiles."""

    def __init__(self, version="one 1.0"):
        self.version, self.compiled = version, []

    def compile(self, game, arch):
        self.compiled.append((game, arch))
        return f"{game} {arch}".encode()


@pytest.fixture
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "sandlot" / "kernels"


def test_kernels_are_compiled_once_per_game_card_and_compiler(cache):
    compiler = Compiler()
    for _ in range(2):
        for game, arch in (("tag", "sm_90"), ("tag", "sm_80"), ("landing", "sm_90")):
            assert cuda_build.kernels(game, arch, compiler) == f"{game} {arch}".encode()
    assert compiler.compiled == [("tag", "sm_90"), ("tag", "sm_80"), ("landing", "sm_90")]
    newer = Compiler("one 2.0")
    cuda_build.kernels("tag", "sm_90", newer)
    assert newer.compiled == [("tag", "sm_90")]
    assert len(list(cache.iterdir())) == 4


def test_a_damaged_file_of_the_cache_is_made_anew_on_request(cache):
    compiler = Compiler()
    cuda_build.kernels("tag", "sm_90", compiler)
    (path,) = cache.iterdir()
    path.write_bytes(b"cut o")
    assert cuda_build.kernels("tag", "sm_90", compiler, fresh=True) == b"tag sm_90" == path.read_bytes()


def test_a_change_of_source_or_flags_gives_another_name(monkeypatch, tmp_path):
    before = cuda_build.cache_key("tag", "sm_90", "one")
    assert (
        cuda_build.cache_key("tag", "sm_90", "one")
        == before
        != cuda_build.cache_key("landing", "sm_90", "one")
    )
    monkeypatch.setattr(cuda_build, "FLAGS", (*cuda_build.FLAGS, "-O1"))
    flagged = cuda_build.cache_key("tag", "sm_90", "one")
    for path in cuda_build.sources("tag"):
        copy = tmp_path / path.relative_to(cuda_build.CHECKOUT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    monkeypatch.setattr(cuda_build, "CHECKOUT", tmp_path)
    assert cuda_build.cache_key("tag", "sm_90", "one") == flagged != before
    (tmp_path / "tag" / "tag.c").write_bytes(b"// other rules")
    assert cuda_build.cache_key("tag", "sm_90", "one") != flagged


def test_a_cache_that_cannot_be_written_costs_only_the_next_start(monkeypatch, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert cuda_build.kernels("tag", "sm_90", Compiler()) == b"tag sm_90"
    assert "could not be kept" in capsys.readouterr().err
