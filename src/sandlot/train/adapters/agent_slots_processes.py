"""Agent slots in several processes, each with its share of the worlds; to a library they are one batch.

Every process starts with the same configuration and a seed of its own. All of them step at the same time.
"""

import contextlib
import multiprocessing
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import seeding
from ...errors import ConfigError, GameLost, GameSilent, SandlotError
from ..config import TrainConfig, as_dict, build
from .agent_slots import AgentSlots
from .recorder import RecordedSteps, concatenate_worlds

START_S, ANSWER_S, END_S = 300.0, 300.0, 10.0  # an engine inside has its own, shorter deadlines
SHOWN = ("rows", "num_actions", "discrete")  # facts that a process reports about its batch


class AgentSlotsProcesses:
    """`worlds` worlds in `adapter.num_workers` processes, with the interface of `AgentSlots`."""

    def __init__(self, config: TrainConfig, worlds: int, seed: int):
        count = config.adapter.num_workers
        if worlds % count:
            raise ConfigError(
                f"ppo.num_envs = {worlds} cannot be shared evenly by adapter.num_workers = {count}; choose a "
                "multiple of it."
            )
        self._workers: list[_Worker] = []
        try:
            for index in range(count):
                own = seeding.split(seed, index)
                self._workers.append(_Worker(index, config, worlds // count, own))
            shown = [worker.answer(START_S) for worker in self._workers]
        except BaseException:
            self.close()
            raise
        self.rows = sum(each["rows"] for each in shown)
        self.num_actions, self.discrete = shown[0]["num_actions"], shown[0]["discrete"]
        self._edges = np.cumsum([0, *(each["rows"] for each in shown)])
        self.observations = np.concatenate([each["observations"] for each in shown])
        self.worlds = worlds

    @property
    def engine_pids(self) -> tuple[int, ...]:
        """The processes that step worlds, and the engines that these have started."""
        engines = [pid for pids in self._all("engines") for pid in pids]
        return (*(worker.pid for worker in self._workers), *engines)

    def reset(self, seed: int) -> np.ndarray:
        """Start new episodes everywhere; returns the observations."""
        seeds = [seeding.split(seed, index) for index in range(len(self._workers))]
        self.observations = np.concatenate(self._each("reset", seeds))
        return self.observations

    def step(self, actions: np.ndarray) -> bool | None:
        """Step every world once; whether an episode ended, else None."""
        parts = [actions[a:b] for a, b in zip(self._edges[:-1], self._edges[1:], strict=True)]
        answers = self._each("step", parts)
        names = ("observations", "rewards", "terminated", "truncated", "finals")
        joined = {name: np.concatenate([answer[name] for answer in answers]) for name in names}
        self.observations, self.rewards = joined["observations"], joined["rewards"]
        self.terminated, self.truncated = joined["terminated"], joined["truncated"]
        self._finals = joined["finals"]  # of the rows that ended, in their order
        return True if len(self._finals) else None

    def final_observations(self, rows: np.ndarray) -> np.ndarray:
        """Final observations of rows that just ended."""
        ended = np.flatnonzero(self.terminated | self.truncated)
        return self._finals[np.searchsorted(ended, rows)]

    def take(self) -> RecordedSteps:
        """The steps recorded since the last call, in all processes."""
        return concatenate_worlds(self._all("take"))

    def observation_sample(self) -> np.ndarray:
        """Some of the observations since the last call, [n, D], for a normalizer."""
        return np.concatenate(self._all("observation_sample"))

    def close(self) -> None:
        """End the processes; what they started ends with them."""
        for worker in self._workers:
            worker.close()
        self._workers = []

    def _all(self, what: str) -> list[Any]:
        return self._each(what, [None] * len(self._workers))

    def _each(self, what: str, arguments: Sequence[Any]) -> list[Any]:
        """Send to all processes, then wait for all answers: they work in parallel."""
        for worker, argument in zip(self._workers, arguments, strict=True):
            worker.ask(what, argument)
        return [worker.answer(ANSWER_S) for worker in self._workers]


class _Worker:
    """One process and the pipe to it."""

    def __init__(self, index: int, config: TrainConfig, worlds: int, seed: int):
        context = multiprocessing.get_context("spawn")  # forking a process that has threads is unsafe
        self._name = f"The process {index} of --set adapter.vec_env=subproc"
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(theirs, as_dict(config), worlds, seed), daemon=True
        )
        self._process.start()
        theirs.close()

    @property
    def pid(self) -> int:
        """The process id."""
        return int(self._process.pid or 0)

    def ask(self, what: str, argument: Any) -> None:
        """Send a command."""
        try:
            self._pipe.send((what, argument))
        except OSError:
            raise GameLost(f"{self._name} ended; its worlds are lost.") from None

    def answer(self, seconds: float) -> Any:
        """The answer to the last command; an error of the process is raised here."""
        if not self._pipe.poll(seconds):
            raise GameSilent(f"{self._name} did not answer within {seconds:g} s.")
        try:
            value = self._pipe.recv()
        except (EOFError, OSError):
            raise GameLost(f"{self._name} ended; its worlds are lost.") from None
        if isinstance(value, Exception):
            raise value
        return value

    def close(self) -> None:
        """Ask it to end; kill it if it does not."""
        with contextlib.suppress(OSError):  # it has ended
            self._pipe.send(("close", None))
        self._process.join(END_S)
        self._process.kill()  # no effect if it has ended
        self._process.join()
        self._pipe.close()


# ---------------------------------------------------------------- in the process


def _serve(pipe: Any, config: dict[str, Any], worlds: int, seed: int) -> None:
    """Runs in each process: a batch, stepped on command until the pipe closes."""
    import signal

    import torch

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the learning process handles Ctrl-C
    torch.set_num_threads(1)
    slots: AgentSlots | None = None
    try:
        slots = AgentSlots(build(config), worlds, seed)
        pipe.send({name: getattr(slots, name) for name in SHOWN} | {"observations": slots.observations})
        while True:
            what, argument = pipe.recv()
            if what == "close":
                return
            pipe.send(_answer(slots, what, argument))
    except (EOFError, OSError):
        pass  # the process that learns has ended
    except SandlotError as problem:
        pipe.send(problem)
    finally:
        if slots is not None:
            slots.close()


def _answer(slots: AgentSlots, what: str, argument: Any) -> Any:
    if what == "step":
        return _step(slots, argument)
    if what == "reset":
        return slots.reset(argument)
    if what == "engines":
        return slots.engine_pids
    return getattr(slots, what)()


def _step(slots: AgentSlots, actions: np.ndarray) -> dict[str, np.ndarray]:
    slots.step(actions)
    ended = np.flatnonzero(slots.terminated | slots.truncated)
    return {
        "observations": slots.observations,
        "rewards": slots.rewards,
        "terminated": slots.terminated,
        "truncated": slots.truncated,
        "finals": slots.final_observations(ended),
    }
