"""The trainer: worlds, one learner a role, rivals, and the arithmetic of windows. It writes no files.

One iteration: every world plays `horizon` steps, every learner learns from its rows. With `ppo.rollouts` this
happens several times, and the next steps are played while the last ones are learned from. What closed a
window in it comes back as rows; whoever called decides what to do with them (see loop.py).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from .. import seeding
from ..errors import ConfigError, UnknownName
from ..games import Episodes, Spec, VectorGame, make
from ..games.make import ENGINES
from ..policies import Policy
from ..policies.policy import SHARED, Shape
from ..runs.records import WindowRow
from ..runs.windows import Finished, Rate, WindowAggregator
from ..runs.windows import rates_of as rates_by_word
from .config import TrainConfig, check
from .device import device_of
from .learner import Learner
from .ppo import Figures, mean_figures
from .selfplay import KINDS, Opponents, seats
from .stopwatch import Stopwatch
from .teaching import Teaching


@dataclass
class Iteration:
    """What one iteration brought."""

    rows: list[WindowRow]
    episodes: Episodes
    figures: dict[str, Figures]  # by role
    decisions: int
    ticks: int
    windows: list[int] = field(default_factory=list)  # the window that each episode belongs to
    met: dict[str, np.ndarray] = field(default_factory=dict)  # `{role}_opponent` of each episode, see KINDS


class Trainer:
    def __init__(self, config: TrainConfig, run_id: str = "run"):
        self.config = check(config)
        self.device = device_of(config.run.device)
        check_engine(config.run.engine)
        self.spec = Spec(config.game, config.settings)
        self.roles = list(dict.fromkeys(self.spec.roles))
        self.overlaps = config.ppo.rollouts > 1
        self.team = None if self.overlaps else _team(min(len(self.roles), config.run.threads))
        self.aside = ThreadPoolExecutor(1, "aside") if self.overlaps else None  # learns while worlds play
        torch.set_num_threads(max(1, config.run.threads // (2 if self.overlaps else len(self.roles))))
        self.watch = Stopwatch()
        self.after_step: list[Callable[[VectorGame], None]] = []  # whoever wants to see every step
        self.stage = 0
        self.entered = 0  # steps that every world had played when the present stage began
        self.policies = self._new_policies()
        self._enter(config.run.seed)
        self.opponents.invite()
        self.windows = windows_for(config, run_id, self.spec, self.opponents.learners())

    def _new_policies(self) -> dict[str, Policy]:
        """A network per role, or one that all of them share."""
        shape, seed = Shape(**vars(self.config.network)), self.config.run.seed
        names = [SHARED] if self.config.selfplay.shared else self.roles
        made = [
            Policy(self.spec, name, shape, seed=seeding.split(seed, 100 + i) & 0x7FFFFFFF).to(self.device)
            for i, name in enumerate(names)
        ]
        if self.config.selfplay.shared:
            return {role: made[0].for_role(role) for role in self.roles}
        return dict(zip(self.roles, made, strict=True))

    # ------------------------------------------------------------ stages

    @property
    def settings(self) -> dict[str, Any]:
        """The game's settings in the present stage."""
        stages = self.config.curriculum
        return {**self.config.settings, **(stages[self.stage].game if stages else {})}

    def _lesson_seed(self) -> int:
        """What the present stage begins with, and goes on with when it is resumed: its scripts' dice too."""
        seed = self.config.run.seed
        return seeding.split(seed, 1000 + self.stage) if self.stage else seed

    def _enter(self, seed: int) -> None:
        """Open the worlds of the present stage and seat everybody."""
        p, r = self.config.ppo, self.config.run
        told = {"privileged": True} if p.critic == "privileged" else {}
        threads = max(1, r.threads // 2) if self.overlaps else r.threads
        self.world = make(self.config.game, p.worlds, threads, seed, self.settings | told, r.engine)
        lesson = Spec(self.config.game, self.settings)  # scripted players go by its walls and its sight
        if lesson.observation_size != self.spec.observation_size:
            raise ConfigError(
                f"stage {self.stage} changes the size of the observation; a policy cannot follow."
            )
        rows, rivals = seats(self.spec.roles, p.worlds, self.config.selfplay.current)
        if self.config.selfplay.shared:
            rows = {SHARED: np.sort(np.concatenate(list(rows.values())))}
        self.learners = {
            name: Learner(
                self.policies[self.roles[i]], self.world, own, p, seeding.split(seed, i), self._teaching()
            )
            for i, (name, own) in enumerate(rows.items())
        }
        self.opponents = Opponents(lesson, self.world, rivals, self.config.selfplay, seeding.split(seed, 50))
        self.world.reset(seed)

    def _teaching(self) -> Teaching | None:
        told = self.config.teacher
        return Teaching(self.world.spec, told, self.config.run.threads) if told.bot else None

    def next_stage(self) -> None:
        """Move on to the next lesson: new worlds, the same learners."""
        saved, pools = (
            {role: learner.state() for role, learner in self.learners.items()},
            self.opponents.state(),
        )
        self.stage += 1
        self.entered = self._steps()
        self.windows.abandon(np.arange(self.world.worlds))
        self.world.close()
        self._enter(self._lesson_seed())
        for role, learner in self.learners.items():
            learner.load(saved[role] | {"memory": learner.memory})
        self.opponents.load(pools | {"seats": []})
        self.opponents.invite()

    # ------------------------------------------------------------ different hours

    def _steps(self) -> int:
        """Steps that every world has played in this run."""
        return self.windows.env_steps_total // self.world.worlds

    def _stagger(self) -> None:
        """Give the worlds whose turn it is a new episode.

        Worlds that begin together and play for long stay together: then all of a rollout is from the same
        hour of an episode, and by the evening nobody knows the morning any more. Between two rollouts nothing
        is lost by it: what would have followed is in the value of the last observation.
        """
        p, world = self.config.ppo, self.world
        steps = self._steps() - self.entered
        if not p.stagger or not 0 < steps < p.stagger + p.horizon * p.rollouts:
            return
        seed = seeding.split(self.config.run.seed, 2000 + self.stage)
        turns = np.random.default_rng(seed).permutation(world.worlds) * p.stagger // world.worlds
        due = np.flatnonzero((turns >= steps - p.horizon * p.rollouts) & (turns < steps))
        if not len(due):
            return
        world.reset(seeds=[seeding.split(seed, int(i)) for i in due], worlds=due)
        self.windows.abandon(due)
        begun = np.repeat(np.isin(np.arange(world.worlds), due), self.spec.agents)
        for learner in self.learners.values():
            learner.begin_anew(begun)
        self.opponents.restart(begun)

    # ------------------------------------------------------------ one iteration

    def iterate(self, progress: float) -> Iteration:
        """Play and learn once. progress: how far the run is, 0 to 1, for the schedules."""
        self._stagger()
        first = self.world.steps
        played: list[tuple[np.ndarray, np.ndarray]] = []
        told: list[dict[str, Figures]] = []
        for i in range(self.config.ppo.rollouts):
            for learner in self.learners.values():
                learner.refresh(progress)
            learning = self.aside.submit(self._learn, progress) if self.aside and i else None
            try:
                played.append(self._collect())
            finally:
                told += [learning.result()] if learning else []  # never left alone with the weights
            for learner in self.learners.values():
                learner.hand_over()
        told.append(self._learn(progress))
        episodes = self.world.finished()
        self.opponents.record(episodes)
        rewards, ticks = (np.concatenate(parts) for parts in zip(*played, strict=True))
        figures = {name: mean_figures([one[name] for one in told]) for name in self.learners}
        for name in self.learners:
            figures[name]["updates"] = sum(one[name]["updates"] for one in told)
        if self.config.selfplay.shared:
            figures = dict.fromkeys(self.roles, figures[SHARED])
        opponents = self.opponents.kinds()
        return counted(self.windows, self.spec, rewards, ticks, episodes, figures, opponents, first)

    def _learn(self, progress: float) -> dict[str, Figures]:
        """Every learner at once, if there are threads: they share nothing, so the result is the same."""
        each = self.team.map if self.team else map
        with self.watch.time("learner"):
            told = list(each(lambda learner: learner.learn(progress), self.learners.values()))
        return dict(zip(self.learners, told, strict=True))

    def _collect(self) -> tuple[np.ndarray, np.ndarray]:
        """`horizon` steps of every world. Rewards by role and ticks, [horizon, worlds, …]."""
        world, horizon, watch = self.world, self.config.ppo.horizon, self.watch
        rewards = np.zeros((horizon, world.worlds, len(self.roles)), np.float32)
        ticks = np.zeros((horizon, world.worlds), np.int32)
        for t in range(horizon):
            rivals = self.team.submit(self.opponents.act) if self.team else None
            with watch.time("policy"):
                for learner in self.learners.values():
                    learner.observe(t)
                    learner.act(world, t)
            with watch.time("rivals"):  # with a team, only what is still to wait for
                self.opponents.act() if rivals is None else rivals.result()
            with watch.time("world"):
                ended = world.step()
                for look in self.after_step:
                    look(world)
            with watch.time("policy"):
                for learner in self.learners.values():
                    learner.record(world, t)
                if ended:
                    self.opponents.restart(world.terminated | world.truncated)
                rewards[t] = rewards_by_role(world.rewards, self.spec.roles)
                ticks[t] = world.ticks[:: world.spec.agents]
        with watch.time("policy"):
            for learner in self.learners.values():
                learner.observe(horizon)
                learner.close()
        return rewards, ticks

    # ------------------------------------------------------------ saving

    def state(self) -> dict[str, Any]:
        """All that a resumed trainer needs to go on bit for bit, as tensors and plain values."""
        saved = range(self.world.worlds if self.world.restorable else 0)
        worlds = b"".join(self.world.snapshot(i) for i in saved)
        return {
            "stage": self.stage,
            "entered": self.entered,
            "steps": self._steps(),
            "learners": {role: learner.state() for role, learner in self.learners.items()},
            "opponents": self.opponents.state(),
            "worlds": torch.from_numpy(np.frombuffer(bytearray(worlds), np.uint8)),
        }

    def load(self, state: dict[str, Any], windows: dict[str, Any]) -> None:
        """Go on from there. Worlds of an engine that cannot save them begin new episodes."""
        self.stage, self.entered = state["stage"], state.get("entered", 0)
        self.world.close()
        begun_anew = not len(state["worlds"])
        self._enter(
            seeding.split(self.config.run.seed, state["steps"]) if begun_anew else self._lesson_seed()
        )
        for role, learner in self.learners.items():
            learner.load(state["learners"][role])
        self.opponents.load(state["opponents"])
        data = state["worlds"].numpy().tobytes()
        size = len(data) // self.world.worlds
        for i in range(0 if begun_anew else self.world.worlds):
            self.world.restore(i, data[i * size : (i + 1) * size])
        self.windows = WindowAggregator.from_dict(windows)

    def close(self) -> None:
        self.world.close()
        for threads in (self.team, self.aside):
            if threads:
                threads.shutdown()


def _team(size: int) -> ThreadPoolExecutor | None:
    """A thread a learner. Matrices this small gain more from that than from threads that share each one."""
    return ThreadPoolExecutor(size, "learner") if size > 1 else None


def windows_for(
    config: TrainConfig, run_id: str, spec: Spec, learners: dict[str, np.ndarray]
) -> WindowAggregator:
    """The windows of a run. learners: by role, in which worlds its learner plays it, bool [worlds]."""
    return WindowAggregator(
        run_id,
        config.run.window_env_steps,
        config.ppo.worlds,
        metrics_of(spec),
        rates_of(spec),
        tuple(learners) if len(learners) > 1 else (),
        np.stack(list(learners.values()), axis=1),
    )


def rewards_by_role(rewards: np.ndarray, roles: tuple[str, ...]) -> np.ndarray:
    """Rewards of all rows as [worlds, roles], the mean over the agents of a role."""
    by_agent, names = rewards.reshape(-1, len(roles)), np.array(roles)
    return np.stack([by_agent[:, names == role].mean(axis=1) for role in dict.fromkeys(roles)], axis=1)


def counted(
    windows: WindowAggregator,
    spec: Spec,
    rewards: np.ndarray,
    ticks: np.ndarray,
    episodes: Episodes,
    figures: dict[str, Figures],
    opponents: dict[str, np.ndarray],
    first: int = 0,
) -> Iteration:
    """Count steps [time, worlds, …] into their windows.

    opponents: whom each role's learner met in each world, as Opponents.kinds tells it.
    first: the engine's step count before these steps.
    """
    steps = (episodes.heads["step"] - first - 1).astype(np.int64)  # the engine counts from 1
    worlds = episodes.heads["world"].astype(np.int64)
    truncated = (
        episodes.column("truncated") > 0 if episodes.has("truncated") else np.zeros(len(episodes), bool)
    )
    met = {opponent_of(role): kinds[worlds] for role, kinds in opponents.items()}
    columns = {name: met[name] if name in met else episodes.column(name) for name in windows._columns}
    homes = windows.window_of(steps, worlds)
    rewards = rewards if windows.roles else rewards[..., 0]
    rows = windows.record(ticks, rewards, None, Finished(steps, worlds, ~truncated, truncated, columns))
    decisions = ticks.size * spec.agents
    return Iteration(rows, episodes, figures, decisions, int(ticks.sum()), homes.tolist(), met)


def check_engine(engine: str) -> None:
    if engine not in ENGINES:
        raise UnknownName("engine (run.engine)", engine, ENGINES)


def metrics_of(spec: Spec) -> tuple[str, ...]:
    """Episode columns worth a mean: single numbers that are no codes."""
    return tuple(
        f.name for f in spec.episode if f.size == 1 and f.name not in ("winner", "reason", "ending", "return")
    )


def opponent_of(role: str) -> str:
    """The episode column that tells whom a role's learner met."""
    return f"{role}_opponent"


def rates_of(spec: Spec) -> dict[str, Rate]:
    """Shares of episodes by how they ended or who won. A role's wins are those of the one that learns it:
    over all episodes that it played, and by the kind of its opponent."""
    rates: dict[str, Rate] = {}
    for told in spec.episode:
        if told.name == "ending":
            rates |= rates_by_word("ending", told.labels)
        if told.name == "winner":
            rates |= rates_by_word("winner", ("none", *spec.winners[1:]), "{}_win_rate")
    for role in dict.fromkeys(spec.roles) if len(set(spec.roles)) > 1 else ():
        name = f"{role}_win_rate"
        if name in rates:
            column, value, *_ = rates[name]
            rates[name] = Rate(column, value, opponent_of(role), tuple(map(float, range(len(KINDS)))))
            for code, kind in enumerate(KINDS):
                rates[f"{name}_vs_{kind}"] = Rate(column, value, opponent_of(role), (float(code),))
    return rates
