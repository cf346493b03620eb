"""A toy world of three roles that see and do different things; each is paid for answering what it sees.

scout: three numbers, one of which is 1; picks one of three options. guard: two signs; two axes. thief: one
sign; a button. An episode has eight steps. The winner is who answered best: scout and guard are one team.
"""

import sys

import numpy as np

from sandlot.spec import Document, Spec
from sandlot.worlds.arrays import ArrayWorld, EpisodeLog
from sandlot.worlds.make import make, remember_spec
from sandlot.worlds.world import Capabilities

STEPS = 8
ROLES = ("scout", "guard", "thief")
DESCRIPTION = {
    "source": "file",
    "name": "trio",
    "agent_roles": list(ROLES),
    "teams": {"scout": "law", "guard": "law", "thief": "crime"},
    "role_observation": {
        "scout": [{"name": "doors", "shape": [3]}],
        "guard": [{"name": "signs", "shape": [2]}],
        "thief": [{"name": "sign", "shape": [1]}],
    },
    "role_actions": {
        "scout": [{"name": "door", "kind": "choice", "options": ["left", "middle", "right"]}],
        "guard": [{"name": "x"}, {"name": "y"}],
        "thief": [{"name": "grab", "kind": "button"}],
    },
    "episode": [
        {"name": "winner", "kind": "outcome", "labels": ["nobody", "law", "crime"]},
        {"name": "return", "better": "higher"},
    ],
    "outcomes": [
        {"role": "scout", "field": "winner", "equals": "law", "means": "win"},
        {"role": "guard", "field": "winner", "equals": "law", "means": "win"},
        {"role": "thief", "field": "winner", "equals": "crime", "means": "win"},
    ],
}  # fmt: skip


class Trio(ArrayWorld):
    """`worlds` worlds of three agents. A row is as long as the longest role's observation and action."""

    capabilities = Capabilities(snapshot=False)

    def __init__(self, game="toy:trio", worlds=1, threads=1, seed=0, config=None, autoreset=True, **_):
        del threads
        spec = Spec(Document.parse(DESCRIPTION), DESCRIPTION, config, "toy:trio")
        self._describe(spec, worlds, 1, seed, autoreset)
        self._make_arrays({})
        self._log = EpisodeLog(spec, self.worlds)
        self._generators = [np.random.default_rng(0)] * self.worlds
        self._returns = np.zeros((self.worlds, len(ROLES)))
        self.seen = {role: np.zeros((self.worlds, 3), np.float32) for role in ROLES}

    def reset(self, seed=None, seeds=None, worlds=None):
        roots = self._roots_of(seed, seeds, worlds)
        which = np.arange(self.worlds) if worlds is None else self._indices(worlds)
        self._log.begin(which, roots[which])
        for world in which:
            self._begin(world, int(roots[world]))
        return self.observations

    def _begin(self, world, seed):
        self._generators[world] = np.random.default_rng(seed)
        self._returns[world] = 0.0
        self._ask(world)

    def _ask(self, world):
        draw, rows = self._generators[world], self._arrays["observations"].reshape(self.worlds, 3, -1)
        rows[world] = 9.0  # what lies behind a role's own entries must not be read
        rows[world, 0] = np.eye(3)[draw.integers(3)]
        rows[world, 1, :2] = draw.choice([-1.0, 1.0], 2)
        rows[world, 2, :1] = draw.choice([-1.0, 1.0])

    def step(self, actions=None):
        assert actions is None
        seen = self.observations.reshape(self.worlds, 3, -1)
        done = self._actions.reshape(self.worlds, 3, -1)
        answers = np.stack([
            done[:, 0, 0] == seen[:, 0].argmax(axis=1),
            np.clip(done[:, 1, :2] * seen[:, 1, :2], -1, 1).mean(axis=1),
            done[:, 2, 0] == seen[:, 2, 0],
        ], axis=1).astype(np.float32)  # fmt: skip
        self._arrays["rewards"][:] = answers.reshape(-1)
        self._returns += answers
        self.steps += 1
        self._log.count(None)
        over = np.array([self._log.length(world) >= STEPS for world in range(self.worlds)])
        self._arrays["terminated"][:] = np.repeat(over, 3)
        self._arrays["ticks"][:] = 1
        for world in range(self.worlds):
            if over[world]:
                self._finish(world)
            else:
                self._ask(world)
        return int(over.sum())

    def _finish(self, world):
        rows = slice(3 * world, 3 * world + 3)
        self._arrays["final_observations"][rows] = self.observations[rows]
        law, crime = self._returns[world, :2].mean(), self._returns[world, 2]
        winner = 0.0 if law == crime else 1.0 if law > crime else 2.0
        following = self._log.next_seed(world)
        sums = np.array([winner, self._returns[world].mean()], np.float32)
        self._log.end(world, self.steps, True, False, sums, self.autoreset)
        self._begin(world, following)

    def finished(self):
        return self._log.fetch()


def register(monkeypatch):
    """Make `toy:trio` a game while a test runs; returns its spec."""
    engines = sys.modules["sandlot.worlds.make"]
    monkeypatch.setitem(engines.ENGINES, "toy", Trio)
    monkeypatch.setattr(engines, "BY_PREFIX", (*engines.BY_PREFIX, "toy"))
    with make("toy:trio") as world:
        remember_spec(world.spec)
        return world.spec
