"""RLlib's PPO on Ray: env runners, here or on other machines, and one process that learns.

Each env runner holds a batch of worlds. RLlib uses next-step resets: after an episode's end it makes a step
that only returns the new episode's first observation. Worlds stand still in that step, and it is not counted.
Worlds that cannot be saved, such as those of a Godot scene, play it: RLlib then sees an episode from its
second step on.

All agents that learn share one module: to RLlib they are rows of one policy.
"""

import logging
import os
import shutil
from typing import Any

import numpy as np
import torch

from ... import seeding
from ...errors import ConfigError, MissingExtra
from ...policies import Categorical, Gaussian
from ...policies.heads import Head
from ...spec import Spec
from ...worlds import load_spec
from ..config import TrainConfig, as_dict, build
from ..ppo import Metrics
from .actor_critic import ActorCritic, input_size, policy_for
from .agent_slots import AgentSlots, roles_of
from .recorder import RecordedSteps, concatenate_worlds
from .runner import Runner, preserve_signal_handlers, rename_metrics

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # send no usage statistics
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # Ray's next default; it warns without

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

WEIGHTS = "actor_critic.network."  # prefix of our weights in RLlib's names
LOG_STD = "log_std"  # of a Gaussian head
OBJECT_STORE_BYTES = 256 << 20  # of a local cluster; by default Ray takes a third of the memory
METRIC_NAMES = {name: name for name in ("policy_loss", "entropy")}
METRIC_NAMES |= {"vf_loss": "value_loss", "vf_explained_var": "explained_variance"}


def _slots(env_runner: Any) -> AgentSlots:
    return env_runner.env.unwrapped.slots


def _reseed(env_runner: Any, seed: int) -> None:
    env_runner.env.unwrapped.resume_seed = seed


class AgentSlotsVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """One env runner's agent slots as a Gymnasium vector env with next-step reset."""

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012  (declared so)

    def __init__(self, env_config: dict[str, Any]):
        config = build(env_config["config"])
        self.slots = AgentSlots(config, config.ppo.num_envs // config.adapter.num_workers, config.run.seed)
        self.num_envs = self.slots.rows
        slots = self.slots
        self.single_observation_space, self.single_action_space = _spaces(
            slots.spec, slots.num_actions, slots.discrete
        )
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._ended = np.zeros(self.num_envs, bool)  # rows whose next step is void
        self._stand_still = self.slots.world.capabilities.snapshot  # in that step; else they play it
        self.resume_seed: int | None = None  # of a resumed run

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        """RLlib gives every env runner a seed of its own, the same one when a run is resumed."""
        self._ended[:] = False
        own = seeding.split(seed or 0, self.slots.world.steps)
        return self.slots.reset(own if self.resume_seed is None else seeding.split(own, self.resume_seed)), {}

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        slots, counts = self.slots, ~self._ended
        slots.step(actions, self._of_worlds(counts) if self._stand_still else None)
        rewards = np.where(counts, slots.rewards, 0.0)
        terminated, truncated = slots.terminated & counts, slots.truncated & counts
        slots.restore_held()
        rows = np.flatnonzero(terminated | truncated)
        self._ended = terminated | truncated
        if self._stand_still:
            slots.hold(np.flatnonzero(self._of_worlds(self._ended)))
        observations = slots.observations.copy()
        observations[rows] = slots.final_observations(rows)
        return observations, rewards, terminated, truncated, {}

    def _of_worlds(self, rows: np.ndarray) -> np.ndarray:
        """Rows of a native world end together."""
        return np.asarray(rows.reshape(self.slots.world.worlds, -1).all(axis=1))

    def close_extras(self, **_: Any) -> None:
        self.slots.close()


def _spaces(spec: Spec, actions: int, discrete: bool = True) -> tuple[spaces.Box, spaces.Space[Any]]:
    numbers = spaces.Box(-1.0, 1.0, (actions,), np.float32)
    seen = spaces.Box(-np.inf, np.inf, (input_size(spec),), np.float32)
    return seen, spaces.Discrete(actions) if discrete else numbers


class SandlotModule(TorchRLModule, ValueFunctionAPI):
    """Our network as an RLModule; built from the configuration in every process."""

    def setup(self) -> None:
        assert isinstance(self.model_config, dict)
        config = build(self.model_config["config"])
        spec = load_spec(config.game, config.settings)
        policy = policy_for(config, spec, roles_of(config, spec.role_names)[0])
        self.actor_critic = ActorCritic(policy)
        if isinstance(policy.head, Gaussian):
            self.log_std = policy.head.log_std

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        outputs = self.actor_critic(batch[Columns.OBS])
        actions, head = outputs[:, :-1], self.actor_critic.policy.head
        if isinstance(head, Gaussian):  # RLlib takes means, then log standard deviations
            actions = torch.cat([actions, self.log_std.expand_as(actions)], dim=1)
        return {Columns.ACTION_DIST_INPUTS: actions, Columns.EMBEDDINGS: outputs[:, -1]}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """The value is an output beside the logits; RLlib passes it back here as `embeddings`."""
        return self.actor_critic(batch[Columns.OBS])[:, -1] if embeddings is None else embeddings


def _start_ray(config: TrainConfig) -> None:
    """Join the cluster at `adapter.address`, or start one on this machine for this run."""
    if ray.is_initialized():
        return
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # it warns about its older API
    with preserve_signal_handlers():
        if config.adapter.address != "local":
            ray.init(address=config.adapter.address, **quiet)
            return
        ray.init(
            address="local",
            num_cpus=config.adapter.num_workers + 1,
            include_dashboard=False,
            object_store_memory=OBJECT_STORE_BYTES,
            **quiet,
        )


def _settings(config: TrainConfig, spec: Spec, rows_per_worker: int, head: Head) -> PPOConfig:
    """Our settings by RLlib's names."""
    p, workers, env_config = config.ppo, config.adapter.num_workers, {"config": as_dict(config)}
    both_spaces: dict[str, Any] = dict(
        zip(
            ("observation_space", "action_space"),
            _spaces(spec, head.size, isinstance(head, Categorical)),
            strict=True,
        )
    )
    batch = rows_per_worker * workers * p.num_steps
    made = PPOConfig().environment(AgentSlotsVectorEnv, env_config=env_config, **both_spaces)
    made.env_runners(
        num_env_runners=workers,
        num_envs_per_env_runner=rows_per_worker,
        rollout_fragment_length=p.num_steps,
        gym_env_vectorize_mode="vector_entry_point",
    )
    made.training(
        train_batch_size_per_learner=batch,
        minibatch_size=max(2, batch // p.num_minibatches),
        num_epochs=p.update_epochs,
        lr=p.learning_rate,
        gamma=config.adapter.gamma,
        lambda_=p.gae_lambda,
        clip_param=p.clip_range,
        entropy_coeff=p.ent_coef,
        vf_loss_coeff=p.vf_coef,
        grad_clip=p.max_grad_norm,
        use_kl_loss=False,
    )
    made.learners(num_learners=0)  # in this process
    made.rl_module(rl_module_spec=RLModuleSpec(module_class=SandlotModule, model_config=env_config))
    made.debugging(seed=config.run.seed & 0x7FFFFFFF, log_level="ERROR")
    return made


class RLlibRunner(Runner):
    """RLlib's PPO with env runners on Ray."""

    def __init__(self, config: TrainConfig, run_id: str):
        if config.ppo.num_envs % config.adapter.num_workers:
            raise ConfigError(
                f"ppo.num_envs = {config.ppo.num_envs} cannot be shared evenly by "
                f"adapter.num_workers = {config.adapter.num_workers}; choose a multiple of it."
            )
        # normalizer statistics would have to be shared between processes: the network sees raw observations
        network = config.network.replace(
            normalize_observations=False, min_std=0.0, min_std_exempt=(), masked_features=()
        )
        super().__init__(config.replace(network=network), run_id)
        _start_ray(config)
        slots_per_world = self.spec.agents if set(self.roles) == set(self.spec.roles) else 1
        rows = config.ppo.num_envs // config.adapter.num_workers * slots_per_world
        self.algorithm: Any = _settings(self.config, self.policy.spec, rows, self.policy.head).build_algo()

    def learn(self) -> Metrics:
        results = self.algorithm.train()
        self._fetch_weights()
        return rename_metrics(results["learners"][DEFAULT_MODULE_ID], METRIC_NAMES)

    def _fetch_weights(self) -> None:
        """Copy the learner's weights into our policy."""
        weights = self.algorithm.learner_group.get_weights()[DEFAULT_MODULE_ID]
        ours = {name.removeprefix(WEIGHTS): torch.as_tensor(value) for name, value in weights.items()}
        if LOG_STD in ours and isinstance(self.policy.head, Gaussian):
            self.policy.head.log_std.data.copy_(ours.pop(LOG_STD))
        self.policy.network.load_state_dict(ours)

    def take(self) -> RecordedSteps:
        """The steps of all env runners, cut to the length of the shortest record."""
        group = self.algorithm.env_runner_group
        ready = group.foreach_env_runner(lambda w: _slots(w).recorder.ready, local_env_runner=False)
        length = min(ready)
        steps = group.foreach_env_runner(lambda w: _slots(w).take(length), local_env_runner=False)
        return concatenate_worlds(steps)

    def save(self) -> dict[str, Any]:
        return {}  # RLlib's optimizer starts over

    def restore(self, saved: dict[str, Any]) -> None:
        ours = {WEIGHTS + name: value for name, value in self.policy.network.state_dict().items()}
        if isinstance(self.policy.head, Gaussian):
            ours[LOG_STD] = self.policy.head.log_std.detach()
        group = self.algorithm.learner_group
        group.foreach_learner(lambda learner: learner.module[DEFAULT_MODULE_ID].load_state_dict(ours))
        self.algorithm.env_runner_group.sync_weights(from_worker_or_learner_group=group)

    def reseed(self, seed: int) -> None:
        """No effect: env runners reset their worlds when they collect for the first time."""
        group = self.algorithm.env_runner_group
        group.foreach_env_runner(lambda w: _reseed(w, seed), local_env_runner=False)

    def close(self) -> None:
        """End the algorithm, and the cluster if it is ours."""
        self.algorithm.stop()
        shutil.rmtree(self.algorithm.logdir, ignore_errors=True)  # RLlib makes it in the home folder
        if self.config.adapter.address == "local":
            ray.shutdown()
