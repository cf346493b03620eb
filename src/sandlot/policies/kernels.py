"""The engine's two learning loops (engine/learn/learn.h) on torch tensors; CPU, float32, contiguous."""

from __future__ import annotations

import ctypes as c
import functools
from typing import Any

import torch

from ..errors import SandlotError
from ..games.library import load

FIGURES = ("policy_loss", "value_loss", "entropy", "kl", "clipped")
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
        ("clip", c.c_float),
        ("value_weight", c.c_float),
        ("entropy_weight", c.c_float),
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


def _pointer(tensor: torch.Tensor | None, dtype: torch.dtype) -> int | None:
    if tensor is None:
        return None
    if tensor.dtype != dtype or not tensor.is_contiguous() or tensor.device.type != "cpu":
        raise SandlotError(
            f"expected a contiguous {dtype} tensor on the CPU, not {tensor.dtype} on {tensor.device}."
        )
    return tensor.data_ptr()


def sample(
    outputs: torch.Tensor, masks: torch.Tensor | None, count: int, state: int
) -> tuple[torch.Tensor, torch.Tensor, int]:
    """Draw an action a row from the first `count` outputs: actions, log-probabilities, the next state."""
    rows = len(outputs)
    actions, log_probs = torch.empty(rows, dtype=torch.int32), torch.empty(rows)
    rng = c.c_uint64(state)
    result = _library().sl_learn_sample(
        _pointer(outputs, torch.float32), outputs.stride(0), _pointer(masks, torch.uint8), rows, count,
        c.byref(rng), actions.data_ptr(), log_probs.data_ptr(),
    )  # fmt: skip
    if result < 0:
        raise SandlotError(
            f"drawing {count} actions from outputs of shape {tuple(outputs.shape)} was refused."
        )
    return actions, log_probs, rng.value


class ClippedLoss(torch.autograd.Function):
    """PPO's loss of a categorical head, with its gradient computed in the same pass."""

    @staticmethod
    def forward(
        ctx: Any, outputs: torch.Tensor, batch: dict[str, Any], figures: dict[str, float]
    ) -> torch.Tensor:
        rows, width = outputs.shape
        gradients = torch.empty_like(outputs)
        told = _Batch(
            outputs=_pointer(outputs, torch.float32),
            masks=_pointer(batch["masks"], torch.uint8),
            actions=_pointer(batch["choices"], torch.int32),
            old_log_probs=_pointer(batch["log_probs"], torch.float32),
            advantages=_pointer(batch["advantages"], torch.float32),
            returns=_pointer(batch["returns"], torch.float32),
            gradients=gradients.data_ptr(),
            rows=rows,
            action_count=width - 1,
            clip=batch["clip"],
            value_weight=batch["value_weight"],
            entropy_weight=batch["entropy_weight"],
        )
        sums = (c.c_double * len(FIGURES))()
        if _library().sl_learn_ppo(c.byref(told), sums) < 0:
            raise SandlotError(
                "the loss was refused: an action lies outside the head, or a tensor is missing."
            )
        for name, value in zip(FIGURES, sums, strict=True):
            figures[name] = value / rows
        loss = figures["policy_loss"] + batch["value_weight"] * figures["value_loss"]
        loss -= batch["entropy_weight"] * figures["entropy"]
        ctx.save_for_backward(gradients)
        return outputs.new_tensor(loss)

    @staticmethod
    def backward(ctx: Any, *upstream: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        (gradients,) = ctx.saved_tensors
        return gradients * upstream[0], None, None
