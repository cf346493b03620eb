"""Plays one side of a comparison: a policy, a game, an engine build.

Within this process, or in a process of its own where the side needs another build of the native library:
`python -m sandlot.gates.worker` then reads one JSON request per line and answers with one line. A build that
crashes takes only its own process with it.
"""

from __future__ import annotations

import base64
import contextlib
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ConfigError, SandlotError, SpecMismatch
from ..evaluate.play import play
from ..evaluate.players import EVERY_ROLE, Player, open_checkpoint, scripted_by_name
from ..evaluate.replay_recorder import record
from ..evaluate.report_file import Metric, Row, metrics_of, rows_of
from ..games.scripted import default_players
from ..runs import Replay
from ..spec import Spec
from ..worlds import World, load_spec, make

BOT = "bot:"
MAX_STEPS = 30_000
TIMED_STEPS = 200
BUILD = "build"  # under which a replay of another build is kept, by its frames


@dataclass(frozen=True)
class Request:
    """What to open. policy: a run, a file, or bot:NAME[:LEVEL]; "" for the default bot of every role."""

    policy: str = ""
    game: str = ""  # of a bot; of a checkpoint, another address of the same game
    runs: str = "runs"
    settings: dict[str, Any] = field(default_factory=dict)
    engine: str = "native"
    threads: int = 1
    greedy: bool = False
    max_steps: int = MAX_STEPS
    build: bool = False  # another build of the native library: replays keep their frames

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


class Worker:
    """An opened side."""

    def __init__(self, request: Request):
        self.request = request
        self.spec, self._players, self.name, self.sha256 = _opened(request)
        self._opponents: dict[str, Player] = {}
        self._world: World | None = None

    # ------------------------------------------------------------ what it is

    def describe(self) -> dict[str, Any]:
        """Its identity, its groups and metrics."""
        from ..worlds.library import load

        spec = self.spec
        native = self.request.engine == "native" and spec.source == "engine"
        return {
            "name": self.name,
            "game": spec.game,
            "scenario": spec.address,
            "game_version": spec.version,
            "interface_hash": spec.interface_hash,
            "rules_hash": spec.hash,
            "engine": self.request.engine,
            "engine_version": load().sl_build().decode() if native else None,
            "sha256": self.sha256,
            "profile": spec.profile,
            "settings": spec.config,
            "groups": [[role, self._opponent_name(role)] for role in self._players],
            "metrics": [m.model_dump() for m in self.metrics()],
        }

    def metrics(self) -> list[Metric]:
        """What its episodes are measured by."""
        return metrics_of(self.spec, self._scored(next(iter(self._players))))

    def _scored(self, role: str) -> str:
        return self.spec.role_names[0] if role == EVERY_ROLE else role

    def _opponent_name(self, role: str) -> str | None:
        if role == EVERY_ROLE or len(self.spec.role_names) == 1:
            return None
        others = default_players(self.spec, set(self.spec.role_names) - {role})
        return ", ".join(f"{bot.name}:{bot.level}" if bot.level else bot.name for bot in others.values())

    def _sides(self, role: str, opponent: str | None) -> Any:
        player = self._players.get(role)
        if player is None:
            raise ConfigError(f"{self.name} plays {', '.join(self._players)}, not {role}.")
        if role == EVERY_ROLE:
            return player
        if len(self.spec.role_names) == 1:
            return player
        sides = {role: player}
        if opponent is not None and opponent != self._opponent_name(role):
            other = next(r for r in self.spec.role_names if r != role)
            if opponent not in self._opponents:
                named = scripted_by_name(self.spec, other, opponent, self.request.threads)
                self._opponents[opponent] = named
            sides[other] = self._opponents[opponent].policy
        return sides | default_players(self.spec, set(self.spec.role_names) - set(sides))

    # ------------------------------------------------------------ what it does

    def play(self, role: str, opponent: str | None, seeds: Sequence[int]) -> list[Row]:
        """One row per seed."""
        spec, request = self.spec, self.request
        played = play(
            spec.address,
            self._sides(role, opponent),
            list(seeds),
            spec.settings,
            request.threads,
            request.max_steps,
            engine=request.engine,
        )
        return rows_of(spec, self._scored(role), played, list(seeds))

    def record(
        self, role: str, opponent: str | None, seed: int, actions: np.ndarray | None = None, attempt: int = 0
    ) -> Replay:
        """One episode as a replay: of the policy, or of these actions and then none."""
        sides = self._sides(role, opponent) if actions is None else ActionList(actions, self.spec)
        for i, policy in enumerate(sides.values() if isinstance(sides, Mapping) else [sides]):
            if hasattr(policy, "reseed"):
                policy.reseed(seed ^ (attempt << 8) ^ i)
        name = self.name if actions is None else f"actions of {self.name}"
        return record(
            self.spec.address,
            sides,
            seed,
            self.spec.settings,
            dict.fromkeys(self._players, name) if role != EVERY_ROLE else None,
            exact=True,  # as it was played: a rounded action may end otherwise
            max_steps=self.request.max_steps if actions is None else len(actions),
            engine=self.request.engine,
            kept_as=BUILD if self.request.build else None,
        )

    def outcome(self, seed: int, actions: np.ndarray) -> dict[str, Any] | None:
        """The sums of the episode that these actions lead to; None where it does not end within them."""
        world = self._opened_world()
        world.reset(seed)
        for i, action in enumerate(actions):
            world.actions[...] = action
            if world.step():
                episode = world.finished()[0]
                plain = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in episode.items()}
                return plain | {"steps_played": i + 1}
        return None

    def _opened_world(self) -> World:
        """One world that stays open between outcomes: starting an engine takes longer than playing in it."""
        if self._world is None:
            options = {"autoreset": False} if self.request.engine == "native" else {}
            self._world = make(
                self.spec.address, 1, config=self.spec.settings, engine=self.request.engine, **options
            )
        return self._world

    def hashes(self, seed: int, actions: np.ndarray) -> list[int]:
        """The state's fingerprint after the reset and after every step."""
        with make(self.spec.address, worlds=1, config=self.spec.settings, autoreset=False) as world:
            world.reset(seed)
            found = [world.hash(0)]
            for action in actions:
                world.actions[...] = action
                ended = world.step()
                found.append(world.hash(0))
                if ended:
                    break
            return found

    def time_steps(self, worlds: int, steps: int = TIMED_STEPS) -> list[float]:
        """Microseconds per step of one world, of so many steps of a batch under its own players' actions."""
        from ..games.players import Players

        role = next(iter(self._players))
        with make(
            self.spec.address,
            worlds,
            self.request.threads,
            config=self.spec.settings,
            engine=self.request.engine,
        ) as world:
            world.reset(1)
            players = Players(world, self._sides(role, None))
            found = []
            for _ in range(steps):
                players.act()
                start = time.perf_counter()
                world.step()
                found.append(1e6 * (time.perf_counter() - start) / worlds)
                players.restart()
            return found

    def close(self) -> None:
        """End the world that outcomes were asked of."""
        if self._world is not None:
            self._world.close()
            self._world = None


class ActionList:
    """Plays recorded actions; when they are used up, none."""

    name = "recorded actions"

    def __init__(self, actions: np.ndarray, spec: Spec):
        self._actions, self._none, self._at = actions, no_action(spec), 0

    def act(self, observations: Any, masks: Any = None, state: Any = None) -> tuple[np.ndarray, Any]:
        """The next ones, for all agents."""
        found = self._actions[self._at] if self._at < len(self._actions) else self._none
        self._at += 1
        return np.broadcast_to(found, (len(observations), *np.shape(found)[1:])), state


NOTHING = ("noop", "no_op", "none", "hold", "idle", "wait", "stay", "nothing")


def no_action(spec: Spec) -> Any:
    """What an agent does that does nothing: axes 0, buttons off; a choice named so, or None without one."""
    if spec.discrete:
        names = [name.lower() for name in spec.action_names]
        first = next((i for i, n in enumerate(names) if n.split("_")[0] in NOTHING or n in NOTHING), None)
        return None if first is None else np.full(spec.agents, first, np.int32)
    entries = [-1.0 if action.kind == "button" else 0.0 for action in spec.actions]
    entries += [0.0] * (spec.action_size - len(entries))
    return np.tile(np.array(entries, np.float32), (spec.agents, 1))


def _opened(request: Request) -> tuple[Spec, dict[str, Any], str, str | None]:
    """Spec, what acts by group, name and digest."""
    if not request.policy or request.policy.startswith(BOT):
        return _opened_bot(request)
    checkpoint = open_checkpoint(request.policy, request.runs)
    for policy in checkpoint.policies.values():
        policy.greedy = request.greedy
    spec = checkpoint.spec
    if request.game or request.settings:
        address = request.game or spec.address
        wanted = load_spec(address, {**spec.settings, **request.settings})
        if wanted.interface_hash != spec.interface_hash:
            raise SpecMismatch(
                f"{checkpoint.name} was trained on {spec}; {address} is {wanted} now: other observations "
                "or actions."
            )
        spec = wanted
    roles = checkpoint.policies
    by_role = len(roles) == 1 or spec.rates_roles
    players: dict[str, Any] = dict(roles) if by_role else {EVERY_ROLE: dict(roles)}
    return spec, players, checkpoint.name, checkpoint.sha256


def _opened_bot(request: Request) -> tuple[Spec, dict[str, Any], str, str | None]:
    if not request.game:
        raise ConfigError("A bot needs its game: --game NAME.")
    spec = load_spec(request.game, request.settings)
    word = request.policy.removeprefix(BOT)
    if not word:
        players: dict[str, Any] = dict(default_players(spec, set(spec.role_names)))
        if not players:
            raise ConfigError(f"{spec.game} has no scripted player. Name a policy: --policy RUN|CHECKPOINT.")
        return spec, players, "default bots", None
    if word.partition(":")[0] not in spec.bots:
        raise ConfigError(f"{spec.game} has no bot {word!r}. There are: {', '.join(spec.bots) or 'none'}.")
    role = spec.bots[word.partition(":")[0]]["role"]
    role = spec.role_names[0] if role == EVERY_ROLE else role
    player = scripted_by_name(spec, role, word, request.threads)
    return spec, {role: player.policy}, player.name, None


def library_of(path: Path) -> Path:
    """The native library named by a file or by a checkout's folder; ConfigError where there is none."""
    if path.is_file():
        return path
    found = sorted((path / "src" / "sandlot" / "lib").glob("libsandlot.*"))
    if not found:
        raise ConfigError(
            f"{path} holds no built engine (src/sandlot/lib/libsandlot.*). Run `make build` there."
        )
    return found[0]


# ---------------------------------------------------------------- as a process


def packed(values: np.ndarray) -> dict[str, Any]:
    """An array as JSON."""
    data = base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()
    return {"dtype": str(values.dtype), "shape": list(values.shape), "data": data}


def unpacked(given: Any) -> np.ndarray:
    """The array of `packed`."""
    raw = base64.b64decode(given["data"])
    return np.frombuffer(raw, given["dtype"]).reshape(given["shape"]).copy()


def answer(worker: Worker, message: dict[str, Any]) -> Any:
    """One request's answer as plain values."""
    do = message["do"]
    if do == "describe":
        return worker.describe()
    if do == "play":
        return worker.play(message["role"], message["opponent"], message["seeds"])
    if do == "record":
        actions = message.get("actions")
        replay = worker.record(
            message["role"],
            message["opponent"],
            message["seed"],
            None if actions is None else unpacked(actions),
            message.get("attempt", 0),
        )
        return base64.b64encode(replay.to_bytes()).decode()
    if do == "outcome":
        return worker.outcome(message["seed"], unpacked(message["actions"]))
    if do == "hashes":
        return worker.hashes(message["seed"], unpacked(message["actions"]))
    return worker.time_steps(message["worlds"], message["steps"])


def main() -> int:
    """Answer requests until the input ends."""
    replies = sys.stdout
    worker: Worker | None = None
    with contextlib.redirect_stdout(sys.stderr):  # what a library prints is no answer
        for line in sys.stdin:
            message = json.loads(line)
            try:
                if worker is None:
                    worker = Worker(Request(**message["open"]))
                reply: dict[str, Any] = {"is": answer(worker, message)}
            except SandlotError as problem:
                reply = {"error": str(problem), "type": type(problem).__name__}
            replies.write(json.dumps(reply) + "\n")
            replies.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
