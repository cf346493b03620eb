"""The configuration of VR navigation training: seven sections, to and from JSON, four presets.

    config = RLConfig.preset("quick_test")
    config.training.use_curriculum = True
    config.save("my_config.json")

Every field is checked when it is set; `validate` checks what only holds between fields. A file may leave out
sections and fields, and what it does not know is refused with the nearest name.
"""

import json
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from ...errors import ConfigError, SandlotError, UnknownName
from ...files import write_bytes
from ...train.config import Location, first_problem

GAME = "navigation"
RAYS, RAY_LENGTH = 16, 5.0  # of the native game
STEPS_PER_SECOND = 10.0  # decisions: 9 ticks of 1/90 s each
MAX_FILE = 1 << 20  # bytes of a configuration
EXAMPLE = Path("example_config.json")

SETTINGS = ConfigDict(extra="forbid", strict=True, validate_assignment=True, allow_inf_nan=False)
Layout = Literal["open", "course", "maze"]
TASKS: tuple[str, ...] = get_args(Layout)


@dataclass(config=SETTINGS)
class NetworkConfig:
    """The policy's network; actor and critic have one each."""

    policy: Literal["MlpPolicy"] = "MlpPolicy"
    net_arch: list[int] = Field(default_factory=lambda: [256, 256], min_length=1, max_length=8)
    activation_fn: Literal["relu", "tanh"] = "relu"


@dataclass(config=SETTINGS)
class PPOConfig:
    """Hyperparameters of Stable-Baselines3's PPO."""

    learning_rate: float = Field(default=3e-4, gt=0, le=1)
    learning_rate_schedule: Literal["constant", "linear"] = "constant"  # linear: to 0 over the whole training
    n_steps: int = Field(default=2048, ge=2, le=65_536)  # per environment and rollout
    batch_size: int = Field(default=64, ge=2, le=65_536)
    n_epochs: int = Field(default=10, ge=1, le=100)
    gamma: float = Field(default=0.99, gt=0, le=1)
    gae_lambda: float = Field(default=0.95, ge=0, le=1)
    clip_range: float = Field(default=0.2, gt=0, le=1)
    ent_coef: float = Field(default=0.01, ge=0, le=1)
    vf_coef: float = Field(default=0.5, ge=0, le=10)
    max_grad_norm: float = Field(default=0.5, gt=0, le=100)


@dataclass(config=SETTINGS)
class RewardsConfig:
    """What is paid. A penalty may be written with either sign."""

    goal_reached: float = Field(default=100.0, ge=0, le=1000)
    progress: float = Field(default=1.0, ge=0, le=10)  # per metre nearer
    smooth_movement: float = Field(default=0.1, ge=0, le=100)  # of a whole episode without rough steps
    comfort_bonus: float = Field(
        default=2.0, ge=0, le=100
    )  # of a whole comfortable episode; lost with discomfort
    discomfort: float = Field(default=1.0, ge=0, le=100)  # of it per second of full discomfort
    collision_penalty: float = Field(default=-10.0, ge=-100, le=100)
    fall_penalty: float = Field(default=-50.0, ge=-1000, le=1000)
    timeout_penalty: float = Field(default=-20.0, ge=-1000, le=1000)
    teleport_penalty: float = Field(default=-1.0, ge=-100, le=100)


@dataclass(config=SETTINGS)
class ObservationsConfig:
    """What the policy sees."""

    num_ray_sensors: int = Field(default=RAYS, ge=1, le=64)
    ray_length: float = Field(default=RAY_LENGTH, gt=0, le=100)  # m
    ray_vertical_angle: float = Field(default=0.0, ge=-90, le=90)  # degrees
    normalize_observations: bool = True


@dataclass(config=SETTINGS)
class ActionsConfig:
    """What a command becomes."""

    action_smoothing: float = Field(
        default=0.3, ge=0, le=0.95
    )  # share of the old command that a decision leaves
    max_movement_speed: float = Field(default=2.0, ge=0.5, le=4)  # m/s
    max_rotation_speed: float = Field(default=90.0, ge=10, le=360)  # degrees/s
    dead_zone: float = Field(default=0.1, ge=0, le=0.5)
    turning: Literal["smooth", "snap"] = "smooth"  # native; a scene behind HTTP has its own setting
    snap_angle: float = Field(default=45.0, ge=15, le=180)  # degrees


@dataclass(config=SETTINGS)
class EnvironmentConfig:
    """Where episodes are played."""

    kind: Literal["native", "http"] = "native"
    num_environments: int = Field(default=1, ge=1, le=8)
    max_episode_steps: int = Field(default=1000, ge=10, le=6000)
    max_goal_distance: float = Field(default=30.0, ge=10, le=30)  # m; a curriculum replaces it
    layout: Layout = "course"  # native: what stands between start and goal
    host: str = Field(default="127.0.0.1", min_length=1, max_length=255)  # http
    port: int = Field(default=8080, ge=1, le=65_528)  # http: of the first game; the next have the next ones
    scene: str = Field(default="res://scenes/features/vr_locomotion_test.tscn", pattern=r"^res://.+\.tscn$")


@dataclass(config=SETTINGS)
class Stage:
    """A stage of a curriculum."""

    name: str = Field(min_length=1, max_length=100)
    max_goal_distance: float = Field(ge=10, le=30)  # m
    timesteps: int = Field(ge=1)  # it lasts; of a training with another total, in proportion


def _stages() -> list[Stage]:
    rows = ("easy", 10.0, 500_000), ("medium", 20.0, 1_000_000), ("hard", 30.0, 1_500_000)
    return [Stage(name, distance, timesteps) for name, distance, timesteps in rows]


@dataclass(config=SETTINGS)
class TrainingConfig:
    """How long, how often, how many, and where to."""

    total_timesteps: int = Field(default=1_000_000, ge=1, le=10_000_000_000)
    save_freq: int = Field(default=10_000, ge=1)  # steps between two checkpoints
    eval_freq: int = Field(default=5_000, ge=1)  # steps between two evaluations
    eval_episodes: int = Field(default=10, ge=1, le=1000)
    num_workers: int = Field(default=1, ge=1, le=8)  # processes: 1, or one per environment
    use_curriculum: bool = False
    curriculum_stages: list[Stage] = Field(default_factory=_stages, max_length=20)
    tasks: list[Layout] = Field(
        default_factory=list, max_length=3
    )  # several: drawn at reset, a task id is observed
    seed: int = Field(default=0, ge=0, le=2**31 - 1)
    device: str = Field(default="auto", pattern=r"^(auto|cpu|cuda(:\d+)?)$")
    torch_threads: int = Field(default=1, ge=1, le=256)  # batches of 64 rows are learned from fastest by one
    user_dir: str = Field(
        default="", max_length=4096
    )  # what user:// stands for; else the variable AI_USER_DIR


@dataclass(config=SETTINGS)
class RLConfig:
    """Everything together."""

    network: NetworkConfig = Field(default_factory=NetworkConfig)
    ppo: PPOConfig = Field(default_factory=PPOConfig)
    rewards: RewardsConfig = Field(default_factory=RewardsConfig)
    observations: ObservationsConfig = Field(default_factory=ObservationsConfig)
    actions: ActionsConfig = Field(default_factory=ActionsConfig)
    environment: EnvironmentConfig = Field(default_factory=EnvironmentConfig)
    training: TrainingConfig = Field(default_factory=TrainingConfig)

    # ------------------------------------------------------------ presets

    @classmethod
    def preset(cls, name: str) -> "RLConfig":
        """One of the four presets."""
        if name not in PRESETS:
            raise UnknownName("preset", name, PRESETS)
        return cls.from_dict(PRESETS[name])

    # ------------------------------------------------------------ JSON

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    def to_json(self) -> str:
        """As the text of a file."""
        return json.dumps(self.to_dict(), indent=2) + "\n"

    @classmethod
    def from_dict(cls, values: Any) -> "RLConfig":
        """From plain values; the first problem is a sentence."""
        return cls.from_json(json.dumps(values))

    @classmethod
    def from_json(cls, text: str | bytes) -> "RLConfig":
        """From the text of a file; the first problem is a sentence."""
        try:
            return TypeAdapter(cls).validate_json(text)
        except ValidationError as problem:
            known = lambda location: [field.name for field in fields(_class_at(cls, location))]  # noqa: E731
            raise first_problem(problem, known, "section") from None

    def save(self, path: str | Path) -> Path:
        """Write it, whole or not at all."""
        path = Path(path)
        if not path.parent.is_dir():
            raise ConfigError(f"{path}: there is no folder {path.parent}. Make it, or choose another name.")
        write_bytes(path, self.to_json().encode())
        return path

    @classmethod
    def load(cls, path: str | Path) -> "RLConfig":
        """Read a file."""
        try:
            with Path(path).open("rb") as file:
                text = file.read(MAX_FILE + 1)
        except OSError as problem:
            raise ConfigError(f"The configuration {path} cannot be read: {problem.strerror}.") from None
        if len(text) > MAX_FILE:
            raise ConfigError(f"The configuration {path} is larger than {MAX_FILE} bytes.")
        try:
            return cls.from_json(text)
        except SandlotError as problem:
            raise ConfigError(f"{path}: {problem}") from None

    # ------------------------------------------------------------ checks

    def validate(self) -> "RLConfig":
        """Check what holds between fields, and that the game accepts its settings; returns itself."""
        # nested lists and fields may have been changed in place
        checked = self.from_dict(self.to_dict())
        _check_sizes(checked)
        _check_tasks(checked)
        if checked.environment.kind == "native":
            _check_native(checked)
        elif checked.actions.turning != "smooth":
            raise ConfigError(
                f"actions.turning = {checked.actions.turning!r}: a scene behind HTTP turns as its own "
                "settings say. Leave it at 'smooth', or set environment.kind to native."
            )
        return self

    @property
    def stages(self) -> list[Stage]:
        """The stages of this training, each with the steps that it lasts here; one without a curriculum."""
        training = self.training
        if not training.use_curriculum:
            return [Stage("all", self.environment.max_goal_distance, training.total_timesteps)]
        total = sum(stage.timesteps for stage in training.curriculum_stages)
        factor = training.total_timesteps / total
        return [
            Stage(stage.name, stage.max_goal_distance, max(1, round(stage.timesteps * factor)))
            for stage in training.curriculum_stages
        ]

    def summary(self) -> str:
        """A few lines for people: what is trained, how long, what is paid."""
        t, e, p, r, a = self.training, self.environment, self.ppo, self.rewards, self.actions
        where = f"native game, layout {e.layout}" if e.kind == "native" else f"{e.host}:{e.port}, {e.scene}"
        if t.tasks:
            where = f"native game, tasks {', '.join(t.tasks)}"
        stages = " → ".join(f"{s.name} {s.max_goal_distance:g} m ({s.timesteps:,})" for s in self.stages)
        return "\n".join(
            [
                f"training      {t.total_timesteps:,} steps, checkpoint every {t.save_freq:,}, "
                f"evaluation every {t.eval_freq:,}",
                f"environment   {where}; {e.num_environments} x {e.max_episode_steps} steps per episode",
                f"stages        {stages}"
                if t.use_curriculum
                else f"goals         up to {e.max_goal_distance:g} m away",
                f"ppo           learning rate {p.learning_rate:g} ({p.learning_rate_schedule}), "
                f"{p.n_steps} steps, batch {p.batch_size}, {p.n_epochs} epochs, gamma {p.gamma:g}",
                f"network       {self.network.policy} {self.network.net_arch}, {self.network.activation_fn}",
                f"rewards       goal {r.goal_reached:+g}, progress {r.progress:+g}/m, "
                f"comfort {r.comfort_bonus:+g}, smooth {r.smooth_movement:+g}, "
                f"collision {-abs(r.collision_penalty):+g}, fall {-abs(r.fall_penalty):+g}, "
                f"timeout {-abs(r.timeout_penalty):+g}, teleport {-abs(r.teleport_penalty):+g}",
                f"actions       {a.max_movement_speed:g} m/s, {_turning(a)}, "
                f"smoothing {a.action_smoothing:g}, dead zone {a.dead_zone:g}",
            ]
        )

    # ------------------------------------------------------------ for the game

    def game_settings(self) -> dict[str, Any]:
        """The settings of the native game that say the same."""
        e, a, r = self.environment, self.actions, self.rewards
        return {
            "layout": e.layout,
            "max_goal_distance": e.max_goal_distance,
            "time_limit": e.max_episode_steps / STEPS_PER_SECOND,
            "action_smoothing": a.action_smoothing,
            "max_movement_speed": a.max_movement_speed,
            "max_rotation_speed": a.max_rotation_speed,
            "dead_zone": a.dead_zone,
            "turning": a.turning,
            "snap_angle": a.snap_angle,
            "goal_reached": r.goal_reached,
            "progress": r.progress,
            "comfort_bonus": r.comfort_bonus,
            "discomfort": r.discomfort,
            "collision_penalty": abs(r.collision_penalty),
            "fall_penalty": abs(r.fall_penalty),
            "timeout_penalty": abs(r.timeout_penalty),
        }


PRESETS: dict[str, dict[str, Any]] = {
    "quick_test": {
        "environment": {"max_episode_steps": 200},
        "training": {"total_timesteps": 10_000, "save_freq": 2_000},
    },
    "full_training": {"training": {"total_timesteps": 5_000_000}},
    "curriculum_learning": {"training": {"total_timesteps": 3_000_000, "use_curriculum": True}},
    "comfort_optimized": {
        "training": {"total_timesteps": 1_000_000},
        "rewards": {"comfort_bonus": 9.5, "discomfort": 3.0},
        "actions": {"action_smoothing": 0.4},
    },
}


# ---------------------------------------------------------------- checks between fields


def _check_sizes(config: RLConfig) -> None:
    p, e, t = config.ppo, config.environment, config.training
    rollout = p.n_steps * e.num_environments
    if p.batch_size > rollout:
        raise ConfigError(
            f"ppo.batch_size = {p.batch_size}: expected at most a rollout, ppo.n_steps {p.n_steps} x "
            f"environment.num_environments {e.num_environments} = {rollout}."
        )
    if t.num_workers not in (1, e.num_environments):
        raise ConfigError(
            f"training.num_workers = {t.num_workers}: expected 1 (all environments in this process) or "
            f"environment.num_environments, {e.num_environments} (a process for each)."
        )
    if any(not 1 <= size <= 4096 for size in config.network.net_arch):
        raise ConfigError(f"network.net_arch = {config.network.net_arch}: expected sizes from 1 to 4096.")
    if t.use_curriculum and not t.curriculum_stages:
        raise ConfigError(
            "training.use_curriculum is set, but training.curriculum_stages is empty. Add a stage."
        )


def _turning(actions: ActionsConfig) -> str:
    if actions.turning == "snap":
        return f"snap turns of {actions.snap_angle:g} degrees"
    return f"{actions.max_rotation_speed:g} degrees/s"


def _check_tasks(config: RLConfig) -> None:
    tasks = config.training.tasks
    if len(set(tasks)) < len(tasks):
        raise ConfigError(f"training.tasks = {tasks}: expected each layout once.")
    if tasks and config.environment.kind == "http":
        raise ConfigError("training.tasks are layouts of the native game; set environment.kind to native.")


def _check_native(config: RLConfig) -> None:
    """The native game has fixed rays, and its own opinion about rewards that beat the goal."""
    from ...worlds import load_spec

    o = config.observations
    if (o.num_ray_sensors, o.ray_length, o.ray_vertical_angle) != (RAYS, RAY_LENGTH, 0.0):
        raise ConfigError(
            f"observations: the native game has {RAYS} level rays of {RAY_LENGTH:g} m, "
            f"not {o.num_ray_sensors} of {o.ray_length:g} m at {o.ray_vertical_angle:g} degrees. "
            "Set them so, or environment.kind to http."
        )
    bonus = config.rewards.comfort_bonus + config.rewards.smooth_movement
    if bonus > config.rewards.goal_reached / 10:
        raise ConfigError(
            f"rewards.comfort_bonus + rewards.smooth_movement = {bonus:g}: expected at most a tenth of "
            f"rewards.goal_reached, {config.rewards.goal_reached / 10:g}, or comfort pays more than arriving."
        )
    load_spec(GAME, config.game_settings())


# ---------------------------------------------------------------- problems as sentences


def _class_at(root: Any, location: Location) -> Any:
    """The dataclass at a path such as ("training", "curriculum_stages", 0)."""
    found = root
    for part in location:
        if isinstance(part, str):
            found = {field.name: field.type for field in fields(found)}[part]
        if get_origin(found) is list and not is_dataclass(found):
            found = get_args(found)[0]
    return found


# ---------------------------------------------------------------- `python scripts/ml/rl_config.py`


def main() -> None:
    """Write example_config.json, the default configuration with every field, and print its summary."""
    config = RLConfig().validate()
    path = config.save(EXAMPLE)
    print(config.summary())
    print(f"\nWrote {path}. Edit it, then: python scripts/ml/train_vr_navigation.py --config {path}")
    print(f"Presets: {', '.join(PRESETS)}.")
