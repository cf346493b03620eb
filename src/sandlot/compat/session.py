"""`python -m sandlot.compat session`: tag trained in Godot, with the files and variables of its brief.

It is `sandlot train tag --engine godot` once or several times, and what is left afterwards is in the places
that scripts and people expect: outputs.py.
"""

from __future__ import annotations

import asyncio
import contextlib
import csv
import enum
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from typer import Argument, Option

from .. import seeding
from ..bridge.godot_project import project_folder
from ..cli.bridge import learning, serve
from ..cli.options import RUNS, RunsFolder
from ..cli.plot import plot
from ..cli.show import err, out
from ..cli.train import run_training
from ..errors import CheckpointError, ConfigError, GodotMissing, SandlotError
from ..media.history import run_history
from ..runs.episodes import read_episodes
from ..runs.run import Run
from ..runs.store import Store
from ..worlds import load_spec
from ..worlds.make import ENGINES
from .last_match import LastMatch, film_options, play_and_film
from .outputs import METRICS, POLICY, ROLES, TRAINER, Publisher, collect, policy_file, stamp
from .trajectory_log import TrajectoryLog
from .variables import causes, frames_folder, game_settings, get, run_settings, trajectories_folder

PID_FILE = Path(".server.pid")
STREAM_BATCH = 2048  # transitions of one role that make an update of the live server


class Mode(enum.StrEnum):
    """What a session trains."""

    live_seeker = "live-seeker"
    live_hider = "live-hider"
    self_play = "self-play"
    curriculum = "curriculum"


def session(
    mode: Annotated[Mode, Argument(help="Who begins as seeker, or in rounds.")] = Mode.live_seeker,
    engine: Annotated[str, Option(help="What plays: godot, or native for a quick try.")] = "godot",
    words: Annotated[
        list[str] | None,
        Option("--set", "-s", metavar="NAME=VALUE", help="Change a setting, as in sandlot train."),
    ] = None,
    evaluate: Annotated[bool, Option(help="Judge each window in another process.")] = True,
    film: Annotated[
        bool | None,
        Option(help="End with a match: its trajectory and a film. Usual in Godot, unless TRAIN_FILM=0."),
    ] = None,
    keep_server: Annotated[
        bool | None,
        Option(help="Without an engine: the live server waits for a Godot that you open. Else KEEP_SERVER."),
    ] = None,
    runs: RunsFolder = RUNS,
) -> None:
    """Train tag in Godot; leave trainer/, charts/, debug/, a trajectory and a film as the brief names them.

    Settings come from environment variables (docs/environment.md); AI_TRAIN_DURATION limits the time.

    Examples: python -m sandlot.compat session live-seeker ·
    AI_TRAIN_DURATION=60 python -m sandlot.compat session live-hider ·
    SELF_PLAY_ROUNDS=2 SELF_PLAY_DURATION=60 python -m sandlot.compat session self-play
    """
    rounds = rounds_of(mode)
    configs = [_config(round, engine, words or []) for round in rounds]  # refused before anything is written
    missing = _missing_engine(engine, get("KEEP_SERVER") if keep_server is None else keep_server)
    filmed = film if film is not None else engine == "godot" and get("TRAIN_FILM")
    options = film_options() if filmed and not missing else None
    with _session(mode, runs, engine, evaluate) as now:
        if missing:
            wait_for_a_scene(now, configs[0], sum(round.seconds for round in rounds), missing)
            return
        stopped = _play(now, mode, rounds, configs)
        if options and not stopped:
            role = "hider" if mode is Mode.live_hider else "seeker"
            now.last = play_and_film(role, engine, options, now.debug)
    if stopped:
        raise typer.Exit(130)
    if mode is Mode.curriculum:
        _check_win_rate(now)
    if now.last.code:
        raise typer.Exit(now.last.code)


def _missing_engine(engine: str, keep_server: bool) -> GodotMissing | None:
    """Why there is no Godot, where the server shall wait for one; otherwise that is the end."""
    if engine not in ENGINES:
        raise ConfigError(f"--engine {engine}: expected {' or '.join(ENGINES)}.")
    if engine == "godot":
        from ..worlds.godot import check_playable

        try:
            check_playable("tag")
        except GodotMissing as missing:
            if not keep_server:
                raise
            return missing
    return None


# ---------------------------------------------------------------- rounds


@dataclass(frozen=True)
class Round:
    """One training of a session."""

    role: str  # of the first agent
    seconds: float
    log: str  # file of the engine's output
    self_play: bool = False
    changes: Mapping[str, str] = field(default_factory=dict)  # variables that count in this round only

    @property
    def environment(self) -> dict[str, str]:
        """The variables that count in this round."""
        return {**os.environ, **self.changes}


def rounds_of(mode: Mode) -> list[Round]:
    """What a session consists of, by the variables."""
    if mode is Mode.self_play:
        seconds, role = _limit("SELF_PLAY_DURATION"), get("SELF_PLAY_START_ROLE")
        return _self_play_rounds(get("SELF_PLAY_ROUNDS"), seconds, role)
    if mode is Mode.curriculum:
        return _curriculum_rounds()
    role = "hider" if mode is Mode.live_hider else "seeker"
    return [Round(role, _limit("AI_TRAIN_DURATION"), "godot.log")]


def _self_play_rounds(count: int, seconds: float, role: str) -> list[Round]:
    """The first agent is seeker and hider in turn; an odd count gets one more."""
    if role not in ROLES:
        raise ConfigError(f"SELF_PLAY_START_ROLE={role}: expected seeker or hider.")
    if count < 1:
        raise ConfigError(f"SELF_PLAY_ROUNDS={count}: expected 1 or more.")
    first = ROLES.index(role)
    return [
        Round(ROLES[(first + i) % 2], seconds, f"godot_round{i + 1}.log", self_play=True)
        for i in range(count + count % 2)
    ]


def _curriculum_rounds() -> list[Round]:
    """Seeker sessions first, then self-play, all with a network per role."""
    changes = {name: str(get(source)) for name, source in CURRICULUM_VARIABLES.items()}
    warm = [
        Round("seeker", _limit("WARM_START_DURATION"), f"godot_warm{i + 1}.log", changes=changes)
        for i in range(get("WARM_START_RUNS"))
    ]
    rounds = _self_play_rounds(get("CURRICULUM_SELF_ROUNDS"), _limit("CURRICULUM_SELF_DURATION"), "seeker")
    return warm + [replace(round, changes=changes) for round in rounds]


CURRICULUM_VARIABLES = {
    "AI_SEEKER_TIME_PENALTY": "CURRICULUM_SEEKER_PENALTY",
    "AI_DISTANCE_REWARD_SCALE": "CURRICULUM_DISTANCE_SCALE",
}


def _limit(name: str) -> float:
    seconds = float(get(name))
    if seconds <= 0:
        raise ConfigError(f"{name}={seconds:g}: expected seconds above 0. Training always has a limit.")
    return seconds


def _config(round: Round, engine: str, words: list[str]) -> Any:
    """The training configuration of a round; a refusal names the variable that asked for it."""
    from ..train.compose import compose

    settings = {**game_settings(round.environment), "first_is_seeker": round.role == "seeker"}
    asked = [f"{name}={_toml(value)}" for name, value in run_settings(round.environment).items()]
    asked += [f"settings.{name}={_toml(value)}" for name, value in settings.items()]
    asked += [f"run.minutes={round.seconds / 60}", f"run.engine={engine}"]
    # a round goes on where the last one ended, hence no curriculum
    asked += [f"selfplay.shared={_toml(_shares(round, settings))}", "curriculum=[]", *words]
    try:
        made = compose("tag", "godot" if engine == "godot" else "quick", None, asked)
        load_spec("tag", made.settings)
    except SandlotError as problem:
        names = [_as_typed(cause, round) for cause in causes(str(problem), round.environment)]
        raise (ConfigError(f"{', '.join(names)}: {problem}") if names else problem) from None
    return made


def _as_typed(cause: str, round: Round) -> str:
    """The variable that a person set: the curriculum has names of its own for some."""
    name, _, value = cause.partition("=")
    return f"{CURRICULUM_VARIABLES[name]}={value}" if name in round.changes else cause


def _shares(round: Round, settings: Mapping[str, Any]) -> bool:
    """Whether one network plays both agents: in self-play, and where a touch changes roles."""
    both = get("AI_CONTROL_ALL_AGENTS", round.environment) and not round.changes
    return both and (round.self_play or settings.get("mode") == "switch")


def _play(now: Session, mode: Mode, rounds: list[Round], configs: list[Any]) -> bool:
    """Round after round; weights go on from one to the next. Returns whether somebody stopped it."""
    table = RoundTable(now.debug / "self_play_rounds.csv")
    playing = sum(round.self_play for round in rounds)
    for round, config in zip(rounds, configs, strict=True):
        if round.self_play:
            out.print_line(f"Round {table.count + 1} of {playing}: the first agent is the {round.role}")
        began = datetime.now()
        stopped = now.train(round, config)
        if round.self_play:
            table.add(round.role, began, now.debug / round.log)
        if stopped:
            return True
        if mode is Mode.curriculum and not round.self_play:
            _keep_hider()
    if mode is Mode.curriculum:
        _keep_hider()
    return False


class RoundTable:
    """self_play_rounds.csv: which round was played when, and where its log is."""

    COLUMNS = ("round_index", "role", "start_ts", "end_ts", "log_path")

    def __init__(self, path: Path):
        self.path, self.count = path, 0

    def add(self, role: str, began: datetime, log: Path) -> None:
        """Append one round; the first one begins the file anew."""
        self.count += 1
        with self.path.open("a" if self.count > 1 else "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if self.count == 1:
                writer.writerow(self.COLUMNS)
            times = (began.isoformat(timespec="seconds"), datetime.now().isoformat(timespec="seconds"))
            writer.writerow((self.count, role, *times, log))


# ---------------------------------------------------------------- one session


@dataclass
class Session:
    """What the rounds of one session share."""

    name: str  # its id
    folder: Path  # trainer/logs/runs/{approach}/{id}
    debug: Path
    runs: Path
    engine: str
    evaluate: bool
    facts: dict[str, Any]
    last: LastMatch = field(default_factory=LastMatch)

    def train(self, round: Round, config: Any) -> bool:
        """Train under this configuration; returns whether somebody stopped it."""
        from ..train.loop import begin

        run = begin(Store(self.runs), config)
        publisher = Publisher(run, self.folder, self.facts)
        began = time.monotonic()
        os.environ["SANDLOT_GODOT_LOG"] = str((self.debug / round.log).resolve())
        log = (self.debug / "server.log").open("a", encoding="utf-8")
        with log, _trajectories(config) as watch:
            listeners = [publisher, partial(_log_event, log)]
            prepare = partial(_prepare, watch=watch)
            status = run_training(config, run, self.evaluate, listeners=listeners, prepare=prepare)
        publisher.publish()
        publisher.summarise(status, time.monotonic() - began)
        self.draw(run)
        return status == "stopped"

    def draw(self, run: Run) -> None:
        """Charts of the run, here and in the session's folder; of its episodes while no window has closed."""
        charts = Path("charts")
        with contextlib.suppress(typer.Exit):  # nothing to plot yet
            if run_history(run).is_empty():
                plot(csv=METRICS, output_dir=charts)
            else:
                plot(run=run.run_id, output_dir=charts, anchors=False, runs=self.runs)
            (self.folder / "charts").mkdir(exist_ok=True)
            for path in charts.glob("*.png"):
                shutil.copy2(path, self.folder / "charts" / path.name)


@contextlib.contextmanager
def _session(mode: Mode, runs: Path, engine: str, evaluate: bool) -> Iterator[Session]:
    """Folders at the beginning, the bundle at the end, whatever happens in between."""
    usual = get("SELF_PLAY_APPROACH") if mode is Mode.curriculum else mode.value
    own = get("SELF_PLAY_SESSION_ID") if mode in (Mode.self_play, Mode.curriculum) else None
    name = get("TRAIN_RUN_ID") or own or stamp()
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
    PID_FILE.write_text(f"{os.getpid()}\n", encoding="utf-8")
    began_ns = PID_FILE.stat().st_mtime_ns  # by the clock of the file system, as what is compared with it
    now = Session(name, folder, debug, runs, engine, evaluate, facts)
    try:
        yield now
    finally:
        PID_FILE.unlink(missing_ok=True)
        took = collect(debug, more=[now.last.film] if now.last.film else [], since_ns=began_ns)
        err.print_line(f"Bundle {debug}: {', '.join(took)}")


ENVIRONMENT = ("AI_", "TRAIN_", "PPO_", "SELF_PLAY_", "WARM_START_", "CURRICULUM_")


def _toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _log_event(file: TextIO, event: Any) -> None:
    """What a run announces, as a line of a log."""
    kind = type(event).__name__
    fields = event.row.to_json() if kind == "WindowClosed" else vars(event)
    if kind == "Progressed":
        fields = {name: fields[name] for name in ("window_id", "episodes_total", "decisions_per_second")}
    file.write(f"{datetime.now():%H:%M:%S} {kind} {fields}\n")
    file.flush()


@contextlib.contextmanager
def _trajectories(config: Any) -> Iterator[Any]:
    """A log of the first arena's matches, where AI_LOG_TRAJECTORIES asks for one."""
    if not get("AI_LOG_TRAJECTORIES"):
        yield None
        return
    facts = {"engine": config.run.engine, "seed": str(config.run.seed)}
    log = TrajectoryLog(trajectories_folder(), load_spec("tag", config.settings), facts=facts)
    try:
        yield log
    finally:
        log.close()


def _prepare(loop: Any, watch: Any) -> None:
    """Begin with the weights that are there, and let the log see every step."""
    if not get("DISABLE_POLICY_LOAD"):
        warm_start(loop.trainer.policies, loop.config.selfplay.shared)
    if watch is not None:
        watch.begin(loop.trainer.world)
        loop.trainer.after_step.append(watch)


def warm_start(policies: Mapping[str, Any], shared: bool = False) -> list[str]:
    """Load the weights in trainer/ into policies of the same shape; says which, and why one was left.

    shared: the policies are one network, which begins with policy.pt if that is one network too.
    """
    from ..policies import load_policy
    from ..policies.policy import SHARED

    taken = []
    for role, policy in ({SHARED: next(iter(policies.values()))} if shared else policies).items():
        path = POLICY if shared or not policy_file(role).exists() else policy_file(role)
        if not path.exists():
            continue
        try:
            saved = load_policy(path, None if shared else role)
            if shared and saved.role != SHARED:
                raise CheckpointError("it holds a network per role, self-play trains one for both")
            policy.copy_from(saved)
            taken.append(role)
        except (SandlotError, RuntimeError, KeyError) as problem:
            first = str(problem).splitlines()[0]
            err.print_line(f"{path} does not fit and is left: {first}")
    if taken:
        err.print_line(f"Going on with the weights in {TRAINER}: {', '.join(taken)}.")
    return taken


# ---------------------------------------------------------------- without an engine


def wait_for_a_scene(now: Session, config: Any, seconds: float, missing: GodotMissing) -> None:
    """Serve a scene that somebody opens, and learn from it. Exit code 3 if nobody did before the deadline."""
    port, project = get("TRAIN_PORT"), project_folder() / "project.godot"
    err.print_line(
        f"{missing} The server stays up: open {project} in Godot and press F5. It waits at "
        f"ws://127.0.0.1:{port} and trains until {seconds:g} s from now (AI_TRAIN_DURATION); Ctrl-C ends it."
    )
    load = str(POLICY) if POLICY.exists() and not get("DISABLE_POLICY_LOAD") else None
    spec = load_spec("tag", config.settings)
    live = learning(spec, config.settings, load, STREAM_BATCH, config.run.seed, now.runs)
    publishers: list[Publisher] = []

    def publish(run: Run) -> None:
        if live.run is None or not live.run.windows.episodes_total:
            return  # weights that have learned nothing replace none
        if not publishers:
            publishers.append(Publisher(run, now.folder, now.facts))
        publishers[0].publish()

    live.saved = publish
    began = time.monotonic()
    asyncio.run(serve(live, "127.0.0.1", port, os.environ.get("SANDLOT_TOKEN") or None, seconds / 60))
    if live.server is None or not live.server.acted:
        raise GodotMissing(f"No scene connected within {time.monotonic() - began:.0f} s. {missing}")
    if publishers and live.run is not None:
        publishers[0].summarise("completed", time.monotonic() - began)
        now.draw(live.run.run)
    out.print_line(live.summary())


# ---------------------------------------------------------------- the end of a curriculum


def _keep_hider() -> None:
    pool = get("CURRICULUM_POOL_DIR")
    if policy_file("hider").exists():
        pool.mkdir(parents=True, exist_ok=True)
        shutil.copy2(policy_file("hider"), pool / f"hider_{stamp()}.pt")
        for old in sorted(pool.glob("hider_*.pt"))[: -max(1, get("CURRICULUM_POOL_KEEP"))]:
            old.unlink()


def _check_win_rate(now: Session) -> None:
    """Exit code 1 if the seeker wins too few of the last matches."""
    if get("CURRICULUM_POOL_EVAL"):
        _against_pool(now)
    last = read_episodes(METRICS)[-max(1, get("CURRICULUM_CHECK_EPISODES")) :]
    share = sum(row["winner"] == "seeker" for row in last) / max(1, len(last))
    wanted = get("CURRICULUM_TARGET_WIN")
    out.print(f"The seeker won {share:.2f} of the last {len(last)} matches; {wanted:.2f} is wanted.")
    if share < wanted:
        raise typer.Exit(1)


def _against_pool(now: Session) -> None:
    from ..evaluate.players import read_checkpoint
    from ..evaluate.report import EvalSetup, play_matchup

    seeker = read_checkpoint(policy_file("seeker"))
    seeds = seeding.held_out("eval", max(1, get("CURRICULUM_POOL_EVAL_EPIS")))
    stage = EvalSetup(seeker.spec, seeds, engine=now.engine)
    for path in sorted(get("CURRICULUM_POOL_DIR").glob("hider_*.pt"))[-get("CURRICULUM_POOL_EVAL_COUNT") :]:
        won = play_matchup(stage, seeker.player("seeker"), read_checkpoint(path).player("hider"))
        share = f"{100 * won.tally.score.value:.0f} % of {won.tally.matches} matches"
        out.print_line(f"Against {path.name}: {share}")
