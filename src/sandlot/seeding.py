"""How one seed becomes many, the same in Python as in engine/common/rng.h.

A run's seed is split by world, a world's by episode; splitting is a hash, so worlds 0 and 1 share nothing
and an episode can be replayed from its own seed alone.
"""

import hashlib
import operator
from typing import Any

import numpy as np

from .errors import SeedError

MASK = (1 << 64) - 1


def check(seed: Any) -> int:
    """Return the seed as an int, or say why it is none."""
    try:
        value = operator.index(seed)
    except TypeError:
        raise SeedError(f"A seed is a whole number from 0 to 2**64 - 1, not {seed!r}.") from None
    if isinstance(seed, (bool, np.bool_)) or not 0 <= value <= MASK:
        raise SeedError(f"A seed is a whole number from 0 to 2**64 - 1, not {seed!r}.")
    return value


def split(seed: int, index: int) -> int:
    """Child number `index` of a seed (splitmix64's finaliser)."""
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def for_worlds(seed: int, worlds: int) -> np.ndarray:
    """One seed per world: world 0 plays the seed itself, the others its children. uint64 [worlds]."""
    z = split_many(seed, np.arange(worlds))
    z[0] = seed
    return z


def split_many(seed: int, indices: np.ndarray) -> np.ndarray:
    """`split` of many indices at once, uint64."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + (indices.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def for_episode(root: int, episode: int) -> int:
    """The seed of a world's episode number `episode`, given the seed the world was reset with."""
    return split(root, episode) if episode else root


class Stream:
    """The seeds of one world's episodes, one after the other, as a batch that resets itself plays them."""

    def __init__(self) -> None:
        self._root: int | None = None
        self._episode = 0

    def next(self, root: Any = None) -> int:
        """The next episode's seed. A root begins anew, and is the first; without any it begins at random."""
        if root is None and self._root is not None:
            self._episode += 1
        else:
            fresh = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
            self._root, self._episode = fresh if root is None else check(root), 0
        return for_episode(self._root, self._episode)


# ---------------------------------------------------------------- held-out seeds

# What episodes are for, beside training. The number of a purpose is the lowest three bits of its seeds, so no
# seed serves two of them; and the rest is another hash than the one by which a run's seed becomes episodes,
# so that no run trains on them, whatever its seed.
PURPOSES = (
    "select",  # choosing among the checkpoints of a run
    "report",  # saying how good the chosen one is
    "eval",  # `sandlot eval` and `sandlot league`
    "list",  # seed lists by number: `--seeds 7,19,31`, `sandlot bots`
    "replay",  # recorded matches
    "benchmark",  # tables in benchmarks/
    "gate",  # pairs of a gate
)


def held_out(purpose: str, count: int, key: int = 0) -> list[int]:
    """`count` seeds for a purpose, the same on every machine; another key gives others."""
    tag = PURPOSES.index(purpose)
    texts = (f"{purpose} {key} {i}".encode() for i in range(count))
    hashes = (hashlib.blake2b(text, digest_size=8).digest() for text in texts)
    return [int.from_bytes(digest, "little") & ~7 | tag for digest in hashes]
