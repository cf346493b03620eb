"""Speed of this checkout beside another one: python benchmarks/before_after.py OTHER_CHECKOUT

Both checkouts need their engine built (`make build`). Each is opened in a process of its own; the two take
turns (A B, B A), so that a machine that slows down slows both. Two cases per game: steps of worlds through
the Python arrays with random actions, and whole training with the game's quick preset. The ratio is this
checkout over the other, median over rounds with a 95 % bootstrap interval: above 1 is faster. The last column
says whether both have learned the same weights, to the bit, or had the same rewards.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent.parent
WORLDS = 256

# Runs in each checkout: written for the public API, which is older than any checkout that is compared.
MEASURED = """
import hashlib, json, sys, time
import numpy as np
import sandlot
game, case = sys.argv[1:3]
threads, iterations, worlds = map(int, sys.argv[3:6])
if case == "training":
    import torch
    from sandlot.train.adapters import trainer_for
    try:
        from sandlot.train.compose import compose
    except ImportError:  # its name before f4400e5
        from sandlot.train.recipes import compose
    torch.set_num_threads(threads)
    trainer = trainer_for(compose(game, words=[f"run.threads={threads}"]), "benchmark")
    def go():
        return sum(trainer.iterate(0.0).decisions for _ in range(iterations))
    def results():
        for role in sorted(trainer.policies):
            weights = trainer.policies[role].network.state_dict()
            yield from (weights[name].numpy() for name in sorted(weights))
else:
    world = sandlot.make(game, worlds=worlds, threads=threads, seed=1)
    world.reset(seed=1)
    random, shape, steps = np.random.default_rng(1), world.actions.shape, 400
    if world.actions.dtype == np.int32:
        actions = random.integers(0, world.spec.action_count, (steps, *shape), dtype=np.int32)
    else:
        actions = random.uniform(-1, 1, (steps, *shape)).astype(np.float32)
    def go():
        for one in actions:
            world.actions[:] = one
            world.step()
        return steps * world.rows
    def results():
        return [world.rewards]
go()
print(json.dumps({"source": sandlot.__file__}), flush=True)
for _ in sys.stdin:
    began = time.perf_counter()
    done = go()
    rate = done / (time.perf_counter() - began)
    digest = hashlib.sha256(b"".join(array.tobytes() for array in results())).hexdigest()
    print(json.dumps({"rate": rate, "digest": digest}), flush=True)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, help="the checkout to compare with")
    parser.add_argument("--games", nargs="+", default=["tag", "prospector"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--iterations", type=int, default=2, help="of training, a round")
    asked = parser.parse_args()
    print("| game | case | this checkout, per second | other, per second | ratio | same bits |")
    print("|---|---|---:|---:|---:|---|")
    for game in asked.games:
        for case in ("worlds", "training"):
            print(_row(game, case, *_measure(asked, game, case)), flush=True)


def _measure(asked: Any, game: str, case: str) -> tuple[list[float], list[float], bool]:
    """Rates of this checkout and of the other, one per round; whether all rounds had the same results."""
    words = [game, case, str(asked.threads), str(asked.iterations), str(WORLDS)]
    sides = [_Side(place, words) for place in (HERE, asked.other.resolve())]
    rates: tuple[list[float], list[float]] = ([], [])
    same = True
    try:
        for turn in range(asked.rounds):
            answers = {i: sides[i].measure() for i in ((0, 1) if turn % 2 else (1, 0))}
            same = same and answers[0]["digest"] == answers[1]["digest"]
            for i in (0, 1):
                rates[i].append(answers[i]["rate"])
    finally:
        for side in sides:
            side.close()
    return *rates, same


class _Side:
    """One checkout in a process of its own, which measures when asked."""

    def __init__(self, place: Path, words: list[str]):
        source = str(place / "src")
        # an editable install would import its own checkout, whatever the path says
        code = "import sys\nsys.meta_path[:] = [f for f in sys.meta_path if 'editable' not in f.__module__]\n"
        code += f"sys.path.insert(0, {source!r})\n{MEASURED}"
        command = [sys.executable, "-c", code, *words]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        found = self._answer()
        if Path(found["source"]).parent.parent.parent.resolve() != place.resolve():
            raise SystemExit(f"{place} was to be measured, but {found['source']} was imported.")

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("A measured process ended; its error is above.")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def measure(self) -> dict[str, Any]:
        """Agent-steps per second of one round, and a digest of what came of it."""
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)


def _row(game: str, case: str, mine: list[float], other: list[float], same: bool) -> str:
    ratios = np.array(mine) / np.array(other)
    draws = np.random.default_rng(1).choice(ratios, (4000, len(ratios)))
    low, high = np.percentile(np.median(draws, axis=1), [2.5, 97.5])
    rates = f"{np.median(mine):,.0f} | {np.median(other):,.0f}"
    ratio = f"{np.median(ratios):.3f} ({low:.3f} to {high:.3f})"
    return f"| {game} | {case} | {rates} | {ratio} | {'yes' if same else 'no'} |"


if __name__ == "__main__":
    main()
