"""PPO on a stream: games request actions and send transitions at their own pace.

Every answered request is kept per agent slot (observation, action, log-probability, value) until its
transition arrives, so that PPO has the log-probability with which the action was sampled. The steps of a
slot are cut into segments of equal length; enough segments form a rollout, which learner.py learns from.
"""

import copy
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np
import torch

from .. import seeding
from ..errors import TrainingFailed
from ..policies import Policy
from ..spec import Spec
from .config import PPOConfig, TrainConfig
from .learner import Learner, new_policy
from .ppo import Metrics

SEGMENT = 32  # steps of one slot in a segment
BATCH = 2048  # steps of one role per update
MAX_PENDING = 256  # answers of one slot without their transition
MAX_STALENESS = 2  # updates that may lie between an answer and learning from it
MAX_PENDING_TOTAL = 32_768  # answers of all slots, about 2 kB each
MAX_OPEN_SEGMENTS = 1024  # segments that are not yet full
MAX_BATCHES = 4  # of one role that wait for an update; older steps are dropped


class Transition(Protocol):
    """The fields of a transition that are read here."""

    agent_slot: Any
    observation: np.ndarray
    action: np.ndarray
    reward: float
    next_observation: np.ndarray | None
    terminated: bool
    truncated: bool
    step: int | None


@dataclass
class Answer:
    """One action that was sent, kept until its transition comes."""

    step: Any
    role: str
    version: int  # updates of the policy that acted
    observation: np.ndarray
    env_action: np.ndarray  # as it was sent
    action: torch.Tensor  # as the head sampled it
    log_prob: float
    value: float


@dataclass
class Segment:
    """`SEGMENT` steps of one slot in one role."""

    answers: list[Answer] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)
    cuts: set[int] = field(default_factory=set)  # steps after which transitions were lost

    @property
    def full(self) -> bool:
        """Whether it has all its steps."""
        return len(self.answers) == SEGMENT

    @property
    def last_observation(self) -> np.ndarray:
        """The observation after the last step; not used where the episode ended with it."""
        return self.next_observation(len(self.transitions) - 1)

    def next_observation(self, step: int) -> np.ndarray:
        """The observation after a step, or the one before it where none was sent."""
        transition = self.transitions[step]
        after = transition.next_observation
        return transition.observation if after is None else after

    def truncated(self) -> list[bool]:
        """The game's own truncations, and one before each gap."""
        return [
            t.truncated or (step in self.cuts and not t.terminated) for step, t in enumerate(self.transitions)
        ]


class StreamLearner:
    """One policy per role: acts for every slot, learns from what comes back; `learn` may run in a thread."""

    def __init__(self, spec: Spec, config: TrainConfig, batch: int = BATCH):
        self.config, self.batch, self.spec = config, max(SEGMENT, batch), spec
        self._lock = threading.Lock()
        self.updates: dict[str, int] = {}
        self._build(spec)

    def _build(self, spec: Spec) -> None:
        seed = self.config.run.seed
        self.spec, self.observation_size, self.action_size = spec, spec.observation_size, spec.action_size
        self.roles = list(dict.fromkeys(spec.roles))
        rows = max(1, self.batch // SEGMENT)
        # Learner reads its arrays from a world; here each row is a segment
        blank = np.zeros((rows, spec.observation_size), np.float32)
        world: Any = SimpleNamespace(rows=rows, spec=spec, shared=lambda name: blank)
        ppo = self._ppo(rows)
        self.learners = {
            role: Learner(
                new_policy(self.config, spec, role, i), world, np.arange(rows), ppo, seeding.split(seed, i)
            )
            for i, role in enumerate(self.roles)
        }
        self.updates = dict.fromkeys(self.roles, 0)
        self.behavior_policies = {role: _copy(learner.policy) for role, learner in self.learners.items()}
        self._rng = torch.Generator().manual_seed(seed & 0x7FFFFFFF)
        self._pending: dict[Any, deque[Answer]] = {}
        self._num_pending = 0  # answers in all of _pending
        self._open: dict[Any, Segment] = {}
        self._full: dict[str, list[Segment]] = {role: [] for role in self.roles}
        self.metrics: dict[str, Metrics] = {}

    def _ppo(self, rows: int) -> PPOConfig:
        """The configuration with segments in place of worlds."""
        minibatches = min(self.config.ppo.num_minibatches, SEGMENT)
        return self.config.ppo.replace(
            num_envs=rows, num_steps=SEGMENT, num_minibatches=minibatches, rollouts_per_iteration=1
        )

    @property
    def version(self) -> int:
        """Updates so far, of all roles together."""
        return sum(self.updates.values())

    @property
    def policies(self) -> dict[str, Policy]:
        """The policies that learn, by role."""
        return {role: learner.policy for role, learner in self.learners.items()}

    def load(self, policies: dict[str, Policy]) -> None:
        """Start from these weights; PyTorch refuses those of another architecture."""
        for role, policy in policies.items():
            if role in self.learners:
                self.learners[role].policy.copy_from(policy)
                self.behavior_policies[role] = _copy(self.learners[role].policy)

    def adapt(self, length: int, other: Spec | None) -> bool:
        """Switch to another observation layout, if nothing has been learned with this one."""
        if other is None or other.observation_size != length or self.version or any(self._full.values()):
            return False
        self._build(other)
        return True

    # ------------------------------------------------------------ acting

    @torch.no_grad()
    def act(
        self, slots: Sequence[Any], roles: Sequence[str], observations: np.ndarray, steps: Sequence[Any]
    ) -> np.ndarray:
        """Actions for one observation per slot, [slots, action_size]; each is remembered."""
        env_actions = np.zeros((len(slots), self.action_size), np.float32)
        for role in dict.fromkeys(roles):
            rows = [i for i, one in enumerate(roles) if one == role]
            policy = self.behavior_policies[role]
            outputs, _ = policy.outputs(observations[rows])
            actions, log_probs = policy.head.sample(outputs, None, self._rng)
            env_actions[rows] = np.clip(policy.head.to_env(actions), -1.0, 1.0)
            for j, i in enumerate(rows):
                answer = Answer(
                    step=steps[i],
                    role=role,
                    version=self.updates[role],
                    observation=observations[i].copy(),
                    env_action=env_actions[i].copy(),
                    action=actions[j].clone(),
                    log_prob=float(log_probs[j]),
                    value=float(outputs[j, -1]),
                )
                self._remember(slots[i], answer)
        return env_actions

    def _remember(self, slot: Any, answer: Answer) -> None:
        """Keep an answer until its transition comes; the slot that asked longest ago loses its oldest."""
        pending = self._pending.pop(slot, None) or deque()
        self._pending[slot] = pending  # now the newest
        pending.append(answer)
        self._num_pending += 1
        if len(pending) > MAX_PENDING:
            pending.popleft()
            self._num_pending -= 1
        while self._num_pending > MAX_PENDING_TOTAL:
            oldest = next(iter(self._pending))
            self._pending[oldest].popleft()
            self._num_pending -= 1
            if not self._pending[oldest]:
                del self._pending[oldest]

    # ------------------------------------------------------------ collecting

    def take(self, transition: Transition) -> str:
        """`learn` if it will be learned from, else why not: `unmatched` or `stale`."""
        slot = transition.agent_slot
        answer, lost = self._answer_to(transition)
        if answer is None:
            self._open.pop(slot, None)  # a gap: earlier steps do not lead up to this one
            return "unmatched"
        if self.updates[answer.role] - answer.version > MAX_STALENESS:
            self._open.pop(slot, None)
            return "stale"
        if slot not in self._open and len(self._open) >= MAX_OPEN_SEGMENTS:
            del self._open[next(iter(self._open))]
        segment = self._open.setdefault(slot, Segment())
        # after lost steps a segment needs the observation before the gap, to bootstrap its value there
        blind_gap = lost and bool(segment.transitions) and segment.transitions[-1].next_observation is None
        if segment.answers and (segment.answers[-1].role != answer.role or blind_gap):
            segment = self._open[slot] = Segment()
        if lost and segment.transitions:
            segment.cuts.add(len(segment.transitions) - 1)
        segment.answers.append(answer)
        segment.transitions.append(transition)
        if segment.full:
            del self._open[slot]
            with self._lock:
                full = self._full[answer.role]
                full.append(segment)
                del full[: -MAX_BATCHES * max(1, self.batch // SEGMENT)]
        return "learn"

    def _answer_to(self, transition: Transition) -> tuple[Answer | None, bool]:
        """The answer that this transition came from, by its step, else by observation and action; and whether
        earlier answers are still without their transition, which will not come any more."""
        pending = self._pending.get(transition.agent_slot, deque())
        for place, answer in enumerate(pending):
            same = (
                transition.step == answer.step
                if transition.step is not None
                else np.allclose(transition.observation, answer.observation, atol=1e-5)
                and np.allclose(transition.action, answer.env_action, atol=1e-4)
            )
            if same:
                for _ in range(place + 1):
                    pending.popleft()
                self._num_pending -= place + 1
                if not pending:
                    del self._pending[transition.agent_slot]
                return answer, place > 0
        return None, False

    def forget(self, belongs: Callable[[Any], bool]) -> None:
        """Drop everything of the slots of a game that left; `belongs` says whether a slot is one of them."""
        for slot in [slot for slot in self._pending if belongs(slot)]:
            self._num_pending -= len(self._pending.pop(slot))
        for slot in [slot for slot in self._open if belongs(slot)]:
            del self._open[slot]

    # ------------------------------------------------------------ learning

    def learn(self, progress: float = 0.0) -> bool:
        """One update of one role, if enough segments are there; returns whether there was one."""
        for role, learner in self.learners.items():
            rows = learner.rollout.rows
            with self._lock:
                batch, rest = self._full[role][:rows], self._full[role][rows:]
                fresh = [s for s in batch if self.updates[role] - s.answers[0].version <= MAX_STALENESS]
                if len(fresh) < rows:
                    self._full[role] = fresh + rest
                    continue
                self._full[role] = rest
            before = copy.deepcopy(learner.state())
            try:
                self._fill(learner, fresh)
                self.metrics[role] = learner.learn(progress)
            except TrainingFailed:
                learner.rollout.raw_observations.clear()
                learner.load(before)  # as if these steps had never arrived
                raise
            self.behavior_policies[role] = _copy(learner.policy)
            self.updates[role] += 1
            return True
        return False

    @torch.no_grad()
    def _fill(self, learner: Learner, segments: Sequence[Segment]) -> None:
        """Segments as the columns of a rollout, [time, segment, …]."""
        r, policy = learner.rollout, learner.policy
        learner.running_returns[:] = 0.0
        for j, segment in enumerate(segments):
            answers, transitions = segment.answers, segment.transitions
            raw = np.stack([answer.observation for answer in answers] + [segment.last_observation])
            r.observations[:, j] = policy.normalize(torch.as_tensor(raw))
            if policy.normalizer is not None:
                r.raw_observations.append(raw[:-1:8].copy())
            r.actions[:, j] = torch.stack([answer.action for answer in answers])
            r.log_probs[:, j] = torch.tensor([answer.log_prob for answer in answers])
            r.values[:-1, j] = [answer.value for answer in answers]
            r.rewards[:, j] = [transition.reward for transition in transitions]
            r.terminated[:, j] = [transition.terminated for transition in transitions]
            r.truncated[:, j] = segment.truncated()
            for t in np.flatnonzero(r.truncated[:, j]).tolist():
                r.final_values[t, j] = policy.values(segment.next_observation(t)[None, :])[0]
        r.values[-1] = policy.network(r.observations[-1], None)[0][:, -1].cpu().numpy()
        r.ticks[:] = int(self.spec.config.get("ticks_per_step", 1))


def _copy(policy: Policy) -> Policy:
    """A copy whose weights do not change while the original learns."""
    return Policy.from_state(policy.state())
