"""What a window's metrics are called in TensorBoard: `rollout/` and `time/` as Stable-Baselines3 names them,
`episode/`, a group per role, `window/`, `memory/`, `evaluation/`."""

from collections.abc import Mapping
from typing import Any

from ..runs.records import WindowRow

EPISODE_LENGTH = ("steps_mean", "decisions_mean", "length_mean")  # whichever a game sums
# Means over the episodes that ended in the window: one scalar per episode would be thousands per second.
EPISODE_TAGS = {
    "episode/reward_mean": ("reward_mean",),
    "episode/reward_sum": ("return_mean",),
    "episode/steps": EPISODE_LENGTH,
    "rollout/ep_rew_mean": ("return_mean",),
    "rollout/ep_len_mean": EPISODE_LENGTH,
    "time/total_timesteps": ("env_steps_total",),
}
STEPS = ("env_steps_start", "env_steps_end", "env_steps_total")
COUNTERS = ("schema_version", "window_id", "window_complete", *STEPS)
MEMORY = "memory_"  # begins the name of what a process occupies
LEARNER_SUFFIXES = ("_policy_loss", "_value_loss")  # of metrics that a learning role has


def window_tags(row: WindowRow) -> dict[str, float]:
    """Every number of a row by tag."""
    values = numbers(row.to_json())
    ends = [(name, end) for name in values for end in LEARNER_SUFFIXES if name.endswith(end)]
    roles = list(dict.fromkeys(name.removesuffix(end) for name, end in ends))
    known = {tag: [values[name] for name in names if name in values] for tag, names in EPISODE_TAGS.items()}
    tags = {tag: found[0] for tag, found in known.items() if found}
    for end in ("_reward_mean", "_return_mean"):  # of a role: the return, where there is one
        own = {name.removesuffix(end): value for name, value in values.items() if name.endswith(end)}
        tags |= {f"episode/{role}_reward_sum": value for role, value in own.items()}
    if values.get("seconds"):
        tags["time/fps"] = values["env_steps_total"] / values["seconds"]
    for name, value in values.items():
        role = next((role for role in roles if _is_learners(role, name)), None)
        if name.startswith(MEMORY):
            tags[f"memory/{name.removeprefix(MEMORY)}"] = value
        elif role is not None:
            tags[f"{role}/{name.removeprefix(f'{role}_')}"] = value
        elif name not in COUNTERS:
            tags[f"window/{name}"] = value
    return tags


def evaluation_tags(row: Mapping[str, Any]) -> dict[str, float]:
    """Every number of an evaluation by tag."""
    return {f"evaluation/{name}": value for name, value in numbers(row).items() if name not in COUNTERS}


def numbers(row: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a row. JSON has no NaN, so all of them are finite."""
    return {name: float(value) for name, value in row.items() if isinstance(value, (int, float))}


def _is_learners(role: str, name: str) -> bool:
    """ROLE_entropy is the optimiser's; ROLE_win_rate and ROLE_return_mean are outcomes of play."""
    outcomes = ("_median", "_reward_mean", "_return_mean", "_distance_mean")
    return name.startswith(f"{role}_") and not name.endswith(outcomes) and "_win_rate" not in name
