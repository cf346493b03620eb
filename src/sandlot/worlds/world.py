"""The World protocol, which every batch of worlds implements, and finished episodes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from ..errors import UnknownName
from ..spec import EpisodeField, Spec
from ..spec.spec import named

HEAD = np.dtype(
    [
        ("seed", np.uint64),
        ("step", np.int64),
        ("world", np.int32),
        ("episode", np.int32),
        ("length", np.int32),  # steps of the episode
        ("invalid", np.int32),  # invalid actions of all agents
        ("terminated", np.bool_),
        ("truncated", np.bool_),
    ],
    align=True,
)


@dataclass(frozen=True)
class Capabilities:
    """What a world can do. Callers check it; a missing capability is worked around and reported once."""

    seeds: bool = True  # reset(seed) repeats an episode's beginning
    snapshot: bool = True  # worlds can be saved and restored; otherwise a resume starts new episodes
    deterministic: bool = True  # seed and actions give the same bits again
    truncation: bool = True  # terminated and truncated are told apart
    final_observation: bool = True  # the last observation of an ended episode is kept
    next_episode: bool = True  # an episode can be skipped for the next one
    picture: bool = False  # rgb_array() gives a picture of a world
    tensors: bool = (
        False  # arrays are PyTorch tensors on a device, and advance() steps without waiting for it
    )


class Episodes(Sequence):
    """Finished episodes, oldest first. Iterate for one mapping per episode, or take `column("return")`."""

    def __init__(self, fields: tuple[EpisodeField, ...], heads: np.ndarray, values: np.ndarray):
        self.fields, self.heads, self.values = fields, heads, values

    def __len__(self) -> int:
        return len(self.heads)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, (slice, np.ndarray)):
            return Episodes(self.fields, self.heads[index], self.values[index])
        head = {name: self.heads[index][name].item() for name in HEAD.names or ()}
        return head | named(self.fields, self.values[index])

    @classmethod
    def concatenate(cls, parts: Sequence["Episodes"]) -> "Episodes":
        """Several lists of episodes as one."""
        heads, values = (np.concatenate([getattr(p, name) for p in parts]) for name in ("heads", "values"))
        return cls(parts[0].fields, heads, values)

    def has(self, name: str) -> bool:
        """Whether the game has an episode field of this name."""
        return any(field.name == name for field in self.fields)

    def column(self, name: str) -> np.ndarray:
        """An episode field, float32 [episodes] (or [episodes, …] for a field of several numbers)."""
        if name in (HEAD.names or ()):
            return self.heads[name]
        for field in self.fields:
            if field.name == name:
                part = self.values[:, field.slice]
                return part[:, 0] if field.size == 1 else part.reshape(len(part), *field.shape)
        raise UnknownName("episode column", name, [*(HEAD.names or ()), *(f.name for f in self.fields)])


class World(Protocol):
    """A batch of worlds of one game. Arrays are made once and stay where they are; rows = worlds x agents.

    Write `actions`, call `step()`, read the rest. A world that ends is reset within the same step (unless
    autoreset=False): `observations` then show the new episode, `final_observations` the end of the old one.
    """

    spec: Spec
    capabilities: Capabilities
    worlds: int
    rows: int
    threads: int
    autoreset: bool
    steps: int  # of the batch since it was made; `finished()` counts by it

    observations: np.ndarray  # float32 [rows, D]
    final_observations: np.ndarray  # float32 [rows, D]; of rows that ended in this step
    rewards: np.ndarray  # float32 [rows]
    terminated: np.ndarray  # bool [rows]: the game ended
    truncated: np.ndarray  # bool [rows]: cut off, for example by a time limit
    masks: np.ndarray | None  # uint8 [rows, A]: 1 where an action is legal
    ticks: np.ndarray  # int32 [rows]: how long the last step lasted
    invalid: np.ndarray  # bool [rows]: the last action does not exist, or is masked

    @property
    def actions(self) -> np.ndarray:
        """Write here before `step()`: int32 [rows] or float32 [rows, size]."""

    @actions.setter
    def actions(self, values: Any) -> None: ...

    def put(self, values: Any, rows: Any = slice(None)) -> None:
        """Check actions and write them into their rows."""

    def act(self, rows: Any, actions: np.ndarray) -> None:
        """Write a policy's actions into its rows, unchecked: as wide as its role's action."""

    def shared(self, name: str) -> np.ndarray:
        """The array itself, for libraries that insist on writable memory."""

    def reset(self, seed: int | None = None, seeds: Any = None, worlds: Any = None) -> np.ndarray:
        """Begin new episodes and return the observations."""

    def next_episode(self, worlds: Any = None) -> np.ndarray:
        """Skip to the next episode."""

    def step(self, actions: Any = None) -> int:
        """Step every world once; returns how many episodes ended."""

    def run(self, actions: np.ndarray) -> int:
        """Play recorded actions, [steps, *actions.shape]; returns how many episodes ended."""

    def finished(self) -> Episodes:
        """The episodes that ended since the last call, with their sums."""

    def snapshot(self, world: int) -> bytes:
        """The state of one world as bytes."""

    def restore(self, world: int, state: bytes) -> None:
        """Restore a world from a snapshot."""

    def hash(self, world: int) -> int:
        """A 64-bit fingerprint of one world's state."""

    def info(self, world: int = 0) -> dict[str, Any]:
        """The game's named running metrics of one world."""

    def render(self, world: int = 0) -> dict[str, Any]:
        """The render state of one world, by name."""

    def block(self, name: str, world: int = 0) -> np.ndarray:
        """`info` or `render` as it is, float32."""

    def events(self, world: int = 0) -> list[dict[str, Any]]:
        """What happened in one world's last step."""

    @property
    def engine_pids(self) -> tuple[int, ...]:
        """Processes that run the worlds, where it is not this one."""

    def close(self) -> None:
        """Close the worlds. The arrays stay readable."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def __iter__(self) -> Any: ...
