"""`sandlot bridge`: the live WebSocket server that games stream to."""

# ruff: noqa: UP045  (typer reads Optional on every Python)
from __future__ import annotations

import asyncio
import dataclasses
import importlib.util
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from ..errors import ConfigError, SpecMismatch, TrainingFailed
from .show import err, out

if TYPE_CHECKING:  # imported when needed: the server also runs without torch and without websockets
    import numpy as np

    from ..bridge.live import LiveServer
    from ..bridge.streaming import Seat, Taken, Transition
    from ..games import Spec
    from ..policies import Policy
    from .live_run import LiveRun

MOST_FAILURES = 5  # updates in a row that could not be made; then something else is wrong
REFUSED_FILE = "refused.jsonl"  # in the run's logs
LOCAL = ("127.0.0.1", "localhost", "::1")


def bridge(
    game: Annotated[str, typer.Argument(help="The game that is played.")] = "tag",
    policy: Annotated[
        str,
        typer.Option(
            metavar="learn|scripted|random|RUN|FILE",
            help="Who answers; learn without PyTorch becomes scripted.",
        ),
    ] = "learn",
    load: Annotated[
        Optional[str], typer.Option(metavar="RUN|FILE", help="Weights to begin learning with.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 for any free one.")] = 8765,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    token: Annotated[
        Optional[str], typer.Option(envvar="SANDLOT_TOKEN", help="That a game's hello has to show.")
    ] = None,
    settings: Annotated[
        Optional[list[str]],
        typer.Option("--set", "-s", metavar="NAME=VALUE", help="Change a setting of the game."),
    ] = None,
    batch: Annotated[
        int, typer.Option(min=32, max=1_000_000, help="Transitions of one role that make an update.")
    ] = 2048,
    minutes: Annotated[float, typer.Option(min=0, help="Stop after so many; 0 for Ctrl-C only.")] = 0.0,
    reward_limit: Annotated[
        float,
        typer.Option(min=0.001, max=1e6, help="Largest reward of one step; a transition beyond is refused."),
    ] = 100.0,
    hello_seconds: Annotated[
        float, typer.Option(min=0.1, max=600, help="For a game that connects to say its first message.")
    ] = 5.0,
    seed: Annotated[int, typer.Option(min=0, help="Of everything random.")] = 1,
    runs: Annotated[Path, typer.Option(help="Where the run is kept.")] = Path("runs"),
) -> None:
    """Answer games that stream act, act_batch, transition and transition_batch (docs/ws_protocol.md).

    The policy learns from the transitions while the games go on; what it learned is a run folder.

    Examples: sandlot bridge · sandlot bridge --policy scripted --port 9000 · sandlot bridge --policy latest
    """
    from ..games import Spec
    from ..variables import game_settings
    from .games import config_of

    if host not in LOCAL and token is None:
        raise ConfigError(
            f"{host} can be reached from other machines. Give --token, which every game has to show."
        )
    config = {**(game_settings() if game == "tag" else {}), **config_of(settings)}
    spec = Spec(game, config)
    if spec.discrete:
        raise ConfigError(f"The protocol streams continuous actions; {game} has discrete ones.")
    if policy == "learn" and importlib.util.find_spec("torch") is None:
        err.print("PyTorch is not installed, so nothing is learned: scripted players answer.")
        policy = "scripted"
    if policy == "learn":
        desk = learning(spec, config, load, batch, seed, runs)
    else:
        desk = _fixed(spec, config, policy, seed, runs)
    bounds = {"hello_s": hello_seconds, "largest_reward": reward_limit}
    asyncio.run(serve(desk, host, port, token, minutes, bounds))
    out.print(desk.said(), markup=False, soft_wrap=True)


class _Desk:
    """A player, the run it fills, and what is done off the loop between two batches."""

    def __init__(self, player: Any, open_run: Callable[[], LiveRun], learner: Any = None):
        self.player, self.open_run, self.learner = player, open_run, learner
        self.server: LiveServer | None = None
        self.run: LiveRun | None = None
        self.failures = 0  # updates in a row that could not be made
        self.saved: Callable[[Any], None] = lambda run: None  # told of each run that was committed

    def begin(self) -> None:
        """Once the port is ours: a server that cannot listen leaves no run behind."""
        self.run = self.open_run()
        if self.server is not None:
            self.server.quarantine.file = self.run.run.paths.logs / REFUSED_FILE

    def work(self) -> bool:
        """Write finished matches down, learn once, save what closed a window. True: there may be more."""
        if self.run is None or self.server is None:
            return False
        figures = self.learner.figures if self.learner else {}
        closed = self.run.keep(self.server.matches.finished(), figures)
        learned = self._learn_once()
        if closed:
            err.print(f"window {closed[-1]} closed: {self.said()}", markup=False)
            self.save(closed[-1])
        return learned

    def _learn_once(self) -> bool:
        """One update. One that cannot be made is undone and its steps are dropped; the games go on."""
        if self.learner is None:
            return False
        try:
            learned: bool = self.learner.learn()
        except TrainingFailed as problem:
            self.failures += 1
            err.print(f"An update was undone, its steps are dropped: {problem}", markup=False, soft_wrap=True)
            if self.failures >= MOST_FAILURES:
                raise
            return True
        self.failures = 0 if learned else self.failures
        return learned

    def show_how_to_go_on(self, status: str) -> None:
        """After a failure: what was saved, and how to begin with it."""
        if status == "failed" and self.run is not None and self.run.run.committed is not None:
            run_id = self.run.run.run_id
            err.print(f"The last window is saved. Go on with: sandlot bridge --load {run_id}", markup=False)

    def save(self, window: int) -> None:
        """What was learned; nothing where no match was played."""
        if self.learner and self.run and (self.run.windows.episodes_total or self.learner.version):
            states = {role: one.state() for role, one in self.learner.policies.items()}
            self.run.commit(window, *_packed(self.run.run.run_id, window, states, self.run.windows))
            self.saved(self.run.run)

    def said(self) -> str:
        if self.run is None:
            return ""
        told = f"{self.run.windows.episodes_total:,} matches, policy version {self.player.version}"
        refused = self.server.quarantine.summary() if self.server else ""
        folder = self.run.run.paths.folder
        kept = f"run {folder}" if folder.exists() else "nothing to keep"
        return f"{told}, {kept}" + (f"; {refused}" if refused else "")


def _packed(run_id: str, window: int, states: dict[str, Any], windows: Any) -> tuple[bytes, dict[str, bytes]]:
    """The same checkpoint that `sandlot train` writes, so that every other command reads it."""
    from ..policies.policy import pack
    from ..train.loop import CHECKPOINT_FORMAT, versions

    checkpoint = {
        "checkpoint_format": CHECKPOINT_FORMAT,
        "run_id": run_id,
        "window_id": window,
        "env_steps_total": windows.env_steps_total,
        "trainer_backend": "stream",
        "versions": versions(),
        "policies": states,
    }
    return pack(checkpoint), {role: pack(state) for role, state in states.items()}


async def serve(
    desk: _Desk,
    host: str,
    port: int,
    token: str | None,
    minutes: float,
    bounds: Mapping[str, float] | None = None,
) -> None:
    from ..bridge import messages
    from ..bridge.live import LiveServer

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))
    welcome = messages.welcome(desk.player.spec, 1, messages.STREAMING, messages.JSON)
    server = desk.server = LiveServer(
        desk.player, welcome, host, port, token, desk.work, _tell, **(bounds or {})
    )
    status, why = "failed", None
    try:
        serving = asyncio.create_task(server.run(stop, 60 * minutes if minutes else None))
        ready = asyncio.create_task(server.ready.wait())
        await asyncio.wait([serving, ready], return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        if not serving.done():
            desk.begin()
            out.print(f"Listening at ws://{host}:{server.port} (process {os.getpid()}; Ctrl-C stops it)")
        await serving
        while desk.work():
            pass
        desk.save(desk.run.windows.window_id if desk.run else 0)
        status = "completed"
    except Exception as problem:
        why = str(problem)
        raise
    finally:
        if desk.run is not None:
            desk.run.close(status, why)
            desk.show_how_to_go_on(status)


def _tell(line: str) -> None:
    err.print(line, markup=False, soft_wrap=True)


# ---------------------------------------------------------------- who answers


def _opened(word: str, game: str, config: Mapping[str, Any], runs: Path) -> tuple[Spec, dict[str, Policy]]:
    """Saved policies by role, and the game they were trained on with these settings laid over it."""
    from ..evaluate.players import open_checkpoint
    from ..games import Spec

    saved = open_checkpoint(word, runs)
    if saved.spec.game != game:
        raise SpecMismatch(f"{word} plays {saved.spec.game}, not {game}.")
    spec = Spec(game, {"profile": saved.spec.profile, **saved.spec.config, **config})
    sizes = {(one.observation_size, one.action_size) for one in (spec, saved.spec)}
    if len(sizes) > 1:
        raise SpecMismatch(
            f"{word} was trained on observations of {saved.spec.observation_size} numbers and actions of "
            f"{saved.spec.action_size}; with {', '.join(config)} set as asked there are "
            f"{spec.observation_size} and {spec.action_size}. Leave those settings as they were."
        )
    return spec, dict(saved.policies)


def _fixed(spec: Spec, config: Mapping[str, Any], word: str, seed: int, runs: Path) -> _Desk:
    """Scripted, random, or weights that stay as they are."""
    from ..bridge.players import FixedPlayer, RandomPlayer
    from .live_run import LiveRun

    player: Any
    if word == "random":
        player = RandomPlayer(spec, seed)
    elif word == "scripted":
        player = FixedPlayer(spec)
    else:
        player = FixedPlayer(*_opened(word, spec.game, config, runs))
    told = {"game": spec.game, "policy": word, "settings": player.spec.config}
    return _Desk(player, lambda: LiveRun(runs, player.spec, told, seed))


def learning(
    spec: Spec, changes: Mapping[str, Any], load: str | None, batch: int, seed: int, runs: Path
) -> _Desk:
    from ..train.config import NetworkConfig, as_dict
    from ..train.recipes import compose
    from ..train.streaming import StreamLearner
    from .live_run import LiveRun

    # a stream's batches are small: few parts, so that an update is soon through
    words = [f"run.seed={seed}", "ppo.epochs=4", "ppo.minibatches=8"]
    words += ["ppo.learning_rate=3e-4", "ppo.learning_rate_end=3e-4"]
    words += ["curriculum=[]"]  # the game is the client's
    config = compose(spec.game, "quick", None, words)
    begun: dict[str, Policy] = {}
    if load:
        spec, begun = _opened(load, spec.game, changes, runs)
        network = NetworkConfig(**vars(next(iter(begun.values())).shape))
        config = dataclasses.replace(config, network=network)
    learner = StreamLearner(spec, config, batch)
    learner.load(begun)
    told = as_dict(config) | {"settings": spec.config, "stream_batch": batch}
    return _Desk(Learning(learner, settled=bool(begun)), lambda: LiveRun(runs, spec, told, seed), learner)


class Learning:
    """Joins the trainer's stream to the bridge: neither of the two rooms knows the other."""

    def __init__(self, learner: Any, settled: bool = False):
        """settled: the layout of observations stays as it is, as with weights that were loaded."""
        self.learner = learner
        self._settled = settled

    @property
    def spec(self) -> Spec:
        return self.learner.spec

    @property
    def version(self) -> int:
        return self.learner.version

    @property
    def observation_size(self) -> int:
        return self.learner.observation_size

    @property
    def action_size(self) -> int:
        return self.learner.action_size

    def act(self, seats: Sequence[Seat], observations: Sequence[np.ndarray], steps: Sequence[Any]) -> Any:
        import numpy as np

        from ..bridge.players import roles_seen

        rows = np.stack(observations)
        return self.learner.act(seats, roles_seen(self.spec, rows), rows, steps)

    def take(self, transitions: Sequence[Transition]) -> Taken:
        from ..bridge.streaming import Taken

        taken = Taken()
        for told in transitions:
            became = self.learner.take(told)
            taken.stale += became == "stale"
            taken.unmatched += became == "unmatched"
        return taken

    def takes(self, length: int) -> bool:
        """The first observation that is shown decides on the layout; from then on it stays."""
        from ..bridge.players import specs_by_length

        if not self._settled and length != self.observation_size:
            self.learner.adapt(length, specs_by_length(self.spec).get(length))
        self._settled = self._settled or length == self.observation_size
        return length == self.observation_size

    def gone(self, connection: int) -> None:
        self.learner.gone(lambda seat: seat[0] == connection)
