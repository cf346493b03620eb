"""Several Godot processes as one batch of worlds: each plays its share, all at the same time.

A process that dies or freezes is restarted, and its current episodes are replayed from their seeds and
actions, so that no step is lost; the others wait. Each process has its own log and port. Later episodes of a
restarted process have other seeds than without the restart.
"""

import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from .. import seeding
from ..errors import BridgeError, ConfigError, GameLost, GameSilent, NotReset
from .arrays import LoggedWorld, check_count
from .godot import LOG_VARIABLE, GodotWorld
from .past import Past
from .remote import MOST_WORLDS
from .world import Episodes

MOST_PROCESSES = 64
MOST_RESTARTS = 3  # of one process within a thousand steps
CALM_STEPS = 1000

log = logging.getLogger("sandlot.worlds")


class GodotFleet(LoggedWorld):
    """`worlds` arenas, spread over `processes` engines."""

    capabilities = GodotWorld.capabilities

    def __init__(
        self,
        game: str,
        worlds: int = 1,
        threads: int = 1,
        seed: int = 0,
        config: Mapping[str, Any] | None = None,
        *,
        processes: int,
        member: type[GodotWorld] = GodotWorld,
        autoreset: bool = True,
        buffers: Mapping[str, np.ndarray] | None = None,
        log: Path | None = None,
        **options: Any,
    ):
        """member: how each process is reached.

        log: a name that each process's own is made from: godot.log gives godot_0.log, godot_1.log, …
        port, among the options: of the first process; the others take those that follow.
        """
        from .make import load_spec  # which knows every engine, this one too

        check_count("processes", processes, MOST_PROCESSES)
        if worlds < processes:
            raise ConfigError(f"{worlds} arenas in {processes} processes: expected at least one in each.")
        self._members: list[GodotWorld] = []
        self._member = member
        self._restarts = np.zeros((processes, 2), np.int64)  # how many, and at which step the last one was
        spec = load_spec(game, config)
        self._describe(spec, worlds, threads, seed, autoreset, MOST_WORLDS * processes)
        self._make_arrays(buffers or {})
        self._log_file = log or (Path(os.environ[LOG_VARIABLE]) if os.environ.get(LOG_VARIABLE) else None)
        self._first = np.linspace(0, worlds, processes + 1).astype(int)  # world of each process, and the end
        try:
            for i in range(processes):
                self._members.append(self._start(i, game, config, options))
        except BaseException:
            self.close()
            raise
        self._past = [Past(member.worlds, member.actions) for member in self._members]

    def _start(
        self, i: int, game: str, config: Mapping[str, Any] | None, options: Mapping[str, Any]
    ) -> GodotWorld:
        rows = slice(self._first[i] * self.spec.agents, self._first[i + 1] * self.spec.agents)
        if options.get("port"):
            options = {**options, "port": options["port"] + i}
        return self._member(
            game,
            int(self._first[i + 1] - self._first[i]),
            seed=seeding.split(self._seed, i),
            config=config,
            autoreset=self.autoreset,
            buffers={name: array[rows] for name, array in self._arrays.items()},
            log=self._log_of(i),
            **options,
        )

    def _log_of(self, i: int) -> Path | None:
        return self._log_file and self._log_file.with_stem(f"{self._log_file.stem}_{i}")

    # ------------------------------------------------------------ reset and step

    def reset(self, seed: int | None = None, seeds: Any = None, worlds: Any = None) -> np.ndarray:
        """Begin new episodes in all worlds, or in some."""
        self._open()
        roots = self._roots_of(seed, seeds, worlds)
        which = np.arange(self.worlds) if worlds is None else self._indices(worlds)
        for i, member in enumerate(self._members):
            own = which[(which >= self._first[i]) & (which < self._first[i + 1])]
            if own.size:
                local = own - self._first[i]
                member.reset(seeds=[int(root) for root in roots[own]], worlds=local)
                self._past[i].began(local, member.seeds)
        return self.observations

    def step(self, actions: Any = None) -> int:
        """Play one step in every world; returns how many episodes ended."""
        if actions is not None:
            self.actions = actions
        self._open()
        alive = [self._try(i, member.send_step) is not None for i, member in enumerate(self._members)]
        ended = [
            self._try(i, member.receive_step) if alive[i] else None for i, member in enumerate(self._members)
        ]
        for i, count in enumerate(ended):
            ended[i] = self._again(i) if count is None else count
            self._remember(i)
        self.steps += 1
        return sum(count for count in ended if count is not None)

    def _remember(self, i: int) -> None:
        member, past = self._members[i], self._past[i]
        past.played(member.actions)
        over = (member.terminated | member.truncated).reshape(member.worlds, -1).any(axis=1)
        if over.any() and self.autoreset:
            past.began(np.flatnonzero(over), member.seeds)

    # ------------------------------------------------------------ processes that die

    def _try(self, i: int, half: Callable[[], int | None]) -> int | None:
        """Half a step of a process; None if it died or froze."""
        try:
            return half() or 0
        except (GameLost, GameSilent) as problem:
            self._count_restart(i, problem)
            return None

    def _again(self, i: int) -> int:
        """Restart a process, replay its episodes, and play the step in which it died."""
        member = self._members[i]
        while True:
            try:
                same = member.start_again(self._past[i])
                member.send_step()
                ended = member.receive_step()
            except (GameLost, GameSilent) as problem:
                self._count_restart(i, problem)
                continue
            if not same:
                log.warning("sandlot: the replayed episodes of process %d differ slightly.", i)
            return ended

    def _count_restart(self, i: int, problem: BridgeError) -> None:
        """Count a crash and announce the restart; raise the problem after too many."""
        if self.steps - self._restarts[i, 1] > CALM_STEPS:
            self._restarts[i] = 0, self.steps
        self._restarts[i, 0] += 1
        if self._restarts[i, 0] > MOST_RESTARTS or not self._past[i].is_whole:
            self.close()
            raise problem
        log.warning(
            "sandlot: process %d of %d: %s It is started again (%d of %d), and plays its episodes again.",
            i, len(self._members), str(problem).rstrip("."), self._restarts[i, 0], MOST_RESTARTS,
        )  # fmt: skip

    # ------------------------------------------------------------ as one batch

    def finished(self) -> Episodes:
        """Episodes that ended since the last call."""
        parts = [member.finished() for member in self._members]
        for first, part in zip(self._first[:-1], parts, strict=True):
            part.heads["world"] += first
        both = Episodes.concatenate(parts)
        return both[np.argsort(both.heads["step"], kind="stable")]

    @property
    def finished_dropped(self) -> int:
        """Finished episodes that were dropped because they were not fetched."""
        return sum(member.finished_dropped for member in self._members)

    def next_episode(self, worlds: Any = None) -> np.ndarray:
        """Not possible here: always raises."""
        for member in self._members:
            member.next_episode()
        raise NotReset("There is no process.")

    def block(self, name: str, world: int = 0) -> np.ndarray:
        """The floats of one block (info or render) of a world."""
        member, local = self._member_of(world)
        return member.block(name, local)

    def events(self, world: int = 0) -> list[dict[str, Any]]:
        """What happened in one world's last step."""
        member, local = self._member_of(world)
        return member.events(local)

    def hash(self, world: int) -> int:
        """A 64-bit fingerprint of what one world shows."""
        member, local = self._member_of(world)
        return member.hash(local)

    def _member_of(self, world: int) -> tuple[GodotWorld, int]:
        i = int(np.searchsorted(self._first, self._world(world), side="right")) - 1
        return self._members[i], world - int(self._first[i])

    @property
    def engine_pids(self) -> tuple[int, ...]:
        """The engines, in the order of their worlds."""
        return tuple(pid for member in self._members for pid in member.engine_pids)

    def _open(self) -> None:
        if not self._members:
            self._raise_closed()

    def _raise_closed(self) -> NoReturn:
        self._closed()

    def close(self) -> None:
        """End every process."""
        members, self._members = getattr(self, "_members", []), []
        for member in members:
            member.close()
