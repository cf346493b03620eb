"""Demonstrations: recorded observations and actions, read from files and checked against the game.

    .jsonl      our addon's recorder: a header, then one episode per line
    .json       godot-rl's recorder: [[[observation, …], [action, …]], …], one observation more than actions
    .jsonl.gz   a replay, such as a match that a person saved on the site: its scored agent shows how to play

A folder stands for all such files in it. Everything is refused that does not fit: demonstrations of another
game would teach nonsense without any error.
"""

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DemosRefused
from ..runs.replays import Replay
from ..spec import Spec
from ..worlds import make

FORMAT = "sandlot_demos_v1"
ENDINGS = (".jsonl", ".json", ".jsonl.gz")
MOST_BYTES = 256 << 20  # of one file
MOST_STEPS = 5_000_000  # of all files


@dataclass(frozen=True)
class Demonstrations:
    """Steps of one role, episode after episode, as a world has them."""

    observations: np.ndarray  # float32 [steps, D]
    actions: np.ndarray  # float32 [steps, entries]; of one choice its number
    last: np.ndarray  # bool [steps]: the last of its episode

    @classmethod
    def join(cls, parts: Sequence["Demonstrations"]) -> "Demonstrations":
        """Several as one."""
        names = ("observations", "actions", "last")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    @property
    def episodes(self) -> int:
        """How many."""
        return int(self.last.sum())

    @property
    def digest(self) -> str:
        """Of every number: a resumed run must have the same demonstrations."""
        found = hashlib.sha256()
        for array in (self.observations, self.actions, self.last):
            found.update(np.ascontiguousarray(array).tobytes())
        return found.hexdigest()


def read_demonstrations(paths: Sequence[str], spec: Spec, role: str = "") -> dict[str, Demonstrations]:
    """By role, what these files and folders hold. role: whose demonstrations files are that do not say it."""
    found: dict[str, list[Demonstrations]] = {}
    steps = 0
    for path in _files(paths):
        for shown, part in _read(path, spec, role):
            found.setdefault(shown, []).append(part)
            steps += len(part.last)
            if steps > MOST_STEPS:
                raise DemosRefused(f"The demonstrations have more than {MOST_STEPS} steps. Name fewer files.")
    return {shown: Demonstrations.join(parts) for shown, parts in found.items()}


def _files(paths: Sequence[str]) -> list[Path]:
    files: list[Path] = []
    for path in map(Path, paths):
        inside = sorted(p for p in path.iterdir() if p.name.endswith(ENDINGS)) if path.is_dir() else [path]
        if not inside:
            raise DemosRefused(f"{path} holds no demonstrations: no file that ends in {', '.join(ENDINGS)}.")
        files += inside
    return files


def _read(path: Path, spec: Spec, role: str) -> list[tuple[str, Demonstrations]]:
    if not path.is_file():
        raise DemosRefused(f"There are no demonstrations at {path}. Name a file that a recorder wrote.")
    if path.stat().st_size > MOST_BYTES:
        raise DemosRefused(f"{path} is larger than {MOST_BYTES >> 20} MiB. Split it.")
    if path.name.endswith(".jsonl.gz"):
        return [_of_replay(path, spec)]
    if path.suffix == ".jsonl":
        return [_of_recorder(path, spec)]
    if path.suffix == ".json":
        return [_of_godot_rl(path, spec, role)]
    raise DemosRefused(f"{path} is not a file of demonstrations: expected one of {', '.join(ENDINGS)}.")


# ---------------------------------------------------------------- the three kinds of files


def _of_recorder(path: Path, spec: Spec) -> tuple[str, Demonstrations]:
    """A header that says what was recorded, then an episode per line."""
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = text.split("\n")
    if lines[-1].strip():
        raise DemosRefused(f"{path} is cut off in line {len(lines)}. Remove that line, or record again.")
    rows = [_parsed(path, line, f"line {n}") for n, line in enumerate(lines, 1) if line.strip()]
    if not rows:
        raise DemosRefused(f"{path} is empty. Play at least one whole episode while it records.")
    header = rows[0]
    if not isinstance(header, Mapping) or header.get("format") != FORMAT:
        raise DemosRefused(f"{path} does not begin with a header of {FORMAT}; its first line is another.")
    role = str(header.get("role", ""))
    if role not in spec.roles:
        expected = f"{spec.game} has {', '.join(spec.role_names)}"
        raise DemosRefused(f"{path} was recorded by the role {role!r}, {expected}. Name another file.")
    own = spec.for_role(role)
    _check_declared(path, "observes", header.get("observation"), _fields(own))
    _check_declared(path, "does", header.get("actions"), _actions(own))
    pairs = []
    for n, row in enumerate(rows[1:], 1):
        if not isinstance(row, Mapping) or not {"obs", "acts"} <= row.keys():
            raise DemosRefused(f"{path}: episode {n} has no obs and acts. Record again.")
        pairs.append((row["obs"], row["acts"]))
    return role, _joined(path, pairs, own)


def _of_godot_rl(path: Path, spec: Spec, role: str) -> tuple[str, Demonstrations]:
    """A list of episodes; the file does not name their role."""
    role = role or spec.role_names[0]
    if role not in spec.roles:
        raise DemosRefused(f"imitation.role = {role!r}: {spec.game} has {', '.join(spec.role_names)}.")
    if not path.stat().st_size:
        raise DemosRefused(f"{path} is empty. Play at least one whole episode while it records.")
    episodes = _parsed(path, path.read_text(encoding="utf-8", errors="replace"), "it")
    if not isinstance(episodes, list) or not all(isinstance(e, list) and len(e) == 2 for e in episodes):
        raise DemosRefused(
            f"{path} is not a list of demonstrations: expected [[observations, actions], …] as godot-rl's "
            f"recorder writes it. Files of our recorder end in .jsonl."
        )
    return role, _joined(path, [(e[0], e[1]) for e in episodes], spec.for_role(role))


def _of_replay(path: Path, spec: Spec) -> tuple[str, Demonstrations]:
    """The scored agent of a recorded match; on the site this is the person who played."""
    replay = Replay.read(path)
    header = replay.header
    if (header.game, header.game_version) != (spec.game, spec.version):
        raise DemosRefused(
            f"{path} is of {header.game} version {header.game_version}, this training is of {spec.game} "
            f"version {spec.version}. Name replays of the same game."
        )
    agent = header.scored_agent
    role = header.agents[agent]
    own = spec.for_role(role)
    seen = _kept(replay) if replay.frames is not None else _played_again(path, replay)
    if not len(replay.actions):
        raise DemosRefused(f"{path} holds no step. Name another replay.")
    acted = replay.actions[:, agent].reshape(len(replay.actions), -1)
    if seen.shape[-1] < own.observation_size:
        raise DemosRefused(f"{path} keeps {seen.shape[-1]} numbers of an observation, {_needs(own)}.")
    rows = seen[: len(acted), agent, : own.observation_size]
    return role, _checked(path, "the replay", rows, acted[:, : _width(own)], own)


def _played_again(path: Path, replay: Replay) -> np.ndarray:
    """Observations before each step, [steps, agents, D], from seed and actions."""
    header = replay.header
    with make(header.game, worlds=1, config=header.config, autoreset=False) as world:
        world.reset(header.seed)
        seen = np.zeros((len(replay.actions), *world.observations.shape), np.float32)
        for step, actions in enumerate(replay.actions):
            seen[step] = world.observations
            world.actions[...] = actions
            world.step()
        if replay.hashes and replay.hashes[-1] != (len(seen), world.hash(0)):
            raise DemosRefused(
                f"{path} ends in another state here than when it was recorded. Use the engine that made it."
            )
    return seen


def _kept(replay: Replay) -> np.ndarray:
    """Observations before each step, [steps, agents, D], as the file keeps them."""
    assert replay.frames is not None
    agents, block = len(replay.header.agents), replay.frames.blocks["observations"]
    return np.array([block.row(step).reshape(agents, -1) for step in range(len(replay.actions))], np.float32)


# ---------------------------------------------------------------- checks


def _parsed(path: Path, text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise DemosRefused(
            f"{path}: {what} is not complete JSON ({problem}). It was cut off or changed; record again."
        ) from None


def _fields(spec: Spec) -> list[tuple[str, int]]:
    return [(field.name, field.size) for field in spec.observation]


def _actions(spec: Spec) -> list[tuple[str, int]]:
    return [(action.name, len(action.options)) for action in spec.actions]


def _check_declared(path: Path, what: str, declared: Any, expected: list[tuple[str, int]]) -> None:
    """Refuse a recording of other fields or actions, naming the first."""
    if declared is None:
        return
    try:
        found = [(one["name"], _size(one)) for one in declared]
    except (TypeError, KeyError):
        raise DemosRefused(f"{path}: its header does not say what an agent {what}. Record again.") from None
    for ours, theirs in _pairs(expected, found):
        if ours != theirs:
            raise DemosRefused(
                f"{path}: the recorded agent {what} {_text(theirs)} where the game has {_text(ours)}. "
                "Record again with the present scene."
            )


def _pairs(ours: list[Any], theirs: list[Any]) -> Iterator[tuple[Any, Any]]:
    for i in range(max(len(ours), len(theirs))):
        yield (ours[i] if i < len(ours) else None), (theirs[i] if i < len(theirs) else None)


def _size(one: Mapping[str, Any]) -> int:
    if "shape" in one:
        return int(np.prod([int(n) for n in one["shape"]]))
    return len(one.get("options", ()))


def _text(entry: tuple[str, int] | None) -> str:
    return "nothing" if entry is None else f"{entry[0]} ({entry[1]})" if entry[1] else entry[0]


def _joined(path: Path, episodes: list[tuple[Any, Any]], spec: Spec) -> Demonstrations:
    """Episodes of lists as one, each checked."""
    if not episodes:
        raise DemosRefused(f"{path} holds no episode. Play at least one whole episode while it records.")
    parts = []
    for n, (seen, acted) in enumerate(episodes, 1):
        what = f"episode {n}"
        rows, chosen = _array(path, what, "observations", seen), _array(path, what, "actions", acted)
        if len(rows) - len(chosen) not in (0, 1) or not len(chosen):
            raise DemosRefused(
                f"{path}: {what} has {len(rows)} observations and {len(chosen)} actions, expected one "
                "observation more. It was cut off; remove that episode."
            )
        parts.append(_checked(path, what, rows[: len(chosen)], chosen, spec))
    return Demonstrations.join(parts)


def _array(path: Path, what: str, name: str, rows: Any) -> np.ndarray:
    with contextlib.suppress(ValueError, TypeError):
        table = np.array(rows, np.float32)
        if table.ndim == 2:
            return table
    raise DemosRefused(f"{path}: the {name} of {what} are not rows of numbers of equal length.")


def _checked(path: Path, what: str, rows: np.ndarray, chosen: np.ndarray, spec: Spec) -> Demonstrations:
    """One episode whose sizes and numbers fit the game."""
    if rows.shape[1] != spec.observation_size:
        raise DemosRefused(f"{path}: {what} observes {rows.shape[1]} numbers, {_needs(spec)}.")
    if chosen.shape[1] != _width(spec):
        raise DemosRefused(
            f"{path}: an action of {what} has {chosen.shape[1]} entries, those of {spec.game} have "
            f"{_width(spec)}."
        )
    for name, array in (("observes", rows), ("does", chosen)):
        if not np.isfinite(array).all():
            step = int(np.argwhere(~np.isfinite(array))[0, 0])
            raise DemosRefused(f"{path}: {what} {name} NaN or infinity in step {step}. Remove that episode.")
    _check_choices(path, what, chosen, spec)
    last = np.zeros(len(chosen), bool)
    last[-1] = True
    return Demonstrations(rows.astype(np.float32), chosen.astype(np.float32), last)


def _check_choices(path: Path, what: str, chosen: np.ndarray, spec: Spec) -> None:
    """A choice is the number of one of its options."""
    sizes = [spec.action_count] if spec.discrete else [len(action.options) for action in spec.actions]
    for column, size in enumerate(sizes):
        if not size:
            continue
        values = chosen[:, column]
        if ((values < 0) | (values >= size) | (values != np.rint(values))).any():
            raise DemosRefused(
                f"{path}: {what} chooses {values.min():g} to {values.max():g} as entry {column} of an "
                f"action; {spec.game} has the options 0 to {size - 1}."
            )


def _width(spec: Spec) -> int:
    return 1 if spec.discrete else spec.action_size


def _needs(spec: Spec) -> str:
    return f"{spec.game} has {spec.observation_size}"
