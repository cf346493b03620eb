"""The environment variables of the scripts, in one table: what each means, and the setting it becomes.

Commands read them through here and nowhere else. A variable that is empty counts as unset.
docs/environment.md has the table for people; `make docs` writes it.
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ConfigError

FALSE, TRUE = ("0", "false", "no", "off"), ("1", "true", "yes", "on")


@dataclass(frozen=True)
class Variable:
    """One row. kind: how its text is read; becomes: the settings of the game or the run that it sets."""

    name: str
    kind: str  # number, whole, flag, text, path
    default: str
    text: str
    becomes: str = ""

    def read(self, text: str) -> Any:
        """Its text as a value of its kind; ConfigError where it is none."""
        if self.kind == "flag":
            if text.lower() not in (*TRUE, *FALSE):
                raise ConfigError(f"{self.name}={text}: expected 1 or 0.")
            return text.lower() in TRUE
        if self.kind in ("number", "whole"):
            try:
                value = float(text)
            except ValueError:
                value = float("nan")
            if not abs(value) < 1e12 or (self.kind == "whole" and value != int(value)):
                wanted = "a whole number" if self.kind == "whole" else "a number"
                raise ConfigError(f"{self.name}={text}: expected {wanted}, such as {self.default or 1}.")
            return int(value) if self.kind == "whole" else value
        return Path(text) if self.kind == "path" else text


_v = Variable  # a short name for a long table

GROUPS: dict[str, tuple[Variable, ...]] = {
    "Engine and folders": (
        _v("GODOT_BIN", "path", "", "the Godot to use; else godot4, godot, then the fetched one"),
        _v("AI_DATA_ROOT", "path", "data",
           "folder of trajectories, frames and imports, for commands and scenes"),
        _v("AI_TRAJECTORIES_DIR", "path", "", "where trajectories go; else `trajectories` of the data root"),
        _v("AI_FRAMES_DIR", "path", "", "where frames go; else `frames` of the data root"),
        _v("AI_MIGRATION_BACKUP_DIR", "path", "", "where migrated originals go; else `_imported` there"),
        _v("AI_USER_DIR", "path", "",
           "what user:// stands for, unless training.user_dir says; else `user` of the data root"),
        _v("AI_LEGACY_TRAJECTORY_DIRS", "text", "", "more folders to look for trajectories in"),
        _v("AI_LEGACY_FRAMES_DIRS", "text", "", "more folders to look for frames in"),
        _v("AI_PATHSEP", "text", os.pathsep, "what separates the folders in those lists"),
    ),
    "Rules and rewards": (
        _v("AI_IS_IT", "flag", "1", "the first agent is the seeker", "first_is_seeker"),
        _v("AI_MODE", "text", "timed", "timed, or switch: a touch passes the role on", "mode"),
        _v("AI_IMMUNITY_SEC", "number", "1.5", "switch: seconds without touches after one", "immunity_s"),
        _v("AI_TIME_LIMIT_SEC", "number", "10", "length of a match, seconds", "time_limit"),
        _v("AI_STEP_TICK_INTERVAL", "whole", "3", "ticks a decision lasts", "ticks_per_step"),
        _v("AI_DISTANCE_REWARD_SCALE", "number", "0.14", "per metre closed or gained",
           "seeker_progress, hider_progress"),
        _v("AI_SEEKER_TIME_PENALTY", "number", "-0.005", "per step; its sign does not matter",
           "seeker_time (per second)"),
        _v("AI_WIN_BONUS", "number", "10", "for a touch, and the cost of being touched",
           "tag_bonus, tagged_penalty"),
        _v("AI_TIMEOUT_HIDER_BONUS", "number", "6", "for lasting to the limit", "hider_timeout"),
        _v("AI_TIMEOUT_SEEKER_PENALTY", "number", "6", "for running out of time", "seeker_timeout"),
    ),
    "A training session": (
        _v("AI_TRAIN_DURATION", "number", "300", "seconds of training, always limited", "run.minutes"),
        _v("AI_CONTROL_ALL_AGENTS", "flag", "1",
           "both roles meet their newest selves, and self-play trains one network for both; 0: a network "
           "per role, which meets past selves and scripted players. A scene asks for all agents, or for one",
           "selfplay.latest_fraction, selfplay.shared"),
        _v("AI_TRAINING_MODE", "flag", "1", "read by a scene: stream transitions to the live server"),
        _v("AI_LEGACY_ACT_FALLBACK", "flag", "0", "read by a scene: ask with `act` instead of `act_batch`"),
        _v("AI_LOG_TRAJECTORIES", "flag", "0", "write every match of the first arena as ep_*.jsonl"),
        _v("PPO_MAX_CHECKPOINTS", "whole", "8", "checkpoints kept", "run.keep_checkpoints"),
        _v("DISABLE_POLICY_LOAD", "flag", "0", "begin from nothing, even if trainer/policy_*.pt exist"),
        _v("TRAIN_APPROACH", "text", "", "folder of the session under trainer/logs/runs; else its mode"),
        _v("TRAIN_VARIANT", "text", "", "noted in the session's metadata; else its mode"),
        _v("TRAIN_RUN_ID", "text", "", "name of the session; else a time stamp"),
        _v("TRAIN_CLEAN_FRAMES", "flag", "1", "remove old frames before a session"),
        _v("TRAIN_FILM", "flag", "1",
           "end a session in Godot with a match of its weights: ep_*.jsonl and learn_progress-*.mp4"),
        _v("TRAIN_FILM_TIMEOUT", "number", "300", "seconds that this film may take; then exit code 2"),
        _v("KEEP_SERVER", "flag", "1",
           "without an engine: the live server waits for a Godot that you open; 0: exit code 3 at once"),
        _v("TRAIN_PORT", "whole", "8765", "port of that server; scenes try 8765"),
        _v("TRAIN_PYTHON", "path", "", "read by the scripts: the Python that has sandlot"),
        _v("TRAIN_USE_PIXI", "flag", "0", "read by the scripts: run sandlot through pixi"),
        _v("TRAIN_ENV_DIR", "path", "", "read by the scripts: an environment that has sandlot"),
        _v("TRAIN_BIN_DIR", "path", "", "read by the scripts: the folder of a Python that has sandlot"),
    ),
    "Self-play and curriculum": (
        _v("SELF_PLAY_ROUNDS", "whole", "4", "rounds; an odd count gets one more"),
        _v("SELF_PLAY_DURATION", "number", "180", "seconds a round"),
        _v("SELF_PLAY_START_ROLE", "text", "seeker", "role of the first agent in the first round"),
        _v("SELF_PLAY_SESSION_ID", "text", "", "name of the session; else a time stamp"),
        _v("SELF_PLAY_APPROACH", "text", "self-play-curriculum", "folder of the curriculum's sessions"),
        _v("WARM_START_RUNS", "whole", "2", "seeker sessions before self-play"),
        _v("WARM_START_DURATION", "number", "90", "seconds of each"),
        _v("CURRICULUM_SELF_ROUNDS", "whole", "6", "rounds of self-play in the curriculum"),
        _v("CURRICULUM_SELF_DURATION", "number", "150", "seconds of each"),
        _v("CURRICULUM_SEEKER_PENALTY", "number", "-0.005", "AI_SEEKER_TIME_PENALTY of the curriculum",
           "seeker_time (per second)"),
        _v("CURRICULUM_DISTANCE_SCALE", "number", "0.15", "AI_DISTANCE_REWARD_SCALE of the curriculum",
           "seeker_progress, hider_progress"),
        _v("CURRICULUM_TARGET_WIN", "number", "0.55", "share that the seeker must win; else exit code 1"),
        _v("CURRICULUM_CHECK_EPISODES", "whole", "20", "the last so many matches count for that"),
        _v("CURRICULUM_POOL_DIR", "path", "trainer/policy_pool/hider", "where hider snapshots are kept"),
        _v("CURRICULUM_POOL_KEEP", "whole", "4", "how many"),
        _v("CURRICULUM_POOL_EVAL", "flag", "1", "play the seeker against the pool at the end"),
        _v("CURRICULUM_POOL_EVAL_COUNT", "whole", "2", "against so many of the pool"),
        _v("CURRICULUM_POOL_EVAL_EPIS", "whole", "5", "matches each"),
    ),
    "Watching and testing": (
        _v("AI_RECORD", "flag", "0", "a scene saves frames; an evaluation makes a film"),
        _v("AI_RECORD_FPS", "whole", "60",
           "frames a second, of simulated time; frames that are there keep the rate they were drawn at"),
        _v("AI_REPLAY_PATH", "path", "", "the trajectory to render; else the newest"),
        _v("AI_RENDER_QUALITY", "text", "high", "high or low"),
        _v("AI_PRESERVE_FRAMES", "flag", "0", "keep frames after they were made into a film"),
        _v("EVAL_RUN_ID", "text", "", "name of an evaluation; else a time stamp"),
        _v("EVAL_USE_PIXI", "flag", "0", "read by eval_episode.sh, as TRAIN_USE_PIXI"),
        _v("TEST_TIMEOUT", "number", "90", "seconds that the Godot tests may take; then exit code 124"),
    ),
}  # fmt: skip
VARIABLES = {variable.name: variable for group in GROUPS.values() for variable in group}


def get(name: str, environment: Mapping[str, str] | None = None) -> Any:
    """The value of a variable, or its default; None for one that is unset and has none."""
    text = _text(name, environment) or VARIABLES[name].default
    return VARIABLES[name].read(text) if text else None


def is_set(name: str, environment: Mapping[str, str] | None = None) -> bool:
    """Whether a variable is set to something."""
    return bool(_text(name, environment))


def _text(name: str, environment: Mapping[str, str] | None) -> str:
    return (os.environ if environment is None else environment).get(name, "").strip()


# The settings of the game that a variable becomes. Only those that are set are laid over the defaults.
RULES = {
    variable.name: [part.split()[0] for part in variable.becomes.split(", ")]
    for variable in GROUPS["Rules and rewards"]
}
CONVERSIONS: dict[str, Callable[[float, float], float]] = {
    # the variable is per step, the setting per second: what a match pays must not follow the step's length
    "AI_SEEKER_TIME_PENALTY": lambda value, steps_per_second: round(abs(value) * steps_per_second, 9),
    "AI_TIMEOUT_SEEKER_PENALTY": lambda value, _: abs(value),
}
TICK_RATE = 60  # of the game's default; the variables know no other


def game_settings(environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Settings of tag that the variables ask for."""
    rate = TICK_RATE / max(1, get("AI_STEP_TICK_INTERVAL", environment))
    made: dict[str, Any] = {}
    for name, settings in RULES.items():
        if is_set(name, environment):
            value = get(name, environment)
            made |= dict.fromkeys(settings, CONVERSIONS[name](value, rate) if name in CONVERSIONS else value)
    return made


def causes(sentence: str, environment: Mapping[str, str] | None = None) -> list[str]:
    """NAME=VALUE of each variable that set a setting which the sentence names."""
    named = [name for name, settings in RULES.items() if re.search(rf"\b({'|'.join(settings)})\b", sentence)]
    return [f"{name}={_text(name, environment)}" for name in named if is_set(name, environment)]


def run_settings(environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Settings of a training run that the variables ask for, by their path."""
    made: dict[str, Any] = {"run.keep_checkpoints": max(1, get("PPO_MAX_CHECKPOINTS", environment))}
    if not get("AI_CONTROL_ALL_AGENTS", environment):
        made["selfplay.latest_fraction"] = 0.0
    return made


# ---------------------------------------------------------------- folders


def data_root(environment: Mapping[str, str] | None = None) -> Path:
    """The folder of everything that is recorded."""
    return get("AI_DATA_ROOT", environment)


def trajectories_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Where trajectories are."""
    return get("AI_TRAJECTORIES_DIR", environment) or data_root(environment) / "trajectories"


def frames_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Where frames are."""
    return get("AI_FRAMES_DIR", environment) or data_root(environment) / "frames"


def imports_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Where migrated originals are moved."""
    return get("AI_MIGRATION_BACKUP_DIR", environment) or data_root(environment) / "_imported"


def legacy_folders(kind: str, environment: Mapping[str, str] | None = None) -> list[Path]:
    """Where older versions wrote trajectories or frames: folders named, then the engine's own user data."""
    name = "AI_LEGACY_TRAJECTORY_DIRS" if kind == "trajectories" else "AI_LEGACY_FRAMES_DIRS"
    named = (get(name, environment) or "").split(get("AI_PATHSEP", environment) or os.pathsep)
    home = Path.home()
    roots = (
        home / ".local/share/godot/app_userdata",
        home / "Library/Application Support/Godot/app_userdata",
        home / "AppData/Roaming/Godot/app_userdata",
    )
    users = [folder / kind for root in roots if root.is_dir() for folder in sorted(root.iterdir())]
    return [Path(folder) for folder in named if folder] + [folder for folder in users if folder.is_dir()]
