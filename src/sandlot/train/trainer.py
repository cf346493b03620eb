"""The trainer: worlds, one learner per role, opponents, window counting. It writes no files.

One iteration: every world is stepped `num_steps` times, then every learner updates its policy from the rows
of its role. With `ppo.rollouts_per_iteration` above 1 this happens several times, and the next rollout is
collected while the last one is learned from. Rows of closed windows are returned; loop.py writes them.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from .. import seeding
from ..errors import ConfigError, SpecMismatch
from ..policies import Policy
from ..policies.policy import SHARED, spec_as_trained
from ..runs.records import WindowRow
from ..runs.windows import Finished, Rate, StepRecord, WindowAggregator
from ..runs.windows import rates_of as rates_by_label
from ..spec import Spec
from ..worlds import Episodes, World, load_spec, make
from ..worlds.make import CUDA, check_engine
from .config import TrainConfig, check
from .demonstrations import Demonstrations, read_demonstrations
from .device import device_of, gpu_errors
from .device_learner import DeviceLearner
from .imitation import Imitation
from .learner import Learner, new_policy
from .ppo import Metrics, mean_metrics
from .selfplay import KINDS, DeviceOpponents, Opponents, assign_rows
from .stopwatch import Stopwatch


@dataclass
class Iteration:
    """The result of one iteration."""

    rows: list[WindowRow]
    episodes: Episodes
    metrics: dict[str, Metrics]  # by role
    decisions: int
    ticks: int
    windows: list[int] = field(default_factory=list)  # the window that each episode belongs to
    opponents: dict[str, np.ndarray] = field(default_factory=dict)  # `{role}_opponent` of each episode: KINDS


class Trainer:
    """Our own PPO with self-play and curricula."""

    def __init__(self, config: TrainConfig, run_id: str = "run"):
        self.config = check(config)
        self.device = device_of(config.run.device)
        check_engine(config.game, config.run.engine, "engine (run.engine)")
        self.spec = load_spec(config.game, config.settings)
        self.roles = list(dict.fromkeys(self.spec.roles))
        self.on_device = config.run.engine == CUDA  # worlds, opponents and learners
        self.overlaps = config.ppo.rollouts_per_iteration > 1 and not self.on_device
        threads = config.run.threads
        # one thread per learner: matrices this small gain more from that than from threads that share each
        size = 1 if self.overlaps or self.on_device else min(len(self.roles), threads)
        self.pool = ThreadPoolExecutor(size, "learner") if size > 1 else None
        # updates the policies while the worlds are stepped
        self.background = ThreadPoolExecutor(1, "learner") if self.overlaps else None
        torch.set_num_threads(max(1, threads // (2 if self.overlaps else len(self.roles))))
        self.watch = Stopwatch()
        self.after_step: list[Callable[[World], None]] = []  # called with the worlds after every step
        self.stage = 0
        self.stage_start = 0  # env steps per world when the current stage began
        shown = config.imitation
        self.demonstrations = read_demonstrations(shown.demos, self.spec, shown.role)  # by role
        self.policies = self._new_policies()
        self._open_worlds(config.run.seed)
        self.opponents.draw()
        self.windows = windows_for(config, run_id, self.spec, self.opponents.learners())

    def _new_policies(self) -> dict[str, Policy]:
        """One network per role, or one that all of them share."""
        if self.config.selfplay.shared:
            if self.spec.document.role_observation or self.spec.document.role_actions:
                raise ConfigError(
                    f"selfplay.shared: the roles of {self.spec.game} observe or do different things, so no "
                    "network can play them all. Leave it out; every role gets its own."
                )
            shared = new_policy(self.config, self.spec, SHARED)
            return {role: shared.for_role(role) for role in self.roles}
        return {role: new_policy(self.config, self.spec, role, i) for i, role in enumerate(self.roles)}

    @property
    def engine_pids(self) -> tuple[int, ...]:
        """Processes that run the worlds, where it is not this one."""
        return self.world.engine_pids

    # ------------------------------------------------------------ stages

    @property
    def settings(self) -> dict[str, Any]:
        """The game's settings in the current stage."""
        stages = self.config.curriculum
        return {**self.config.settings, **(stages[self.stage].settings if stages else {})}

    def _stage_seed(self) -> int:
        """The seed of the current stage's worlds and bots, also after a resume."""
        seed = self.config.run.seed
        return seeding.split(seed, 1000 + self.stage) if self.stage else seed

    def _open_worlds(self, seed: int) -> None:
        """Open the worlds of the current stage, with their learners and opponents."""
        p, run = self.config.ppo, self.config.run
        privileged = {"privileged": True} if p.critic == "privileged" else {}
        threads = max(1, run.threads // 2) if self.overlaps else run.threads
        settings = self.settings | privileged
        several: dict[str, Any] = {"processes": run.processes} if run.processes > 1 else {}
        if self.on_device:
            several = {"device": run.device}
        self.world = make(self.config.game, p.num_envs, threads, seed, settings, run.engine, **several)
        spec = load_spec(self.config.game, self.settings)  # of this stage, as bots see it
        if spec.observation_size != self.spec.observation_size:
            changed = ", ".join(self.config.curriculum[self.stage].settings)
            raise ConfigError(
                f"curriculum[{self.stage}] changes the size of the observation, from "
                f"{self.spec.observation_size} to {spec.observation_size}, which no policy can follow. Leave "
                f"out the setting that does: {changed}."
            )
        rows, opponent_worlds = assign_rows(self.spec.roles, p.num_envs, self.config.selfplay.latest_fraction)
        if self.config.selfplay.shared:
            rows = {SHARED: np.sort(np.concatenate(list(rows.values())))}
        learner_type = DeviceLearner if self.on_device else Learner
        self.learners = {
            name: learner_type(self.policies[self.roles[i]], self.world, own, p, seeding.split(seed, i))
            for i, (name, own) in enumerate(rows.items())
        }
        for role, learner in self.learners.items():
            shown = self._demonstrations_for(role)
            if shown is not None:
                learner.imitation = Imitation(learner.policy, shown, self.config.imitation)
        draws = seeding.split(seed, 50)
        place = (opponent_worlds, self.config.selfplay, draws)
        self.opponents = (
            DeviceOpponents(spec, self.world, *place, self.device)
            if self.on_device
            else Opponents(spec, self.world, *place)
        )
        self.world.reset(seed)

    def _demonstrations_for(self, role: str) -> Demonstrations | None:
        """Those of a role; a network that plays every role learns from all."""
        if role != SHARED:
            return self.demonstrations.get(role)
        return Demonstrations.join(list(self.demonstrations.values())) if self.demonstrations else None

    def next_stage(self) -> None:
        """Enter the next stage of the curriculum: new worlds, the same learners."""
        saved = {role: learner.state() for role, learner in self.learners.items()}
        opponents = self.opponents.state()
        self.stage += 1
        self.stage_start = self._steps_per_world()
        self.windows.abandon(np.arange(self.world.worlds))
        self.world.close()
        self._open_worlds(self._stage_seed())
        for role, learner in self.learners.items():
            learner.load(saved[role] | {"recurrent_state": learner.recurrent_state})
        self.opponents.load(opponents | {"assignments": []})
        self.opponents.draw()

    # ------------------------------------------------------------ staggered resets

    def _steps_per_world(self) -> int:
        """Env steps of every world in this run."""
        return self.windows.env_steps_total // self.world.worlds

    def _stagger_resets(self) -> None:
        """Reset some worlds early in a stage, each once, so that their episodes do not run in phase.

        Worlds that start together and have long episodes would all be in the same part of an episode during
        a rollout, and what was learned about the other parts would be forgotten. A reset between two rollouts
        loses nothing: the value of the last observation stands for the rewards that would have followed.
        """
        p, world = self.config.ppo, self.world
        steps = self._steps_per_world() - self.stage_start
        per_iteration = p.num_steps * p.rollouts_per_iteration
        if not p.stagger_steps or not 0 < steps < p.stagger_steps + per_iteration:
            return
        seed = seeding.split(self.config.run.seed, 2000 + self.stage)
        order = np.random.default_rng(seed).permutation(world.worlds)
        turns = order * p.stagger_steps // world.worlds
        due = np.flatnonzero((turns >= steps - per_iteration) & (turns < steps))
        if not len(due):
            return
        world.reset(seeds=[seeding.split(seed, int(i)) for i in due], worlds=due)
        self.windows.abandon(due)
        rows = np.repeat(np.isin(np.arange(world.worlds), due), self.spec.agents)
        for learner in self.learners.values():
            learner.reset_rows(rows)
        self.opponents.restart(rows)

    # ------------------------------------------------------------ one iteration

    def iterate(self, progress: float) -> Iteration:
        """Collect rollouts and learn from them. progress: fraction of the run that is over, for schedules."""
        p = self.config.ppo
        with gpu_errors(self.device, f"rollouts of {p.num_envs} worlds and {p.num_steps} steps"):
            return self._iterate(progress)

    def _iterate(self, progress: float) -> Iteration:
        if not self.windows.env_steps_total:
            for learner in self.learners.values():
                learner.clone_behavior()
        self._stagger_resets()
        first_step = self.world.steps
        collected: list[StepRecord] = []
        updates: list[dict[str, Metrics]] = []
        for i in range(self.config.ppo.rollouts_per_iteration):
            for learner in self.learners.values():
                learner.sync_behavior_policy()
            learning = self.background.submit(self._learn, progress) if self.background and i else None
            try:
                collected.append(self._collect_on_device() if self.on_device else self._collect())
            finally:
                if learning:  # also after a failure: only one thread may change the weights
                    updates.append(learning.result())
            for learner in self.learners.values():
                learner.swap_rollouts()
            if not self.overlaps:
                updates.append(self._learn(progress))
        if self.overlaps:
            updates.append(self._learn(progress))
        episodes = self.world.finished()
        self.opponents.record(episodes)
        steps = StepRecord.join(collected, np.concatenate)
        metrics = {name: mean_metrics([update[name] for update in updates]) for name in self.learners}
        for name in self.learners:
            metrics[name]["updates"] = sum(update[name]["updates"] for update in updates)
        if self.config.selfplay.shared:
            metrics = dict.fromkeys(self.roles, metrics[SHARED])
        kinds = self.opponents.kinds()
        return count_steps(self.windows, self.spec, steps, episodes, metrics, kinds, first_step)

    def _learn(self, progress: float) -> dict[str, Metrics]:
        """All learners, in parallel if there are threads: they share nothing, so the result is the same."""
        each = self.pool.map if self.pool else map
        with self.watch.time("learner"):
            metrics = list(each(lambda learner: learner.learn(progress), self.learners.values()))
        return dict(zip(self.learners, metrics, strict=True))

    def _collect(self) -> StepRecord:
        """`num_steps` steps of every world."""
        world, num_steps, watch = self.world, self.config.ppo.num_steps, self.watch
        rewards = np.zeros((num_steps, world.worlds, len(self.roles)), np.float32)
        ticks = np.zeros((num_steps, world.worlds), np.int32)
        invalid = np.zeros((num_steps, world.worlds), bool)
        for t in range(num_steps):
            acting = self.pool.submit(self.opponents.act) if self.pool else None
            with watch.time("policy"):
                for learner in self.learners.values():
                    learner.observe(t)
                    learner.act(world, t)
            with watch.time("opponents"):  # with a thread pool, only what is left to wait for
                self.opponents.act() if acting is None else acting.result()
            with watch.time("world"):
                ended = world.step()
                for callback in self.after_step:
                    callback(world)
            with watch.time("policy"):
                for learner in self.learners.values():
                    learner.record(world, t)
                if ended:
                    self.opponents.restart(world.terminated | world.truncated)
                rewards[t] = rewards_by_role(world.rewards, self.spec.roles)
                ticks[t] = world.ticks[:: world.spec.agents]
                invalid[t] = world.invalid.reshape(world.worlds, -1).any(axis=1)
        with watch.time("policy"):
            for learner in self.learners.values():
                learner.observe(num_steps)
                learner.finish_rollout()
        return StepRecord(ticks, rewards, invalid)

    def _collect_on_device(self) -> StepRecord:
        """The same of worlds on a device: steps are queued, and their outcome is fetched once."""
        world: Any = self.world
        num_steps, watch = self.config.ppo.num_steps, self.watch
        taken = [array.new_empty(num_steps, len(array)) for array in outcome_of(world)]
        with watch.time("policy"):
            for t in range(num_steps):
                for learner in self.learners.values():
                    learner.observe(t)
                    learner.act(world, t)
                self.opponents.act()
                world.advance()
                for callback in self.after_step:
                    callback(world)
                for learner in self.learners.values():
                    learner.record(world, t)
                for kept, array in zip(taken, outcome_of(world), strict=True):
                    kept[t] = array
            for learner in self.learners.values():
                learner.observe(num_steps)
                learner.finish_rollout()
            rewards, ticks, invalid = (kept.cpu().numpy() for kept in taken)
        by_role = np.stack([rewards_by_role(row, self.spec.roles) for row in rewards])
        one = ticks[:, :: self.spec.agents]
        any_invalid = np.logical_or.reduce(invalid.reshape(num_steps, world.worlds, -1), axis=2)
        return StepRecord(one, by_role, any_invalid)

    # ------------------------------------------------------------ saving

    def state(self) -> dict[str, Any]:
        """The full state for a bit-exact resume, as tensors and plain values."""
        saved = range(self.world.worlds if self.world.capabilities.snapshot else 0)
        worlds = b"".join(self.world.snapshot(i) for i in saved)
        return {
            "stage": self.stage,
            "stage_start": self.stage_start,
            "steps_per_world": self._steps_per_world(),
            "learners": {role: learner.state() for role, learner in self.learners.items()},
            "opponents": self.opponents.state(),
            "demonstrations": {role: shown.digest for role, shown in self.demonstrations.items()},
            "worlds": torch.from_numpy(np.frombuffer(bytearray(worlds), np.uint8)),
        }

    def load(self, state: dict[str, Any], windows: dict[str, Any]) -> None:
        """Restore a state. Worlds of an engine that cannot save them start new episodes."""
        shown = {role: shown.digest for role, shown in self.demonstrations.items()}
        if state.get("demonstrations", {}) != shown:
            raise ConfigError(
                "The demonstrations (imitation.demos) differ from those that this run began with. Put the "
                "files back, or begin a new run."
            )
        self.stage, self.stage_start = state["stage"], state["stage_start"]
        self.world.close()
        restorable = len(state["worlds"]) > 0
        elsewhere = seeding.split(self.config.run.seed, state["steps_per_world"])
        self._open_worlds(self._stage_seed() if restorable else elsewhere)
        for role, learner in self.learners.items():
            trained_on = spec_as_trained(state["learners"][role]["policy"], "This run")
            if trained_on.interface_hash != self.spec.interface_hash:
                raise SpecMismatch(
                    f"This run was trained on {trained_on}; the game is now {self.spec}. Open the game as "
                    "it was then, or begin a new run."
                )
            learner.load(state["learners"][role])
        self.opponents.load(state["opponents"])
        data = state["worlds"].numpy().tobytes()
        size = len(data) // self.world.worlds
        for i in range(self.world.worlds if restorable else 0):
            self.world.restore(i, data[i * size : (i + 1) * size])
        self.windows = WindowAggregator.from_dict(windows)
        if not restorable:  # the episodes in progress were lost with their worlds
            self.windows.abandon(np.arange(self.world.worlds))
            for learner in self.learners.values():
                learner.reset_rows(np.ones(self.world.rows, bool))

    def close(self) -> None:
        """Close the worlds and end the threads."""
        self.world.close()
        for threads in (self.pool, self.background):
            if threads:
                threads.shutdown()


def outcome_of(world: Any) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """What windows count of a step of worlds on a device, [rows] each."""
    return world.rewards, world.ticks, world.invalid


def windows_for(
    config: TrainConfig, run_id: str, spec: Spec, learners: dict[str, np.ndarray]
) -> WindowAggregator:
    """The windows of a run. learners: by role, in which worlds its learner plays it, bool [worlds]."""
    return WindowAggregator(
        run_id,
        config.run.window_env_steps,
        config.ppo.num_envs,
        spec.measures,
        rates_of(spec),
        tuple(learners) if len(learners) > 1 else (),
        np.stack(list(learners.values()), axis=1),
        spec.aliases,
    )


def rewards_by_role(rewards: np.ndarray, roles: tuple[str, ...]) -> np.ndarray:
    """Rewards of all rows as [worlds, roles], the mean over the agents of a role."""
    by_agent, names = rewards.reshape(-1, len(roles)), np.array(roles)
    return np.stack([by_agent[:, names == role].mean(axis=1) for role in dict.fromkeys(roles)], axis=1)


def count_steps(
    windows: WindowAggregator,
    spec: Spec,
    record: StepRecord,
    episodes: Episodes,
    metrics: dict[str, Metrics],
    kinds: dict[str, np.ndarray],
    first_step: int = 0,
) -> Iteration:
    """Count steps into their windows.

    kinds: by role, the kind of opponent in each world, as Opponents.kinds returns it.
    first_step: the engine's step count before these steps.
    """
    steps = (episodes.heads["step"] - first_step - 1).astype(np.int64)  # the engine counts from 1
    worlds = episodes.heads["world"].astype(np.int64)
    opponents = {opponent_of(role): codes[worlds] for role, codes in kinds.items()}
    names = [name for name in windows.columns if name not in opponents]
    columns = opponents | {name: episodes.column(name) for name in names}
    window_ids = windows.window_of(steps, worlds)
    rewards = record.rewards if windows.roles else record.rewards[..., 0]
    finished = Finished(steps, worlds, episodes.column("terminated"), episodes.column("truncated"), columns)
    rows = windows.record(record.ticks, rewards, record.invalid, finished)
    decisions, ticks = record.ticks.size * spec.agents, int(record.ticks.sum())
    return Iteration(rows, episodes, metrics, decisions, ticks, window_ids.tolist(), opponents)


def opponent_of(role: str) -> str:
    """The episode column that holds the opponent of a role's learner."""
    return f"{role}_opponent"


def rates_of(spec: Spec) -> dict[str, Rate]:
    """Rates of endings and of wins. A role's wins are those of its learner: over all episodes that it played,
    and by the kind of its opponent."""
    rates: dict[str, Rate] = {}
    for column in spec.episode:
        if column.kind == "code":
            rates |= rates_by_label(column.name, column.labels)
        elif column.kind == "flag":
            rates[column.metric] = Rate(column.name, 1.0)
    for outcome in spec.outcomes:
        if outcome.means == "win":
            code = spec.codes[outcome.field].index(outcome.equals)
            rates[f"{outcome.role}_win_rate"] = Rate(outcome.field, float(code))
    for role in dict.fromkeys(spec.roles) if len(set(spec.roles)) > 1 else ():
        name = f"{role}_win_rate"
        if name in rates:
            winner, value, *_ = rates[name]
            rates[name] = Rate(winner, value, opponent_of(role), tuple(map(float, range(len(KINDS)))))
            for code, kind in enumerate(KINDS):
                rates[f"{name}_vs_{kind}"] = Rate(winner, value, opponent_of(role), (float(code),))
    return rates
