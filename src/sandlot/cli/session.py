"""`sandlot session`: a training session as the tag brief describes it, with its files and its variables.

It is `sandlot train tag --engine godot` once or several times, and what is left afterwards is in the places
that scripts and people expect: cli/outputs.py.
"""

# ruff: noqa: UP045  (typer reads Optional on every Python)
from __future__ import annotations

import contextlib
import csv
import enum
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from ..errors import ConfigError, GodotMissing, SandlotError
from ..runs.run import Run
from ..variables import frames_folder, game_settings, get, run_settings, trajectories_folder
from .last_match import LastMatch, film_wish, play_and_film
from .options import RUNS, RunsFolder
from .outputs import METRICS, ROLES, TRAINER, Publisher, collect, policy_file, stamp
from .show import err, out

PID_FILE = Path(".server.pid")


class Mode(str, enum.Enum):
    live_seeker = "live-seeker"
    live_hider = "live-hider"
    self_play = "self-play"
    curriculum = "curriculum"


def session(
    mode: Annotated[Mode, typer.Argument(help="Who begins as seeker, or in rounds.")] = Mode.live_seeker,
    engine: Annotated[str, typer.Option(help="What plays: godot, or native for a quick try.")] = "godot",
    words: Annotated[
        Optional[list[str]],
        typer.Option("--set", "-s", metavar="NAME=VALUE", help="Change a setting, as in sandlot train."),
    ] = None,
    evaluate: Annotated[bool, typer.Option(help="Judge each window in another process.")] = True,
    film: Annotated[
        Optional[bool],
        typer.Option(
            help="End with a match: its trajectory and a film. Usual in Godot, unless TRAIN_FILM=0."
        ),
    ] = None,
    keep_server: Annotated[
        bool, typer.Option("--keep-server", help="Without an engine: keep the live server up instead.")
    ] = False,
    runs: RunsFolder = RUNS,
) -> None:
    """Train tag in Godot; leave trainer/, charts/, debug/, a trajectory and a film as the brief names them.

    Settings come from environment variables (docs/environment.md); AI_TRAIN_DURATION limits the time.

    Examples: sandlot session live-seeker · AI_TRAIN_DURATION=60 sandlot session live-hider ·
    SELF_PLAY_ROUNDS=2 SELF_PLAY_DURATION=60 sandlot session self-play
    """
    try:
        _check(engine)
    except GodotMissing as missing:
        if not (keep_server or get("KEEP_SERVER")):
            raise
        err.print(f"{missing} The live server stays up; open the project in an editor.", markup=False)
        from .bridge import bridge

        bridge(minutes=get("AI_TRAIN_DURATION") / 60)
        return
    filmed = film if film is not None else engine == "godot" and get("TRAIN_FILM")
    wish = film_wish() if filmed else None
    with _session(mode, runs, engine, words or [], evaluate) as now:
        if mode is Mode.self_play:
            stopped = self_play(
                now, get("SELF_PLAY_ROUNDS"), get("SELF_PLAY_DURATION"), get("SELF_PLAY_START_ROLE")
            )
        elif mode is Mode.curriculum:
            stopped = curriculum(now)
        else:
            first = mode is Mode.live_seeker
            stopped = now.round(get("AI_TRAIN_DURATION"), {"first_is_seeker": first}, "godot.log")
        if wish and not stopped:
            role = "hider" if mode is Mode.live_hider else "seeker"
            now.last = play_and_film(role, engine, wish, now.debug)
    if stopped:
        raise typer.Exit(130)
    if mode is Mode.curriculum:
        _judge(now)
    if now.last.code:
        raise typer.Exit(now.last.code)


def _check(engine: str) -> None:
    from ..games.make import ENGINES

    if engine not in ENGINES:
        raise ConfigError(f"--engine {engine}: expected {' or '.join(ENGINES)}.")
    if engine == "godot":
        from ..bridge.godot_game import check_playable

        check_playable("tag")


# ---------------------------------------------------------------- one session


@dataclass
class Session:
    """What the rounds of one session share."""

    name: str  # its id
    folder: Path  # trainer/logs/runs/{approach}/{id}
    debug: Path
    runs: Path
    engine: str
    words: list[str]
    evaluate: bool
    facts: dict[str, Any]
    last: LastMatch = field(default_factory=LastMatch)

    def round(
        self,
        seconds: float,
        settings: Mapping[str, Any],
        log: str,
        changes: Mapping[str, str] | None = None,
    ) -> bool:
        """Train for so long under these settings; returns whether somebody stopped it."""
        from ..runs.store import Store
        from ..train.loop import begin
        from .train import conduct

        if seconds <= 0:
            raise ConfigError(
                f"A round of {seconds:g} s: training always has a limit above 0 (AI_TRAIN_DURATION)."
            )
        config = self._config(seconds, {**game_settings(_with(changes)), **settings})
        run = begin(Store(self.runs), config)
        publisher = Publisher(run, self.folder, self.facts)
        began = time.monotonic()
        os.environ["SANDLOT_GODOT_LOG"] = str((self.debug / log).resolve())
        with (self.debug / "server.log").open("a", encoding="utf-8") as written:
            listeners = [publisher, _Log(written)]
            with _trajectories(config) as watch:
                status = conduct(
                    config,
                    run,
                    self.evaluate,
                    listeners=listeners,
                    prepare=lambda loop: _prepare(loop, watch),
                )
        publisher.publish()
        publisher.summarise(status, time.monotonic() - began)
        self.draw(run)
        return status == "stopped"

    def _config(self, seconds: float, settings: Mapping[str, Any]) -> Any:
        from ..train.recipes import compose

        words = [f"{name}={_toml(value)}" for name, value in run_settings().items()]
        words += [f"settings.{name}={_toml(value)}" for name, value in settings.items()]
        words += [f"run.minutes={seconds / 60}", f"run.engine={self.engine}"]
        words += ["curriculum=[]", *self.words]  # a round goes on where the last one ended
        return compose("tag", "godot" if self.engine == "godot" else "quick", None, words)

    def draw(self, run: Run) -> None:
        """Charts of the run, here and in the session's folder; of its episodes while no window has closed."""
        from ..media.history import of_run
        from .plot import plot

        charts = Path("charts")
        with contextlib.suppress(typer.Exit):  # nothing to plot yet
            if of_run(run).is_empty():
                plot(csv=METRICS, output_dir=charts)
            else:
                plot(run=run.run_id, output_dir=charts, anchors=False, runs=self.runs)
            (self.folder / "charts").mkdir(exist_ok=True)
            for path in Path("charts").glob("*.png"):
                shutil.copy2(path, self.folder / "charts" / path.name)


@contextlib.contextmanager
def _session(mode: Mode, runs: Path, engine: str, words: list[str], evaluate: bool) -> Iterator[Session]:
    """Folders at the beginning, the bundle at the end, whatever happens in between."""
    usual = get("SELF_PLAY_APPROACH") if mode is Mode.curriculum else mode.value
    name = (
        get("TRAIN_RUN_ID") or (get("SELF_PLAY_SESSION_ID") if "live" not in mode.value else None) or stamp()
    )
    approach = get("TRAIN_APPROACH") or usual
    for word in (name, approach):
        if Path(word).name != word or word in (".", ".."):
            raise ConfigError(f"{word!r} is to be the name of a folder; expected letters, digits, - and _.")
    folder, debug = TRAINER / "logs" / "runs" / approach / name, Path("debug") / name
    facts = {
        "session": name,
        "approach": approach,
        "variant": get("TRAIN_VARIANT") or mode.value,
        "started": datetime.now().isoformat(timespec="seconds"),
        "environment": {k: v for k, v in os.environ.items() if k.startswith(ENVIRONMENT)},
    }
    debug.mkdir(parents=True, exist_ok=True)
    if get("TRAIN_CLEAN_FRAMES"):
        for path in frames_folder().glob("frame_*.png"):
            path.unlink(missing_ok=True)
    PID_FILE.write_text(f"{os.getpid()}\n")
    now = Session(name, folder, debug, runs, engine, words, evaluate, facts)
    try:
        yield now
    finally:
        PID_FILE.unlink(missing_ok=True)
        took = collect(debug, more=[now.last.film] if now.last.film else [])
        err.print(f"Bundle {debug}: {', '.join(took)}", markup=False, soft_wrap=True)


ENVIRONMENT = ("AI_", "TRAIN_", "PPO_", "SELF_PLAY_", "WARM_START_", "CURRICULUM_")


def _with(changes: Mapping[str, str] | None) -> Mapping[str, str]:
    return {**os.environ, **(changes or {})}


def _toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class _Log:
    """What a run announces, as lines of a log."""

    def __init__(self, file: Any):
        self._file = file

    def __call__(self, event: Any) -> None:
        kind = type(event).__name__
        told = event.row.to_json() if kind == "WindowClosed" else vars(event)
        if kind == "Progressed":
            told = {name: told[name] for name in ("window_id", "episodes_total", "decisions_per_second")}
        self._file.write(f"{datetime.now():%H:%M:%S} {kind} {told}\n")
        self._file.flush()


@contextlib.contextmanager
def _trajectories(config: Any) -> Iterator[Any]:
    """A log of the first arena's matches, where AI_LOG_TRAJECTORIES asks for one."""
    from ..evaluate.trajectories import TrajectoryLog
    from ..games import Spec

    if not get("AI_LOG_TRAJECTORIES"):
        yield None
        return
    facts = {"engine": config.run.engine, "seed": str(config.run.seed)}
    log = TrajectoryLog(trajectories_folder(), Spec("tag", config.settings), facts=facts)
    try:
        yield log
    finally:
        log.close()


def _prepare(loop: Any, watch: Any) -> None:
    """Begin with the weights that are there, and let the log see every step."""
    if not get("DISABLE_POLICY_LOAD"):
        warm_start(loop.trainer.policies)
    if watch is not None:
        watch.begin(loop.trainer.world)
        loop.trainer.after_step.append(watch)


def warm_start(policies: Mapping[str, Any]) -> list[str]:
    """Load trainer/policy_{role}.pt into policies of the same shape; says which, and why one was left."""
    from ..policies import load_policy

    taken = []
    for role, policy in policies.items():
        path = policy_file(role)
        if not path.exists() and role == "seeker":
            path = TRAINER / "policy.pt"
        if not path.exists():
            continue
        try:
            saved = load_policy(path, role)
            policy.network.load_state_dict(saved.network.state_dict())
            policy.head.load_state_dict(saved.head.state_dict())
            if policy.normaliser is not None and saved.normaliser is not None:
                policy.normaliser.load(saved.normaliser.state())
            taken.append(role)
        except (SandlotError, RuntimeError, KeyError) as problem:
            first = str(problem).splitlines()[0]
            err.print(f"{path} does not fit and is left: {first}", markup=False, soft_wrap=True)
    if taken:
        err.print(f"Going on with the weights in {TRAINER}: {', '.join(taken)}.", markup=False)
    return taken


# ---------------------------------------------------------------- rounds

ROUNDS = ("round_index", "role", "start_ts", "end_ts", "log_path")


def self_play(
    now: Session, rounds: int, seconds: float, role: str, changes: Mapping[str, str] | None = None
) -> bool:
    """Rounds in which the first agent is seeker and hider in turn; weights go on from one to the next."""
    if role not in ROLES:
        raise ConfigError(f"SELF_PLAY_START_ROLE={role}: expected seeker or hider.")
    rounds += rounds % 2
    table = now.debug / "self_play_rounds.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerow(ROUNDS)
    for index in range(1, rounds + 1):
        log = f"godot_round{index}.log"
        began = datetime.now().isoformat(timespec="seconds")
        out.print(f"Round {index} of {rounds}: the first agent is the {role}", markup=False)
        stopped = now.round(seconds, {"first_is_seeker": role == "seeker"}, log, changes)
        ended = datetime.now().isoformat(timespec="seconds")
        with table.open("a", newline="", encoding="utf-8") as file:
            csv.writer(file).writerow((index, role, began, ended, now.debug / log))
        if stopped:
            return True
        role = ROLES[1 - ROLES.index(role)]
    return False


def curriculum(now: Session) -> bool:
    """Seeker sessions first, then self-play; hiders on the way are kept for a last examination."""
    changes = {
        "AI_SEEKER_TIME_PENALTY": str(get("CURRICULUM_SEEKER_PENALTY")),
        "AI_DISTANCE_REWARD_SCALE": str(get("CURRICULUM_DISTANCE_SCALE")),
    }
    for index in range(1, get("WARM_START_RUNS") + 1):
        log = f"godot_warm{index}.log"
        if now.round(get("WARM_START_DURATION"), {"first_is_seeker": True}, log, changes):
            return True
        _keep_hider(now)
    rounds, seconds = get("CURRICULUM_SELF_ROUNDS"), get("CURRICULUM_SELF_DURATION")
    stopped = self_play(now, rounds, seconds, "seeker", changes)
    _keep_hider(now)
    return stopped


def _keep_hider(now: Session) -> None:
    pool = get("CURRICULUM_POOL_DIR")
    if policy_file("hider").exists():
        pool.mkdir(parents=True, exist_ok=True)
        shutil.copy2(policy_file("hider"), pool / f"hider_{stamp()}.pt")
        for old in sorted(pool.glob("hider_*.pt"))[: -max(1, get("CURRICULUM_POOL_KEEP"))]:
            old.unlink()


def _judge(now: Session) -> None:
    """Exit code 1 if the seeker wins too few of the last matches."""
    from ..runs.episodes import read_episodes

    if get("CURRICULUM_POOL_EVAL"):
        _against_pool(now)
    last = read_episodes(METRICS)[-max(1, get("CURRICULUM_CHECK_EPISODES")) :]
    share = sum(row["winner"] == "seeker" for row in last) / max(1, len(last))
    wanted = get("CURRICULUM_TARGET_WIN")
    out.print(f"The seeker won {share:.2f} of the last {len(last)} matches; {wanted:.2f} is wanted.")
    if share < wanted:
        raise typer.Exit(1)


def _against_pool(now: Session) -> None:
    from ..evaluate.examination import Stage, bout
    from ..evaluate.judge import held_out_seeds
    from ..evaluate.players import read_checkpoint

    seeker = read_checkpoint(policy_file("seeker"))
    seeds = held_out_seeds(max(1, get("CURRICULUM_POOL_EVAL_EPIS")))
    stage = Stage(seeker.spec, seeds, engine=now.engine)
    for path in sorted(get("CURRICULUM_POOL_DIR").glob("hider_*.pt"))[-get("CURRICULUM_POOL_EVAL_COUNT") :]:
        won = bout(stage, seeker.player("seeker"), read_checkpoint(path).player("hider"))
        out.print(f"Against {path.name}: {100 * won.wins.value:.0f} % of {won.games} matches", markup=False)
