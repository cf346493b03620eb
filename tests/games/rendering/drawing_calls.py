"""Every call on a canvas, written down: what is drawn where, in which colour, as lines of text.

The small pictures beside these tests show whether a scene looks right; these lists notice a line of another
width or a number one pixel off. After an intended change, run the test file as a program: it writes its
lists anew, and their diff is part of the commit.
"""

from __future__ import annotations

import inspect
from pathlib import Path

from sandlot.games.rendering.canvas import Canvas

KEPT = Path(__file__).parent / "calls"
SHAPES = ("polygon", "rectangle", "circle", "line", "dashes", "text")


class Recorder:
    """Use it with `with`: canvases are drawn on as before, and their calls kept."""

    def __init__(self):
        self.lines: list[str] = []

    def __enter__(self) -> Recorder:
        self._real = {name: getattr(Canvas, name) for name in ("__init__", *SHAPES)}
        for name, real in self._real.items():
            setattr(Canvas, name, self._recorded(name, real))
        return self

    def __exit__(self, *_: object) -> None:
        for name, real in self._real.items():
            setattr(Canvas, name, real)

    def _recorded(self, name, real):
        signature = inspect.signature(real)

        def call(canvas, *args, **options):
            bound = signature.bind(canvas, *args, **options)
            bound.apply_defaults()
            given = [f"{key}={shown(value)}" for key, value in bound.arguments.items() if key != "self"]
            self.lines.append(f"{name.strip('_')} {' '.join(given)}")
            return real(canvas, *bound.args[1:], **bound.kwargs)

        return call


def last_picture(view, cached: str | None = None) -> list[str]:
    """The calls of a view's last picture. cached: the background that its renderer keeps, drawn again."""
    if cached is not None:
        setattr(view._renderers[0], cached, None)
    with Recorder() as recorder:
        view.of_world()
    return recorder.lines


def shown(value) -> str:
    """Coordinates to a hundredth of a pixel, colours as they are."""
    if isinstance(value, float):
        return f"{value:.2f}".replace("-0.00", "0.00")
    if isinstance(value, (tuple, list)):
        return f"({','.join(shown(each) for each in value)})"
    return str(value).replace(" ", "_")


def check(name: str, lines: list[str]) -> None:
    kept = (KEPT / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    for number, (before, now) in enumerate(zip(kept, lines, strict=False), start=1):
        assert now == before, f"call {number} of {name}"
    assert len(lines) == len(kept)


def keep(name: str, lines: list[str]) -> None:
    KEPT.mkdir(exist_ok=True)
    (KEPT / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
