"""A game's kernels, ready to launch on PyTorch's tensors: by a GPU's driver, or on the CPU one by one."""

import ctypes as c
import functools
from typing import Any, Protocol

import torch

from ..errors import GpuMissing, OutOfMemory
from . import cuda_build

BLOCK = 64  # threads: worlds differ in the length of a step, so small blocks finish sooner
OUT_OF_MEMORY = 2  # CUresult
# CUresult of machine code that this card or driver cannot run: a damaged file, or one of another card
WRONG_CODE = (200, 209, 218, 222)


SHAPE_FIELDS = ("agents", "observation", "actions", "action_size", "masked", "info", "render", "episode")


class Shape(c.Structure):
    """SlShape."""

    _fields_ = [(name, c.c_int) for name in SHAPE_FIELDS]


POINTERS = (
    "rules", "worlds", "heads", "ended", "observations", "final_observations", "actions", "rewards",
    "terminated", "truncated", "masks", "ticks", "invalid", "counts", "finished_heads", "finished_values",
)  # fmt: skip


class DeviceBatch(c.Structure):
    """SlDeviceBatch (engine/cuda/device.h)."""

    _fields_ = [
        *((name, c.c_void_p) for name in POINTERS),
        ("room", c.c_int64),
        ("stride", c.c_int64),
        ("shape", Shape),
        ("count", c.c_int32),
        ("autoreset", c.c_int32),
    ]


class Kernels(Protocol):
    """The kernels of one game on one device."""

    def has(self, name: str) -> bool:
        """Whether there is a kernel of this name."""

    def launch(self, name: str, threads: int, *arguments: Any) -> None:
        """Start a kernel on so many threads; arguments: ctypes values."""


@functools.cache
def load_kernels(game: str, device: torch.device) -> Kernels:
    """Compiled if need be, loaded once per game and device."""
    return HostKernels(game) if device.type == "cpu" else GpuKernels(game, device)


class HostKernels:
    """Kernels as functions of the CPU: each thread is a call."""

    def __init__(self, game: str):
        self._library = c.CDLL(str(cuda_build.host_library(game)))

    def has(self, name: str) -> bool:
        """Whether there is a kernel of this name."""
        return hasattr(self._library, name)

    def launch(self, name: str, threads: int, *arguments: Any) -> None:
        """Run a kernel, thread by thread."""
        kernel, place = getattr(self._library, name), self._library.sl_cuda_host_index
        for index in range(threads):
            place(index)
            kernel(*arguments)


@functools.cache
def driver() -> Any:
    """NVIDIA's driver library, or a sentence."""
    try:
        return c.CDLL("libcuda.so.1")
    except OSError:
        raise GpuMissing(
            "engine = cuda needs NVIDIA's driver (libcuda.so.1), which is not installed here. Install it, or "
            "use engine = native."
        ) from None


def check(result: int, what: str) -> None:
    """Raise the driver's error in a sentence."""
    if not result:
        return
    text = c.c_char_p()
    driver().cuGetErrorString(result, c.byref(text))
    why = (text.value or b"unknown error").decode()
    kind = OutOfMemory if result == OUT_OF_MEMORY else GpuMissing
    raise kind(f"{what}: the GPU's driver answers {why!r} ({result}).")


class GpuKernels:
    """Kernels on a GPU, launched on PyTorch's present stream (so a CUDA graph captures them)."""

    def __init__(self, game: str, device: torch.device):
        self._driver, self._device = driver(), device
        self._module, self._functions = c.c_void_p(), dict[str, Any]()
        arch = "sm_{}{}".format(*torch.cuda.get_device_capability(device))
        with torch.cuda.device(device):
            torch.zeros(1, device=device)  # PyTorch's context becomes the present one
            result = self._load(cuda_build.kernels(game, arch))
            if result in WRONG_CODE:  # the file of the cache was damaged
                result = self._load(cuda_build.kernels(game, arch, fresh=True))
            check(result, f"Loading the kernels of {game} for {arch} (is the driver as new as the compiler?)")

    def _load(self, code: bytes) -> int:
        return int(self._driver.cuModuleLoadData(c.byref(self._module), code))

    def has(self, name: str) -> bool:
        """Whether there is a kernel of this name."""
        return self._function(name) is not None

    def _function(self, name: str) -> Any:
        if name not in self._functions:
            function = c.c_void_p()
            found = self._driver.cuModuleGetFunction(c.byref(function), self._module, name.encode())
            self._functions[name] = None if found else function
        return self._functions[name]

    def launch(self, name: str, threads: int, *arguments: Any) -> None:
        """Start a kernel; it runs after what the stream already holds."""
        pointers = (c.c_void_p * len(arguments))(*(c.addressof(argument) for argument in arguments))
        blocks = (threads + BLOCK - 1) // BLOCK
        with torch.cuda.device(self._device):
            stream = c.c_void_p(torch.cuda.current_stream(self._device).cuda_stream)
            size = (blocks, 1, 1, BLOCK, 1, 1, 0)
            result = self._driver.cuLaunchKernel(self._function(name), *size, stream, pointers, None)
        check(result, f"Starting {name}")
