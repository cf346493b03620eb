"""`sandlot bridge`: the live WebSocket server that games stream to."""

from __future__ import annotations

import asyncio
import importlib.util
import os
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from typer import Argument, Option

from ..bridge import messages
from ..bridge.random_policy import RandomPolicy
from ..bridge.streaming import Acknowledgement, AgentSlot, Transition
from ..errors import ConfigError, SpecMismatch, TrainingFailed
from ..games import DEFAULT_GAME
from ..games.live_policies import FixedPolicy, observed_roles, specs_by_length
from ..spec import Spec, parse_settings
from ..worlds import load_spec
from .live_run import LiveRun
from .options import RUNS, RunsFolder, Setting
from .show import err, out

if TYPE_CHECKING:  # imported when needed: the server also runs without torch and without websockets
    from ..bridge.live import LiveServer
    from ..policies import Policy

MOST_FAILURES = 5  # failed updates in a row before the server gives up
REFUSED_FILE = "refused.jsonl"  # in the run's logs
LOCAL = ("127.0.0.1", "localhost", "::1")


def bridge(
    game: Annotated[str, Argument(help="The game that is played.")] = DEFAULT_GAME,
    policy: Annotated[
        str,
        Option(
            metavar="learn|scripted|random|RUN|FILE", help="Policy that answers; without PyTorch: scripted."
        ),
    ] = "learn",
    load: Annotated[str | None, Option(metavar="RUN|FILE", help="Weights to start learning from.")] = None,
    port: Annotated[int, Option(min=0, max=65535, help="0 for any free port.")] = 8765,
    host: Annotated[str, Option(help="Address to listen on.")] = "127.0.0.1",
    token: Annotated[
        str | None, Option(envvar="SANDLOT_TOKEN", help="Token that a game's hello must contain.")
    ] = None,
    settings: Setting = None,
    batch: Annotated[int, Option(min=32, max=1_000_000, help="Transitions of a role per update.")] = 2048,
    minutes: Annotated[float, Option(min=0, help="Stop after so many; 0 for Ctrl-C only.")] = 0.0,
    reward_limit: Annotated[
        float,
        Option(min=0.001, max=1e6, help="Largest reward of one step; a transition beyond is refused."),
    ] = 100.0,
    hello_seconds: Annotated[
        float, Option(min=0.1, max=600, help="How long a new connection may take to send its first message.")
    ] = 5.0,
    seed: Annotated[int, Option(min=0, help="Of everything random.")] = 1,
    runs: RunsFolder = RUNS,
) -> None:
    """Answer games that stream act, act_batch, transition and transition_batch (docs/ws_protocol.md).

    The policy learns from the transitions while the games run, and is saved as a run.

    Examples: sandlot bridge · sandlot bridge --policy scripted --port 9000 · sandlot bridge --policy latest
    """
    if host not in LOCAL and token is None:
        raise ConfigError(
            f"{host} can be reached from other machines. Give --token; every game must send it."
        )
    config = parse_settings(settings)
    spec = load_spec(game, config)
    if spec.discrete:
        raise ConfigError(f"The protocol streams continuous actions; {game} has discrete ones.")
    if policy == "learn" and importlib.util.find_spec("torch") is None:
        err.print("PyTorch is not installed: scripted bots answer, and nothing is learned.")
        policy = "scripted"
    if policy == "learn":
        session = learning(spec, config, load, batch, seed, runs)
    else:
        session = _fixed(spec, config, policy, seed, runs)
    bounds = {"hello_s": hello_seconds, "largest_reward": reward_limit}
    asyncio.run(serve(session, host, port, token, minutes, bounds))
    out.print_line(session.summary())


class LiveSession:
    """A policy, the run that its matches fill, and the work off the loop between two batches."""

    def __init__(self, policy: Any, open_run: Callable[[], LiveRun], learner: Any = None):
        self.policy, self.open_run, self.learner = policy, open_run, learner
        self.server: LiveServer | None = None
        self.run: LiveRun | None = None
        self.failures = 0  # failed updates in a row
        self.saved: Callable[[Any], None] = lambda run: None  # called with the run after each commit

    def begin(self) -> None:
        """Open the run, once the port is bound: a server that cannot listen leaves no run behind."""
        self.run = self.open_run()
        if self.server is not None:
            self.server.quarantine.file = self.run.run.paths.logs / REFUSED_FILE

    def work(self) -> bool:
        """Record finished matches, make one update, save at the end of a window. True: there may be more."""
        if self.run is None or self.server is None:
            return False
        metrics = self.learner.metrics if self.learner else {}
        closed = self.run.keep(self.server.matches.finished(), metrics)
        learned = self._learn_once()
        if closed:
            err.print_line(f"window {closed[-1]} closed: {self.summary()}")
            self.save(closed[-1])
        return learned

    def _learn_once(self) -> bool:
        """One update. If it fails, it is undone and its steps are dropped; the games continue."""
        if self.learner is None:
            return False
        try:
            learned: bool = self.learner.learn()
        except TrainingFailed as problem:
            self.failures += 1
            err.print_line(f"An update failed and was undone; its steps are dropped: {problem}")
            if self.failures >= MOST_FAILURES:
                raise
            return True
        self.failures = 0 if learned else self.failures
        return learned

    def show_how_to_go_on(self, status: str) -> None:
        """After a failure: what was saved, and how to begin with it."""
        if status == "failed" and self.run is not None and self.run.run.committed is not None:
            run_id = self.run.run.run_id
            err.print_line(f"The last window is saved. Continue with: sandlot bridge --load {run_id}")

    def save(self, window: int) -> None:
        """What was learned; nothing where no match was played."""
        if self.learner and self.run and (self.run.windows.episodes_total or self.learner.version):
            states = {role: one.state() for role, one in self.learner.policies.items()}
            self.run.commit(window, *_packed(self.run.run.run_id, window, states, self.run.windows))
            self.saved(self.run.run)

    def summary(self) -> str:
        """What the session did, as the final line prints it."""
        if self.run is None:
            return ""
        text = f"{self.run.windows.episodes_total:,} matches, policy version {self.policy.version}"
        refused = self.server.quarantine.summary() if self.server else ""
        folder = self.run.run.paths.folder
        kept = f"run {folder}" if folder.exists() else "nothing to keep"
        return f"{text}, {kept}" + (f"; {refused}" if refused else "")


def _packed(run_id: str, window: int, states: dict[str, Any], windows: Any) -> tuple[bytes, dict[str, bytes]]:
    """The same checkpoint that `sandlot train` writes, so that every other command reads it."""
    from ..policies.policy import pack
    from ..train.loop import checkpoint_of

    checkpoint = checkpoint_of(run_id, window, windows.env_steps_total, "stream", states)
    return pack(checkpoint), {role: pack(state) for role, state in states.items()}


async def serve(
    session: LiveSession,
    host: str,
    port: int,
    token: str | None,
    minutes: float,
    bounds: Mapping[str, float] | None = None,
) -> None:
    """Serve games until Ctrl-C or the deadline."""
    from ..bridge.live import LiveServer, serve_until_stopped

    welcome = messages.welcome(session.policy.spec, 1, messages.STREAMING, messages.JSON)
    server = session.server = LiveServer(
        session.policy, welcome, host, port, token, session.work, err.print_line, **(bounds or {})
    )
    status, why = "failed", None

    def listening() -> None:
        session.begin()
        out.print(f"Listening at ws://{host}:{server.port} (process {os.getpid()}; Ctrl-C stops it)")

    try:
        await serve_until_stopped(server, minutes, listening)
        while session.work():
            pass
        session.save(session.run.windows.window_id if session.run else 0)
        status = "completed"
    except Exception as problem:
        why = str(problem)
        raise
    finally:
        if session.run is not None:
            session.run.close(status, why)
            session.show_how_to_go_on(status)


# ---------------------------------------------------------------- policies


def _opened(word: str, game: str, config: Mapping[str, Any], runs: Path) -> tuple[Spec, dict[str, Policy]]:
    """Saved policies by role, and the game that they were trained on, with these settings changed."""
    from ..evaluate.players import open_checkpoint

    saved = open_checkpoint(word, runs)
    if saved.spec.game != game:
        raise SpecMismatch(f"{word} plays {saved.spec.game}, not {game}.")
    spec = load_spec(game, {**saved.spec.settings, **config})
    sizes = {(one.observation_size, one.action_size) for one in (spec, saved.spec)}
    if len(sizes) > 1:
        raise SpecMismatch(
            f"{word} was trained on observations of {saved.spec.observation_size} numbers and actions of "
            f"{saved.spec.action_size}; with {', '.join(config)} set as asked there are "
            f"{spec.observation_size} and {spec.action_size}. Leave those settings as they were."
        )
    return spec, dict(saved.policies)


def _fixed(spec: Spec, config: Mapping[str, Any], word: str, seed: int, runs: Path) -> LiveSession:
    """Scripted, random, or weights that stay as they are."""
    policy: Any
    if word == "random":
        policy = RandomPolicy(spec, seed)
    elif word == "scripted":
        policy = FixedPolicy(spec)
    else:
        policy = FixedPolicy(*_opened(word, spec.game, config, runs))
    config_used = {"game": spec.game, "policy": word, "settings": policy.spec.config}
    return LiveSession(policy, lambda: LiveRun(runs, policy.spec, config_used, seed))


def learning(
    spec: Spec, changes: Mapping[str, Any], load: str | None, batch: int, seed: int, runs: Path
) -> LiveSession:
    """A session whose policy learns from what games stream."""
    from ..train.compose import compose
    from ..train.config import as_dict
    from ..train.streaming import StreamLearner

    # a stream's batches are small: few parts, so that an update is soon through
    words = [f"run.seed={seed}", "ppo.update_epochs=4", "ppo.num_minibatches=8"]
    words += ["ppo.learning_rate=3e-4", "ppo.learning_rate_end=3e-4", "curriculum=[]"]
    config = compose(spec.game, "quick", None, words)
    loaded: dict[str, Policy] = {}
    if load:
        spec, loaded = _opened(load, spec.game, changes, runs)
        config = config.replace(network=next(iter(loaded.values())).config)
    learner = StreamLearner(spec, config, batch)
    learner.load(loaded)
    config_used = as_dict(config) | {"settings": spec.config, "stream_batch": batch}
    policy = LearningPolicy(learner, fixed_layout=bool(loaded))
    return LiveSession(policy, lambda: LiveRun(runs, spec, config_used, seed), learner)


class LearningPolicy:
    """The trainer's stream as a policy of the live server: neither of the two packages imports the other."""

    def __init__(self, learner: Any, fixed_layout: bool = False):
        """fixed_layout: the layout of observations stays as it is, as with weights that were loaded."""
        self.learner = learner
        self._fixed_layout = fixed_layout

    # the learner's own, which change while it learns
    spec = property(attrgetter("learner.spec"))
    version = property(attrgetter("learner.version"))
    observation_size = property(attrgetter("learner.observation_size"))
    action_size = property(attrgetter("learner.action_size"))

    def act(
        self, agent_slots: Sequence[AgentSlot], observations: Sequence[np.ndarray], steps: Sequence[Any]
    ) -> Any:
        """Actions for a batch of observations."""
        rows = np.stack(observations)
        return self.learner.act(agent_slots, observed_roles(self.spec, rows), rows, steps)

    def add_transitions(self, transitions: Sequence[Transition]) -> Acknowledgement:
        """Hand streamed transitions to the learner."""
        result = Acknowledgement()
        for transition in transitions:
            outcome = self.learner.take(transition)
            result.stale += outcome == "stale"
            result.unmatched += outcome == "unmatched"
        return result

    def accepts(self, length: int) -> bool:
        """The first observation that is shown decides on the layout; from then on it stays."""
        if not self._fixed_layout and length != self.observation_size:
            self.learner.adapt(length, specs_by_length(self.spec).get(length))
        self._fixed_layout = self._fixed_layout or length == self.observation_size
        return length == self.observation_size

    def disconnected(self, connection: int) -> None:
        """Drop what a closed connection left unfinished."""
        self.learner.forget(lambda slot: slot[0] == connection)
