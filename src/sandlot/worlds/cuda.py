"""A batch of native worlds on a GPU, over PyTorch's tensors: the engine's headers compiled as CUDA.

The same bits as NativeWorld, and snapshots that fit both. `step()` looks at the device once, to say how many
episodes ended; `advance()` does not, so many of them can wait on the stream, or be a CUDA graph. Arrays are
tensors of the device, without copies (`torch.utils.dlpack` hands them to other libraries).

device: cuda, or cuda:1 for the second GPU. Where SANDLOT_EMULATE_GPU is set, cpu runs the kernels one by one:
slow, and made for tests where there is no GPU.
"""

import ctypes as c
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from ..errors import ActionError, ArrayError, ConfigError, GpuMissing, NotReset, OutOfMemory, UnknownName
from .arrays import OUTPUTS, ArrayWorld
from .cuda_kernels import SHAPE_FIELDS, DeviceBatch, Shape, load_kernels
from .library import check
from .native import NativeWorld, native_spec
from .world import HEAD, Capabilities, Episodes

DTYPES: dict[type, torch.dtype] = {np.float32: torch.float32, np.int32: torch.int32, np.uint8: torch.uint8}
LINE = 64  # bytes between worlds: whole cache lines
MOST_FINISHED = 65_536  # episodes kept for a caller who does not fetch; the oldest go first
# SlHead, and what stands before it in a snapshot
WORLD_HEAD = np.dtype(
    [("root", "<u8"), ("episode", "<i4"), ("state", "<i4"), ("length", "<i4"), ("invalid", "<i4")]
)
SEAL = 16
NEVER_RESET, LIVE = 0, 1
EMULATE = "SANDLOT_EMULATE_GPU"  # environment
STEPS, FINISHED, ENDED = range(3)  # of SlDeviceCounts


def gpu_device(name: str) -> torch.device:
    """The device of that name, or a sentence why worlds cannot be there."""
    try:
        device = torch.device(name)
    except RuntimeError:
        device = torch.device("meta")
    if device.type not in ("cuda", "cpu"):
        raise ConfigError(f"device = {name!r}: expected cuda, or cuda:N for one of several GPUs.")
    if device.type == "cpu":
        if os.environ.get(EMULATE):
            return device
        raise ConfigError(
            f"device = {name!r}: engine = cuda needs a GPU: add --device cuda (or cuda:1). The same games "
            "play on the CPU with engine = native."
        )
    if torch.version.cuda is None:
        raise GpuMissing(
            f"engine = cuda: PyTorch {torch.__version__} is built without CUDA. Install PyTorch's build "
            "for CUDA, or use engine = native."
        )
    if not torch.cuda.is_available():
        raise GpuMissing(f"engine = cuda: {_why_no_gpu()} Use engine = native on this machine.")
    count = torch.cuda.device_count()
    if (device.index or 0) >= count:
        raise ConfigError(
            f"device = {name!r}: this machine has {count} GPUs; expected cuda:0 to {count - 1}."
        )
    return torch.device("cuda", device.index or 0)


def _why_no_gpu() -> str:
    """PyTorch's own reason: no driver, one that is too old, no card."""
    try:
        torch.cuda.init()
    except RuntimeError as problem:
        return str(problem).split(". ")[0].strip().rstrip(".") + "."
    return "PyTorch sees no GPU."


class CudaWorld(ArrayWorld):
    """`worlds` worlds of one game on a GPU."""

    capabilities = Capabilities(tensors=True)
    _actions: Any  # and every other array: tensors of the device

    def __init__(
        self,
        game: str,
        worlds: int = 1,
        threads: int = 1,
        seed: int = 0,
        config: Mapping[str, Any] | None = None,
        autoreset: bool = True,
        device: str = "cuda",
    ):
        self._batch: DeviceBatch | None = None
        self._describe(native_spec(game, config), worlds, threads, seed, autoreset)
        self.device = gpu_device(device)
        self._one = NativeWorld(game, config=config)  # holds the rules, and shows single worlds
        self._one.reset(0)
        self._size = self._one._call("snapshot_size") - SEAL - WORLD_HEAD.itemsize  # bytes of a world
        self._kernels = load_kernels(game, self.device)
        if not self._kernels.has(f"sl_cuda_{game}_step"):
            raise GpuMissing(f"{game} has no kernels: add its line to engine/cuda/engine.cu.")
        self._allocate()
        self._all_live = False
        self._looked: tuple[np.ndarray, np.ndarray] | None = None
        self._dropped = 0
        self._states: torch.Tensor

    # ------------------------------------------------------------ memory

    def bytes_per_world(self) -> int:
        """What one world needs on the device."""
        arrays = sum(np.dtype(d).itemsize * int(np.prod(s)) for s, d in self.layout().values()) // self.worlds
        episode = HEAD.itemsize + 4 * self.spec.shape.episode
        return arrays + self._stride + WORLD_HEAD.itemsize + 1 + 2 * episode

    def _allocate(self) -> None:
        self._stride = -(-self._size // LINE) * LINE
        self._room = max(MOST_FINISHED, 2 * self.worlds)
        try:
            self._make_tensors()
        except torch.OutOfMemoryError:
            raise self._too_many() from None

    def _too_many(self) -> OutOfMemory:
        free, _ = torch.cuda.mem_get_info(self.device)
        need = self.bytes_per_world()
        fit = max(0, free - MOST_FINISHED * (HEAD.itemsize + 4 * self.spec.shape.episode)) // need
        return OutOfMemory(
            f"{self.worlds} worlds of {self.spec.game} need {self.worlds * need / 2**30:.1f} GB on "
            f"{self.device}, which has {free / 2**30:.1f} GB free: about {fit} worlds fit. Make fewer."
        )

    def _make_tensors(self) -> None:
        tensors = {
            name: torch.zeros(shape, dtype=DTYPES[dtype], device=self.device)
            for name, (shape, dtype) in self.layout().items()
        }
        self._tensors, self._actions = tensors, tensors["actions"]
        for name in OUTPUTS:
            tensor = tensors.get(name)
            flag = tensor is not None and tensor.dtype == torch.uint8 and name != "masks"
            setattr(self, name, tensor.view(torch.bool) if flag and tensor is not None else tensor)
        inside = {
            "rules": self._rules(),
            "worlds": self._bytes(self.worlds * self._stride),
            "heads": self._bytes(self.worlds * WORLD_HEAD.itemsize),
            "ended": self._bytes(self.worlds),
            "counts": torch.zeros(3, dtype=torch.int64, device=self.device),
            "finished_heads": self._bytes(self._room * HEAD.itemsize),
            "finished_values": torch.zeros(self._room, self.spec.shape.episode, device=self.device),
        }
        self._inside = inside
        shape = self.spec.shape
        sizes = {name: int(getattr(shape, name)) for name in SHAPE_FIELDS}
        self._batch = DeviceBatch(
            **{name: tensor.data_ptr() for name, tensor in (tensors | inside).items()},
            room=self._room,
            stride=self._stride,
            shape=Shape(**sizes),
            count=self.worlds,
            autoreset=int(self.autoreset),
        )

    def _bytes(self, count: int) -> torch.Tensor:
        return torch.zeros(count, dtype=torch.uint8, device=self.device)

    def _rules(self) -> torch.Tensor:
        """The rules as the CPU's engine made them from the settings."""
        library = self._one._library
        library.sl_rules.restype = c.c_int64
        library.sl_rules.argtypes = [c.c_void_p, c.c_void_p, c.c_int64]
        library.sl_seal.argtypes = [c.c_void_p, c.c_void_p, c.c_int64]
        size = check(library, library.sl_rules(self._one._handle, None, 0))
        rules = np.zeros(size, np.uint8)
        self._one._call("rules", rules.ctypes.data, size)
        return torch.from_numpy(rules).to(self.device)

    def shared(self, name: str) -> Any:
        """The tensor itself."""
        if name not in self._tensors:
            raise UnknownName("array", name, self._tensors)
        return self._tensors[name]

    # ------------------------------------------------------------ actions

    def put(self, values: Any, rows: Any = slice(None)) -> None:
        """Check actions and write them into their rows."""
        if not isinstance(values, torch.Tensor):
            target = self._actions[rows]
            self._actions[rows] = torch.from_numpy(self._checked(values, rows, target.shape)).to(self.device)
            return
        target = self._actions[rows]
        if values.shape != target.shape or values.is_floating_point() == self.spec.discrete:
            found = f"{values.dtype} {tuple(values.shape)}"
            expected = f"{target.dtype} {tuple(target.shape)}"
            raise ArrayError(f"actions are {found}, expected {expected}, a row per agent.")
        values = values.to(self.device)
        if self.spec.discrete:
            values = values.clamp(-1, self.spec.action_count)  # a narrower type would wrap around
        else:
            self._check_bounds(values)
        self._actions[rows] = values.to(target.dtype)

    def _check_bounds(self, values: torch.Tensor) -> None:
        if bool(((values >= -1) & (values <= 1)).all()):
            return
        self._check_range(values.cpu().numpy())  # names the entry, if it is out of its own bounds
        raise ActionError("An action is outside -1..1 or not a number. Clip it before step().")

    def act(self, rows: Any, actions: Any) -> None:
        """Write a policy's actions into its rows, unchecked: as wide as its role's action."""
        tensor: Any = torch.as_tensor(actions, device=self.device)
        super().act(rows, tensor)

    # ------------------------------------------------------------ reset and step

    def _launch(self, kernel: str, *arguments: Any, threads: int | None = None) -> None:
        self._open()
        self._looked = None
        count = self.worlds if threads is None else threads
        name = f"sl_cuda_{self.spec.game}_{kernel}"
        self._kernels.launch(name, count, self._batch, *arguments)

    @staticmethod
    def _address(tensor: torch.Tensor) -> c.c_void_p:
        return c.c_void_p(tensor.data_ptr())

    def _which(self, worlds: Any) -> torch.Tensor:
        return torch.from_numpy(self._chosen(worlds)).to(self.device)

    def reset(self, seed: int | None = None, seeds: Any = None, worlds: Any = None) -> Any:
        """Begin new episodes and return the observations; arguments as of NativeWorld."""
        self._open()
        roots = self._roots_of(seed, seeds, worlds).view(np.int64)
        held = torch.from_numpy(roots).to(self.device), self._which(worlds)
        self._launch("reset", *map(self._address, held))
        self._synchronize()  # until then nobody else may have the memory of `held`
        return self.observations

    def next_episode(self, worlds: Any = None) -> Any:
        """Leave the present episode for the one that would have followed it; returns the observations."""
        chosen = self._chosen(worlds).astype(bool)
        never = chosen & (self._heads()["state"] == NEVER_RESET)
        if never.any():
            world = int(np.argmax(never))
            raise NotReset(f"World {world} was never reset; it has no next episode.")
        which = self._which(worlds)
        self._launch("next", self._address(which), c.c_int(1))
        self._synchronize()
        return self.observations

    def step(self, actions: Any = None) -> int:
        """Step every world once; returns how many episodes ended. Nothing moves if an action is refused."""
        self._open()
        if actions is not None:
            self.put(actions)
        elif not self.spec.discrete:
            self._check_bounds(self._actions)
        self.advance()
        return int(self._inside["counts"][ENDED])

    def advance(self) -> None:
        """Step every world once without waiting for it: actions are not checked, nothing is said."""
        self.check_ready()
        self.queue_step()
        self.advanced(1)

    def queue_step(self) -> None:
        """The kernels of a step alone, as a CUDA graph captures them."""
        counts = self._address(self._inside["counts"])
        self._kernels.launch("sl_cuda_count", 1, counts)
        self._launch("step")
        if self.autoreset:
            self._launch("next", self._address(self._inside["ended"]), c.c_int(0))

    def advanced(self, steps: int) -> None:
        """So many steps were queued, here or by replaying a graph."""
        self.steps += steps
        self._looked = None

    def check_ready(self) -> None:
        """NotReset where a world cannot be stepped."""
        if self._all_live:
            return
        waiting = self._heads()["state"] != LIVE
        if waiting.any():
            world = int(np.argmax(waiting))
            never = self._heads()["state"][world] == NEVER_RESET
            raise NotReset(
                f"World {world} was never reset; reset before stepping."
                if never
                else f"World {world} has ended; reset it before stepping on."
            )
        self._all_live = self.autoreset

    def run(self, actions: Any) -> int:
        """Play recorded actions, [steps, *actions.shape]; returns how many episodes ended."""
        self._open()
        if isinstance(actions, np.ndarray):
            if actions.shape[1:] != tuple(self._actions.shape):
                raise ArrayError(f"recorded actions must be an array [steps, *{tuple(self._actions.shape)}].")
            actions = torch.from_numpy(actions).to(self.device)
        before = int(self._inside["counts"][FINISHED])
        for row in actions:
            self._actions.copy_(row)
            self.advance()
        return int(self._inside["counts"][FINISHED]) - before

    def play_bots(
        self, rows: torch.Tensor, bots: torch.Tensor, levels: torch.Tensor, memory: torch.Tensor
    ) -> None:
        """Write bots' actions into these rows, int64.

        bots: of each row an index into `spec.bots`, -1 for none, and its level, int32. memory: as `Bot.start`
        makes it, on the device; it begins anew on rows whose episode ended in the last step.
        """
        given = self._address(bots), self._address(levels), self._address(memory)
        self._launch("bots", self._address(rows), c.c_int(len(rows)), *given, threads=len(rows))

    def finished(self) -> Episodes:
        """The episodes that ended since the last call, with their sums, oldest first."""
        self._open()
        count = int(self._inside["counts"][FINISHED])
        kept = min(count, self._room)
        self._dropped += count - kept
        heads = self._inside["finished_heads"][: kept * HEAD.itemsize].cpu().numpy().view(HEAD)
        values = self._inside["finished_values"][:kept].cpu().numpy()
        self._inside["counts"][FINISHED] = 0
        order = np.lexsort((heads["world"], heads["step"]))
        return Episodes(self.spec.episode, heads[order], values[order])

    @property
    def finished_dropped(self) -> int:
        """Episodes that were thrown away because nobody fetched them."""
        return self._dropped

    # ------------------------------------------------------------ one world

    def _look(self) -> tuple[np.ndarray, np.ndarray]:
        """Heads and states of all worlds, copied once after each step."""
        if self._looked is None:
            heads = self._inside["heads"].cpu().numpy().view(WORLD_HEAD)
            states = self._inside["worlds"].cpu().numpy().reshape(self.worlds, self._stride)
            self._looked = heads, states
        return self._looked

    def _heads(self) -> np.ndarray:
        if self._looked is not None:
            return self._looked[0]
        return self._inside["heads"].cpu().numpy().view(WORLD_HEAD)

    def snapshot(self, world: int) -> bytes:
        """All of one world as bytes, as NativeWorld makes them; `restore` into any world of either kind."""
        self._open()
        world = self._world(world)
        heads, states = self._look()
        if heads["state"][world] == NEVER_RESET:
            raise NotReset(f"World {world} was never reset; reset before looking into it.")
        state = bytearray(SEAL) + heads[world].tobytes() + states[world, : self._size].tobytes()
        sealed = c.create_string_buffer(bytes(state), len(state))
        self._one._call("seal", sealed, len(state))
        return sealed.raw

    def restore(self, world: int, state: bytes) -> None:
        """Put a snapshot in the place of a world; its observation and mask are written anew."""
        self._open()
        world = self._world(world)
        self._one.restore(0, state)  # refuses what does not fit
        parts = np.frombuffer(bytes(state), np.uint8)[SEAL:].copy()
        size = WORLD_HEAD.itemsize
        head, rest = torch.from_numpy(parts[:size]), torch.from_numpy(parts[size:])
        self._inside["heads"][world * size : (world + 1) * size] = head.to(self.device)
        first = world * self._stride
        self._inside["worlds"][first : first + self._size] = rest.to(self.device)
        self._all_live = False
        which = self._which([world])
        self._launch("observe", self._address(which))
        self._synchronize()

    def fork(self, source: int, target: int) -> None:
        """Copy one world over another."""
        self.restore(target, self.snapshot(source))

    def _shown(self, world: int) -> NativeWorld:
        """A world of the CPU in the same state."""
        self._one.restore(0, self.snapshot(world))
        return self._one

    def hash(self, world: int) -> int:
        """A 64-bit fingerprint of one world's state: equal states, equal numbers, on every machine."""
        return self._shown(world).hash(0)

    def block(self, name: str, world: int = 0) -> np.ndarray:
        """`info` or `render` as it is, float32."""
        return self._shown(world).block(name)

    def events(self, world: int = 0) -> list[dict[str, Any]]:
        """What happened in one world's last step."""
        return self._shown(world).events()

    # ------------------------------------------------------------ life

    def _synchronize(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.current_stream(self.device).synchronize()

    def _open(self) -> None:
        if self._batch is None:
            self._closed()

    def close(self) -> None:
        """Give the memory of the worlds back. The arrays stay readable."""
        if getattr(self, "_batch", None) is not None:
            self._synchronize()
            self._batch = None
            self._inside.clear()
            self._one.close()

    def __repr__(self) -> str:
        state = "closed" if self._batch is None else f"{self.worlds} worlds on {self.device}"
        return f"CudaWorld({self.spec.game}, {state})"
