"""A learner: one policy of one role, the rows it plays, what it collected, and its optimiser.

It may learn in another thread while it collects. Then a copy of the policy, the player, acts meanwhile and
fills a second rollout; `refresh` and `hand_over`, called while neither is going on, bring the two together.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import torch

from ..games import VectorGame
from ..policies import Policy
from ..policies.kernels import sample
from ..policies.normalise import ReturnScale
from .advantages import advantages
from .config import PPOConfig
from .critic import Critic
from .generators import restore, restore_dice, words
from .ppo import Figures, has_loops, rounding, update
from .rollout import Rollout
from .teaching import Teaching


class Learner:
    """Collects and learns for the rows it was given."""

    def __init__(
        self,
        policy: Policy,
        world: VectorGame,
        rows: np.ndarray,
        config: PPOConfig,
        seed: int,
        teacher: Teaching | None = None,
    ):
        self.policy, self.rows, self.config, self.device = policy, rows, config, policy.device
        self.all_rows = len(rows) == world.rows  # then no row has to be gathered
        self.seen = policy.spec.observation_size  # entries that the player gets; the critic gets all
        told = world.spec.observation_size - self.seen
        self.critic = Critic(policy.network, told, seed & 0x7FFFFFFF).to(self.device) if told else None
        self.overlaps = config.rollouts > 1
        self.player = Policy.from_state(policy.state()).to(self.device) if self.overlaps else policy
        self.judge = copy.deepcopy(self.critic) if self.overlaps else self.critic
        self.rollout = self._rollout(told, teacher is not None)  # being filled
        self.collected = self._rollout(told, teacher is not None) if self.overlaps else self.rollout
        self.optimiser = torch.optim.Adam(self.parameters(), lr=config.learning_rate, eps=1e-5, fused=True)
        self.scale = ReturnScale()
        self.discounted = np.zeros(len(rows), np.float32)  # running return of each row, for the scale
        self.memory = policy.network.start(len(rows), self.device) if policy.network.memory else None
        self.generator = seed  # state of the PCG32 that draws actions
        self.torch_rng = torch.Generator(self.device).manual_seed(seed & 0x7FFFFFFF)
        self.order = np.random.default_rng(seed)
        self.fused = has_loops(policy)
        self._seen = torch.from_numpy(world.shared("observations"))
        self._masks = torch.from_numpy(world.shared("masks")) if world.spec.masked else None
        self._index = torch.from_numpy(rows)
        self.teacher = teacher

    def _rollout(self, told: int, taught: bool) -> Rollout:
        made = Rollout(self.policy.spec, self.policy, self.config.horizon, len(self.rows))
        shape = (self.config.horizon, len(self.rows))
        if told:
            made.told = torch.zeros(shape[0] + 1, shape[1], told, device=self.device)
        if taught:
            made.taught = torch.zeros(shape, dtype=torch.int32, device=self.device)
        return made

    def parameters(self) -> list[torch.nn.Parameter]:
        return [*self.policy.parameters(), *(self.critic.parameters() if self.critic else ())]

    # ------------------------------------------------------------ between collecting and learning

    def refresh(self, progress: float) -> None:
        """Play with what was learned so far. progress: of the run, 0 to 1; teachers leave by it."""
        if self.teacher is not None and self.teacher.weight(progress) == 0.0:
            self._dismiss()  # it has said what it had to say
        if not self.overlaps:
            return
        self.player.network.load_state_dict(self.policy.network.state_dict())
        self.player.head.load_state_dict(self.policy.head.state_dict())
        if self.policy.normaliser is not None and self.player.normaliser is not None:
            self.player.normaliser.load(self.policy.normaliser.state())
        if self.critic is not None and self.judge is not None:
            self.judge.load_state_dict(self.critic.state_dict())

    def _dismiss(self) -> None:
        self.teacher = self.rollout.taught = self.collected.taught = None

    def hand_over(self) -> None:
        """What was collected is now to be learned from; what was learned from is to be filled anew."""
        self.rollout, self.collected = self.collected, self.rollout

    # ------------------------------------------------------------ collecting

    def _mine(self, array: np.ndarray) -> np.ndarray:
        return array if self.all_rows else array[self.rows]

    def _gather(self, shared: torch.Tensor) -> torch.Tensor:
        return shared if self.all_rows else shared.index_select(0, self._index)

    def observe(self, t: int) -> None:
        """Take in the present observations as those before step t."""
        rows = self._gather(self._seen)
        if self.policy.normaliser is not None and t % 8 == 0 and t < self.rollout.horizon:
            self.rollout.raw.append(rows[:: max(1, len(rows) // 256), : self.seen].numpy().copy())
        rows = rows.to(self.device)
        if self.rollout.told is not None:
            self.rollout.told[t] = rows[:, self.seen :]
        self.player.normalised(rows[:, : self.seen], out=self.rollout.observations[t])

    @torch.no_grad()
    def act(self, world: VectorGame, t: int) -> None:
        """Choose for step t and write the actions into the world."""
        if self.teacher is not None and self.rollout.taught is not None:
            self.rollout.taught[t] = self.teacher.says(
                self._mine(world.observations), self._mine_masks(world)
            )
        if self.rollout.memories is not None and self.memory is not None:
            self.rollout.memories[t] = self.memory
        told = None if self.rollout.told is None else self.rollout.told[t]
        outputs, values, self.memory = self._outputs(self.rollout.observations[t], told, self.memory)
        masks = None
        if self.rollout.masks is not None and self._masks is not None:
            masks = self.rollout.masks[t]
            masks.copy_(self._gather(self._masks))
        if self.fused:
            choices, log_probs, self.generator = sample(outputs, masks, self.policy.head.size, self.generator)
        else:
            choices, log_probs = self.player.head.sample(outputs, masks, self.torch_rng)
        self.rollout.choices[t], self.rollout.log_probs[t] = choices, log_probs
        self.rollout.values[t] = values.cpu().numpy()
        world.actions[self.rows if not self.all_rows else slice(None)] = self.policy.head.actions(choices)

    def _mine_masks(self, world: VectorGame) -> np.ndarray | None:
        return None if world.masks is None else self._mine(world.masks)

    def _outputs(
        self, observations: torch.Tensor, told: torch.Tensor | None, memory: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """What the network says of one step, values to learn from, and its memory afterwards."""
        network = self.player.network
        with rounding(self.config, self.device):
            features, memory = network.features(observations, memory)
            outputs = network.last(features).float().contiguous()
            values = outputs[:, -1] if self.judge is None else self.judge(features, told)
        return outputs, values, memory

    @torch.no_grad()
    def record(self, world: VectorGame, t: int) -> None:
        """Keep what step t brought."""
        r = self.rollout
        r.rewards[t], r.ticks[t] = self._mine(world.rewards), self._mine(world.ticks)
        r.terminated[t], r.truncated[t] = self._mine(world.terminated), self._mine(world.truncated)
        cut = np.flatnonzero(r.truncated[t] & ~r.terminated[t])
        if len(cut):
            self._value_of_the_cut(world, t, cut)
        self._forget(r.terminated[t] | r.truncated[t])

    def _forget(self, ended: np.ndarray) -> None:
        """Leave behind what was remembered of episodes that ended, [own rows]."""
        if self.memory is not None:
            self.policy.restart(self.memory, ended)
        if self.teacher is not None:
            self.teacher.restart(ended)

    def begin_anew(self, rows: np.ndarray) -> None:
        """Between two rollouts some rows of the world, [rows] bool, were given a new episode."""
        self._forget(self._mine(rows))
        self.discounted[self._mine(rows)] = 0.0

    def _value_of_the_cut(self, world: VectorGame, t: int, cut: np.ndarray) -> None:
        """Where we stopped watching, the last observation still had a future."""
        last = torch.as_tensor(self._mine(world.final_observations)[cut], device=self.device)
        seen = self.player.normalised(last[:, : self.seen])
        memory = None if self.memory is None else self.memory[cut]
        values = self._outputs(seen, last[:, self.seen :], memory)[1]
        self.rollout.final_values[t, cut] = values.cpu().numpy()

    @torch.no_grad()
    def close(self) -> None:
        """Value what comes after the last step."""
        r = self.rollout
        told = None if r.told is None else r.told[-1]
        r.values[-1] = self._outputs(r.observations[-1], told, self.memory)[1].cpu().numpy()

    # ------------------------------------------------------------ learning

    def learn(self, progress: float) -> Figures:
        """One update; progress runs from 0 to 1 over the run and moves the schedules."""
        c, r = self.config, self.collected
        for group in self.optimiser.param_groups:
            group["lr"] = c.learning_rate + (c.learning_rate_end - c.learning_rate) * progress
        entropy = c.entropy + (c.entropy_end - c.entropy) * progress
        scaled = r.rewards / np.float32(self._scale()) if c.scale_rewards else r.rewards
        gains, returns = advantages(
            scaled, r.values, r.terminated, r.truncated, r.final_values, r.ticks, c.discount, c.trace
        )
        taught = 0.0 if self.teacher is None else self.teacher.weight(progress)
        figures = update(
            self.policy, self.critic, self.optimiser, r, gains, returns, c, entropy, self.order, taught
        )
        figures["learning_rate"], figures["entropy_weight"] = self.optimiser.param_groups[0]["lr"], entropy
        if self.policy.normaliser is not None and r.raw:
            self.policy.normaliser.update(np.concatenate(r.raw))
            r.raw.clear()
        return figures

    def _scale(self) -> float:
        """Follow each row's discounted return through the rollout, and take in its spread."""
        r = self.collected
        fade = np.power(np.float32(self.config.discount), r.ticks, dtype=np.float32)
        history = np.empty_like(r.rewards)
        for t in range(r.horizon):
            self.discounted = self.discounted * fade[t] + r.rewards[t]
            history[t] = self.discounted
            self.discounted[r.terminated[t] | r.truncated[t]] = 0.0
        self.scale.update(history)
        return self.scale.spread

    # ------------------------------------------------------------ saving

    def state(self) -> dict[str, Any]:
        """All that a resumed learner needs to go on bit for bit."""
        return {
            "policy": self.policy.state(),
            "critic": self.critic.state_dict() if self.critic else None,
            "optimiser": self.optimiser.state_dict(),
            "scale": self.scale.state(),
            "discounted": torch.from_numpy(self.discounted.copy()),
            "memory": None if self.memory is None else self.memory.cpu(),
            "teacher": None if self.teacher is None else self.teacher.state(),
            "generator": str(self.generator),
            "torch_rng": self.torch_rng.get_state(),
            "order": words(self.order),
        }

    def load(self, state: dict[str, Any]) -> None:
        loaded = Policy.from_state(state["policy"])
        self.policy.network.load_state_dict(loaded.network.state_dict())
        self.policy.head.load_state_dict(loaded.head.state_dict())
        if self.policy.normaliser is not None:
            self.policy.normaliser.load(state["policy"]["normaliser"])
        if self.critic is not None:
            self.critic.load_state_dict(state["critic"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.scale.load(state["scale"])
        self.discounted = state["discounted"].numpy().copy()
        self.memory = None if state["memory"] is None else state["memory"].to(self.device)
        if state["teacher"] is None:
            self._dismiss()
        elif self.teacher is not None:
            self.teacher.load(state["teacher"])
        self.generator = int(state["generator"])
        restore_dice(self.torch_rng, state["torch_rng"])
        restore(self.order, state["order"])
