"""`sandlot train`: one run, from nothing or from where it stopped."""

# ruff: noqa: UP045  (typer reads Optional on every Python)
from __future__ import annotations

import dataclasses
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from ..errors import ConfigError, GameLost, GameSilent, SandlotError
from .evaluating import evaluator, say_unevaluated
from .options import RUNS, Deadlines, RunsFolder, use_deadlines
from .show import err, out

if TYPE_CHECKING:  # imported when needed: torch takes seconds
    from ..runs import Run
    from ..train.config import TrainConfig

MOST_RESTARTS = 3  # of a game that died, while no window is saved in between

Preset = Annotated[Optional[str], typer.Option(help="A recipe: quick (the usual), full, curriculum, godot.")]
Engine = Annotated[
    Optional[str], typer.Option(help="What plays the worlds: native, or godot for a Godot process.")
]
Words = Annotated[
    Optional[list[str]],
    typer.Option(
        "--set", "-s", metavar="NAME=VALUE", help="Change one setting, such as ppo.learning_rate=1e-4."
    ),
]
SaveConfig = Annotated[Optional[Path], typer.Option(help="Write the configuration to this file and stop.")]


def train(
    game: Annotated[str | None, typer.Argument(help="tag, prospector, …; not needed with --resume.")] = None,
    preset: Preset = None,
    engine: Engine = None,
    trainer: Annotated[str | None, typer.Option(help="Who learns: ppo (ours), sb3, puffer or rllib.")] = None,
    config: Annotated[Optional[Path], typer.Option(help="A TOML or JSON file laid over the recipe.")] = None,
    words: Words = None,
    windows: Annotated[int, typer.Option(min=0, help="Stop after so many windows; 0: no limit.")] = 0,
    minutes: Annotated[float, typer.Option(min=0, help="Stop after so many minutes; 0: no limit.")] = 0.0,
    seed: Annotated[Optional[int], typer.Option(min=0, help="Seed of everything random.")] = None,
    threads: Annotated[
        Optional[int], typer.Option(min=1, max=256, help="Threads of engine and learner.")
    ] = None,
    device: Annotated[
        Optional[str], typer.Option(help="What learns: cpu, cuda, or cuda:1 for the second graphics card.")
    ] = None,
    resume: Annotated[
        str | None, typer.Option(help="A run's id or folder, or `latest`: go on where it stopped.")
    ] = None,
    runs: RunsFolder = RUNS,
    evaluate: Annotated[bool, typer.Option(help="Evaluate each window in another process.")] = True,
    tensorboard: Annotated[
        bool | None, typer.Option(help="Write for TensorBoard; by default where it is installed.")
    ] = None,
    wandb: Annotated[
        str, typer.Option(metavar="MODE", help="Weights & Biases: disabled, offline or online.")
    ] = "disabled",
    group: Annotated[str | None, typer.Option(help="Group of this run at Weights & Biases.")] = None,
    save_config: SaveConfig = None,
    deadlines: Deadlines = "",
    as_machine: Annotated[
        bool, typer.Option("--json", help="One JSON event per line, for machines.")
    ] = False,
) -> None:
    """Train agents for a game. Progress is shown; Ctrl-C stops and keeps everything up to the last window.

    Examples: sandlot train tag --minutes 5 · sandlot train tag --engine godot --minutes 10 ·
    sandlot train prospector --windows 40 --set ppo.epochs=2 · sandlot train --resume latest
    """
    from ..media.weights_and_biases import check_mode
    from .trackers import trackers

    check_mode(wandb)
    use_deadlines(deadlines)
    if resume:
        _check_unchanged({"--preset": preset, "--engine": engine, "--trainer": trainer, "--config": config,
                          "--set": words, "--seed": seed})  # fmt: skip
    run = _reopened(resume, runs) if resume else None
    settings = _saved(run, game) if run else _asked(game, preset, engine, trainer, config, words or [])
    settings = _limited(settings, windows, minutes, seed, threads, device, bool(resume))
    if save_config:
        _save(settings, save_config)
        return
    run = _ready(settings, run, runs)
    with _nothing_left_if_refused(run), trackers(run, tensorboard, wandb, group) as written:
        status = conduct(settings, run, evaluate, as_machine, written)
    incomplete = say_unevaluated(run, _evaluate_every(settings, evaluate))
    if status == "stopped":
        err.print(f"Stopped. Go on with: sandlot train --resume {run.run_id}", markup=False)
        raise typer.Exit(130)
    if incomplete:
        raise typer.Exit(1)


@contextmanager
def _nothing_left_if_refused(run: Run) -> Iterator[None]:
    """A start that is refused (a tracker, a device) leaves no folder behind that looks like a run."""
    try:
        yield
    except BaseException:
        if run.writable and run.record.status == "running" and run.is_empty():
            run.discard()
        raise


# ---------------------------------------------------------------- what is trained


def _reopened(name: str, runs: Path) -> Run:
    from ..runs.store import locate

    store, run_id = locate(name, runs)
    return store.resume(run_id)


def _check_unchanged(asked: dict[str, Any]) -> None:
    """Refuse what a resumed run could only ignore."""
    for option, value in asked.items():
        if value is not None and value != []:
            raise ConfigError(
                f"{option} has no effect with --resume: a run goes on as it began. Only --minutes, "
                "--windows, --threads and --device may change; leave it out, or begin a new run."
            )


def _saved(run: Run, game: str | None) -> TrainConfig:
    from ..train.config import TrainConfig, build

    settings = build(TrainConfig, run.config)
    if game not in (None, settings.game):
        raise ConfigError(
            f"Run {run.run_id} is of {settings.game}, not {game}. Leave the game out, or name its run."
        )
    return settings


def _asked(
    game: str | None,
    preset: str | None,
    engine: str | None,
    trainer: str | None,
    config: Path | None,
    words: list[str],
) -> TrainConfig:
    """The configuration of a new run, as the command line puts it together."""
    from ..train.recipes import compose

    if game is None:
        raise ConfigError("Name a game to train, or a run with --resume. `sandlot games` lists the games.")
    if engine == "godot":
        _check_playable_in_godot(game)
    chosen = preset or ("godot" if engine == "godot" else "quick")
    more = [f"trainer={trainer}"] if trainer else []
    more += [f"run.engine={engine}"] if engine else []
    return compose(game, chosen, config, [*words, *more])


def _save(settings: TrainConfig, path: Path) -> None:
    from ..train.recipes import save

    save(settings, path)
    out.print(f"Wrote {path}.")


def _ready(settings: TrainConfig, run: Run | None, runs: Path) -> Run:
    """The run to write into: a new folder only after everything that could be refused was looked at."""
    from ..runs.store import Store
    from ..train.adapters import check_trainer
    from ..train.loop import begin

    check_trainer(settings)
    _check_engine(settings)
    return run or begin(Store(runs), settings)


# ---------------------------------------------------------------- training


def conduct(
    settings: Any,
    run: Any,
    evaluate: bool = True,
    as_machine: bool = False,
    listeners: Sequence[Any] = (),
    prepare: Callable[[Any], None] = lambda loop: None,
) -> str:
    """Train one run to its end, with everybody who watches. prepare: a last look at each loop.

    A game in another process that dies is started again, and the run goes on from its last commit.
    """
    from ..train.loop import Loop

    restarts = Restarts()
    with _stopping() as stop:
        while True:
            try:
                with (
                    run,
                    _nothing_left_if_refused(run),
                    _watching(run, settings, evaluate, as_machine) as seen,
                ):
                    loop = Loop(settings, run, [*seen, *listeners], stop)
                    prepare(loop)
                    restarts.began = True
                    return loop.go()
            except (GameLost, GameSilent) as problem:
                if stop() or not restarts.allowed(run):
                    problem.hint = _how_to_go_on(run)
                    raise
                err.print(f"{problem} {restarts.sentence(run)}", markup=False, soft_wrap=True)
                run = _reopened(str(run.paths.folder), run.paths.folder.parent)
            except SandlotError as problem:
                problem.hint = _how_to_go_on(run)
                raise


class Restarts:
    """How often a game that died is started again: a few times, counted anew whenever a window was saved."""

    def __init__(self) -> None:
        self.began = False  # a game that never came will not come the next time either
        self.made, self._saved = 0, -1

    def allowed(self, run: Run) -> bool:
        saved = run.committed.window_id if run.committed else -1
        if saved > self._saved:
            self.made, self._saved = 0, saved
        self.made += 1
        return self.began and self.made <= MOST_RESTARTS

    def sentence(self, run: Run) -> str:
        where = f"after window {self._saved}" if run.committed else "at the beginning"
        return f"It is started again ({self.made} of {MOST_RESTARTS}); the run goes on {where}."


def _how_to_go_on(run: Run) -> str:
    if run.committed is None:
        return ""
    saved = f"Everything up to window {run.committed.window_id} is saved."
    return f"{saved} Go on with: sandlot train --resume {run.run_id}"


def _check_engine(settings: Any) -> None:
    """Refuse an engine that is not there before a run folder is made."""
    from ..train.trainer import check_engine

    check_engine(settings.run.engine)
    if settings.run.engine == "godot":
        _check_playable_in_godot(settings.game)


def _check_playable_in_godot(game: str) -> None:
    from ..bridge.godot_game import TRAINING_SCENE, check_playable
    from ..bridge.godot_project import project_folder
    from ..games import games

    if game not in games():
        return  # it has a sentence of its own
    playable = sorted(path.parent.name for path in project_folder().glob(f"games/*/{TRAINING_SCENE}.tscn"))
    if game not in playable:
        raise ConfigError(
            f"Godot plays only {', '.join(playable)}: {game} has no scene to train in. "
            "Leave --engine out to train it natively."
        )
    check_playable(game)


def _limited(
    settings: Any,
    windows: int,
    minutes: float,
    seed: int | None,
    threads: int | None,
    device: str | None,
    resumed: bool,
) -> Any:
    """Limits and machine settings from the command line."""
    changes: dict[str, Any] = {}
    if windows or minutes:
        changes = {"windows": windows, "minutes": minutes}
    elif not resumed and not (settings.run.windows or settings.run.minutes):
        changes = {"minutes": 5.0}
    if seed is not None and not resumed:
        changes["seed"] = seed
    if threads is not None:
        changes["threads"] = threads
    if device is not None:
        changes["device"] = device
    return dataclasses.replace(settings, run=dataclasses.replace(settings.run, **changes))


@contextmanager
def _stopping() -> Iterator[Any]:
    """Ctrl-C asks to stop; a second one insists."""
    asked = False

    def ask(number: int, frame: Any) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        # past the console, in whose midst the signal may have come
        os.write(2, b"Stopping after this step; once more to stop at once.\n")

    before = {name: signal.signal(name, ask) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: asked
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


@contextmanager
def _watching(run: Any, settings: Any, evaluate: bool, as_machine: bool) -> Iterator[list[Any]]:
    """Everything that listens to the loop."""
    from .dashboard import dashboard

    every = _evaluate_every(settings, evaluate)
    elsewhere = settings.adapter.dashboard  # another screen is drawn on
    with (
        dashboard(as_machine, run.paths.evaluations, not elsewhere) as listener,
        evaluator(run, every) as listeners,
    ):
        yield [listener, *listeners]


def _evaluate_every(settings: Any, wanted: bool) -> int:
    """Windows between two evaluated checkpoints; 0 for no evaluation."""
    return settings.evaluation.every if wanted and settings.evaluation.enabled else 0
