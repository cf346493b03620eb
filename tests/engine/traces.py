"""Golden traces: the cases, how each program is asked for one, and the same program over the Python face."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from builds import ROOT, run

GOLDEN = ROOT / "tests" / "golden"
CASES = {case["name"]: case for case in json.loads((GOLDEN / "cases.json").read_text())}
STEP_SEEDS = 4  # seeds that are kept step by step: one of each way to play


def golden(name: str) -> list[str]:
    """The lines of a golden file, without its heading."""
    path = GOLDEN / f"{name}.txt"
    assert path.exists(), f"{path} is missing; make it with `python tests/golden/make_traces.py`"
    return path.read_text().splitlines()[1:]


def _first_words(case: dict, each: bool) -> list[str]:
    """Which game, how long, and from how many seeds: every step of a few, or now and then one of many."""
    chosen = (
        ["--each", "--seeds", str(STEP_SEEDS)]
        if each
        else ["--every", str(case["every"]), "--seeds", str(case["seeds"])]
    )
    return [case["game"], "--steps", str(case["steps"]), *chosen]


def case_arguments(case: dict, spec: dict, each: bool = False) -> list[str]:
    """The command line of engine_trace for a case; choices and profiles travel as their numbers."""
    words = _first_words(case, each)
    if "profile" in case:
        words += ["--profile", str(spec["profiles"].index(case["profile"]))]
    choices = {knob["name"]: knob["choices"] for knob in spec["knobs"]}
    for name, value in case["config"].items():
        words += ["--set", f"{name}={choices[name].index(value) if isinstance(value, str) else value}"]
    return words


def wasm_arguments(case: dict, each: bool = False) -> list[str]:
    """The same for engine/wasm/trace.mjs, which knows names."""
    words = _first_words(case, each)
    if "profile" in case:
        words += ["--profile", case["profile"]]
    for name, value in case["config"].items():
        words += ["--set", f"{name}={value}"]
    return words


def describe(program: Path, game: str) -> dict:
    """What the engine inside a trace program says of a game."""
    return json.loads(run([str(program), game, "--describe"]).stdout)


def trace(program: list[str], words: list[str]) -> list[str]:
    return run([*program, *words]).stdout.splitlines()


def assert_same_trace(found: list[str], expected: list[str], who: str) -> None:
    """Equal, or the first difference in words."""
    for here, there in zip(found, expected, strict=False):
        if here != there:
            seed = there.split()[0]
            raise AssertionError(
                f"{who} leaves the golden trace at seed {seed}:\n  golden {there}\n  found  {here}"
            )
    assert len(found) == len(expected), (
        f"{who} printed {len(found)} lines, the golden trace has {len(expected)}"
    )


# ---------------------------------------------------- the program in Python, over all worlds at once

U64 = np.uint64
HASH_START = U64(0x9AE16A3B2F90404F)
STREAM, BEYOND, HOLD = 1000, 6, 8


def split_seed(seeds: np.ndarray, index: int) -> np.ndarray:
    z = seeds + U64((index + 1) * 0x9E3779B97F4A7C15 % 2**64)
    z = (z ^ (z >> U64(30))) * U64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> U64(27))) * U64(0x94D049BB133111EB)
    return z ^ (z >> U64(31))


def hash_words(digest: np.ndarray, words: np.ndarray) -> np.ndarray:
    """words: [worlds] or one number."""
    mixed = (digest ^ words) * U64(0x9FB21C651E98DF25)
    return mixed ^ (mixed >> U64(32))


def hash_rows(digest: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """sl_hash_bytes of each row of bytes."""
    count, size = rows.shape
    padded = np.zeros((count, size // 8 * 8 + 8), np.uint8)  # the tail is a word even when it is empty
    padded[:, :size] = rows
    for word in np.ascontiguousarray(padded).view(U64).T:
        digest = hash_words(digest, word)
    return hash_words(digest, U64(size))


class Streams:
    """One PCG32 a world; a draw is made only for the worlds asked for."""

    def __init__(self, seeds: np.ndarray):
        self.state = np.zeros(len(seeds), U64)
        everyone = np.arange(len(seeds))
        self.draw(everyone)
        self.state += seeds
        self.draw(everyone)

    def draw(self, worlds: np.ndarray) -> np.ndarray:
        old = self.state[worlds]
        self.state[worlds] = old * U64(6364136223846793005) + U64(109)
        shifted = (((old >> U64(18)) ^ old) >> U64(27)).astype(np.uint32)
        turn = (old >> U64(59)).astype(np.uint32)
        return (shifted >> turn) | (shifted << (-turn & np.uint32(31)))


class PythonTrace:
    """engine/tests/trace.c over `sandlot.make`: same seeds, same actions, same lines."""

    def __init__(self, case: dict, seeds: int, **options):
        import sandlot

        config = dict(case["config"]) | ({"profile": case["profile"]} if "profile" in case else {})
        self.case, self.seeds = case, np.arange(seeds, dtype=U64)
        self.world = sandlot.make(case["game"], worlds=seeds, config=config, **options)
        self.agents = self.world.spec.agents
        self.streams = Streams(split_seed(self.seeds, STREAM))
        self.way = self.seeds % U64(4)
        self.digest = np.full(seeds, HASH_START, U64)
        self.memory = np.concatenate([self._bot_memory(int(seed)) for seed in self.seeds])
        self.world.reset(seeds=[int(seed) for seed in self.seeds])

    def _bot_memory(self, seed: int) -> np.ndarray:
        library = self.world._library
        memory = np.zeros((self.agents, library.sl_bot_memory()), np.float32)
        library.sl_bot_start(seed, memory.ctypes.data, self.agents)
        return memory

    def lines(self) -> list[str]:
        marks = []
        self._look()
        for step in range(1, self.case["steps"] + 1):
            self._choose(step - 1)
            self.world.step()
            ended = self.world.terminated | self.world.truncated
            self.memory[ended, 2:] = 0
            self._look()
            if step % self.case["every"] == 0:
                marks.append(self.digest.copy())
        return [
            " ".join([str(seed), *(f"{mark[seed]:016x}" for mark in marks)])
            for seed in range(len(self.seeds))
        ]

    def _choose(self, step: int) -> None:
        for agent in range(self.agents):
            random, sensible = np.flatnonzero(self.way == 0), np.flatnonzero(self.way == 1)
            self._play_random(random, agent)
            if self.world.spec.masked:
                self._play_legal(sensible, agent)
            else:
                self._play_held(sensible, agent, step == 0)
            for world in np.flatnonzero(self.way > 1):
                self._play_scripted(int(world), agent)

    def _play_random(self, worlds: np.ndarray, agent: int) -> None:
        rows = worlds * self.agents + agent
        spec = self.world.spec
        if spec.discrete:
            draws = self.streams.draw(worlds) % np.uint32(spec.action_count + 2 * BEYOND)
            self.world.actions[rows] = draws.astype(np.int32) - BEYOND
            return
        for entry in range(spec.action_size):
            unit = self.streams.draw(worlds).astype(np.float32) * np.float32(2.3283064365386963e-10)
            self.world.actions[rows, entry] = np.float32(-1) + np.float32(2) * unit

    def _play_legal(self, worlds: np.ndarray, agent: int) -> None:
        for world, draw in zip(worlds, self.streams.draw(worlds), strict=True):
            row = world * self.agents + agent
            legal = np.flatnonzero(self.world.masks[row])
            self.world.actions[row] = legal[int(draw) % len(legal)] if len(legal) else 0

    def _play_held(self, worlds: np.ndarray, agent: int, first_step: bool) -> None:
        draws = self.streams.draw(worlds)
        turning = worlds if first_step else worlds[draws % HOLD == 0]
        for entry in range(self.world.spec.action_size):
            draws = self.streams.draw(turning) % np.uint32(3)
            self.world.actions[turning * self.agents + agent, entry] = draws.astype(np.float32) - np.float32(
                1
            )

    def _play_scripted(self, seed: int, agent: int) -> None:
        world, bots = self.world, self.world.spec.json["bots"]
        bot = (seed // 4 + agent) % len(bots)
        level = 1 + seed // 4 // len(bots) % bots[bot]["levels"]
        row = seed * self.agents + agent
        masks = world.masks[row].ctypes.data if world.spec.masked else None
        world._library.sl_bot_act(
            world._handle,
            bot,
            level,
            world.observations[row].ctypes.data,
            masks,
            self.memory[row].ctypes.data,
            world.actions[row : row + 1].ctypes.data,
            1,
        )

    def _look(self) -> None:
        world = self.world
        states = np.array([world.hash(i) for i in range(world.worlds)], U64)
        self.digest = hash_words(self.digest, states)
        blocks = [world.observations, world.rewards, world.terminated, world.truncated, world.ticks]
        blocks += [world.masks] if world.spec.masked else []
        for block in blocks:
            self.digest = hash_rows(self.digest, self._bytes(block))
        ended = (world.terminated | world.truncated)[:: self.agents]
        if ended.any():
            self.digest[ended] = hash_rows(self.digest[ended], self._bytes(world.final_observations)[ended])

    def _bytes(self, block: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(block).view(np.uint8).reshape(self.world.worlds, -1)


def write_case(name: str, heading: str, lines: list[str], folder: Path = GOLDEN) -> None:
    (folder / f"{name}.txt").write_text("\n".join([f"# {heading}", *lines]) + "\n")
