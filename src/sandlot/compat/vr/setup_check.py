"""`scripts/ml/test_training_setup.py`: ten checks of whether training can start here."""

import argparse
import importlib.util
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass

from ...bridge.http_client import HttpClient, cannot_connect
from ...errors import ConfigError, SandlotError
from .config import PRESETS, RLConfig
from .monitor import available_memory_mb
from .paths import real_path, shown, training_folder

PYTHON = (3, 11)
REQUIRED = ("numpy", "pydantic", "gymnasium", "stable_baselines3", "torch", "tensorboard")
OPTIONAL = ("onnx", "onnxruntime", "matplotlib", "websockets")
LEAST_MEMORY_MB, LEAST_DISK_MB = 1024, 500  # a training with one environment takes about 460 MB
OK, NOTE, FAIL = "ok", "note", "FAIL"
MARKS = {OK: "[ ok ]", NOTE: "[note]", FAIL: "[FAIL]"}


@dataclass(frozen=True)
class Finding:
    """What a check found, and what to do about it."""

    state: str
    text: str


def python_version(config: RLConfig) -> Finding:
    """Python 3.11 or newer."""
    found = platform.python_version()
    if sys.version_info < PYTHON:
        return Finding(FAIL, f"Python {found}: expected {'.'.join(map(str, PYTHON))} or newer.")
    return Finding(OK, f"Python {found}")


def packages(config: RLConfig) -> Finding:
    """What must be installed, and what may be."""
    missing = [name for name in REQUIRED if importlib.util.find_spec(name) is None]
    if missing:
        return Finding(
            FAIL, f"not installed: {', '.join(missing)}. pip install -r scripts/ml/requirements.txt"
        )
    without = [name for name in OPTIONAL if importlib.util.find_spec(name) is None]
    if without:
        return Finding(
            NOTE, f"all that is needed; not installed, for export and charts: {', '.join(without)}"
        )
    return Finding(OK, f"{len(REQUIRED)} needed and {len(OPTIONAL)} optional ones are installed")


def native_game(config: RLConfig) -> Finding:
    """The C library with the game."""
    from ...worlds import load_spec

    spec = load_spec("navigation")
    return Finding(OK, f"{spec.game} version {spec.version}, {spec.observation_size} numbers seen")


def configuration(config: RLConfig) -> Finding:
    """The presets, and the configuration that is asked for."""
    for name in PRESETS:
        RLConfig.preset(name).validate()
    config.validate()
    return Finding(OK, f"presets {', '.join(PRESETS)}")


def folders(config: RLConfig) -> Finding:
    """Whether `user://ml_training` can be written, and has room."""
    folder = training_folder(config.training.user_dir)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"here")
    except OSError as problem:
        hint = "Set AI_USER_DIR to a folder of yours."
        return Finding(FAIL, f"{folder} cannot be written ({problem.strerror}). {hint}")
    free = shutil.disk_usage(folder).free / 2**20
    text = f"user://ml_training is {shown(folder)}, {free:,.0f} MB free"
    return Finding(OK if free >= LEAST_DISK_MB else FAIL, text)


def memory(config: RLConfig) -> Finding:
    """Enough for one environment."""
    free = available_memory_mb()
    if free is None:
        return Finding(NOTE, "this system does not say how much is free")
    if free < LEAST_MEMORY_MB:
        advice = "Use environment.num_environments 1 and ppo.batch_size 32."
        return Finding(FAIL, f"{free:,.0f} MB free, expected {LEAST_MEMORY_MB:,}. {advice}")
    return Finding(OK, f"{free:,.0f} MB free")


def gpu(config: RLConfig) -> Finding:
    """Whether PyTorch sees one; training needs none."""
    import torch

    if torch.cuda.is_available():
        return Finding(OK, torch.cuda.get_device_name(0))
    if config.training.device.startswith("cuda"):
        return Finding(
            FAIL, f"training.device is {config.training.device}, but torch.cuda.is_available() is False."
        )
    return Finding(
        NOTE, "torch.cuda.is_available() is False: trains on the CPU, which is faster for networks this small"
    )


def environment(config: RLConfig) -> Finding:
    """Open one, play a few steps."""
    from .environment import NavigationEnv

    if config.environment.kind == "http":
        return Finding(NOTE, "played in the game; see connection and scene")
    env = NavigationEnv(config)
    seen, _ = env.reset(seed=1)
    total = 0.0
    for _ in range(20):
        seen, reward, *_ = env.step(env.action_space.sample())
        total += reward
    env.close()
    return Finding(OK, f"20 steps, {seen.shape[0]} numbers seen, reward {total:.2f}")


def connection(config: RLConfig) -> Finding:
    """GET /health."""
    client = HttpClient(config.environment.host, config.environment.port)
    if client.health_check():
        return Finding(OK, f"{client.url} answers")
    if config.environment.kind == "http":
        return Finding(FAIL, cannot_connect(client.url, "nothing answers GET /health"))
    return Finding(NOTE, f"nothing answers at {client.url}; needed with --environment http alone")


def scene(config: RLConfig) -> Finding:
    """Load the scene."""
    e = config.environment
    client = HttpClient(e.host, e.port)
    if not client.health_check():
        return Finding(FAIL if e.kind == "http" else NOTE, f"{e.scene} was not asked for: no game answers")
    client.load_scene(e.scene)
    return Finding(OK, f"{e.scene} is loaded")


CHECKS: tuple[tuple[str, Callable[[RLConfig], Finding]], ...] = (
    ("Python version", python_version),
    ("packages", packages),
    ("native game", native_game),
    ("configuration", configuration),
    ("folders", folders),
    ("memory", memory),
    ("GPU", gpu),
    ("environment", environment),
    ("connection", connection),
    ("scene", scene),
)


def check(config: RLConfig, print_line: Callable[[str], None] = print) -> bool:
    """Run all ten, printing a line each; whether training can start."""
    good = True
    for number, (name, run) in enumerate(CHECKS, 1):
        try:
            found = run(config)
        except (SandlotError, ImportError) as problem:
            found = Finding(FAIL, str(problem))
        good = good and found.state != FAIL
        print_line(f"{MARKS[found.state]} {number:>2} {name:<15} {found.text}")
    print_line("Ready to train." if good else "Not ready: see the lines marked FAIL.")
    return good


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0: ready; 1: a check failed; 2: the configuration cannot be read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", help="a JSON file, as for train_vr_navigation.py")
    parser.add_argument("--environment", choices=("native", "http"), default="native")
    given = parser.parse_args(arguments)
    try:
        config = RLConfig.load(real_path(given.config)) if given.config else RLConfig()
    except ConfigError as problem:
        print(problem, file=sys.stderr)
        return 2
    config.environment.kind = given.environment
    return 0 if check(config) else 1
