"""Events of a training run. Dashboards, logs and uploads subscribe; the loop does not know them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..runs.records import WindowRow


@dataclass(frozen=True)
class Started:
    """Before the first iteration."""

    run_id: str
    folder: str
    config: dict[str, Any]
    resumed_at: int | None  # window, or None for a new run


@dataclass(frozen=True)
class Progressed:
    """After every iteration."""

    window_id: int  # in progress
    share: float  # of that window, 0 to 1
    run_share: float  # of the whole run, 0 to 1
    decisions_per_second: float  # of agents: env steps times the agents of a world
    ticks_per_second: float
    env_steps_total: int
    ticks_total: int
    episodes_total: int
    seconds: float  # of training so far, earlier sessions included
    shares: dict[str, float]  # of time: world, policy, learner, opponents, files
    metrics: dict[str, dict[str, float]]  # of the last update, by role
    opponents: dict[str, float] = field(default_factory=dict)  # win rate of each opponent in play


@dataclass(frozen=True)
class WindowClosed:
    """After a window's row was written."""

    row: WindowRow


@dataclass(frozen=True)
class Committed:
    """After a checkpoint was written."""

    window_id: int
    checkpoint: str


@dataclass(frozen=True)
class StageEntered:
    """After a curriculum moved on."""

    stage: int
    name: str
    settings: dict[str, Any]


@dataclass(frozen=True)
class Warned:
    """A warning that needs attention before something fails."""

    text: str


@dataclass(frozen=True)
class Ended:
    """After the last iteration, or a failure."""

    status: str  # completed, stopped, failed
    windows: int
    reason: str


Event = Started | Progressed | WindowClosed | Committed | StageEntered | Warned | Ended
Listener = Callable[[Event], None]
