"""A Godot project that uses the stock godot-rl plugin: `make("godot_rl:DIR#res://level.tscn", worlds=16)`.

One process has as many agents as its scene; further ones are started until there are enough for all worlds.
A world is one agent, or several where the scene trains several policies (or `agents_per_world` in the
project's sandlot.toml says so). The stock protocol has limits: a game resets itself, its
`done` does not tell a time limit from an end, seeds are of whole processes. Games with our addons/godot_rl
say more.
"""

import contextlib
import hashlib
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from .. import seeding
from ..bridge.godot_engine import require
from ..bridge.godot_process import GodotProcess, check_screen, screen
from ..bridge.godot_rl import HANDSHAKE, GodotRLChannel, GodotRLListener
from ..bridge.limits import LARGEST_STEP_REWARD
from ..errors import BadMessage, BridgeError, ConfigError, GameLost, GameSilent, NotReset, Refused
from ..processes import describe_exit
from ..spec import Document, Spec
from .arrays import EpisodeLog, LoggedWorld
from .godot import LOG_VARIABLE, absolute, parse_address
from .godot_rl_project import GODOT_RL_PREFIX, STOCK_FPS, StockProject, stock_name
from .godot_rl_spaces import GameSpaces, read_spaces, stack
from .remote import DEADLINES_VARIABLE, Timeouts
from .world import Capabilities

MOST_WORLDS = 4096
MOST_PROCESSES = 64
SEED_BITS = (1 << 31) - 1  # a game gets the low 31 bits of a seed
EXIT_S = 2.0  # for a process whose socket closed to end
LAST_LINES = 6  # of a process's log, in an error


class StockGame:
    """One process of the game, from its start to its end. How agents form worlds is decided elsewhere."""

    def __init__(
        self,
        project: StockProject,
        timeouts: Timeouts,
        seed: int,
        action_repeat: int,
        log: Path | None,
        screen: Mapping[str, str] | None,
        real_time: bool,
        port: int,
    ):
        """screen: variables of the screen to draw on; None: headless. real_time: at a person's pace."""
        self.timeouts = timeouts
        self.channel: GodotRLChannel | None = None
        self._listener = GodotRLListener(port)
        words = [
            f"--port={self._listener.port}",
            f"--env_seed={seed & SEED_BITS}",
            "--speedup=1",  # paced by --fixed-fps instead: as fast as it can, the same ticks at any speed
            f"--action_repeat={action_repeat}",
        ]
        pace = [] if real_time else ["--fixed-fps", str(STOCK_FPS)]
        try:
            self._process = GodotProcess(
                [*pace, project.scene, *words],
                project=project.folder,
                log=log,
                headless=screen is None,
                environment=screen,
            )
        except BaseException:
            self._listener.close()
            raise

    def connect(self) -> GameSpaces:
        """Wait for the game, and ask for its spaces."""
        self.channel = self._listener.accept(self.timeouts.start, self.ended)
        self.channel.send(HANDSHAKE, self.timeouts.start)
        self.channel.send({"type": "env_info"}, self.timeouts.start)
        return read_spaces(self.channel.receive("env_info", self.timeouts.start))

    def send(self, message: Mapping[str, Any], seconds: float) -> None:
        """Send a command; an unexpected message of the game is an error."""
        assert self.channel is not None
        self.channel.check_quiet()
        self.channel.send(message, seconds)

    def receive(self, expected: str, seconds: float) -> dict[str, Any]:
        """The answer to the last command."""
        assert self.channel is not None
        return self.channel.receive(expected, seconds)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def ended(self) -> str | None:
        """How the process ended, with the end of its log; None while it runs."""
        if self._process.code is None:
            return None
        tail = self.last_lines()
        return f"The game {describe_exit(self._process.code)}." + (
            f" The end of its log:\n{tail}" if tail else ""
        )

    def last_lines(self) -> str:
        """The end of what it printed."""
        lines = [line for line in self._process.log_tail().splitlines() if line.strip()]
        return "\n".join(lines[-LAST_LINES:])

    def close(self) -> None:
        """Ask it to quit, and end it if it does not."""
        self._listener.close()
        if self.channel is not None:
            self.channel.close()
            with contextlib.suppress(Exception):
                self._process.process.wait(self.timeouts.close)
        self._process.__exit__(None, None, None)


class GodotRLWorld(LoggedWorld):
    """`worlds` worlds of agents in one or several processes of a stock godot-rl game, in lock-step."""

    def __init__(
        self,
        game: str,
        worlds: int = 1,
        threads: int = 1,
        seed: int = 0,
        config: Mapping[str, Any] | None = None,
        *,
        autoreset: bool = True,
        buffers: Mapping[str, np.ndarray] | None = None,
        log: Path | None = None,
        timeouts: Timeouts | None = None,
        window: bool = False,
        port: int = 0,
    ):
        """log: file for the output of the first process. window: in a window and in real time, to be watched.
        port: where the first process is waited for, the others at those that follow; 0: free ones.

        threads is accepted and has no effect.
        """
        del threads
        self._games: list[StockGame] = []
        self._open_screen = contextlib.ExitStack()
        self.timeouts = timeouts or Timeouts.parse(os.environ.get(DEADLINES_VARIABLE, ""))
        self._project = StockProject(*parse_address(stock_name(game)))
        self._log_file = log or (Path(os.environ[LOG_VARIABLE]) if os.environ.get(LOG_VARIABLE) else None)
        self._config = dict(config or {})
        self._address = GODOT_RL_PREFIX + absolute(stock_name(game))
        self._action_repeat = self._project.action_repeat(self._config)
        self._seed_of_processes = seeding.check(seed)
        self._window, self._port = window, port
        self._screen: Mapping[str, str] | None = self._open_screen.enter_context(screen()) if window else None
        try:
            self._spaces = self._first_game()
            spec = self._spec()
            self._describe(spec, worlds, 1, seed, autoreset, MOST_WORLDS)
            self._make_arrays(buffers or {})
            self._start_others()
        except (BridgeError, KeyboardInterrupt) as problem:
            self._fail(problem, self.timeouts.start, "starting")
        except BaseException:
            self.close()
            raise
        self.capabilities = Capabilities(
            seeds="seeds" in self._spaces.extras,
            snapshot=False,
            deterministic=False,
            truncation="truncated" in self._spaces.extras,
            final_observation="terminal_obs" in self._spaces.extras,
            next_episode=False,
        )
        self._log = EpisodeLog(spec, self.worlds)
        self._returns = np.zeros(self.rows, np.float64)  # of each agent's episode in progress
        self._lengths = np.zeros(self.worlds, np.int64)  # steps of each world's episode in progress
        self._totals = np.zeros(self.worlds, np.float64)  # and its rewards, the mean over its agents
        self._done = np.zeros(self.rows, bool)  # has ended since its world's episode began
        self._results = np.zeros(
            (self.rows, spec.shape.episode), np.float32
        )  # of its first episode since then

    # ------------------------------------------------------------ processes

    def _first_game(self) -> GameSpaces:
        """Start the first process. One with cameras needs a screen, which headless Godot does not have."""
        spaces = self._started(0).connect()
        if spaces.pictures and self._screen is None:
            check_screen()
            self._games.pop().close()
            self._screen = self._open_screen.enter_context(screen())
            spaces = self._started(0).connect()
        return spaces

    def _started(self, index: int) -> StockGame:
        seed = seeding.split(self._seed_of_processes, index)
        log = self._log_file if index == 0 else None
        port = self._port + index if self._port else 0
        game = StockGame(
            self._project, self.timeouts, seed, self._action_repeat, log, self._screen, self._window, port
        )
        self._games.append(game)
        return game

    def _start_others(self) -> None:
        """As many further processes as the worlds need, started side by side."""
        needed = -(-self.rows // self._per_process)
        if needed > MOST_PROCESSES:
            raise ConfigError(
                f"{self.worlds} worlds need {needed} processes of {self._per_process} agents each, expected "
                f"at most {MOST_PROCESSES}. Put more agents into the scene, or ask for fewer worlds."
            )
        for game in [self._started(index) for index in range(1, needed)]:
            spaces = game.connect()
            if spaces != self._spaces:
                raise Refused("The game described other agents after its restart; it must not change.")

    @property
    def engine_pids(self) -> tuple[int, ...]:
        """The processes of the game."""
        return tuple(game.pid for game in self._games)

    @property
    def _per_process(self) -> int:
        return len(self._spaces.policies)

    # ------------------------------------------------------------ the spec

    def _spec(self) -> Spec:
        spaces, seeded = self._spaces, "seeds" in self._spaces.extras
        described = self._project.description(spaces.roles, self._roles_spaces(), self._action_repeat, seeded)
        where = f"The game in {self._project.folder}"
        return Spec(Document.parse(described, where), described, self._config, self._address)

    def _roles_spaces(self) -> dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
        """Observation fields and actions by role."""
        by_role = dict(zip(self._spaces.roles, self._spaces.policies, strict=True))
        made = {role: self._spaces.by_policy[policy] for role, policy in by_role.items()}
        return {role: (spaces.fields(), spaces.actions()) for role, spaces in made.items()}

    # ------------------------------------------------------------ reset and step

    def reset(self, seed: int | None = None, seeds: Any = None, worlds: Any = None) -> np.ndarray:
        """Begin new episodes in all worlds: a game resets all of its agents at once."""
        self._open()
        roots = self._roots_of(seed, seeds, worlds)
        if worlds is not None and len(self._indices(worlds)) != self.worlds:
            raise ConfigError("A godot-rl game resets all of its agents at once; reset all worlds.")
        answers = self._exchange(self._reset_messages(roots), "reset", self.timeouts.reset)
        self._log.begin(np.arange(self.worlds), roots)
        for name in ("rewards", "terminated", "truncated", "ticks", "invalid"):
            self._arrays[name][:] = 0
        self._returns[:], self._done[:], self._lengths[:], self._totals[:] = 0.0, False, 0, 0.0
        self._observe(answers)
        return self.observations

    def _reset_messages(self, roots: np.ndarray) -> list[dict[str, Any]]:
        """One per process; games that take seeds get one per agent: that of its world's first episode."""
        if "seeds" not in self._spaces.extras:
            return [{"type": "reset"}] * len(self._games)
        own = [seeding.for_episode(int(root), 0) & SEED_BITS for root in roots]
        by_row = [own[row // self.spec.agents] for row in range(self.rows)]
        by_row += [0] * (len(self._games) * self._per_process - self.rows)
        return [{"type": "reset", "seeds": by_row[place]} for place in self._places()]

    def next_episode(self, worlds: Any = None) -> np.ndarray:
        """Not possible here: always raises."""
        del worlds
        if not self._log.started(np.arange(self.worlds)):
            raise NotReset("A world that was never reset has no next episode. Call reset() first.")
        raise BridgeError("A godot-rl game goes on to its next episode by itself; use reset().")

    def step(self, actions: Any = None) -> int:
        """Play one step in every world; returns how many episodes ended."""
        if actions is not None:
            self.actions = actions
        self._open()
        self._log.check_ready()
        invalid = self._invalid_actions()
        answers = self._exchange(self._action_messages(), "step", self.timeouts.step)
        self.steps += 1
        self._arrays["ticks"][:] = self._action_repeat
        self._log.count(invalid.reshape(self.worlds, -1).sum(axis=1))
        self._lengths += 1
        self._observe(answers)
        self._reward(answers)
        return self._close_episodes(answers)

    def _invalid_actions(self) -> np.ndarray:
        """Mark choices that do not exist (the first option is sent instead); axes must be in their bounds."""
        if self.spec.discrete:
            invalid = (self._actions < 0) | (self._actions >= self.spec.action_count)
        else:
            self._check_range(self._actions)
            invalid = np.zeros(self.rows, bool)
        self._arrays["invalid"][:] = invalid
        return invalid

    def _action_messages(self) -> list[dict[str, Any]]:
        """One per process. Agents beyond the last world stand still."""
        missing = len(self._games) * self._per_process - self.rows
        spaces = self._spaces
        rows = self._actions if not self.spec.discrete else np.where(self.invalid, 0, self._actions)
        idle = np.zeros((missing, *rows.shape[1:]), rows.dtype)
        every = np.concatenate([rows, idle]) if missing else rows
        return [
            {"type": "action", "action": [spaces.of(i).encode(row) for i, row in enumerate(every[place])]}
            for place in self._places()
        ]

    def _places(self) -> Iterator[slice]:
        """The rows of each process."""
        count = self._per_process
        return (slice(i * count, (i + 1) * count) for i in range(len(self._games)))

    def _exchange(
        self, messages: list[dict[str, Any]], expected: str, seconds: float
    ) -> list[dict[str, Any]]:
        """Send to all processes, then wait for all: they work at the same time."""
        try:
            for game, message in zip(self._games, messages, strict=True):
                game.send(message, seconds)
            return [game.receive(expected, seconds) for game in self._games]
        except (BridgeError, KeyboardInterrupt) as problem:
            self._fail(problem, seconds, f"step {self.steps}")

    # ------------------------------------------------------------ answers

    def _observe(self, answers: list[dict[str, Any]]) -> None:
        observations = [one for answer in answers for one in self._list(answer, "obs")][: self.rows]
        self._write(observations, self._arrays["observations"], np.arange(self.rows))

    def _write(self, observations: list[Any], into: np.ndarray, rows: np.ndarray) -> None:
        """Observations of these rows, by policy: those of one policy have one size."""
        policies = self._spaces.policies
        try:
            for name, spaces in self._spaces.by_policy.items():
                own = [i for i, row in enumerate(rows.tolist()) if policies[row % len(policies)] == name]
                if own:
                    block = np.empty((len(own), spaces.observation_size), np.float32)
                    names = [self._name(int(rows[i])) for i in own]
                    stack(spaces, [observations[i] for i in own], block, names)
                    into[rows[own], : spaces.observation_size] = block
        except BadMessage as problem:
            self._fail(problem, 0.0, f"step {self.steps}")

    def _name(self, row: int) -> str:
        agent, process = row % self._per_process, row // self._per_process
        return f"Agent {agent}" + (f" of process {process}" if len(self._games) > 1 else "")

    def _list(self, answer: Mapping[str, Any], key: str, default: Any = None) -> list[Any]:
        """A list with one entry per agent of a process."""
        value = answer.get(key, default)
        if not isinstance(value, list) or len(value) != self._per_process:
            found = len(value) if isinstance(value, list) else value
            problem = BadMessage(f"The game sent {found!r} as {key}, expected a list of {self._per_process}.")
            self._fail(problem, 0.0, f"step {self.steps}")
        return value

    def _joined(self, answers: list[dict[str, Any]], key: str, default: Any = None) -> list[Any]:
        usual = None if default is None else [default] * self._per_process
        return [one for answer in answers for one in self._list(answer, key, usual)][: self.rows]

    def _reward(self, answers: list[dict[str, Any]]) -> None:
        given = self._joined(answers, "reward")
        try:
            rewards = np.array(given, np.float32)
            bad = ~(np.abs(rewards) <= LARGEST_STEP_REWARD)
        except (ValueError, TypeError):
            rewards, bad = np.zeros(self.rows, np.float32), np.array([not _is_number(r) for r in given])
        if bad.any() or rewards.shape != (self.rows,):
            row = int(np.argmax(bad))
            limits = f"expected a number within ±{LARGEST_STEP_REWARD:,.0f}"
            problem = BadMessage(f"{self._name(row)} was rewarded with {given[row]!r}, {limits}.")
            self._fail(problem, 0.0, f"step {self.steps}")
        self._arrays["rewards"][:] = rewards
        self._returns += rewards
        self._totals += rewards.reshape(self.worlds, -1).mean(axis=1)

    def _close_episodes(self, answers: list[dict[str, Any]]) -> int:
        """Mark the agents that ended, and close the episodes of worlds in which every agent has."""
        done = np.array([bool(one) for one in self._joined(answers, "done")])
        cut = np.array([bool(one) for one in self._joined(answers, "truncated", False)]) & done
        self._arrays["terminated"][:], self._arrays["truncated"][:] = done & ~cut, cut
        ended = np.flatnonzero(done)
        if not ended.size:
            return 0
        self._keep_final(answers, ended)
        infos = self._joined(answers, "info", {})
        for row in ended.tolist():
            if not self._done[row]:
                self._results[row] = self._sums(row, infos[row])
            self._done[row], self._returns[row] = True, 0.0
        over = np.flatnonzero(self._done.reshape(self.worlds, -1).all(axis=1)).tolist()
        for world in over:
            rows = slice(world * self.spec.agents, (world + 1) * self.spec.agents)
            how = bool(self.terminated[rows].any()), bool(self.truncated[rows].any())
            self._log.end(world, self.steps, *how, self._results[rows].mean(axis=0), self.autoreset)
            self._done[rows] = False
            if self.autoreset:
                self._lengths[world], self._totals[world] = 0, 0.0
            else:
                self._arrays["observations"][rows] = self.final_observations[rows]
        return len(over)

    def _keep_final(self, answers: list[dict[str, Any]], ended: np.ndarray) -> None:
        """The last observations of the episodes that ended; without the game's word, what it shows now."""
        final = self._arrays["final_observations"]
        final[ended] = self.observations[ended]
        last = self._joined(answers, "terminal_obs", {})
        sent = [row for row in ended.tolist() if last[row]]
        if sent:
            self._write([last[row] for row in sent], final, np.array(sent))

    def _sums(self, row: int, info: Any) -> list[float]:
        """The episode fields of an agent, in the order of the document."""
        length = int(self._lengths[row // self.spec.agents])
        seconds = length * self._action_repeat / STOCK_FPS
        known = {"return": self._returns[row], "length": length, "duration_s": seconds}
        try:
            return [
                float(known[field.name]) if field.name in known else self._project.report(field.name, info)
                for field in self.spec.episode
            ]
        except BadMessage as problem:
            self._fail(problem, 0.0, f"step {self.steps}")

    # ------------------------------------------------------------ one world

    def block(self, name: str, world: int = 0) -> np.ndarray:
        """info: ticks and return of the episode in progress; such a game has no render block."""
        if name != "info":
            return super().block(name, world)
        world = self._world(world)
        return np.array([self._lengths[world] * self._action_repeat, self._totals[world]], np.float32)

    def hash(self, world: int) -> int:
        """A 64-bit fingerprint of what one world shows, not of all of its state."""
        world, agents = self._world(world), self.spec.agents
        shown = self._arrays["observations"][world * agents : (world + 1) * agents].tobytes()
        return int.from_bytes(hashlib.blake2b(shown, digest_size=8).digest(), "big")

    @property
    def engine_version(self) -> str:
        """What plays, for records."""
        return f"Godot {require().version}, godot-rl protocol"

    # ------------------------------------------------------------ life

    def _fail(self, problem: BaseException, seconds: float, when: str) -> NoReturn:
        """Close everything, and raise what happened, with the end of the log."""
        if isinstance(problem, GameLost):
            problem = self._how_it_ended() or problem
        tail = "\n".join(filter(None, (game.last_lines() for game in self._games[:1])))
        self.close()
        if isinstance(problem, GameSilent):
            hint = (
                "Does its scene have a Sync node whose control_mode is Training?"
                if when == "starting"
                else "It is frozen, or a step takes longer: raise the deadline (--deadlines step=120)."
            )
            log = f" The end of its log:\n{tail}" if tail else ""
            raise GameSilent(f"{problem} ({when}, {seconds:g} s). {hint}{log}") from None
        if isinstance(problem, GameLost):
            raise GameLost(f"{problem} (at {when})") from None
        if isinstance(problem, BadMessage):
            raise BadMessage(f"{problem} (at {when})", problem.code) from None
        raise problem

    def _how_it_ended(self) -> GameLost | None:
        """How the first process that ended did so: a socket closes shortly before its process ends."""
        until = time.monotonic() + EXIT_S
        while time.monotonic() < until:
            for game in self._games:
                if why := game.ended():
                    return GameLost(why)
            time.sleep(0.05)
        return None

    def _open(self) -> None:
        if not self._games:
            self._closed()

    def close(self) -> None:
        """End every process, and the screen. The arrays stay readable."""
        games, self._games = getattr(self, "_games", []), []
        for game in games:
            game.close()
        if hasattr(self, "_open_screen"):
            self._open_screen.close()

    def __repr__(self) -> str:
        state = f"{self.worlds} worlds" if self._games else "closed"
        return f"GodotRLWorld({self._project.folder.name}, {state})"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and bool(np.isfinite(value))
