"""`user://`, a path of the engine, as a folder that Python and the shell understand."""

import os
from pathlib import Path

from ...errors import ConfigError
from ..variables import data_root, get

SCHEME = "user://"


def user_folder(setting: str = "") -> Path:
    """What `user://` stands for: the setting, else the variable AI_USER_DIR, else `user` of the data root."""
    return Path(setting or get("AI_USER_DIR") or data_root() / "user")


def real_path(path: str | Path, setting: str = "") -> Path:
    """A path in either spelling, as a real one."""
    text = str(path)
    if text.startswith("res://"):
        raise ConfigError(
            f"{text}: expected a file or a user:// path; res:// lies inside the game's project."
        )
    if not text.startswith(SCHEME):
        return Path(text)
    parts = [part for part in text.removeprefix(SCHEME).split("/") if part]
    if ".." in parts:
        raise ConfigError(f"{text} leaves the folder that user:// stands for.")
    return user_folder(setting).joinpath(*parts)


def training_folder(setting: str = "") -> Path:
    """`user://ml_training`: checkpoints, best_models and logs."""
    return real_path("user://ml_training", setting)


def shown(path: Path) -> str:
    """A path to paste into a shell: relative where that is shorter."""
    text = os.path.relpath(path)
    return str(path) if text.startswith("..") else text
