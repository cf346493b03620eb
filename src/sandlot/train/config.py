"""What can be set for a training run: frozen dataclasses, filled from presets, files and `--set` words.

The file form is TOML with one table a section. Unknown keys and wrong types are refused by name.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import ConfigError, UnknownName


@dataclass(frozen=True)
class NetworkConfig:
    hidden: tuple[int, ...] = (128, 128)  # units of each dense layer
    activation: str = "relu"  # relu or tanh
    memory: int = 0  # units of recurrent memory; 0 for none
    head: str = "auto"  # continuous games: auto, table, gaussian or mixed
    directions: int = 16  # of a table head
    normalise: bool = True  # observations, by running mean and spread
    least_spread: float = 0.0  # that observations are divided by: what hardly ever moves stays small
    sharp: tuple[str, ...] = ()  # parts of the observation for which there is no least spread
    blind: tuple[str, ...] = ()  # parts of the observation to leave out: a field, or "asteroids.iron"


@dataclass(frozen=True)
class PPOConfig:
    worlds: int = 1024  # worlds that play at once
    horizon: int = 64  # steps a world plays between two updates
    stagger: int = 0  # steps within which worlds begin anew, one after another; 0 for all at the same hour
    rollouts: int = 1  # of an iteration; with several, one is learned from while the next is collected
    epochs: int = 1  # passes over the collected steps
    minibatches: int = 8  # parts that an epoch is cut into, an optimiser step each
    learning_rate: float = 1e-3
    learning_rate_end: float = 1e-4  # reached, in a straight line, at the end of the run
    discount: float = 0.999  # of a reward one *tick* later
    trace: float = 0.95  # lambda of generalised advantages, per decision
    clip: float = 0.2  # how far an action's probability ratio may move in one update
    value_weight: float = 0.5
    entropy: float = 0.01  # bonus for staying undecided
    entropy_end: float = 0.001  # reached, in a straight line, at the end of the run
    gradient_cap: float = 0.5  # largest norm of a gradient, of all that learns together
    target_kl: float = 0.05  # an update ends before a minibatch with a KL above 1.5 times this; 0 for never
    scale_rewards: bool = True  # divide by the running spread of returns
    critic: str = "own"  # who values a state: the player, or privileged: a critic that is told of the rival
    precision: str = "float32"  # or bfloat16, or auto: bfloat16 where the processor has it


@dataclass(frozen=True)
class TeacherConfig:
    """A scripted player that shows the way at first: on the learner's own states it says what it would do."""

    bot: str = ""  # name of a bot of a discrete game; none for learning from nothing
    weight: float = 1.0  # of imitating it, beside PPO's own loss
    until: float = 0.2  # share of the run over which that weight fades to nothing


@dataclass(frozen=True)
class SelfPlayConfig:
    """For games with several roles: whom a learner meets."""

    shared: bool = False  # one network plays and learns every role; else one network per role
    current: float = 0.6  # share of worlds in which the newest selves meet
    pool: int = 12  # past selves kept a role
    every: int = 4  # windows between two additions to the pool
    bots: bool = True  # scripted players are in the pool too
    scripted: float = 0.5  # share of the rivals' seats that they keep once there are past selves
    opponents: int = 4  # different rivals that are met at once
    prioritise: float = 2.0  # how much more often rivals are drawn that win; 0 for evenly
    even: float = 0.25  # share of draws that are even all the same: who was beaten once is met again


@dataclass(frozen=True)
class AdapterConfig:
    """For other libraries' trainers (sb3, puffer, rllib), which know one learner and no ticks."""

    role: str = "seeker"  # of a game with several: the one that learns, or both (one network plays all seats)
    rival: str = ""  # scripted player of the other role; none for the usual one
    rival_level: int = 0  # 0 for its top level
    discount: float = 0.99  # of a reward one *decision* later
    workers: int = 2  # processes that play, for rllib
    address: str = "local"  # rllib: a Ray cluster to join, or local for one made for this run
    dashboard: bool = False  # puffer: PufferLib's own screen in place of ours


@dataclass(frozen=True)
class Stage:
    """One lesson: play under these settings until the measure reaches the threshold."""

    name: str
    game: dict[str, Any] = field(default_factory=dict)
    measure: str = ""  # a column of the window row; the last stage needs none
    at_least: float = 0.0
    windows: int = 1  # in so many windows in a row


@dataclass(frozen=True)
class RunConfig:
    windows: int = 0  # stop after so many windows; 0 for no such limit
    minutes: float = 0.0  # stop after so many minutes; 0 for no such limit
    window_env_steps: int = 1_000_000  # env steps per window: one step() of one world counts one
    checkpoint_every: int = 1  # windows
    keep_checkpoints: int = 50  # newest ones; best and milestones stay
    seed: int = 1
    threads: int = 2  # of engine and learner
    device: str = "cpu"  # that learns: cpu, cuda, or cuda:1 for the second card
    engine: str = "native"  # that plays the worlds: native, or godot for a Godot process


@dataclass(frozen=True)
class EvaluationConfig:
    enabled: bool = True
    every: int = 1  # windows
    episodes: int = 64  # held-out seeds, the same in every window
    replays: int = 1  # episodes recorded a window
    best_margin: float = 0.02  # share by which a return must beat the best to count as best_so_far


@dataclass(frozen=True)
class TrainConfig:
    game: str = "tag"
    trainer: str = "ppo"  # ours, or another library's: sb3, puffer, rllib
    settings: dict[str, Any] = field(default_factory=dict)  # of the game, by knob name
    run: RunConfig = RunConfig()
    ppo: PPOConfig = PPOConfig()
    network: NetworkConfig = NetworkConfig()
    teacher: TeacherConfig = TeacherConfig()
    selfplay: SelfPlayConfig = SelfPlayConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    adapter: AdapterConfig = AdapterConfig()
    curriculum: tuple[Stage, ...] = ()


def build(kind: Any, values: Any, path: str = "") -> Any:
    """Plain values as a dataclass, checked key by key and type by type."""
    if not isinstance(values, Mapping):
        raise ConfigError(f"{path or 'the configuration'} must be a table of settings, not {values!r}.")
    fields = {f.name: f for f in dataclasses.fields(kind)}
    hints = typing.get_type_hints(kind)
    for key in values:
        if key not in fields:
            raise UnknownName(f"setting of {path}" if path else "setting", key, fields)
    made = {k: _value(hints[k], v, f"{path}.{k}" if path else k) for k, v in values.items()}
    return kind(**made)


def _value(kind: Any, value: Any, path: str) -> Any:
    if dataclasses.is_dataclass(kind):
        return build(kind, value, path)
    origin = typing.get_origin(kind)
    if origin is tuple:
        inner = typing.get_args(kind)[0]
        if not isinstance(value, (list, tuple)):
            raise ConfigError(f"{path} = {value!r}: expected a list.")
        return tuple(_value(inner, v, f"{path}[{i}]") for i, v in enumerate(value))
    if origin is dict:
        if not isinstance(value, Mapping):
            raise ConfigError(f"{path} = {value!r}: expected a table of settings.")
        return dict(value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if (
        isinstance(kind, types.UnionType)
        or not isinstance(value, kind)
        or (kind is int and isinstance(value, bool))
    ):
        raise ConfigError(f"{path} = {value!r}: expected {_KINDS.get(kind, kind)}.")
    return value


_KINDS = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}


def check(config: TrainConfig) -> TrainConfig:
    """Settings that fit together, or a sentence about the first that does not."""
    p, r = config.ppo, config.run
    rollouts = p.rollouts if config.trainer == TrainConfig.trainer else 1
    iteration = p.worlds * p.horizon * rollouts
    rules = (
        (1 <= p.worlds <= 262_144, f"ppo.worlds = {p.worlds}: expected 1 to 262144."),
        (1 <= p.horizon <= 4096, f"ppo.horizon = {p.horizon}: expected 1 to 4096."),
        (0 <= p.stagger <= 10_000_000, f"ppo.stagger = {p.stagger}: expected 0 to 10000000."),
        (1 <= p.rollouts <= 1024, f"ppo.rollouts = {p.rollouts}: expected 1 to 1024."),
        (p.epochs >= 1, f"ppo.epochs = {p.epochs}: expected at least 1."),
        (
            1 <= p.minibatches <= p.horizon,
            f"ppo.minibatches = {p.minibatches}: expected 1 to ppo.horizon, {p.horizon}.",
        ),
        (0 < p.learning_rate <= 1, f"ppo.learning_rate = {p.learning_rate}: expected above 0, at most 1."),
        (0 < p.discount <= 1 and 0 <= p.trace <= 1, "ppo.discount and ppo.trace must lie in 0..1."),
        (
            config.network.least_spread >= 0,
            f"network.least_spread = {config.network.least_spread}: expected 0 or more.",
        ),
        (
            p.precision in ("float32", "bfloat16", "auto"),
            f"ppo.precision = {p.precision!r}: expected float32 or bfloat16, or auto.",
        ),
        (
            p.critic in ("own", "privileged"),
            f"ppo.critic = {p.critic!r}: expected own or privileged.",
        ),
        (
            r.window_env_steps >= iteration,
            f"run.window_env_steps = {r.window_env_steps} is less than one iteration, which plays "
            f"{iteration} env steps (ppo.worlds {p.worlds} x ppo.horizon {p.horizon} x ppo.rollouts "
            f"{rollouts}): each window gets a checkpoint of its own. "
            "Make windows larger, or lower ppo.worlds.",
        ),
        (r.windows >= 0 and r.minutes >= 0, "run.windows and run.minutes must not be negative."),
        (r.threads >= 1, f"run.threads = {r.threads}: expected at least 1."),
        (
            0 <= config.selfplay.current <= 1,
            f"selfplay.current = {config.selfplay.current}: expected 0 to 1.",
        ),
        (
            0 <= config.selfplay.scripted <= 1,
            f"selfplay.scripted = {config.selfplay.scripted}: expected 0 to 1.",
        ),
        (
            0 <= config.selfplay.even <= 1,
            f"selfplay.even = {config.selfplay.even}: expected 0 to 1.",
        ),
        (
            config.trainer == "puffer" or not config.adapter.dashboard,
            f"adapter.dashboard is PufferLib's; the trainer is {config.trainer}. Add --trainer puffer.",
        ),
    )
    for good, sentence in rules:
        if not good:
            raise ConfigError(sentence)
    return config


def as_dict(config: TrainConfig) -> dict[str, Any]:
    """The configuration as plain values, as it is saved with a run."""
    return _plain(dataclasses.asdict(config))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, (list, tuple)) else value
