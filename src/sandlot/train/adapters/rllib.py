"""RLlib's PPO on Ray: processes that play, here or on other machines, and one that learns.

Ray's workers each hold a batch of worlds. RLlib asks for next-step resets: after an episode's end it makes a
step that only shows the new episode. Worlds are held still for that step, and it is not counted.
"""

from __future__ import annotations

import dataclasses
import logging
import os
import shutil
from typing import Any

import numpy as np
import torch

from ... import seeding
from ...errors import ConfigError, MissingExtra
from ...games import Spec
from ..config import TrainConfig, as_dict, build
from ..ppo import Figures
from .ledger import Page, side_by_side
from .outputs import Outputs, policy_for, wide_size
from .runner import Runner, named, signals_kept
from .seats import Seats, roles_of

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no word to anybody
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # Ray's own next default; else it warns

try:
    import ray
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core import DEFAULT_MODULE_ID
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.core.rl_module.torch import TorchRLModule
except ImportError:
    raise MissingExtra("--trainer rllib", "ray[rllib]", "rllib") from None

WEIGHTS = "outputs.network."  # how RLlib's names of our weights begin
OBJECT_STORE_BYTES = 256 << 20  # of a local cluster; Ray would take a third of the memory
FIGURES = {
    "policy_loss": "policy_loss",
    "vf_loss": "value_loss",
    "entropy": "entropy",
    "vf_explained_var": "explained",
}


class SeatsVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """One worker's seats as Gymnasium's vector env with next-step reset."""

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012  (declared so)

    def __init__(self, told: dict[str, Any]):
        config = build(TrainConfig, told["config"])
        self.seats = Seats(config, config.ppo.worlds // config.adapter.workers, config.run.seed)
        self.num_envs = self.seats.rows
        self.single_observation_space, self.single_action_space = _spaces(self.seats.spec, self.seats.actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._seats_a_world = self.seats.rows // self.seats.world.worlds
        self._ended = np.zeros(self.seats.world.worlds, bool)  # worlds whose next step is none

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        """RLlib gives every worker a seed of its own."""
        self._ended[:] = False
        return self.seats.reset(seeding.split(seed or 0, self.seats.world.steps)), {}

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        seats, void = self.seats, self._ended
        seats.step(actions, ~void)
        counts = np.repeat(~void, self._seats_a_world)
        rewards = np.where(counts, seats.rewards, 0.0)
        terminated, truncated = seats.terminated & counts, seats.truncated & counts
        seats.put_back()
        rows = np.flatnonzero(terminated | truncated)
        self._ended = (terminated | truncated).reshape(len(void), -1).all(axis=1)
        seats.hold(np.flatnonzero(self._ended))
        observations = seats.observations.copy()
        observations[rows] = seats.final(rows)
        return observations, rewards, terminated, truncated, {}

    def close_extras(self, **_: Any) -> None:
        self.seats.close()


def _spaces(spec: Spec, actions: int) -> tuple[spaces.Box, spaces.Discrete]:
    return spaces.Box(-np.inf, np.inf, (wide_size(spec),), np.float32), spaces.Discrete(actions)


class OurModule(TorchRLModule, ValueFunctionAPI):
    """Our network as RLlib calls it; built anew, from the configuration, in every process."""

    def setup(self) -> None:
        assert isinstance(self.model_config, dict)
        config = build(TrainConfig, self.model_config["config"])
        spec = Spec(config.game, config.settings)
        self.outputs = Outputs(policy_for(config, spec, roles_of(config, spec.roles)[0]))

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        told = self.outputs(batch[Columns.OBS])
        return {Columns.ACTION_DIST_INPUTS: told[:, :-1], Columns.EMBEDDINGS: told[:, -1]}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """The value comes out beside the logits; RLlib hands it back here as the `embeddings`."""
        return self.outputs(batch[Columns.OBS])[:, -1] if embeddings is None else embeddings


def _start_ray(config: TrainConfig) -> None:
    """Join the cluster that is named, or make one of this machine for this run."""
    if ray.is_initialized():
        return
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # it likes to tell of its older stacks
    with signals_kept():
        if config.adapter.address != "local":
            ray.init(address=config.adapter.address, **quiet)
            return
        ray.init(
            address="local",
            num_cpus=config.adapter.workers + 1,
            include_dashboard=False,
            object_store_memory=OBJECT_STORE_BYTES,
            **quiet,
        )


def _algorithm(config: TrainConfig, spec: Spec, rows_a_worker: int, actions: int) -> Any:
    """Ours under RLlib's names."""
    p, workers, told = config.ppo, config.adapter.workers, {"config": as_dict(config)}
    observation_space, action_space = _spaces(spec, actions)
    batch = rows_a_worker * workers * p.horizon
    made = PPOConfig().environment(
        SeatsVectorEnv, env_config=told, observation_space=observation_space, action_space=action_space
    )
    made.env_runners(
        num_env_runners=workers,
        num_envs_per_env_runner=rows_a_worker,
        rollout_fragment_length=p.horizon,
        gym_env_vectorize_mode="vector_entry_point",
    )
    made.training(
        train_batch_size_per_learner=batch,
        minibatch_size=max(2, batch // p.minibatches),
        num_epochs=p.epochs,
        lr=p.learning_rate,
        gamma=config.adapter.discount,
        lambda_=p.trace,
        clip_param=p.clip,
        entropy_coeff=p.entropy,
        vf_loss_coeff=p.value_weight,
        grad_clip=p.gradient_cap,
        use_kl_loss=False,
    )
    made.learners(num_learners=0)  # in this process
    made.rl_module(rl_module_spec=RLModuleSpec(module_class=OurModule, model_config=told))
    made.debugging(seed=config.run.seed & 0x7FFFFFFF, log_level="ERROR")
    return made.build_algo()


class RLlibRunner(Runner):
    def __init__(self, config: TrainConfig, run_id: str):
        if config.ppo.worlds % config.adapter.workers:
            raise ConfigError(
                f"ppo.worlds = {config.ppo.worlds} cannot be shared evenly by "
                f"adapter.workers = {config.adapter.workers}; choose a multiple of it."
            )
        # statistics of observations would have to travel between processes: the network sees all, as it is
        network = dataclasses.replace(config.network, normalise=False, least_spread=0.0, sharp=(), blind=())
        super().__init__(dataclasses.replace(config, network=network), run_id)
        _start_ray(config)
        seats_a_world = len(self.spec.roles) if len(self.roles) > 1 else 1
        rows = config.ppo.worlds // config.adapter.workers * seats_a_world
        self.algorithm = _algorithm(self.config, self.spec, rows, self.policy.head.size)

    def learn(self) -> Figures:
        told = self.algorithm.train()
        self._fetch()
        return named(told["learners"][DEFAULT_MODULE_ID], FIGURES)

    def _fetch(self) -> None:
        """The learner's weights into our policy."""
        weights = self.algorithm.learner_group.get_weights()[DEFAULT_MODULE_ID]
        ours = {name.removeprefix(WEIGHTS): torch.as_tensor(value) for name, value in weights.items()}
        self.policy.network.load_state_dict(ours)

    def take(self) -> Page:
        """What all workers played, as far as the slowest of their worlds is."""
        group = self.algorithm.env_runner_group
        ready = group.foreach_env_runner(lambda w: w.env.unwrapped.seats.ledger.ready, local_env_runner=False)
        length = min(ready)
        return side_by_side(
            group.foreach_env_runner(lambda w: w.env.unwrapped.seats.take(length), local_env_runner=False)
        )

    def save(self) -> dict[str, Any]:
        return {}  # RLlib's optimiser starts anew

    def restore(self, saved: dict[str, Any]) -> None:
        ours = {WEIGHTS + name: value for name, value in self.policy.network.state_dict().items()}
        group = self.algorithm.learner_group
        group.foreach_learner(lambda learner: learner.module[DEFAULT_MODULE_ID].load_state_dict(ours))
        self.algorithm.env_runner_group.sync_weights(from_worker_or_learner_group=group)

    def begin_anew(self, seed: int) -> None:
        """Its workers seed their worlds themselves when they start, before a resume can say otherwise."""

    def close(self) -> None:
        self.algorithm.stop()
        shutil.rmtree(self.algorithm.logdir, ignore_errors=True)  # an empty one in the home folder
        if self.config.adapter.address == "local":
            ray.shutdown()


def make(config: TrainConfig, run_id: str) -> RLlibRunner:
    return RLlibRunner(config, run_id)
