"""A game's settings as the engine holds them: floats in 32 bits; integers, flags and choices as ints."""

from typing import TYPE_CHECKING, Any

from ...spec import Spec
from .math32 import f32


class Knobs:
    """One attribute per knob of a game, under the knob's own name."""

    if TYPE_CHECKING:

        def __getattr__(self, knob: str) -> Any: ...

    def __init__(self, spec: Spec) -> None:
        for knob, value in zip(spec.knobs, spec.knob_values, strict=True):
            setattr(self, knob.name, f32(value) if knob.kind == "float" else int(value))
