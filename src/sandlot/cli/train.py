"""`sandlot train`: a new run, or a resumed one."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from ..errors import ConfigError, GameLost, GameSilent, SandlotError
from ..media.weights_and_biases import check_mode
from ..runs import Run
from ..runs.store import Store, locate
from ..worlds import games, load_spec
from ..worlds.make import CUDA, GODOT, GODOT_RL, HTTP, NATIVE, check_engine, engine_of
from .dashboard import dashboard
from .evaluator_process import evaluator, warn_unevaluated
from .options import RUNS, Deadlines, RunsFolder, scene_game, use_deadlines
from .profiling import profiling
from .show import err, out
from .stopping import stop_request
from .trackers import trackers

if TYPE_CHECKING:  # imported when needed: torch takes seconds
    from ..train.config import TrainConfig

MAX_RESTARTS = 3  # of a game process that died, without a saved window in between


def train(
    game: Annotated[
        str | None, Argument(help="tag, prospector, …, or gym:CartPole-v1; not needed with --resume.")
    ] = None,
    preset: Annotated[
        str | None, Option(help="A preset: quick (the default), full, curriculum, godot.")
    ] = None,
    engine: Annotated[str | None, Option(help="Engine of the worlds: native, cuda, godot, or http.")] = None,
    project: Annotated[
        Path | None, Option(help="Your Godot project; its scene with a SandlotTrainer is the game.")
    ] = None,
    scene: Annotated[str | None, Option(help="Scene of --project, res://…; default: the main scene.")] = None,
    arenas: Annotated[
        int | None,
        Option(min=1, max=4096, help="Copies of the scene of --project; default: as the scene says."),
    ] = None,
    processes: Annotated[
        int | None,
        Option(min=1, max=64, help="Godot: number of engine processes that share the arenas; default: 1."),
    ] = None,
    trainer: Annotated[str | None, Option(help="The trainer: ppo (ours), sb3, puffer or rllib.")] = None,
    algorithm: Annotated[
        str | None, Option(help="Algorithm of --trainer sb3: ppo, or with a replay buffer sac, td3 or dqn.")
    ] = None,
    demos: Annotated[
        list[Path] | None,
        Option(metavar="FILE", help="Demonstrations to learn from: recordings, replays, or folders of them."),
    ] = None,
    config: Annotated[Path | None, Option(help="A TOML or JSON file that overrides the preset.")] = None,
    overrides: Annotated[
        list[str] | None,
        Option(
            "--set", "-s", metavar="NAME=VALUE", help="Change one setting, such as ppo.learning_rate=1e-4."
        ),
    ] = None,
    windows: Annotated[int, Option(min=0, help="Stop after this many windows; 0: no limit.")] = 0,
    minutes: Annotated[float, Option(min=0, help="Stop after this many minutes; 0: no limit.")] = 0.0,
    seed: Annotated[int | None, Option(min=0, help="Seed of all random numbers.")] = None,
    threads: Annotated[int | None, Option(min=1, max=256, help="Threads of engine and learner.")] = None,
    device: Annotated[
        str | None, Option(help="Device of the learner: cpu, cuda, or cuda:1 for the second GPU.")
    ] = None,
    resume: Annotated[str | None, Option(help="Continue this run: its id or folder, or `latest`.")] = None,
    runs: RunsFolder = RUNS,
    evaluate: Annotated[bool, Option(help="Evaluate each window in another process.")] = True,
    tensorboard: Annotated[bool | None, Option(help="Log to TensorBoard; by default if installed.")] = None,
    wandb: Annotated[str, Option(metavar="MODE", help="W&B: disabled, offline or online.")] = "disabled",
    group: Annotated[str | None, Option(help="Group of this run at Weights & Biases.")] = None,
    save_config: Annotated[
        Path | None, Option(help="Write the configuration to this .json file and stop.")
    ] = None,
    profile: Annotated[
        Path | None, Option(metavar="FILE", help="Write a profile of Python's time, for pstats or snakeviz.")
    ] = None,
    deadlines: Deadlines = "",
    as_machine: Annotated[bool, Option("--json", help="One JSON event per line, for machines.")] = False,
) -> None:
    """Train agents for a game. Ctrl-C stops and keeps everything up to the last window.

    Examples: sandlot train tag --minutes 5 · sandlot train tag --engine godot --minutes 10 ·
    sandlot train tag --device cuda --engine cuda · sandlot train gym:CartPole-v1 ·
    sandlot train prospector --windows 40 --set ppo.update_epochs=2 ·
    sandlot train --project my_game --scene res://level.tscn · sandlot train --resume latest
    """
    check_mode(wandb)
    use_deadlines(deadlines)
    if resume:
        _check_unchanged({"--preset": preset, "--engine": engine, "--trainer": trainer, "--config": config,
                          "--set": overrides, "--seed": seed, "--project": project, "--scene": scene,
                          "--arenas": arenas, "--processes": processes, "--algorithm": algorithm,
                          "--demos": demos})  # fmt: skip
    game = scene_game(game, project, scene)
    places = _num_envs(game, engine, arenas, processes)
    overrides = [*(overrides or []), *places, *_learned_by(algorithm, demos)]
    run = _resume(resume, runs) if resume else None
    if run:
        settings = _saved_config(run, game)
    else:
        settings = _compose(game, preset, engine, trainer, config, overrides)
    given = {"seed": seed, "threads": threads, "device": device}
    settings = _with_limits(settings, windows, minutes, bool(resume), **given)
    if resume and settings.run.engine == CUDA and settings.run.device == "cpu":
        settings = settings.replace(run=settings.run.replace(engine=NATIVE))  # the same worlds, the same bits
    if save_config:
        _save(settings, save_config)
        return
    run = _open_run(settings, run, runs)
    profiled = profiling(profile)
    with _discard_if_empty(run), trackers(run, tensorboard, wandb, group) as written, profiled:
        status = run_training(settings, run, evaluate, as_machine, written)
    incomplete = warn_unevaluated(run, _evaluate_every(settings, evaluate))
    if status == "stopped":
        err.print_line(f"Stopped. Continue with: sandlot train --resume {run.run_id}")
        raise typer.Exit(130)
    if incomplete:
        raise typer.Exit(1)


@contextmanager
def _discard_if_empty(run: Run) -> Iterator[None]:
    """Remove the folder of a run that failed to start (a tracker, a device)."""
    try:
        yield
    except BaseException:
        if run.writable and run.record.status == "running" and run.is_empty():
            run.discard()
        raise


# ---------------------------------------------------------------- what is trained


def _resume(name: str, runs: Path) -> Run:
    store, run_id = locate(name, runs)
    return store.resume(run_id)


def _num_envs(game: str | None, engine: str | None, arenas: int | None, processes: int | None) -> list[str]:
    """Arenas and processes as settings; without --arenas every process has those of a scene."""
    words = [f"ppo.num_envs={arenas}"] if arenas else []
    if processes is None:
        return words
    own = NATIVE if game is None else engine_of(game)
    if own not in (GODOT, GODOT_RL) and engine not in (GODOT, HTTP):
        raise ConfigError("--processes is for scenes: name a --project, --engine godot or http.")
    if own != NATIVE and not arenas:
        assert game is not None
        _check_playable_in_godot(game)
        words = [f"ppo.num_envs={processes * load_spec(game).json['arenas']}"]
    # a scene with the stock plugin has as many agents as it has: more worlds are more processes
    return words if own == GODOT_RL else [*words, f"run.processes={processes}"]


def _learned_by(algorithm: str | None, demos: list[Path] | None) -> list[str]:
    """Algorithm and demonstrations, as settings."""
    words = [f"adapter.algorithm={algorithm}"] if algorithm else []
    files = json.dumps([str(path.absolute()) for path in demos]) if demos else ""
    return [*words, f"imitation.demos={files}"] if files else words


def _check_unchanged(options: dict[str, Any]) -> None:
    """Refuse options that have no effect on a resumed run."""
    for option, value in options.items():
        if value is not None and value != []:
            allowed = "Only --minutes, --windows, --threads and --device may change"
            text = f"{option} has no effect with --resume: a run continues as it began. {allowed}"
            raise ConfigError(f"{text}; leave it out, or begin a new run.")


def _saved_config(run: Run, game: str | None) -> TrainConfig:
    from ..train.config import build

    settings = build(run.config)
    if game not in (None, settings.game):
        raise ConfigError(f"Run {run.run_id} is of {settings.game}, not {game}. Leave the game out.")
    return settings


def _compose(
    game: str | None,
    preset: str | None,
    engine: str | None,
    trainer: str | None,
    config: Path | None,
    overrides: list[str],
) -> TrainConfig:
    """The configuration of a new run: preset, file and overrides."""
    from ..train.compose import compose

    if game is None:
        raise ConfigError("Name a game to train, or a run with --resume. `sandlot games` lists the games.")
    if engine is not None:
        check_engine(game, engine)
    if {GODOT, GODOT_RL, HTTP} & {engine, engine_of(game)}:
        _check_playable_in_godot(game)
    if GODOT in (engine, engine_of(game)) and engine != HTTP:
        engine = GODOT
    native = engine_of(game) == NATIVE
    chosen = preset or ("godot" if engine in (GODOT, HTTP) and native else "quick")
    more = [f"trainer={trainer}"] if trainer else []
    more += [f"run.engine={engine}"] if engine else []
    return compose(game, chosen, config, [*overrides, *more])


def _save(settings: TrainConfig, path: Path) -> None:
    from ..train.compose import save

    if path.suffix != ".json":  # --config reads any other file as TOML
        raise ConfigError(f"--save-config {path}: expected a name that ends in .json.")
    save(settings, path)
    out.print(f"Wrote {path}.")


def _open_run(settings: TrainConfig, run: Run | None, runs: Path) -> Run:
    """The run to write to; a new folder is made only after all checks."""
    from ..train.adapters import check_trainer
    from ..train.loop import begin

    check_trainer(settings)
    _check_engine(settings)
    return run or begin(Store(runs), settings)


# ---------------------------------------------------------------- training


def run_training(
    settings: Any,
    run: Any,
    evaluate: bool = True,
    as_machine: bool = False,
    listeners: Sequence[Any] = (),
    prepare: Callable[[Any], None] = lambda loop: None,
) -> str:
    """Train one run to its end, with dashboard and evaluator. prepare: called with each Loop before it runs.

    A game process that dies is started again, and the run continues from its last commit.
    """
    from ..train.loop import Loop

    restarts = Restarts()
    with stop_request() as stop, _engine_logs(run):
        while True:
            try:
                watching = _watching(run, settings, evaluate, as_machine)
                with run, _discard_if_empty(run), watching as displays:
                    loop = Loop(settings, run, [*displays, *listeners], stop)
                    prepare(loop)
                    restarts.began = True
                    return loop.go()
            except (GameLost, GameSilent) as problem:
                if stop() or not restarts.allowed(run):
                    problem.hint = _resume_hint(run)
                    raise
                err.print_line(f"{problem} {restarts.sentence(run)}")
                run = _resume(str(run.paths.folder), run.paths.folder.parent)
            except SandlotError as problem:
                problem.hint = _resume_hint(run)
                raise


@contextmanager
def _engine_logs(run: Run) -> Iterator[None]:
    """Where nobody named another file, the engines of a run write to its logs."""
    from ..worlds.godot import LOG_VARIABLE

    if os.environ.get(LOG_VARIABLE):
        yield
        return
    run.paths.logs.mkdir(parents=True, exist_ok=True)
    os.environ[LOG_VARIABLE] = str((run.paths.logs / "godot.log").absolute())
    try:
        yield
    finally:
        del os.environ[LOG_VARIABLE]


class Restarts:
    """Counts restarts of a game process that died; starts at zero whenever a window was saved."""

    def __init__(self) -> None:
        self.began = False  # a game that never started will not start the next time either
        self.count, self._saved = 0, -1

    def allowed(self, run: Run) -> bool:
        """Counts a failure; whether the game may be started again."""
        saved = run.committed.window_id if run.committed else -1
        if saved > self._saved:
            self.count, self._saved = 0, saved
        self.count += 1
        return self.began and self.count <= MAX_RESTARTS

    def sentence(self, run: Run) -> str:
        """What to print about a restart."""
        where = f"after window {self._saved}" if run.committed else "from the beginning"
        return f"It is started again ({self.count} of {MAX_RESTARTS}); the run continues {where}."


def _resume_hint(run: Run) -> str:
    if run.committed is None:
        return ""
    saved = f"Everything up to window {run.committed.window_id} is saved."
    return f"{saved} Continue with: sandlot train --resume {run.run_id}"


def _check_engine(settings: Any) -> None:
    """Refuse a missing engine before a run folder is made."""
    check_engine(settings.game, settings.run.engine, "engine (run.engine)")
    if settings.run.engine == CUDA:
        from ..worlds.cuda import gpu_device

        gpu_device(settings.run.device)
    if {GODOT, GODOT_RL, HTTP} & {settings.run.engine, engine_of(settings.game)}:
        _check_playable_in_godot(settings.game)


def _check_playable_in_godot(game: str) -> None:
    from ..worlds.godot_rl_project import check_playable

    if engine_of(game) in (GODOT, GODOT_RL) or game in games():  # other names are refused elsewhere
        check_playable(game)


def _with_limits(settings: Any, windows: int, minutes: float, resumed: bool, **given: Any) -> Any:
    """Limits and, as far as they are given, seed, threads and device from the command line."""
    changes: dict[str, Any] = {}
    if windows or minutes:
        changes = {"windows": windows, "minutes": minutes}
    elif not resumed and not (settings.run.windows or settings.run.minutes):
        changes = {"minutes": 5.0}
    changes |= {name: value for name, value in given.items() if value is not None}
    return settings.replace(run=settings.run.replace(**changes))


@contextmanager
def _watching(run: Any, settings: Any, evaluate: bool, as_machine: bool) -> Iterator[list[Any]]:
    """Dashboard and evaluator as listeners of the loop."""
    every = _evaluate_every(settings, evaluate)
    elsewhere = settings.adapter.dashboard  # another screen is drawn on
    display = dashboard(as_machine, run.paths.evaluations, not elsewhere)
    with display as listener, evaluator(run, every) as listeners:
        yield [listener, *listeners]


def _evaluate_every(settings: Any, wanted: bool) -> int:
    """Windows between two evaluated checkpoints; 0 for no evaluation."""
    return settings.evaluation.every if wanted and settings.evaluation.enabled else 0
