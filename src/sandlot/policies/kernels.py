"""The engine's two learning loops (engine/learn/learn.h) on torch tensors; CPU, float32, contiguous."""

import ctypes as c
import functools
from typing import Any

import torch
from torch import Tensor

from ..errors import SandlotError
from ..worlds.library import load

METRICS = ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction")
MOST_ACTIONS = 256


class _Batch(c.Structure):
    """SlPpoBatch."""

    _fields_ = [
        ("outputs", c.c_void_p),
        ("masks", c.c_void_p),
        ("actions", c.c_void_p),
        ("old_log_probs", c.c_void_p),
        ("advantages", c.c_void_p),
        ("returns", c.c_void_p),
        ("gradients", c.c_void_p),
        ("rows", c.c_int64),
        ("action_count", c.c_int32),
        ("clip_range", c.c_float),
        ("vf_coef", c.c_float),
        ("ent_coef", c.c_float),
    ]


@functools.cache
def _library() -> Any:
    library = load()
    library.sl_learn_sample.restype = c.c_int
    library.sl_learn_sample.argtypes = [
        c.c_void_p, c.c_int64, c.c_void_p, c.c_int64, c.c_int32,
        c.POINTER(c.c_uint64), c.c_void_p, c.c_void_p,
    ]  # fmt: skip
    library.sl_learn_ppo.restype = c.c_int
    library.sl_learn_ppo.argtypes = [c.POINTER(_Batch), c.POINTER(c.c_double)]
    return library


def _pointer(tensor: Tensor | None, dtype: torch.dtype) -> int | None:
    if tensor is None:
        return None
    if tensor.dtype != dtype or not tensor.is_contiguous() or tensor.device.type != "cpu":
        found = f"{tensor.dtype} on {tensor.device}"
        raise SandlotError(f"expected a contiguous {dtype} tensor on the CPU, not {found}.")
    return tensor.data_ptr()


def sample(outputs: Tensor, masks: Tensor | None, count: int, state: int) -> tuple[Tensor, Tensor, int]:
    """Sample one of `count` actions per row: actions, log-probabilities, the next state."""
    rows = len(outputs)
    actions, log_probs = torch.empty(rows, dtype=torch.int32), torch.empty(rows)
    rng = c.c_uint64(state)
    result = _library().sl_learn_sample(
        _pointer(outputs, torch.float32), outputs.stride(0), _pointer(masks, torch.uint8), rows, count,
        c.byref(rng), actions.data_ptr(), log_probs.data_ptr(),
    )  # fmt: skip
    if result < 0:
        shape = tuple(outputs.shape)
        raise SandlotError(f"drawing {count} actions from outputs of shape {shape} was refused.")
    return actions, log_probs, rng.value


class ClippedLoss(torch.autograd.Function):
    """PPO's loss of a categorical head, with its gradient computed in the same pass."""

    @staticmethod
    def forward(ctx: Any, outputs: Tensor, batch: dict[str, Any], metrics: dict[str, float]) -> Tensor:
        rows, width = outputs.shape
        gradients = torch.empty_like(outputs)
        arguments = _Batch(
            outputs=_pointer(outputs, torch.float32),
            masks=_pointer(batch["masks"], torch.uint8),
            actions=_pointer(batch["actions"], torch.int32),
            old_log_probs=_pointer(batch["log_probs"], torch.float32),
            advantages=_pointer(batch["advantages"], torch.float32),
            returns=_pointer(batch["returns"], torch.float32),
            gradients=gradients.data_ptr(),
            rows=rows,
            action_count=width - 1,
            clip_range=batch["clip_range"],
            vf_coef=batch["vf_coef"],
            ent_coef=batch["ent_coef"],
        )
        sums = (c.c_double * len(METRICS))()
        if _library().sl_learn_ppo(c.byref(arguments), sums) < 0:
            raise SandlotError("the loss was refused: an action outside the head, or a missing tensor.")
        for name, value in zip(METRICS, sums, strict=True):
            metrics[name] = value / rows
        loss = metrics["policy_loss"] + batch["vf_coef"] * metrics["value_loss"]
        loss -= batch["ent_coef"] * metrics["entropy"]
        ctx.save_for_backward(gradients)
        return outputs.new_tensor(loss)

    @staticmethod
    def backward(ctx: Any, *upstream: Tensor) -> tuple[Tensor, None, None]:
        (gradients,) = ctx.saved_tensors
        return gradients * upstream[0], None, None
