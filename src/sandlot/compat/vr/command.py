"""The command line of `scripts/ml/train_vr_navigation.py`."""

import importlib.util
import inspect
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from ...cli.main import run as run_app
from ...cli.show import out
from ...errors import ConfigError, UnknownName
from .config import PRESETS, RLConfig
from .paths import real_path, shown

PROGRAM = "python scripts/ml/train_vr_navigation.py"
KINDS, TRAINERS = ("native", "http"), ("sb3", "ppo")
EXPORT_NAME = "models/vr_nav_v1.zip"

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command()
def train_vr_navigation(
    preset: Annotated[str | None, Option(metavar="NAME", help=f"One of {', '.join(PRESETS)}.")] = None,
    config: Annotated[
        str | None, Option(metavar="PATH", help="A JSON file; `rl_config.py` writes an example.")
    ] = None,
    timesteps: Annotated[
        int | None, Option(min=1, help="Steps in total, in place of the configuration's.")
    ] = None,
    resume: Annotated[str | None, Option(metavar="PATH", help="Continue from this checkpoint.")] = None,
    evaluate: Annotated[
        str | None, Option("--eval", metavar="PATH", help="Evaluate this model instead of training.")
    ] = None,
    episodes: Annotated[int, Option(help="Of the evaluation.")] = 10,
    export: Annotated[
        Path | None,
        Option(
            help=f"Copy the best model here, or that of --eval, and write an ONNX beside it: {EXPORT_NAME}."
        ),
    ] = None,
    trainer: Annotated[
        str, Option(help="sb3: Stable-Baselines3's PPO. ppo: ours, with many worlds.")
    ] = "sb3",
    environment: Annotated[
        str | None,
        Option(help="native: needs neither Godot nor a headset. http: a game behind its HTTP API."),
    ] = None,
    reward: Annotated[
        str | None, Option(metavar="FILE:CLASS", help="A RewardCalculator of yours: my_rewards.py:MyRewards.")
    ] = None,
    runs: Annotated[Path, Option(help="Folder of runs, for --trainer ppo.")] = Path("runs"),
    save_config: Annotated[
        Path | None, Option(help="Write the configuration to this JSON file and stop.")
    ] = None,
    verbose: Annotated[bool, Option("--verbose", help="Print the configuration and every update.")] = False,
) -> None:
    """Train VR navigation, or evaluate what was trained. Ctrl-C stops, and everything is saved."""
    _check_words(trainer, environment, preset, config, resume, evaluate)
    settings = _configuration(preset, config, resume or evaluate, timesteps, environment)
    settings.validate()
    if save_config:
        out.print_line(f"Wrote {settings.save(save_config)}.")
        return
    if verbose:
        out.print_line(settings.summary())
    rewards = _reward_calculator(reward, settings) if reward else None
    if evaluate:
        _evaluate(settings, evaluate, episodes, rewards, export, verbose)
    elif trainer == "ppo":
        _train_with_ours(settings, runs, rewards, export)
    else:
        _train(settings, resume, rewards, export, verbose)


def main() -> None:
    """The program."""
    run_app(app)


# ---------------------------------------------------------------- what was asked for


def _check_words(
    trainer: str,
    environment: str | None,
    preset: str | None,
    config: str | None,
    resume: str | None,
    evaluate: str | None,
) -> None:
    if trainer not in TRAINERS:
        raise UnknownName("trainer", trainer, TRAINERS)
    if environment is not None and environment not in KINDS:
        raise UnknownName("environment", environment, KINDS)
    if preset and config:
        raise ConfigError(
            "--preset and --config are both given. Leave one out; a file may hold a whole preset."
        )
    if resume and evaluate:
        raise ConfigError("--resume trains and --eval does not. Leave one out.")
    if trainer == "ppo" and (resume or evaluate):
        raise ConfigError(
            "Runs of --trainer ppo are in the run store: continue one with `sandlot train --resume RUN`, "
            "evaluate one with `sandlot eval RUN`."
        )


def _configuration(
    preset: str | None, file: str | None, model: str | None, timesteps: int | None, environment: str | None
) -> RLConfig:
    """The preset's, the file's, else that inside a model, else the defaults; then what the words change."""
    if preset:
        config = RLConfig.preset(preset)
    elif file:
        config = RLConfig.load(real_path(file))
    else:
        config = _inside(model) or RLConfig()
    if timesteps is not None:
        config.training.total_timesteps = timesteps
    if environment is not None:
        config.environment.kind = environment  # type: ignore[assignment]  # checked above
    return config


def _inside(model: str | None) -> RLConfig | None:
    if model is None:
        return None
    from .models import find

    return find(model).config


def _reward_calculator(word: str, config: RLConfig) -> Any:
    """FILE:CLASS as an instance."""
    from .rewards import RewardCalculator

    file, _, name = word.rpartition(":")
    path = Path(file)
    if not path.is_file():
        raise ConfigError(
            f"--reward {word}: there is no file {file!r}; expected FILE:CLASS, as in my_rewards.py:Mine."
        )
    sys.path.insert(0, str(path.resolve().parent))  # where worker processes find it too
    loaded = sys.modules.get(path.stem)
    if loaded is not None and getattr(loaded, "__file__", None) != str(path.resolve()):
        del sys.modules[path.stem]  # another file of this name
    importlib.invalidate_caches()
    module = importlib.import_module(path.stem)
    found = getattr(module, name, None)
    if not (inspect.isclass(found) and issubclass(found, RewardCalculator)):
        raise ConfigError(f"--reward {word}: {file} has no class {name} that is a RewardCalculator.")
    return found(config)


# ---------------------------------------------------------------- what is done


def _train(config: RLConfig, resume: str | None, rewards: Any, export: Path | None, verbose: bool) -> None:
    from .training import train

    result = train(config, resume, rewards, verbose, out.print_line)
    if result.stopped:
        out.print_line(
            f"Stopped at {result.timesteps:,} steps. "
            f"Go on with: {PROGRAM} --resume {shown(result.checkpoint)}"
        )
        raise typer.Exit(130)
    out.print_line(f"Trained {result.timesteps:,} steps; the last model is {shown(result.checkpoint)}")
    if result.best_model is None:
        return
    best = shown(result.best_model)
    out.print_line(f"Evaluate the best: {PROGRAM} --eval {best} --episodes 20")
    if export:
        _export(str(result.best_model), config, export)
    else:
        out.print_line(f"Use it: mkdir -p models && cp {best} {EXPORT_NAME}")


def _train_with_ours(config: RLConfig, runs: Path, rewards: Any, export: Path | None) -> None:
    from .own_ppo import train

    if rewards is not None or export is not None:
        raise ConfigError(
            "--reward and --export are for --trainer sb3. Our own PPO is paid by the game itself, "
            "and its runs are exported with `sandlot export RUN`."
        )
    status, folder = train(config, runs)
    if status == "stopped":
        out.print_line(f"Stopped. Go on with: sandlot train --resume {shown(folder)}")
        raise typer.Exit(130)
    out.print_line(f"Trained {shown(folder)}. Evaluate it: sandlot eval {shown(folder)}")


def _evaluate(
    config: RLConfig, path: str, episodes: int, rewards: Any, export: Path | None, verbose: bool
) -> None:
    from .evaluation import evaluate
    from .models import find, load
    from .training import prepare_game

    if episodes < 1:
        raise ConfigError(f"--episodes {episodes}: expected at least 1.")
    saved = find(path, config.training.user_dir)
    model = load(saved, config)
    prepare_game(config, out.print_line)
    found = evaluate(model, config, episodes, "eval", rewards)
    if verbose:
        for line in found.details():
            out.print_line(line)
    for line in found.lines():
        out.print_line(line)
    if export:
        _export(path, config, export)


def _export(path: str, config: RLConfig, target: Path) -> None:
    from . import models

    saved = models.find(path, config.training.user_dir)
    onnx = target.with_suffix(".onnx")
    difference = models.export_onnx(saved, config, onnx)
    models.copy(saved, target)
    out.print_line(f"Wrote {target} and {onnx} (actions within {difference:.1e} of the model's).")
