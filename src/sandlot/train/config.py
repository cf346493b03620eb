"""What can be set for a training run, filled from presets, files and `--set` words.

The file form is TOML with one table per section. Unknown keys, wrong types and values out of range are
refused by name.
"""

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import Field, ValidationError

from ..errors import ConfigError, SandlotError, UnknownName
from ..games import DEFAULT_GAME
from ..policies.config import Config, NetworkConfig

Fraction = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]
Location = tuple[int | str, ...]  # of a value: ("ppo", "num_envs")


class PPOConfig(Config):
    """Hyperparameters of PPO, by the names of Stable-Baselines3 and CleanRL."""

    num_envs: int = Field(default=1024, ge=1, le=262_144)  # worlds that are stepped together
    num_steps: int = Field(default=64, ge=1, le=4096)  # env steps per world and rollout
    stagger_steps: int = Field(
        default=0, ge=0, le=10_000_000
    )  # env steps over which the first resets are spread; 0: none
    # above 1: one rollout is learned from while the next is collected
    rollouts_per_iteration: int = Field(default=1, ge=1, le=1024)
    update_epochs: Count = 1  # passes over a rollout
    num_minibatches: Count = 8  # per epoch
    learning_rate: float = Field(default=1e-3, gt=0, le=1)
    learning_rate_end: float = Field(default=1e-4, ge=0, le=1)  # annealed linearly over the run
    gamma: float = Field(default=0.999, gt=0, le=1)  # discount per *tick*
    gae_lambda: Fraction = 0.95  # per env step
    clip_range: float = Field(default=0.2, gt=0)  # of the probability ratio
    vf_coef: float = Field(default=0.5, ge=0)
    ent_coef: float = 0.01
    ent_coef_end: float = 0.001  # annealed linearly over the run
    max_grad_norm: float = Field(default=0.5, gt=0)  # of all weights together
    # an update stops when approx_kl exceeds 1.5 times this; 0: never
    target_kl: float = Field(default=0.05, ge=0)
    normalize_rewards: bool = True  # divide by the running standard deviation of discounted returns
    critic: Literal["own", "privileged"] = "own"  # the policy's own value, or a critic that sees the opponent
    precision: Literal["float32", "bfloat16", "auto"] = "float32"  # auto: bfloat16 where the processor has it

    def learning_rate_at(self, progress: float) -> float:
        """Annealed linearly; progress goes from 0 to 1 over the run."""
        return self.learning_rate + (self.learning_rate_end - self.learning_rate) * progress

    def ent_coef_at(self, progress: float) -> float:
        """Annealed linearly; progress goes from 0 to 1 over the run."""
        return self.ent_coef + (self.ent_coef_end - self.ent_coef) * progress


class SelfPlayConfig(Config):
    """For games with several roles: which opponents a learner plays against."""

    shared: bool = False  # one network plays and learns every role; else one network per role
    latest_fraction: Fraction = 0.6  # of the worlds: the latest policies play each other
    pool_size: Count = 12  # past policies kept per role
    add_every_windows: Count = 4  # windows between two additions to the pool
    use_bots: bool = True  # bots are in the pool too
    scripted_fraction: Fraction = 0.5  # of the drawn opponents that are bots once there are past policies
    num_opponents: Count = 4  # different opponents at the same time
    prioritization: float = 2.0  # exponent of an opponent's win rate when opponents are drawn; 0 for uniform
    uniform_fraction: Fraction = 0.25  # of the draws that ignore win rates, so that no opponent is forgotten


class AdapterConfig(Config):
    """For other libraries' trainers (sb3, puffer, rllib), which have one learner and no notion of ticks."""

    role: str = ""  # that learns, of a game with several: empty for the first; both: one network for all
    opponent: str = ""  # bot of the other role; empty for the default one
    opponent_level: int = Field(default=0, ge=0)  # 0 for its top level
    gamma: float = Field(default=0.99, gt=0, le=1)  # discount per *env step*
    num_workers: Count = 2  # processes that step worlds: of rllib, and of sb3 with vec_env = subproc
    vec_env: Literal["dummy", "subproc"] = "dummy"  # sb3: worlds in this process, or in num_workers others
    algorithm: Literal["ppo", "sac", "td3", "dqn"] = "ppo"  # of sb3; all but ppo have a replay buffer
    buffer_size: int = Field(default=100_000, ge=1000)  # steps of one agent in the replay buffer
    batch_size: int = Field(default=256, ge=2)  # of a gradient step from the replay buffer
    learning_starts: int = Field(default=1000, ge=0)  # steps of random play before learning from the buffer
    gradient_steps: Count = 4  # from the replay buffer, after each step of all worlds
    target_update_interval: Count = 1000  # dqn: steps of one agent between two updates of the target network
    action_noise: float = Field(default=0.1, ge=0)  # td3: std of what is added to actions
    exploration_fraction: Fraction = 0.3  # dqn: of the run, over which random actions become rare
    exploration_end: Fraction = 0.05  # dqn: share of random actions from then on
    address: str = "local"  # rllib: a Ray cluster to join, or local for one made for this run
    dashboard: bool = False  # puffer: PufferLib's own dashboard in place of ours


class ImitationConfig(Config):
    """Learning from demonstrations beside rewards."""

    demos: Annotated[tuple[str, ...], Field(strict=False)] = ()  # files and folders; none: rewards alone
    role: str = ""  # of files that do not name their role; empty for the first role
    epochs: int = Field(default=20, ge=0)  # of behavior cloning before the first rollout
    learning_rate: float = Field(default=1e-3, gt=0, le=1)  # of behavior cloning
    batch_size: int = Field(default=256, ge=1, le=65_536)  # steps
    coef: float = Field(default=0.2, ge=0)  # of the imitation term in the loss of PPO, at first
    decay: Fraction = 0.5  # fraction of the run over which the term is annealed to 0

    def coef_at(self, progress: float) -> float:
        """Annealed linearly to 0 when `decay` of the run is over."""
        return self.coef * max(0.0, 1.0 - progress / self.decay) if self.decay else 0.0


class Stage(Config):
    """One stage of a curriculum: play under these settings until the metric reaches the threshold."""

    name: str
    settings: dict[str, Any] = Field(default_factory=dict)  # of the game, over the run's own
    metric: str = ""  # a column of the window row; the last stage needs none
    threshold: float = 0.0
    consecutive_windows: Count = 1


class RunConfig(Config):
    """How long a run lasts, what it keeps, and where it computes."""

    windows: int = Field(default=0, ge=0)  # stop after so many windows; 0 for no such limit
    minutes: float = Field(default=0.0, ge=0)  # stop after so many minutes; 0 for no such limit
    window_env_steps: Count = 1_000_000  # env steps per window: one step() of one world counts one
    checkpoint_every: Count = 1  # windows
    keep_checkpoints: int = Field(
        default=50, ge=0
    )  # newest checkpoints; best and milestones are kept as well
    seed: int = 1
    threads: Count = 2  # of engine and learner
    device: str = "cpu"  # that learns: cpu, cuda, or cuda:1 for the second GPU
    engine: str = "native"  # that runs the worlds: native, cuda (on run.device), or godot for a Godot process
    processes: Count = 1  # engines side by side that share the worlds of a Godot scene


class EvaluationConfig(Config):
    """The evaluation that follows training, window by window."""

    enabled: bool = True
    every: Count = 1  # windows
    episodes: Count = 64  # held-out seeds, the same in every window
    replays: int = Field(default=1, ge=0)  # episodes recorded per window
    # fraction by which a return must beat the best to be best_so_far
    best_margin: float = Field(default=0.02, ge=0)


class TrainConfig(Config):
    """All settings of a training run."""

    game: str = DEFAULT_GAME
    trainer: str = "ppo"  # ours, or another library's: sb3, puffer, rllib
    settings: dict[str, Any] = Field(default_factory=dict)  # of the game, by knob name
    run: RunConfig = RunConfig()
    ppo: PPOConfig = PPOConfig()
    network: NetworkConfig = NetworkConfig()
    selfplay: SelfPlayConfig = SelfPlayConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    adapter: AdapterConfig = AdapterConfig()
    imitation: ImitationConfig = ImitationConfig()
    curriculum: Annotated[tuple[Stage, ...], Field(strict=False)] = ()


OUR_TRAINER = TrainConfig().trainer


def build(values: Any) -> TrainConfig:
    """Plain values as a configuration, checked key by key; the error names the first problem."""
    try:
        return TrainConfig.model_validate(values)
    except ValidationError as problem:
        raise first_problem(problem, lambda location: _model_at(location).model_fields) from None


def rollouts_of(config: TrainConfig) -> int:
    """Rollouts of one iteration."""
    return config.ppo.rollouts_per_iteration if config.trainer == OUR_TRAINER else 1


def iteration_of(config: TrainConfig) -> int:
    """Env steps of one iteration: what is played between two looks at the limits."""
    return config.ppo.num_envs * config.ppo.num_steps * rollouts_of(config)


def check(config: TrainConfig) -> TrainConfig:
    """Check that settings fit together; the error names the first that does not."""
    p, run = config.ppo, config.run
    iteration = iteration_of(config)
    if p.num_minibatches > p.num_steps:
        expected = f"1 to ppo.num_steps, {p.num_steps}"
        raise ConfigError(f"ppo.num_minibatches = {p.num_minibatches}: expected {expected}.")
    if run.window_env_steps < iteration:
        raise ConfigError(
            f"run.window_env_steps = {run.window_env_steps} is less than one iteration, which has "
            f"{iteration} env steps (ppo.num_envs {p.num_envs} x ppo.num_steps {p.num_steps} x "
            f"ppo.rollouts_per_iteration {rollouts_of(config)}), and each window needs a checkpoint of its "
            "own. Make windows larger, or lower ppo.num_envs."
        )
    if config.adapter.dashboard and config.trainer != "puffer":
        text = f"adapter.dashboard is PufferLib's; the trainer is {config.trainer}"
        raise ConfigError(f"{text}. Add --trainer puffer.")
    return config


def as_dict(config: TrainConfig) -> dict[str, Any]:
    """The configuration as plain values, as it is saved with a run."""
    return config.model_dump(mode="json")


# ---------------------------------------------------------------- error messages

# What is expected, by the type of pydantic's error; other errors keep pydantic's message.
EXPECTED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "string_type": "text",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dataclass_type": "a table of settings",
    "dict_type": "a table of settings",
    "model_type": "a table of settings",
    "model_attributes_type": "a table of settings",
    "greater_than_equal": "at least {ge}",
    "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}",
    "literal_error": "{expected}",
    "finite_number": "a finite number",
    "too_short": "at least {min_length} entries",
    "too_long": "at most {max_length} entries",
    "string_pattern_mismatch": "text of the form {pattern}",
}


def first_problem(
    problem: ValidationError, known_at: Callable[[Location], Iterable[str]], outermost: str = "setting"
) -> SandlotError:
    """Pydantic's first error with its path, its value and what is expected there.

    known_at: the names valid at a place; outermost: what a top-level name is called.
    """
    error = problem.errors(include_url=False)[0]
    location, path = error["loc"], dotted_path(error["loc"])
    if error["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        section = dotted_path(location[:-1])
        kind = f"setting of {section}" if section else outermost
        return UnknownName(kind, location[-1], known_at(location[:-1]))
    if error["type"] == "missing":
        return ConfigError(f"{path} is missing.")
    expected = EXPECTED.get(error["type"], error["msg"]).format(**error.get("ctx", {}))
    value = repr(error["input"])
    shown = value if len(value) <= 60 else f"{value[:60]}…"
    return ConfigError(f"{path or 'the configuration'} = {shown}: expected {expected}.")


def dotted_path(location: Location) -> str:
    """ppo.num_envs, network.hidden_sizes[1]"""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in location]
    return "".join(parts).removeprefix(".")


def _model_at(location: Location) -> type[Config]:
    model: Any = TrainConfig
    for part in location:
        if isinstance(part, str):
            model = model.model_fields[part].annotation
        while get_origin(model) is tuple:
            model = get_args(model)[0]
    return model
