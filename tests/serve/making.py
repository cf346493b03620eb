"""What the tests of the server share: runs trained for a moment, and a real server on a free port."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from pathlib import Path

import httpx

from sandlot.evaluate.evaluator import Evaluator
from sandlot.runs import Store
from sandlot.serve import Settings, create_app
from sandlot.serve.server import Server, address_of, listen
from sandlot.train.compose import compose
from sandlot.train.loop import Loop, begin

WORDS = {
    # short matches: each window is judged in a hundred of them
    "tag": ("ppo.num_envs=16", "ppo.num_steps=16", "run.window_env_steps=1000", "settings.time_limit=3"),
    "prospector": (
        *("ppo.num_envs=16", "ppo.num_steps=16", "run.window_env_steps=800", "settings.time_max=300"),
    ),
}


def train(root: Path, game: str, windows: int = 2) -> str:
    """The id of a run that has just been trained, judged and recorded."""
    words = (
        *WORDS[game],
        "ppo.num_minibatches=4",
        "run.threads=1",
        "network.hidden_sizes=[16]",
        "evaluation.episodes=2",
    )
    limits = [f"run.windows={windows}", "ppo.rollouts_per_iteration=1", "ppo.stagger_steps=0"]
    recipe = compose(game, words=[*limits, *words])
    with begin(Store(root), recipe) as run:
        Loop(recipe, run).go()
        with Evaluator(run) as evaluator:
            for window in evaluator.waiting():
                evaluator.evaluate(window)
        return run.run_id


@dataclass
class Site:
    """A server that runs, and a client for it."""

    address: str
    client: httpx.Client
    app: object

    def get(self, path, **more):
        return self.client.get(path, **more)

    def post(self, path, **more):
        return self.client.post(path, **more)

    @property
    def context(self):
        return self.app.state.context

    @property
    def socket_address(self):
        return self.address.replace("http", "ws")


@contextlib.contextmanager
def serving(**settings):
    """A real server over real sockets, in a thread of this process."""
    chosen = Settings(**{"host": "127.0.0.1", "port": 0} | settings)
    app = create_app(chosen)
    listener = listen(chosen.host, chosen.port)
    ready = threading.Event()
    server = Server(app, chosen, ready.set)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        assert ready.wait(20), "the server did not start"
        with httpx.Client(base_url=address_of(listener), timeout=60) as client:
            yield Site(address_of(listener), client, app)
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()
