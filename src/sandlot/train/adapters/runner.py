"""What the adapters share: the face of our own trainer, so that the loop writes the same run for all."""

from __future__ import annotations

import copy
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from ... import seeding
from ...games import Spec
from ...policies import Policy
from ...runs.windows import WindowAggregator
from ..config import TrainConfig, check
from ..ppo import Figures
from ..selfplay import KINDS
from ..stopwatch import Stopwatch
from ..trainer import Iteration, counted, windows_for
from .ledger import Page
from .outputs import Outputs, policy_for
from .seats import Seats, roles_of


class Nobody:
    """No pool of past selves: rivals are scripted, and sit in the worlds already."""

    pools: dict[str, Any] = {}  # noqa: RUF012  (always empty)

    def invite(self) -> None: ...

    def told(self) -> dict[str, float]:
        return {}


class Runner:
    """A library's learner behind the face of `train.trainer.Trainer`; subclasses play, learn, save, load."""

    stage = 0

    def __init__(self, config: TrainConfig, run_id: str):
        self.config = check(config)
        torch.set_num_threads(config.run.threads)
        self.spec = Spec(config.game, config.settings)
        self.roles = roles_of(config, self.spec.roles)
        self.policy = policy_for(config, self.spec, self.roles[0])
        self.watch, self.opponents = Stopwatch(), Nobody()
        roles = list(dict.fromkeys(self.spec.roles))
        learners = {role: np.full(config.ppo.worlds, role in self.roles) for role in roles}
        self.windows = windows_for(config, run_id, self.spec, learners)
        kind = KINDS.index("scripted" if len(self.roles) < len(roles) else "current")
        self.met = {role: np.where(there, kind, -1.0) for role, there in learners.items() if len(roles) > 1}
        self.progress = 0.0

    # ------------------------------------------------------------ for the loop

    @property
    def policies(self) -> dict[str, Policy]:
        """The policy by role; several roles may share its weights."""
        return {role: _in_role(self.policy, role) for role in self.roles}

    def iterate(self, progress: float) -> Iteration:
        """One rollout and one update of the library's own. progress: how far the run is, 0 to 1."""
        self.progress = progress
        with self.watch.time("learner"):
            figures = self.learn()
        page = self.take()
        told = dict.fromkeys(self.roles, figures)
        return counted(self.windows, self.spec, page.rewards, page.ticks, page.episodes, told, self.met)

    def state(self) -> dict[str, Any]:
        """What a resumed run continues with. Worlds begin anew: only our own PPO resumes bit for bit."""
        return {"policy": self.policy.state(), "library": self.save()}

    def load(self, state: dict[str, Any], windows: dict[str, Any]) -> None:
        self.policy.network.load_state_dict(state["policy"]["network"])
        if self.policy.normaliser is not None:
            self.policy.normaliser.load(state["policy"]["normaliser"])
        self.restore(state["library"])
        self.windows = WindowAggregator.from_dict(windows)
        self.begin_anew(seeding.split(self.config.run.seed, self.windows.env_steps_total))
        self.windows._running[:] = 0.0  # episodes in progress were lost with their worlds

    # ------------------------------------------------------------ for the schedules

    def learning_rate(self) -> float:
        p = self.config.ppo
        return p.learning_rate + (p.learning_rate_end - p.learning_rate) * self.progress

    def entropy(self) -> float:
        p = self.config.ppo
        return p.entropy + (p.entropy_end - p.entropy) * self.progress

    # ------------------------------------------------------------ each library's own

    def learn(self) -> Figures:
        """Play `ppo.horizon` steps and update; figures by our names."""
        raise NotImplementedError

    def take(self) -> Page:
        """What was played since the last call."""
        raise NotImplementedError

    def save(self) -> dict[str, Any]:
        """Optimiser and counters, as tensors and plain values."""
        raise NotImplementedError

    def restore(self, saved: dict[str, Any]) -> None:
        raise NotImplementedError

    def begin_anew(self, seed: int) -> None:
        """Give the worlds of a resumed run other episodes than those it began with."""
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


def _in_role(policy: Policy, role: str) -> Policy:
    same = copy.copy(policy)  # the very same network and normaliser
    same.role = role
    return same


@contextmanager
def signals_kept() -> Iterator[None]:
    """A library that takes over Ctrl-C when it is imported or started gives it back at the end of this."""
    ours = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            for number, handler in ours.items():
                signal.signal(number, handler)


def named(told: dict[str, Any], names: dict[str, str]) -> Figures:
    """A library's figures under our names, as far as it gave them."""
    return {ours: float(told[theirs]) for theirs, ours in names.items() if theirs in told}


class SeatsRunner(Runner):
    """A library that plays in this process, over one batch."""

    def __init__(self, config: TrainConfig, run_id: str):
        super().__init__(config, run_id)
        self.seats = Seats(config, config.ppo.worlds, config.run.seed)
        self.outputs = Outputs(self.policy)

    def take(self) -> Page:
        """What was played; the normaliser moves here, between an update and the next rollout."""
        if self.policy.normaliser is not None:
            self.policy.normaliser.update(self.seats.glimpses())
        return self.seats.take()

    def close(self) -> None:
        self.seats.close()
