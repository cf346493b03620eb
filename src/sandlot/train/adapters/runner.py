"""What the adapters share: the interface of `Trainer`, so that the loop writes the same run for all."""

import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from ... import seeding
from ...policies import Policy
from ...runs.windows import WindowAggregator
from ...worlds import load_spec
from ..config import TrainConfig, check
from ..ppo import Metrics
from ..selfplay import KINDS
from ..stopwatch import Stopwatch
from ..trainer import Iteration, count_steps, windows_for
from .actor_critic import ActorCritic, policy_for
from .agent_slots import AgentSlots, check_roles, roles_of
from .agent_slots_processes import AgentSlotsProcesses
from .recorder import RecordedSteps


class NoOpponents:
    """Takes the place of self-play opponents, which the adapters do not have: bots are part of the slots."""

    pools: dict[str, Any] = {}  # noqa: RUF012  (always empty)

    def draw(self) -> None:
        """No effect: there are no opponents."""

    def win_rates(self) -> dict[str, float]:
        """Empty: there are no opponents."""
        return {}


class Runner(ABC):
    """A library's learner behind the interface of `Trainer`; subclasses learn, save and restore."""

    stage = 0

    def __init__(self, config: TrainConfig, run_id: str):
        self.config = check(config)
        torch.set_num_threads(config.run.threads)
        self.spec = load_spec(config.game, config.settings)
        self.roles = roles_of(config, self.spec.role_names)
        check_roles(self.spec, self.roles, config.trainer)
        self.policy = policy_for(config, self.spec, self.roles[0])
        self.watch, self.opponents = Stopwatch(), NoOpponents()
        roles = list(dict.fromkeys(self.spec.roles))
        learners = {role: np.full(config.ppo.num_envs, role in self.roles) for role in roles}
        self.windows = windows_for(config, run_id, self.spec, learners)
        kind = KINDS.index("scripted" if len(self.roles) < len(roles) else "current")
        self.kinds = {role: np.where(there, kind, -1.0) for role, there in learners.items() if len(roles) > 1}
        self._anneal(0.0)

    # ------------------------------------------------------------ for the loop

    @property
    def policies(self) -> dict[str, Policy]:
        """The policy of each role; roles may share its weights."""
        return {role: self.policy.for_role(role) for role in self.roles}

    def iterate(self, progress: float) -> Iteration:
        """One rollout and one update of the library's own. progress: fraction of the run that is over."""
        self._anneal(progress)
        with self.watch.time("learner"):
            metrics = dict.fromkeys(self.roles, self.learn())
        steps = self.take()
        return count_steps(self.windows, self.spec, steps.record, steps.episodes, metrics, self.kinds)

    def _anneal(self, progress: float) -> None:
        ppo = self.config.ppo
        self.learning_rate, self.ent_coef = ppo.learning_rate_at(progress), ppo.ent_coef_at(progress)

    def state(self) -> dict[str, Any]:
        """The state of a resumed run. Worlds are not part of it: only our own PPO resumes bit for bit."""
        return {"policy": self.policy.state(), "library": self.save()}

    def load(self, state: dict[str, Any], windows: dict[str, Any]) -> None:
        """Continue from what `state` gave."""
        self.policy.copy_from(Policy.from_state(state["policy"]))
        self.restore(state["library"])
        self.windows = WindowAggregator.from_dict(windows)
        self.reseed(seeding.split(self.config.run.seed, self.windows.env_steps_total))
        self.windows._running[:] = 0.0  # episodes in progress were lost with their worlds

    # ------------------------------------------------------------ each library's own

    @abstractmethod
    def learn(self) -> Metrics:
        """Collect `ppo.num_steps` steps and update; metrics by our names."""

    @abstractmethod
    def take(self) -> RecordedSteps:
        """The steps since the last call."""

    @abstractmethod
    def save(self) -> dict[str, Any]:
        """Optimizer and counters, as tensors and plain values."""

    @abstractmethod
    def restore(self, saved: dict[str, Any]) -> None:
        """Continue from what `save` gave."""

    @abstractmethod
    def reseed(self, seed: int) -> None:
        """Seed the worlds of a resumed run differently from its start, so that episodes do not repeat."""

    @property
    def engine_pids(self) -> tuple[int, ...]:
        """Processes that run the worlds, as far as known."""
        return ()

    @abstractmethod
    def close(self) -> None:
        """Release worlds, threads and processes."""


@contextmanager
def preserve_signal_handlers() -> Iterator[None]:
    """Restore our handlers after a library that takes over Ctrl-C when it is imported or started."""
    ours = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            for number, handler in ours.items():
                signal.signal(number, handler)


def rename_metrics(metrics: dict[str, Any], names: dict[str, str]) -> Metrics:
    """A library's metrics by our names, where it reports them."""
    return {ours: float(metrics[theirs]) for theirs, ours in names.items() if theirs in metrics}


class AgentSlotsRunner(Runner):
    """A library that steps one batch of worlds, in this process or in several others."""

    def __init__(self, config: TrainConfig, run_id: str):
        super().__init__(config, run_id)
        kind = AgentSlotsProcesses if config.adapter.vec_env == "subproc" else AgentSlots
        self.slots: AgentSlots | AgentSlotsProcesses = kind(config, config.ppo.num_envs, config.run.seed)
        self.actor_critic = ActorCritic(self.policy)

    def take(self) -> RecordedSteps:
        """The steps since the last call. The normalizer is updated here, between two rollouts."""
        if self.policy.normalizer is not None:
            self.policy.normalizer.update(self.slots.observation_sample())
        return self.slots.take()

    @property
    def engine_pids(self) -> tuple[int, ...]:
        """Processes that run the worlds, where it is not this one."""
        return self.slots.engine_pids

    def close(self) -> None:
        """Close the worlds."""
        self.slots.close()
