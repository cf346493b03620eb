"""The spaces of a stock godot-rl game as a spec's document, and its observations and actions as rows.

Spaces come as one dictionary for all agents (old plugins) or as a list with one per agent. An observation is
flattened key after key; pictures (keys with "2d" in their name) become height x width x channels.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import BadMessage, Refused

MOST_AGENTS = 4096  # in one process
MOST_NUMBERS = 1 << 20  # of one observation
USUAL_POLICY = "shared_policy"  # the plugin's name where nobody chose one
USUAL_ROLE = "agent"
PICTURE = "2d"  # in a key's name


@dataclass(frozen=True)
class Entry:
    """One key of an observation: where it lies in a row."""

    key: str
    shape: tuple[int, ...]
    place: slice
    kind: str  # box, discrete (one of n) or picture


@dataclass(frozen=True)
class Head:
    """One head of an action: its columns, or the column of its choice."""

    name: str
    size: int
    discrete: bool
    first: int


@dataclass(frozen=True)
class RoleSpaces:
    """What the agents of one policy see and do."""

    entries: tuple[Entry, ...]
    heads: tuple[Head, ...]

    @property
    def observation_size(self) -> int:
        """Numbers of one observation."""
        return self.entries[-1].place.stop

    @property
    def pictures(self) -> bool:
        """Whether a camera is among what they see."""
        return any(entry.kind == "picture" for entry in self.entries)

    def fields(self) -> list[dict[str, Any]]:
        """The observation as a document has it."""
        made = []
        for entry in self.entries:
            field: dict[str, Any] = {"name": entry.key, "shape": list(entry.shape)}
            field |= {"image": True, "low": 0.0, "high": 255.0} if entry.kind == "picture" else {}
            made.append(field)
        return made

    def actions(self) -> list[dict[str, Any]]:
        """The actions as a document has them: an axis per number, a choice per discrete head."""
        made: list[dict[str, Any]] = []
        for head in self.heads:
            if head.discrete:
                options = [str(i) for i in range(head.size)]
                made.append({"name": head.name, "kind": "choice", "options": options})
            else:
                names = [head.name] if head.size == 1 else [f"{head.name}_{i}" for i in range(head.size)]
                made += [{"name": name, "kind": "axis", "low": -1.0, "high": 1.0} for name in names]
        return made

    def encode(self, row: np.ndarray) -> dict[str, Any]:
        """One row of actions as the game takes it."""
        values = np.atleast_1d(row).tolist()
        return {
            head.name: int(values[head.first])
            if head.discrete
            else values[head.first : head.first + head.size]
            for head in self.heads
        }

    def decode(self, observation: Any, row: np.ndarray, who: str) -> None:
        """Write one observation into its row; BadMessage names agent and key."""
        if not isinstance(observation, Mapping):
            raise BadMessage(f"{who} observes {str(observation)[:40]!r}, expected an object with its keys.")
        for entry in self.entries:
            if entry.key not in observation:
                raise BadMessage(f"{who} sent no {entry.key!r}, which its observation space declares.")
            row[entry.place] = _numbers(entry, observation[entry.key], who)


@dataclass(frozen=True)
class GameSpaces:
    """Of all agents of one process, in the order of the wire."""

    policies: tuple[str, ...]  # of each agent
    by_policy: Mapping[str, RoleSpaces]
    extras: frozenset[str]  # what this game adds to the stock protocol: truncated, terminal_obs, seeds

    @property
    def roles(self) -> tuple[str, ...]:
        """Of each agent; one policy that nobody named is called agent."""
        only = set(self.policies) == {USUAL_POLICY}
        return (USUAL_ROLE,) * len(self.policies) if only else self.policies

    def of(self, agent: int) -> RoleSpaces:
        """The spaces of an agent."""
        return self.by_policy[self.policies[agent]]

    @property
    def pictures(self) -> bool:
        """Whether anyone has a camera."""
        return any(spaces.pictures for spaces in self.by_policy.values())


def read_spaces(message: Mapping[str, Any]) -> GameSpaces:
    """The answer to env_info; Refused says what is wrong with it."""
    count = message.get("n_agents")
    if not isinstance(count, (int, float)) or count != int(count) or not 1 <= count <= MOST_AGENTS:
        hint = " Controllers add themselves to it in _ready()." if count == 0 else ""
        raise Refused(
            f"The game has {count!r} agents in the group AGENT that are trained, expected 1 to "
            f"{MOST_AGENTS}.{hint}"
        )
    count = int(count)
    policies = message.get("agent_policy_names") or [USUAL_POLICY] * count
    if not isinstance(policies, list) or len(policies) != count:
        raise Refused(f"The game has {count} agents and names policies of {len(policies)}.")
    policies = [str(name)[:128] for name in policies]
    observed = _per_agent(message.get("observation_space"), count, "observation_space")
    acted = _per_agent(message.get("action_space"), count, "action_space")
    by_policy: dict[str, RoleSpaces] = {}
    for agent, name in enumerate(policies):
        spaces = RoleSpaces(_entries(observed[agent], agent), _heads(acted[agent], agent))
        if by_policy.setdefault(name, spaces) != spaces:
            other = policies.index(name)
            raise Refused(
                f"Agents {other} and {agent} share the policy {name!r}, but their spaces differ: "
                f"{observed[other]} and {observed[agent]}, {acted[other]} and {acted[agent]}. Give them "
                "policy names of their own, or spaces of the same sizes."
            )
    extras = message.get("sandlot")
    return GameSpaces(
        tuple(policies), by_policy, frozenset(extras if isinstance(extras, (dict, list)) else ())
    )


def _per_agent(space: Any, count: int, name: str) -> list[Mapping[str, Any]]:
    """One space per agent; one alone stands for all."""
    spaces = [space] * count if isinstance(space, Mapping) else space
    good = isinstance(spaces, list) and len(spaces) == count
    if not good or not all(isinstance(one, Mapping) and one for one in spaces):
        raise Refused(f"The game's {name} is {str(space)[:80]!r}, expected an object per agent.")
    return spaces


def _size(value: Any, where: str) -> int:
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if not good or value != int(value) or not 1 <= value <= MOST_NUMBERS:
        raise Refused(f"{where} has the size {value!r}, expected 1 to {MOST_NUMBERS}.")
    return int(value)


def _entries(space: Mapping[str, Any], agent: int) -> tuple[Entry, ...]:
    made: list[Entry] = []
    at = 0
    for key, declared in space.items():
        where = f"Agent {agent}: the observation {key!r}"
        if not isinstance(declared, Mapping) or declared.get("space") not in ("box", "discrete"):
            raise Refused(f"{where} is declared as {str(declared)[:80]!r}, expected a box or discrete space.")
        size, kind = declared.get("size"), str(declared["space"])
        sizes = size if kind == "box" and isinstance(size, list) and size else [size]
        shape = tuple(_size(value, where) for value in sizes)
        if PICTURE in key:
            if len(shape) != 3:
                raise Refused(
                    f"{where} is a picture and has {len(shape)} sizes, expected channels, height, width."
                )
            shape, kind = (shape[1], shape[2], shape[0]), "picture"
        count = math.prod(shape)
        if at + count > MOST_NUMBERS:
            raise Refused(f"{where} makes more than {MOST_NUMBERS} numbers.")
        made.append(Entry(str(key), shape, slice(at, at + count), kind))
        at += count
    return tuple(made)


def _heads(space: Mapping[str, Any], agent: int) -> tuple[Head, ...]:
    made: list[Head] = []
    column = 0
    for name, declared in space.items():
        where = f"Agent {agent}: the action {name!r}"
        kinds = ("continuous", "discrete")
        if not isinstance(declared, Mapping) or declared.get("action_type") not in kinds:
            raise Refused(f"{where} is declared as {str(declared)[:80]!r}, expected size and action_type.")
        head = Head(
            str(name), _size(declared.get("size"), where), declared["action_type"] == "discrete", column
        )
        made.append(head)
        column += 1 if head.discrete else head.size
    return tuple(made)


def _numbers(entry: Entry, value: Any, who: str) -> np.ndarray:
    """A key's value as numbers, in the order of a row."""
    if entry.kind == "picture":
        return _pixels(entry, value, who)
    if entry.kind == "discrete":
        made = np.zeros(entry.shape[0], np.float32)
        if not isinstance(value, (int, float)) or not 0 <= value < entry.shape[0]:
            raise BadMessage(f"{who} sent {value!r} in {entry.key}, expected 0 to {entry.shape[0] - 1}.")
        made[int(value)] = 1.0
        return made
    try:
        numbers = np.asarray(value, np.float32).reshape(-1)
    except (ValueError, TypeError):
        raise BadMessage(f"{who} sent something that is not a list of numbers in {entry.key}.") from None
    expected = math.prod(entry.shape)
    if len(numbers) != expected:
        raise BadMessage(
            f"{who} sent {len(numbers)} numbers in {entry.key}; its observation space declares {expected}."
        )
    if not np.isfinite(numbers).all():
        at = int(np.argmin(np.isfinite(numbers)))
        raise BadMessage(
            f"{who} observes NaN or infinity in {entry.key}[{at}]. Divide by nothing that can be 0, and "
            "check norms."
        )
    return numbers


def _pixels(entry: Entry, value: Any, who: str) -> np.ndarray:
    """A hex text of rows of pixels. A renderer may add an alpha channel that was not declared."""
    if value is None:
        raise BadMessage(f"{who} has no picture in {entry.key}: cameras see nothing without a screen.")
    try:
        data = np.frombuffer(bytes.fromhex(value), np.uint8)
    except (ValueError, TypeError):
        raise BadMessage(f"{who} sent something that is no hex text in {entry.key}.") from None
    height, width, channels = entry.shape
    for sent in (channels, channels + 1):
        if data.size == height * width * sent:
            return data.reshape(height, width, sent)[..., :channels].reshape(-1).astype(np.float32)
    raise BadMessage(
        f"{who} sent {data.size} bytes in {entry.key}, expected {height} x {width} x {channels}."
    )


def stack(spaces: RoleSpaces, observations: Sequence[Any], rows: np.ndarray, who: Sequence[str]) -> None:
    """Write the observations of agents with the same spaces; one box alone goes in as one array."""
    (first, *others) = spaces.entries
    if not others and first.kind == "box":
        try:
            block = np.array([one[first.key] for one in observations], np.float32)
        except (ValueError, TypeError, KeyError):
            block = np.empty(0, np.float32)  # one of them is wrong: the loop below says which
        if block.size == rows.size and np.isfinite(block).all():
            rows[:] = block.reshape(rows.shape)
            return
    for observation, row, name in zip(observations, rows, who, strict=True):
        spaces.decode(observation, row, name)
