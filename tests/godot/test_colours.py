"""The scene's colours stay apart for colour-blind viewers, and its text is readable."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

PALETTE = Path(__file__).parents[2] / "godot" / "games" / "tag" / "look" / "tag_palette.gd"
COLOURS = {
    name: np.array([int(code[i : i + 2], 16) for i in (0, 2, 4)]) / 255
    for name, code in re.findall(r'const (\w+) := Color\("(\w{6})"\)', PALETTE.read_text())
}
# Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB
VISION = {
    "usual": np.eye(3),
    "protan": [
        [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900],
    ],
}  # fmt: skip
ON = {"INK": "PAPER", "SEEKER_TAG": "WHITE", "HIDER_TAG": "WHITE", "LAST_SECONDS": "PAPER"}  # ground: text


def linear(colour: np.ndarray) -> np.ndarray:
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)


def lab(colour: np.ndarray, vision: str) -> np.ndarray:
    """CIE L*a*b* (D65) of a colour as somebody with this vision sees it."""
    seen = np.clip(np.array(VISION[vision]) @ linear(colour), 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ seen
    t = xyz / [0.9505, 1.0, 1.089]
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def difference(one: str, other: str, vision: str) -> float:
    return float(np.linalg.norm(lab(COLOURS[one], vision) - lab(COLOURS[other], vision)))


def contrast(one: str, other: str) -> float:
    light = sorted(float(linear(COLOURS[name]) @ [0.2126, 0.7152, 0.0722]) for name in (one, other))
    return (light[1] + 0.05) / (light[0] + 0.05)


@pytest.mark.parametrize("vision", VISION)
def test_seeker_and_hider_differ_for_every_vision(vision):
    assert difference("SEEKER", "HIDER", vision) >= 70


@pytest.mark.parametrize("vision", VISION)
def test_both_differ_from_floor_and_walls_for_every_vision(vision):
    for body, ground in itertools.product(("SEEKER", "HIDER"), ("FLOOR_LIGHT", "FLOOR_DARK", "WALL")):
        assert difference(body, ground, vision) >= 30, (body, ground)


def test_text_is_readable():
    COLOURS["WHITE"] = np.ones(3)
    for ground, text in ON.items():
        assert contrast(text, ground) >= 4.5, (text, ground)
    for body in ("SEEKER", "HIDER"):
        assert contrast(body, "FLOOR_LIGHT") >= 3
