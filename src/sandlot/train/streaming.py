"""PPO from a stream: games act when they like and send transitions when they have them.

What was acted is remembered a seat (what was seen, drawn, how likely it was), so that a transition is learned
from with the probability it was really drawn with. Each seat's steps are cut into segments of equal length;
enough segments make a rollout like any other, and the same learner takes it.
"""

from __future__ import annotations

import copy
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np
import torch

from .. import seeding
from ..errors import TrainingFailed
from ..games import Spec
from ..policies import Policy
from ..policies.policy import Shape
from .config import TrainConfig
from .device import device_of
from .learner import Learner
from .ppo import Figures

SEGMENT = 32  # steps a seat plays between two cuts
BATCH = 2048  # steps of one role that make an update
REMEMBERED = 256  # acts a seat may have unanswered
MOST_STALE = 2  # updates that may lie between an act and learning from it
MOST_REMEMBERED = 32_768  # acts of all seats together, about 2 kB each
MOST_GROWING = 1024  # seats whose steps are not yet a whole segment
MOST_BATCHES = 4  # of one role that wait to be learned from; older steps are dropped


class Told(Protocol):
    """A transition, as far as it is read here."""

    seat: Any
    observation: np.ndarray
    action: np.ndarray
    reward: float
    next_observation: np.ndarray | None
    terminated: bool
    truncated: bool
    step: int | None


@dataclass
class Act:
    """One answer, kept until its transition comes."""

    step: Any
    role: str
    version: int
    observation: np.ndarray
    action: np.ndarray
    choice: torch.Tensor
    log_prob: float
    value: float


@dataclass
class Segment:
    """`SEGMENT` steps of one seat in one role."""

    acts: list[Act] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    cuts: set[int] = field(default_factory=set)  # steps after which transitions were lost

    @property
    def full(self) -> bool:
        return len(self.acts) == SEGMENT

    @property
    def after(self) -> np.ndarray:
        """What was seen after the last step; of no weight where the episode ended with it."""
        return self.seen_after(len(self.told) - 1)

    def seen_after(self, step: int) -> np.ndarray:
        told = self.told[step]
        return told.observation if told.next_observation is None else told.next_observation

    def truncated(self) -> list[bool]:
        """Where we stopped watching: the game's own truncations, and before each gap."""
        return [t.truncated or (step in self.cuts and not t.terminated) for step, t in enumerate(self.told)]


class StreamLearner:
    """One policy a role: acts for every seat, learns from what comes back; `learn` may run in a thread."""

    def __init__(self, spec: Spec, config: TrainConfig, batch: int = BATCH):
        self.config, self.batch, self.spec = config, max(SEGMENT, batch), spec
        self._lock = threading.Lock()
        self.updates: dict[str, int] = {}
        self._build(spec)

    def _build(self, spec: Spec) -> None:
        seed = self.config.run.seed
        self.spec, self.observation_size, self.action_size = spec, spec.observation_size, spec.action_size
        self.roles = list(dict.fromkeys(spec.roles))
        shape = Shape(**vars(self.config.network))
        rows = max(1, self.batch // SEGMENT)
        # a learner asks a world for its arrays; here segments take the place of worlds
        blank = np.zeros((rows, spec.observation_size), np.float32)
        world: Any = SimpleNamespace(rows=rows, spec=spec, shared=lambda name: blank)
        ppo, device = self._ppo(rows), device_of(self.config.run.device)
        self.learners = {
            role: Learner(
                Policy(spec, role, shape, seed=seeding.split(seed, 100 + i) & 0x7FFFFFFF).to(device),
                world,
                np.arange(rows),
                ppo,
                seeding.split(seed, i),
            )
            for i, role in enumerate(self.roles)
        }
        self.updates = dict.fromkeys(self.roles, 0)
        self.acting = {role: _copy(learner.policy) for role, learner in self.learners.items()}
        self._rng = torch.Generator().manual_seed(seed & 0x7FFFFFFF)
        self._pending: dict[Any, deque[Act]] = {}
        self._remembered = 0  # acts in all of _pending
        self._growing: dict[Any, Segment] = {}
        self._full: dict[str, list[Segment]] = {role: [] for role in self.roles}
        self.figures: dict[str, Figures] = {}

    def _ppo(self, rows: int) -> Any:
        from dataclasses import replace

        parts = min(self.config.ppo.minibatches, SEGMENT)
        return replace(self.config.ppo, worlds=rows, horizon=SEGMENT, minibatches=parts, rollouts=1)

    @property
    def version(self) -> int:
        return sum(self.updates.values())

    @property
    def policies(self) -> dict[str, Policy]:
        return {role: learner.policy for role, learner in self.learners.items()}

    def load(self, policies: dict[str, Policy]) -> None:
        """Begin with these weights; those of another layout or shape are refused by PyTorch's own words."""
        for role, policy in policies.items():
            if role in self.learners:
                own = self.learners[role].policy
                own.network.load_state_dict(policy.network.state_dict())
                own.head.load_state_dict(policy.head.state_dict())
                if own.normaliser is not None and policy.normaliser is not None:
                    own.normaliser.load(policy.normaliser.state())
                self.acting[role] = _copy(own)

    def adapt(self, length: int, other: Spec | None) -> bool:
        """Change to another layout, as long as nothing has been learned under this one."""
        if other is None or other.observation_size != length or self.version or any(self._full.values()):
            return False
        self._build(other)
        return True

    # ------------------------------------------------------------ acting

    @torch.no_grad()
    def act(
        self, seats: Sequence[Any], roles: Sequence[str], observations: np.ndarray, steps: Sequence[Any]
    ) -> np.ndarray:
        made = np.zeros((len(seats), self.action_size), np.float32)
        for role in dict.fromkeys(roles):
            rows = [i for i, one in enumerate(roles) if one == role]
            policy = self.acting[role]
            outputs, _ = policy.outputs(observations[rows])
            choices, log_probs = policy.head.sample(outputs, None, self._rng)
            made[rows] = np.clip(policy.head.actions(choices), -1.0, 1.0)
            for j, i in enumerate(rows):
                value = float(outputs[j, -1])
                act = Act(steps[i], role, self.updates[role], observations[i].copy(), made[i].copy(),
                          choices[j].clone(), float(log_probs[j]), value)  # fmt: skip
                self._remember(seats[i], act)
        return made

    def _remember(self, seat: Any, act: Act) -> None:
        """Keep an act until its transition comes; the seat that asked longest ago gives way."""
        waiting = self._pending.pop(seat, None) or deque()
        self._pending[seat] = waiting  # now the newest
        waiting.append(act)
        self._remembered += 1
        if len(waiting) > REMEMBERED:
            waiting.popleft()
            self._remembered -= 1
        while self._remembered > MOST_REMEMBERED:
            oldest = next(iter(self._pending))
            self._pending[oldest].popleft()
            self._remembered -= 1
            if not self._pending[oldest]:
                del self._pending[oldest]

    # ------------------------------------------------------------ collecting

    def take(self, told: Told) -> str:
        """`learn` if it will be learned from, else why not: `unmatched` or `stale`."""
        act, lost = self._act_of(told)
        if act is None:
            self._growing.pop(told.seat, None)  # a gap: what came before does not lead here
            return "unmatched"
        if self.updates[act.role] - act.version > MOST_STALE:
            self._growing.pop(told.seat, None)
            return "stale"
        if told.seat not in self._growing and len(self._growing) >= MOST_GROWING:
            del self._growing[next(iter(self._growing))]
        segment = self._growing.setdefault(told.seat, Segment())
        unseen = lost and bool(segment.told) and segment.told[-1].next_observation is None
        if segment.acts and (segment.acts[-1].role != act.role or unseen):
            segment = self._growing[told.seat] = Segment()
        if lost and segment.told:
            segment.cuts.add(len(segment.told) - 1)
        segment.acts.append(act)
        segment.told.append(told)
        if segment.full:
            del self._growing[told.seat]
            with self._lock:
                full = self._full[act.role]
                full.append(segment)
                del full[: -MOST_BATCHES * max(1, self.batch // SEGMENT)]
        return "learn"

    def _act_of(self, told: Told) -> tuple[Act | None, bool]:
        """The answer that this transition came from, by its step, else by what was seen and done; and whether
        answers before it are still without their transition, which will not come any more."""
        waiting = self._pending.get(told.seat, deque())
        for place, act in enumerate(waiting):
            same = (
                told.step == act.step
                if told.step is not None
                else np.allclose(told.observation, act.observation, atol=1e-5)
                and np.allclose(told.action, act.action, atol=1e-4)
            )
            if same:
                for _ in range(place + 1):
                    waiting.popleft()
                self._remembered -= place + 1
                if not waiting:
                    del self._pending[told.seat]
                return act, place > 0
        return None, False

    def gone(self, of: Any) -> None:
        """Seats of a game that left; `of` says of a seat whether it is one."""
        for seat in [seat for seat in self._pending if of(seat)]:
            self._remembered -= len(self._pending.pop(seat))
        for seat in [seat for seat in self._growing if of(seat)]:
            del self._growing[seat]

    # ------------------------------------------------------------ learning

    def learn(self, progress: float = 0.0) -> bool:
        """One update of one role, if there is enough to learn from."""
        for role, learner in self.learners.items():
            rows = learner.rollout.rows
            with self._lock:
                batch, rest = self._full[role][:rows], self._full[role][rows:]
                fresh = [s for s in batch if self.updates[role] - s.acts[0].version <= MOST_STALE]
                if len(fresh) < rows:
                    self._full[role] = fresh + rest
                    continue
                self._full[role] = rest
            before = copy.deepcopy(learner.state())
            try:
                self._fill(learner, fresh)
                self.figures[role] = learner.learn(progress)
            except TrainingFailed:
                learner.rollout.raw.clear()
                learner.load(before)  # as if these steps had never come
                raise
            self.acting[role] = _copy(learner.policy)
            self.updates[role] += 1
            return True
        return False

    @torch.no_grad()
    def _fill(self, learner: Learner, segments: Sequence[Segment]) -> None:
        """Segments as the columns of a rollout, [time, segment, …]."""
        r, policy = learner.rollout, learner.policy
        learner.discounted[:] = 0.0
        for j, segment in enumerate(segments):
            seen = np.stack([act.observation for act in segment.acts] + [segment.after])
            r.observations[:, j] = policy.normalised(torch.as_tensor(seen))
            r.raw.append(seen[:-1:8].copy())
            r.choices[:, j] = torch.stack([act.choice for act in segment.acts])
            r.log_probs[:, j] = torch.tensor([act.log_prob for act in segment.acts])
            r.values[:-1, j] = [act.value for act in segment.acts]
            r.rewards[:, j] = [told.reward for told in segment.told]
            r.terminated[:, j] = [told.terminated for told in segment.told]
            r.truncated[:, j] = segment.truncated()
            for t in np.flatnonzero(r.truncated[:, j]).tolist():
                r.final_values[t, j] = policy.values(segment.seen_after(t)[None, :])[0]
        r.values[-1] = policy.network(r.observations[-1], None)[0][:, -1].cpu().numpy()
        r.ticks[:] = int(self.spec.config.get("ticks_per_step", 1))


def _copy(policy: Policy) -> Policy:
    """Weights that stay as they are while the original learns."""
    return Policy.from_state(policy.state())
