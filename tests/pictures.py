"""Pictures are compared with small ones that are kept beside the tests.

Small, so that another version of a font library makes no difference, and a line, a name or a colour in
another place does. After a change that is meant, a test file run as a program writes its pictures anew; look
at them before committing.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

WIDTH = 200  # pixels of a small picture
MOST_APART = 40  # levels of 255, anywhere; letters drawn by another version differ by 20


def small(picture: Image.Image) -> Image.Image:
    height = round(picture.height * WIDTH / picture.width)
    return picture.convert("RGB").resize((WIDTH, height), Image.Resampling.BOX)


def assert_looks_as_before(picture: Image.Image, kept: Path) -> None:
    made = small(picture)
    with Image.open(kept) as before:
        assert made.size == before.size
        apart = np.abs(np.asarray(made, int) - np.asarray(before.convert("RGB"), int))
    assert apart.max() <= MOST_APART, (
        f"another than {kept.name}, most at row {apart.max(axis=(1, 2)).argmax()}"
    )


def keep(picture: Image.Image, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    small(picture).save(path, optimize=True)
